#include "cast.h"
#include "message/fields.h"
#include "message/wire.h"
#include "support/test.h"

typedef struct sending {
  cast who;
  letter letter;
  sc_buffer content;
  sc_buffer out;
  sc_buffer other;
} sending;

static sc_status begin(sending *s, const sc_env *env) {
  sc_buffer_init(&s->content, env);
  sc_buffer_init(&s->out, env);
  sc_buffer_init(&s->other, env);
  letter_init(&s->letter, "hello");
  sc_status status = cast_init(&s->who);
  return status == SC_OK ? sc_content_write(&s->content, &s->letter.content) : status;
}

static void end(sending *s) {
  sc_buffer_free(&s->content);
  sc_buffer_free(&s->out);
  sc_buffer_free(&s->other);
}

static sc_status to_contact(sending *s, const sc_env *env, const sc_ed25519_pair *pro) {
  return sc_encode_for_contact(&s->out, env, &s->who.alice, &s->who.bob_id, sc_buffer_bytes(&s->content),
                               CAST_SENT_MS, pro);
}

static sc_status to_group(sending *s, const sc_env *env, const sc_ed25519_pair *pro) {
  return sc_encode_for_group(&s->out, env, &s->who.alice, &s->who.group, SC_BYTES(s->who.group_key),
                             sc_buffer_bytes(&s->content), CAST_SENT_MS, pro);
}

static void a_message_to_a_contact_has_the_known_structure(sc_test *t) {
  enum { sealed_len = 160 + SC_SEAL_OVERHEAD };
  static const char *const before = "0801"           /* REQUEST */
                                    "128903"         /* request */
                                    "0a001200"       /* no verb, no path */
                                    "1a8003"         /* an envelope */
                                    "0806"           /* SESSION_MESSAGE */
                                    "28fbb883a1f732" /* time */
                                    "3801"           /* device */
                                    "42b002";        /* content */
  sending s;
  OK(begin(&s, t->env));
  OK(to_contact(&s, t->env, NULL));
  OK(sc_test_hex(&s.other, before));
  SAME(sc_buffer_bytes(&s.other), sc_bytes_make(s.out.ptr, s.other.len));
  const uint8_t *rest = s.out.ptr + s.other.len + sealed_len;
  CHECK(s.out.len == s.other.len + sealed_len + 2 + 64 + 2);
  CHECK(rest[0] == 0x5a && rest[1] == 0x40); /* signature */
  CHECK(rest[66] == 0x20 && rest[67] == 0);  /* request id */
  sc_sender sender;
  sc_bytes sealed = sc_bytes_make(s.out.ptr + s.other.len, sealed_len);
  OK(sc_seal_open(&s.other, &sender, &s.who.bob.x, sealed));
  CHECK(s.other.len == 160);
  SAME(sc_buffer_bytes(&s.content), sc_unpadded(sc_buffer_bytes(&s.other)));
  SAME(SC_BYTES(s.who.alice_id.bytes), SC_BYTES(sender.id.bytes));
done:
  end(&s);
}

static void with_pro_the_sealed_bytes_are_signed(sc_test *t) {
  enum { after_signature = 2 };
  sending s;
  OK(begin(&s, t->env));
  OK(to_contact(&s, t->env, &s.who.rotating));
  sc_bytes signature = sc_bytes_make(s.out.ptr + s.out.len - after_signature - 64, 64);
  sc_bytes sealed = sc_bytes_make(signature.ptr - 2 - 160 - SC_SEAL_OVERHEAD, 160 + SC_SEAL_OVERHEAD);
  OK(sc_ed25519_verify(SC_BYTES(s.who.rotating.public_key), sealed, signature));
done:
  end(&s);
}

