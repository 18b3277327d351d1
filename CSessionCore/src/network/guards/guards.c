/* The sample of a network over time, and its files. */
#include "guards.h"

#include "../../base/sort.h"
#include "../moment.h"
#include "sample_file.h"
#include "sample_merge.h"

static const uint64_t second = SC_NODE_SECOND;
static const uint64_t day = 24 * 3600 * SC_NODE_SECOND;

void sc_guards_init(sc_guards *guards, const sc_env *env, const sc_network_options *options,
                    const sc_moment *moment, sc_nodes *nodes, sc_transport transport,
                    const sc_guards_owner *owner) {
  *guards = (sc_guards){
      .env = env,
      .options = options,
      .moment = moment,
      .nodes = nodes,
      .transport = transport,
      .owner = *owner,
      .suspended = true,
      .has_link = true,
      .hurried_at = SC_NEVER,
      .silent_since = SC_NEVER,
      .due_at = SC_NEVER,
      .walk_since = SC_NEVER,
      .grown_at = SC_NEVER,
  };
}

static sc_day today(const sc_guards *guards) {
  return sc_day_of(guards->moment->wall);
}

static size_t pool_size(const sc_guards *guards) {
  return sc_nodes_pool(guards->nodes)->count;
}

/* ---- the sample ---- */

static int order_inherited(const void *left, const void *right) {
  const sc_old_guard *a = left, *b = right;
  return sc_order_numbers(a->since, b->since);
}

/* The guards of older programs have seen this client's address already. */
static void inherit(sc_guards *guards) {
  sc_old_guards *inherited = &guards->inherited;
  sc_sort(inherited->list, inherited->count, sizeof inherited->list[0], order_inherited);
  for (size_t i = 0; i < inherited->count; i++)
    if (sc_nodes_find(guards->nodes, inherited->list[i].node.key) != NULL)
      sc_sample_inherit(&guards->sample, inherited->list[i].node.key, sc_day_of(inherited->list[i].since),
                        guards->env);
  inherited->count = 0;
}

static void begin_sample(sc_guards *guards) {
  inherit(guards);
  if (guards->sample.count == 0 && guards->had_pool)
    sc_log(guards->env, SC_LOG_WARNING,
           "network: there is no file of guards; new nodes will learn this client's address");
  guards->had_pool = false;
}

static sc_sample_rules rules_of(const sc_guards *guards) {
  const uint64_t now = guards->moment->now;
  return (sc_sample_rules){
      .is_private = guards->options->nodes.kind == SC_NETWORK_PRIVATE,
      .is_diverse = guards->options->nodes.subnet_diversity,
      .is_proved = guards->is_proved,
      .may_grow = sc_guards_walked(guards) >= day,
      .has_grown = guards->grown_at != SC_NEVER && now - guards->grown_at < day,
  };
}

static void review(sc_guards *guards, const sc_journal_cause *cause) {
  uint64_t in_day = guards->moment->wall % sc_moment_in_ms(day) * (second / 1000);
  guards->day_ends_at = sc_later(guards->moment->now, day - in_day);
  if (pool_size(guards) == 0)
    return;
  bool is_new = guards->sample.count == 0;
  const sc_sample old = guards->sample;
  if (is_new)
    begin_sample(guards);
  const sc_sample_rules rules = rules_of(guards);
  sc_day before = guards->sample.growths[0];
  const sc_node_pool *pool = sc_nodes_pool(guards->nodes);
  bool changed = sc_sample_review(&guards->sample, pool, &rules, today(guards), guards->env);
  changed |= sc_sample_review_middles(&guards->sample, pool, &rules, today(guards), guards->env);
  if (!changed && !is_new)
    return;
  sc_journal_compare(&guards->journal, guards->moment->wall, &old, &guards->sample, pool, cause);
  if (guards->sample.growths[0] != before)
    guards->grown_at = guards->moment->now;
  sc_guards_make_lines(guards);
  guards->due_at = 0;
  guards->owner.save(guards->owner.user);
  guards->owner.changed(guards->owner.user);
}

void sc_guards_review(sc_guards *guards) {
  bool is_new = guards->sample.count == 0, is_lost = guards->had_pool && guards->inherited.count == 0;
  const sc_journal_cause cause = {.drawn = !is_new   ? SC_NETWORK_REASON_NEED
                                           : is_lost ? SC_NETWORK_REASON_LOSS
                                                     : SC_NETWORK_REASON_START,
                                  .left = SC_NETWORK_REASON_AGE};
  review(guards, &cause);
}

