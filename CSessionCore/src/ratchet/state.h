/* The state of a session, and its saved form. */
#ifndef SC_RATCHET_STATE_H
#define SC_RATCHET_STATE_H

#include <stdbool.h>

#include "kdf.h"
#include "session-core/ratchet/device.h"
#include "session-core/ratchet/session.h"

enum { sc_ratchet_identity_bytes = SC_RATCHET_CERTIFICATE_BYTES + SC_AEAD_TAG_BYTES };

/* Bits of `flags`, as they are saved. */
enum {
  sc_ratchet_has_chain_s = 1,
  sc_ratchet_has_chain_r = 2,
  sc_ratchet_has_peer_key = 4,
  sc_ratchet_has_header_s = 8,
  sc_ratchet_has_header_r = 16,
  sc_ratchet_initiator = 32,
  sc_ratchet_pending = 64,
};

/* _s is for sending, _r for receiving. Keys that are absent are zero. */
typedef struct sc_ratchet_state {
  uint8_t flags;
  sc_id peer;
  uint8_t device[SC_KEY_BYTES];
  uint8_t transcript[SC_KEY_BYTES]; /* transcript of the start, associated data of everything sealed */
  uint8_t root[SC_KEY_BYTES];
  uint8_t own_secret[SC_KEY_BYTES]; /* this side's ratchet key */
  uint8_t peer_key[SC_KEY_BYTES];   /* the ratchet key of the other side */
  uint8_t chain_s[SC_KEY_BYTES];
  uint8_t chain_r[SC_KEY_BYTES];
  uint8_t header_s[SC_KEY_BYTES];
  uint8_t header_r[SC_KEY_BYTES];
  uint8_t next_header_s[SC_KEY_BYTES];
  uint8_t next_header_r[SC_KEY_BYTES];
  uint32_t sent;
  uint32_t received;
  uint32_t previous; /* length of the previous sending chain */
  uint64_t started_s;
  uint64_t heard_ms;
  uint8_t start_key[SC_KEY_BYTES];
  /* Repeated in every pending message. */
  uint32_t generation;
  uint16_t one_time;
  uint8_t ciphertext[SC_MLKEM768_CIPHERTEXT_BYTES];
  uint8_t identity[sc_ratchet_identity_bytes];
} sc_ratchet_state;

static inline bool sc_ratchet_state_has(const sc_ratchet_state *state, unsigned flag) {
  return (state->flags & flag) != 0;
}

size_t sc_ratchet_state_size(const sc_ratchet_state *state);

/* Writes sc_ratchet_state_size bytes. */
void sc_ratchet_state_write(uint8_t *out, const sc_ratchet_state *state);

/* SC_ERR_RATCHET_STATE for any other form than the one that is written. */
SC_NODISCARD sc_status sc_ratchet_state_read(sc_ratchet_state *out, sc_bytes bytes);

#endif
