#include "key_table.h"

#include <assert.h>
#include <sodium.h>

enum { smallest_capacity = 16 };

void sc_key_table_init(sc_key_table *table, const sc_env *env, size_t stride) {
  *table = (sc_key_table){.env = env, .stride = stride};
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

/* The slot of the key, or the empty one where it would be. */
static uint32_t *locate(const sc_key_table *table, const uint8_t *key) {
  uint64_t hash;
  static_assert(sizeof hash == crypto_shorthash_BYTES && sizeof table->secret == crypto_shorthash_KEYBYTES,
                "one word of hash");
  crypto_shorthash((uint8_t *)&hash, key, SC_KEY_BYTES, table->secret);
  for (size_t at = (size_t)hash & (table->slot_count - 1);; at = (at + 1) & (table->slot_count - 1)) {
    uint32_t *slot = &table->slots[at];
    if (*slot == 0 || memcmp(record_at(table, *slot - 1), key, SC_KEY_BYTES) == 0)
      return slot;
  }
}

void sc_key_table_index(sc_key_table *table) {
  if (table->slot_count == 0)
    return;
  memset(table->slots, 0, table->slot_count * sizeof *table->slots);
  for (size_t i = 0; i < table->count; i++)
    *locate(table, record_at(table, i)) = (uint32_t)i + 1;
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

sc_status sc_key_table_put(void **out, bool *added, sc_key_table *table,
                           const uint8_t key[static SC_KEY_BYTES]) {
  void *record = sc_key_table_find(table, key);
  if (added != NULL)
    *added = record == NULL;
  if (record == NULL) {
    sc_status status = sc_key_table_reserve(table, table->count + 1);
    if (status != SC_OK)
      return status;
    record = record_at(table, table->count);
    memset(record, 0, table->stride);
    memcpy(record, key, SC_KEY_BYTES);
    *locate(table, key) = (uint32_t)++table->count;
  }
  *out = record;
  return SC_OK;
}

void *sc_key_table_find(const sc_key_table *table, const uint8_t key[static SC_KEY_BYTES]) {
  if (table->slot_count == 0)
    return NULL;
  uint32_t slot = *locate(table, key);
  return slot == 0 ? NULL : record_at(table, slot - 1);
}
