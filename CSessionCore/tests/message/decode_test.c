#include "cast.h"
#include "message/envelope.h"
#include "message/fields.h"
#include "message/parsed.h"
#include "support/test.h"

/* Everything a test needs to send and receive. */
typedef struct post {
  const sc_env *env;
  cast who;
  letter letter;
  sc_buffer content;
  sc_buffer body; /* the content of an envelope */
  sc_buffer envelope;
  sc_buffer stored;
  sc_message *message;
} post;

static sc_status begin(post *p, const sc_env *env) {
  *p = (post){.env = env};
  sc_buffer_init(&p->content, env);
  sc_buffer_init(&p->body, env);
  sc_buffer_init(&p->envelope, env);
  sc_buffer_init(&p->stored, env);
  letter_init(&p->letter, "hello");
  return cast_init(&p->who);
}

static void end(post *p) {
  sc_buffer_free(&p->content);
  sc_buffer_free(&p->body);
  sc_buffer_free(&p->envelope);
  sc_buffer_free(&p->stored);
  sc_message_free(p->message);
}

static sc_status write_letter(post *p) {
  return sc_content_write(&p->content, &p->letter.content);
}

static ProtobufCBinaryData binary(sc_buffer *bytes) {
  return (ProtobufCBinaryData){.len = bytes->len, .data = bytes->ptr};
}

/* An envelope with all required fields, to be modified. */
static Sc__Envelope plain_envelope(post *p) {
  Sc__Envelope envelope = SC__ENVELOPE__INIT;
  envelope.type = SC__ENVELOPE__TYPE__SESSION_MESSAGE;
  envelope.timestamp = CAST_SENT_MS;
  envelope.has_content = true;
  envelope.content = binary(&p->body);
  return envelope;
}

static sc_status store(post *p, const Sc__Envelope *envelope) {
  sc_buffer_clear(&p->envelope);
  sc_status status = sc_parsed_append(&p->envelope, &envelope->base);
  return status == SC_OK ? sc_wrapping_write(&p->stored, sc_buffer_bytes(&p->envelope)) : status;
}

/* Seals raw bytes into `body`. */
static sc_status seal_bare(post *p, sc_bytes bytes) {
  return sc_seal(&p->body, p->env, &p->who.alice, SC_BYTES(p->who.bob_id.bytes), bytes);
}

/* Seals `content`, padded. */
static sc_status seal_body(post *p) {
  sc_status status = sc_pad(&p->envelope, sc_buffer_bytes(&p->content));
  return status == SC_OK ? seal_bare(p, sc_buffer_bytes(&p->envelope)) : status;
}

static sc_status receive_with(post *p, const sc_x25519_pair *keys, size_t key_count) {
  sc_message_free(p->message);
  return sc_decode_from_contact(&p->message, p->env, keys, key_count, p->who.backend.public_key,
                                sc_buffer_bytes(&p->stored));
}

static sc_status receive(post *p) {
  return receive_with(p, &p->who.bob.x, 1);
}

/* Bob receives an envelope with `content`, without padding. */
static sc_status receive_content(post *p) {
  sc_status status = seal_bare(p, sc_buffer_bytes(&p->content));
  Sc__Envelope envelope = plain_envelope(p);
  if (status == SC_OK)
    status = store(p, &envelope);
  return status == SC_OK ? receive(p) : status;
}

/* Bob receives the letter under an envelope signature by `signer`, or one of `len` bytes if there is no
 * signer. */
static sc_status receive_signed(post *p, const sc_ed25519_pair *signer, size_t len) {
  uint8_t signature[64] = {0};
  sc_status status = write_letter(p);
  if (status == SC_OK)
    status = seal_body(p);
  if (status != SC_OK)
    return status;
  Sc__Envelope envelope = plain_envelope(p);
  if (signer != NULL)
    sc_ed25519_sign(signature, signer, sc_buffer_bytes(&p->body));
  envelope.has_pro_sig = true;
  envelope.pro_sig = (ProtobufCBinaryData){.len = len, .data = signature};
  status = store(p, &envelope);
  return status == SC_OK ? receive(p) : status;
}

static bool is_from_alice(const post *p) {
  const sc_sender *sender = sc_message_sender(p->message);
  return sender != NULL && memcmp(sender->id.bytes, p->who.alice_id.bytes, SC_ID_BYTES) == 0 &&
         memcmp(sender->ed25519_public, p->who.alice.ed.public_key, 32) == 0;
}

static sc_pro_status pro_status(const post *p) {
  return sc_message_pro_data(p->message)->status;
}

static void a_contact_decodes_an_encoded_message(sc_test *t) {
  post p;
  OK(begin(&p, t->env));
  OK(write_letter(&p));
  OK(sc_encode_for_contact(&p.stored, p.env, &p.who.alice, &p.who.bob_id, sc_buffer_bytes(&p.content),
                           CAST_SENT_MS, NULL));
  OK(receive(&p));
  SAME(sc_buffer_bytes(&p.content), sc_message_content(p.message));
  SAME(sc_bytes_text("hello"), sc_message_text(p.message));
  CHECK(is_from_alice(&p));
  const sc_envelope *envelope = sc_message_envelope(p.message);
  CHECK(envelope->flags == (SC_ENVELOPE_TIMESTAMP | SC_ENVELOPE_SOURCE_DEVICE));
  CHECK(envelope->timestamp_ms == CAST_SENT_MS && envelope->source_device == 1);
  CHECK(pro_status(&p) == SC_PRO_NONE);
done:
  end(&p);
}

