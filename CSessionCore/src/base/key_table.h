/* A hash table: an array of records of equal size, each beginning with the bytes of its key, and an index.
 *
 * Peers choose the keys, so the hash has a random seed: no attacker can aim at a slot. Records move when the
 * table grows; their indices stay the same until a record is removed. */
#ifndef SC_SRC_BASE_KEY_TABLE_H
#define SC_SRC_BASE_KEY_TABLE_H

#include <stdbool.h>

#include "session-core/base/bytes.h"

typedef struct sc_key_table {
  const sc_env *env;
  size_t key_size;
  size_t stride;     /* from one record to the next */
  void *records;     /* may be reordered or truncated before sc_key_table_index */
  size_t count;      /* of records */
  size_t capacity;   /* allocated records */
  uint32_t *slots;   /* index of a record + 1, or 0 */
  size_t slot_count; /* a power of two, or 0 */
  uint8_t secret[16];
} sc_key_table;

/* Allocates nothing yet. */
void sc_key_table_init(sc_key_table *table, const sc_env *env, size_t key_size, size_t stride);

/* Releases everything. The table is then empty and can be reused. */
void sc_key_table_free(sc_key_table *table);

/* Reserves memory for `most` records, so that adding them cannot fail. */
SC_NODISCARD sc_status sc_key_table_reserve(sc_key_table *table, size_t most);

/* Returns the record with this key. If there was none, adds one with zeros after the key and sets `*added`,
 * which may be NULL. */
SC_NODISCARD sc_status sc_key_table_put(void **out, bool *added, sc_key_table *table, const void *key);

/* Returns the record with this key, or NULL. */
void *sc_key_table_find(const sc_key_table *table, const void *key);

/* Removes the record with this key, if any. The last record takes its place. */
void sc_key_table_remove(sc_key_table *table, const void *key);

/* Rebuilds the index after the records were reordered or truncated. */
void sc_key_table_index(sc_key_table *table);

#endif