void sc_guards_replace_middle(sc_guards *guards, const uint8_t key[static SC_KEY_BYTES]) {
  const sc_journal_cause cause = {
      .drawn = SC_NETWORK_REASON_NEED, .left = SC_NETWORK_REASON_AGE, .failed = key};
  sc_sample_end_middle(&guards->sample, key, today(guards));
  review(guards, &cause);
}

void sc_guards_take_list(sc_guards *guards, bool by_seed) {
  guards->is_proved = by_seed;
  for (size_t i = 0; i < guards->line_count; i++)
    if (guards->lines[i].next_at == SC_NEVER && guards->lines[i].state == SC_GUARD_IDLE)
      guards->lines[i].next_at = guards->moment->now;
  guards->due_at = 0;
  if (guards->sample.count > 0 || guards->started)
    sc_guards_review(guards);
}

uint64_t sc_guards_replied_at(const sc_guards *guards, const uint8_t key[static SC_KEY_BYTES]) {
  for (size_t i = 0; i < guards->line_count; i++)
    if (memcmp(guards->lines[i].node.key, key, SC_KEY_BYTES) == 0)
      return guards->lines[i].replied_at;
  return 0;
}

void sc_guards_confirm(sc_guards *guards, const uint8_t key[static SC_KEY_BYTES]) {
  sc_guard_line *line = sc_guards_line(guards, key);
  if (line != NULL)
    line->replied_at = guards->moment->now;
  if (!sc_sample_confirm(&guards->sample, key, today(guards), guards->env))
    return;
  sc_journal_note(&guards->journal, guards->moment->wall, SC_NETWORK_GUARD_CONFIRMED, SC_NETWORK_REASON_REPLY,
                  key);
  guards->owner.save(guards->owner.user);
}

sc_status sc_guards_reset(sc_guards *guards) {
  if (pool_size(guards) == 0)
    return SC_ERR_NETWORK_NO_NODES;
  const sc_journal_cause cause = {.drawn = SC_NETWORK_REASON_PERSON, .left = SC_NETWORK_REASON_PERSON};
  const sc_sample old = guards->sample;
  guards->sample = guards->base = (sc_sample){0};
  sc_journal_compare(&guards->journal, guards->moment->wall, &old, &guards->sample,
                     sc_nodes_pool(guards->nodes), &cause);
  guards->was_reset = true;
  guards->inherited.count = 0;
  guards->had_pool = false;
  guards->walked = 0;
  if (guards->walk_since != SC_NEVER)
    guards->walk_since = guards->moment->now;
  guards->due_at = 0;
  review(guards, &cause);
  guards->owner.save(guards->owner.user);
  guards->owner.changed(guards->owner.user);
  return SC_OK;
}

/* ---- who is a guard ---- */

bool sc_guards_has(const sc_guards *guards, const uint8_t key[static SC_KEY_BYTES]) {
  return sc_sample_has(&guards->sample, key);
}

bool sc_guards_is_reserved(const sc_guards *guards, const uint8_t key[static SC_KEY_BYTES]) {
  return pool_size(guards) >= sc_sample_few_nodes && sc_guards_has(guards, key);
}

static size_t take_middles(sc_node out[static sc_sample_most_middles], const sc_guards *guards, bool all) {
  size_t count = 0;
  for (size_t i = 0; i < guards->sample.middle_count; i++) {
    const uint8_t *key = guards->sample.middles[i].key;
    const sc_node *node = sc_nodes_find(guards->nodes, key);
    if (node != NULL && (all || sc_outcomes_skipped_until(&guards->outcomes, key) <= guards->moment->now))
      out[count++] = *node;
  }
  return count;
}

size_t sc_guards_reserved(sc_node out[static sc_guards_most_reserved], const sc_guards *guards) {
  size_t count = take_middles(out, guards, true);
  for (size_t i = 0; i < guards->sample.count && pool_size(guards) >= sc_sample_few_nodes; i++) {
    const sc_node *node = sc_nodes_find(guards->nodes, guards->sample.guards[i].key);
    if (node != NULL)
      out[count++] = *node;
  }
  return count;
}

