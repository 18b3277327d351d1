#include "node_quic.h"

#include <stdlib.h>

#include "memory.h"
#include "world.h"

/* Calls of wires never have this bit; the rest is a place in the node's table. */
static const wire_call over_quic = (wire_call)1 << 63;

static void handle(void *user, const sc_quic_incoming *incoming) {
  node *n = user;
  world *w = n->world;
  char command[wire_command_chars] = "";
  if (incoming->name.len >= sizeof command)
    return;
  memcpy(command, incoming->name.ptr, incoming->name.len);
  n->quic_requests = memory_grow(n->quic_requests, n->quic_request_count, &n->quic_request_capacity,
                                 sizeof *n->quic_requests);
  n->quic_requests[n->quic_request_count] = (node_quic_request){incoming->request, n->quic_life};
  blob *body = blob_make(incoming->body);
  const wire_request request = {.call = over_quic | n->quic_request_count++,
                                .from = n->host,
                                .tag = driver_client_at(incoming->peer) | ++w->trip_count << 16,
                                .command = command,
                                .body = body};
  node_handle(n, &request);
  blob_drop(body);
}

bool node_quic_answer(node *n, wire_call call, bool is_error, sc_bytes body) {
  if ((call & over_quic) == 0)
    return false;
  const node_quic_request *request = &n->quic_requests[call & ~over_quic];
  if (n->quic == NULL || request->life != n->quic_life)
    return true;
  sc_status status = is_error ? sc_quic_reply_error(n->quic, request->number, body)
                              : sc_quic_reply(n->quic, request->number, body);
  (void)status; /* the client may be gone */
  driver_wake(&n->driver);
  return true;
}

void node_quic_start(node *n) {
  static const char *const commands[] = {"onion_req", "info", "active_nodes_bin", "oxend_request"};
  sc_quic_options options;
  if (!n->world->plan.quic)
    return;
  sc_quic_options_default(&options);
  options.identity = &n->keys->ed;
  options.accepts = true;
  if (sc_quic_endpoint_new(&n->quic, &n->world->node_env, &options) != SC_OK)
    abort();
  n->quic_life++;
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
    if (sc_quic_handle(n->quic, sc_bytes_text(commands[i]), handle, n) != SC_OK)
      abort();
  driver_start(&n->driver, sc_quic_driven(n->quic));
}

void node_quic_stop(node *n) {
  driver_stop(&n->driver);
  sc_quic_endpoint_free(n->quic);
  n->quic = NULL;
}
