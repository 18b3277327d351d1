/* Decoding messages of a community's room. The first byte of the input chooses: raw bytes, or a content that
 * signs itself and was changed on its way. */
#include "letters.h"

static sc_status decode(sc_message **out, sc_bytes data) {
  sc_status status =
      sc_decode_from_community(out, fuzz_env(), fuzz_the_world()->backend.ed.public_key, FUZZ_POSTED_S, data);
  fuzz_require_whole(status, *out);
  if (status == SC_OK)
    REQUIRE(sc_message_sender(*out) == NULL);
  return status;
}

/* The input holds no valid signature by chance. */
static void raw(sc_bytes input) {
  sc_message *message;
  if (decode(&message, input) == SC_OK) {
    sc_pro_status status = sc_message_pro_data(message)->status;
    REQUIRE(status == SC_PRO_NONE || status == SC_PRO_FORGED || status == SC_PRO_NO_PROOF);
  }
  sc_message_free(message);
}

/* A message that still counts as signed has exactly the fields that were signed. */
static void require_same_fields(const sc_message *message, sc_bytes content) {
  sc_buffer fields;
  sc_buffer_init(&fields, fuzz_env());
  fuzz_write_unsigned(&fields, sc_message_fields(message));
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&fields), content));
  sc_buffer_free(&fields);
}

static void changed_on_its_way(sc_bytes input) {
  sc_buffer content, data;
  sc_buffer_init(&content, fuzz_env());
  sc_buffer_init(&data, fuzz_env());
  fuzz_write_content(&content, fuzz_take_message(&input), true);
  REQUIRE(sc_encode_for_community(&data, fuzz_env(), sc_buffer_bytes(&content),
                                  &fuzz_the_world()->rotating.ed) == SC_OK);
  bool changed = fuzz_change(&data, input);
  sc_message *message;
  sc_status status = decode(&message, sc_buffer_bytes(&data));
  REQUIRE(changed || status == SC_OK);
  if (!changed)
    REQUIRE(sc_message_pro_data(message)->status == SC_PRO_VALID);
  if (status == SC_OK && sc_message_pro_data(message)->status == SC_PRO_VALID)
    require_same_fields(message, sc_buffer_bytes(&content));
  sc_message_free(message);
  sc_buffer_free(&content);
  sc_buffer_free(&data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const ways[])(sc_bytes input) = {raw, changed_on_its_way};
  sc_bytes input = sc_bytes_make(data, size);
  ways[fuzz_take_byte(&input) % 2](input);
  return 0;
}