static void a_group_decodes_an_encoded_message(sc_test *t) {
  post p;
  OK(begin(&p, t->env));
  OK(write_letter(&p));
  OK(sc_encode_for_group(&p.stored, p.env, &p.who.alice, &p.who.group, SC_BYTES(p.who.group_key),
                         sc_buffer_bytes(&p.content), CAST_SENT_MS, NULL));
  uint8_t old_key[32] = {0};
  const sc_bytes keys[] = {SC_BYTES(old_key), SC_BYTES(p.who.group_key)};
  OK(sc_decode_from_group(&p.message, p.env, &p.who.group, keys, 2, p.who.backend.public_key,
                          sc_buffer_bytes(&p.stored)));
  SAME(sc_buffer_bytes(&p.content), sc_message_content(p.message));
  CHECK(is_from_alice(&p));
  CHECK(sc_message_envelope(p.message)->flags == (SC_ENVELOPE_TIMESTAMP | SC_ENVELOPE_SOURCE_DEVICE));
done:
  end(&p);
}

static void a_room_decodes_a_posted_message(sc_test *t) {
  post p;
  OK(begin(&p, t->env));
  OK(write_letter(&p));
  OK(sc_encode_for_community(&p.stored, p.env, sc_buffer_bytes(&p.content), NULL));
  OK(sc_decode_from_community(&p.message, p.env, p.who.backend.public_key, cast_sent_s,
                              sc_buffer_bytes(&p.stored)));
  SAME(sc_buffer_bytes(&p.content), sc_message_content(p.message));
  CHECK(sc_message_sender(p.message) == NULL);
  CHECK(sc_message_envelope(p.message)->flags == 0 && pro_status(&p) == SC_PRO_NONE);
done:
  end(&p);
}

static void inbox_and_outbox_decode_an_encoded_message(sc_test *t) {
  post p;
  OK(begin(&p, t->env));
  OK(write_letter(&p));
  OK(sc_encode_for_inbox(&p.stored, p.env, &p.who.alice, p.who.server, &p.who.bob_blinded,
                         sc_buffer_bytes(&p.content), NULL));
  const sc_keypair *readers[] = {&p.who.bob, &p.who.alice};
  for (size_t i = 0; i < 2; i++) {
    OK(sc_decode_from_inbox(&p.message, p.env, readers[i], p.who.server, &p.who.alice_blinded,
                            &p.who.bob_blinded, p.who.backend.public_key, cast_sent_s,
                            sc_buffer_bytes(&p.stored)));
    SAME(sc_buffer_bytes(&p.content), sc_message_content(p.message));
    CHECK(is_from_alice(&p));
    sc_message_free(p.message);
    p.message = NULL;
  }
  FAILS(SC_ERR_DECRYPT,
        sc_decode_from_inbox(&p.message, p.env, &p.who.eve, p.who.server, &p.who.alice_blinded,
                             &p.who.bob_blinded, p.who.backend.public_key, cast_sent_s,
                             sc_buffer_bytes(&p.stored)));
  FAILS(SC_ERR_TRUNCATED,
        sc_decode_from_inbox(&p.message, p.env, &p.who.bob, p.who.server, &p.who.alice_blinded,
                             &p.who.bob_blinded, p.who.backend.public_key, cast_sent_s,
                             sc_bytes_make(p.stored.ptr, 72)));
  CHECK(p.message == NULL);
done:
  end(&p);
}

static void a_note_to_self_stays_in_the_inbox(sc_test *t) {
  post p;
  OK(begin(&p, t->env));
  OK(write_letter(&p));
  OK(sc_encode_for_inbox(&p.stored, p.env, &p.who.alice, p.who.server, &p.who.alice_blinded,
                         sc_buffer_bytes(&p.content), NULL));
  OK(sc_decode_from_inbox(&p.message, p.env, &p.who.alice, p.who.server, &p.who.alice_blinded,
                          &p.who.alice_blinded, p.who.backend.public_key, cast_sent_s,
                          sc_buffer_bytes(&p.stored)));
  CHECK(is_from_alice(&p));
  sc_message_free(p.message);
  FAILS(SC_ERR_DECRYPT,
        sc_decode_from_inbox(&p.message, p.env, &p.who.bob, p.who.server, &p.who.alice_blinded,
                             &p.who.alice_blinded, p.who.backend.public_key, cast_sent_s,
                             sc_buffer_bytes(&p.stored)));
  CHECK(p.message == NULL);
done:
  end(&p);
}

typedef struct wrapping_case {
  const char *stored;
  sc_status status;
} wrapping_case;

