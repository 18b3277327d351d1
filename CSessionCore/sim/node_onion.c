#include "node_onion.h"

#include <stdlib.h>

#include "hostile.h"
#include "memory.h"
#include "session-core/base/encoding.h"
#include "storage_job.h"
#include "world.h"

static const uint64_t hop_timeout = 30 * SIM_SECOND;
static const uint64_t server_timeout = 25 * SIM_SECOND;

static const sc_env *env_of(const onion_job *job) {
  return &job->at->world->node_env;
}

void onion_job_drop(onion_job *job) {
  if (job->opened)
    sc_onion_layer_free(&job->layer);
  blob_drop(job->body);
  free(job);
}

static void answer_client(onion_job *job, int code, sc_bytes body) {
  const sc_storage_answer answer = {.code = code, .body = body};
  sc_buffer bytes;
  bool is_error;
  if (code == 200) {
    node_answer(job->at, job->call, false, body);
    return;
  }
  sc_buffer_init(&bytes, env_of(job));
  if (sc_storage_answer_write(&bytes, &is_error, SC_STORAGE_BODY_PLAIN, &answer) == SC_OK)
    node_answer(job->at, job->call, true, sc_buffer_bytes(&bytes));
  sc_buffer_free(&bytes);
}

/* Nodes pass code and body to each other; here, the code in three digits. */
static void answer_node(onion_job *job, int code, sc_bytes body) {
  char digits[8];
  sc_buffer bytes;
  snprintf(digits, sizeof digits, "%03d", code);
  sc_buffer_init(&bytes, env_of(job));
  if (sc_buffer_append(&bytes, sc_bytes_text(digits)) == SC_OK && sc_buffer_append(&bytes, body) == SC_OK)
    node_answer(job->at, job->call, false, sc_buffer_bytes(&bytes));
  sc_buffer_free(&bytes);
}

void onion_job_answer(onion_job *job, int code, sc_bytes body) {
  if (job->from_client)
    answer_client(job, code, body);
  else
    answer_node(job, code, body);
  onion_job_drop(job);
}

void onion_job_fail(onion_job *job, sc_onion_failure_kind kind, const uint8_t *named, const char *detail) {
  sc_buffer text;
  int code;
  sc_buffer_init(&text, env_of(job));
  if (sc_onion_failure_write(&text, &code, kind, named, sc_bytes_text(detail)) != SC_OK)
    abort();
  onion_job_answer(job, code, sc_buffer_bytes(&text));
  sc_buffer_free(&text);
}

static void refuse(onion_job *job, sc_onion_arrival arrival, sc_status why) {
  sc_buffer text;
  int code;
  sc_buffer_init(&text, env_of(job));
  if (sc_onion_refuse(&text, &code, env_of(job), arrival, why, &job->block, job->at->keys) != SC_OK)
    abort();
  onion_job_answer(job, code, sc_buffer_bytes(&text));
  sc_buffer_free(&text);
}

/* Relaying */

static bool read_node_reply(int *code, sc_buffer *body, sc_bytes reply) {
  *code = 0;
  for (size_t i = 0; i < 3; i++) {
    if (i >= reply.len || reply.ptr[i] < '0' || reply.ptr[i] > '9')
      return false;
    *code = 10 * *code + (reply.ptr[i] - '0');
  }
  return *code >= 200 && *code <= 599 &&
         sc_buffer_append(body, sc_bytes_make(reply.ptr + 3, reply.len - 3)) == SC_OK;
}

static void pass_back(onion_job *job, sc_bytes reply) {
  sc_buffer body;
  int code;
  sc_buffer_init(&body, env_of(job));
  if (read_node_reply(&code, &body, reply)) {
    hostile_return(job, &body);
    onion_job_answer(job, code, sc_buffer_bytes(&body));
  } else {
    onion_job_fail(job, SC_ONION_FAILED_RESPONSE, NULL, "");
  }
  sc_buffer_free(&body);
}

static void relay_ends(void *user, const wire_reply *reply) {
  onion_job *job = user;
  if (reply->outcome == WIRE_ANSWERED)
    pass_back(job, blob_bytes(reply->body));
  else if (reply->outcome == WIRE_FAILED)
    onion_job_fail(job, SC_ONION_FAILED_RESPONSE, NULL, "");
  else if (reply->outcome == WIRE_TIMED_OUT)
    onion_job_fail(job, SC_ONION_FAILED_TIMEOUT, NULL, "");
  else if (reply->outcome == WIRE_GONE)
    onion_job_drop(job);
  else
    onion_job_fail(job, SC_ONION_FAILED_NEXT_UNREACHABLE, job->layer.destination, "");
}

static void relay(onion_job *job) {
  world *w = job->at->world;
  const node *next = node_find(w, job->layer.destination);
  if (next == NULL || !job->at->list->listed[next->index]) {
    onion_job_fail(job, SC_ONION_FAILED_NEXT_UNKNOWN, job->layer.destination, "");
    return;
  }
  sc_buffer bytes;
  sc_buffer_init(&bytes, env_of(job));
  if (sc_onion_relay_write(&bytes, &job->layer.next) != SC_OK)
    abort();
  hostile_forward(job, &bytes);
  blob *body = blob_make(sc_buffer_bytes(&bytes));
  const wire_call_options options = {.from = job->at->host,
                                     .to = next->host,
                                     .tag = job->tag,
                                     .command = "sn.onion_request",
                                     .body = body,
                                     .timeout = hop_timeout,
                                     .done = relay_ends,
                                     .user = job};
  (void)wire_begin_call(&w->wire, &options);
  blob_drop(body);
  sc_buffer_free(&bytes);
}

/* Going to a server */

