/* The oracle's checks of clients' paths. */
#include "flaw.h"
#include "oracle.h"
#include "world.h"

enum { most_paths = 4096, most_active = 64 /* of an account */, kept_middles_nodes = 30 };

/* From the end of a path on, when the next of another account may have the same last hop. */
static const uint64_t least_time = 590 * SIM_SECOND;

static bool is_same(const sc_node *a, const sc_node *b) {
  return memcmp(a->key, b->key, SC_KEY_BYTES) == 0;
}

static bool repeats_a_node(const sc_network_path *path) {
  for (uint32_t i = 1; i < path->length; i++)
    for (uint32_t k = 0; k < i; k++)
      if (is_same(&path->nodes[i], &path->nodes[k]))
        return true;
  return false;
}

/* A guard is a guard, a middle a middle, and a last hop a last hop. */
static bool give_two_places(const sc_network_path *a, const sc_network_path *b) {
  for (uint32_t i = 0; i < a->length; i++)
    for (uint32_t k = 0; k < b->length; k++)
      if (i != k && is_same(&a->nodes[i], &b->nodes[k]))
        return true;
  return false;
}

/* Known by its key; or the place of the one to overwrite. */
static seen_hop *hop_of(seen_hops *hops, const sc_node *node) {
  for (size_t i = 0; i < oracle_most_seen; i++)
    if (hops->list[i].until != 0 && memcmp(hops->list[i].key, node->key, SC_KEY_BYTES) == 0)
      return &hops->list[i];
  seen_hop *hop = &hops->list[hops->next];
  hops->next = (hops->next + 1) % oracle_most_seen;
  *hop = (seen_hop){0};
  memcpy(hop->key, node->key, SC_KEY_BYTES);
  return hop;
}

static void check_last_hop(world *w, const client *c, const sc_network_path *path) {
  uint64_t now = w->agenda.now;
  if (path->local_account == 0 || path->length < 2)
    return;
  seen_hop *hop = hop_of(&w->oracle.seen[c->index], &path->nodes[path->length - 1]);
  if (hop->until > now && hop->local_account != path->local_account)
    oracle_break(w, "a last hop of client %u sees two of its accounts", c->index);
  hop->local_account = path->local_account;
  hop->until = now + least_time;
}

void oracle_check_paths(world *w, const client *c, size_t nodes) {
  static sc_network_path paths[most_paths + 1];
  size_t count = sc_network_paths(paths, most_paths, c->network), active = 0;
  count = flaw_paths(c, paths, count < most_paths ? count : most_paths);
  for (size_t i = 0; i < count; i++) {
    if (nodes >= oracle_enough_nodes)
      check_last_hop(w, c, &paths[i]);
    if (repeats_a_node(&paths[i]))
      oracle_break(w, "a path of client %u goes twice through one node", c->index);
    active += paths[i].state == SC_NETWORK_PATH_ACTIVE;
    for (size_t k = 0; k < i && nodes >= kept_middles_nodes; k++)
      if (paths[i].state == SC_NETWORK_PATH_ACTIVE && paths[k].state == SC_NETWORK_PATH_ACTIVE &&
          give_two_places(&paths[i], &paths[k]))
        oracle_break(w, "a node has two places on the paths of client %u", c->index);
  }
  size_t accounts = w->plan.accounts > 0 ? w->plan.accounts : plan_usual_accounts;
  if (active > (accounts + 1) * most_active)
    oracle_break(w, "client %u has %zu paths", c->index, active);
}

void oracle_forget_paths(const client *c) {
  c->world->oracle.seen[c->index] = (seen_hops){0};
}