static void each_error_of_the_wrapping_is_named(sc_test *t) {
  static const wrapping_case cases[] = {
      {"", SC_ERR_WRAPPING_EMPTY},
      {"0801", SC_ERR_WRAPPING_EMPTY},                      /* no request */
      {"08011200", SC_ERR_WRAPPING_EMPTY},                  /* no body */
      {"080112021a00", SC_ERR_ENVELOPE},                    /* an empty one */
      {"12020a0012", SC_ERR_WRAPPING},                      /* cut off */
      {"0000", SC_ERR_WRAPPING},                            /* field number 0 */
      {"12020000", SC_ERR_WRAPPING},                        /* the same, inside */
      {"68656c6c6f", SC_ERR_WRAPPING},                      /* "hello" */
      {"12061a0408062805", SC_ERR_ENVELOPE_EMPTY},          /* no content */
      {"12041a020806", SC_ERR_ENVELOPE},                    /* no time */
      {"12041a022805", SC_ERR_ENVELOPE},                    /* no type */
      {"12061a0408032805", SC_ERR_ENVELOPE},                /* an unknown type */
      {"12061a040a002805", SC_ERR_ENVELOPE},                /* a type that is no number */
      {"12061a0408062a00", SC_ERR_ENVELOPE},                /* a time that is none */
      {"12061a0408060000", SC_ERR_ENVELOPE},                /* field number 0 */
      {"080912061a0408062805", SC_ERR_ENVELOPE_EMPTY},      /* the wrapping's own type does not matter */
      {"120a1a080806280512027878", SC_ERR_ENVELOPE_SOURCE}, /* precedes the missing content */
  };
  post p;
  OK(begin(&p, t->env));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sc_buffer_clear(&p.stored);
    OK(sc_test_hex(&p.stored, cases[i].stored));
    FAILS(cases[i].status, receive(&p));
    CHECK(p.message == NULL);
  }
done:
  end(&p);
}

static void a_source_is_an_id_or_absent(sc_test *t) {
  char text[] = "05aa654f00fc39fc69fd0db829410ca38177d7732a8d2f0934ab3872ac56d5aa74";
  post p;
  OK(begin(&p, t->env));
  OK(write_letter(&p));
  OK(seal_body(&p));
  Sc__Envelope envelope = plain_envelope(&p);
  envelope.has_source = true;
  envelope.source = (ProtobufCBinaryData){.len = SC_ID_CHARS, .data = (uint8_t *)text};
  OK(store(&p, &envelope));
  OK(receive(&p));
  sc_id expected;
  OK(sc_id_parse(&expected, sc_bytes_text(text)));
  CHECK(sc_message_envelope(p.message)->flags == (SC_ENVELOPE_TIMESTAMP | SC_ENVELOPE_SOURCE));
  SAME(SC_BYTES(expected.bytes), SC_BYTES(sc_message_envelope(p.message)->source.bytes));
  envelope.source.len = 0;
  OK(store(&p, &envelope));
  OK(receive(&p));
  CHECK(sc_message_envelope(p.message)->flags == SC_ENVELOPE_TIMESTAMP);
  envelope.source.len = SC_ID_CHARS - 1;
  OK(store(&p, &envelope));
  FAILS(SC_ERR_ENVELOPE_SOURCE, receive(&p));
  envelope.source.len = SC_ID_CHARS;
  text[65] = 'g';
  OK(store(&p, &envelope));
  FAILS(SC_ERR_ENVELOPE_SOURCE, receive(&p));
  CHECK(p.message == NULL);
done:
  end(&p);
}

static void every_envelope_field_is_returned(sc_test *t) {
  post p;
  OK(begin(&p, t->env));
  OK(write_letter(&p));
  OK(seal_body(&p));
  Sc__Envelope envelope = plain_envelope(&p);
  envelope.type = SC__ENVELOPE__TYPE__CLOSED_GROUP_MESSAGE; /* the destination decides, not the type */
  envelope.has_server_timestamp = envelope.has_source_device = true;
  envelope.server_timestamp = 77;
  envelope.source_device = 3;
  OK(store(&p, &envelope));
  OK(receive(&p));
  const sc_envelope *told = sc_message_envelope(p.message);
  CHECK(told->flags == (SC_ENVELOPE_TIMESTAMP | SC_ENVELOPE_SOURCE_DEVICE | SC_ENVELOPE_SERVER_TIMESTAMP));
  CHECK(told->server_timestamp_ms == 77 && told->source_device == 3);
done:
  end(&p);
}

static void every_key_is_tried(sc_test *t) {
  post p;
  OK(begin(&p, t->env));
  OK(write_letter(&p));
  OK(receive_content(&p));
  const sc_x25519_pair last_fits[] = {p.who.alice.x, p.who.eve.x, p.who.bob.x};
  OK(receive_with(&p, last_fits, 3));
  CHECK(is_from_alice(&p));
  const sc_x25519_pair first_fits[] = {p.who.bob.x, p.who.eve.x};
  OK(receive_with(&p, first_fits, 2));
  CHECK(is_from_alice(&p));
  FAILS(SC_ERR_NO_KEY, receive_with(&p, last_fits, 2));
  FAILS(SC_ERR_NO_KEY, receive_with(&p, last_fits, 0));
  FAILS(SC_ERR_DECRYPT, receive_with(&p, last_fits, 1));
  CHECK(p.message == NULL);
done:
  end(&p);
}

static void a_tampered_seal_is_refused(sc_test *t) {
  post p;
  OK(begin(&p, t->env));
  OK(write_letter(&p));
  OK(seal_body(&p));
  Sc__Envelope envelope = plain_envelope(&p);
  envelope.content.len = SC_SEAL_OVERHEAD - 1;
  OK(store(&p, &envelope));
  FAILS(SC_ERR_TRUNCATED, receive(&p));
  envelope = plain_envelope(&p);
  p.body.ptr[p.body.len - 1] ^= 1;
  OK(store(&p, &envelope));
  FAILS(SC_ERR_DECRYPT, receive(&p));
done:
  end(&p);
}

