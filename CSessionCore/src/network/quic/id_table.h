/* Finds the connection of a datagram by connection id, or by the token of a stateless reset. */
#ifndef SC_NETWORK_QUIC_ID_TABLE_H
#define SC_NETWORK_QUIC_ID_TABLE_H

#include "../../base/key_table.h"

enum {
  sc_quic_id_bytes = 20, /* size of the ids issued by this side */
  sc_quic_reset_token_bytes = 16,
};

typedef enum sc_quic_id_kind {
  SC_QUIC_ID_CONNECTION,
  SC_QUIC_ID_RESET_TOKEN,
} sc_quic_id_kind;

typedef struct sc_quic_id_key {
  uint8_t kind;
  uint8_t len;
  uint8_t bytes[sc_quic_id_bytes]; /* zeros after the id */
} sc_quic_id_key;

typedef struct sc_quic_id_entry {
  sc_quic_id_key key;
  void *owner;
} sc_quic_id_entry;

typedef struct sc_quic_id_table {
  sc_key_table entries;
  size_t last_found; /* a cache: consecutive datagrams usually have the same id */
} sc_quic_id_table;

void sc_quic_id_table_init(sc_quic_id_table *table, const sc_env *env);
void sc_quic_id_table_free(sc_quic_id_table *table);

/* `id` has at most sc_quic_id_bytes bytes. An existing entry keeps its owner. */
SC_NODISCARD sc_status sc_quic_id_table_add(sc_quic_id_table *table, sc_quic_id_kind kind, sc_bytes id,
                                            void *owner);

/* Removes the id, if it belongs to `owner`. */
void sc_quic_id_table_remove(sc_quic_id_table *table, sc_quic_id_kind kind, sc_bytes id, const void *owner);

void *sc_quic_id_table_find(sc_quic_id_table *table, sc_quic_id_kind kind, sc_bytes id);

#endif
