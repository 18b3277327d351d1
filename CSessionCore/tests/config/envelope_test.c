#include "config/envelope.h"

#include "config/legacy_wrap.h"
#include "support/test.h"
#include "worked_example.h"

/* An account, its profile and its stored messages. */
typedef struct scene {
  sc_keypair account;
  sc_bytes key;
  sc_config_envelope envelope;
  sc_buffer message;
  sc_config_stored stored;
  sc_buffer opened;
  sc_config_form form;
} scene;

static void set_scene(scene *out, const sc_env *env) {
  memset(out, 0, sizeof *out);
  worked_account(&out->account);
  out->key = worked_key(&out->account);
  out->envelope = (sc_config_envelope){
      .domain = sc_bytes_text("UserProfile"),
      .keys = &out->key,
      .key_count = 1,
      .account = &out->account,
      .kind = SC_LEGACY_CONFIG_USER_PROFILE,
  };
  sc_buffer_init(&out->message, env);
  sc_config_stored_init(&out->stored, env);
  sc_buffer_init(&out->opened, env);
}

static void leave_scene(scene *scene) {
  sc_buffer_free(&scene->message);
  sc_config_stored_free(&scene->stored);
  sc_buffer_free(&scene->opened);
}

/* An incompressible message. */
SC_NODISCARD static sc_status compose(scene *s, const sc_env *env, size_t len) {
  uint8_t *room;
  sc_buffer_clear(&s->message);
  sc_status status = sc_buffer_extend(&room, &s->message, len);
  if (status != SC_OK)
    return status;
  sc_random(env, room, len);
  room[0] = 'd';
  return SC_OK;
}

static sc_status seal(scene *s, int64_t seqno) {
  return sc_config_seal(&s->stored, &s->envelope, seqno, sc_buffer_bytes(&s->message));
}

static sc_status open_stored(scene *s, sc_bytes stored) {
  return sc_config_open(&s->opened, &s->form, &s->envelope, stored);
}

/* Encrypts and stores the bytes unchanged, to be opened. */
SC_NODISCARD static sc_status encrypt(scene *s, sc_bytes padded) {
  return sc_config_encrypt(&s->stored.bytes, s->key, s->envelope.domain, padded);
}

static void messages_are_packed_in_the_known_form(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  for (size_t i = 0; i < worked_count; i++) {
    const worked_message *known = &worked_messages[i];
    sc_buffer_clear(&s.message);
    OK(sc_test_hex(&s.message, known->hex));
    OK(sc_config_pack(&s.opened, sc_buffer_bytes(&s.message)));
    CHECK(s.opened.len == known->packed_len);
    CHECK(s.opened.ptr[0] == (known->packed_len < s.message.len ? 'z' : 'd'));
    CHECK(sc_config_padded_len(s.opened.len, SC_CONFIG_ENCRYPT_OVERHEAD) == known->padded_len);
  }
  static const uint8_t begin[] = {0x7a, 0x28, 0xb5, 0x2f, 0xfd, 0x60, 0x77};
  SAME(SC_BYTES(begin), sc_bytes_make(s.opened.ptr, sizeof begin));
done:
  leave_scene(&s);
}

