/* The input is a saved state of the keys of a group. Its first byte says whose; what can be read is saved,
 * and goes on living: messages are made and loaded, and everything still holds. */
#include "group_keys.h"

enum { longest_input = 16 * 1024 };

static void live_on(sc_group_keys *keys) {
  const fuzz_group *group = fuzz_the_group();
  sc_buffer message;
  bool found;
  sc_buffer_init(&message, fuzz_env());
  sc_status status = sc_group_keys_rekey(keys, group->members, fuzz_people);
  REQUIRE(status == SC_OK || status == SC_ERR_CONFIG_READ_ONLY || status == SC_ERR_GROUP_GENERATION);
  if (status == SC_OK) {
    REQUIRE(sc_buffer_append(&message, sc_group_keys_pending(keys)) == SC_OK);
    REQUIRE(sc_group_keys_load(&found, keys, sc_bytes_text("hash"), sc_buffer_bytes(&message), 1,
                               UINT64_MAX) == SC_OK);
    REQUIRE(found && sc_group_keys_pending(keys).len == 0);
  }
  status = sc_group_keys_supplement(&message, keys, group->members, fuzz_people);
  REQUIRE(status != SC_OK || message.len <= SC_STORED_MAX_BYTES);
  fuzz_check_keys(keys);
  sc_buffer_free(&message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > longest_input)
    return 0;
  sc_bytes input = sc_bytes_make(data, size);
  int person = fuzz_take_byte(&input) % fuzz_people;
  sc_group_keys *keys;
  sc_status status = fuzz_join(&keys, person, input);
  REQUIRE(status == SC_OK || status == SC_ERR_CONFIG_DUMP);
  if (status != SC_OK)
    return 0;
  fuzz_check_keys(keys);
  keys = fuzz_save_and_load(keys, person);
  live_on(keys);
  keys = fuzz_save_and_load(keys, person);
  sc_group_keys_free(keys);
  return 0;
}
