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

/* The only node of a network is where the path ends before it begins. */
static size_t hops_before(const sc_path *path, const sc_node *target) {
  return target != NULL && sc_node_same(sc_path_edge(path), target) ? 0 : path->length;
}

static sc_status seal(sc_parcel *parcel, const sc_path *path, const sc_node *target) {
  sc_network *network = parcel->network;
  sc_onion_destination destination;
  sc_status status = destination_of(&destination, parcel, target);
  sc_bytes text = parcel->first->text;
  parcel->sent_count = parcel->count;
  if (status == SC_OK && parcel->count > 1) {
    status = join(&network->scratch, parcel);
    text = sc_buffer_bytes(&network->scratch);
  }
  return status == SC_OK ? sc_onion_build(&network->wire, &parcel->key, network->env, network->options.cipher,
                                          path->hops, hops_before(path, target), &destination, text)
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

static sc_status give_to_edge(sc_parcel *parcel, const sc_path *path) {
  sc_network *network = parcel->network;
  const sc_transport_request request = {
      .command = sc_bytes_text("onion_req"),
      .body = sc_buffer_bytes(&network->wire),
      .timeout = time_left(parcel),
      .small = parcel->small,
      .done = sc_parcel_came_back,
      .user = parcel,
  };
  return network->transport.methods->call(network->transport.self, &parcel->call, network->moment.now,
                                          sc_path_edge(path), &request);
}

static void note_sent(sc_parcel *parcel, sc_path *path, const sc_node *target) {
  sc_network *network = parcel->network;
  parcel->path = path;
  parcel->hop_count = hops_before(path, target);
  memcpy(parcel->hops, path->hops, parcel->hop_count * sizeof path->hops[0]);
  parcel->has_target = target != NULL;
  if (target != NULL) {
    parcel->target = *target;
    sc_parcel_note_tried(parcel, target->key);
  }
  parcel->sent_at = network->moment.now;
  parcel->sent_wall = network->moment.wall;
  parcel->attempts++;
  sc_parcel_rest_patience(parcel);
  sc_paths_begin(path);
  sc_parcel_move(parcel, SC_PARCEL_SENT, 0);
  network->counts.sent++;
  network->counts.batches += parcel->count > 1;
  network->paths_due = true;
}

sc_status sc_parcel_launch(sc_parcel *parcel, sc_path *path, const sc_node *target) {
  sc_status status = seal(parcel, path, target);
  if (status == SC_OK)
    status = give_to_edge(parcel, path);
  if (status == SC_OK)
    note_sent(parcel, path, target);
  else
    sc_onion_key_wipe(&parcel->key);
  return status;
}
