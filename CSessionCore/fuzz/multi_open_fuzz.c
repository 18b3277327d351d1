/* The first byte chooses: the rest is a blob, or it is a message that is sealed for two and then damaged. */
#include "sealed.h"

static sc_keypair from;
static sc_keypair people[2];

static void check_genuine(sc_bytes input) {
  sc_buffer blob, opened;
  sc_buffer_init(&blob, fuzz_env());
  sc_buffer_init(&opened, fuzz_env());
  const sc_multi_options options = {.pad_to = fuzz_take_byte(&input) % 8};
  sc_bytes changes = fuzz_take_message(&input);
  const sc_bytes domain = fuzz_take(&input, fuzz_take_byte(&input));
  const sc_bytes message = input;
  const sc_bytes recipients[] = {SC_BYTES(people[0].x.public_key), SC_BYTES(people[1].x.public_key)};
  REQUIRE(sc_multi_seal(&blob, fuzz_env(), &from.x, recipients, 2, &message, 1, domain, &options) == SC_OK);
  REQUIRE(blob.ptr[0] == 'd' && sc_bt_validate(sc_buffer_bytes(&blob)) == SC_OK);
  bool changed = fuzz_change(&blob, changes);
  for (int i = 0; i < 2; i++) {
    sc_status status =
        sc_multi_open(&opened, &people[i].x, from.x.public_key, domain, sc_buffer_bytes(&blob));
    REQUIRE(status == SC_OK || changed);
    /* A message that opens is the one that was sealed. */
    REQUIRE(status == SC_OK ? sc_bytes_same(message, sc_buffer_bytes(&opened)) : opened.len == 0);
  }
  sc_buffer_free(&blob);
  sc_buffer_free(&opened);
}

static void check_raw(sc_bytes blob) {
  sc_buffer opened;
  sc_buffer_init(&opened, fuzz_env());
  sc_status status = sc_multi_open(&opened, &people[0].x, from.x.public_key, sc_bytes_text("domain"), blob);
  REQUIRE(status == SC_OK || opened.len == 0);
  sc_buffer_free(&opened);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static bool ready;
  if (!ready) {
    fuzz_pair(&from, 1);
    fuzz_pair(&people[0], 2);
    fuzz_pair(&people[1], 3);
    ready = true;
  }
  sc_bytes input = sc_bytes_make(data, size);
  if (fuzz_take_byte(&input) % 2 == 0)
    check_raw(input);
  else
    check_genuine(input);
  return 0;
}
