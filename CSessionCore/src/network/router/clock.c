/* The offset of this machine's clock: calls three nodes, and three more if those do not suffice. */
#include "../moment.h"
#include "network.h"
#include "session-core/network/storage_reply.h"

static const uint64_t minute = 60 * SC_NODE_SECOND, hour = 3600 * SC_NODE_SECOND;

static bool has_moved(int64_t before, int64_t now) {
  int64_t by = now > before ? now - before : before - now;
  return by > sc_clock_most_unproved;
}

/* Ends the requests that awaited the clock. If the clock was wrong, the program builds and signs its request
 * again; if it was right, the node's clock is wrong. */
static void release_waiting(sc_network *network, bool moved) {
  sc_delivery *next;
  for (sc_delivery *delivery = network->waiting.first; delivery != NULL; delivery = next) {
    next = delivery->next;
    if (delivery->state == SC_DELIVERY_AWAITS_CLOCK)
      sc_delivery_end_clock(delivery, moved);
  }
}

/* Without agreement the clock stays where it was. */
static void finish(sc_network *network, bool found, int64_t offset) {
  sc_clock *clock = &network->clock;
  bool moved = found && has_moved(clock->offset, offset);
  clock->running = false;
  clock->overdue_at = SC_NEVER;
  clock->call_count = 0;
  if (found) {
    clock->offset = offset;
    clock->known = true;
    clock->good_at = network->moment.now;
    clock->due_at = SC_NEVER;
    clock->retry_delay = 0;
  } else {
    clock->retry_delay = clock->retry_delay == 0         ? minute
                         : clock->retry_delay * 2 < hour ? clock->retry_delay * 2
                                                         : hour;
    clock->due_at = sc_later(network->moment.now, clock->retry_delay);
  }
  network->status_due = true;
  release_waiting(network, moved);
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
  if (said)
    clock->samples[clock->sample_count++] = (sc_witness){offset, network->moment.wall - network->reply_sent};
}

static void ask_nodes(sc_network *network);

/* True if more nodes may be called. */
static bool has_more(const sc_clock *clock, const sc_network_options *options) {
  return clock->absent == 0 && clock->call_count + options->clock_nodes <= sc_witnesses_most;
}

static void settle(sc_network *network) {
  sc_clock *clock = &network->clock;
  int64_t offset = 0;
  if (clock->open > 0 && !clock->is_overdue)
    return;
  bool found =
      sc_witnesses_decide(&offset, clock->samples, clock->sample_count, clock->call_count - clock->absent);
  if (!found && clock->open > 0)
    return;
  if (!found && has_more(clock, &network->options))
    ask_nodes(network);
  else
    finish(network, found, offset);
}

/* Replies to an earlier measurement are ignored. */
static bool is_awaited(sc_clock *clock, sc_network_ticket ticket) {
  for (size_t i = 0; i < clock->call_count; i++) {
    if (clock->calls[i] != ticket)
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
  clock->absent += reply->status == SC_ERR_NETWORK_NO_NODES;
  settle(network);
}

static void call_node(sc_network *network) {
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
  if (sc_network_send_own(&clock->calls[clock->call_count], network, &own) == SC_OK)
    clock->call_count++;
}

static uint64_t overdue_time(const sc_network *network) {
  const sc_network_options *options = &network->options;
  if (options->hedge_initial == 0)
    return SC_NEVER;
  return sc_later(network->moment.now, sc_hedge_delay(&network->hedge, options->probe_timeout,
                                                      options->hedge_min, options->hedge_initial));
}

/* Waits only for the calls that were sent, each to another node. */
static void ask_nodes(sc_network *network) {
  sc_clock *clock = &network->clock;
  size_t before = clock->call_count;
  for (size_t i = 0; i < network->options.clock_nodes; i++)
    call_node(network);
  clock->open = clock->call_count - before;
  clock->is_overdue = false;
  clock->overdue_at = overdue_time(network);
  if (clock->open == 0)
    finish(network, false, 0);
}

static void ask_first(sc_network *network) {
  sc_clock *clock = &network->clock;
  clock->awaits_guard = false;
  clock->sample_count = clock->call_count = clock->absent = clock->nodes.count = 0;
  ask_nodes(network);
}

static void begin(sc_network *network) {
  if (network->has_guard)
    ask_first(network);
  else
    network->clock.awaits_guard = network->wants_guard = true;
}

void sc_clock_give_up(sc_network *network) {
  sc_clock *clock = &network->clock;
  if (!clock->awaits_guard)
    return;
  clock->awaits_guard = false;
  finish(network, false, 0);
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

/* A node or server that complains may itself be wrong, so it causes a measurement only now and then; two,
 * also when the last one was good, because somebody may have set this machine's clock since. */
bool sc_clock_doubt(sc_network *network, bool confirmed) {
  sc_clock *clock = &network->clock;
  uint64_t now = network->moment.now, least = network->options.clock_min_interval;
  bool is_good = clock->known && !confirmed && now - clock->good_at < least;
  bool was_doubted = clock->was_doubted && now - clock->doubted_at < least;
  if (clock->running || is_good || was_doubted)
    return clock->running;
  clock->was_doubted = true;
  clock->doubted_at = now;
  sc_clock_measure(network);
  return clock->running;
}

void sc_clock_abandon(sc_network *network) {
  network->clock.running = network->clock.awaits_guard = false;
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
  if (network->clock.awaits_guard && network->has_guard)
    ask_first(network);
}
