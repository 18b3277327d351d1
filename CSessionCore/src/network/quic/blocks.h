/* A cache of large memory blocks. A new block costs a page fault per 4 KiB, which takes longer than filling
 * it.
 *
 * The cache is bounded, and its owner empties it when idle. */
#ifndef SC_NETWORK_QUIC_BLOCKS_H
#define SC_NETWORK_QUIC_BLOCKS_H

#include "session-core/base/bytes.h"

enum {
  sc_quic_most_spare_blocks = 8,
  sc_quic_least_spare_bytes = 64 * 1024,       /* smaller blocks are not worth keeping */
  sc_quic_most_spare_bytes = 16 * 1024 * 1024, /* total size */
};

typedef struct sc_quic_block {
  uint8_t *bytes;
  size_t capacity;
} sc_quic_block;

typedef struct sc_quic_blocks {
  const sc_env *env;
  sc_quic_block spare[sc_quic_most_spare_blocks]; /* the oldest first */
  size_t count;
  size_t bytes;
} sc_quic_blocks;

void sc_quic_blocks_init(sc_quic_blocks *blocks, const sc_env *env);

/* Empties the cache; blocks in use are not affected. */
void sc_quic_blocks_clear(sc_quic_blocks *blocks);

/* Returns a cached block of `least` to `most` bytes, or a new one of `fresh` bytes; NULL without memory. */
sc_quic_block sc_quic_blocks_take(sc_quic_blocks *blocks, size_t least, size_t most, size_t fresh);
void sc_quic_blocks_give_back(sc_quic_blocks *blocks, sc_quic_block block);

#endif
