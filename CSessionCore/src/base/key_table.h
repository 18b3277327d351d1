/* A hash table: an array of records of one size, each beginning with the bytes of its key, and a way to find
 * them.
 *
 * Others choose the keys, so the hash is seeded at random: no attacker can aim at a slot. Records move when
 * the table grows; their numbers stay until one is removed. */
#ifndef SC_SRC_BASE_KEY_TABLE_H
#define SC_SRC_BASE_KEY_TABLE_H

#include <stdbool.h>

#include "session-core/base/bytes.h"

typedef struct sc_key_table {
  const sc_env *env;
  size_t key_size;
  size_t stride;     /* from one record to the next */
  void *records;     /* may be put in another order, or cut off, before sc_key_table_index */
  size_t count;      /* of records */
  size_t capacity;   /* records there is room for */
  uint32_t *slots;   /* a record's number + 1, or 0 */
  size_t slot_count; /* a power of two, or 0 */
  uint8_t secret[16];
} sc_key_table;

/* Takes no memory yet. */
void sc_key_table_init(sc_key_table *table, const sc_env *env, size_t key_size, size_t stride);

/* Releases everything; the table is empty and may be used again. */
void sc_key_table_free(sc_key_table *table);

/* Makes room for `most` records, so that putting them cannot fail. */
SC_NODISCARD sc_status sc_key_table_reserve(sc_key_table *table, size_t most);

/* The record with this key; a new one, zeros behind its key, when there was none. `*added` says which; it
 * may be NULL. */
SC_NODISCARD sc_status sc_key_table_put(void **out, bool *added, sc_key_table *table, const void *key);

/* NULL when there is none. */
void *sc_key_table_find(const sc_key_table *table, const void *key);

/* Does nothing when there is none. The last record takes its place. */
void sc_key_table_remove(sc_key_table *table, const void *key);

/* Finds the records where they are now. */
void sc_key_table_index(sc_key_table *table);

#endif
