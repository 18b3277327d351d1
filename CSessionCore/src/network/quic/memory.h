/* ngtcp2's memory, from an environment, with a reserve.
 *
 * Debian's ngtcp2 aborts the process in some places if an allocation fails. So failures are hidden from it:
 * the block comes from a reserve, and the caller of ngtcp2 checks for that afterwards and drops the
 * connection. */
#ifndef SC_NETWORK_QUIC_MEMORY_H
#define SC_NETWORK_QUIC_MEMORY_H

#include <ngtcp2/ngtcp2.h>
#include <stdbool.h>

#include "session-core/base/env.h"

enum {
  sc_quic_reserve_blocks = 8,
  sc_quic_reserve_block_bytes = 16384,
};

typedef struct sc_quic_memory {
  ngtcp2_mem mem; /* the allocator for ngtcp2; points back here, so do not move the struct */
  const sc_env *env;
  uint8_t *reserve;
  bool lent[sc_quic_reserve_blocks];
  bool short_of;
} sc_quic_memory;

/* `env` must outlive it. SC_ERR_NO_MEMORY if the reserve cannot be allocated. */
SC_NODISCARD sc_status sc_quic_memory_init(sc_quic_memory *memory, const sc_env *env);
void sc_quic_memory_free(sc_quic_memory *memory);

/* True if an allocation failed since the last call. */
bool sc_quic_memory_was_short(sc_quic_memory *memory);

#endif
