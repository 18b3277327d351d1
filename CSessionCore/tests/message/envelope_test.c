#include "message/envelope.h"
#include "message/fields.h"

#include "support/test.h"

static void an_envelope_has_the_known_bytes(sc_test *t) {
  uint8_t signature[64];
  memset(signature, 0xaa, sizeof signature);
  sc_buffer written, expected;
  sc_buffer_init(&written, t->env);
  sc_buffer_init(&expected, t->env);
  OK(sc_envelope_write(&written, SC__ENVELOPE__TYPE__CLOSED_GROUP_MESSAGE, 300, sc_bytes_text("abc"),
                       signature));
  OK(sc_test_hex(&expected, "080728ac02380142036162635a40"));
  OK(sc_buffer_append(&expected, SC_BYTES(signature)));
  SAME(sc_buffer_bytes(&expected), sc_buffer_bytes(&written));
done:
  sc_buffer_free(&written);
  sc_buffer_free(&expected);
}

static void a_wrapping_has_the_known_bytes(sc_test *t) {
  sc_buffer written, expected;
  sc_buffer_init(&written, t->env);
  sc_buffer_init(&expected, t->env);
  OK(sc_wrapping_write(&written, sc_bytes_text("abc")));
  OK(sc_test_hex(&expected, "0801120b0a0012001a036162632000"));
  SAME(sc_buffer_bytes(&expected), sc_buffer_bytes(&written));
done:
  sc_buffer_free(&written);
  sc_buffer_free(&expected);
}

static void a_wrapped_envelope_is_unwrapped(sc_test *t) {
  sc_parsed parsed = {0};
  sc_buffer written;
  sc_buffer_init(&written, t->env);
  sc_bytes envelope;
  OK(sc_wrapping_write(&written, sc_bytes_text("abc")));
  OK(sc_wrapping_read(&parsed, &envelope, t->env, sc_buffer_bytes(&written)));
  SAME(sc_bytes_text("abc"), envelope);
done:
  sc_parsed_free(&parsed);
  sc_buffer_free(&written);
}

static void each_malformed_envelope_is_named(sc_test *t) {
  static const uint8_t garbage[] = {0x0a, 0x05}, tag_zero[] = {0, 0};
  sc_parsed parsed = {0};
  sc_bytes envelope;
  FAILS(SC_ERR_ENVELOPE, sc_envelope_read(&parsed, t->env, SC_BYTES(garbage)));
  sc_parsed_free(&parsed);
  FAILS(SC_ERR_ENVELOPE, sc_envelope_read(&parsed, t->env, SC_BYTES(tag_zero)));
  sc_parsed_free(&parsed);
  FAILS(SC_ERR_WRAPPING, sc_wrapping_read(&parsed, &envelope, t->env, SC_BYTES(garbage)));
  sc_parsed_free(&parsed);
  FAILS(SC_ERR_TOO_LARGE, sc_envelope_read(&parsed, t->env, sc_bytes_make(garbage, SC_PARSED_MAX_BYTES + 1)));
done:
  sc_parsed_free(&parsed);
}

static void the_time_must_be_valid_and_match_the_content(sc_test *t) {
  const uint64_t latest = (uint64_t)1 << 53;
  Sc__Content content = SC__CONTENT__INIT;
  OK(sc_check_sent_time(&content, 1));
  OK(sc_check_sent_time(&content, latest));
  FAILS(SC_ERR_MESSAGE_TIME, sc_check_sent_time(&content, 0));
  FAILS(SC_ERR_MESSAGE_TIME, sc_check_sent_time(&content, latest + 1));
  content.has_sig_timestamp = true;
  content.sig_timestamp = 5;
  OK(sc_check_sent_time(&content, 5));
  FAILS(SC_ERR_MESSAGE_TIME, sc_check_sent_time(&content, 6));
  content.sig_timestamp = 0;
  FAILS(SC_ERR_MESSAGE_TIME, sc_check_sent_time(&content, 0));
done:;
}

SUITE(message_envelope, "message/envelope",
      {"an envelope has the known bytes", an_envelope_has_the_known_bytes},
      {"a wrapping has the known bytes", a_wrapping_has_the_known_bytes},
      {"a wrapped envelope is unwrapped", a_wrapped_envelope_is_unwrapped},
      {"each malformed envelope is named", each_malformed_envelope_is_named},
      {"the time must be valid and match the content", the_time_must_be_valid_and_match_the_content});
