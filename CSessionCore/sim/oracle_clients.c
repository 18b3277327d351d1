/* The oracle's checks of clients. */
#include <stdlib.h>

#include "flaw.h"
#include "line.h"
#include "network/router/network.h"
#include "oracle.h"
#include "world.h"

/* Clocks. If some nodes are wrong, a client may ask enough of them at once, but seldom. */

static bool is_off(const client *c, const sc_network_status *status, int64_t most_ms) {
  int64_t error = status->clock_offset + c->clock_ms;
  return error > most_ms || error < -most_ms;
}

static void count_measurement(world *w, client *c, const sc_network_status *status) {
  enum { most_ms = 30000, usual_share = 100, usual = 3 };
  oracle *o = &w->oracle;
  if (c->network->clock.good_at == c->measured_at)
    return;
  c->measured_at = c->network->clock.good_at;
  o->measurements++;
  o->wrong_clocks += is_off(c, status, most_ms);
  if (o->wrong_clocks > usual + o->measurements / usual_share)
    oracle_break(w, "%zu of %zu measurements of clocks are wrong", o->wrong_clocks, o->measurements);
}

static void check_clock(world *w, client *c, const sc_network_status *status) {
  enum { largest_error_ms = 12000 };
  bool some_lie = plan_has(&w->plan, FAULT_CLOCKS) || (w->plan.strategy & TRAIT_CLOCK) != 0;
  if (!status->clock_is_known)
    return;
  count_measurement(w, c, status);
  if (!some_lie && is_off(c, status, largest_error_ms))
    oracle_break(w, "client %u is %lld ms off, though all clocks of nodes are right", c->index,
                 (long long)(status->clock_offset + c->clock_ms));
}

static void check_state(world *w, client *c, const sc_network_status *status,
                        const sc_network_counts *counts) {
  bool fork_is_known = status->fork_is_known;
  if (fork_is_known &&
      (status->fork[0] > world_fork || (status->fork[0] == world_fork && status->fork[1] > world_revision)))
    oracle_break(w, "client %u takes the hard fork for %u.%u", c->index, status->fork[0], status->fork[1]);
  if (c->redirects_before + counts->redirects > w->oracle.redirects[c->index + 1])
    oracle_break(w, "client %u was redirected by somebody who is no destination", c->index);
  check_clock(w, c, status);
}

static void check_connected(world *w, client *c, const sc_network_status *status,
                            const sc_network_counts *counts) {
  oracle *o = &w->oracle;
  uint64_t now = w->agenda.now;
  bool is_wanted = c->called_at != 0 && now - c->called_at < ORACLE_IDLE_TIME;
  bool is_fine =
      !w->wire.ends[c->host].link.cut && !line_is_hostile(w) && w->weather.islands < 2 && is_wanted;
  if (!is_fine || status->state == SC_NETWORK_CONNECTED) {
    if (is_fine && !c->has_connected && now - c->fine_since > o->longest_heal)
      o->longest_heal = now - c->fine_since;
    c->has_connected = is_fine;
    c->fine_since = now;
    return;
  }
  if (now - c->fine_since > ORACLE_HEAL_TIME)
    oracle_break(w,
                 "client %u is not connected (%s; %zu of %zu nodes usable), though its network has been well "
                 "for %llu s",
                 c->index, sc_status_text(status->why), counts->usable_nodes, counts->nodes,
                 (unsigned long long)((now - c->fine_since) / SIM_SECOND));
}

static void check_limits(world *w, const client *c, const sc_network_counts *counts) {
  const sc_network_options *o = &c->options;
  size_t live = flaw_memory(c, c->memory.live);
  size_t bound = (size_t)2 * 1024 * 1024 + 4 * o->max_bytes / 8 + 1024 * w->most_nodes;
  w->oracle.most_memory = live > w->oracle.most_memory ? live : w->oracle.most_memory;
  if (live > bound)
    oracle_break(w, "client %u holds %zu bytes, more than %zu", c->index, live, bound);
  if (counts->requests > o->max_requests || counts->bytes > o->max_bytes ||
      counts->connections > o->max_connections || c->transport.open_peers > o->max_connections + 1)
    oracle_break(w, "client %u holds %zu requests, %zu bytes, %zu connections", c->index, counts->requests,
                 counts->bytes, counts->connections);
}

/* Contacts. Only guards and seeds may learn a client's address. */

static bool is_seed(const world *w, const uint8_t *key) {
  for (size_t i = 0; i < world_seed_count; i++)
    if (memcmp(w->nodes[w->seeds[i]].keys->ed.public_key, key, SC_KEY_BYTES) == 0)
      return true;
  return false;
}

bool oracle_is_guard(const client *c, const uint8_t key[static SC_KEY_BYTES]) {
  sc_network_guard guards[SC_NETWORK_MAX_GUARDS];
  if (c->network == NULL)
    return false;
  size_t count = sc_network_guards(guards, SC_NETWORK_MAX_GUARDS, c->network);
  for (size_t i = 0; i < count; i++)
    if (memcmp(guards[i].node.key, key, SC_KEY_BYTES) == 0)
      return true;
  return false;
}

void oracle_contact(world *w, uint64_t tag, const sc_node *node) {
  const client *c = &w->clients[oracle_client_of(tag) - 1];
  if (!is_seed(w, node->key) && (!oracle_is_guard(c, node->key) || flaw_strays(w)))
    oracle_break(w, "client %u connects to a node that is no guard", c->index);
  if (oracle_is_guard(c, node->key))
    oracle_try_guard(c, node->key);
}

/* Strikes. A node that shared a path with one bad node may get strikes for it, but must not be struck out. */

static void check_node(world *w, const client *c, const node *n) {
  uint16_t exposed_to = w->oracle.exposed_to[(c->index + 1) * w->most_nodes + n->index];
  uint32_t strikes = sc_network_node_strikes(c->network, n->keys->ed.public_key);
  if (flaw_strikes(c, n, strikes) < c->options.nodes.struck_out)
    return;
  w->oracle.bans++;
  if (exposed_to != UINT16_MAX)
    oracle_break(w, "client %u leaves node %u alone, which did nothing wrong and met %s", c->index, n->index,
                 exposed_to == 0 ? "no node that did" : "one node that did");
}

static void check_strikes(world *w, const client *c, uint32_t first, uint32_t count) {
  if (c->blemished || w->weather.fell_apart || w->plan.line != LINE_HONEST)
    return;
  for (uint32_t i = 0; i < count; i++) {
    const node *n = &w->nodes[(first + i) % w->node_count];
    if (node_is_honest(n) && !n->blemished)
      check_node(w, c, n);
  }
}

void oracle_look(world *w) {
  uint32_t count = (uint32_t)(w->node_count / 8 + 1);
  for (size_t i = 0; i < w->client_count; i++) {
    client *c = &w->clients[i];
    sc_network_status status;
    sc_network_counts counts;
    if (c->network == NULL || c->suspended)
      continue;
    sc_network_inspect(&status, c->network);
    sc_network_count(&counts, c->network);
    flaw_status(c, &status);
    check_state(w, c, &status, &counts);
    check_connected(w, c, &status, &counts);
    check_limits(w, c, &counts);
    oracle_check_paths(w, c, counts.nodes);
    check_strikes(w, c, w->oracle.next_node, count);
    oracle_check_roles(c);
    oracle_check_guards(c);
  }
  w->oracle.next_node = (uint32_t)((w->oracle.next_node + count) % w->node_count);
}