static void messages_are_sealed_in_the_known_form_and_opened(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  for (size_t i = 0; i < worked_count; i += t->torture ? 4 : 1) {
    const worked_message *known = &worked_messages[i];
    sc_buffer_clear(&s.message);
    OK(sc_test_hex(&s.message, known->hex));
    s.envelope.account = NULL;
    OK(seal(&s, known->seqno));
    CHECK(s.stored.bytes.len == known->encrypted_len);
    uint8_t nonce[24];
    sc_test_hex_into(nonce, sizeof nonce, known->nonce);
    SAME(SC_BYTES(nonce), sc_bytes_make(s.stored.bytes.ptr + s.stored.bytes.len - 24, 24));
    CHECK(is_hashed(known->encrypted_hash, sc_buffer_bytes(&s.stored.bytes)));
    s.envelope.account = &s.account;
    OK(open_stored(&s, sc_config_stored_message(&s.stored, 0)));
    CHECK(s.form == SC_CONFIG_WHOLE);
    SAME(sc_buffer_bytes(&s.message), sc_buffer_bytes(&s.opened));

    OK(seal(&s, known->seqno));
    CHECK(sc_config_stored_count(&s.stored) == 1);
    CHECK(s.stored.bytes.len == known->wrapped_len);
    CHECK(is_hashed(known->wrapped_hash, sc_buffer_bytes(&s.stored.bytes)));
    OK(open_stored(&s, sc_config_stored_message(&s.stored, 0)));
    CHECK(s.form == SC_CONFIG_WHOLE);
    SAME(sc_buffer_bytes(&s.message), sc_buffer_bytes(&s.opened));
  }
done:
  leave_scene(&s);
}

static void an_incompressible_message_stays_uncompressed(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  OK(compose(&s, t->env, 300));
  OK(sc_config_pack(&s.opened, sc_buffer_bytes(&s.message)));
  SAME(sc_buffer_bytes(&s.message), sc_buffer_bytes(&s.opened));
done:
  leave_scene(&s);
}

typedef struct bad_form {
  const char *hex;
  sc_status status;
} bad_form;

static void an_invalid_message_is_not_unpacked(sc_test *t) {
  static const bad_form cases[] = {
      {"", SC_ERR_FORMAT},
      {"000000", SC_ERR_FORMAT},
      {"6d", SC_ERR_FORMAT}, /* a part is only found where messages are stored */
      {"61", SC_ERR_VERSION},
      {"0065", SC_ERR_VERSION},
      {"7a", SC_ERR_COMPRESSION},
      {"7a28b52ffd", SC_ERR_COMPRESSION},
      {"7a7a28b52ffd2000010000", SC_ERR_COMPRESSION},
      {"7a28b52ffd2000010000", SC_ERR_FORMAT},                                /* nothing, compressed */
      {"7a28b52ffd200211000064657f", SC_ERR_COMPRESSION},                     /* "de", and a byte behind it */
      {"7a28b52ffd2002110000646528b52ffd20021100006465", SC_ERR_COMPRESSION}, /* "de" twice */
      {"7a28b52ffd20021100007a64", SC_ERR_FORMAT},                            /* "zd" */
      {"7a28b52ffd20021100006d64", SC_ERR_FORMAT},                            /* "md" */
      {"7a28b52ffd2003190000006465", SC_ERR_FORMAT}, /* zeros before a message are padding outside only */
  };
  scene s;
  set_scene(&s, t->env);
  OK(sc_test_hex(&s.message, "000000"
                             "7a28b52ffd20021100006465"));
  OK(sc_config_unpack(&s.opened, sc_buffer_bytes(&s.message)));
  SAME(sc_bytes_text("de"), sc_buffer_bytes(&s.opened));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sc_buffer_clear(&s.message);
    OK(sc_test_hex(&s.message, cases[i].hex));
    FAILS(cases[i].status, sc_config_unpack(&s.opened, sc_buffer_bytes(&s.message)));
    CHECK(s.opened.len == 0);
  }
done:
  leave_scene(&s);
}

