/* The layout of a message: a head of 68 bytes, slots, the payload. */
#ifndef SC_RATCHET_WIRE_H
#define SC_RATCHET_WIRE_H

#include "kdf.h"
#include "session-core/ratchet/envelope.h"

enum {
  sc_ratchet_ephemeral_at = 4,
  sc_ratchet_commitment_at = 36,
  sc_ratchet_head_bytes = 68,
  /* of a slot */
  sc_ratchet_letter_bytes =
      SC_XCHACHA_NONCE_BYTES + sc_ratchet_sealed_header_bytes + sc_ratchet_sealed_key_bytes,
  sc_ratchet_start_bytes = 4 + 2 + 4 + SC_KEY_BYTES + SC_MLKEM768_CIPHERTEXT_BYTES +
                           SC_RATCHET_CERTIFICATE_BYTES + SC_AEAD_TAG_BYTES,
  sc_ratchet_short_slot_bytes = sc_ratchet_tag_bytes + sc_ratchet_letter_bytes,
  sc_ratchet_long_slot_bytes = sc_ratchet_short_slot_bytes + sc_ratchet_start_bytes,
  /* of a start, masked */
  sc_ratchet_start_one_time_at = 4,
  sc_ratchet_start_time_at = 6,
  sc_ratchet_start_key_at = 10,
  sc_ratchet_start_ciphertext_at = sc_ratchet_start_key_at + SC_KEY_BYTES,
  sc_ratchet_start_identity_at = sc_ratchet_start_ciphertext_at + SC_MLKEM768_CIPHERTEXT_BYTES,
};

_Static_assert(sc_ratchet_short_slot_bytes == 132 && sc_ratchet_long_slot_bytes == 1414,
               "as the protocol says");

/* A slot's end: the header's nonce, the sealed header and the sealed payload key. */
typedef struct sc_ratchet_letter {
  const uint8_t *nonce;
  const uint8_t *header;
  const uint8_t *key;
} sc_ratchet_letter;

static inline size_t sc_ratchet_slot_size(bool long_slots) {
  return long_slots ? sc_ratchet_long_slot_bytes : sc_ratchet_short_slot_bytes;
}

/* The ephemeral key, or random bytes, of a message's head. */
static inline const uint8_t *sc_ratchet_ephemeral(const sc_ratchet_envelope *envelope) {
  return envelope->message.ptr + sc_ratchet_ephemeral_at;
}

static inline const uint8_t *sc_ratchet_slot(const sc_ratchet_envelope *envelope, size_t slot) {
  return envelope->message.ptr + sc_ratchet_head_bytes + slot * sc_ratchet_slot_size(envelope->has_starts);
}

static inline sc_ratchet_letter sc_ratchet_letter_in(const sc_ratchet_envelope *envelope, size_t slot) {
  const uint8_t *end = sc_ratchet_slot(envelope, slot) + sc_ratchet_slot_size(envelope->has_starts);
  const uint8_t *nonce = end - sc_ratchet_letter_bytes;
  const uint8_t *header = nonce + SC_XCHACHA_NONCE_BYTES;
  return (sc_ratchet_letter){nonce, header, header + sc_ratchet_sealed_header_bytes};
}

static inline sc_bytes sc_ratchet_payload_of(const sc_ratchet_envelope *envelope) {
  size_t at = sc_ratchet_head_bytes + envelope->slot_count * sc_ratchet_slot_size(envelope->has_starts);
  return sc_bytes_make(envelope->message.ptr + at, envelope->message.len - at);
}

/* Computes the digest of a message, to which its slots are bound. */
void sc_ratchet_digest(uint8_t out[static 32], sc_bytes head, sc_bytes payload);

/* The associated data of a header and a payload key: TH, for a key hn and eh too, and PH. */
typedef struct sc_ratchet_associated {
  uint8_t bytes[2 * sc_ratchet_hash_bytes + SC_XCHACHA_NONCE_BYTES + sc_ratchet_sealed_header_bytes];
  size_t len;
} sc_ratchet_associated;

static inline void sc_ratchet_associate(sc_ratchet_associated *out, const void *bytes, size_t len) {
  memcpy(out->bytes + out->len, bytes, len);
  out->len += len;
}

static inline sc_ratchet_associated sc_ratchet_header_associated(const uint8_t transcript[static 32],
                                                                 const uint8_t digest[static 32]) {
  sc_ratchet_associated out = {.len = 0};
  sc_ratchet_associate(&out, transcript, sc_ratchet_hash_bytes);
  sc_ratchet_associate(&out, digest, sc_ratchet_hash_bytes);
  return out;
}

static inline sc_ratchet_associated sc_ratchet_key_associated(const uint8_t transcript[static 32],
                                                              const sc_ratchet_letter *letter,
                                                              const uint8_t digest[static 32]) {
  sc_ratchet_associated out = {.len = 0};
  sc_ratchet_associate(&out, transcript, sc_ratchet_hash_bytes);
  sc_ratchet_associate(&out, letter->nonce, SC_XCHACHA_NONCE_BYTES);
  sc_ratchet_associate(&out, letter->header, sc_ratchet_sealed_header_bytes);
  sc_ratchet_associate(&out, digest, sc_ratchet_hash_bytes);
  return out;
}

#endif
