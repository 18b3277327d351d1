#include "network/quic/memory.h"

#include "support/test.h"
#include "support/test_env.h"

static void a_failed_allocation_is_served_from_the_reserve(sc_test *t) {
  sc_test_env poor;
  sc_quic_memory memory;
  void *blocks[sc_quic_reserve_blocks] = {0};
  sc_test_env_init(&poor, 1);
  OK(sc_quic_memory_init(&memory, &poor.env));
  CHECK(!sc_quic_memory_was_short(&memory));
  for (size_t round = 0; round < 3; round++) {
    for (size_t i = 0; i < sc_quic_reserve_blocks; i++) {
      poor.fail_at = poor.allocations + 1;
      blocks[i] = memory.mem.calloc(10, 100, memory.mem.user_data);
      CHECK(blocks[i] != NULL);
      CHECK(sc_quic_memory_was_short(&memory) && !sc_quic_memory_was_short(&memory));
      memset(blocks[i], 1, 1000);
    }
    poor.fail_at = poor.allocations + 1;
    CHECK(memory.mem.malloc(1, memory.mem.user_data) == NULL);
    for (size_t i = 0; i < sc_quic_reserve_blocks; i++)
      memory.mem.free(blocks[i], memory.mem.user_data);
  }
  poor.fail_at = poor.allocations + 1;
  CHECK(memory.mem.malloc(sc_quic_reserve_block_bytes + 1, memory.mem.user_data) == NULL);
done:
  sc_quic_memory_free(&memory);
  if (poor.live != 0)
    sc_test_fail(t, __FILE__, __LINE__, "all was given back");
}

static void reallocation_keeps_the_content(sc_test *t) {
  sc_quic_memory memory;
  OK(sc_quic_memory_init(&memory, t->env));
  uint8_t *block = memory.mem.realloc(NULL, 100, memory.mem.user_data);
  CHECK(block != NULL);
  memset(block, 7, 100);
  block = memory.mem.realloc(block, 5000, memory.mem.user_data);
  CHECK(block != NULL && block[0] == 7 && block[99] == 7);
  block = memory.mem.realloc(block, 50, memory.mem.user_data);
  CHECK(block != NULL && block[49] == 7);
  memory.mem.free(block, memory.mem.user_data);
  CHECK(memory.mem.calloc(SIZE_MAX / 2, 3, memory.mem.user_data) == NULL);
  CHECK(memory.mem.malloc(SIZE_MAX, memory.mem.user_data) == NULL);
  if (sc_quic_memory_was_short(&memory))
    t->out_of_memory = t->torture;
done:
  sc_quic_memory_free(&memory);
}

SUITE(network_quic_memory, "network/quic/memory",
      {"a failed allocation is served from the reserve", a_failed_allocation_is_served_from_the_reserve},
      {"reallocation keeps the content", reallocation_keeps_the_content});
