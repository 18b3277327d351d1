#include "world.h"

#include <stdlib.h>

#include "memory.h"
#include "support/seeded_tls.h"

static const uint64_t wall_at_start = 1763000000000;

/* Streams of numbers that follow from the seed, so that one more draw in one does not change the others. */
enum { stream_wire = 1, stream_world, stream_nodes, stream_tls };

uint64_t world_stream(const world *w, uint64_t number) {
  draws from = draws_from(w->plan.seed * UINT64_C(0x100000001b3) ^ number);
  (void)draw(&from);
  return draw(&from);
}

uint64_t world_wall(const world *w) {
  return wall_at_start + w->agenda.now / SIM_MILLISECOND;
}

/* The table of keys */

static size_t place_of(const world *w, const uint8_t key[static 32]) {
  uint32_t start;
  memcpy(&start, key, sizeof start);
  size_t place = start & (w->node_table_size - 1);
  for (uint32_t found; (found = w->node_by_key[place]) != 0; place = (place + 1) & (w->node_table_size - 1))
    if (memcmp(w->nodes[found - 1].keys->ed.public_key, key, SC_KEY_BYTES) == 0)
      break;
  return place;
}

node *node_find(world *w, const uint8_t key[static 32]) {
  uint32_t found = w->node_by_key[place_of(w, key)];
  return found == 0 ? NULL : &w->nodes[found - 1];
}

node *world_add_node(world *w) {
  if (w->node_count == w->most_nodes)
    return NULL;
  uint32_t index = (uint32_t)w->node_count;
  node *n = &w->nodes[index];
  node_init(n, w, index);
  w->node_by_key[place_of(w, n->keys->ed.public_key)] = index + 1;
  w->node_count++;
  return n;
}

/* Lists */

static void node_hears(void *user, uint64_t index) {
  world *w = user;
  node *n = &w->nodes[index];
  if (!n->gone && n->trouble != TROUBLE_DEAF && w->wire.ends[n->host].alive)
    node_learn(n, w->registry.newest);
}

void world_publish(world *w) {
  enum { longest_ms = 20000 };
  registry_publish(&w->registry);
  oracle_note_list(w);
  trace_say(&w->trace, "list %llu: %zu nodes in %zu swarms", (unsigned long long)w->registry.height,
            w->registry.newest->count, w->registry.newest->swarm_count);
  for (uint32_t i = 0; i < w->node_count; i++)
    agenda_add(&w->agenda, w->agenda.now + draw_below(&w->chance, longest_ms) * SIM_MILLISECOND, node_hears,
               w, i);
}

/* Swarms of about the size that was asked for, at random places of the ring. */
static void settle(world *w) {
  size_t swarms = w->plan.nodes / w->plan.swarm_size;
  swarms = swarms > 0 ? swarms : 1;
  uint64_t *ids = memory_new(swarms, sizeof *ids);
  for (size_t i = 0; i < swarms; i++)
    ids[i] = draw(&w->chance) >> 1;
  for (size_t i = 0; i < w->plan.nodes; i++) {
    const node *n = world_add_node(w);
    size_t swarm = i < swarms ? i : draw_below(&w->chance, (uint32_t)swarms);
    registry_put(&w->registry, n->index, ids[swarm]);
  }
  free(ids);
  for (size_t i = 0; i < world_seed_count; i++)
    w->seeds[i] = world_add_node(w)->index;
  registry_publish(&w->registry);
  for (size_t i = 0; i < w->node_count; i++)
    node_learn(&w->nodes[i], w->registry.newest);
}

world *world_new(const plan *p) {
  world *w = memory_new(1, sizeof *w);
  w->plan = *p;
  agenda_init(&w->agenda);
  trace_init(&w->trace, &w->agenda.now, p->loud);
  wire_init(&w->wire, &w->agenda, world_stream(w, stream_wire));
  w->chance = draws_from(world_stream(w, stream_world));
  sc_test_seed_tls(world_stream(w, stream_tls));
  w->node_chance = draws_from(world_stream(w, stream_nodes));
  w->node_env = memory_env(&w->node_chance);
  w->most_nodes = p->nodes + p->nodes / 4 + 8;
  w->nodes = memory_new(w->most_nodes, sizeof *w->nodes);
  for (w->node_table_size = 16; w->node_table_size < 2 * w->most_nodes;)
    w->node_table_size *= 2;
  w->node_by_key = memory_new(w->node_table_size, sizeof *w->node_by_key);
  registry_init(&w->registry, w->most_nodes);
  settle(w);
  for (uint32_t i = 0; i < world_server_count; i++)
    server_init(&w->servers[i], w, i);
  w->nowhere = wire_add(&w->wire, NULL, NULL);
  wire_kill(&w->wire, w->nowhere);
  return w;
}

void world_add_clients(world *w, size_t count) {
  w->clients = memory_new(count, sizeof *w->clients);
  w->client_count = count;
  for (uint32_t i = 0; i < count; i++)
    client_init(&w->clients[i], w, i);
}

bool world_is_seed(const world *w, const node *n) {
  for (size_t i = 0; i < world_seed_count; i++)
    if (w->seeds[i] == n->index)
      return true;
  return false;
}

wire_host world_host_at(const world *w, const uint8_t ip[static 4], uint16_t port) {
  uint32_t index = node_index_at(ip);
  bool is_node = index < w->node_count && port == w->nodes[index].quic_port &&
                 memcmp(w->nodes[index].ip, ip, sizeof w->nodes[index].ip) == 0;
  return is_node ? w->nodes[index].host : w->nowhere;
}

void world_free(world *w) {
  for (size_t i = 0; i < w->client_count; i++)
    client_free(&w->clients[i]);
  wire_kill_all(&w->wire);
  free(w->clients);
  oracle_free(w);
  wire_free(&w->wire);
  datagrams_free(&w->datagrams);
  for (size_t i = 0; i < w->node_count; i++)
    node_free(&w->nodes[i]);
  free(w->nodes);
  free(w->node_by_key);
  registry_free(&w->registry);
  ledger_free(&w->ledger);
  trace_free(&w->trace);
  agenda_free(&w->agenda);
  free(w);
}

void world_run(world *w, uint64_t until) {
  while (agenda_step(&w->agenda, until))
    continue;
}
