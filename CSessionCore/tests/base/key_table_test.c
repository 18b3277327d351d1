#include "base/key_table.h"

#include "support/test.h"

enum { record_count = 500 };

typedef struct entry {
  uint8_t key[SC_KEY_BYTES];
  uint32_t value;
} entry;

static void key_of(uint8_t out[static SC_KEY_BYTES], uint32_t i) {
  memset(out, 0, SC_KEY_BYTES);
  memcpy(out + 20, &i, sizeof i);
}

static void records_are_found_by_key(sc_test *t) {
  sc_key_table table;
  uint8_t key[SC_KEY_BYTES];
  void *record;
  bool added;
  sc_key_table_init(&table, t->env, SC_KEY_BYTES, sizeof(entry));
  key_of(key, 1);
  CHECK(sc_key_table_find(&table, key) == NULL);
  for (uint32_t i = 0; i < record_count; i++) {
    key_of(key, i);
    OK(sc_key_table_put(&record, &added, &table, key));
    CHECK(added && ((entry *)record)->value == 0);
    ((entry *)record)->value = i;
  }
  for (uint32_t i = 0; i < record_count; i++) {
    key_of(key, i);
    CHECK(((entry *)sc_key_table_find(&table, key))->value == i);
  }
  key_of(key, record_count);
  CHECK(sc_key_table_find(&table, key) == NULL && table.count == record_count);
done:
  sc_key_table_free(&table);
}

static void a_key_has_one_record(sc_test *t) {
  sc_key_table table;
  uint8_t key[SC_KEY_BYTES] = {1};
  void *first, *second;
  bool added;
  sc_key_table_init(&table, t->env, SC_KEY_BYTES, sizeof(entry));
  OK(sc_key_table_put(&first, NULL, &table, key));
  OK(sc_key_table_put(&second, &added, &table, key));
  CHECK(first == second && !added && table.count == 1);
done:
  sc_key_table_free(&table);
}

static void adding_within_reserved_space_cannot_fail(sc_test *t) {
  sc_key_table table;
  uint8_t key[SC_KEY_BYTES];
  void *record;
  sc_key_table_init(&table, t->env, SC_KEY_BYTES, sizeof(entry));
  OK(sc_key_table_reserve(&table, 100));
  const void *records = table.records;
  for (uint32_t i = 0; i < 100; i++) {
    key_of(key, i);
    OK(sc_key_table_put(&record, NULL, &table, key));
  }
  CHECK(table.records == records);
done:
  sc_key_table_free(&table);
}

static void records_may_be_moved_and_truncated(sc_test *t) {
  sc_key_table table;
  uint8_t key[SC_KEY_BYTES];
  void *record;
  sc_key_table_init(&table, t->env, SC_KEY_BYTES, sizeof(entry));
  for (uint32_t i = 0; i < 10; i++) {
    key_of(key, i);
    OK(sc_key_table_put(&record, NULL, &table, key));
    ((entry *)record)->value = i;
  }
  entry *entries = table.records;
  entries[0] = entries[9];
  table.count = 9;
  sc_key_table_index(&table);
  key_of(key, 9);
  CHECK(sc_key_table_find(&table, key) == &entries[0]);
  key_of(key, 0);
  CHECK(sc_key_table_find(&table, key) == NULL);
  key_of(key, 5);
  CHECK(((entry *)sc_key_table_find(&table, key))->value == 5);
done:
  sc_key_table_free(&table);
}

static void a_removed_record_is_gone_and_the_others_are_found(sc_test *t) {
  sc_key_table table;
  uint8_t key[SC_KEY_BYTES];
  void *record;
  sc_key_table_init(&table, t->env, SC_KEY_BYTES, sizeof(entry));
  for (uint32_t i = 0; i < record_count; i++) {
    key_of(key, i);
    OK(sc_key_table_put(&record, NULL, &table, key));
    ((entry *)record)->value = i;
  }
  for (uint32_t i = 0; i < record_count; i += 3) {
    key_of(key, i);
    sc_key_table_remove(&table, key);
    sc_key_table_remove(&table, key);
  }
  for (uint32_t i = 0; i < record_count; i++) {
    key_of(key, i);
    const entry *found = sc_key_table_find(&table, key);
    CHECK(i % 3 == 0 ? found == NULL : found != NULL && found->value == i);
  }
  CHECK(table.count == record_count - (record_count + 2) / 3);
done:
  sc_key_table_free(&table);
}

SUITE(base_key_table, "base/key_table", {"records are found by key", records_are_found_by_key},
      {"a key has one record", a_key_has_one_record},
      {"a removed record is gone, and the others are found",
       a_removed_record_is_gone_and_the_others_are_found},
      {"adding within reserved space cannot fail", adding_within_reserved_space_cannot_fail},
      {"records may be moved and truncated", records_may_be_moved_and_truncated});
