#include "scene.h"

static void fill(uint8_t *out, size_t len, uint8_t kind, uint8_t slots) {
  memset(out, 0, len);
  out[1] = 0xd1;
  out[2] = kind;
  out[3] = slots;
}

static void messages_of_another_form_are_refused(sc_test *t) {
  static const struct form {
    size_t len;
    uint8_t kind;
    uint8_t slots;
    sc_status expected;
  } forms[] = {
      {1024, 1, 4, SC_OK},
      {1023, 1, 4, SC_ERR_RATCHET_FORMAT},
      {0, 1, 4, SC_ERR_RATCHET_FORMAT},
      {76800, 1, 4, SC_OK},
      {76801, 1, 4, SC_ERR_RATCHET_FORMAT},
      {1024, 0, 4, SC_ERR_RATCHET_FORMAT},
      {1024, 3, 4, SC_ERR_RATCHET_FORMAT},
      {1024, 1, 0, SC_ERR_RATCHET_FORMAT},
      {1024, 1, 6, SC_ERR_RATCHET_FORMAT},
      {76800, 1, 32, SC_OK},
      {76800, 1, 36, SC_ERR_RATCHET_FORMAT},
      {68 + 8 * 132 + 16, 1, 8, SC_OK},
      {68 + 8 * 132 + 15, 1, 8, SC_ERR_RATCHET_FORMAT},
      {68 + 4 * 1414 + 16, 2, 4, SC_OK},
      {68 + 4 * 1414 + 15, 2, 4, SC_ERR_RATCHET_FORMAT},
  };
  static uint8_t message[SC_RATCHET_MAX_MESSAGE_BYTES + 1];
  sc_ratchet_envelope envelope;
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    fill(message, sizeof message, forms[i].kind, forms[i].slots);
    FAILS(forms[i].expected, sc_ratchet_envelope_parse(&envelope, sc_bytes_make(message, forms[i].len)));
  }
  fill(message, sizeof message, 1, 4);
  message[0] = 1;
  FAILS(SC_ERR_RATCHET_FORMAT, sc_ratchet_envelope_parse(&envelope, sc_bytes_make(message, 1024)));
  fill(message, sizeof message, 1, 4);
  message[1] = 2;
  FAILS(SC_ERR_RATCHET_FORMAT, sc_ratchet_envelope_parse(&envelope, sc_bytes_make(message, 1024)));
done:;
}

static void tags_tell_for_which_session_a_message_is(sc_test *t) {
  scene s;
  sc_buffer keys;
  sc_buffer_init(&keys, t->env);
  OK(scene_meet(&s, t->env));
  OK(sc_ratchet_session_tag_keys(&keys, s.from_bob));
  OK(seal_hello(&s, s.from_alice));
  bool found = false;
  for (size_t at = 0; at < keys.len; at += SC_RATCHET_TAG_KEY_BYTES)
    found |= sc_ratchet_envelope_has_tag(&s.envelope, keys.ptr + at);
  CHECK(found);
  sc_buffer_clear(&keys);
  OK(sc_ratchet_session_tag_keys(&keys, s.from_alice));
  for (size_t at = 0; at < keys.len; at += SC_RATCHET_TAG_KEY_BYTES)
    CHECK(!sc_ratchet_envelope_has_tag(&s.envelope, keys.ptr + at));
done:
  sc_buffer_free(&keys);
  scene_free(&s);
}

SUITE(ratchet_envelope, "ratchet/envelope",
      {"messages of another form are refused", messages_of_another_form_are_refused},
      {"tags tell for which session a message is", tags_tell_for_which_session_a_message_is});
