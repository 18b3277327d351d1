#include "network/quic/blocks.h"

#include "support/test.h"

enum {
  least = sc_quic_least_spare_bytes,
  quarter = sc_quic_most_spare_bytes / 4,
};

static void a_spare_block_is_reused(sc_test *t) {
  sc_quic_blocks blocks;
  sc_quic_blocks_init(&blocks, t->env);
  sc_quic_block block = sc_quic_blocks_take(&blocks, 10, 20, least);
  OK(block.bytes != NULL ? SC_OK : SC_ERR_NO_MEMORY);
  CHECK(block.capacity == least);
  const uint8_t *bytes = block.bytes;
  sc_quic_blocks_give_back(&blocks, block);
  CHECK(blocks.count == 1 && blocks.bytes == least);
  block = sc_quic_blocks_take(&blocks, 10, least, 1);
  CHECK(block.bytes == bytes && block.capacity == least && blocks.count == 0 && blocks.bytes == 0);
  sc_quic_blocks_give_back(&blocks, block);
done:
  sc_quic_blocks_clear(&blocks);
}

static void a_spare_block_that_does_not_fit_stays(sc_test *t) {
  sc_quic_blocks blocks;
  sc_quic_block small = {0}, large = {0};
  sc_quic_blocks_init(&blocks, t->env);
  sc_quic_block block = sc_quic_blocks_take(&blocks, 1, 1, 2 * least);
  OK(block.bytes != NULL ? SC_OK : SC_ERR_NO_MEMORY);
  sc_quic_blocks_give_back(&blocks, block);
  small = sc_quic_blocks_take(&blocks, least, 2 * least - 1, least);
  large = sc_quic_blocks_take(&blocks, 2 * least + 1, 4 * least, 3 * least);
  OK(small.bytes != NULL && large.bytes != NULL ? SC_OK : SC_ERR_NO_MEMORY);
  CHECK(blocks.count == 1 && small.capacity == least && large.capacity == 3 * least);
done:
  sc_quic_blocks_give_back(&blocks, small);
  sc_quic_blocks_give_back(&blocks, large);
  sc_quic_blocks_clear(&blocks);
}

static sc_status give_one(sc_quic_blocks *blocks, size_t capacity) {
  sc_quic_block block = {sc_allocate(blocks->env, capacity), capacity};
  if (block.bytes == NULL)
    return SC_ERR_NO_MEMORY;
  sc_quic_blocks_give_back(blocks, block);
  return SC_OK;
}

static void the_number_of_spare_blocks_is_limited(sc_test *t) {
  sc_quic_blocks blocks;
  sc_quic_blocks_init(&blocks, t->env);
  OK(give_one(&blocks, least - 1));
  OK(give_one(&blocks, sc_quic_most_spare_bytes + 1));
  CHECK(blocks.count == 0);
  for (size_t i = 0; i < sc_quic_most_spare_blocks + 2; i++)
    OK(give_one(&blocks, least + i));
  CHECK(blocks.count == sc_quic_most_spare_blocks && blocks.spare[0].capacity == least + 2);
  sc_quic_blocks_clear(&blocks);
  CHECK(blocks.count == 0 && blocks.bytes == 0);
done:
  sc_quic_blocks_clear(&blocks);
}

static void spare_bytes_are_limited_and_the_oldest_blocks_go_first(sc_test *t) {
  sc_quic_blocks blocks;
  sc_quic_blocks_init(&blocks, t->env);
  for (size_t i = 0; i < 4; i++)
    OK(give_one(&blocks, quarter - i));
  CHECK(blocks.count == 4);
  OK(give_one(&blocks, quarter));
  CHECK(blocks.count == 4 && blocks.spare[0].capacity == quarter - 1);
  CHECK(blocks.bytes <= sc_quic_most_spare_bytes);
done:
  sc_quic_blocks_clear(&blocks);
}

SUITE(network_quic_blocks, "network/quic/blocks", {"a spare block is reused", a_spare_block_is_reused},
      {"a spare block that does not fit stays", a_spare_block_that_does_not_fit_stays},
      {"the number of spare blocks is limited", the_number_of_spare_blocks_is_limited},
      {"spare bytes are limited, and the oldest blocks go first",
       spare_bytes_are_limited_and_the_oldest_blocks_go_first});