static void a_message_to_a_group_is_a_sealed_envelope(sc_test *t) {
  sending s;
  OK(begin(&s, t->env));
  OK(to_group(&s, t->env, &s.who.rotating));
  CHECK(s.out.len % SC_GROUP_MESSAGE_PADDING == 0);
  sc_sender sender;
  sc_bytes key = SC_BYTES(s.who.group_key);
  OK(sc_group_open(&s.other, &sender, NULL, t->env, s.who.group_pair.public_key, &key, 1,
                   sc_buffer_bytes(&s.out)));
  SAME(SC_BYTES(s.who.alice_id.bytes), SC_BYTES(sender.id.bytes));
  static const uint8_t before[] = {0x08, 0x07, 0x28, 0xfb, 0xb8, 0x83, 0xa1, 0xf7, 0x32, 0x38, 0x01, 0x42};
  SAME(SC_BYTES(before), sc_bytes_make(s.other.ptr, sizeof before));
  SAME(sc_buffer_bytes(&s.content), sc_bytes_make(s.other.ptr + sizeof before + 1, s.content.len));
  OK(sc_ed25519_verify(SC_BYTES(s.who.rotating.public_key), sc_buffer_bytes(&s.content),
                       sc_bytes_make(s.other.ptr + s.other.len - 64, 64)));
done:
  end(&s);
}

static void a_community_message_is_the_padded_content(sc_test *t) {
  sending s;
  OK(begin(&s, t->env));
  OK(sc_encode_for_community(&s.out, t->env, sc_buffer_bytes(&s.content), NULL));
  OK(sc_pad(&s.other, sc_buffer_bytes(&s.content)));
  SAME(sc_buffer_bytes(&s.other), sc_buffer_bytes(&s.out));
done:
  end(&s);
}

static void with_pro_community_content_carries_its_signature(sc_test *t) {
  static const uint8_t record[] = {0x8a, 0x01, 0x40};
  sending s;
  OK(begin(&s, t->env));
  OK(sc_encode_for_community(&s.out, t->env, sc_buffer_bytes(&s.content), &s.who.rotating));
  sc_bytes content = sc_unpadded(sc_buffer_bytes(&s.out));
  CHECK(s.out.len == 160 && content.len == s.content.len + sizeof record + 64);
  SAME(sc_buffer_bytes(&s.content), sc_bytes_make(content.ptr, s.content.len));
  SAME(SC_BYTES(record), sc_bytes_make(content.ptr + s.content.len, sizeof record));
  OK(sc_pad(&s.other, sc_buffer_bytes(&s.content)));
  OK(sc_ed25519_verify(SC_BYTES(s.who.rotating.public_key), sc_buffer_bytes(&s.other),
                       sc_bytes_make(content.ptr + content.len - 64, 64)));
done:
  end(&s);
}

static void with_pro_community_content_is_put_in_field_order(sc_test *t) {
  sending s;
  OK(begin(&s, t->env));
  sc_buffer_clear(&s.content);
  OK(sc_test_hex(&s.content, "7805"
                             "0a040a026869"));
  OK(sc_encode_for_community(&s.out, t->env, sc_buffer_bytes(&s.content), &s.who.rotating));
  OK(sc_test_hex(&s.other, "0a040a026869"
                           "7805"
                           "8a0140"));
  SAME(sc_buffer_bytes(&s.other), sc_bytes_make(s.out.ptr, s.other.len));
done:
  end(&s);
}

static void an_inbox_message_is_the_padded_content_sealed(sc_test *t) {
  sending s;
  OK(begin(&s, t->env));
  OK(sc_encode_for_inbox(&s.out, t->env, &s.who.alice, s.who.server, &s.who.bob_blinded,
                         sc_buffer_bytes(&s.content), NULL));
  sc_sender sender;
  OK(sc_blinded_open(&s.other, &sender, &s.who.bob, s.who.server, &s.who.alice_blinded, &s.who.bob_blinded,
                     sc_buffer_bytes(&s.out)));
  CHECK(s.other.len == 160);
  SAME(sc_buffer_bytes(&s.content), sc_unpadded(sc_buffer_bytes(&s.other)));
done:
  end(&s);
}