static void server_ends(void *user, const wire_reply *reply) {
  onion_job *job = user;
  if (reply->outcome == WIRE_ANSWERED)
    onion_job_answer(job, 200, blob_bytes(reply->body));
  else if (reply->outcome == WIRE_TIMED_OUT)
    onion_job_answer(job, 504, sc_bytes_text("the server took too long"));
  else if (reply->outcome == WIRE_GONE)
    onion_job_drop(job);
  else
    onion_job_answer(job, 502, sc_bytes_text("the server cannot be reached"));
}

static void proxy(onion_job *job) {
  world *w = job->at->world;
  const server *to = server_find(w, job->layer.url.host);
  if (to == NULL) {
    onion_job_answer(job, 502, sc_bytes_text("no such host"));
    return;
  }
  blob *body = blob_make(job->layer.payload);
  const wire_call_options options = {.from = job->at->host,
                                     .to = to->host,
                                     .tag = job->tag,
                                     .command = "POST",
                                     .body = body,
                                     .timeout = server_timeout,
                                     .done = server_ends,
                                     .user = job};
  (void)wire_begin_call(&w->wire, &options);
  blob_drop(body);
}

/* Being the destination */

static void answer_final(void *user, const sc_storage_answer *answer, sc_storage_body kind) {
  onion_job *job = user;
  sc_buffer sealed;
  sc_buffer_init(&sealed, env_of(job));
  sc_onion_answer reply = {.status = answer->code,
                           .body = answer->body,
                           .is_json = kind == SC_STORAGE_BODY_JSON,
                           .wants_json = job->layer.wants_json,
                           .wants_base64 = job->layer.wants_base64};
  char *text = NULL;
  if (kind == SC_STORAGE_BODY_PLAIN && answer->code == 200) {
    text = memory_new(SC_BASE64_CHARS(answer->body.len) + 1, 1);
    reply.body = sc_bytes_make(text, sc_base64_encode(text, answer->body, SC_BASE64_STANDARD));
  }
  if (sc_onion_reply_seal(&sealed, env_of(job), &job->block, &job->at->keys->x, &reply) == SC_OK) {
    hostile_return(job, &sealed);
    onion_job_answer(job, 200, sc_buffer_bytes(&sealed));
  } else {
    onion_job_answer(job, 500, sc_bytes_text("request failed"));
  }
  sc_buffer_free(&sealed);
  free(text);
}

static void be_destination(onion_job *job) {
  sc_storage_parsed_request parsed;
  sc_status status = sc_storage_call_parse(&parsed, env_of(job), job->layer.payload);
  if (status == SC_OK) {
    const storage_call call = {.tag = job->tag, .bytes = job->body, .sink = answer_final, .user = job};
    storage_job_begin(job->at, &parsed, &call);
    return;
  }
  sc_buffer text;
  sc_buffer_init(&text, env_of(job));
  if (sc_storage_refusal_write(&text, status, sc_bytes_text("request")) != SC_OK)
    abort();
  const sc_storage_answer answer = {.code = sc_storage_refusal_code(status), .body = sc_buffer_bytes(&text)};
  answer_final(job, &answer, SC_STORAGE_BODY_PLAIN);
  sc_buffer_free(&text);
}

/* Clients may suspect all nodes behind one that ends a request, though it never came to them. */
static void name_nodes_behind(const onion_job *job) {
  world *w = job->at->world;
  const sc_onion_layer *layer = &job->layer;
  sc_onion_layer peeled[trip_most_nodes];
  size_t count = 0;
  while (layer->role == SC_ONION_RELAY && count < trip_most_nodes) {
    const node *next = node_find(w, layer->destination);
    if (next == NULL)
      break;
    oracle_name(w, job->tag, next);
    if (sc_onion_peel(&peeled[count], &w->node_env, &layer->next, next->keys) != SC_OK)
      break;
    layer = &peeled[count++];
  }
  while (count > 0)
    sc_onion_layer_free(&peeled[--count]);
}

static void go_on(onion_job *job) {
  world *w = job->at->world;
  name_nodes_behind(job);
  if (hostile_hop(job))
    return;
  if (job->layer.role == SC_ONION_RELAY) {
    relay(job);
  } else if (job->layer.role == SC_ONION_PROXY) {
    proxy(job);
  } else {
    oracle_check_size(w, job->layer.payload.len);
    be_destination(job);
  }
}

static void say_not_ready(onion_job *job) {
  if (job->from_client)
    onion_job_fail(job, SC_ONION_FAILED_GUARD_NOT_READY, NULL, "not done syncing");
  else
    onion_job_fail(job, SC_ONION_FAILED_NODE_NOT_READY, job->at->keys->ed.public_key, "");
}

void node_onion_handle(node *n, const wire_request *request, bool from_client) {
  onion_job *job = memory_new(1, sizeof *job);
  *job = (onion_job){.at = n,
                     .call = request->call,
                     .tag = request->tag,
                     .from_client = from_client,
                     .body = blob_share(request->body)};
  oracle_visit(n->world, job->tag, n);
  sc_bytes bytes = blob_bytes(job->body);
  sc_status status = from_client
                         ? sc_onion_block_parse(&job->block, SC_ONION_AT_NODE, SC_ONION_MAX_BYTES, bytes)
                         : sc_onion_relay_parse(&job->block, bytes);
  if (status != SC_OK) {
    refuse(job, from_client ? SC_ONION_FROM_CLIENT : SC_ONION_FROM_NODE, status);
    return;
  }
  if (!node_is_ready(n)) {
    say_not_ready(job);
    return;
  }
  status = sc_onion_peel(&job->layer, env_of(job), &job->block, n->keys);
  job->opened = status == SC_OK;
  if (!job->opened)
    refuse(job, SC_ONION_PEELING, status);
  else
    go_on(job);
}
