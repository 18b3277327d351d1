/* The derivation of every key of the protocol, and the ciphers that use them: fixed sizes, no allocation.
 *
 * Each purpose has its own label, so that no key serves two. Outputs are secret unless a comment says
 * otherwise; wipe them. */
#ifndef SC_RATCHET_KDF_H
#define SC_RATCHET_KDF_H

#include <stdbool.h>

#include "session-core/base/bytes.h"
#include "session-core/crypto/box.h"
#include "session-core/crypto/keys.h"

enum {
  sc_ratchet_hash_bytes = 32,
  sc_ratchet_tag_bytes = 4,
  sc_ratchet_header_bytes = 40,
  sc_ratchet_sealed_header_bytes = sc_ratchet_header_bytes + SC_AEAD_TAG_BYTES,
  sc_ratchet_sealed_key_bytes = SC_KEY_BYTES + SC_AEAD_TAG_BYTES,
};

/* An XChaCha20-Poly1305 key for one text, with its nonce. */
typedef struct sc_ratchet_cipher_key {
  uint8_t key[SC_KEY_BYTES];
  uint8_t nonce[SC_XCHACHA_NONCE_BYTES];
} sc_ratchet_cipher_key;

/* Computes SHA-256 of concatenated pieces. Public if they are. */
void sc_ratchet_hash(uint8_t out[static 32], const sc_bytes *pieces, size_t count);

/* HKDF-SHA-256. */
void sc_ratchet_derive(uint8_t *out, size_t len, sc_bytes salt, sc_bytes material, sc_bytes info);

/* The root chain: the next root key, and the keys of a new chain. */
typedef struct sc_ratchet_root {
  uint8_t root[SC_KEY_BYTES];
  uint8_t chain[SC_KEY_BYTES];
  uint8_t next_header[SC_KEY_BYTES];
} sc_ratchet_root;

void sc_ratchet_root_step(sc_ratchet_root *out, const uint8_t root[static 32],
                          const uint8_t agreed[static 32]);

/* Replaces the chain key and returns the key of one message. */
void sc_ratchet_chain_step(uint8_t chain[static 32], uint8_t message_key[static 32]);

/* The cipher key of a message; it differs with the header's nonce even if the message key does not. */
void sc_ratchet_message_key(sc_ratchet_cipher_key *out, const uint8_t message_key[static 32],
                            const uint8_t header_nonce[static 24]);

/* A header key's tag key, and the tag of a slot, which is public. */
void sc_ratchet_tag_key(uint8_t out[static 16], const uint8_t header_key[static 32]);
void sc_ratchet_tag(uint8_t out[static 4], const uint8_t tag_key[static 16],
                    const uint8_t ephemeral[static 32]);

/* The values derived from a payload key: a public commitment, and the cipher key. */
typedef struct sc_ratchet_payload_keys {
  uint8_t commitment[32];
  sc_ratchet_cipher_key cipher;
} sc_ratchet_payload_keys;

void sc_ratchet_payload(sc_ratchet_payload_keys *out, const uint8_t payload_key[static 32]);

/* The tag and cipher key by which a start is found in a slot and unmasked. */
typedef struct sc_ratchet_mask {
  uint8_t tag[sc_ratchet_tag_bytes];
  sc_ratchet_cipher_key cipher;
} sc_ratchet_mask;

void sc_ratchet_slot_mask(sc_ratchet_mask *out, const uint8_t ephemeral[static 32],
                          const uint8_t agreed[static 32], uint8_t slot, const uint8_t device[static 32]);

/* Applies or removes the mask. */
void sc_ratchet_mask_apply(uint8_t *out, sc_bytes bytes, const sc_ratchet_cipher_key *cipher);

/* Writes ciphertext ‖ tag. */
void sc_ratchet_encrypt(uint8_t *out, const uint8_t key[static 32], const uint8_t nonce[static 24],
                        sc_bytes associated, sc_bytes plaintext);

/* False, with `out` zeroed, if it is not authentic; the result is public. */
SC_NODISCARD bool sc_ratchet_decrypt(uint8_t *out, const uint8_t key[static 32],
                                     const uint8_t nonce[static 24], sc_bytes associated, sc_bytes sealed);

#endif
