/* How far this machine's clock is off: some nodes are asked for the time, and the median of what they say
 * counts. */
#include "../later.h"
#include "network.h"
#include "session-core/network/storage_reply.h"

/* Nobody is so far off: such an answer is none. */
static const int64_t most_offset = INT64_C(10) * 366 * 24 * 3600 * 1000;

static void sort(int64_t *list, size_t count) {
  for (size_t i = 1; i < count; i++) {
    int64_t value = list[i];
    size_t at = i;
    for (; at > 0 && list[at - 1] > value; at--)
      list[at] = list[at - 1];
    list[at] = value;
  }
}

static int64_t median(int64_t *list, size_t count) {
  sort(list, count);
  size_t middle = count / 2;
  return count % 2 == 1 ? list[middle] : list[middle - 1] + (list[middle] - list[middle - 1]) / 2;
}

static void release_waiting(sc_network *network) {
  sc_parcel *next;
  for (sc_parcel *parcel = network->waiting.first; parcel != NULL; parcel = next) {
    next = parcel->next;
    if (parcel->state == SC_PARCEL_AWAITS_CLOCK)
      sc_parcel_doom(parcel, parcel->why, parcel->code);
  }
}

static void finish(sc_network *network) {
  sc_clock *clock = &network->clock;
  clock->running = false;
  if (clock->sample_count > 0) {
    clock->offset = median(clock->samples, clock->sample_count);
    clock->known = true;
    clock->good_at = network->moment.now;
    clock->due_at = SC_NEVER;
  } else if (!clock->known) {
    clock->due_at = sc_later(network->moment.now, network->options.path_rotation_retry);
  }
  network->status_due = true;
  release_waiting(network);
}

static void take_sample(sc_network *network, sc_bytes body) {
  sc_clock *clock = &network->clock;
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  sc_storage_parsed_reply reply;
  int64_t offset;
  if (sc_storage_reply_parse(&reply, network->env, &info, body) != SC_OK)
    return;
  bool said = sc_storage_clock_offset(&offset, &reply.reply.clock, network->reply_sent, network->moment.wall);
  sc_storage_parsed_reply_free(&reply);
  if (said && offset >= -most_offset && offset <= most_offset)
    clock->samples[clock->sample_count++] = offset;
}

static void answered(void *user, sc_network_ticket ticket, const sc_network_reply *reply) {
  sc_network *network = user;
  sc_clock *clock = &network->clock;
  (void)ticket;
  if (!clock->running)
    return;
  if (reply->status == SC_OK)
    take_sample(network, reply->body);
  if (--clock->open == 0)
    finish(network);
}

static sc_status ask(sc_network *network, const sc_node *node) {
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  sc_own_request own = {.request = {.to = SC_NETWORK_TO_NODE,
                                    .storage = &info,
                                    .small = true,
                                    .timeout = network->options.probe_timeout,
                                    .done = answered,
                                    .user = network}};
  memcpy(own.request.node, node->key, SC_KEY_BYTES);
  return sc_network_send_own(NULL, network, &own);
}

/* Only those that are really asked are waited for. */
static void ask_nodes(sc_network *network) {
  sc_clock *clock = &network->clock;
  clock->awaits_path = false;
  const sc_node *nodes[sc_clock_most_nodes];
  size_t count = sc_paths_targets(nodes, &network->paths, network->options.clock_nodes,
                                  sc_paths_only_one(&network->paths, SC_NETWORK_STANDARD));
  clock->sample_count = 0;
  clock->open = 0;
  for (size_t i = 0; i < count; i++)
    clock->open += ask(network, nodes[i]) == SC_OK;
  if (clock->open == 0)
    finish(network);
}

/* Who is asked should not be a node of the path that is taken. */
static void begin(sc_network *network) {
  if (sc_paths_active(&network->paths, SC_NETWORK_STANDARD) > 0) {
    ask_nodes(network);
    return;
  }
  network->clock.awaits_path = true;
  sc_paths_want(&network->paths, SC_NETWORK_STANDARD);
}

void sc_clock_give_up(sc_network *network) {
  sc_clock *clock = &network->clock;
  if (!clock->awaits_path)
    return;
  clock->awaits_path = false;
  clock->sample_count = 0;
  finish(network);
}

static void nodes_came(void *user, bool refreshed) {
  (void)refreshed;
  begin(user);
}

void sc_clock_measure(sc_network *network) {
  sc_clock *clock = &network->clock;
  if (clock->running || network->options.clock_nodes == 0)
    return;
  clock->running = true;
  clock->due_at = SC_NEVER;
  clock->waiter = (sc_refresh_waiter){.done = nodes_came, .user = network};
  if (sc_nodes_want(network->nodes, network->moment.now, network->moment.wall, &clock->waiter) !=
      SC_REFRESH_WAIT)
    begin(network);
}

void sc_clock_abandon(sc_network *network) {
  network->clock.running = network->clock.awaits_path = false;
  network->clock.due_at = SC_NEVER;
  sc_refresh_waiter_remove(&network->clock.waiter);
}

void sc_clock_advance(sc_network *network) {
  if (network->clock.due_at <= network->moment.now)
    sc_clock_measure(network);
  if (!network->clock.awaits_path)
    return;
  if (sc_paths_active(&network->paths, SC_NETWORK_STANDARD) > 0)
    ask_nodes(network);
  else
    sc_paths_want(&network->paths, SC_NETWORK_STANDARD); /* the one it waited for may have been dropped */
}
