/* Middles are kept for days, because each node that becomes a second hop learns a guard of this client. */
#include "sample.h"

enum {
  many_nodes = 60,
  some_nodes = 30,
  some_middles = 4,
  longest_life = 12 /* days */
};

size_t sc_middles_size(size_t nodes) {
  if (nodes >= many_nodes)
    return sc_sample_most_middles;
  return nodes >= some_nodes ? some_middles : 0;
}

bool sc_sample_has_middle(const sc_sample *sample, const uint8_t key[static SC_KEY_BYTES]) {
  for (size_t i = 0; i < sample->middle_count; i++)
    if (memcmp(sample->middles[i].key, key, SC_KEY_BYTES) == 0)
      return true;
  return false;
}

static bool is_near_a_guard(const sc_sample *sample, const sc_node_pool *pool, const sc_node *node) {
  for (size_t i = 0; i < sample->count; i++) {
    const sc_node *guard = sc_node_pool_find(pool, sample->guards[i].key);
    if (guard != NULL && sc_node_is_near(guard, node))
      return true;
  }
  return false;
}

/* The criteria for all candidates for a middle. */
typedef struct draft {
  const sc_sample *sample;
  const sc_node_pool *pool;
  const sc_sample_rules *rules;
  sc_day today;
  bool apart; /* from guards */
} draft;

static bool may_be_drawn(const void *user, const sc_node *node) {
  const draft *draft = user;
  return !sc_sample_has(draft->sample, node->key) && !sc_sample_has_middle(draft->sample, node->key) &&
         (draft->rules->is_private || sc_node_is_old(node, draft->today)) &&
         !(draft->apart && is_near_a_guard(draft->sample, draft->pool, node));
}

/* The longer of two random lives, so that few end soon. */
static sc_day draw_life(sc_draws *draws) {
  sc_day one = 1 + sc_draws_below(draws, longest_life), other = 1 + sc_draws_below(draws, longest_life);
  return one > other ? one : other;
}

static bool draw(sc_sample *sample, const sc_node_pool *pool, const sc_sample_rules *rules, sc_day today,
                 const sc_env *env) {
  enum { draws_each = 3 };
  draft draft = {sample, pool, rules, today, true};
  sc_draws draws;
  sc_draws_init(&draws, env, draws_each);
  const sc_node *node = rules->is_diverse ? sc_node_pool_draw(pool, &draws, may_be_drawn, &draft) : NULL;
  draft.apart = false;
  if (node == NULL)
    node = sc_node_pool_draw(pool, &draws, may_be_drawn, &draft);
  if (node == NULL)
    return false;
  sc_middle *middle = &sample->middles[sample->middle_count++];
  *middle = (sc_middle){.ends = today + draw_life(&draws)};
  memcpy(middle->key, node->key, SC_KEY_BYTES);
  return true;
}

static bool is_over(const sc_sample *sample, const sc_middle *middle, const sc_node_pool *pool,
                    sc_day today) {
  return today >= middle->ends || sc_node_pool_find(pool, middle->key) == NULL ||
         sc_sample_has(sample, middle->key);
}

void sc_sample_end_middle(sc_sample *sample, const uint8_t key[static SC_KEY_BYTES], sc_day today) {
  for (size_t i = 0; i < sample->middle_count; i++)
    if (memcmp(sample->middles[i].key, key, SC_KEY_BYTES) == 0)
      sample->middles[i].ends = today;
}

bool sc_sample_review_middles(sc_sample *sample, const sc_node_pool *pool, const sc_sample_rules *rules,
                              sc_day today, const sc_env *env) {
  size_t kept = 0, wanted = sc_middles_size(pool->count);
  if (pool->count == 0)
    return false;
  for (size_t i = 0; i < sample->middle_count && kept < wanted; i++)
    if (!is_over(sample, &sample->middles[i], pool, today))
      sample->middles[kept++] = sample->middles[i];
  bool changed = kept < sample->middle_count;
  sample->middle_count = kept;
  while (sample->middle_count < wanted && draw(sample, pool, rules, today, env))
    changed = true;
  return changed;
}
