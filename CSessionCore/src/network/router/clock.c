/* The offset of this machine's clock: the median of the times of some nodes. */
#include "../../base/sort.h"
#include "../later.h"
#include "network.h"
#include "session-core/network/storage_reply.h"

/* Replies with a greater offset are ignored. */
static const int64_t most_offset = INT64_C(10) * 366 * 24 * 3600 * 1000;

/* Clocks within this difference agree. */
static const int64_t most_disagreement = INT64_C(30) * 1000;

static int order_offsets(const void *left, const void *right) {
  const int64_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

static int64_t median(int64_t *list, size_t count) {
  sc_sort(list, count, sizeof *list, order_offsets);
  size_t middle = count / 2;
  return count % 2 == 1 ? list[middle] : list[middle - 1] + (list[middle] - list[middle - 1]) / 2;
}

static void release_waiting(sc_network *network) {
  sc_delivery *next;
  for (sc_delivery *delivery = network->waiting.first; delivery != NULL; delivery = next) {
    next = delivery->next;
    if (delivery->state == SC_DELIVERY_AWAITS_CLOCK)
      sc_delivery_doom(delivery, delivery->why, delivery->code);
  }
}

static void finish(sc_network *network) {
  sc_clock *clock = &network->clock;
  clock->running = false;
  clock->overdue_at = SC_NEVER;
  clock->asked_count = 0;
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

static bool agree(int64_t one, int64_t other) {
  return one - other <= most_disagreement && other - one <= most_disagreement;
}

/* True if the replies suffice: they agree, and are a majority, or would be with this machine. */
static bool is_enough(const sc_clock *clock) {
  bool most = clock->sample_count * 2 > clock->asked_count;
  for (size_t i = 0; i < clock->sample_count; i++)
    if (!agree(clock->samples[i], most ? clock->samples[0] : 0))
      return false;
  return clock->sample_count > 0;
}

static void settle(sc_network *network) {
  sc_clock *clock = &network->clock;
  if (clock->open == 0 || (clock->is_overdue && is_enough(clock)))
    finish(network);
}

/* Replies to an earlier measurement are ignored. */
static bool is_awaited(sc_clock *clock, sc_network_ticket ticket) {
  for (size_t i = 0; i < clock->asked_count; i++) {
    if (clock->asked[i] != ticket)
      continue;
    clock->open--;
    return true;
  }
  return false;
}

static void answered(void *user, sc_network_ticket ticket, const sc_network_reply *reply) {
  sc_network *network = user;
  sc_clock *clock = &network->clock;
  if (!clock->running || !is_awaited(clock, ticket))
    return;
  if (reply->status == SC_OK)
    take_sample(network, reply->body);
  settle(network);
}

static void ask(sc_network *network) {
  sc_clock *clock = &network->clock;
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  const sc_own_request own = {.request = {.to = SC_NETWORK_TO_ANY_NODE,
                                          .storage = &info,
                                          .small = true,
                                          .interactive = true,
                                          .timeout = network->options.probe_timeout,
                                          .done = answered,
                                          .user = network},
                              .apart = &clock->nodes};
  if (sc_network_send_own(&clock->asked[clock->asked_count], network, &own) == SC_OK)
    clock->asked_count++;
}

static uint64_t overdue_time(const sc_network *network) {
  const sc_network_options *options = &network->options;
  if (options->hedge_unknown == 0)
    return SC_NEVER;
  return sc_later(network->moment.now, sc_hedge_delay(&network->hedge, options->probe_timeout,
                                                      options->hedge_least, options->hedge_unknown));
}

/* Only those that are really asked are waited for, each of them another node. */
static void ask_nodes(sc_network *network) {
  sc_clock *clock = &network->clock;
  clock->awaits_path = false;
  clock->sample_count = clock->asked_count = clock->nodes.count = 0;
  for (size_t i = 0; i < network->options.clock_nodes; i++)
    ask(network);
  clock->open = clock->asked_count;
  clock->is_overdue = false;
  clock->overdue_at = overdue_time(network);
  settle(network);
}

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
  network->clock.due_at = network->clock.overdue_at = SC_NEVER;
  sc_refresh_waiter_remove(&network->clock.waiter);
}

void sc_clock_advance(sc_network *network) {
  if (network->clock.due_at <= network->moment.now)
    sc_clock_measure(network);
  if (network->clock.overdue_at <= network->moment.now) {
    network->clock.overdue_at = SC_NEVER;
    network->clock.is_overdue = true;
    settle(network);
  }
  if (!network->clock.awaits_path)
    return;
  if (sc_paths_active(&network->paths, SC_NETWORK_STANDARD) > 0)
    ask_nodes(network);
  else
    sc_paths_want(&network->paths, SC_NETWORK_STANDARD); /* the one it waited for may have been dropped */
}
