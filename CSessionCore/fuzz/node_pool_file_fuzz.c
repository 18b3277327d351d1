/* The saved pool: every node that is read can be called, is listed once, and is written as it was read. */
#include "fuzz.h"
#include "network/nodes/pool_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_node_list list, again;
  sc_buffer file, second;
  sc_day_changes changes = {0};
  const sc_day today = 20000;
  REQUIRE(sc_init() == SC_OK);
  sc_node_list_init(&list, fuzz_env());
  sc_node_list_init(&again, fuzz_env());
  sc_buffer_init(&file, fuzz_env());
  sc_buffer_init(&second, fuzz_env());
  REQUIRE(sc_pool_file_read(&list, &changes, today, true, sc_bytes_make(data, size)) == SC_OK);
  for (size_t i = 0; i < sc_node_list_count(&list); i++)
    REQUIRE(sc_node_is_usable(&sc_node_list_nodes(&list)[i], true) &&
            sc_node_list_nodes(&list)[i].first_day <= today);
  REQUIRE(changes.day <= today);
  REQUIRE(sc_pool_file_write(&file, sc_node_list_nodes(&list), sc_node_list_count(&list), &changes) == SC_OK);
  REQUIRE(sc_pool_file_read(&again, &changes, today, true, sc_buffer_bytes(&file)) == SC_OK);
  REQUIRE(sc_node_list_count(&again) == sc_node_list_count(&list) && again.skipped == 0);
  REQUIRE(sc_pool_file_write(&second, sc_node_list_nodes(&again), sc_node_list_count(&again), &changes) ==
          SC_OK);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&file), sc_buffer_bytes(&second)));
  sc_node_list_free(&list);
  sc_node_list_free(&again);
  sc_buffer_free(&file);
  sc_buffer_free(&second);
  return 0;
}
