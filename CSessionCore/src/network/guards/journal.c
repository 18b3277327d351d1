#include "journal.h"

void sc_journal_note(sc_journal *journal, uint64_t wall, sc_network_change_kind kind,
                     sc_network_change_reason reason, const uint8_t key[static SC_KEY_BYTES]) {
  sc_network_change *change = &journal->list[journal->count % SC_NETWORK_MAX_CHANGES];
  *change = (sc_network_change){.number = ++journal->count, .time = wall, .kind = kind, .reason = reason};
  memcpy(change->node, key, SC_KEY_BYTES);
}

/* The common input of all changes in one comparison. */
typedef struct comparison {
  sc_journal *journal;
  uint64_t wall;
  const sc_sample *before, *after;
  const sc_node_pool *pool;
  const sc_journal_cause *cause;
} comparison;

static void note(const comparison *c, sc_network_change_kind kind, sc_network_change_reason reason,
                 const uint8_t *key) {
  sc_journal_note(c->journal, c->wall, kind, reason, key);
}

/* Returns how many left for another reason than the lists: others may have taken their places. */
static size_t note_guards_that_left(const comparison *c) {
  size_t count = 0;
  for (size_t i = 0; i < c->before->count; i++) {
    const sc_guard *guard = &c->before->guards[i];
    bool is_unlisted = guard->unlisted != 0;
    if (sc_sample_has(c->after, guard->key))
      continue;
    note(c, SC_NETWORK_GUARD_LEFT, is_unlisted ? SC_NETWORK_REASON_LISTS : c->cause->left, guard->key);
    count += !is_unlisted;
  }
  return count;
}

static void note_guards_that_came(const comparison *c, size_t replaced) {
  for (size_t i = 0; i < c->after->count; i++) {
    const uint8_t *key = c->after->guards[i].key;
    if (sc_sample_has(c->before, key))
      continue;
    note(c, SC_NETWORK_GUARD_DRAWN, replaced > 0 ? c->cause->left : c->cause->drawn, key);
    replaced -= replaced > 0;
  }
}

static void note_listing(const comparison *c) {
  for (size_t i = 0; i < c->after->count; i++) {
    const sc_guard *guard = &c->after->guards[i];
    for (size_t k = 0; k < c->before->count; k++) {
      const sc_guard *was = &c->before->guards[k];
      if (memcmp(was->key, guard->key, SC_KEY_BYTES) == 0 && (was->unlisted == 0) != (guard->unlisted == 0))
        note(c, guard->unlisted == 0 ? SC_NETWORK_GUARD_LISTED : SC_NETWORK_GUARD_UNLISTED,
             SC_NETWORK_REASON_LISTS, guard->key);
    }
  }
}

static sc_network_change_reason reason_of_middle(const comparison *c, const uint8_t *key) {
  if (c->cause->failed != NULL && memcmp(c->cause->failed, key, SC_KEY_BYTES) == 0)
    return SC_NETWORK_REASON_PATHS;
  return sc_node_pool_find(c->pool, key) == NULL ? SC_NETWORK_REASON_LISTS : c->cause->left;
}

static void note_middles(const comparison *c) {
  size_t replaced = 0;
  for (size_t i = 0; i < c->before->middle_count; i++) {
    const uint8_t *key = c->before->middles[i].key;
    if (sc_sample_has_middle(c->after, key))
      continue;
    note(c, SC_NETWORK_MIDDLE_LEFT, reason_of_middle(c, key), key);
    replaced++;
  }
  for (size_t i = 0; i < c->after->middle_count; i++) {
    const uint8_t *key = c->after->middles[i].key;
    if (sc_sample_has_middle(c->before, key))
      continue;
    note(c, SC_NETWORK_MIDDLE_DRAWN, replaced > 0 ? c->cause->left : c->cause->drawn, key);
    replaced -= replaced > 0;
  }
}

void sc_journal_compare(sc_journal *journal, uint64_t wall, const sc_sample *before, const sc_sample *after,
                        const sc_node_pool *pool, const sc_journal_cause *cause) {
  const comparison c = {journal, wall, before, after, pool, cause};
  size_t replaced = note_guards_that_left(&c);
  note_guards_that_came(&c, replaced);
  note_listing(&c);
  note_middles(&c);
}

size_t sc_journal_list(sc_network_change *out, size_t capacity, const sc_journal *journal) {
  size_t count = journal->count < SC_NETWORK_MAX_CHANGES ? (size_t)journal->count : SC_NETWORK_MAX_CHANGES;
  for (size_t i = 0; i < count && i < capacity; i++)
    out[i] = journal->list[(journal->count - 1 - i) % SC_NETWORK_MAX_CHANGES];
  return count;
}

static const char *name_at(const char *const *names, size_t count, size_t index) {
  return index < count ? names[index] : "";
}

const char *sc_network_change_kind_name(sc_network_change_kind kind) {
  static const char *const names[] = {
      [SC_NETWORK_GUARD_DRAWN] = "guard drawn",       [SC_NETWORK_GUARD_CONFIRMED] = "guard confirmed",
      [SC_NETWORK_GUARD_UNLISTED] = "guard unlisted", [SC_NETWORK_GUARD_LISTED] = "guard listed",
      [SC_NETWORK_GUARD_SET_BACK] = "guard set back", [SC_NETWORK_GUARD_LEFT] = "guard left",
      [SC_NETWORK_MIDDLE_DRAWN] = "middle drawn",     [SC_NETWORK_MIDDLE_LEFT] = "middle left",
      [SC_NETWORK_NODE_SET_ASIDE] = "node set aside"};
  return name_at(names, sizeof names / sizeof names[0], (size_t)kind);
}

const char *sc_network_change_reason_name(sc_network_change_reason reason) {
  static const char *const names[] = {
      [SC_NETWORK_REASON_START] = "start",  [SC_NETWORK_REASON_LOSS] = "lost file",
      [SC_NETWORK_REASON_NEED] = "need",    [SC_NETWORK_REASON_AGE] = "age",
      [SC_NETWORK_REASON_LISTS] = "lists",  [SC_NETWORK_REASON_PATHS] = "failed paths",
      [SC_NETWORK_REASON_REPLY] = "reply",  [SC_NETWORK_REASON_FILE] = "another process",
      [SC_NETWORK_REASON_PERSON] = "person"};
  return name_at(names, sizeof names / sizeof names[0], (size_t)reason);
}
