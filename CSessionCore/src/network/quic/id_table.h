/* Which connection a datagram belongs to: by connection id, or by the token that ends a stateless reset.
 *
 * Peers choose some of the ids, so the table is keyed with random bytes: no peer can aim at a slot. */
#ifndef SC_NETWORK_QUIC_ID_TABLE_H
#define SC_NETWORK_QUIC_ID_TABLE_H

#include "session-core/base/bytes.h"

enum {
  sc_quic_id_bytes = 20, /* of the ids given out here */
  sc_quic_reset_token_bytes = 16,
};

typedef enum sc_quic_id_kind {
  SC_QUIC_ID_CONNECTION,
  SC_QUIC_ID_RESET_TOKEN,
} sc_quic_id_kind;

typedef struct sc_quic_id_entry {
  void *owner; /* NULL: the place is empty */
  uint8_t kind;
  uint8_t len;
  uint8_t bytes[sc_quic_id_bytes];
} sc_quic_id_entry;

typedef struct sc_quic_id_table {
  const sc_env *env;
  sc_quic_id_entry *entries;
  size_t capacity; /* a power of two */
  size_t count;
  size_t last_found; /* the next datagram mostly has the id of the one before */
  uint8_t key[16];
} sc_quic_id_table;

void sc_quic_id_table_init(sc_quic_id_table *table, const sc_env *env);
void sc_quic_id_table_free(sc_quic_id_table *table);

/* `id` has at most sc_quic_id_bytes bytes. One that is there already keeps its owner. */
SC_NODISCARD sc_status sc_quic_id_table_add(sc_quic_id_table *table, sc_quic_id_kind kind, sc_bytes id,
                                            void *owner);

/* Does nothing unless the id is there and belongs to `owner`. */
void sc_quic_id_table_remove(sc_quic_id_table *table, sc_quic_id_kind kind, sc_bytes id, const void *owner);

void *sc_quic_id_table_find(sc_quic_id_table *table, sc_quic_id_kind kind, sc_bytes id);

#endif
