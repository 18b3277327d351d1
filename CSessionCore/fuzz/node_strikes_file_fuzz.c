/* Saved strikes: none is to come or forgotten, they are in order, and what is written is what is read. */
#include "fuzz.h"
#include "network/nodes/strikes.h"

static const uint64_t wall = 1700000000000;

static void check(const sc_strikes *strikes) {
  const sc_strike_record *list = strikes->records.records;
  REQUIRE(sc_strikes_nodes(strikes) <= sc_strikes_most_nodes);
  for (size_t i = 0; i < sc_strikes_nodes(strikes); i++) {
    REQUIRE(list[i].count > 0 && list[i].count <= SC_NODE_MAX_STRIKES);
    REQUIRE(sc_key_table_find(&strikes->records, list[i].key) == &list[i]);
    for (size_t j = 0; j < list[i].count; j++) {
      REQUIRE(list[i].times[j] <= wall && wall - list[i].times[j] < strikes->life);
      REQUIRE(j == 0 || list[i].times[j - 1] <= list[i].times[j]);
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_node_options options;
  sc_strikes strikes, again;
  sc_buffer file, second;
  REQUIRE(sc_init() == SC_OK);
  sc_node_options_default(&options, SC_NETWORK_MAIN);
  sc_strikes_init(&strikes, fuzz_env(), &options);
  sc_strikes_init(&again, fuzz_env(), &options);
  sc_buffer_init(&file, fuzz_env());
  sc_buffer_init(&second, fuzz_env());
  REQUIRE(sc_strikes_read(&strikes, wall, sc_bytes_make(data, size)) == SC_OK);
  check(&strikes);
  REQUIRE(sc_strikes_write(&file, &strikes) == SC_OK);
  REQUIRE(sc_strikes_read(&again, wall, sc_buffer_bytes(&file)) == SC_OK);
  check(&again);
  REQUIRE(sc_strikes_write(&second, &again) == SC_OK);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&file), sc_buffer_bytes(&second)));
  sc_strikes_free(&strikes);
  sc_strikes_free(&again);
  sc_buffer_free(&file);
  sc_buffer_free(&second);
  return 0;
}
