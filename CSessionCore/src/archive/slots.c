#include "slots.h"

#include <sodium.h>

#include "../base/big.h"
#include "../crypto/blake2b.h"
#include "session-core/base/secret.h"

enum {
  passes_at = 4,
  memory_at = 8,
  salt_at = 16,
  nonce_at = 32,
  sealed_at = 56,
  nonce_bytes = sealed_at - nonce_at,
  bound_bytes = nonce_at + SC_ARCHIVE_ID_BYTES, /* authenticated with the key */
};

_Static_assert((int)nonce_bytes == (int)crypto_aead_xchacha20poly1305_ietf_NPUBBYTES, "sizes agree");
_Static_assert(sealed_at + sc_archive_key_bytes + crypto_aead_xchacha20poly1305_ietf_ABYTES ==
                   sc_archive_slot_bytes,
               "sizes agree");
_Static_assert(nonce_at - salt_at == SC_PASSPHRASE_SALT_BYTES, "sizes agree");

sc_status sc_archive_secret_check(const sc_archive_secret *secret) {
  if (secret->kind < SC_ARCHIVE_SLOT_PASSPHRASE || secret->kind > SC_ARCHIVE_SLOT_KEY_FILE)
    return SC_ERR_ARGUMENT;
  if (secret->kind != SC_ARCHIVE_SLOT_PASSPHRASE)
    return secret->value.len == SC_ARCHIVE_SECRET_BYTES ? SC_OK : SC_ERR_KEY_SIZE;
  if (secret->value.len > SC_ARCHIVE_MAX_PASSPHRASE)
    return SC_ERR_TOO_LARGE;
  return secret->value.len > 0 ? SC_OK : SC_ERR_ARGUMENT;
}

/* The key that encrypts the archive's key. */
static sc_status key_of(uint8_t out[static sc_archive_key_bytes], const sc_archive_secret *secret,
                        const uint8_t *salt, sc_passphrase_cost cost) {
  if (secret->kind == SC_ARCHIVE_SLOT_PASSPHRASE)
    return sc_passphrase_key(out, sc_archive_key_bytes, secret->value, salt, cost);
  bool account = secret->kind == SC_ARCHIVE_SLOT_ACCOUNT;
  sc_bytes pieces[] = {sc_bytes_text(account ? "SessionArchiveAccount" : "SessionArchiveKeyFile"),
                       sc_bytes_make(salt, SC_PASSPHRASE_SALT_BYTES)};
  sc_blake2b_pieces(out, sc_archive_key_bytes, secret->value, NULL, pieces, 2);
  return SC_OK;
}

static void bind_slot(uint8_t out[static bound_bytes], const uint8_t *slot, const uint8_t *id) {
  memcpy(out, slot, nonce_at);
  memcpy(out + nonce_at, id, SC_ARCHIVE_ID_BYTES);
}

sc_status sc_archive_slot_seal(uint8_t out[static sc_archive_slot_bytes], const sc_env *env,
                               const uint8_t key[static sc_archive_key_bytes],
                               const sc_archive_secret *secret, const uint8_t *id) {
  memset(out, 0, sc_archive_slot_bytes);
  out[0] = (uint8_t)secret->kind;
  if (secret->kind == SC_ARCHIVE_SLOT_PASSPHRASE) {
    sc_store_big(out + passes_at, secret->cost.passes, 4);
    sc_store_big(out + memory_at, secret->cost.memory, 8);
  }
  sc_random(env, out + salt_at, SC_PASSPHRASE_SALT_BYTES);
  sc_random(env, out + nonce_at, nonce_bytes);
  uint8_t wrapping[sc_archive_key_bytes], bound[bound_bytes];
  sc_status status = key_of(wrapping, secret, out + salt_at, secret->cost);
  bind_slot(bound, out, id);
  if (status == SC_OK)
    crypto_aead_xchacha20poly1305_ietf_encrypt(out + sealed_at, NULL, key, sc_archive_key_bytes, bound,
                                               sizeof bound, NULL, out + nonce_at, wrapping);
  sc_wipe(wrapping, sizeof wrapping);
  return status;
}

sc_status sc_archive_slot_read(sc_archive_slot *out, const uint8_t slot[static sc_archive_slot_bytes]) {
  uint8_t kind = slot[0];
  if (kind < SC_ARCHIVE_SLOT_PASSPHRASE || kind > SC_ARCHIVE_SLOT_KEY_FILE || sc_load_big(slot + 1, 3) != 0)
    return SC_ERR_ARCHIVE_HEADER;
  out->kind = (sc_archive_slot_kind)kind;
  uint64_t memory = sc_load_big(slot + memory_at, 8);
  out->cost.passes = (uint32_t)sc_load_big(slot + passes_at, 4);
  out->cost.memory = memory > SIZE_MAX ? SIZE_MAX : (size_t)memory;
  bool costs = out->cost.passes > 0 || memory > 0;
  return costs && kind != SC_ARCHIVE_SLOT_PASSPHRASE ? SC_ERR_ARCHIVE_HEADER : SC_OK;
}

sc_status sc_archive_slot_open(uint8_t key[static sc_archive_key_bytes],
                               const uint8_t slot[static sc_archive_slot_bytes],
                               const sc_archive_secret *secret, const uint8_t *id) {
  sc_archive_slot read;
  uint8_t wrapping[sc_archive_key_bytes], bound[bound_bytes];
  sc_status status = sc_archive_slot_read(&read, slot);
  if (status == SC_OK)
    status = key_of(wrapping, secret, slot + salt_at, read.cost);
  bind_slot(bound, slot, id);
  if (status == SC_OK && crypto_aead_xchacha20poly1305_ietf_decrypt(
                             key, NULL, NULL, slot + sealed_at, sc_archive_slot_bytes - sealed_at, bound,
                             sizeof bound, slot + nonce_at, wrapping) != 0)
    status = SC_ERR_ARCHIVE_WRONG_KEY;
  sc_wipe(wrapping, sizeof wrapping);
  return status;
}
