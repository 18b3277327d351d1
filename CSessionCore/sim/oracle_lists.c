/* The oracle's checks of node lists. It counts changes by itself, and knows the true list: nodes alone may
 * change a few nodes a day, and more only towards the truth; no new node becomes a guard or a middle. */
#include <stdlib.h>

#include "flaw.h"
#include "memory.h"
#include "network/router/network.h"
#include "oracle.h"
#include "world.h"

enum { least_changes = 8, percent_a_day = 3, most_days = 10, young_days = 3 };

static sc_day today_of(const client *c) {
  return sc_day_of(client_wall(c));
}

static const sc_node *find(const sc_node *nodes, size_t count, const uint8_t *key) {
  for (size_t i = 0; i < count; i++)
    if (memcmp(nodes[i].key, key, SC_KEY_BYTES) == 0)
      return &nodes[i];
  return NULL;
}

static bool is_same(const sc_node *a, const sc_node *b) {
  return memcmp(a->ip, b->ip, sizeof a->ip) == 0 && a->quic_port == b->quic_port && a->swarm == b->swarm;
}

static size_t differences(const sc_node *now, size_t now_count, const sc_node *before, size_t before_count) {
  size_t changes = 0;
  for (size_t i = 0; i < now_count; i++) {
    const sc_node *was = find(before, before_count, now[i].key);
    changes += was == NULL || !is_same(was, &now[i]);
  }
  for (size_t i = 0; i < before_count; i++)
    changes += find(now, now_count, before[i].key) == NULL;
  return changes;
}

void oracle_note_list(world *w) {
  registry_list **place = &w->oracle.published[w->oracle.publications++ % oracle_most_published];
  registry_list_drop(*place);
  *place = registry_list_share(w->registry.newest);
}

static size_t distance_from(world *w, const registry_list *list, const sc_node *nodes, size_t count) {
  size_t wrong = 0, known = 0;
  for (size_t i = 0; i < count; i++) {
    const node *n = node_find(w, nodes[i].key);
    bool is_listed = n != NULL && list->listed[n->index];
    known += is_listed;
    wrong += !is_listed || list->swarm_of[n->index] != nodes[i].swarm;
  }
  return wrong + list->count - known;
}

/* From the nearest of the last lists that were published. */
static size_t distance_from_truth(world *w, const sc_node *nodes, size_t count) {
  size_t nearest = SIZE_MAX;
  for (size_t i = 0; i < oracle_most_published && w->oracle.published[i] != NULL; i++) {
    size_t distance = distance_from(w, w->oracle.published[i], nodes, count);
    nearest = distance < nearest ? distance : nearest;
  }
  return nearest;
}

static size_t percent_of(size_t count, size_t percent) {
  size_t part = count * percent / 100;
  return part > least_changes ? part : least_changes;
}

/* Honest nodes hear of new lists within some time, and in some worlds not for a while. */
static void check_changes(world *w, const client *c, known_list *known, const sc_node *nodes, size_t count) {
  enum { lag = 3 };
  sc_day today = today_of(c), days = today > known->day ? today - known->day : 1;
  size_t changes = differences(nodes, count, known->nodes, known->count);
  size_t allowed = percent_of(known->count, percent_a_day * (days < most_days ? days : most_days));
  size_t before = known->day == today ? known->changes : 0;
  w->oracle.lists_taken++;
  if (before + changes <= allowed) {
    known->changes = before + changes;
    return;
  }
  known->changes = before;
  w->oracle.wide_changes++;
  size_t distance = distance_from_truth(w, nodes, count);
  if (distance > lag * percent_of(known->count, percent_a_day) || count < known->count / 2)
    oracle_break(w, "nodes alone change %zu nodes of client %u after %zu others of that day; %zu are wrong",
                 changes, c->index, before, distance);
}

/* Nodes of the first list are old, and so are all of a seed's list in which none is. */
static void date(sc_node *nodes, size_t count, const known_list *known, bool by_seed, sc_day today) {
  bool any_old = false;
  for (size_t i = 0; i < count; i++) {
    const sc_node *was = find(known->nodes, known->count, nodes[i].key);
    nodes[i].first_day = was == NULL ? today : was->first_day;
    any_old |= nodes[i].first_day == 0 || nodes[i].first_day + young_days <= today;
  }
  for (size_t i = 0; i < count && (known->nodes == NULL || (by_seed && !any_old)); i++)
    nodes[i].first_day = 0;
}

void oracle_take_list(const client *c) {
  world *w = c->world;
  known_list *known = &w->oracle.lists[c->index];
  const sc_node_pool *pool = sc_nodes_pool(c->network->nodes);
  bool by_seed = sc_nodes_are_of_seed(c->network->nodes);
  if (pool->count == 0)
    return;
  sc_node *nodes = memory_new(pool->count, sizeof *nodes);
  memcpy(nodes, pool->nodes, pool->count * sizeof *nodes);
  if (!by_seed)
    flaw_list(w, nodes, pool->count);
  if (!by_seed && known->nodes != NULL)
    check_changes(w, c, known, nodes, pool->count);
  date(nodes, pool->count, known, by_seed, today_of(c));
  free(known->nodes);
  known->nodes = nodes;
  known->count = pool->count;
  known->day = today_of(c);
}

/* Guards and middles stay when their node is gone from the list for a while, so only new ones are looked at.
 */
static void check_role(const client *c, const uint8_t *key, const char *role) {
  known_list *known = &c->world->oracle.lists[c->index];
  sc_day today = today_of(c);
  for (size_t i = 0; i < known->role_count; i++)
    if (memcmp(known->roles[i], key, SC_KEY_BYTES) == 0)
      return;
  const sc_node *node = find(known->nodes, known->count, key);
  sc_day first = node == NULL ? 0 : flaw_first_day(c->world, node->first_day, today);
  if (first != 0 && first + young_days > today)
    oracle_break(c->world, "client %u takes a node for a %s that it has known for %u days", c->index, role,
                 today - first);
}

void oracle_check_roles(const client *c) {
  known_list *known = &c->world->oracle.lists[c->index];
  const sc_sample *sample = &c->network->guards.sample;
  if (known->nodes == NULL)
    return;
  for (size_t i = 0; i < sample->count; i++)
    check_role(c, sample->guards[i].key, "guard");
  for (size_t i = 0; i < sample->middle_count; i++)
    check_role(c, sample->middles[i].key, "middle");
  known->role_count = 0;
  for (size_t i = 0; i < sample->count; i++)
    memcpy(known->roles[known->role_count++], sample->guards[i].key, SC_KEY_BYTES);
  for (size_t i = 0; i < sample->middle_count; i++)
    memcpy(known->roles[known->role_count++], sample->middles[i].key, SC_KEY_BYTES);
}

void oracle_free_lists(world *w) {
  for (size_t i = 0; w->oracle.lists != NULL && i < w->client_count; i++)
    free(w->oracle.lists[i].nodes);
  free(w->oracle.lists);
  for (size_t i = 0; i < oracle_most_published; i++)
    registry_list_drop(w->oracle.published[i]);
}
