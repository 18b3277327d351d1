#include "id_table.h"

#include <assert.h>
#include <sodium.h>
#include <stdbool.h>

enum { smallest_capacity = 16 };

void sc_quic_id_table_init(sc_quic_id_table *table, const sc_env *env) {
  *table = (sc_quic_id_table){.env = env};
  sc_random(env, table->key, sizeof table->key);
}

void sc_quic_id_table_free(sc_quic_id_table *table) {
  sc_release(table->env, table->entries);
  *table = (sc_quic_id_table){.env = table->env};
}

static size_t home(const sc_quic_id_table *table, sc_bytes id) {
  uint64_t hash;
  static_assert(sizeof hash == crypto_shorthash_BYTES && sizeof table->key == crypto_shorthash_KEYBYTES,
                "one word of hash");
  crypto_shorthash((uint8_t *)&hash, id.ptr, id.len, table->key);
  return (size_t)hash & (table->capacity - 1);
}

static bool has_id(const sc_quic_id_entry *entry, sc_quic_id_kind kind, sc_bytes id) {
  return entry->owner != NULL && entry->kind == kind && entry->len == id.len &&
         memcmp(entry->bytes, id.ptr, id.len) == 0;
}

/* Where the id is, or the empty place where it would be. */
static size_t locate(const sc_quic_id_table *table, sc_quic_id_kind kind, sc_bytes id) {
  size_t at = home(table, id);
  for (;; at = (at + 1) & (table->capacity - 1)) {
    const sc_quic_id_entry *entry = &table->entries[at];
    if (entry->owner == NULL || has_id(entry, kind, id))
      return at;
  }
}

static sc_status grow(sc_quic_id_table *table) {
  if (table->count + 1 <= table->capacity / 4 * 3)
    return SC_OK;
  sc_quic_id_table larger = *table;
  larger.capacity = table->capacity == 0 ? smallest_capacity : table->capacity * 2;
  larger.entries = sc_allocate(table->env, larger.capacity * sizeof *larger.entries);
  if (larger.entries == NULL)
    return SC_ERR_NO_MEMORY;
  memset(larger.entries, 0, larger.capacity * sizeof *larger.entries);
  for (size_t i = 0; i < table->capacity; i++) {
    const sc_quic_id_entry *entry = &table->entries[i];
    if (entry->owner != NULL)
      larger.entries[locate(&larger, entry->kind, sc_bytes_make(entry->bytes, entry->len))] = *entry;
  }
  sc_release(table->env, table->entries);
  *table = larger;
  return SC_OK;
}

sc_status sc_quic_id_table_add(sc_quic_id_table *table, sc_quic_id_kind kind, sc_bytes id, void *owner) {
  assert(id.len <= sc_quic_id_bytes);
  sc_status status = grow(table);
  if (status != SC_OK)
    return status;
  sc_quic_id_entry *entry = &table->entries[locate(table, kind, id)];
  if (entry->owner != NULL)
    return SC_OK;
  *entry = (sc_quic_id_entry){.owner = owner, .kind = (uint8_t)kind, .len = (uint8_t)id.len};
  memcpy(entry->bytes, id.ptr, id.len);
  table->count++;
  return SC_OK;
}

/* Closes the gap, so that everything behind is still found from its home. */
static void close_gap(sc_quic_id_table *table, size_t gap) {
  size_t mask = table->capacity - 1;
  for (size_t at = (gap + 1) & mask; table->entries[at].owner != NULL; at = (at + 1) & mask) {
    const sc_quic_id_entry *entry = &table->entries[at];
    size_t from_home = (at - home(table, sc_bytes_make(entry->bytes, entry->len))) & mask;
    if (from_home >= ((at - gap) & mask)) {
      table->entries[gap] = *entry;
      gap = at;
    }
  }
  table->entries[gap] = (sc_quic_id_entry){0};
}

void sc_quic_id_table_remove(sc_quic_id_table *table, sc_quic_id_kind kind, sc_bytes id, const void *owner) {
  if (table->count == 0 || id.len > sc_quic_id_bytes)
    return;
  size_t at = locate(table, kind, id);
  if (table->entries[at].owner == NULL || table->entries[at].owner != owner)
    return;
  close_gap(table, at);
  table->count--;
}

/* No id is in two places, so wherever the last one was, an entry there that fits is the one. */
void *sc_quic_id_table_find(sc_quic_id_table *table, sc_quic_id_kind kind, sc_bytes id) {
  if (table->count == 0 || id.len > sc_quic_id_bytes)
    return NULL;
  if (!has_id(&table->entries[table->last_found], kind, id)) {
    size_t at = locate(table, kind, id);
    if (table->entries[at].owner == NULL)
      return NULL;
    table->last_found = at;
  }
  return table->entries[table->last_found].owner;
}
