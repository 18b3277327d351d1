#include "strikes.h"

enum { milliseconds = 1000000 /* nanoseconds in one */ };

void sc_strikes_init(sc_strikes *strikes, const sc_env *env, const sc_node_options *options) {
  *strikes = (sc_strikes){
      .env = env, .struck_out = options->struck_out, .life = options->strike_expiry / milliseconds};
  sc_key_table_init(&strikes->records, env, SC_KEY_BYTES, sizeof(sc_strike_record));
}

void sc_strikes_free(sc_strikes *strikes) {
  sc_key_table_free(&strikes->records);
}

size_t sc_strikes_nodes(const sc_strikes *strikes) {
  return strikes->records.count;
}

/* Drops expired strikes. A future time means that the clock was set back: it would never expire. */
static void prune(const sc_strikes *strikes, sc_strike_record *record, uint64_t wall) {
  size_t kept = 0;
  for (size_t i = 0; i < record->count; i++) {
    uint64_t time = record->times[i] < wall ? record->times[i] : wall;
    if (wall - time < strikes->life)
      record->times[kept++] = time;
  }
  record->count = kept;
}

static uint64_t last_time(const sc_strike_record *record) {
  return record->count == 0 ? 0 : record->times[record->count - 1];
}

/* Of all nodes, the one whose last strike is longest ago makes room. */
static void forget_oldest(sc_key_table *records) {
  sc_strike_record *list = records->records;
  size_t oldest = 0;
  for (size_t i = 1; i < records->count; i++)
    if (last_time(&list[i]) < last_time(&list[oldest]))
      oldest = i;
  list[oldest] = list[--records->count];
  sc_key_table_index(records);
}

static sc_status find_or_add(sc_strike_record **out, sc_strikes *strikes, const uint8_t *key) {
  void *record = sc_key_table_find(&strikes->records, key);
  if (record == NULL && strikes->records.count == sc_strikes_most_nodes)
    forget_oldest(&strikes->records);
  sc_status status = sc_key_table_put(&record, NULL, &strikes->records, key);
  *out = record;
  return status;
}

/* Keeps the times in order and drops the oldest when there are too many. */
static void insert(sc_strike_record *record, uint64_t time) {
  if (record->count == SC_NODE_MAX_STRIKES) {
    if (time <= record->times[0])
      return;
    memmove(record->times, record->times + 1, --record->count * sizeof record->times[0]);
  }
  size_t at = record->count++;
  for (; at > 0 && record->times[at - 1] > time; at--)
    record->times[at] = record->times[at - 1];
  record->times[at] = time;
}

sc_status sc_strikes_add(sc_strikes *strikes, uint64_t wall, const uint8_t key[static SC_KEY_BYTES],
                         bool permanent) {
  sc_strike_record *record;
  sc_status status = find_or_add(&record, strikes, key);
  if (status != SC_OK)
    return status;
  prune(strikes, record, wall);
  for (size_t more = permanent ? strikes->struck_out : 1; more > 0; more--)
    insert(record, wall);
  return SC_OK;
}

sc_status sc_strikes_insert(sc_strikes *strikes, uint64_t wall, uint64_t time,
                            const uint8_t key[static SC_KEY_BYTES]) {
  sc_strike_record *record;
  time = time < wall ? time : wall;
  if (wall - time >= strikes->life)
    return SC_OK;
  sc_status status = find_or_add(&record, strikes, key);
  if (status == SC_OK)
    insert(record, time);
  return status;
}

size_t sc_strikes_count(sc_strikes *strikes, uint64_t wall, const uint8_t key[static SC_KEY_BYTES]) {
  sc_strike_record *record = sc_key_table_find(&strikes->records, key);
  if (record == NULL)
    return 0;
  prune(strikes, record, wall);
  return record->count;
}

bool sc_strikes_is_out(sc_strikes *strikes, uint64_t wall, const uint8_t key[static SC_KEY_BYTES]) {
  return sc_strikes_count(strikes, wall, key) >= strikes->struck_out;
}

void sc_strikes_prune(sc_strikes *strikes, uint64_t wall) {
  sc_strike_record *list = strikes->records.records;
  size_t kept = 0;
  for (size_t i = 0; i < strikes->records.count; i++) {
    prune(strikes, &list[i], wall);
    if (list[i].count > 0)
      list[kept++] = list[i];
  }
  strikes->records.count = kept;
  sc_key_table_index(&strikes->records);
}
