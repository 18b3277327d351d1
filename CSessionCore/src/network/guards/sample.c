#include "sample.h"

#include "../../base/sort.h"

enum { least_life = 60, longest_life = 120 /* days */ };

/* Returns its place; the count if it is not there. */
static size_t place_of(const sc_sample *sample, const uint8_t *key) {
  size_t i = 0;
  while (i < sample->count && memcmp(sample->guards[i].key, key, SC_KEY_BYTES) != 0)
    i++;
  return i;
}

sc_guard *sc_sample_find(sc_sample *sample, const uint8_t key[static SC_KEY_BYTES]) {
  size_t place = place_of(sample, key);
  return place < sample->count ? &sample->guards[place] : NULL;
}

bool sc_sample_has(const sc_sample *sample, const uint8_t key[static SC_KEY_BYTES]) {
  return place_of(sample, key) < sample->count;
}

/* ---- order ---- */

typedef struct ranked {
  const sc_guard *guard;
  bool is_back;
  uint64_t rank;
} ranked;

static int order_ranked(const void *left, const void *right) {
  const ranked *a = left, *b = right;
  if (a->is_back != b->is_back)
    return a->is_back ? 1 : -1;
  return sc_order_numbers(a->rank, b->rank);
}

size_t sc_sample_order(const sc_guard *out[static sc_sample_most], const sc_sample *sample, sc_day today) {
  ranked list[sc_sample_most];
  size_t count = 0;
  for (size_t i = 0; i < sample->count; i++) {
    const sc_guard *guard = &sample->guards[i];
    if (guard->unlisted == 0)
      list[count++] = (ranked){.guard = guard,
                               .is_back = guard->back_until > today,
                               .rank = guard->number != 0 ? guard->number : (uint64_t)UINT32_MAX + 1 + i};
  }
  sc_sort(list, count, sizeof *list, order_ranked);
  for (size_t i = 0; i < count; i++)
    out[i] = list[i].guard;
  return count;
}

size_t sc_sample_size(size_t nodes) {
  enum { share = 4 };
  if (nodes < sc_sample_few_nodes)
    return nodes < sc_sample_primaries ? nodes : sc_sample_primaries;
  return nodes / share < sc_sample_full ? nodes / share : sc_sample_full;
}

/* ---- confirming ---- */

static uint32_t last_number(const sc_sample *sample) {
  uint32_t last = 0;
  for (size_t i = 0; i < sample->count; i++)
    last = sample->guards[i].number > last ? sample->guards[i].number : last;
  return last;
}

static void confirm(sc_sample *sample, sc_guard *guard, sc_day day, const sc_env *env) {
  sc_draws draws;
  sc_draws_init(&draws, env, 1);
  guard->number = last_number(sample) + 1;
  guard->confirmed = day;
  guard->ends = day + least_life + sc_draws_below(&draws, longest_life - least_life + 1);
}

bool sc_sample_confirm(sc_sample *sample, const uint8_t key[static SC_KEY_BYTES], sc_day today,
                       const sc_env *env) {
  sc_guard *guard = sc_sample_find(sample, key);
  if (guard == NULL || guard->number != 0)
    return false;
  confirm(sample, guard, today, env);
  return true;
}

void sc_sample_inherit(sc_sample *sample, const uint8_t key[static SC_KEY_BYTES], sc_day since,
                       const sc_env *env) {
  if (sample->count >= sc_sample_full || sc_sample_has(sample, key))
    return;
  sc_guard *guard = &sample->guards[sample->count++];
  *guard = (sc_guard){.sampled = since};
  memcpy(guard->key, key, SC_KEY_BYTES);
  confirm(sample, guard, since, env);
}

/* ---- drawing ---- */

/* Guards of one operator tend to be near each other. */
typedef enum nearness {
  SAME_16,
  SAME_24,
  SAME_NODE,
} nearness;

static bool is_near(const sc_node *a, const sc_node *b, nearness nearness) {
  switch (nearness) {
  case SAME_16:
    return sc_node_is_near(a, b);
  case SAME_24:
    return sc_node_same_subnet(a, b);
  case SAME_NODE:
    break;
  }
  return sc_node_same(a, b);
}

/* The criteria for all candidates for a guard. */
typedef struct draft {
  const sc_sample *sample;
  const sc_node_pool *pool;
  const sc_sample_rules *rules;
  sc_day today;
  nearness nearness;
} draft;

static bool may_be_drawn(const void *user, const sc_node *node) {
  const draft *draft = user;
  const sc_sample *sample = draft->sample;
  if (sc_sample_has(sample, node->key) || !(draft->rules->is_private || sc_node_is_old(node, draft->today)))
    return false;
  for (size_t i = 0; i < sample->count; i++) {
    const sc_node *other = sc_node_pool_find(draft->pool, sample->guards[i].key);
    if (other != NULL && is_near(other, node, draft->nearness))
      return false;
  }
  return true;
}

static bool draw(sc_sample *sample, const sc_node_pool *pool, const sc_sample_rules *rules, sc_day today,
                 const sc_env *env) {
  draft draft = {.sample = sample, .pool = pool, .rules = rules, .today = today};
  const sc_node *node = NULL;
  sc_draws draws;
  if (sample->count == sc_sample_most)
    return false;
  sc_draws_init(&draws, env, 1);
  for (unsigned near = rules->is_diverse ? SAME_16 : SAME_NODE; near <= SAME_NODE && node == NULL; near++) {
    draft.nearness = (nearness)near;
    node = sc_node_pool_draw(pool, &draws, may_be_drawn, &draft);
  }
  if (node == NULL)
    return false;
  sc_guard *guard = &sample->guards[sample->count++];
  *guard = (sc_guard){.sampled = today, .ends = today + longest_life};
  memcpy(guard->key, node->key, SC_KEY_BYTES);
  return true;
}

