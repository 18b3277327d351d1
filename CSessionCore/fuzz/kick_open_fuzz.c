/* The first byte chooses: the rest is a notice; or what a genuine notice says after the member's key, or
 * instead of all; or the damage done to a genuine one. */
#include <inttypes.h>

#include "sealed.h"

static sc_keypair group;
static sc_keypair member;
static sc_id group_id;
static sc_id member_id;

static sc_status open_notice(uint64_t *generation, const sc_buffer *notice) {
  sc_status status = sc_kick_open(generation, fuzz_env(), &member, &group_id, sc_buffer_bytes(notice));
  REQUIRE(status == SC_OK || *generation == 0);
  return status;
}

static void check_raw(sc_bytes input) {
  sc_buffer notice;
  sc_buffer_init(&notice, fuzz_env());
  uint64_t generation;
  REQUIRE(sc_buffer_append(&notice, input) == SC_OK);
  (void)open_notice(&generation, &notice);
  sc_buffer_free(&notice);
}

/* Only the decimal form of a number is accepted. */
static void check_message(sc_bytes prefix, sc_bytes rest) {
  sc_buffer text, notice;
  sc_buffer_init(&text, fuzz_env());
  sc_buffer_init(&notice, fuzz_env());
  REQUIRE(sc_buffer_append(&text, prefix) == SC_OK && sc_buffer_append(&text, rest) == SC_OK);
  const sc_bytes recipient = SC_BYTES(member.x.public_key), message = sc_buffer_bytes(&text);
  REQUIRE(sc_multi_seal(&notice, fuzz_env(), &group.x, &recipient, 1, &message, 1,
                        sc_bytes_text("SessionGroupKickedMessage"), NULL) == SC_OK);
  uint64_t generation;
  sc_status status = open_notice(&generation, &notice);
  REQUIRE(status == SC_OK || status == SC_ERR_KICK);
  if (status == SC_OK) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, generation);
    REQUIRE(message.len == SC_KEY_BYTES + strlen(digits));
    REQUIRE(memcmp(message.ptr, member.x.public_key, SC_KEY_BYTES) == 0);
    REQUIRE(memcmp(message.ptr + SC_KEY_BYTES, digits, strlen(digits)) == 0);
  }
  sc_buffer_free(&text);
  sc_buffer_free(&notice);
}

static void check_genuine(sc_bytes input) {
  sc_buffer notice;
  sc_buffer_init(&notice, fuzz_env());
  uint64_t sealed = 0, opened;
  for (size_t i = 0; i < sizeof sealed; i++)
    sealed = sealed << 8 | fuzz_take_byte(&input);
  REQUIRE(sc_kick_seal(&notice, fuzz_env(), &group, &member_id, 1, sealed) == SC_OK);
  bool changed = fuzz_change(&notice, input);
  sc_status status = open_notice(&opened, &notice);
  REQUIRE(status == SC_OK ? opened == sealed : changed);
  sc_buffer_free(&notice);
}

static void prepare(void) {
  static bool ready;
  if (ready)
    return;
  fuzz_pair(&group, 1);
  fuzz_pair(&member, 2);
  sc_id_make(&group_id, SC_ID_GROUP, group.ed.public_key);
  sc_id_make(&member_id, SC_ID_STANDARD, member.x.public_key);
  ready = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  prepare();
  sc_bytes input = sc_bytes_make(data, size);
  switch (fuzz_take_byte(&input) % 4) {
  case 0:
    check_raw(input);
    break;
  case 1:
    check_message(SC_BYTES(member.x.public_key), input);
    break;
  case 2:
    check_message(sc_bytes_make(NULL, 0), input);
    break;
  default:
    check_genuine(input);
  }
  return 0;
}
