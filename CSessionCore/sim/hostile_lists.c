/* Hostile nodes' claims about other nodes. */
#include "hostile.h"
#include "world.h"

/* Half of them are nodes that there are, in swarms of the liar's choice. */
size_t hostile_nodes(node *n, sc_storage_node *out, size_t capacity) {
  world *w = n->world;
  draws *from = &n->world->chance;
  uint64_t swarm = draw(from);
  size_t count = draw(from) % (capacity + 1);
  for (size_t i = 0; i < count; i++) {
    out[i] = node_record(&w->nodes[draw_below(from, (uint32_t)w->node_count)], swarm);
    if (draw_one_in(from, 2))
      continue;
    sc_keypair stranger;
    sc_keypair_generate(&stranger, &w->node_env);
    memcpy(out[i].ed25519, stranger.ed.public_key, SC_KEY_BYTES);
    memcpy(out[i].x25519, stranger.x.public_key, SC_KEY_BYTES);
    memcpy(out[i].legacy, stranger.ed.public_key, SC_KEY_BYTES);
  }
  return count;
}

/* Poisoned lists. Nodes that work together tell the same, or they would not be believed. */

/* A node that exists in lists only, each in a network of its own. */
static sc_storage_node stranger(world *w, size_t number, uint64_t swarm) {
  enum { stream = 900000 };
  sc_storage_node record = {.ip = {203, (uint8_t)number, (uint8_t)(number >> 8), 1},
                            .https_port = 22021,
                            .quic_port = 22020,
                            .version = {2, 11, 0},
                            .swarm = swarm,
                            .funded = true};
  draws from = draws_from(world_stream(w, stream + number));
  sc_keypair keys;
  uint8_t seed[SC_ED25519_SEED_BYTES];
  draws_fill(&from, seed, sizeof seed);
  sc_keypair_from_seed(&keys, seed);
  memcpy(record.ed25519, keys.ed.public_key, SC_KEY_BYTES);
  memcpy(record.x25519, keys.x.public_key, SC_KEY_BYTES);
  memcpy(record.legacy, keys.ed.public_key, SC_KEY_BYTES);
  return record;
}

/* Replaces so many honest nodes by strangers in their swarms; more are left, the higher their number. */
static size_t replace(const node *n, sc_storage_node *out, size_t replaced) {
  const registry_list *list = n->list;
  world *w = n->world;
  size_t count = 0, strangers = 0;
  for (uint32_t i = 0; i < list->most; i++) {
    if (!list->listed[i])
      continue;
    bool stays = !node_is_honest(&w->nodes[i]) || strangers == replaced;
    out[count++] =
        stays ? node_record(&w->nodes[i], list->swarm_of[i]) : stranger(w, strangers, list->swarm_of[i]);
    strangers += !stays;
  }
  return count;
}

static size_t drifted(const node *n) {
  enum { step_s = 300, percent = 3 };
  return (size_t)(n->world->agenda.now / (step_s * SIM_SECOND)) * n->list->count * percent / 100;
}

static size_t in_one_swarm(const node *n, sc_storage_node *out) {
  size_t count = replace(n, out, 0);
  uint64_t swarm = SC_STORAGE_NO_SWARM;
  for (uint32_t i = 0; i < n->list->most && swarm == SC_STORAGE_NO_SWARM; i++)
    if (n->list->listed[i] && node_has(&n->world->nodes[i], TRAIT_ONE_SWARM))
      swarm = n->list->swarm_of[i];
  for (size_t i = 0; i < count; i++)
    out[i].swarm = swarm;
  return count;
}

bool hostile_list(size_t *count, node *n, sc_storage_node *out) {
  if (node_has(n, TRAIT_FRIENDS))
    *count = replace(n, out, SIZE_MAX);
  else if (node_has(n, TRAIT_DRIFT))
    *count = replace(n, out, drifted(n));
  else if (node_has(n, TRAIT_ONE_SWARM))
    *count = in_one_swarm(n, out);
  else if (hostile_tempted(n, TRAIT_LIST))
    *count = hostile_nodes(n, out, hostile_most_strangers);
  else
    return false;
  return true;
}

/* Redirects to where an account is not. */

static size_t friends(const node *n, sc_storage_node *out, size_t capacity) {
  const world *w = n->world;
  size_t count = 0;
  for (uint32_t i = 0; i < n->list->most && count < capacity; i++)
    if (n->list->listed[i] && !node_is_honest(&w->nodes[i]))
      out[count++] = node_record(&w->nodes[i], n->list->swarm_of[i]);
  return count;
}

static size_t swarm_at(const node *n, size_t place, sc_storage_node *out, size_t capacity) {
  const registry_swarm *swarm = &n->list->swarms[place % n->list->swarm_count];
  size_t count = 0;
  for (uint32_t i = 0; i < swarm->count && count < capacity; i++)
    out[count++] = node_record(&n->world->nodes[n->list->nodes[swarm->first + i]], swarm->id);
  return count;
}

size_t hostile_redirect(node *n, const uint8_t account[static 33], sc_storage_node *out, size_t capacity) {
  world *w = n->world;
  const registry_swarm *own = registry_swarm_of(n->list, account);
  size_t place = own == NULL ? 0 : (size_t)(own - n->list->swarms), count = 0;
  switch (draw_below(&w->chance, 4)) {
  case 0:
    while (count < capacity / 2) {
      out[count] = stranger(w, count, 1);
      count++;
    }
    return count;
  case 1:
    return friends(n, out, capacity);
  case 2:
    return swarm_at(n, draw_below(&w->chance, (uint32_t)n->list->swarm_count), out, capacity);
  default:
    return swarm_at(n, place + 1, out, capacity);
  }
}
