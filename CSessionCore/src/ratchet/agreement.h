/* The start of a session: four agreements between the keys of two devices, and one with ML-KEM.
 *
 * Both sides derive the same two things: the key under which the initiator's certificate travels, and with
 * that certificate the first keys of the session. */
#ifndef SC_RATCHET_AGREEMENT_H
#define SC_RATCHET_AGREEMENT_H

#include "state.h"

/* The values that both sides know, except for the initiator. */
typedef struct sc_ratchet_public_start {
  const sc_id *responder;
  const uint8_t *device; /* the responder's, Ed25519 */
  const uint8_t *signed_prekey;
  const uint8_t *kem_key;
  uint32_t generation;
  uint16_t one_time;
  uint32_t started_s;
  const uint8_t *one_time_key; /* NULL if none is used */
  const uint8_t *start_key;
  const uint8_t *ciphertext;
} sc_ratchet_public_start;

/* The secrets that both sides agree on. */
typedef struct sc_ratchet_agreed {
  uint8_t identity_prekey[SC_KEY_BYTES]; /* DH1: the initiator's identity, the signed prekey */
  uint8_t start_identity[SC_KEY_BYTES];  /* DH2 */
  uint8_t start_prekey[SC_KEY_BYTES];    /* DH3 */
  uint8_t start_one_time[SC_KEY_BYTES];  /* DH4, if there is a one-time key */
  uint8_t kem[SC_MLKEM768_SHARED_BYTES];
} sc_ratchet_agreed;

/* Computes TH0. */
void sc_ratchet_start_transcript(uint8_t out[static 32], const sc_ratchet_public_start *start);

/* Derives the key of the certificate; `agreed->identity_prekey` need not be known yet. */
void sc_ratchet_identity_key(sc_ratchet_cipher_key *out, const uint8_t transcript[static 32],
                             const sc_ratchet_agreed *agreed, bool has_one_time);

typedef struct sc_ratchet_first_keys {
  uint8_t session[SC_KEY_BYTES];   /* SK */
  uint8_t initiator[SC_KEY_BYTES]; /* HKa: the initiator's first header key */
  uint8_t responder[SC_KEY_BYTES]; /* NHKb: the responder's */
} sc_ratchet_first_keys;

/* Derives the first keys and the session's transcript, TH. */
void sc_ratchet_agree(sc_ratchet_first_keys *out, uint8_t session_transcript[static 32],
                      const uint8_t transcript[static 32], const sc_id *initiator,
                      const uint8_t certificate[static 136], const sc_ratchet_agreed *agreed,
                      bool has_one_time);

#endif
