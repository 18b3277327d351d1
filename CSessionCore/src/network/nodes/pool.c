#include "pool.h"

#include "../../base/draws.h"

void sc_node_pool_init(sc_node_pool *pool, const sc_env *env) {
  *pool = (sc_node_pool){.env = env};
  sc_node_list_init(&pool->list, env);
}

void sc_node_pool_forget(sc_node_pool *pool) {
  sc_node_list_free(&pool->list);
  sc_release(pool->env, pool->in_use);
  pool->in_use = NULL;
  pool->nodes = NULL;
  pool->count = 0;
}

void sc_node_pool_free(sc_node_pool *pool) {
  sc_node_pool_forget(pool);
  pool->use_count = 0;
}

static size_t find_use(const sc_node_pool *pool, const sc_node *node) {
  size_t i = 0;
  while (i < pool->use_count && !sc_node_same(&pool->uses[i].node, node))
    i++;
  return i;
}

static void mark(sc_node_pool *pool, const sc_node *node, bool in_use) {
  const sc_node *found = sc_node_pool_find(pool, node->key);
  if (found != NULL)
    pool->in_use[found - pool->nodes] = in_use;
}

sc_status sc_node_pool_replace(sc_node_pool *pool, sc_node_list *list) {
  size_t count = sc_node_list_count(list);
  bool *in_use = sc_allocate(pool->env, count + 1);
  if (in_use == NULL)
    return SC_ERR_NO_MEMORY;
  memset(in_use, 0, count + 1);
  sc_release(pool->env, pool->in_use);
  pool->in_use = in_use;
  sc_node_list_move(&pool->list, list);
  pool->nodes = sc_node_list_nodes(&pool->list);
  pool->count = count;
  for (size_t i = 0; i < pool->use_count; i++)
    mark(pool, &pool->uses[i].node, true);
  return SC_OK;
}

const sc_node *sc_node_pool_find(const sc_node_pool *pool, const uint8_t key[static SC_KEY_BYTES]) {
  return sc_key_table_find(&pool->list.table, key);
}

sc_status sc_node_pool_use(sc_node_pool *pool, const sc_node *node) {
  size_t at = find_use(pool, node);
  if (at == pool->use_count) {
    if (at == sc_node_pool_most_used)
      return SC_ERR_TOO_LARGE;
    pool->uses[pool->use_count++] = (sc_node_use){.node = *node};
    mark(pool, node, true);
  }
  pool->uses[at].count++;
  return SC_OK;
}

void sc_node_pool_unuse(sc_node_pool *pool, const sc_node *node) {
  size_t at = find_use(pool, node);
  if (at == pool->use_count || --pool->uses[at].count > 0)
    return;
  pool->uses[at] = pool->uses[--pool->use_count];
  mark(pool, node, false);
}

static bool is_excluded(const sc_node_wish *wish, const sc_node *node) {
  for (size_t i = 0; i < wish->excluded_count; i++)
    if (sc_node_same(&wish->excluded[i], node) ||
        (wish->diverse && sc_node_same_subnet(&wish->excluded[i], node)))
      return true;
  return false;
}

static bool is_near_used(const sc_node_pool *pool, const sc_node *node) {
  for (size_t i = 0; i < pool->use_count; i++)
    if (sc_node_same_subnet(&pool->uses[i].node, node))
      return true;
  return false;
}

static bool is_near_chosen(const sc_node *const *chosen, size_t count, const sc_node *node) {
  for (size_t i = 0; i < count; i++)
    if (sc_node_same_subnet(chosen[i], node))
      return true;
  return false;
}

static bool is_usable(const sc_node_pool *pool, size_t number, const sc_node_wish *wish) {
  return (wish->in_use_too || !pool->in_use[number]) &&
         (wish->refuse == NULL || !wish->refuse(wish->user, &pool->nodes[number]));
}

size_t sc_node_pool_pick(const sc_node **out, const sc_node_pool *pool, size_t count,
                         const sc_node_wish *wish) {
  sc_draws draws;
  size_t chosen = 0;
  if (pool->count == 0)
    return 0;
  sc_draws_init(&draws, pool->env, 1);
  size_t start = sc_draws_below(&draws, (uint32_t)pool->count);
  for (size_t i = 0; i < pool->count && chosen < count; i++) {
    size_t number = (start + i) % pool->count;
    const sc_node *node = &pool->nodes[number];
    bool near = wish->diverse && (is_near_used(pool, node) || is_near_chosen(out, chosen, node));
    if (!near && !is_excluded(wish, node) && is_usable(pool, number, wish))
      out[chosen++] = node;
  }
  return chosen;
}

size_t sc_node_pool_usable(const sc_node_pool *pool, size_t most, const sc_node_wish *wish) {
  size_t usable = 0;
  for (size_t i = 0; i < pool->count && usable < most; i++)
    usable += is_usable(pool, i, wish);
  return usable;
}
