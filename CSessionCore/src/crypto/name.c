/* A record is encrypted with a key derived from the name itself, so that anyone who knows the name can read
 * it, and nodes, which know only hashes, cannot. */
#include "name.h"

#include <sodium.h>
#include <stdbool.h>

#include "../base/text.h"
#include "blake2b.h"
#include "cipher.h"
#include "session-core/base/secret.h"
#include "session-core/crypto/keys.h"
#include "session-core/crypto/passphrase.h"

static const uint8_t zeros[crypto_secretbox_NONCEBYTES];
_Static_assert(sizeof zeros >= SC_PASSPHRASE_SALT_BYTES, "they serve as salt and as nonce");

/* The cost the chain once used; independent of today's default. */
static const sc_passphrase_cost legacy_cost = {.passes = 3, .memory = (size_t)256 * 1024 * 1024};

static bool is_word_character(uint8_t character) {
  return sc_ascii_is_letter(character) || sc_ascii_is_digit(character) || character == '_';
}

sc_status sc_name_normalize(char out[SC_AT_LEAST(65)], size_t *out_len, sc_bytes text) {
  out[0] = '\0';
  *out_len = 0;
  if (text.len == 0 || text.len > SC_NAME_MAX_BYTES)
    return SC_ERR_NAME_LENGTH;
  for (size_t i = 0; i < text.len; i++) {
    uint8_t character = sc_ascii_lower(text.ptr[i]);
    bool inner = i > 0 && i + 1 < text.len;
    if (!is_word_character(character) && !(inner && character == '-')) {
      out[0] = '\0';
      return SC_ERR_NAME_CHARACTERS;
    }
    out[i] = (char)character;
  }
  out[text.len] = '\0';
  *out_len = text.len;
  return SC_OK;
}

void sc_name_hash(uint8_t out[SC_AT_LEAST(32)], sc_bytes name) {
  sc_blake2b_pieces(out, SC_KEY_BYTES, sc_bytes_make(NULL, 0), NULL, &name, 1);
}

static void record_key(uint8_t out[static SC_KEY_BYTES], sc_bytes name) {
  uint8_t hash[SC_KEY_BYTES];
  sc_name_hash(hash, name);
  sc_blake2b_pieces(out, SC_KEY_BYTES, SC_BYTES(hash), NULL, &name, 1);
  sc_wipe(hash, sizeof hash);
}

sc_status sc_name_decrypt(uint8_t out[SC_AT_LEAST(33)], const sc_env *env, sc_bytes name, sc_bytes encrypted,
                          sc_bytes nonce) {
  memset(out, 0, SC_ID_BYTES);
  if (nonce.len != SC_XCHACHA_NONCE_BYTES)
    return SC_ERR_NONCE_SIZE;
  if (encrypted.len < SC_AEAD_TAG_BYTES)
    return SC_ERR_TRUNCATED;
  sc_buffer record;
  sc_buffer_init(&record, env);
  uint8_t key[SC_KEY_BYTES];
  record_key(key, name);
  sc_status status =
      sc_xchacha20_poly1305_open(&record, SC_BYTES(key), nonce, sc_bytes_make(NULL, 0), encrypted);
  if (status == SC_OK && record.len != SC_ID_BYTES)
    status = SC_ERR_NAME_RECORD;
  if (status == SC_OK)
    memcpy(out, record.ptr, SC_ID_BYTES);
  sc_wipe(key, sizeof key);
  sc_buffer_free(&record);
  return status;
}

static sc_status believe(sc_id *out, const uint8_t record[static SC_ID_BYTES]) {
  if (record[0] != SC_ID_STANDARD)
    return SC_ERR_NAME_RECORD;
  return sc_id_from_bytes(out, sc_bytes_make(record, SC_ID_BYTES));
}

sc_status sc_name_open(sc_id *out, const sc_env *env, sc_bytes name, sc_bytes encrypted, sc_bytes nonce) {
  uint8_t record[SC_ID_BYTES];
  sc_status status = sc_name_decrypt(record, env, name, encrypted, nonce);
  if (status == SC_OK)
    status = believe(out, record);
  sc_wipe(record, sizeof record);
  return status;
}

/* The size is looked at first: a record that cannot be an id is not worth the memory and the second. */
sc_status sc_name_open_legacy(sc_id *out, sc_bytes name, sc_bytes encrypted) {
  if (encrypted.len < crypto_secretbox_MACBYTES)
    return SC_ERR_TRUNCATED;
  if (encrypted.len != crypto_secretbox_MACBYTES + SC_ID_BYTES)
    return SC_ERR_NAME_RECORD;
  uint8_t key[crypto_secretbox_KEYBYTES];
  uint8_t record[SC_ID_BYTES];
  sc_status status = sc_passphrase_key(key, sizeof key, name, zeros, legacy_cost);
  if (status == SC_OK && crypto_secretbox_open_easy(record, encrypted.ptr, encrypted.len, zeros, key) != 0)
    status = SC_ERR_DECRYPT;
  if (status == SC_OK)
    status = believe(out, record);
  sc_wipe(key, sizeof key);
  sc_wipe(record, sizeof record);
  return status;
}
