#include "session-core/runtime/call.h"

#include <pthread.h>

#include "network_host.h"
#include "session-core/network/storage_reply.h"

/* ---- opening ---- */

static sc_status open_host(sc_network_host **out, const sc_env *env, sc_network_list *list,
                           const char *folder) {
  sc_network_options options;
  sc_network_host *host;
  sc_network_list_options(&options, list);
  sc_status status = sc_network_host_new(&host, env, &options, &(sc_network_host_options){.folder = folder});
  if (status != SC_OK) {
    sc_network_list_free(list);
    return status;
  }
  sc_network_host_keep(host, list);
  status = sc_network_host_start(host, true);
  if (status == SC_OK)
    *out = host;
  else
    sc_network_host_free(host);
  return status;
}

sc_status sc_network_host_open(sc_network_host **out, const sc_env *env, sc_bytes network,
                               const char *folder) {
  sc_network_list list;
  *out = NULL;
  sc_status status = sc_network_list_open(&list, env, NULL, network);
  return status == SC_OK ? open_host(out, env, &list, folder) : status;
}

/* ---- waiting ---- */

typedef struct wait {
  pthread_mutex_t lock;
  pthread_cond_t ended;
  bool is_over;
  sc_status status;
  int code;
  sc_buffer *body;
} wait;

static void take_reply(wait *w, const sc_network_reply *reply) {
  bool answered = reply->status == SC_OK || reply->status == SC_ERR_REQUEST_FAILED;
  w->status = answered ? sc_buffer_append(w->body, reply->body) : reply->status;
  w->code = reply->code;
}

static void end_wait(void *user, sc_network_ticket ticket, const sc_network_reply *reply) {
  wait *w = user;
  (void)ticket;
  pthread_mutex_lock(&w->lock);
  take_reply(w, reply);
  w->is_over = true;
  pthread_cond_signal(&w->ended);
  pthread_mutex_unlock(&w->lock);
}

static void wait_for(wait *w) {
  pthread_mutex_lock(&w->lock);
  while (!w->is_over)
    pthread_cond_wait(&w->ended, &w->lock);
  pthread_mutex_unlock(&w->lock);
}

sc_status sc_network_host_request(sc_buffer *out, int *code, sc_network_host *host,
                                  const sc_network_request *request) {
  wait w = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER, .body = out};
  sc_network_request own = *request;
  own.done = end_wait;
  own.user = &w;
  *code = 0;
  sc_buffer_clear(out);
  sc_status status = sc_network_host_may_wait(host);
  if (status == SC_OK)
    status = sc_network_host_send(NULL, host, &own);
  if (status == SC_OK) {
    wait_for(&w);
    status = w.status;
    *code = w.code;
  }
  pthread_cond_destroy(&w.ended);
  pthread_mutex_destroy(&w.lock);
  return status;
}

sc_status sc_network_host_call(sc_buffer *out, int *code, sc_network_host *host, sc_bytes call,
                               uint64_t timeout) {
  sc_storage_parsed_request parsed;
  *code = 0;
  sc_buffer_clear(out);
  sc_status status = sc_storage_call_parse(&parsed, out->env, call);
  if (status != SC_OK)
    return status;
  bool has_swarm = sc_storage_method_has_account(parsed.request.method);
  const sc_network_request request = {.to = has_swarm ? SC_NETWORK_TO_SWARM : SC_NETWORK_TO_ANY_NODE,
                                      .storage = &parsed.request,
                                      .alone = true,
                                      .overall = timeout};
  status = sc_network_host_request(out, code, host, &request);
  sc_storage_parsed_request_free(&parsed);
  return status;
}
