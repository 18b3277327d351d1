#include "key_table.h"

#include <assert.h>
#include <sodium.h>

enum { smallest_capacity = 16 };

void sc_key_table_init(sc_key_table *table, const sc_env *env, size_t key_size, size_t stride) {
  *table = (sc_key_table){.env = env, .key_size = key_size, .stride = stride};
  sc_random(env, table->secret, sizeof table->secret);
}

void sc_key_table_free(sc_key_table *table) {
  sc_release(table->env, table->records);
  sc_release(table->env, table->slots);
  table->records = NULL;
  table->slots = NULL;
  table->count = table->capacity = table->slot_count = 0;
}

static uint8_t *record_at(const sc_key_table *table, size_t number) {
  return (uint8_t *)table->records + number * table->stride;
}

/* The slot where a search for the key begins. */
static size_t home(const sc_key_table *table, const void *key) {
  uint64_t hash;
  static_assert(sizeof hash == crypto_shorthash_BYTES && sizeof table->secret == crypto_shorthash_KEYBYTES,
                "one word of hash");
  crypto_shorthash((uint8_t *)&hash, key, table->key_size, table->secret);
  return (size_t)hash & (table->slot_count - 1);
}

/* The slot of the key, or the empty one where it would be. */
static size_t locate(const sc_key_table *table, const void *key) {
  for (size_t at = home(table, key);; at = (at + 1) & (table->slot_count - 1)) {
    uint32_t slot = table->slots[at];
    if (slot == 0 || memcmp(record_at(table, slot - 1), key, table->key_size) == 0)
      return at;
  }
}

void sc_key_table_index(sc_key_table *table) {
  if (table->slot_count == 0)
    return;
  memset(table->slots, 0, table->slot_count * sizeof *table->slots);
  for (size_t i = 0; i < table->count; i++)
    table->slots[locate(table, record_at(table, i))] = (uint32_t)i + 1;
}

sc_status sc_key_table_reserve(sc_key_table *table, size_t most) {
  if (most <= table->capacity)
    return SC_OK;
  size_t capacity = smallest_capacity;
  while (capacity < most)
    capacity *= 2;
  /* Half of the slots stay empty, so that a search ends soon. */
  sc_key_table larger = *table;
  larger.capacity = capacity;
  larger.slot_count = 2 * capacity;
  larger.records = sc_allocate(table->env, capacity * table->stride);
  larger.slots = sc_allocate(table->env, larger.slot_count * sizeof *larger.slots);
  if (larger.records == NULL || larger.slots == NULL) {
    sc_key_table_free(&larger);
    return SC_ERR_NO_MEMORY;
  }
  if (table->count > 0)
    memcpy(larger.records, table->records, table->count * table->stride);
  sc_key_table_index(&larger);
  sc_key_table_free(table);
  *table = larger;
  return SC_OK;
}

sc_status sc_key_table_put(void **out, bool *added, sc_key_table *table, const void *key) {
  void *record = sc_key_table_find(table, key);
  if (added != NULL)
    *added = record == NULL;
  if (record == NULL) {
    sc_status status = sc_key_table_reserve(table, table->count + 1);
    if (status != SC_OK)
      return status;
    record = record_at(table, table->count);
    memset(record, 0, table->stride);
    memcpy(record, key, table->key_size);
    table->slots[locate(table, key)] = (uint32_t)++table->count;
  }
  *out = record;
  return SC_OK;
}

void *sc_key_table_find(const sc_key_table *table, const void *key) {
  if (table->slot_count == 0)
    return NULL;
  uint32_t slot = table->slots[locate(table, key)];
  return slot == 0 ? NULL : record_at(table, slot - 1);
}

/* Empties a slot, and moves up what would not be found behind the gap. */
static void close_gap(sc_key_table *table, size_t gap) {
  size_t mask = table->slot_count - 1;
  for (size_t at = (gap + 1) & mask; table->slots[at] != 0; at = (at + 1) & mask) {
    size_t from_home = (at - home(table, record_at(table, table->slots[at] - 1))) & mask;
    if (from_home >= ((at - gap) & mask)) {
      table->slots[gap] = table->slots[at];
      gap = at;
    }
  }
  table->slots[gap] = 0;
}

void sc_key_table_remove(sc_key_table *table, const void *key) {
  if (table->count == 0)
    return;
  size_t at = locate(table, key);
  uint32_t slot = table->slots[at];
  if (slot == 0)
    return;
  close_gap(table, at);
  const uint8_t *last = record_at(table, table->count - 1);
  if (slot != table->count) {
    table->slots[locate(table, last)] = slot;
    memcpy(record_at(table, slot - 1), last, table->stride);
  }
  table->count--;
}
