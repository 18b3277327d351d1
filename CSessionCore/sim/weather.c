#include "weather.h"

#include "node_swarm.h"
#include "world.h"

enum { usual_trouble_s = 60 };

static node *some_node(world *w) {
  return &w->nodes[draw_below(&w->chance, (uint32_t)w->node_count)];
}

/* Troubles of one node */

static const char *const trouble_names[] = {"well",      "dead", "cut off",        "losing packets",
                                            "not ready", "deaf", "on a slow line", "stalled"};

static void set_trouble(world *w, node *n, trouble what) {
  wire_end *end = &w->wire.ends[n->host];
  n->trouble = what;
  n->ready = what != TROUBLE_UNREADY;
  end->link.cut = what == TROUBLE_CUT;
  end->link.bytes_per_second =
      what == TROUBLE_SLOW ? 2000 + draw_below(&w->chance, 50000) : link_usual_bandwidth;
  end->link.lost = what == TROUBLE_LOSSY ? 20 + draw_below(&w->chance, 300) : 0;
  if (what == TROUBLE_DEAD)
    node_die(n);
}

static void recover(world *w, node *n) {
  bool was_dead = n->trouble == TROUBLE_DEAD;
  if (n->gone || n->trouble == TROUBLE_NONE)
    return;
  set_trouble(w, n, TROUBLE_NONE);
  trace_say(&w->trace, "node %u is well again", n->index);
  if (was_dead) {
    node_revive(n);
    node_swarm_wake(n);
  }
  node_learn(n, w->registry.newest);
}

/* `number` is the node and which of its troubles it was. */
static void trouble_ends(void *user, uint64_t number) {
  world *w = user;
  node *n = &w->nodes[(uint32_t)number];
  if (n->troubles == number >> 32)
    recover(w, n);
}

void weather_strike(world *w, uint32_t index, trouble what, uint64_t how_long) {
  node *n = &w->nodes[index];
  if (n->gone || n->trouble != TROUBLE_NONE)
    return;
  n->blemished = true;
  n->troubles++;
  w->weather.incidents++;
  trace_say(&w->trace, "node %u is %s for %u s", index, trouble_names[what],
            (unsigned)(how_long / SIM_SECOND));
  set_trouble(w, n, what);
  agenda_add(&w->agenda, w->agenda.now + how_long, trouble_ends, w, (uint64_t)n->troubles << 32 | index);
}

/* Islands */

static void join(void *user, uint64_t incident) {
  world *w = user;
  (void)incident;
  if (w->weather.islands < 2)
    return;
  w->weather.islands = 1;
  for (size_t i = 0; i < w->wire.end_count; i++)
    w->wire.ends[i].link.island = 0;
  trace_say(&w->trace, "the network is one again");
}

void weather_split(world *w, uint64_t how_long) {
  if (w->weather.islands > 1)
    return;
  uint32_t smaller = 1 + draw_below(&w->chance, 8); /* of 16 hosts, how many are on the smaller island */
  w->weather.islands = 2;
  w->weather.fell_apart = true;
  w->weather.incidents++;
  for (size_t i = 0; i < w->wire.end_count; i++)
    w->wire.ends[i].link.island = draw_below(&w->chance, 16) < smaller;
  trace_say(&w->trace, "the network falls apart for %u s", (unsigned)(how_long / SIM_SECOND));
  agenda_add(&w->agenda, w->agenda.now + how_long, join, w, 0);
}

/* Coming incidents */

static uint64_t some_while(world *w, uint32_t about_s) {
  return (about_s / 4 + draw_below(&w->chance, about_s * 3 / 2)) * SIM_SECOND;
}

static void incident(world *w) {
  static const struct {
    fault kind;
    trouble what;
  } kinds[] = {{FAULT_DEATHS, TROUBLE_DEAD},     {FAULT_CUTS, TROUBLE_CUT},   {FAULT_LOSS, TROUBLE_LOSSY},
               {FAULT_SYNCING, TROUBLE_UNREADY}, {FAULT_STALE, TROUBLE_DEAF}, {FAULT_LOSS, TROUBLE_SLOW},
               {FAULT_STALLS, TROUBLE_STALLED}};
  size_t which = draw_below(&w->chance, sizeof kinds / sizeof kinds[0]);
  if (plan_has(&w->plan, kinds[which].kind)) {
    uint64_t how_long = some_while(w, usual_trouble_s);
    weather_strike(w, some_node(w)->index, kinds[which].what, how_long);
  }
}