/* ---- the list and the calendar ---- */

static void remove_at(sc_sample *sample, size_t place) {
  sample->count--;
  memmove(&sample->guards[place], &sample->guards[place + 1],
          (sample->count - place) * sizeof sample->guards[0]);
}

static bool note_listed(sc_sample *sample, const sc_node_pool *pool, sc_day today) {
  bool changed = false;
  for (size_t i = 0; i < sample->count; i++) {
    sc_guard *guard = &sample->guards[i];
    bool is_listed = sc_node_pool_find(pool, guard->key) != NULL;
    if (is_listed == (guard->unlisted == 0))
      continue;
    guard->unlisted = is_listed ? 0 : today;
    changed = true;
  }
  return changed;
}

static bool end_unlisted(sc_sample *sample, sc_day today) {
  bool changed = false;
  for (size_t i = sample->count; i-- > 0;) {
    sc_day since = sample->guards[i].unlisted;
    if (since == 0 || today < since + sc_sample_unlisted_days)
      continue;
    remove_at(sample, i);
    changed = true;
  }
  return changed;
}

static bool was_drawn_on(const sc_sample *sample, sc_day day) {
  for (size_t i = 0; i < sample->count; i++)
    if (sample->guards[i].sampled == day)
      return true;
  return false;
}

/* One a day at most, so that a clock that is set does not replace all. */
static bool replace_expired(sc_sample *sample, const sc_node_pool *pool, const sc_sample_rules *rules,
                            sc_day today, const sc_env *env) {
  if (was_drawn_on(sample, today))
    return false;
  for (size_t i = 0; i < sample->count; i++) {
    if (sample->guards[i].ends > today)
      continue;
    const sc_guard old = sample->guards[i];
    remove_at(sample, i);
    if (draw(sample, pool, rules, today, env))
      return true;
    memmove(&sample->guards[i + 1], &sample->guards[i], (sample->count - i) * sizeof sample->guards[0]);
    sample->guards[i] = old;
    sample->count++;
    return false;
  }
  return false;
}

static size_t count_listed(const sc_sample *sample) {
  size_t count = 0;
  for (size_t i = 0; i < sample->count; i++)
    count += sample->guards[i].unlisted == 0;
  return count;
}

static bool may_grow_on(const sc_sample *sample, sc_day today) {
  sc_day last = sample->growths[0], third = sample->growths[sc_sample_growths - 1];
  return today > last && (third == 0 || today >= third + sc_sample_growth_days);
}

static void note_growth(sc_sample *sample, sc_day today) {
  memmove(&sample->growths[1], &sample->growths[0], sizeof sample->growths - sizeof sample->growths[0]);
  sample->growths[0] = today;
}

bool sc_sample_set_back(sc_sample *sample, const uint8_t key[static SC_KEY_BYTES], sc_day today) {
  sc_guard *guard = sc_sample_find(sample, key);
  if (guard == NULL || (sample->setback != 0 && today < sample->setback + sc_sample_setback_days))
    return false;
  guard->back_until = today + sc_sample_setback_days;
  sample->setback = today;
  return true;
}

/* Those that left the network long ago make room first. */
static void make_room(sc_sample *sample) {
  size_t oldest = sample->count;
  for (size_t i = 0; i < sample->count; i++) {
    sc_day since = sample->guards[i].unlisted;
    if (since != 0 && (oldest == sample->count || since < sample->guards[oldest].unlisted))
      oldest = i;
  }
  if (sample->count == sc_sample_most && oldest < sample->count)
    remove_at(sample, oldest);
}

static bool grow(sc_sample *sample, const sc_node_pool *pool, const sc_sample_rules *rules, sc_day today,
                 const sc_env *env) {
  size_t size = sc_sample_size(pool->count), listed = count_listed(sample);
  size_t least = size < sc_sample_primaries ? size : sc_sample_primaries;
  bool is_first = sample->count == 0;
  bool is_free = is_first || rules->is_private || (rules->is_proved && listed == 0);
  bool changed = false;
  if (listed >= least && !rules->may_grow)
    return false;
  if (!is_free) {
    if (rules->has_grown || !may_grow_on(sample, today) || !draw(sample, pool, rules, today, env))
      return false;
    note_growth(sample, today);
    return true;
  }
  while (count_listed(sample) < size) {
    make_room(sample);
    if (!draw(sample, pool, rules, today, env))
      break;
    changed = true;
  }
  return changed;
}

/* Once it was too small, the sample grows to its full size again, one guard a day. */
static bool is_growing(const sc_sample *sample, size_t nodes, sc_day today) {
  sc_day last = sample->growths[0];
  return last != 0 && today < last + sc_sample_growth_days + 1 &&
         count_listed(sample) < sc_sample_size(nodes);
}

bool sc_sample_review(sc_sample *sample, const sc_node_pool *pool, const sc_sample_rules *rules, sc_day today,
                      const sc_env *env) {
  sc_sample_rules own = *rules;
  if (pool->count == 0)
    return false;
  bool changed = note_listed(sample, pool, today);
  changed |= end_unlisted(sample, today);
  changed |= replace_expired(sample, pool, rules, today, env);
  own.may_grow |= is_growing(sample, pool->count, today);
  return grow(sample, pool, &own, today, env) || changed;
}