static void padding_is_optional(sc_test *t) {
  post p;
  OK(begin(&p, t->env));
  OK(receive_content(&p)); /* an empty one, sealed into 144 bytes */
  CHECK(sc_message_content(p.message).len == 0 && sc_message_fields(p.message)->data_message == NULL);
  OK(write_letter(&p));
  OK(receive_content(&p));
  SAME(sc_buffer_bytes(&p.content), sc_message_content(p.message));
done:
  end(&p);
}

static void padding_is_removed_once(sc_test *t) {
  static const uint8_t ends_like_padding[] = {0xfa, 0x3e, 0x03, 0x80, 0x80, 0x00};
  post p;
  OK(begin(&p, t->env));
  OK(sc_pad(&p.content, SC_BYTES(ends_like_padding)));
  OK(receive_content(&p));
  SAME(SC_BYTES(ends_like_padding), sc_message_content(p.message));
done:
  end(&p);
}

static void each_error_of_the_content_is_named(sc_test *t) {
  post p;
  OK(begin(&p, t->env));
  OK(sc_test_hex(&p.content, "0a05"));
  FAILS(SC_ERR_CONTENT, receive_content(&p));
  sc_buffer_clear(&p.content);
  OK(sc_test_hex(&p.content, "000a80"));
  FAILS(SC_ERR_PROTO_TAG, receive_content(&p));
  CHECK(p.message == NULL);
done:
  end(&p);
}

static void every_pro_status_is_detected(sc_test *t) {
  post p;
  OK(begin(&p, t->env));
  for (int generation = SC_PRO_GENERATION_A; generation <= SC_PRO_GENERATION_B; generation++) {
    const sc_ed25519_pair *own = &p.who.rotating;
    letter_add_pro(&p.letter, &p.who, (sc_pro_generation)generation, cast_sent_s);
    OK(receive_signed(&p, own, 64));
    CHECK(pro_status(&p) == SC_PRO_VALID);
    const sc_message_pro *pro = sc_message_pro_data(p.message);
    CHECK(pro->has_proof && pro->proof.generation == (sc_pro_generation)generation);
    CHECK(memcmp(&pro->proof, &p.letter.issued, sizeof pro->proof) == 0);
    CHECK(pro->message_features == SC_PRO_MESSAGE_10K);
    CHECK(pro->profile_features == (SC_PRO_PROFILE_BADGE | SC_PRO_PROFILE_ANIMATED));
    CHECK(sc_message_envelope(p.message)->flags == (SC_ENVELOPE_TIMESTAMP | SC_ENVELOPE_PRO_SIGNATURE));

    OK(receive_signed(&p, &p.who.bob.ed, 64));
    CHECK(pro_status(&p) == SC_PRO_STOLEN);
    letter_add_pro(&p.letter, &p.who, (sc_pro_generation)generation, cast_sent_s - 1);
    OK(receive_signed(&p, own, 64));
    CHECK(pro_status(&p) == SC_PRO_EXPIRED);
    p.letter.issued.tag[0] ^= 1;
    OK(receive_signed(&p, own, 64));
    CHECK(pro_status(&p) == SC_PRO_FORGED);
  }
  p.letter.pro.proof = NULL;
  OK(receive_signed(&p, NULL, 64));
  CHECK(pro_status(&p) == SC_PRO_NO_PROOF && !sc_message_pro_data(p.message)->has_proof);
  CHECK(sc_message_pro_data(p.message)->message_features == SC_PRO_MESSAGE_10K);
  letter_add_pro(&p.letter, &p.who, SC_PRO_GENERATION_A, cast_sent_s);
  p.letter.proof.version = 1;
  OK(receive_signed(&p, &p.who.rotating, 64));
  CHECK(pro_status(&p) == SC_PRO_NO_PROOF);
done:
  end(&p);
}

static void pro_needs_both_proof_and_signature(sc_test *t) {
  post p;
  OK(begin(&p, t->env));
  OK(receive_signed(&p, NULL, 64)); /* a signature, which is ignored */
  CHECK(pro_status(&p) == SC_PRO_NONE);
  CHECK((sc_message_envelope(p.message)->flags & SC_ENVELOPE_PRO_SIGNATURE) == 0);
  letter_add_pro(&p.letter, &p.who, SC_PRO_GENERATION_B, INT64_MAX);
  OK(write_letter(&p));
  OK(receive_content(&p)); /* unsigned Pro data */
  CHECK(pro_status(&p) == SC_PRO_NONE);
done:
  end(&p);
}

