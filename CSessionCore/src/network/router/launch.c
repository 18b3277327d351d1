/* Sending: what the requests of a delivery say, sealed for a node or server, is given to the first hop. */
#include "../padding.h"
#include "network.h"

static const char batch_start[] = "{\"method\":\"batch\",\"params\":{\"requests\":[";
static const char batch_end[] = "]}}";

static sc_status join(sc_buffer *out, const sc_delivery *delivery) {
  sc_buffer_clear(out);
  sc_status status = sc_buffer_append(out, sc_bytes_text(batch_start));
  size_t place = 0;
  for (sc_request *request = delivery->first; request != NULL && status == SC_OK; request = request->next) {
    request->place = place++;
    if (request != delivery->first)
      status = sc_buffer_append_byte(out, ',');
    if (status == SC_OK)
      status = sc_buffer_append(out, request->text);
  }
  return status == SC_OK ? sc_buffer_append(out, sc_bytes_text(batch_end)) : status;
}

/* Writes the payload for the destination. Of servers, only those of a private network get padding: others may
 * refuse spaces. */
static sc_status write_payload(sc_buffer *out, const sc_delivery *delivery) {
  bool is_private = delivery->network->options.nodes.kind == SC_NETWORK_PRIVATE;
  sc_bytes text = delivery->first->text;
  if (delivery->to == SC_NETWORK_TO_SERVER && is_private)
    return sc_pad_server_payload(out, text);
  sc_status status = delivery->count > 1 ? join(out, delivery) : sc_buffer_append(out, text);
  if (status == SC_OK && delivery->to != SC_NETWORK_TO_SERVER)
    status = sc_pad_json(out, SC_STORAGE_MAX_BYTES);
  return status;
}

static sc_status destination_of(sc_onion_destination *out, const sc_delivery *delivery,
                                const sc_node *target) {
  if (target == NULL) {
    *out = (sc_onion_destination){.kind = SC_ONION_TO_SERVER, .server = delivery->server};
    return SC_OK;
  }
  *out = (sc_onion_destination){.kind = SC_ONION_TO_NODE};
  return sc_hop_keys_find(&out->node, &delivery->network->paths.keys, target->key);
}

static sc_status seal(sc_attempt *attempt, sc_delivery *delivery) {
  sc_network *network = delivery->network;
  sc_onion_destination destination;
  sc_status status = destination_of(&destination, delivery, attempt->has_target ? &attempt->target : NULL);
  delivery->sent_count = delivery->count;
  sc_buffer_clear(&network->scratch);
  if (status == SC_OK)
    status = write_payload(&network->scratch, delivery);
  return status == SC_OK ? sc_onion_build(&network->wire, &attempt->key, network->env,
                                          network->options.cipher, attempt->hops, attempt->hop_count,
                                          &destination, sc_buffer_bytes(&network->scratch))
                         : status;
}

/* The end of the request that waits the longest is the end of the delivery: the others end by themselves. */
static uint64_t time_left(const sc_delivery *delivery) {
  uint64_t now = delivery->network->moment.now, left = 0;
  for (const sc_request *request = delivery->first; request != NULL; request = request->next) {
    uint64_t own = request->overall_at == SC_NEVER ? SC_NEVER
                   : request->overall_at > now     ? request->overall_at - now
                                                   : 1;
    left = own > left ? own : left;
  }
  return left < delivery->timeout ? left : delivery->timeout;
}

static sc_status give_to_edge(sc_attempt *attempt, const sc_delivery *delivery) {
  sc_network *network = delivery->network;
  const sc_transport_request request = {
      .command = sc_bytes_text("onion_req"),
      .body = sc_buffer_bytes(&network->wire),
      .timeout = time_left(delivery),
      .small = delivery->small,
      .done = sc_attempt_came_back,
      .user = attempt,
  };
  return network->transport.methods->call(network->transport.self, &attempt->call, network->moment.now,
                                          sc_path_guard(attempt->path), &request);
}

static void note_sent(sc_attempt *attempt, sc_delivery *delivery) {
  sc_network *network = delivery->network;
  bool is_hedge = delivery->in_flight_count > 0 && !delivery->lost_one;
  if (attempt->has_target)
    sc_delivery_note_tried(delivery, attempt->target.key);
  delivery->attempts++;
  delivery->lost_one = false;
  sc_delivery_stop_timeouts(delivery);
  sc_attempt_begin(attempt, delivery);
  sc_guards_note_request(&network->guards, sc_path_guard(attempt->path)->key);
  sc_delivery_move(delivery, SC_DELIVERY_SENT, sc_delivery_second_at(delivery));
  sc_hedge_note_attempt(&network->hedge, network->moment.now, is_hedge);
  network->counts.sent++;
  network->counts.hedges += is_hedge;
  network->counts.batches += delivery->count > 1;
  network->paths_due = true;
}

sc_status sc_delivery_launch(sc_delivery *delivery, sc_path *path, const sc_node *target) {
  sc_attempt *attempt = sc_attempt_new(delivery, path, target);
  if (attempt == NULL)
    return SC_ERR_NO_MEMORY;
  sc_status status = seal(attempt, delivery);
  if (status == SC_OK)
    status = give_to_edge(attempt, delivery);
  if (status == SC_OK)
    note_sent(attempt, delivery);
  else
    sc_attempt_free(attempt);
  return status;
}