static void no_message_is_larger_than_the_limit(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  if (t->torture)
    SKIP("it allocates as smaller messages do, and takes seconds");
  uint8_t *room;
  OK(sc_buffer_extend(&room, &s.message, SC_CONFIG_MAX_BYTES + 1));
  memset(room, 'd', s.message.len);
  FAILS(SC_ERR_TOO_LARGE, sc_config_unpack(&s.opened, sc_buffer_bytes(&s.message)));
  FAILS(SC_ERR_TOO_LARGE, seal(&s, 1));
  OK(sc_config_pack(&s.stored.bytes, sc_buffer_bytes(&s.message)));
  FAILS(SC_ERR_TOO_LARGE, sc_config_unpack(&s.opened, sc_buffer_bytes(&s.stored.bytes)));
  CHECK(s.opened.len == 0);
  sc_buffer_truncate(&s.message, SC_CONFIG_MAX_BYTES);
  OK(sc_config_pack(&s.stored.bytes, sc_buffer_bytes(&s.message)));
  OK(sc_config_unpack(&s.opened, sc_buffer_bytes(&s.stored.bytes)));
  CHECK(s.opened.len == SC_CONFIG_MAX_BYTES);
done:
  leave_scene(&s);
}

static void no_padded_message_is_larger_than_the_limit(sc_test *t) {
  enum { largest = 976 * 5120 - 40, parts = 66 };
  scene s;
  set_scene(&s, t->env);
  if (t->torture)
    SKIP("it allocates as smaller messages do, and takes seconds");
  OK(compose(&s, t->env, largest + 1));
  FAILS(SC_ERR_TOO_LARGE, seal(&s, 1));
  CHECK(sc_config_stored_count(&s.stored) == 0);
  sc_buffer_truncate(&s.message, largest);
  OK(seal(&s, 1));
  CHECK(sc_config_stored_count(&s.stored) == parts);
done:
  leave_scene(&s);
}

static void a_message_that_fits_is_stored_whole(sc_test *t) {
  enum { largest = SC_STORED_MAX_BYTES - SC_CONFIG_ENCRYPT_OVERHEAD };
  static const uint8_t zeros[SC_CONFIG_SET_BYTES] = {0};
  scene s;
  set_scene(&s, t->env);
  OK(compose(&s, t->env, largest));
  OK(seal(&s, 1));
  CHECK(sc_config_stored_count(&s.stored) == 1);
  SAME(SC_BYTES(zeros), SC_BYTES(s.stored.set));
  CHECK(sc_config_stored_message(&s.stored, 0).len == SC_STORED_MAX_BYTES);
  OK(open_stored(&s, sc_config_stored_message(&s.stored, 0)));
  SAME(sc_buffer_bytes(&s.message), sc_buffer_bytes(&s.opened));

  OK(compose(&s, t->env, largest + 1));
  OK(seal(&s, 1));
  CHECK(sc_config_stored_count(&s.stored) == 2);
  CHECK(memcmp(zeros, s.stored.set, sizeof zeros) != 0);
  CHECK(sc_config_stored_message(&s.stored, 0).len == SC_STORED_MAX_BYTES);
  CHECK(sc_config_stored_message(&s.stored, 1).len ==
        81880 - SC_CONFIG_CHUNK_BYTES + SC_CONFIG_PART_OVERHEAD + SC_CONFIG_ENCRYPT_OVERHEAD);
done:
  leave_scene(&s);
}

/* The first byte of a wrapping is the tag of a type. */
static void a_message_too_large_with_its_wrapping_is_stored_unwrapped(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  OK(compose(&s, t->env, 71680 - SC_CONFIG_ENCRYPT_OVERHEAD));
  OK(seal(&s, 1));
  CHECK(s.stored.bytes.len > 71680 && s.stored.bytes.len < SC_STORED_MAX_BYTES);
  OK(sc_config_unwrap(&s.opened, &s.account, s.envelope.kind, sc_buffer_bytes(&s.stored.bytes)));
  CHECK(s.opened.len == 71680);
  OK(compose(&s, t->env, 76800 - SC_CONFIG_ENCRYPT_OVERHEAD));
  OK(seal(&s, 1));
  CHECK(s.stored.bytes.len == SC_STORED_MAX_BYTES);
  OK(sc_config_decrypt(&s.opened, &s.key, 1, s.envelope.domain, sc_buffer_bytes(&s.stored.bytes)));
  SAME(sc_buffer_bytes(&s.message), sc_buffer_bytes(&s.opened));
done:
  leave_scene(&s);
}

