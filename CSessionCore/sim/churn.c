#include "churn.h"

#include "world.h"

enum { usual_pause_s = 60 };

static size_t in_swarms(const world *w) {
  size_t count = 0;
  for (size_t i = 0; i < w->most_nodes; i++)
    count += w->registry.listed[i] && w->registry.swarm_of[i] != SC_STORAGE_NO_SWARM;
  return count;
}

static size_t members(const world *w, uint64_t swarm) {
  size_t count = 0;
  for (size_t i = 0; i < w->most_nodes; i++)
    count += w->registry.listed[i] && w->registry.swarm_of[i] == swarm;
  return count;
}

static uint64_t some_swarm(world *w) {
  const registry_list *list = w->registry.newest;
  return list->swarms[draw_below(&w->chance, (uint32_t)list->swarm_count)].id;
}

/* True if the node may leave its swarm: enough other nodes are in it, and in the network. */
static bool is_spare(const world *w, const node *n) {
  enum { fewest_members = 3 };
  uint64_t swarm = w->registry.swarm_of[n->index];
  return w->registry.listed[n->index] && swarm != SC_STORAGE_NO_SWARM && members(w, swarm) > fewest_members &&
         4 * in_swarms(w) > 3 * w->plan.nodes;
}

static bool leave(world *w, node *n) {
  if (!is_spare(w, n))
    return false;
  n->gone = true;
  n->blemished = true;
  node_die(n);
  registry_remove(&w->registry, n->index);
  trace_say(&w->trace, "node %u leaves for good", n->index);
  return true;
}

static bool come(world *w, uint64_t swarm) {
  node *n = world_add_node(w);
  if (n == NULL)
    return false;
  n->blemished = true;
  registry_put(&w->registry, n->index, swarm);
  trace_say(&w->trace, "node %u joins a swarm", n->index);
  return true;
}

static bool move(world *w, node *n, uint64_t swarm) {
  bool has_none = w->registry.listed[n->index] && w->registry.swarm_of[n->index] == SC_STORAGE_NO_SWARM;
  if (!has_none && !is_spare(w, n))
    return false;
  n->blemished = true;
  registry_put(&w->registry, n->index, swarm);
  trace_say(&w->trace, "node %u moves", n->index);
  return true;
}

static bool dissolve(world *w) {
  enum { fewest_swarms = 3 };
  if (w->registry.newest->swarm_count < fewest_swarms)
    return false;
  uint64_t from = some_swarm(w), to = some_swarm(w);
  if (from == to)
    return false;
  for (uint32_t i = 0; i < w->node_count; i++)
    if (w->registry.listed[i] && w->registry.swarm_of[i] == from) {
      w->nodes[i].blemished = true;
      registry_put(&w->registry, i, to);
    }
  trace_say(&w->trace, "a swarm dissolves");
  return true;
}

/* Some nodes that can be spared make a new swarm. */
static bool found(world *w) {
  enum { founders = 4, tries = 40 };
  uint64_t swarm = draw(&w->chance) >> 1;
  unsigned found = 0;
  for (unsigned i = 0; i < tries && found < founders; i++) {
    node *n = &w->nodes[draw_below(&w->chance, (uint32_t)w->node_count)];
    found += move(w, n, swarm);
  }
  return found > 0;
}

void churn_once(world *w, churn_kind kind, uint32_t index) {
  node *n = &w->nodes[index];
  bool changed = false;
  if (kind == CHURN_LEAVE)
    changed = leave(w, n);
  else if (kind == CHURN_JOIN)
    changed = come(w, some_swarm(w));
  else if (kind == CHURN_MOVE)
    changed = move(w, n, some_swarm(w));
  else if (kind == CHURN_DECOMMISSION)
    changed = move(w, n, SC_STORAGE_NO_SWARM);
  else if (kind == CHURN_DISSOLVE)
    changed = dissolve(w);
  else
    changed = found(w);
  if (changed)
    world_publish(w);
}

static void time_for_another(void *user, uint64_t number) {
  world *w = user;
  (void)number;
  if (w->weather.fair)
    return;
  churn_kind kind = (churn_kind)draw_below(&w->chance, churn_kind_count);
  uint32_t index = draw_below(&w->chance, (uint32_t)w->node_count);
  churn_once(w, kind, index);
  uint32_t pause = usual_pause_s / 2 + draw_below(&w->chance, usual_pause_s);
  agenda_add(&w->agenda, w->agenda.now + pause * SIM_SECOND, time_for_another, w, 0);
}

void churn_begin(world *w) {
  if (plan_has(&w->plan, FAULT_CHURN))
    agenda_add(&w->agenda, w->agenda.now + usual_pause_s * SIM_SECOND / 2, time_for_another, w, 0);
}
