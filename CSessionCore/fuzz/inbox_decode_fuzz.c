/* Decoding messages of a community's inbox. The first byte of the input chooses: raw bytes, a genuine message
 * changed on its way, or anything that could be posted to a room in a genuine seal. */
#include "letters.h"

static sc_status decode(sc_message **out, sc_bytes data) {
  const fuzz_world *world = fuzz_the_world();
  sc_status status =
      sc_decode_from_inbox(out, fuzz_env(), &world->bob.keys, world->server, &world->alice.blinded,
                           &world->bob.blinded, world->backend.ed.public_key, FUZZ_POSTED_S, data);
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
  sc_buffer content, data;
  sc_buffer_init(&content, fuzz_env());
  sc_buffer_init(&data, fuzz_env());
  fuzz_write_content(&content, fuzz_take_message(&input), false);
  REQUIRE(sc_encode_for_inbox(&data, fuzz_env(), &world->alice.keys, world->server, &world->bob.blinded,
                              sc_buffer_bytes(&content), NULL) == SC_OK);
  bool changed = fuzz_change(&data, input);
  sc_message *message;
  sc_status status = decode(&message, sc_buffer_bytes(&data));
  REQUIRE(changed == (status != SC_OK));
  if (status == SC_OK)
    REQUIRE(sc_bytes_same(sc_message_content(message), sc_buffer_bytes(&content)));
  sc_message_free(message);
  sc_buffer_free(&content);
  sc_buffer_free(&data);
}

/* It is read as the same thing would be in a room. */
static void sealed(sc_bytes input) {
  const fuzz_world *world = fuzz_the_world();
  sc_buffer data;
  sc_buffer_init(&data, fuzz_env());
  REQUIRE(sc_blinded_seal(&data, fuzz_env(), &world->alice.keys, world->server, &world->bob.blinded, input) ==
          SC_OK);
  sc_message *in_inbox, *in_room;
  sc_status status = decode(&in_inbox, sc_buffer_bytes(&data));
  REQUIRE(status ==
          sc_decode_from_community(&in_room, fuzz_env(), world->backend.ed.public_key, FUZZ_POSTED_S, input));
  if (status == SC_OK)
    REQUIRE(sc_bytes_same(sc_message_content(in_inbox), sc_message_content(in_room)));
  sc_message_free(in_inbox);
  sc_message_free(in_room);
  sc_buffer_free(&data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const ways[])(sc_bytes input) = {raw, changed_on_its_way, sealed};
  sc_bytes input = sc_bytes_make(data, size);
  ways[fuzz_take_byte(&input) % 3](input);
  return 0;
}
