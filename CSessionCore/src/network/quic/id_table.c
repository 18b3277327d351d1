#include "id_table.h"

#include <assert.h>

void sc_quic_id_table_init(sc_quic_id_table *table, const sc_env *env) {
  *table = (sc_quic_id_table){.last_found = 0};
  sc_key_table_init(&table->entries, env, sizeof(sc_quic_id_key), sizeof(sc_quic_id_entry));
}

void sc_quic_id_table_free(sc_quic_id_table *table) {
  sc_key_table_free(&table->entries);
}

static sc_quic_id_key key_of(sc_quic_id_kind kind, sc_bytes id) {
  sc_quic_id_key key = {.kind = (uint8_t)kind, .len = (uint8_t)id.len};
  if (id.len > 0)
    memcpy(key.bytes, id.ptr, id.len);
  return key;
}

static sc_quic_id_entry *entry_at(const sc_quic_id_table *table, size_t number) {
  return (sc_quic_id_entry *)table->entries.records + number;
}

sc_status sc_quic_id_table_add(sc_quic_id_table *table, sc_quic_id_kind kind, sc_bytes id, void *owner) {
  assert(id.len <= sc_quic_id_bytes);
  const sc_quic_id_key key = key_of(kind, id);
  void *record;
  bool added;
  sc_status status = sc_key_table_put(&record, &added, &table->entries, &key);
  if (status == SC_OK && added)
    ((sc_quic_id_entry *)record)->owner = owner;
  return status;
}

void sc_quic_id_table_remove(sc_quic_id_table *table, sc_quic_id_kind kind, sc_bytes id, const void *owner) {
  if (id.len > sc_quic_id_bytes)
    return;
  const sc_quic_id_key key = key_of(kind, id);
  const sc_quic_id_entry *entry = sc_key_table_find(&table->entries, &key);
  if (entry != NULL && entry->owner == owner)
    sc_key_table_remove(&table->entries, &key);
}

static bool was_last_found(const sc_quic_id_table *table, const sc_quic_id_key *key) {
  return table->last_found < table->entries.count &&
         memcmp(&entry_at(table, table->last_found)->key, key, sizeof *key) == 0;
}

void *sc_quic_id_table_find(sc_quic_id_table *table, sc_quic_id_kind kind, sc_bytes id) {
  if (id.len > sc_quic_id_bytes)
    return NULL;
  const sc_quic_id_key key = key_of(kind, id);
  if (!was_last_found(table, &key)) {
    const sc_quic_id_entry *entry = sc_key_table_find(&table->entries, &key);
    if (entry == NULL)
      return NULL;
    table->last_found = (size_t)(entry - entry_at(table, 0));
  }
  return entry_at(table, table->last_found)->owner;
}
