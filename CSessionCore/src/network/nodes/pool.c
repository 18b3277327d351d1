#include "pool.h"

void sc_node_pool_init(sc_node_pool *pool, const sc_env *env) {
  *pool = (sc_node_pool){.env = env};
  sc_node_list_init(&pool->list, env);
}

void sc_node_pool_forget(sc_node_pool *pool) {
  sc_node_list_free(&pool->list);
  pool->nodes = NULL;
  pool->count = 0;
}

void sc_node_pool_free(sc_node_pool *pool) {
  sc_node_pool_forget(pool);
}

void sc_node_pool_replace(sc_node_pool *pool, sc_node_list *list) {
  pool->count = sc_node_list_count(list);
  sc_node_list_move(&pool->list, list);
  pool->nodes = sc_node_list_nodes(&pool->list);
}

const sc_node *sc_node_pool_find(const sc_node_pool *pool, const uint8_t key[static SC_KEY_BYTES]) {
  return sc_key_table_find(&pool->list.table, key);
}

/* ---- drawing ---- */

/* Most nodes are eligible in most networks, so that a few tries find one. */
static const sc_node *try_some(const sc_node_pool *pool, sc_draws *draws, sc_node_is_eligible is_eligible,
                               const void *user) {
  enum { tries = 16 };
  for (size_t i = 0; i < tries; i++) {
    const sc_node *node = &pool->nodes[sc_draws_below(draws, (uint32_t)pool->count)];
    if (is_eligible(user, node))
      return node;
  }
  return NULL;
}

static const sc_node *try_all(const sc_node_pool *pool, sc_draws *draws, sc_node_is_eligible is_eligible,
                              const void *user) {
  size_t eligible = 0;
  for (size_t i = 0; i < pool->count; i++)
    eligible += is_eligible(user, &pool->nodes[i]);
  if (eligible == 0)
    return NULL;
  uint32_t left = sc_draws_below(draws, (uint32_t)eligible);
  size_t i = 0;
  while (!is_eligible(user, &pool->nodes[i]) || left-- > 0)
    i++;
  return &pool->nodes[i];
}

const sc_node *sc_node_pool_draw(const sc_node_pool *pool, sc_draws *draws, sc_node_is_eligible is_eligible,
                                 const void *user) {
  if (pool->count == 0)
    return NULL;
  const sc_node *node = try_some(pool, draws, is_eligible, user);
  return node != NULL ? node : try_all(pool, draws, is_eligible, user);
}

static bool is_excluded(const sc_node_wish *wish, const sc_node *node) {
  for (size_t i = 0; i < wish->excluded_count; i++)
    if (sc_node_same(&wish->excluded[i], node) ||
        (wish->diverse && sc_node_same_subnet(&wish->excluded[i], node)))
      return true;
  return false;
}

/* The nodes picked so far, and the constraints on the next. */
typedef struct pick {
  const sc_node_wish *wish;
  const sc_node *const *chosen;
  size_t count;
} pick;

static bool is_chosen(const pick *pick, const sc_node *node) {
  for (size_t i = 0; i < pick->count; i++)
    if (pick->chosen[i] == node || (pick->wish->diverse && sc_node_same_subnet(pick->chosen[i], node)))
      return true;
  return false;
}

static bool is_refused(const sc_node_wish *wish, const sc_node *node) {
  return wish->refuse != NULL && wish->refuse(wish->user, node);
}

static bool is_wanted(const void *user, const sc_node *node) {
  const pick *pick = user;
  return !is_chosen(pick, node) && !is_excluded(pick->wish, node) && !is_refused(pick->wish, node);
}

size_t sc_node_pool_pick(const sc_node **out, const sc_node_pool *pool, size_t count,
                         const sc_node_wish *wish) {
  pick pick = {.wish = wish, .chosen = out};
  sc_draws draws;
  sc_draws_init(&draws, pool->env, count);
  while (pick.count < count) {
    const sc_node *node = sc_node_pool_draw(pool, &draws, is_wanted, &pick);
    if (node == NULL)
      break;
    out[pick.count++] = node;
  }
  return pick.count;
}

size_t sc_node_pool_usable(const sc_node_pool *pool, size_t most, const sc_node_wish *wish) {
  size_t usable = 0;
  for (size_t i = 0; i < pool->count && usable < most; i++)
    usable += !is_refused(wish, &pool->nodes[i]);
  return usable;
}