size_t sc_guards_middles(sc_node out[static sc_sample_most_middles], const sc_guards *guards) {
  size_t count = take_middles(out, guards, false);
  return count > 0 ? count : take_middles(out, guards, true);
}

bool sc_guards_has_middle(const sc_guards *guards, const uint8_t key[static SC_KEY_BYTES]) {
  return sc_sample_has_middle(&guards->sample, key);
}

bool sc_guards_any(const sc_guards *guards) {
  const sc_guard *order[sc_sample_most];
  return sc_sample_order(order, &guards->sample, today(guards)) > 0;
}

/* ---- files ---- */

sc_status sc_guards_load(sc_guards *guards, sc_bytes file) {
  sc_sample read;
  sc_status status = sc_sample_read(&read, today(guards), file);
  if (status != SC_OK)
    return status;
  const sc_journal_cause cause = {.drawn = SC_NETWORK_REASON_FILE, .left = SC_NETWORK_REASON_FILE};
  const sc_sample old = guards->sample;
  guards->sample.walked = sc_guards_walked(guards) / second;
  sc_sample_merge(&guards->sample, guards->was_reset ? &read : &guards->base, &read);
  sc_journal_compare(&guards->journal, guards->moment->wall, &old, &guards->sample,
                     sc_nodes_pool(guards->nodes), &cause);
  guards->base = read;
  guards->walked = guards->sample.walked * second;
  if (guards->walk_since != SC_NEVER)
    guards->walk_since = guards->moment->now;
  sc_guards_make_lines(guards);
  guards->due_at = 0;
  guards->owner.changed(guards->owner.user);
  return SC_OK;
}

sc_status sc_guards_save(sc_buffer *out, sc_guards *guards) {
  guards->sample.walked = sc_guards_walked(guards) / second;
  sc_status status = sc_sample_write(out, &guards->sample);
  if (status == SC_OK) {
    guards->base = guards->sample;
    guards->was_reset = false;
  }
  return status;
}

sc_status sc_guards_save_edges(sc_buffer *out, sc_guards *guards) {
  enum { day_ms = 24 * 3600 * 1000 };
  sc_node used[sc_sample_in_use];
  sc_old_guards inherited = {0};
  size_t count = sc_guards_in_use(used, guards);
  for (size_t i = 0; i < count; i++) {
    const sc_guard *guard = sc_sample_find(&guards->sample, used[i].key);
    inherited.list[inherited.count++] =
        (sc_old_guard){.node = used[i], .since = (uint64_t)guard->sampled * day_ms};
  }
  return sc_old_guards_write(out, &inherited);
}

/* ---- inspection ---- */

static sc_network_guard shown(const sc_guards *guards, const sc_guard *guard) {
  sc_network_guard out = {.sampled_day = guard->sampled,
                          .confirmed_day = guard->confirmed,
                          .end_day = guard->ends,
                          .is_listed = guard->unlisted == 0,
                          .is_set_back = guard->back_until > today(guards)};
  const sc_node *node = sc_nodes_find(guards->nodes, guard->key);
  if (node != NULL)
    out.node = *node;
  memcpy(out.node.key, guard->key, SC_KEY_BYTES);
  for (size_t i = 0; i < guards->line_count; i++)
    if (memcmp(guards->lines[i].node.key, guard->key, SC_KEY_BYTES) == 0)
      out.state = (sc_network_guard_state)guards->lines[i].state;
  return out;
}

size_t sc_guards_list(sc_network_guard *out, size_t capacity, sc_guards *guards) {
  const sc_guard *order[sc_sample_most];
  sc_node used[sc_sample_in_use];
  size_t listed = sc_sample_order(order, &guards->sample, today(guards)), count = listed;
  size_t in_use = sc_guards_in_use(used, guards);
  for (size_t i = 0; i < guards->sample.count; i++)
    if (guards->sample.guards[i].unlisted != 0)
      order[count++] = &guards->sample.guards[i];
  for (size_t i = 0; i < count && i < capacity; i++) {
    out[i] = shown(guards, order[i]);
    out[i].is_primary = i < listed && i < sc_sample_primaries;
    for (size_t k = 0; k < in_use; k++)
      out[i].is_in_use |= sc_node_same(&used[k], &out[i].node);
  }
  return count;
}
