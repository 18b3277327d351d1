#include "config/encryption.h"

#include "config/envelope.h"
#include "support/test.h"
#include "worked_example.h"

/* Two keys, a domain and buffers. */
typedef struct scene {
  uint8_t old_key[SC_KEY_BYTES];
  uint8_t key[SC_KEY_BYTES];
  sc_bytes domain;
  sc_buffer encrypted;
  sc_buffer decrypted;
} scene;

static void set_scene(scene *out, const sc_env *env) {
  memset(out->old_key, 3, sizeof out->old_key);
  memset(out->key, 4, sizeof out->key);
  out->domain = sc_bytes_text("groups::Info");
  sc_buffer_init(&out->encrypted, env);
  sc_buffer_init(&out->decrypted, env);
}

static void leave_scene(scene *scene) {
  sc_buffer_free(&scene->encrypted);
  sc_buffer_free(&scene->decrypted);
}

static sc_status decrypt(scene *s) {
  const sc_bytes keys[] = {SC_BYTES(s->key), SC_BYTES(s->old_key)};
  return sc_config_decrypt(&s->decrypted, keys, 2, s->domain, sc_buffer_bytes(&s->encrypted));
}

static void the_key_depends_on_the_message_length(sc_test *t) {
  sc_keypair account;
  worked_account(&account);
  for (size_t i = 0; i < worked_count; i++) {
    uint8_t known[SC_KEY_BYTES], key[SC_KEY_BYTES];
    sc_test_hex_into(known, sizeof known, worked_messages[i].key);
    sc_config_derive_key(key, worked_key(&account), sc_bytes_text("UserProfile"),
                         worked_messages[i].padded_len);
    SAME(SC_BYTES(known), SC_BYTES(key));
  }
done:;
}

static void any_of_the_keys_decrypts(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  OK(sc_config_encrypt(&s.encrypted, SC_BYTES(s.key), s.domain, sc_bytes_text("dict")));
  CHECK(s.encrypted.len == 4 + SC_CONFIG_ENCRYPT_OVERHEAD);
  OK(decrypt(&s));
  SAME(sc_bytes_text("dict"), sc_buffer_bytes(&s.decrypted));
  OK(sc_config_encrypt(&s.encrypted, SC_BYTES(s.old_key), s.domain, sc_bytes_text("dict")));
  OK(decrypt(&s));
  SAME(sc_bytes_text("dict"), sc_buffer_bytes(&s.decrypted));
done:
  leave_scene(&s);
}

static void an_empty_message_can_be_encrypted(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  OK(sc_config_encrypt(&s.encrypted, SC_BYTES(s.key), s.domain, sc_bytes_make(NULL, 0)));
  CHECK(s.encrypted.len == SC_CONFIG_ENCRYPT_OVERHEAD);
  OK(decrypt(&s));
  CHECK(s.decrypted.len == 0);
done:
  leave_scene(&s);
}

static void any_changed_byte_is_detected(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  OK(sc_config_encrypt(&s.encrypted, SC_BYTES(s.key), s.domain, sc_bytes_text("dict")));
  for (size_t i = 0; i < s.encrypted.len; i += t->torture ? 20 : 1) {
    s.encrypted.ptr[i] ^= 1;
    FAILS(SC_ERR_NO_KEY, decrypt(&s));
    CHECK(s.decrypted.len == 0);
    s.encrypted.ptr[i] ^= 1;
  }
  s.domain = sc_bytes_text("groups::Members");
  FAILS(SC_ERR_NO_KEY, decrypt(&s));
done:
  leave_scene(&s);
}

static void a_message_that_is_too_short_or_has_no_key_is_refused(sc_test *t) {
  static const uint8_t bytes[SC_CONFIG_ENCRYPT_OVERHEAD] = {0};
  scene s;
  set_scene(&s, t->env);
  const sc_bytes key = SC_BYTES(s.key);
  FAILS(SC_ERR_TRUNCATED, sc_config_decrypt(&s.decrypted, &key, 1, s.domain, sc_bytes_make(NULL, 0)));
  FAILS(SC_ERR_TRUNCATED, sc_config_decrypt(&s.decrypted, &key, 1, s.domain, sc_bytes_make(bytes, 39)));
  FAILS(SC_ERR_NO_KEY, sc_config_decrypt(&s.decrypted, &key, 1, s.domain, SC_BYTES(bytes)));
  FAILS(SC_ERR_NO_KEY, sc_config_decrypt(&s.decrypted, NULL, 0, s.domain, SC_BYTES(bytes)));
done:
  leave_scene(&s);
}

static void domains_and_keys_have_fixed_length_limits(sc_test *t) {
  static const char longest[] = "abcdefghijklmnopqrstuvwx";
  static const uint8_t bytes[SC_CONFIG_ENCRYPT_OVERHEAD] = {0};
  scene s;
  set_scene(&s, t->env);
  const sc_bytes message = sc_bytes_text("dict");
  const sc_bytes key = SC_BYTES(s.key);
  const sc_bytes keys[] = {key, sc_bytes_make(s.old_key, 31)};
  const sc_bytes too_long = sc_bytes_text("abcdefghijklmnopqrstuvwxy");
  OK(sc_config_encrypt(&s.encrypted, key, sc_bytes_text(longest), message));
  FAILS(SC_ERR_ARGUMENT, sc_config_encrypt(&s.encrypted, key, too_long, message));
  CHECK(s.encrypted.len == 0);
  FAILS(SC_ERR_ARGUMENT, sc_config_encrypt(&s.encrypted, key, sc_bytes_text(""), message));
  FAILS(SC_ERR_ARGUMENT, sc_config_decrypt(&s.decrypted, &key, 1, sc_bytes_text(""), SC_BYTES(bytes)));
  FAILS(SC_ERR_ARGUMENT, sc_config_decrypt(&s.decrypted, NULL, 0, too_long, SC_BYTES(bytes)));
  FAILS(SC_ERR_KEY_SIZE, sc_config_encrypt(&s.encrypted, keys[1], s.domain, message));
  FAILS(SC_ERR_KEY_SIZE, sc_config_decrypt(&s.decrypted, keys, 2, s.domain, SC_BYTES(bytes)));
done:
  leave_scene(&s);
}

SUITE(config_encryption, "config/encryption",
      {"the key depends on the message length", the_key_depends_on_the_message_length},
      {"any of the keys decrypts", any_of_the_keys_decrypts},
      {"an empty message can be encrypted", an_empty_message_can_be_encrypted},
      {"any changed byte is detected", any_changed_byte_is_detected},
      {"a message that is too short or has no key is refused",
       a_message_that_is_too_short_or_has_no_key_is_refused},
      {"domains and keys have fixed length limits", domains_and_keys_have_fixed_length_limits});