static void second_passes(void *user, uint64_t number) {
  world *w = user;
  (void)number;
  if (w->weather.fair)
    return;
  w->weather.budget += w->node_count * w->plan.troubled / usual_trouble_s;
  for (; w->weather.budget >= 1000; w->weather.budget -= 1000)
    incident(w);
  if (plan_has(&w->plan, FAULT_ISLANDS) && draw_one_in(&w->chance, 300))
    weather_split(w, some_while(w, 40));
  agenda_add(&w->agenda, w->agenda.now + SIM_SECOND, second_passes, w, 0);
}

/* Faults from the beginning */

/* The share of hostile nodes is exact, for it decides what they can do. */
static void conspire(world *w) {
  enum { hour_ms = 3600000 };
  size_t left = w->plan.nodes * w->plan.hostile / 1000;
  while (left > 0) {
    node *n = some_node(w);
    if (n->traits != 0 || world_is_seed(w, n))
      continue;
    n->traits = w->plan.strategy;
    n->wickedness = 1000;
    n->blemished = true;
    n->clock_ms = node_has(n, TRAIT_CLOCK) ? hour_ms : 0;
    left--;
  }
}

static void corrupt(world *w) {
  uint32_t count = (uint32_t)(w->node_count * w->plan.hostile / 1000);
  for (uint32_t i = 0; i < count; i++) {
    node *n = some_node(w);
    if (world_is_seed(w, n))
      continue;
    n->traits = 1U << draw_below(&w->chance, trait_count);
    n->traits |= draw_one_in(&w->chance, 2) ? 1U << draw_below(&w->chance, trait_count) : 0;
    n->wickedness = draw_one_in(&w->chance, 3) ? 1000 : 50 + draw_below(&w->chance, 600);
    n->blemished = true;
    trace_say(&w->trace, "node %u is hostile: traits %x, %u of 1000", n->index, n->traits, n->wickedness);
  }
}

static void set_clocks(world *w) {
  enum { furthest_ms = 600000 };
  uint32_t count = (uint32_t)(w->node_count * w->plan.troubled / 1000);
  for (uint32_t i = 0; i < count; i++) {
    node *n = some_node(w);
    n->clock_ms = (int64_t)draw_below(&w->chance, 2 * furthest_ms) - furthest_ms;
    n->blemished = true;
    trace_say(&w->trace, "the clock of node %u is %lld ms ahead", n->index, (long long)n->clock_ms);
  }
}

static void leave_behind(world *w) {
  for (size_t i = 0; i < w->node_count; i++)
    w->nodes[i].old = draw_one_in(&w->chance, 2);
}

/* All at once. */
static void some_die(void *user, uint64_t count) {
  static const uint64_t for_good = (uint64_t)400 * 24 * 3600 * SIM_SECOND;
  world *w = user;
  for (uint64_t left = count; left > 0;) {
    const node *n = some_node(w);
    if (n->trouble == TROUBLE_DEAD || world_is_seed(w, n))
      continue;
    weather_strike(w, n->index, TROUBLE_DEAD, for_good);
    left--;
  }
}

void weather_begin(world *w) {
  const uint64_t half_a_minute = 30 * SIM_SECOND;
  if (plan_has(&w->plan, FAULT_OLD))
    leave_behind(w);
  if (w->plan.strategy != 0)
    conspire(w);
  else if (plan_has(&w->plan, FAULT_LIARS))
    corrupt(w);
  if (plan_has(&w->plan, FAULT_CLOCKS))
    set_clocks(w);
  for (size_t i = 0; i < world_server_count && plan_has(&w->plan, FAULT_SERVERS); i++)
    w->servers[i].errors = 100;
  if (w->plan.dead > 0)
    agenda_add(&w->agenda, w->agenda.now + half_a_minute, some_die, w, w->plan.dead);
  agenda_add(&w->agenda, w->agenda.now + SIM_SECOND, second_passes, w, 0);
}

void weather_clear(world *w) {
  w->weather.fair = true;
  join(w, 0);
  for (size_t i = 0; i < w->node_count; i++)
    recover(w, &w->nodes[i]);
}
