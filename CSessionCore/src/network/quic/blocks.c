#include "blocks.h"

void sc_quic_blocks_init(sc_quic_blocks *blocks, const sc_env *env) {
  *blocks = (sc_quic_blocks){.env = env};
}

static sc_quic_block take_at(sc_quic_blocks *blocks, size_t at) {
  sc_quic_block block = blocks->spare[at];
  blocks->count--;
  blocks->bytes -= block.capacity;
  memmove(&blocks->spare[at], &blocks->spare[at + 1], (blocks->count - at) * sizeof blocks->spare[0]);
  return block;
}

void sc_quic_blocks_clear(sc_quic_blocks *blocks) {
  while (blocks->count > 0)
    sc_release(blocks->env, take_at(blocks, blocks->count - 1).bytes);
}

sc_quic_block sc_quic_blocks_take(sc_quic_blocks *blocks, size_t least, size_t most, size_t fresh) {
  for (size_t i = blocks->count; i-- > 0;)
    if (blocks->spare[i].capacity >= least && blocks->spare[i].capacity <= most)
      return take_at(blocks, i);
  return (sc_quic_block){.bytes = sc_allocate(blocks->env, fresh), .capacity = fresh};
}

void sc_quic_blocks_give_back(sc_quic_blocks *blocks, sc_quic_block block) {
  if (block.capacity < sc_quic_least_spare_bytes || block.capacity > sc_quic_most_spare_bytes) {
    sc_release(blocks->env, block.bytes);
    return;
  }
  while (blocks->count == sc_quic_most_spare_blocks ||
         blocks->bytes + block.capacity > sc_quic_most_spare_bytes)
    sc_release(blocks->env, take_at(blocks, 0).bytes);
  blocks->spare[blocks->count++] = block;
  blocks->bytes += block.capacity;
}
