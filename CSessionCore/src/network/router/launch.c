/* Sending: what the requests of a parcel say, sealed for a node or server, is given to the first hop. */
#include "network.h"

static const char batch_start[] = "{\"method\":\"batch\",\"params\":{\"requests\":[";
static const char batch_end[] = "]}}";

static sc_status join(sc_buffer *out, const sc_parcel *parcel) {
  sc_buffer_clear(out);
  sc_status status = sc_buffer_append(out, sc_bytes_text(batch_start));
  size_t place = 0;
  for (sc_request *request = parcel->first; request != NULL && status == SC_OK; request = request->next) {
    request->place = place++;
    if (request != parcel->first)
      status = sc_buffer_append_byte(out, ',');
    if (status == SC_OK)
      status = sc_buffer_append(out, request->text);
  }
  return status == SC_OK ? sc_buffer_append(out, sc_bytes_text(batch_end)) : status;
}

static sc_status destination_of(sc_onion_destination *out, const sc_parcel *parcel, const sc_node *target) {
  if (target == NULL) {
    *out = (sc_onion_destination){.kind = SC_ONION_TO_SERVER, .server = parcel->server};
    return SC_OK;
  }
  *out = (sc_onion_destination){.kind = SC_ONION_TO_NODE};
  return sc_hop_keys_find(&out->node, &parcel->network->paths.keys, target->key);
}

static sc_status seal(sc_attempt *attempt, sc_parcel *parcel) {
  sc_network *network = parcel->network;
  sc_onion_destination destination;
  sc_status status = destination_of(&destination, parcel, attempt->has_target ? &attempt->target : NULL);
  sc_bytes text = parcel->first->text;
  parcel->sent_count = parcel->count;
  if (status == SC_OK && parcel->count > 1) {
    status = join(&network->scratch, parcel);
    text = sc_buffer_bytes(&network->scratch);
  }
  return status == SC_OK
             ? sc_onion_build(&network->wire, &attempt->key, network->env, network->options.cipher,
                              attempt->hops, attempt->hop_count, &destination, text)
             : status;
}

/* The end of the request that waits the longest is the end of the parcel: the others end by themselves. */
static uint64_t time_left(const sc_parcel *parcel) {
  uint64_t now = parcel->network->moment.now, left = 0;
  for (const sc_request *request = parcel->first; request != NULL; request = request->next) {
    uint64_t own = request->overall_at == SC_NEVER ? SC_NEVER
                   : request->overall_at > now     ? request->overall_at - now
                                                   : 1;
    left = own > left ? own : left;
  }
  return left < parcel->timeout ? left : parcel->timeout;
}

static sc_status give_to_edge(sc_attempt *attempt, const sc_parcel *parcel) {
  sc_network *network = parcel->network;
  const sc_transport_request request = {
      .command = sc_bytes_text("onion_req"),
      .body = sc_buffer_bytes(&network->wire),
      .timeout = time_left(parcel),
      .small = parcel->small,
      .done = sc_attempt_came_back,
      .user = attempt,
  };
  return network->transport.methods->call(network->transport.self, &attempt->call, network->moment.now,
                                          sc_path_edge(attempt->path), &request);
}

static void note_sent(sc_attempt *attempt, sc_parcel *parcel) {
  sc_network *network = parcel->network;
  bool is_hedge = parcel->in_flight_count > 0 && !parcel->lost_one;
  if (attempt->has_target)
    sc_parcel_note_tried(parcel, attempt->target.key);
  parcel->attempts++;
  parcel->lost_one = false;
  sc_parcel_rest_patience(parcel);
  sc_attempt_begin(attempt, parcel);
  sc_parcel_move(parcel, SC_PARCEL_SENT, sc_parcel_second_at(parcel));
  sc_hedge_note_attempt(&network->hedge, network->moment.now, is_hedge);
  network->counts.sent++;
  network->counts.hedges += is_hedge;
  network->counts.batches += parcel->count > 1;
  network->paths_due = true;
}

sc_status sc_parcel_launch(sc_parcel *parcel, sc_path *path, const sc_node *target) {
  sc_attempt *attempt = sc_attempt_new(parcel, path, target);
  if (attempt == NULL)
    return SC_ERR_NO_MEMORY;
  sc_status status = seal(attempt, parcel);
  if (status == SC_OK)
    status = give_to_edge(attempt, parcel);
  if (status == SC_OK)
    note_sent(attempt, parcel);
  else
    sc_attempt_free(attempt);
  return status;
}
