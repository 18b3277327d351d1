#include "swarms.h"

#include "../../base/sort.h"

void sc_swarms_init(sc_swarms *swarms, const sc_env *env) {
  *swarms = (sc_swarms){.env = env};
}

static void release_members(sc_swarms *swarms) {
  sc_release(swarms->env, swarms->members);
  sc_release(swarms->env, swarms->firsts);
}

void sc_swarms_free(sc_swarms *swarms) {
  release_members(swarms);
  swarms->members = NULL;
  swarms->firsts = NULL;
  swarms->member_count = swarms->count = 0;
}

static int order_members(const void *left, const void *right) {
  const sc_swarm_member *a = left, *b = right;
  int order = sc_order_numbers(a->swarm, b->swarm);
  return order != 0 ? order : sc_order_numbers(a->node, b->node);
}

static void fill(sc_swarms *swarms, const sc_node *nodes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (nodes[i].swarm != SC_STORAGE_NO_SWARM)
      swarms->members[swarms->member_count++] = (sc_swarm_member){nodes[i].swarm, (uint32_t)i};
  sc_sort(swarms->members, swarms->member_count, sizeof *swarms->members, order_members);
  for (size_t i = 0; i < swarms->member_count; i++)
    if (i == 0 || swarms->members[i].swarm != swarms->members[i - 1].swarm)
      swarms->firsts[swarms->count++] = (uint32_t)i;
}

sc_status sc_swarms_make(sc_swarms *out, const sc_env *env, const sc_node *nodes, size_t count) {
  sc_swarms_init(out, env);
  out->members = sc_allocate(env, (count + 1) * sizeof *out->members);
  out->firsts = sc_allocate(env, (count + 1) * sizeof *out->firsts);
  if (out->members == NULL || out->firsts == NULL) {
    sc_swarms_free(out);
    return SC_ERR_NO_MEMORY;
  }
  fill(out, nodes, count);
  return SC_OK;
}

/* The words of the key, their first byte highest, folded into one. */
uint64_t sc_swarm_position(const uint8_t account[static SC_KEY_BYTES]) {
  uint64_t position = 0;
  for (size_t i = 0; i < 8; i++)
    position = position << 8 | (uint64_t)(account[i] ^ account[8 + i] ^ account[16 + i] ^ account[24 + i]);
  return position;
}

static uint64_t swarm_at(const sc_swarms *swarms, size_t i) {
  return swarms->members[swarms->firsts[i]].swarm;
}

/* The first swarm at or behind a position, on a ring. */
static size_t at_or_behind(const sc_swarms *swarms, uint64_t position) {
  size_t low = 0, high = swarms->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (swarm_at(swarms, middle) < position)
      low = middle + 1;
    else
      high = middle;
  }
  return low == swarms->count ? 0 : low;
}

/* Distances wrap round with the numbers; of two that are equally near, the one before counts. */
static size_t nearest(const sc_swarms *swarms, uint64_t position) {
  size_t right = at_or_behind(swarms, position);
  size_t left = right == 0 ? swarms->count - 1 : right - 1;
  return swarm_at(swarms, right) - position < position - swarm_at(swarms, left) ? right : left;
}

sc_status sc_swarms_nearest(uint64_t *out, const sc_swarms *swarms, uint64_t position) {
  if (swarms->count == 0)
    return SC_ERR_NO_SWARM;
  *out = swarm_at(swarms, nearest(swarms, position));
  return SC_OK;
}

static void take_computed(sc_swarm *out, const sc_swarms *swarms, const sc_node_pool *pool, size_t swarm) {
  size_t end = swarm + 1 < swarms->count ? swarms->firsts[swarm + 1] : swarms->member_count;
  for (size_t i = swarms->firsts[swarm]; i < end && out->count < SC_STORAGE_MAX_SWARM; i++)
    out->nodes[out->count++] = &pool->nodes[swarms->members[i].node];
}

sc_status sc_swarms_find(sc_swarm *out, const sc_swarms *swarms, const sc_node_pool *pool,
                         const uint8_t account[static SC_KEY_BYTES]) {
  out->count = 0;
  if (swarms->count == 0)
    return SC_ERR_NO_SWARM;
  take_computed(out, swarms, pool, nearest(swarms, sc_swarm_position(account)));
  return SC_OK;
}

void sc_swarm_leave_out(sc_swarm *swarm, sc_strikes *strikes, uint64_t wall, size_t least) {
  const sc_node *out[SC_STORAGE_MAX_SWARM];
  size_t kept = 0, left_out = 0;
  for (size_t i = 0; i < swarm->count; i++) {
    const sc_node *node = swarm->nodes[i];
    if (sc_strikes_is_out(strikes, wall, node->key))
      out[left_out++] = node;
    else
      swarm->nodes[kept++] = node;
  }
  for (; kept < least && left_out > 0; kept++) {
    size_t best = 0;
    for (size_t i = 1; i < left_out; i++)
      if (sc_strikes_count(strikes, wall, out[i]->key) < sc_strikes_count(strikes, wall, out[best]->key))
        best = i;
    swarm->nodes[kept] = out[best];
    out[best] = out[--left_out];
  }
  swarm->count = kept;
}

/* The swarm on the other side of the position than the nearest one. */
static size_t second_nearest(const sc_swarms *swarms, uint64_t position) {
  size_t right = at_or_behind(swarms, position);
  size_t left = right == 0 ? swarms->count - 1 : right - 1;
  return nearest(swarms, position) == right ? left : right;
}

bool sc_swarms_hint(uint64_t *out, const sc_swarms *swarms, const sc_node_pool *pool,
                    const uint8_t account[static SC_KEY_BYTES], const sc_storage_node_list *nodes) {
  if (swarms->count < 2 || nodes->count == 0 || nodes->count > sc_swarm_most_hinted)
    return false;
  uint64_t swarm = swarm_at(swarms, second_nearest(swarms, sc_swarm_position(account)));
  for (size_t i = 0; i < nodes->count; i++) {
    const sc_node *node = sc_node_pool_find(pool, nodes->list[i].ed25519);
    if (node == NULL || node->swarm != swarm)
      return false;
    for (size_t j = 0; j < i; j++)
      if (memcmp(nodes->list[j].ed25519, nodes->list[i].ed25519, SC_KEY_BYTES) == 0)
        return false;
  }
  *out = swarm;
  return true;
}

bool sc_swarms_members(sc_swarm *out, const sc_swarms *swarms, const sc_node_pool *pool, uint64_t swarm) {
  out->count = 0;
  for (size_t i = 0; i < swarms->count; i++) {
    if (swarm_at(swarms, i) != swarm)
      continue;
    take_computed(out, swarms, pool, i);
    return true;
  }
  return false;
}
