/* Decoding messages of a group's swarm. The first byte of the input chooses: raw bytes, a genuine message
 * changed on its way, or an envelope in a genuine seal. */
#include "letters.h"

static sc_status decode(sc_message **out, sc_bytes stored) {
  const fuzz_world *world = fuzz_the_world();
  sc_bytes key = SC_BYTES(world->group_key);
  sc_status status =
      sc_decode_from_group(out, fuzz_env(), &world->group, &key, 1, world->backend.ed.public_key, stored);
  fuzz_require_whole(status, *out);
  if (status == SC_OK)
    REQUIRE(memcmp(sc_message_sender(*out)->id.bytes, world->alice.id.bytes, SC_ID_BYTES) == 0);
  return status;
}

static void raw(sc_bytes input) {
  sc_message *message;
  REQUIRE(decode(&message, input) != SC_OK);
}

static void changed_on_its_way(sc_bytes input) {
  const fuzz_world *world = fuzz_the_world();
  sc_buffer content, stored;
  sc_buffer_init(&content, fuzz_env());
  sc_buffer_init(&stored, fuzz_env());
  bool with_pro = fuzz_take_byte(&input) % 2 != 0;
  fuzz_write_content(&content, fuzz_take_message(&input), with_pro);
  REQUIRE(sc_encode_for_group(&stored, fuzz_env(), &world->alice.keys, &world->group,
                              SC_BYTES(world->group_key), sc_buffer_bytes(&content), FUZZ_SENT_MS,
                              with_pro ? &world->rotating.ed : NULL) == SC_OK);
  bool changed = fuzz_change(&stored, input);
  sc_message *message;
  sc_status status = decode(&message, sc_buffer_bytes(&stored));
  REQUIRE(changed == (status != SC_OK));
  if (status == SC_OK) {
    REQUIRE(sc_bytes_same(sc_message_content(message), sc_buffer_bytes(&content)));
    REQUIRE(sc_message_pro_data(message)->status == (with_pro ? SC_PRO_VALID : SC_PRO_NONE));
  }
  sc_message_free(message);
  sc_buffer_free(&content);
  sc_buffer_free(&stored);
}

static void sealed(sc_bytes input) {
  const fuzz_world *world = fuzz_the_world();
  if (input.len == 0)
    return;
  sc_buffer stored;
  sc_buffer_init(&stored, fuzz_env());
  REQUIRE(sc_group_seal(&stored, fuzz_env(), &world->alice.keys, sc_id_key(&world->group),
                        SC_BYTES(world->group_key), input, NULL) == SC_OK);
  sc_message *message;
  sc_status status = decode(&message, sc_buffer_bytes(&stored));
  REQUIRE(status != SC_ERR_NO_KEY && status != SC_ERR_SIGNATURE);
  sc_message_free(message);
  sc_buffer_free(&stored);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const ways[])(sc_bytes input) = {raw, changed_on_its_way, sealed};
  sc_bytes input = sc_bytes_make(data, size);
  ways[fuzz_take_byte(&input) % 3](input);
  return 0;
}
