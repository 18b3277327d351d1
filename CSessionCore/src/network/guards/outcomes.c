#include "outcomes.h"

#include "../moment.h"
#include "session-core/network/node_options.h"

static const uint64_t minute = 60 * SC_NODE_SECOND;
static const uint64_t hour = 3600 * SC_NODE_SECOND;
static const uint64_t day = 24 * 3600 * SC_NODE_SECOND;

static bool is_key(const uint8_t *a, const uint8_t *b) {
  return memcmp(a, b, SC_KEY_BYTES) == 0;
}

/* ---- pairs ---- */

static const sc_outcome_pair *find_pair(const sc_outcomes *outcomes, const uint8_t *guard,
                                        const uint8_t *middle) {
  for (size_t i = 0; i < outcomes->count; i++)
    if (is_key(outcomes->pairs[i].guard, guard) && is_key(outcomes->pairs[i].middle, middle))
      return &outcomes->pairs[i];
  return NULL;
}

static uint64_t used_at(const sc_outcome_pair *pair) {
  return pair->count > 0 ? pair->list[0].at : 0;
}

static sc_outcome_pair *new_pair(sc_outcomes *outcomes) {
  if (outcomes->count < sc_outcomes_pairs)
    return &outcomes->pairs[outcomes->count++];
  sc_outcome_pair *oldest = &outcomes->pairs[0];
  for (size_t i = 1; i < outcomes->count; i++)
    if (used_at(&outcomes->pairs[i]) < used_at(oldest))
      oldest = &outcomes->pairs[i];
  return oldest;
}

static sc_outcome_pair *obtain_pair(sc_outcomes *outcomes, const sc_outcome_path *path) {
  for (size_t i = 0; i < outcomes->count; i++)
    if (is_key(outcomes->pairs[i].guard, path->guard) && is_key(outcomes->pairs[i].middle, path->middle))
      return &outcomes->pairs[i];
  sc_outcome_pair *pair = new_pair(outcomes);
  *pair = (sc_outcome_pair){.count = 0};
  memcpy(pair->guard, path->guard, SC_KEY_BYTES);
  memcpy(pair->middle, path->middle, SC_KEY_BYTES);
  return pair;
}

static void drop(sc_outcome_pair *pair, size_t index) {
  pair->count--;
  memmove(&pair->list[index], &pair->list[index + 1], (pair->count - index) * sizeof pair->list[0]);
}

/* One last hop counts once, even if it is used often. */
static void note(sc_outcomes *outcomes, const sc_outcome_path *path, bool worked, uint64_t at) {
  sc_outcome_pair *pair = obtain_pair(outcomes, path);
  uint64_t last;
  memcpy(&last, path->last, sizeof last);
  for (size_t i = pair->count; i > 0; i--)
    if (pair->list[i - 1].last == last)
      drop(pair, i - 1);
  if (pair->count == sc_outcomes_window)
    pair->count--;
  memmove(&pair->list[1], &pair->list[0], pair->count * sizeof pair->list[0]);
  pair->list[0] = (sc_outcome){.last = last, .at = at, .worked = worked};
  pair->count++;
}

/* ---- rests ---- */

static sc_outcome_middle *find_middle(sc_outcomes *outcomes, const uint8_t *key) {
  for (size_t i = 0; i < outcomes->middle_count; i++)
    if (is_key(outcomes->middles[i].key, key))
      return &outcomes->middles[i];
  return NULL;
}

static sc_outcome_middle *obtain_middle(sc_outcomes *outcomes, const uint8_t *key) {
  sc_outcome_middle *middle = find_middle(outcomes, key);
  if (middle != NULL)
    return middle;
  if (outcomes->middle_count == sc_sample_most_middles)
    memmove(&outcomes->middles[0], &outcomes->middles[1],
            --outcomes->middle_count * sizeof outcomes->middles[0]);
  middle = &outcomes->middles[outcomes->middle_count++];
  *middle = (sc_outcome_middle){.failures = 0};
  memcpy(middle->key, key, SC_KEY_BYTES);
  return middle;
}

static void note_rest(sc_outcomes *outcomes, const sc_outcome_path *path, uint64_t now) {
  sc_outcome_middle *middle = obtain_middle(outcomes, path->middle);
  if (middle->failures > 0 && is_key(middle->guard, path->guard))
    return;
  memcpy(middle->guard, path->guard, SC_KEY_BYTES);
  if (++middle->failures < 2)
    return;
  middle->skipped_for = middle->skipped_for == 0         ? 10 * minute
                        : middle->skipped_for < 3 * hour ? middle->skipped_for * 2
                                                         : 6 * hour;
  middle->skipped_until = sc_later(now, middle->skipped_for);
  middle->failures = 0;
}

uint64_t sc_outcomes_skipped_until(const sc_outcomes *outcomes, const uint8_t middle[static SC_KEY_BYTES]) {
  for (size_t i = 0; i < outcomes->middle_count; i++)
    if (is_key(outcomes->middles[i].key, middle))
      return outcomes->middles[i].skipped_until;
  return 0;
}