static void a_message_with_malformed_pro_data_is_refused(sc_test *t) {
  post p;
  OK(begin(&p, t->env));
  FAILS(SC_ERR_PRO_SIGNATURE_SIZE, receive_signed(&p, NULL, 63));
  FAILS(SC_ERR_PRO_SIGNATURE_SIZE, receive_signed(&p, NULL, 0));
  letter_add_pro(&p.letter, &p.who, SC_PRO_GENERATION_B, INT64_MAX);
  Sc__ProProof whole = p.letter.proof;
  for (int i = 0; i < 8; i++) {
    Sc__ProProof broken = whole;
    if (i == 0)
      broken.revocation_tag.len--;
    if (i == 1)
      broken.rotating_public_key.len--;
    if (i == 2)
      broken.has_expiry_unix_ts = false;
    if (i == 3)
      broken.sig.len--;
    if (i == 4)
      broken.has_revocation_tag = false;
    if (i == 5)
      broken.has_rotating_public_key = false;
    if (i == 6)
      broken.has_sig = false;
    if (i == 7)
      broken.expiry_unix_ts++;
    p.letter.proof = broken;
    FAILS(SC_ERR_PRO_PROOF, receive_signed(&p, &p.who.rotating, 64));
  }
  /* The time is checked first, then the signature's size. */
  p.letter.content.sig_timestamp = 0;
  FAILS(SC_ERR_PRO_TIME, receive_signed(&p, &p.who.rotating, 64));
  p.letter.content.has_sig_timestamp = false;
  FAILS(SC_ERR_PRO_TIME, receive_signed(&p, &p.who.rotating, 64));
  FAILS(SC_ERR_PRO_SIGNATURE_SIZE, receive_signed(&p, NULL, 63));
  p.letter.pro.proof = NULL;
  FAILS(SC_ERR_PRO_TIME, receive_signed(&p, &p.who.rotating, 64));
  CHECK(p.message == NULL);
done:
  end(&p);
}

static void a_swarm_messages_inner_signature_is_ignored(sc_test *t) {
  uint8_t signature[3] = {0};
  post p;
  OK(begin(&p, t->env));
  letter_add_pro(&p.letter, &p.who, SC_PRO_GENERATION_B, INT64_MAX);
  p.letter.content.has_pro_sig_for_community_message_only = true;
  p.letter.content.pro_sig_for_community_message_only = (ProtobufCBinaryData){sizeof signature, signature};
  OK(receive_signed(&p, &p.who.rotating, 64));
  CHECK(pro_status(&p) == SC_PRO_VALID);
done:
  end(&p);
}

static sc_status receive_in_group(post *p, const sc_id *group, sc_bytes key) {
  sc_message_free(p->message);
  return sc_decode_from_group(&p->message, p->env, group, &key, 1, p->who.backend.public_key,
                              sc_buffer_bytes(&p->stored));
}

/* The group receives any bytes as an envelope. */
static sc_status group_receives(post *p, const char *envelope) {
  sc_buffer_clear(&p->envelope);
  sc_status status = sc_test_hex(&p->envelope, envelope);
  if (status == SC_OK)
    status = sc_group_seal(&p->stored, p->env, &p->who.alice, p->who.group_pair.public_key,
                           SC_BYTES(p->who.group_key), sc_buffer_bytes(&p->envelope), NULL);
  return status == SC_OK ? receive_in_group(p, &p->who.group, SC_BYTES(p->who.group_key)) : status;
}

static void each_error_of_a_group_message_is_named(sc_test *t) {
  post p;
  OK(begin(&p, t->env));
  FAILS(SC_ERR_ENVELOPE, group_receives(&p, "0807"));
  FAILS(SC_ERR_ENVELOPE_SOURCE, group_receives(&p, "08072805120161"));
  FAILS(SC_ERR_ENVELOPE_EMPTY, group_receives(&p, "08072805"));
  FAILS(SC_ERR_CONTENT, group_receives(&p, "0807280542020a05"));
  FAILS(SC_ERR_PRO_SIGNATURE_SIZE, group_receives(&p, "0807280542005a0100"));
  OK(group_receives(&p, "080728054200"));
  CHECK(sc_message_envelope(p.message)->timestamp_ms == 5 && is_from_alice(&p));
  uint8_t other_key[32] = {0};
  sc_id other_group;
  sc_id_make(&other_group, SC_ID_GROUP, p.who.eve.ed.public_key);
  FAILS(SC_ERR_NO_KEY, receive_in_group(&p, &p.who.group, SC_BYTES(other_key)));
  FAILS(SC_ERR_SIGNATURE, receive_in_group(&p, &other_group, SC_BYTES(p.who.group_key)));
  FAILS(SC_ERR_ID_KIND, receive_in_group(&p, &p.who.bob_id, SC_BYTES(p.who.group_key)));
  CHECK(p.message == NULL);
done:
  end(&p);
}

static void a_group_messages_padding_is_content(sc_test *t) {
  post p;
  OK(begin(&p, t->env));
  FAILS(SC_ERR_CONTENT, group_receives(&p, "08072805420180"));
  FAILS(SC_ERR_PROTO_TAG, group_receives(&p, "0807280542028000"));
done:
  end(&p);
}

static void a_group_message_carries_pro(sc_test *t) {
  post p;
  OK(begin(&p, t->env));
  letter_add_pro(&p.letter, &p.who, SC_PRO_GENERATION_B, INT64_MAX);
  OK(write_letter(&p));
  OK(sc_encode_for_group(&p.stored, p.env, &p.who.alice, &p.who.group, SC_BYTES(p.who.group_key),
                         sc_buffer_bytes(&p.content), CAST_SENT_MS, &p.who.rotating));
  OK(receive_in_group(&p, &p.who.group, SC_BYTES(p.who.group_key)));
  CHECK(pro_status(&p) == SC_PRO_VALID);
  OK(sc_encode_for_group(&p.stored, p.env, &p.who.alice, &p.who.group, SC_BYTES(p.who.group_key),
                         sc_buffer_bytes(&p.content), CAST_SENT_MS, NULL));
  OK(receive_in_group(&p, &p.who.group, SC_BYTES(p.who.group_key)));
  CHECK(pro_status(&p) == SC_PRO_STOLEN);
done:
  end(&p);
}