static void invalid_input_is_not_sealed(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  const sc_bytes de = sc_bytes_text("de");
  OK(sc_config_seal(&s.stored, &s.envelope, 1, de));
  FAILS(SC_ERR_ARGUMENT, sc_config_seal(&s.stored, &s.envelope, 1, sc_bytes_text("le")));
  CHECK(sc_config_stored_count(&s.stored) == 0);
  FAILS(SC_ERR_ARGUMENT, sc_config_seal(&s.stored, &s.envelope, 1, sc_bytes_make(NULL, 0)));
  s.key.len = 31;
  FAILS(SC_ERR_KEY_SIZE, sc_config_seal(&s.stored, &s.envelope, 1, de));
  s.key.len = 32;
  s.envelope.key_count = 0;
  FAILS(SC_ERR_ARGUMENT, sc_config_seal(&s.stored, &s.envelope, 1, de));
  s.envelope.key_count = 1;
  s.envelope.kind = (sc_legacy_config_kind)5;
  FAILS(SC_ERR_ARGUMENT, sc_config_seal(&s.stored, &s.envelope, 1, de));
  CHECK(sc_config_stored_count(&s.stored) == 0);
  s.envelope.domain = sc_bytes_text("");
  FAILS(SC_ERR_ARGUMENT, sc_config_seal(&s.stored, &s.envelope, 1, de));
done:
  leave_scene(&s);
}

static void a_message_that_does_not_decrypt_is_refused(sc_test *t) {
  static const uint8_t too_large[SC_STORED_MAX_BYTES + 1] = {0};
  scene s;
  set_scene(&s, t->env);
  FAILS(SC_ERR_TRUNCATED, open_stored(&s, sc_bytes_make(NULL, 0)));
  FAILS(SC_ERR_TRUNCATED, open_stored(&s, sc_bytes_make(too_large, 39)));
  FAILS(SC_ERR_NO_KEY, open_stored(&s, sc_bytes_make(too_large, 40)));
  FAILS(SC_ERR_TOO_LARGE, open_stored(&s, SC_BYTES(too_large)));
  OK(sc_config_seal(&s.stored, &s.envelope, 1, sc_bytes_text("de")));
  s.envelope.domain = sc_bytes_text("Contacts");
  FAILS(SC_ERR_NO_KEY, open_stored(&s, sc_config_stored_message(&s.stored, 0)));
  s.envelope.key_count = 0;
  FAILS(SC_ERR_NO_KEY, open_stored(&s, sc_config_stored_message(&s.stored, 0)));
done:
  leave_scene(&s);
}

static void a_wrapping_for_another_config_is_refused(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  OK(sc_config_seal(&s.stored, &s.envelope, 1, sc_bytes_text("de")));
  s.envelope.kind = SC_LEGACY_CONFIG_CONTACTS;
  FAILS(SC_ERR_NO_KEY, open_stored(&s, sc_config_stored_message(&s.stored, 0)));
  s.envelope.kind = SC_LEGACY_CONFIG_USER_PROFILE;
  sc_keypair other;
  const uint8_t seed[SC_ED25519_SEED_BYTES] = {1};
  sc_keypair_from_seed(&other, seed);
  s.envelope.account = &other;
  FAILS(SC_ERR_NO_KEY, open_stored(&s, sc_config_stored_message(&s.stored, 0)));
  s.envelope.account = NULL;
  FAILS(SC_ERR_NO_KEY, open_stored(&s, sc_config_stored_message(&s.stored, 0)));
done:
  leave_scene(&s);
}

static void a_doubly_wrapped_message_is_opened(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  OK(sc_config_seal(&s.stored, &s.envelope, 1, sc_bytes_text("de")));
  OK(sc_config_wrap(&s.message, &s.account, s.envelope.kind, 1, sc_config_stored_message(&s.stored, 0)));
  OK(open_stored(&s, sc_buffer_bytes(&s.message)));
  SAME(sc_bytes_text("de"), sc_buffer_bytes(&s.opened));
done:
  leave_scene(&s);
}

