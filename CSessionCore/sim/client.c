#include "client.h"

#include <stdlib.h>

#include "memory.h"
#include "network/router/network.h"
#include "oracle.h"
#include "world.h"

static const sc_network_file kept_files[client_files] = {SC_NETWORK_POOL_FILE, SC_NETWORK_STRIKES_FILE,
                                                         SC_NETWORK_OLD_GUARDS_FILE, SC_NETWORK_GUARDS_FILE};

/* Memory, each piece with its size before it. */

enum { header_bytes = 16 };

static void *allocate(void *user, size_t size) {
  client_memory *memory = user;
  uint8_t *piece = memory_new(1, header_bytes + size);
  memcpy(piece, &size, sizeof size);
  memory->live += size;
  memory->most = memory->live > memory->most ? memory->live : memory->most;
  return piece + header_bytes;
}

static void release(void *user, void *ptr) {
  client_memory *memory = user;
  size_t size;
  memcpy(&size, (uint8_t *)ptr - header_bytes, sizeof size);
  memory->live -= size;
  free((uint8_t *)ptr - header_bytes);
}

static void fill(void *user, uint8_t *out, size_t len) {
  client_memory *memory = user;
  draws_fill(&memory->chance, out, len);
}

uint64_t client_wall(const client *c) {
  return (uint64_t)((int64_t)world_wall(c->world) + c->clock_ms);
}

/* Options differ from client to client, within what is reasonable. */

static sc_node seed_record(const node *n) {
  sc_node record = {.https_port = 22021, .quic_port = n->quic_port, .swarm = SC_STORAGE_NO_SWARM};
  memcpy(record.key, n->keys->ed.public_key, SC_KEY_BYTES);
  memcpy(record.ip, n->ip, sizeof record.ip);
  return record;
}

static void draw_options(client *c) {
  sc_network_options *o = &c->options;
  sc_network_options_default(o, plan_is_small(&c->world->plan) ? SC_NETWORK_PRIVATE : SC_NETWORK_MAIN);
  o->nodes.pool_expiry = (300 + draw_below(&c->chance, 3600)) * SIM_SECOND;
  o->path_life = (60 + draw_below(&c->chance, 540)) * SIM_SECOND;
  if (draw_one_in(&c->chance, 4))
    o->gather = 0;
  o->cipher = draw_one_in(&c->chance, 2) ? SC_HOP_XCHACHA20 : SC_HOP_AES_GCM;
}

void client_init(client *c, world *w, uint32_t index) {
  *c = (client){.world = w, .index = index, .fine_since = w->agenda.now};
  c->chance = draws_from(world_stream(w, 1000 + 2 * (uint64_t)index));
  c->memory.chance = draws_from(world_stream(w, 1001 + 2 * (uint64_t)index));
  c->env = (sc_env){.user = &c->memory, .allocate = allocate, .release = release, .random = fill};
  c->host = wire_add(&w->wire, NULL, NULL);
  const sc_address address = driver_client_address(index);
  driver_init(&c->driver, w, c->host, &address);
  uint8_t seed[SC_ED25519_SEED_BYTES];
  draws_fill(&c->chance, seed, sizeof seed);
  sc_keypair_from_seed(&c->account.keys, seed);
  c->account.id[0] = 0x05;
  memcpy(c->account.id + 1, c->account.keys.x.public_key, SC_KEY_BYTES);
  if (plan_has(&w->plan, FAULT_OWN_CLOCK) && draw_one_in(&c->chance, 2))
    c->clock_ms = (int64_t)draw_below(&c->chance, 1200000) - 600000;
  c->clock_ms -= (int64_t)w->plan.client_clock_ms;
  for (size_t i = 0; i < client_files; i++)
    sc_buffer_init(&c->files[i], NULL);
  draw_options(c);
}

void client_free(client *c) {
  client_stop(c);
  client_drop_asks(c);
  poll_free(&c->poll);
  for (size_t i = 0; i < client_members; i++)
    free(c->group.members[i].signers);
  for (size_t i = 0; i < client_files; i++)
    sc_buffer_free(&c->files[i]);
}

void client_woken(void *user) {
  client *c = user;
  driver_wake(&c->driver);
}

/* Life */