static void only_ids_of_the_right_kind_are_accepted(sc_test *t) {
  sending s;
  OK(begin(&s, t->env));
  sc_bytes unreadable = sc_bytes_make("\0", 1);
  FAILS(SC_ERR_ID_KIND,
        sc_encode_for_contact(&s.out, t->env, &s.who.alice, &s.who.group, unreadable, 0, NULL));
  FAILS(SC_ERR_ID_KIND,
        sc_encode_for_contact(&s.out, t->env, &s.who.alice, &s.who.bob_blinded, unreadable, 0, NULL));
  FAILS(SC_ERR_ID_KIND, sc_encode_for_group(&s.out, t->env, &s.who.alice, &s.who.bob_id,
                                            SC_BYTES(s.who.group_key), unreadable, 0, NULL));
  FAILS(SC_ERR_ID_KIND, sc_encode_for_inbox(&s.out, t->env, &s.who.alice, s.who.server, &s.who.bob_id,
                                            sc_buffer_bytes(&s.content), NULL));
  CHECK(s.out.len == 0);
done:
  end(&s);
}

static void unreadable_content_is_not_encoded(sc_test *t) {
  sc_bytes unreadable = sc_bytes_make("\x0a\x05", 2);
  sending s;
  OK(begin(&s, t->env));
  FAILS(SC_ERR_CONTENT,
        sc_encode_for_contact(&s.out, t->env, &s.who.alice, &s.who.bob_id, unreadable, 0, NULL));
  FAILS(SC_ERR_CONTENT, sc_encode_for_group(&s.out, t->env, &s.who.alice, &s.who.group,
                                            sc_bytes_make(NULL, 0), unreadable, 0, NULL));
  FAILS(SC_ERR_CONTENT, sc_encode_for_community(&s.out, t->env, unreadable, NULL));
  FAILS(SC_ERR_CONTENT,
        sc_encode_for_inbox(&s.out, t->env, &s.who.alice, s.who.server, &s.who.bob_id, unreadable, NULL));
  FAILS(SC_ERR_PROTO_TAG, sc_encode_for_community(&s.out, t->env, sc_bytes_make("\0", 1), &s.who.rotating));
  CHECK(s.out.len == 0);
done:
  end(&s);
}

static void the_message_time_must_be_valid_and_match_the_content(sc_test *t) {
  static const uint64_t wrong[] = {0, ((uint64_t)1 << 53) + 1, CAST_SENT_MS - 1};
  sending s;
  OK(begin(&s, t->env));
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    sc_bytes content = sc_buffer_bytes(&s.content);
    FAILS(SC_ERR_MESSAGE_TIME,
          sc_encode_for_contact(&s.out, t->env, &s.who.alice, &s.who.bob_id, content, wrong[i], NULL));
    FAILS(SC_ERR_MESSAGE_TIME, sc_encode_for_group(&s.out, t->env, &s.who.alice, &s.who.group,
                                                   sc_bytes_make(NULL, 0), content, wrong[i], NULL));
    CHECK(s.out.len == 0);
  }
  OK(sc_encode_for_contact(&s.out, t->env, &s.who.alice, &s.who.bob_id, sc_bytes_make(NULL, 0),
                           (uint64_t)1 << 53, NULL));
done:
  end(&s);
}

static void keys_must_be_usable(sc_test *t) {
  sending s;
  OK(begin(&s, t->env));
  sc_id zero_id;
  uint8_t zeros[32] = {0};
  sc_id_make(&zero_id, SC_ID_STANDARD, zeros);
  FAILS(SC_ERR_KEY_INVALID, sc_encode_for_contact(&s.out, t->env, &s.who.alice, &zero_id,
                                                  sc_buffer_bytes(&s.content), CAST_SENT_MS, NULL));
  FAILS(SC_ERR_KEY_SIZE,
        sc_encode_for_group(&s.out, t->env, &s.who.alice, &s.who.group, sc_bytes_make(zeros, 31),
                            sc_buffer_bytes(&s.content), CAST_SENT_MS, NULL));
  CHECK(s.out.len == 0);
done:
  end(&s);
}