static sc_status read_posted(post *p, uint64_t posted_s) {
  sc_message_free(p->message);
  return sc_decode_from_community(&p->message, p->env, p->who.backend.public_key, posted_s,
                                  sc_buffer_bytes(&p->stored));
}

static void the_signature_inside_content_is_verified(sc_test *t) {
  enum { expiry_s = cast_sent_s + 60 };
  post p;
  OK(begin(&p, t->env));
  for (int generation = SC_PRO_GENERATION_A; generation <= SC_PRO_GENERATION_B; generation++) {
    letter_add_pro(&p.letter, &p.who, (sc_pro_generation)generation, expiry_s);
    OK(write_letter(&p));
    OK(sc_encode_for_community(&p.stored, p.env, sc_buffer_bytes(&p.content), &p.who.rotating));
    /* The time is the post's, not the message's own. */
    OK(read_posted(&p, expiry_s));
    CHECK(pro_status(&p) == SC_PRO_VALID);
    OK(read_posted(&p, expiry_s + 1));
    CHECK(pro_status(&p) == SC_PRO_EXPIRED);
    OK(sc_encode_for_community(&p.stored, p.env, sc_buffer_bytes(&p.content), &p.who.bob.ed));
    OK(read_posted(&p, expiry_s + 1));
    CHECK(pro_status(&p) == SC_PRO_STOLEN);
    p.letter.issued.signature[0] ^= 1;
    OK(write_letter(&p));
    OK(sc_encode_for_community(&p.stored, p.env, sc_buffer_bytes(&p.content), &p.who.rotating));
    OK(read_posted(&p, expiry_s));
    CHECK(pro_status(&p) == SC_PRO_FORGED);
  }
  p.letter.pro.proof = NULL;
  OK(write_letter(&p));
  OK(sc_encode_for_community(&p.stored, p.env, sc_buffer_bytes(&p.content), &p.who.rotating));
  OK(read_posted(&p, cast_sent_s));
  CHECK(pro_status(&p) == SC_PRO_NO_PROOF);
done:
  end(&p);
}

/* Posts `before`, the signature of `signed_content` and `after`, padded. */
static sc_status post_signed(post *p, sc_bytes before, sc_bytes after, sc_bytes signed_content) {
  uint8_t record[3 + 64] = {0x8a, 0x01, 0x40};
  sc_status status = sc_pad(&p->body, signed_content);
  if (status != SC_OK)
    return status;
  sc_ed25519_sign(record + 3, &p->who.rotating, sc_buffer_bytes(&p->body));
  sc_buffer_clear(&p->envelope);
  status = sc_buffer_append(&p->envelope, before);
  if (status == SC_OK)
    status = sc_buffer_append(&p->envelope, SC_BYTES(record));
  if (status == SC_OK)
    status = sc_buffer_append(&p->envelope, after);
  return status == SC_OK ? sc_pad(&p->stored, sc_buffer_bytes(&p->envelope)) : status;
}

static void the_signed_order_of_fields_is_detected(sc_test *t) {
  static const uint8_t later[] = {0xfa, 0x3e, 0x01, 0x61}; /* an unknown field */
  post p;
  sc_buffer other_order;
  sc_buffer_init(&other_order, t->env);
  OK(begin(&p, t->env));
  letter_add_pro(&p.letter, &p.who, SC_PRO_GENERATION_B, INT64_MAX);
  OK(write_letter(&p));
  OK(sc_buffer_append(&other_order, SC_BYTES(later)));
  OK(sc_buffer_append(&other_order, sc_buffer_bytes(&p.content)));
  sc_bytes in_order = sc_buffer_bytes(&p.content);
  sc_bytes unordered = sc_buffer_bytes(&other_order);
  sc_bytes none = sc_bytes_make(NULL, 0);
  /* Signed as written, in its own order. */
  OK(post_signed(&p, unordered, none, unordered));
  OK(read_posted(&p, cast_sent_s));
  CHECK(pro_status(&p) == SC_PRO_VALID);
  /* The signature may be anywhere. */
  OK(post_signed(&p, none, unordered, unordered));
  OK(read_posted(&p, cast_sent_s));
  CHECK(pro_status(&p) == SC_PRO_VALID);
  /* Signed in field order, sent in another. */
  OK(sc_buffer_append(&p.content, SC_BYTES(later)));
  in_order = sc_buffer_bytes(&p.content);
  OK(post_signed(&p, unordered, none, in_order));
  OK(read_posted(&p, cast_sent_s));
  CHECK(pro_status(&p) == SC_PRO_VALID);
  /* Neither order. */
  OK(post_signed(&p, unordered, none, SC_BYTES(later)));
  OK(read_posted(&p, cast_sent_s));
  CHECK(pro_status(&p) == SC_PRO_STOLEN);
done:
  sc_buffer_free(&other_order);
  end(&p);
}

/* Posts an envelope around the letter, padded. */
static sc_status post_envelope(post *p, Sc__Envelope *envelope, const sc_ed25519_pair *signer) {
  uint8_t signature[64];
  sc_status status = write_letter(p);
  if (status == SC_OK)
    status = sc_pad(&p->body, sc_buffer_bytes(&p->content));
  if (status != SC_OK)
    return status;
  envelope->content = binary(&p->body);
  if (signer != NULL) {
    sc_ed25519_sign(signature, signer, sc_buffer_bytes(&p->body));
    envelope->has_pro_sig = true;
    envelope->pro_sig = (ProtobufCBinaryData){sizeof signature, signature};
  }
  sc_buffer_clear(&p->stored);
  return sc_parsed_append(&p->stored, &envelope->base);
}