static void save(void *user, sc_network_file file) {
  client *c = user;
  c->written = client_wall(c);
  if (file == SC_NETWORK_POOL_FILE && c->network != NULL)
    oracle_take_list(c);
  for (size_t i = 0; i < client_files; i++)
    if (kept_files[i] == file && c->network != NULL &&
        sc_network_save(&c->files[i], c->network, file) != SC_OK)
      oracle_break(c->world, "client %u cannot write file %d", c->index, (int)file);
}

static void load(client *c) {
  for (size_t i = 0; i < client_files; i++) {
    sc_bytes bytes = sc_buffer_bytes(&c->files[i]);
    if (bytes.len == 0)
      continue;
    sc_status status = sc_network_load(c->network, c->world->agenda.now, kept_files[i], bytes, c->written);
    if (status != SC_OK && status != SC_ERR_NODE_FILE)
      oracle_break(c->world, "client %u cannot read its own file: %s", c->index, sc_status_text(status));
  }
}

/* As the pool of QUIC connections does, whose driver is the network's. */
static void tell_time(void *user) {
  const client *c = user;
  if (c->network != NULL)
    sc_network_note_time(c->network, c->world->agenda.now);
}

static sc_status make_network(client *c) {
  const message_host owner = {.woken = client_woken, .tell_time = tell_time, .user = c};
  if (c->world->plan.quic)
    return sc_network_new(&c->network, &c->env, &c->options);
  message_transport_init(&c->transport, c->world, c->host, c->index + 1, &owner);
  return sc_network_new_over(&c->network, &c->env, &c->options, message_transport_face(&c->transport));
}

void client_start(client *c) {
  world *w = c->world;
  for (size_t i = 0; i < world_seed_count; i++)
    c->seeds[i] = seed_record(&w->nodes[w->seeds[i]]);
  c->options.nodes.seeds = c->seeds;
  c->options.nodes.seed_count = world_seed_count;
  c->options.events = (sc_network_events){.user = c, .save = save};
  sc_status status = make_network(c);
  if (status != SC_OK) {
    oracle_break(w, "client %u cannot start: %s", c->index, sc_status_text(status));
    c->network = NULL;
    return;
  }
  driver_start(&c->driver, sc_network_driven(c->network));
  sc_network_set_wall(c->network, w->agenda.now, client_wall(c));
  load(c);
  oracle_forget_paths(c);
  oracle_forget_changes(c);
  trace_say(&w->trace, "client %u starts", c->index);
  c->suspended = true;
  client_resume(c);
  client_tell_link(c);
}

void client_stop(client *c) {
  sc_network_counts counts;
  if (c->network == NULL)
    return;
  sc_network_count(&counts, c->network);
  c->redirects_before += counts.redirects;
  oracle_check_guards(c);
  driver_stop(&c->driver);
  sc_network_free(c->network);
  message_transport_free(&c->transport);
  c->network = NULL;
  if (c->memory.live != 0)
    oracle_break(c->world, "client %u leaves %zu bytes behind", c->index, c->memory.live);
}

void client_suspend(client *c) {
  if (c->network == NULL || c->suspended)
    return;
  c->suspended = true;
  trace_say(&c->world->trace, "client %u is suspended", c->index);
  sc_network_suspend(c->network, c->world->agenda.now);
  for (size_t i = 0; i < client_files; i++)
    save(c, kept_files[i]);
  client_woken(c);
}

void client_resume(client *c) {
  if (c->network == NULL || !c->suspended)
    return;
  uint64_t now = c->world->agenda.now;
  c->suspended = false;
  c->fine_since = now;
  sc_network_set_wall(c->network, now, client_wall(c));
  c->has_connected = false;
  sc_network_resume(c->network, now, draw_one_in(&c->chance, 2));
  trace_say(&c->world->trace, "client %u resumes", c->index);
  client_woken(c);
}

bool client_knows_link(const client *c) {
  return c->index % 2 == 1;
}

void client_tell_link(client *c) {
  bool is_cut = c->world->wire.ends[c->host].link.cut;
  if (c->network == NULL || !client_knows_link(c))
    return;
  sc_network_note_link(c->network, c->world->agenda.now, is_cut ? SC_NETWORK_LINK_DOWN : SC_NETWORK_LINK_UP);
  client_woken(c);
}

void client_cut(client *c, bool cut) {
  c->world->wire.ends[c->host].link.cut = cut;
  c->blemished = true;
  c->has_connected = false;
  c->fine_since = c->world->agenda.now;
  client_tell_link(c);
  trace_say(&c->world->trace, "client %u %s", c->index, cut ? "loses its line" : "has its line again");
}