static void signed_content_is_not_signed_again(sc_test *t) {
  sending s;
  OK(begin(&s, t->env));
  uint8_t signature[64] = {0};
  s.letter.content.has_pro_sig_for_community_message_only = true;
  s.letter.content.pro_sig_for_community_message_only = (ProtobufCBinaryData){sizeof signature, signature};
  OK(sc_content_write(&s.content, &s.letter.content));
  FAILS(SC_ERR_PRO_SIGNATURE_TWICE,
        sc_encode_for_community(&s.out, t->env, sc_buffer_bytes(&s.content), &s.who.rotating));
  FAILS(SC_ERR_PRO_SIGNATURE_TWICE,
        sc_encode_for_community(&s.out, t->env, sc_buffer_bytes(&s.content), NULL));
  FAILS(SC_ERR_PRO_SIGNATURE_TWICE, sc_encode_for_inbox(&s.out, t->env, &s.who.alice, s.who.server,
                                                        &s.who.bob_id, sc_buffer_bytes(&s.content), NULL));
  CHECK(s.out.len == 0);
done:
  end(&s);
}

/* A content of exactly `len` bytes, which do not compress. */
static sc_status noise(sc_buffer *out, size_t len) {
  uint8_t *room;
  sc_buffer_clear(out);
  size_t body_at;
  sc_status status = sc_wire_begin_body(&body_at, out, 200);
  size_t body_len = len - out->len;
  if (status == SC_OK)
    status = sc_buffer_extend(&room, out, body_len);
  if (status != SC_OK)
    return status;
  sc_random(out->env, room, body_len);
  sc_wire_end_body(out, body_at);
  return SC_OK;
}

static void a_message_too_large_for_a_node_is_refused(sc_test *t) {
  sending s;
  OK(begin(&s, t->env));
  OK(noise(&s.content, 76300));
  OK(to_contact(&s, t->env, NULL));
  CHECK(s.out.len <= SC_STORED_MAX_BYTES);
  OK(to_group(&s, t->env, NULL));
  CHECK(s.out.len <= SC_STORED_MAX_BYTES);
  OK(noise(&s.content, 76800));
  FAILS(SC_ERR_TOO_LARGE, to_contact(&s, t->env, NULL));
  CHECK(s.out.len == 0);
  FAILS(SC_ERR_TOO_LARGE, to_group(&s, t->env, NULL));
  CHECK(s.out.len == 0);
  OK(noise(&s.content, SC_CONTENT_MAX_BYTES));
  FAILS(SC_ERR_TOO_LARGE, to_group(&s, t->env, NULL));
  CHECK(s.out.len == 0);
done:
  end(&s);
}

SUITE(message_encode, "message/encode",
      {"a message to a contact has the known structure", a_message_to_a_contact_has_the_known_structure},
      {"with Pro the sealed bytes are signed", with_pro_the_sealed_bytes_are_signed},
      {"a message to a group is a sealed envelope", a_message_to_a_group_is_a_sealed_envelope},
      {"a community message is the padded content", a_community_message_is_the_padded_content},
      {"with Pro, community content carries its signature", with_pro_community_content_carries_its_signature},
      {"with Pro, community content is put in field order", with_pro_community_content_is_put_in_field_order},
      {"an inbox message is the padded content, sealed", an_inbox_message_is_the_padded_content_sealed},
      {"only ids of the right kind are accepted", only_ids_of_the_right_kind_are_accepted},
      {"unreadable content is not encoded", unreadable_content_is_not_encoded},
      {"the message time must be valid and match the content",
       the_message_time_must_be_valid_and_match_the_content},
      {"keys must be usable", keys_must_be_usable},
      {"signed content is not signed again", signed_content_is_not_signed_again},
      {"a message too large for a node is refused", a_message_too_large_for_a_node_is_refused});