static void a_room_decodes_envelopes_too(sc_test *t) {
  enum { expiry_s = cast_sent_s + 60 };
  post p;
  OK(begin(&p, t->env));
  Sc__Envelope envelope = plain_envelope(&p);
  envelope.has_source = true;
  envelope.source = (ProtobufCBinaryData){SC_ID_BYTES, p.who.bob_id.bytes};
  OK(post_envelope(&p, &envelope, NULL));
  OK(read_posted(&p, cast_sent_s));
  SAME(sc_buffer_bytes(&p.content), sc_message_content(p.message));
  CHECK(sc_message_envelope(p.message)->flags == SC_ENVELOPE_SOURCE);
  SAME(SC_BYTES(p.who.bob_id.bytes), SC_BYTES(sc_message_envelope(p.message)->source.bytes));
  envelope.source.len--;
  OK(post_envelope(&p, &envelope, NULL));
  FAILS(SC_ERR_ENVELOPE_SOURCE, read_posted(&p, cast_sent_s));

  envelope.has_source = false;
  for (int generation = SC_PRO_GENERATION_A; generation <= SC_PRO_GENERATION_B; generation++) {
    letter_add_pro(&p.letter, &p.who, (sc_pro_generation)generation, expiry_s);
    OK(post_envelope(&p, &envelope, &p.who.rotating));
    OK(read_posted(&p, expiry_s));
    CHECK(pro_status(&p) == SC_PRO_VALID);
    CHECK(sc_message_envelope(p.message)->flags == SC_ENVELOPE_PRO_SIGNATURE);
    OK(read_posted(&p, expiry_s + 1));
    CHECK(pro_status(&p) == SC_PRO_EXPIRED);
    OK(post_envelope(&p, &envelope, &p.who.bob.ed));
    OK(read_posted(&p, cast_sent_s));
    CHECK(pro_status(&p) == SC_PRO_STOLEN);
    p.letter.issued.tag[5] ^= 1;
    OK(post_envelope(&p, &envelope, &p.who.rotating));
    OK(read_posted(&p, cast_sent_s));
    CHECK(pro_status(&p) == SC_PRO_FORGED);
  }
  p.letter.pro.proof = NULL;
  OK(post_envelope(&p, &envelope, &p.who.rotating));
  OK(read_posted(&p, cast_sent_s));
  CHECK(pro_status(&p) == SC_PRO_NO_PROOF);
done:
  end(&p);
}

static void a_room_ignores_a_signature_without_pro_data(sc_test *t) {
  post p;
  OK(begin(&p, t->env));
  Sc__Envelope envelope = plain_envelope(&p);
  OK(post_envelope(&p, &envelope, &p.who.rotating));
  OK(read_posted(&p, cast_sent_s));
  CHECK(pro_status(&p) == SC_PRO_NONE && sc_message_envelope(p.message)->flags == 0);
  OK(sc_encode_for_community(&p.stored, p.env, sc_buffer_bytes(&p.content), &p.who.rotating));
  OK(read_posted(&p, cast_sent_s));
  CHECK(pro_status(&p) == SC_PRO_NONE);
done:
  end(&p);
}

static void an_envelope_without_content_is_empty(sc_test *t) {
  post p;
  OK(begin(&p, t->env));
  OK(sc_test_hex(&p.stored, "08062805"));
  OK(read_posted(&p, cast_sent_s));
  CHECK(sc_message_content(p.message).len == 0);
done:
  end(&p);
}

static void each_error_of_a_room_message_is_named(sc_test *t) {
  uint8_t signature[65] = {0};
  post p;
  OK(begin(&p, t->env));
  OK(sc_test_hex(&p.stored, "0a0580"));
  FAILS(SC_ERR_CONTENT, read_posted(&p, cast_sent_s));
  sc_buffer_clear(&p.stored);
  OK(sc_test_hex(&p.stored, "0a00000a0080"));
  FAILS(SC_ERR_PROTO_TAG, read_posted(&p, cast_sent_s));

  Sc__Envelope envelope = plain_envelope(&p);
  p.letter.content.has_pro_sig_for_community_message_only = true;
  p.letter.content.pro_sig_for_community_message_only = (ProtobufCBinaryData){65, signature};
  OK(post_envelope(&p, &envelope, NULL));
  FAILS(SC_ERR_PRO_SIGNATURE_SIZE, read_posted(&p, cast_sent_s));
  OK(post_envelope(&p, &envelope, &p.who.rotating));
  FAILS(SC_ERR_PRO_SIGNATURE_TWICE, read_posted(&p, cast_sent_s)); /* checked before its size */
  OK(write_letter(&p));
  OK(sc_pad(&p.stored, sc_buffer_bytes(&p.content)));
  FAILS(SC_ERR_PRO_SIGNATURE_SIZE, read_posted(&p, cast_sent_s));
  letter_add_pro(&p.letter, &p.who, SC_PRO_GENERATION_B, INT64_MAX);
  p.letter.proof.sig.len--;
  p.letter.content.pro_sig_for_community_message_only.len = 64;
  p.letter.content.has_sig_timestamp = false; /* not required here */
  OK(write_letter(&p));
  OK(sc_pad(&p.stored, sc_buffer_bytes(&p.content)));
  FAILS(SC_ERR_PRO_PROOF, read_posted(&p, cast_sent_s));
  CHECK(p.message == NULL);
done:
  end(&p);
}

