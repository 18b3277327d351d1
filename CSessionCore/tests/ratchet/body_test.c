#include "session-core/ratchet/body.h"
#include "support/test.h"

static sc_status read_text(sc_ratchet_body *out, const char *text) {
  return sc_ratchet_body_read(out, sc_bytes_text(text));
}

static void bodies_that_break_a_rule_are_refused(sc_test *t) {
  static const char *const bad[] = {
      "",                         /* not bt */
      "i1e",                      /* no dict */
      "de",                       /* neither content nor control */
      "d1:ti5ee",                 /* likewise */
      "d1:xd1:Pi1eee",            /* control without a time */
      "d1:c1:x1:p1:ye",           /* a signature of one byte */
      "d1:ci5ee",                 /* content of another type */
      "d1:c1:x1:t1:5e",           /* a time of another type */
      "d1:c1:x1:ti-5ee",          /* a negative time */
      "d1:c1:xe1:y",              /* something behind it */
      "d1:c1:x1:a1:ye",           /* out of order */
      "d1:c1:x1:c1:ye",           /* twice */
      "d1:c01:xe",                /* a superfluous zero */
      "d1:ti5e1:xd1:Rl1:yeee",    /* a hash of one byte */
      "d1:ti5e1:x1:ye",           /* control of another type */
      "d1:ti5e1:xd1:Vdeee",       /* verifications that are no list */
      "d1:ti5e1:xd1:Vl1:yx1:eee", /* one that is no bt */
  };
  sc_ratchet_body body;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    FAILS(SC_ERR_RATCHET_BODY, read_text(&body, bad[i]));
done:;
}

static void unknown_fields_are_ignored(sc_test *t) {
  sc_ratchet_body body;
  OK(read_text(&body, "d1:a1:b1:c5:hello2:ccde1:zlee"));
done:;
}

static void content_and_control_are_read(sc_test *t) {
  sc_ratchet_body body;
  OK(read_text(&body, "d1:a1:b1:c5:hello1:ti7e1:xd1:Ai1e1:L3:abc1:Pi1e1:Rlee1:zi0ee"));
  SAME(sc_bytes_text("hello"), body.content);
  CHECK(body.sent_ms == 7 && body.has_control && body.is_ping && body.wants_resend && body.resend_count == 0);
  SAME(sc_bytes_text("3:abc"), body.link);
  OK(read_text(&body, "d1:c5:helloe"));
  CHECK(body.sent_ms == 0 && !body.has_control && !body.is_ping && !body.wants_resend);
  OK(read_text(&body, "d1:ti7e1:xdee"));
  CHECK(body.has_control && !body.is_ping);
done:;
}

static void only_twenty_hashes_are_read(sc_test *t) {
  uint8_t hashes[21][SC_RATCHET_HASH_BYTES];
  sc_ratchet_body body = {.sent_ms = 5, .wants_resend = true, .resend_count = SC_RATCHET_MAX_RESEND};
  sc_buffer bytes, longer;
  sc_buffer_init(&bytes, t->env);
  sc_buffer_init(&longer, t->env);
  for (size_t i = 0; i < 21; i++)
    memset(hashes[i], (int)i, sizeof hashes[i]);
  for (size_t i = 0; i < SC_RATCHET_MAX_RESEND; i++)
    body.resend[i] = hashes[i];
  OK(sc_ratchet_body_write(&bytes, &body));
  OK(sc_ratchet_body_read(&body, sc_buffer_bytes(&bytes)));
  CHECK(body.resend_count == SC_RATCHET_MAX_RESEND);
  SAME(SC_BYTES(hashes[19]), sc_bytes_make(body.resend[19], SC_RATCHET_HASH_BYTES));
  OK(sc_buffer_append(&longer, sc_bytes_make(bytes.ptr, bytes.len - 3)));
  OK(sc_buffer_append(&longer, sc_bytes_text("32:")));
  OK(sc_buffer_append(&longer, SC_BYTES(hashes[20])));
  OK(sc_buffer_append(&longer, sc_bytes_text("eee")));
  OK(sc_ratchet_body_read(&body, sc_buffer_bytes(&longer)));
  CHECK(body.resend_count == SC_RATCHET_MAX_RESEND);
done:
  sc_buffer_free(&bytes);
  sc_buffer_free(&longer);
}

static void a_written_body_reads_back_the_same(sc_test *t) {
  static const uint8_t signature[64] = {1};
  const sc_ratchet_body body = {.content = sc_bytes_text("text"),
                                .pro_signature = SC_BYTES(signature),
                                .sent_ms = 1800000000000,
                                .is_ping = true,
                                .link = sc_bytes_text("d1:ai1ee")};
  sc_ratchet_body read;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  OK(sc_ratchet_body_write(&bytes, &body));
  OK(sc_ratchet_body_read(&read, sc_buffer_bytes(&bytes)));
  SAME(body.content, read.content);
  SAME(body.pro_signature, read.pro_signature);
  SAME(body.link, read.link);
  CHECK(read.sent_ms == body.sent_ms && read.is_ping && !read.wants_resend);
done:
  sc_buffer_free(&bytes);
}

static sc_ratchet_verification
verification_of(const uint8_t id[static SC_ID_BYTES],
                const uint8_t fingerprint[static SC_SAFETY_FINGERPRINT_BYTES]) {
  return (sc_ratchet_verification){.id = id, .fingerprint = fingerprint, .is_verified = true, .at_ms = 9};
}

