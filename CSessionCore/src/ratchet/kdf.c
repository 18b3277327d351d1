#include "kdf.h"

#include <assert.h>
#include <nettle/sha2.h>
#include <sodium.h>

#include "../base/declassify.h"
#include "../crypto/hash.h"
#include "session-core/base/secret.h"

static const uint8_t zeros[SC_KEY_BYTES];

void sc_ratchet_hash(uint8_t out[static 32], const sc_bytes *pieces, size_t count) {
  struct sha256_ctx context;
  sha256_init(&context);
  for (size_t i = 0; i < count; i++)
    sha256_update(&context, pieces[i].len, pieces[i].ptr);
  sha256_digest(&context, SHA256_DIGEST_SIZE, out);
  sc_wipe(&context, sizeof context);
}

void sc_ratchet_derive(uint8_t *out, size_t len, sc_bytes salt, sc_bytes material, sc_bytes info) {
  sc_status status = sc_hkdf_sha256(out, len, material, salt, info);
  assert(status == SC_OK);
  (void)status;
}

void sc_ratchet_root_step(sc_ratchet_root *out, const uint8_t root[static 32],
                          const uint8_t agreed[static 32]) {
  sc_ratchet_derive((uint8_t *)out, sizeof *out, sc_bytes_make(root, SC_KEY_BYTES),
                    sc_bytes_make(agreed, SC_KEY_BYTES), sc_bytes_text("SwarmRatchet1 root"));
}

void sc_ratchet_chain_step(uint8_t chain[static 32], uint8_t message_key[static 32]) {
  static const uint8_t message_step = 1, chain_step = 2;
  uint8_t next[SC_KEY_BYTES];
  sc_bytes key = sc_bytes_make(chain, SC_KEY_BYTES);
  sc_hmac_sha256(message_key, key, sc_bytes_make(&message_step, 1));
  sc_hmac_sha256(next, key, sc_bytes_make(&chain_step, 1));
  memcpy(chain, next, sizeof next);
  sc_wipe(next, sizeof next);
}

void sc_ratchet_message_key(sc_ratchet_cipher_key *out, const uint8_t message_key[static 32],
                            const uint8_t header_nonce[static 24]) {
  sc_ratchet_derive((uint8_t *)out, sizeof *out, sc_bytes_make(header_nonce, SC_XCHACHA_NONCE_BYTES),
                    sc_bytes_make(message_key, SC_KEY_BYTES), sc_bytes_text("SwarmRatchet1 msg"));
}

void sc_ratchet_tag_key(uint8_t out[static 16], const uint8_t header_key[static 32]) {
  uint8_t code[32];
  sc_hmac_sha256(code, sc_bytes_make(header_key, SC_KEY_BYTES), sc_bytes_text("SwarmRatchet1 tag"));
  memcpy(out, code, crypto_shorthash_KEYBYTES);
  sc_wipe(code, sizeof code);
}

void sc_ratchet_tag(uint8_t out[static 4], const uint8_t tag_key[static 16],
                    const uint8_t ephemeral[static 32]) {
  uint8_t code[crypto_shorthash_BYTES];
  crypto_shorthash(code, ephemeral, SC_KEY_BYTES, tag_key);
  memcpy(out, code, sc_ratchet_tag_bytes);
  sc_declassify(out, sc_ratchet_tag_bytes);
}

void sc_ratchet_payload(sc_ratchet_payload_keys *out, const uint8_t payload_key[static 32]) {
  sc_ratchet_derive((uint8_t *)out, sizeof *out, SC_BYTES(zeros), sc_bytes_make(payload_key, SC_KEY_BYTES),
                    sc_bytes_text("SwarmRatchet1 payload"));
}

void sc_ratchet_slot_mask(sc_ratchet_mask *out, const uint8_t ephemeral[static 32],
                          const uint8_t agreed[static 32], uint8_t slot, const uint8_t device[static 32]) {
  static const char label[] = "SwarmRatchet1 slot";
  uint8_t info[sizeof label - 1 + 1 + SC_KEY_BYTES];
  memcpy(info, label, sizeof label - 1);
  info[sizeof label - 1] = slot;
  memcpy(info + sizeof label, device, SC_KEY_BYTES);
  sc_ratchet_derive((uint8_t *)out, sizeof *out, sc_bytes_make(ephemeral, SC_KEY_BYTES),
                    sc_bytes_make(agreed, SC_KEY_BYTES), SC_BYTES(info));
  sc_declassify(out->tag, sizeof out->tag);
}

void sc_ratchet_mask_apply(uint8_t *out, sc_bytes bytes, const sc_ratchet_cipher_key *cipher) {
  crypto_stream_xchacha20_xor(out, bytes.ptr, bytes.len, cipher->nonce, cipher->key);
}

void sc_ratchet_encrypt(uint8_t *out, const uint8_t key[static 32], const uint8_t nonce[static 24],
                        sc_bytes associated, sc_bytes plaintext) {
  crypto_aead_xchacha20poly1305_ietf_encrypt(out, NULL, plaintext.ptr, plaintext.len, associated.ptr,
                                             associated.len, NULL, nonce, key);
}

bool sc_ratchet_decrypt(uint8_t *out, const uint8_t key[static 32], const uint8_t nonce[static 24],
                        sc_bytes associated, sc_bytes sealed) {
  int failed = crypto_aead_xchacha20poly1305_ietf_decrypt(out, NULL, NULL, sealed.ptr, sealed.len,
                                                          associated.ptr, associated.len, nonce, key);
  sc_declassify(&failed, sizeof failed);
  if (failed != 0)
    sc_wipe(out, sealed.len - SC_AEAD_TAG_BYTES);
  return failed == 0;
}

_Static_assert(sizeof(sc_ratchet_root) == 96, "one derivation fills it");
_Static_assert(sizeof(sc_ratchet_cipher_key) == 56, "one derivation fills it");
_Static_assert(sizeof(sc_ratchet_payload_keys) == 88, "one derivation fills it");
_Static_assert(sizeof(sc_ratchet_mask) == 60, "one derivation fills it");