/* ---- what happens ---- */

void sc_outcomes_worked(sc_outcomes *outcomes, const sc_outcome_path *path, uint64_t now) {
  sc_outcome_middle *middle;
  for (size_t i = 0; i < outcomes->waiting_count; i++) {
    note(outcomes, &outcomes->waiting[i].path, false, outcomes->waiting[i].at);
    note_rest(outcomes, &outcomes->waiting[i].path, now);
  }
  outcomes->waiting_count = 0;
  note(outcomes, path, true, now);
  middle = find_middle(outcomes, path->middle);
  if (middle != NULL) {
    middle->failures = 0;
    middle->skipped_for = middle->skipped_until = 0;
  }
}

void sc_outcomes_failed(sc_outcomes *outcomes, const sc_outcome_path *path, uint64_t now) {
  if (outcomes->waiting_count == sc_outcomes_waiting)
    memmove(&outcomes->waiting[0], &outcomes->waiting[1],
            --outcomes->waiting_count * sizeof outcomes->waiting[0]);
  outcomes->waiting[outcomes->waiting_count].path = *path;
  outcomes->waiting[outcomes->waiting_count++].at = now;
}

void sc_outcomes_undo(sc_outcomes *outcomes) {
  outcomes->waiting_count = 0;
}

/* ---- who is to blame ---- */

/* How many of the last outcomes were good; false if there are not enough of them. */
static bool count_good(size_t *good, const sc_outcome_pair *pair, uint64_t now) {
  size_t count = 0;
  *good = 0;
  for (size_t i = 0; i < pair->count; i++) {
    if (now - pair->list[i].at > day)
      continue;
    count++;
    *good += pair->list[i].worked;
  }
  return count == sc_outcomes_window;
}

static bool works(const sc_outcome_pair *pair, uint64_t now) {
  size_t good;
  return count_good(&good, pair, now) && good >= sc_outcomes_many;
}

static bool fails(const sc_outcome_pair *pair, uint64_t now) {
  size_t good;
  return count_good(&good, pair, now) && good <= sc_outcomes_few;
}

static bool works_elsewhere(const sc_outcomes *outcomes, const uint8_t *guard, const uint8_t *middle,
                            uint64_t now) {
  for (size_t i = 0; i < outcomes->count; i++) {
    const sc_outcome_pair *pair = &outcomes->pairs[i];
    if (is_key(pair->middle, middle) && !is_key(pair->guard, guard) && works(pair, now))
      return true;
  }
  return false;
}

bool sc_outcomes_blame_guard(const sc_outcomes *outcomes, const uint8_t guard[static SC_KEY_BYTES],
                             const sc_sample *sample, size_t wanted, uint64_t now) {
  size_t against = 0, enough = wanted < sc_sample_most_middles ? wanted : sc_outcomes_many;
  for (size_t i = 0; i < sample->middle_count; i++) {
    const uint8_t *middle = sample->middles[i].key;
    const sc_outcome_pair *pair = find_pair(outcomes, guard, middle);
    against += pair != NULL && fails(pair, now) && works_elsewhere(outcomes, guard, middle, now);
  }
  return wanted > 0 && against >= enough;
}

static bool another_works(const sc_outcomes *outcomes, const uint8_t *guard, const uint8_t *middle,
                          const sc_sample *sample, uint64_t now) {
  for (size_t i = 0; i < sample->middle_count; i++) {
    const sc_outcome_pair *pair = find_pair(outcomes, guard, sample->middles[i].key);
    if (!is_key(sample->middles[i].key, middle) && pair != NULL && works(pair, now))
      return true;
  }
  return false;
}

bool sc_outcomes_blame_middle(const sc_outcomes *outcomes, const uint8_t middle[static SC_KEY_BYTES],
                              const sc_sample *sample, uint64_t now) {
  enum { guards_needed = 2 };
  size_t guards = 0;
  for (size_t i = 0; i < outcomes->count; i++) {
    const sc_outcome_pair *pair = &outcomes->pairs[i];
    guards += is_key(pair->middle, middle) && fails(pair, now) &&
              another_works(outcomes, pair->guard, middle, sample, now);
  }
  return guards >= guards_needed;
}

void sc_outcomes_forget(sc_outcomes *outcomes, const uint8_t key[static SC_KEY_BYTES]) {
  size_t kept = 0;
  for (size_t i = 0; i < outcomes->count; i++)
    if (!is_key(outcomes->pairs[i].guard, key) && !is_key(outcomes->pairs[i].middle, key))
      outcomes->pairs[kept++] = outcomes->pairs[i];
  outcomes->count = kept;
  sc_outcome_middle *middle = find_middle(outcomes, key);
  if (middle != NULL)
    *middle = outcomes->middles[--outcomes->middle_count];
}