/* What a body says with one field of its only verification taken away, of another size, type or value. */
static void verifications_without_a_field_are_skipped(sc_test *t) {
  static const char *const bad[] = {"d1:ti5e1:xd1:Vld1:i33:%s1:si1e1:ti9eeeee",
                                    "d1:ti5e1:xd1:Vld1:f32:%s1:si1e1:ti9eeeee",
                                    "d1:ti5e1:xd1:Vld1:f32:%s1:i33:%s1:ti9eeeee",
                                    "d1:ti5e1:xd1:Vld1:f32:%s1:i33:%s1:si1eeeee",
                                    "d1:ti5e1:xd1:Vld1:f33:%s1:i33:%s1:si1e1:ti9eeeee",
                                    "d1:ti5e1:xd1:Vld1:f32:%s1:i33:%s1:si2e1:ti9eeeee",
                                    "d1:ti5e1:xd1:Vld1:fi1e1:i33:%s1:si1e1:ti9eeeee",
                                    "d1:ti5e1:xd1:Vldeeee",
                                    "d1:ti5e1:xd1:Vl1:yeee"};
  const int sizes[][2] = {{33, 0}, {32, 0}, {32, 33}, {32, 33}, {33, 33}, {32, 33}, {33, 0}, {0, 0}, {0, 0}};
  static const char filling[] = "012345678901234567890123456789012";
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char text[200];
    size_t length = 0, strings = 0;
    for (const char *at = bad[i]; *at; at++) {
      if (at[0] == '%' && at[1] == 's') {
        memcpy(text + length, filling, (size_t)sizes[i][strings]);
        length += (size_t)sizes[i][strings++];
        at++;
      } else {
        text[length++] = *at;
      }
    }
    sc_ratchet_body body;
    OK(sc_ratchet_body_read(&body, sc_bytes_make(text, length)));
    CHECK(body.has_control && body.verification_count == 0);
  }
done:;
}

static void only_fifty_verifications_are_read(sc_test *t) {
  static const uint8_t id[SC_ID_BYTES] = {5}, fingerprint[SC_SAFETY_FINGERPRINT_BYTES] = {7};
  sc_ratchet_body body = {.sent_ms = 5, .verification_count = SC_RATCHET_MAX_VERIFICATIONS}, read;
  sc_buffer bytes, longer;
  sc_buffer_init(&bytes, t->env);
  sc_buffer_init(&longer, t->env);
  for (size_t i = 0; i < SC_RATCHET_MAX_VERIFICATIONS; i++) {
    body.verifications[i] = verification_of(id, fingerprint);
    body.verifications[i].at_ms = i + 1;
    body.verifications[i].is_verified = i % 2 == 0;
  }
  OK(sc_ratchet_body_write(&bytes, &body));
  OK(sc_ratchet_body_read(&read, sc_buffer_bytes(&bytes)));
  CHECK(read.has_control && !read.is_ping && !read.wants_resend);
  CHECK(read.verification_count == SC_RATCHET_MAX_VERIFICATIONS);
  CHECK(read.verifications[48].is_verified && !read.verifications[49].is_verified);
  CHECK(read.verifications[49].at_ms == 50);
  SAME(SC_BYTES(id), sc_bytes_make(read.verifications[49].id, SC_ID_BYTES));
  SAME(SC_BYTES(fingerprint), sc_bytes_make(read.verifications[49].fingerprint, SC_SAFETY_FINGERPRINT_BYTES));
  /* One more, of any form, is skipped. */
  OK(sc_buffer_append(&longer, sc_bytes_make(bytes.ptr, bytes.len - 3)));
  OK(sc_buffer_append(&longer, sc_bytes_text("deeee")));
  OK(sc_ratchet_body_read(&read, sc_buffer_bytes(&longer)));
  CHECK(read.verification_count == SC_RATCHET_MAX_VERIFICATIONS);
  body.verification_count++;
  FAILS(SC_ERR_RATCHET_BODY, sc_ratchet_body_write(&bytes, &body));
done:
  sc_buffer_free(&bytes);
  sc_buffer_free(&longer);
}

static void an_unreadable_body_is_not_written(sc_test *t) {
  static const uint8_t large[SC_RATCHET_MAX_CONTENT_BYTES + 1];
  const sc_ratchet_body bad[] = {
      {.sent_ms = 5},
      {.is_ping = true},
      {.content = SC_BYTES(large)},
      {.content = sc_bytes_text("text"), .pro_signature = sc_bytes_text("short")},
      {.sent_ms = 5, .wants_resend = true, .resend_count = SC_RATCHET_MAX_RESEND + 1},
  };
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    FAILS(SC_ERR_RATCHET_BODY, sc_ratchet_body_write(&bytes, &bad[i]));
done:
  sc_buffer_free(&bytes);
}

SUITE(ratchet_body, "ratchet/body",
      {"bodies that break a rule are refused", bodies_that_break_a_rule_are_refused},
      {"unknown fields are ignored", unknown_fields_are_ignored},
      {"content and control are read", content_and_control_are_read},
      {"only twenty hashes are read", only_twenty_hashes_are_read},
      {"verifications without a field are skipped", verifications_without_a_field_are_skipped},
      {"only fifty verifications are read", only_fifty_verifications_are_read},
      {"a written body reads back the same", a_written_body_reads_back_the_same},
      {"an unreadable body is not written", an_unreadable_body_is_not_written});
