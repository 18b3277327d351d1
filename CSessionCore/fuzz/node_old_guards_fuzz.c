/* Saved first nodes of paths: each can be called, is there once, is young enough, and is written as it is
 * read. */
#include "fuzz.h"
#include "network/nodes/old_guards.h"

static const uint64_t wall = 1700000000000;

static void check(const sc_old_guards *guards, const sc_node_options *options) {
  REQUIRE(guards->count <= sc_old_guards_most);
  for (size_t i = 0; i < guards->count; i++) {
    const sc_old_guard *guard = &guards->list[i];
    REQUIRE(sc_node_is_usable(&guard->node, options->private_addresses));
    REQUIRE(guard->since <= wall && wall - guard->since < options->old_guard_expiry / 1000000);
    for (size_t j = 0; j < i; j++)
      REQUIRE(!sc_node_same(&guard->node, &guards->list[j].node));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_node_options options;
  sc_old_guards guards, again;
  sc_buffer file, second;
  REQUIRE(sc_init() == SC_OK);
  sc_node_options_default(&options, SC_NETWORK_PRIVATE);
  sc_buffer_init(&file, fuzz_env());
  sc_buffer_init(&second, fuzz_env());
  sc_status status = sc_old_guards_read(&guards, &options, wall, sc_bytes_make(data, size));
  REQUIRE(status == (size > SC_OLD_GUARDS_FILE_MOST ? SC_ERR_TOO_LARGE : SC_OK));
  check(&guards, &options);
  REQUIRE(sc_old_guards_write(&file, &guards) == SC_OK);
  REQUIRE(sc_old_guards_read(&again, &options, wall, sc_buffer_bytes(&file)) == SC_OK);
  REQUIRE(again.count == guards.count);
  REQUIRE(sc_old_guards_write(&second, &again) == SC_OK);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&file), sc_buffer_bytes(&second)));
  sc_buffer_free(&file);
  sc_buffer_free(&second);
  return 0;
}
