/* Decoding messages of a user's swarm. The first byte of the input chooses: raw bytes, a genuine message
 * changed on its way, an envelope in a genuine wrapping, or a content, padded or not, in a genuine seal. */
#include "letters.h"

static sc_status decode(sc_message **out, sc_bytes stored) {
  const fuzz_world *world = fuzz_the_world();
  const sc_x25519_pair keys[] = {world->alice.keys.x, world->bob.keys.x};
  sc_status status = sc_decode_from_contact(out, fuzz_env(), keys, 2, world->backend.ed.public_key, stored);
  fuzz_require_whole(status, *out);
  return status;
}

static void require_from_alice(const sc_message *message, sc_bytes content) {
  const fuzz_world *world = fuzz_the_world();
  REQUIRE(sc_bytes_same(sc_message_content(message), content));
  REQUIRE(memcmp(sc_message_sender(message)->id.bytes, world->alice.id.bytes, SC_ID_BYTES) == 0);
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
  REQUIRE(sc_encode_for_contact(&stored, fuzz_env(), &world->alice.keys, &world->bob.id,
                                sc_buffer_bytes(&content), FUZZ_SENT_MS,
                                with_pro ? &world->rotating.ed : NULL) == SC_OK);
  bool changed = fuzz_change(&stored, input);
  sc_message *message;
  sc_status status = decode(&message, sc_buffer_bytes(&stored));
  REQUIRE(changed || status == SC_OK);
  if (status == SC_OK)
    require_from_alice(message, sc_buffer_bytes(&content));
  if (!changed)
    REQUIRE(sc_message_pro_data(message)->status == (with_pro ? SC_PRO_VALID : SC_PRO_NONE));
  sc_message_free(message);
  sc_buffer_free(&content);
  sc_buffer_free(&stored);
}

/* Appends field `number` with these bytes. */
static void append_field(sc_buffer *out, uint8_t number, sc_bytes bytes) {
  REQUIRE(sc_buffer_append_byte(out, (uint8_t)(number << 3 | 2)) == SC_OK);
  size_t len = bytes.len;
  for (; len >= 0x80; len >>= 7)
    REQUIRE(sc_buffer_append_byte(out, (uint8_t)(len | 0x80)) == SC_OK);
  REQUIRE(sc_buffer_append_byte(out, (uint8_t)len) == SC_OK);
  REQUIRE(sc_buffer_append(out, bytes) == SC_OK);
}

static void wrap(sc_buffer *out, sc_bytes envelope) {
  sc_buffer request;
  sc_buffer_init(&request, fuzz_env());
  append_field(&request, 3, envelope);
  append_field(out, 2, sc_buffer_bytes(&request));
  sc_buffer_free(&request);
}

static void wrapped(sc_bytes input) {
  sc_buffer stored;
  sc_message *message;
  sc_buffer_init(&stored, fuzz_env());
  wrap(&stored, input);
  sc_status status = decode(&message, sc_buffer_bytes(&stored));
  REQUIRE(status != SC_OK && status != SC_ERR_WRAPPING && status != SC_ERR_WRAPPING_EMPTY);
  sc_buffer_free(&stored);
}

/* Type, time and, unless the input says otherwise, a signature by the key of the proof. */
static void sealed(sc_bytes input) {
  static const uint8_t type_and_time[] = {0x08, 0x06, 0x28, 0x05};
  const fuzz_world *world = fuzz_the_world();
  sc_buffer body, envelope, stored;
  sc_buffer_init(&body, fuzz_env());
  sc_buffer_init(&envelope, fuzz_env());
  sc_buffer_init(&stored, fuzz_env());
  size_t signature_len = fuzz_take_byte(&input) % 65;
  uint8_t signature[64];
  REQUIRE(sc_seal(&body, fuzz_env(), &world->alice.keys, SC_BYTES(world->bob.id.bytes), input) == SC_OK);
  sc_ed25519_sign(signature, &world->rotating.ed, sc_buffer_bytes(&body));
  REQUIRE(sc_buffer_append(&envelope, SC_BYTES(type_and_time)) == SC_OK);
  append_field(&envelope, 8, sc_buffer_bytes(&body));
  append_field(&envelope, 11, sc_bytes_make(signature, signature_len));
  wrap(&stored, sc_buffer_bytes(&envelope));
  sc_message *message;
  sc_status status = decode(&message, sc_buffer_bytes(&stored));
  REQUIRE(status != SC_OK || signature_len == 64);
  if (status == SC_OK)
    require_from_alice(message, sc_unpadded(input));
  sc_message_free(message);
  sc_buffer_free(&body);
  sc_buffer_free(&envelope);
  sc_buffer_free(&stored);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const ways[])(sc_bytes input) = {raw, changed_on_its_way, wrapped, sealed};
  sc_bytes input = sc_bytes_make(data, size);
  ways[fuzz_take_byte(&input) % 4](input);
  return 0;
}
