#include "agreement.h"

#include "../base/little.h"
#include "session-core/base/secret.h"

static const uint8_t zeros[SC_KEY_BYTES];

enum { most_material_bytes = 6 * SC_KEY_BYTES };

_Static_assert(sizeof(sc_ratchet_first_keys) == 96, "one derivation fills it");

void sc_ratchet_start_transcript(uint8_t out[static 32], const sc_ratchet_public_start *start) {
  uint8_t kem_hash[32], ciphertext_hash[32], numbers[10];
  const sc_bytes kem_key = sc_bytes_make(start->kem_key, SC_MLKEM768_PUBLIC_BYTES);
  const sc_bytes ciphertext = sc_bytes_make(start->ciphertext, SC_MLKEM768_CIPHERTEXT_BYTES);
  sc_ratchet_hash(kem_hash, &kem_key, 1);
  sc_ratchet_hash(ciphertext_hash, &ciphertext, 1);
  sc_store_u32(numbers, start->generation);
  sc_store_u16(numbers + 4, start->one_time);
  sc_store_u32(numbers + 6, start->started_s);
  const sc_bytes pieces[] = {
      sc_bytes_text("SwarmRatchet1 TH0"),
      sc_bytes_make(start->responder->bytes, SC_ID_BYTES),
      sc_bytes_make(start->device, SC_KEY_BYTES),
      sc_bytes_make(start->signed_prekey, SC_KEY_BYTES),
      SC_BYTES(kem_hash),
      SC_BYTES(numbers),
      sc_bytes_make(start->one_time_key == NULL ? zeros : start->one_time_key, SC_KEY_BYTES),
      sc_bytes_make(start->start_key, SC_KEY_BYTES),
      SC_BYTES(ciphertext_hash),
  };
  sc_ratchet_hash(out, pieces, sizeof pieces / sizeof pieces[0]);
}

/* Appends the secrets that do not need the initiator's identity. */
static size_t append_rest(uint8_t *out, size_t at, const sc_ratchet_agreed *agreed, bool has_one_time) {
  const uint8_t *const secrets[] = {agreed->start_identity, agreed->start_prekey,
                                    has_one_time ? agreed->start_one_time : NULL, agreed->kem};
  for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++) {
    if (secrets[i] == NULL)
      continue;
    memcpy(out + at, secrets[i], SC_KEY_BYTES);
    at += SC_KEY_BYTES;
  }
  return at;
}

/* 32 bytes that no agreement gives stand before the secrets. */
static size_t append_separator(uint8_t *out) {
  memset(out, 0xff, SC_KEY_BYTES);
  return SC_KEY_BYTES;
}

void sc_ratchet_identity_key(sc_ratchet_cipher_key *out, const uint8_t transcript[static 32],
                             const sc_ratchet_agreed *agreed, bool has_one_time) {
  uint8_t material[most_material_bytes];
  size_t len = append_rest(material, append_separator(material), agreed, has_one_time);
  sc_ratchet_derive((uint8_t *)out, sizeof *out, sc_bytes_make(transcript, sc_ratchet_hash_bytes),
                    sc_bytes_make(material, len), sc_bytes_text("SwarmRatchet1 id"));
  sc_wipe(material, sizeof material);
}

void sc_ratchet_agree(sc_ratchet_first_keys *out, uint8_t session_transcript[static 32],
                      const uint8_t transcript[static 32], const sc_id *initiator,
                      const uint8_t certificate[static 136], const sc_ratchet_agreed *agreed,
                      bool has_one_time) {
  const sc_bytes pieces[] = {
      sc_bytes_text("SwarmRatchet1 TH"),
      sc_bytes_make(transcript, sc_ratchet_hash_bytes),
      sc_bytes_make(initiator->bytes, SC_ID_BYTES),
      sc_bytes_make(certificate, SC_RATCHET_CERTIFICATE_BYTES),
  };
  sc_ratchet_hash(session_transcript, pieces, sizeof pieces / sizeof pieces[0]);
  uint8_t material[most_material_bytes];
  size_t len = append_separator(material);
  memcpy(material + len, agreed->identity_prekey, SC_KEY_BYTES);
  len = append_rest(material, len + SC_KEY_BYTES, agreed, has_one_time);
  sc_ratchet_derive((uint8_t *)out, sizeof *out, sc_bytes_make(session_transcript, sc_ratchet_hash_bytes),
                    sc_bytes_make(material, len), sc_bytes_text("SwarmRatchet1 session"));
  sc_wipe(material, sizeof material);
}