/* Decrypted content is our own, but may come from another version. */
static void a_message_that_decrypts_to_invalid_content_is_refused(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  OK(encrypt(&s, sc_bytes_make(NULL, 0)));
  FAILS(SC_ERR_FORMAT, open_stored(&s, sc_config_stored_message(&s.stored, 0)));
  OK(encrypt(&s, sc_bytes_make("\0\0", 2)));
  FAILS(SC_ERR_FORMAT, open_stored(&s, sc_config_stored_message(&s.stored, 0)));
  OK(encrypt(&s, sc_bytes_text("new")));
  FAILS(SC_ERR_VERSION, open_stored(&s, sc_config_stored_message(&s.stored, 0)));
  OK(encrypt(&s, sc_bytes_text("z")));
  FAILS(SC_ERR_COMPRESSION, open_stored(&s, sc_config_stored_message(&s.stored, 0)));
  CHECK(s.opened.len == 0);
  OK(encrypt(&s, sc_bytes_make("\0me", 3)));
  OK(open_stored(&s, sc_config_stored_message(&s.stored, 0)));
  CHECK(s.form == SC_CONFIG_PART);
  SAME(sc_bytes_text("me"), sc_buffer_bytes(&s.opened));
done:
  leave_scene(&s);
}

static void a_message_stored_in_parts_is_reassembled(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  sc_config_parts *parts = NULL;
  sc_buffer message;
  sc_buffer_init(&message, t->env);
  OK(sc_config_parts_new(&parts, t->env));
  OK(compose(&s, t->env, 200000));
  OK(seal(&s, 1));
  size_t count = sc_config_stored_count(&s.stored);
  CHECK(count == 3);
  for (size_t i = 0; i < count; i++) {
    sc_config_arrival arrival;
    OK(open_stored(&s, sc_config_stored_message(&s.stored, i)));
    CHECK(s.form == SC_CONFIG_PART);
    OK(sc_config_parts_accept(&message, &arrival, parts, sc_buffer_bytes(&s.opened), sc_bytes_text("hash"),
                              0));
    CHECK((arrival.news == SC_CONFIG_SET_COMPLETE) == (i + 1 == count));
  }
  SAME(sc_buffer_bytes(&s.message), sc_buffer_bytes(&message));
done:
  sc_config_parts_free(parts);
  sc_buffer_free(&message);
  leave_scene(&s);
}

SUITE(config_envelope, "config/envelope",
      {"messages are packed in the known form", messages_are_packed_in_the_known_form},
      {"messages are sealed in the known form and opened", messages_are_sealed_in_the_known_form_and_opened},
      {"an incompressible message stays uncompressed", an_incompressible_message_stays_uncompressed},
      {"an invalid message is not unpacked", an_invalid_message_is_not_unpacked},
      {"no message is larger than the limit", no_message_is_larger_than_the_limit},
      {"no padded message is larger than the limit", no_padded_message_is_larger_than_the_limit},
      {"a message that fits is stored whole", a_message_that_fits_is_stored_whole},
      {"a message too large with its wrapping is stored unwrapped",
       a_message_too_large_with_its_wrapping_is_stored_unwrapped},
      {"invalid input is not sealed", invalid_input_is_not_sealed},
      {"a message that does not decrypt is refused", a_message_that_does_not_decrypt_is_refused},
      {"a wrapping for another config is refused", a_wrapping_for_another_config_is_refused},
      {"a doubly wrapped message is opened", a_doubly_wrapped_message_is_opened},
      {"a message that decrypts to invalid content is refused",
       a_message_that_decrypts_to_invalid_content_is_refused},
      {"a message stored in parts is reassembled", a_message_stored_in_parts_is_reassembled});