static sc_status received_at(post *p, uint64_t envelope_ms, bool has_own, uint64_t own_ms) {
  p->letter.content.has_sig_timestamp = has_own;
  p->letter.content.sig_timestamp = own_ms;
  sc_status status = write_letter(p);
  if (status == SC_OK)
    status = seal_body(p);
  Sc__Envelope envelope = plain_envelope(p);
  envelope.timestamp = envelope_ms;
  if (status == SC_OK)
    status = store(p, &envelope);
  return status == SC_OK ? receive(p) : status;
}

static void both_times_of_a_swarm_message_must_agree(sc_test *t) {
  const uint64_t latest = (uint64_t)1 << 53;
  post p;
  OK(begin(&p, t->env));
  OK(received_at(&p, 5, true, 5));
  OK(received_at(&p, 5, false, 0));
  OK(received_at(&p, latest, true, latest));
  FAILS(SC_ERR_MESSAGE_TIME, received_at(&p, 5, true, 6));
  FAILS(SC_ERR_MESSAGE_TIME, received_at(&p, 0, true, 0));
  FAILS(SC_ERR_MESSAGE_TIME, received_at(&p, latest + 1, true, latest + 1));
  CHECK(p.message == NULL);
done:
  end(&p);
}

static sc_status posted_at(post *p, uint64_t posted_s, bool has_own, uint64_t own_ms) {
  p->letter.content.has_sig_timestamp = has_own;
  p->letter.content.sig_timestamp = own_ms;
  sc_status status = write_letter(p);
  if (status == SC_OK)
    status = sc_encode_for_community(&p->stored, p->env, sc_buffer_bytes(&p->content), NULL);
  return status == SC_OK ? read_posted(p, posted_s) : status;
}

static void the_time_of_a_post_must_be_near_the_servers(sc_test *t) {
  enum { six_hours_s = 6 * 60 * 60, posted_s = 1750000000 };
  const uint64_t posted_ms = (uint64_t)posted_s * 1000;
  post p;
  OK(begin(&p, t->env));
  OK(posted_at(&p, posted_s, true, posted_ms));
  OK(posted_at(&p, posted_s - six_hours_s, true, posted_ms));
  OK(posted_at(&p, posted_s + six_hours_s, true, posted_ms));
  FAILS(SC_ERR_MESSAGE_TIME, posted_at(&p, posted_s - six_hours_s - 1, true, posted_ms));
  FAILS(SC_ERR_MESSAGE_TIME, posted_at(&p, posted_s + six_hours_s + 1, true, posted_ms));
  FAILS(SC_ERR_MESSAGE_TIME, posted_at(&p, UINT64_MAX, true, posted_ms));
  FAILS(SC_ERR_MESSAGE_TIME, posted_at(&p, posted_s, true, posted_ms + (uint64_t)six_hours_s * 1000 + 1));
  OK(posted_at(&p, UINT64_MAX, false, 0));
done:
  end(&p);
}

SUITE(message_decode, "message/decode",
      {"a contact decodes an encoded message", a_contact_decodes_an_encoded_message},
      {"a group decodes an encoded message", a_group_decodes_an_encoded_message},
      {"a room decodes a posted message", a_room_decodes_a_posted_message},
      {"inbox and outbox decode an encoded message", inbox_and_outbox_decode_an_encoded_message},
      {"a note to self stays in the inbox", a_note_to_self_stays_in_the_inbox},
      {"each error of the wrapping is named", each_error_of_the_wrapping_is_named},
      {"a source is an id or absent", a_source_is_an_id_or_absent},
      {"every envelope field is returned", every_envelope_field_is_returned},
      {"every key is tried", every_key_is_tried}, {"a tampered seal is refused", a_tampered_seal_is_refused},
      {"padding is optional", padding_is_optional}, {"padding is removed once", padding_is_removed_once},
      {"each error of the content is named", each_error_of_the_content_is_named},
      {"every Pro status is detected", every_pro_status_is_detected},
      {"Pro needs both proof and signature", pro_needs_both_proof_and_signature},
      {"a message with malformed Pro data is refused", a_message_with_malformed_pro_data_is_refused},
      {"a swarm message's inner signature is ignored", a_swarm_messages_inner_signature_is_ignored},
      {"each error of a group message is named", each_error_of_a_group_message_is_named},
      {"a group message's padding is content", a_group_messages_padding_is_content},
      {"a group message carries Pro", a_group_message_carries_pro},
      {"the signature inside content is verified", the_signature_inside_content_is_verified},
      {"the signed order of fields is detected", the_signed_order_of_fields_is_detected},
      {"a room decodes envelopes too", a_room_decodes_envelopes_too},
      {"a room ignores a signature without Pro data", a_room_ignores_a_signature_without_pro_data},
      {"an envelope without content is empty", an_envelope_without_content_is_empty},
      {"each error of a room message is named", each_error_of_a_room_message_is_named},
      {"both times of a swarm message must agree", both_times_of_a_swarm_message_must_agree},
      {"the time of a post must be near the server's", the_time_of_a_post_must_be_near_the_servers});
