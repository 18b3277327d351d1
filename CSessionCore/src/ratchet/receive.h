/* Receiving with a session: on a copy, which replaces the session only when the whole message was opened. */
#ifndef SC_RATCHET_RECEIVE_H
#define SC_RATCHET_RECEIVE_H

#include "session_object.h"
#include "wire.h"

/* The outcome of receiving so far. Wipe it with sc_ratchet_receipt_free. */
typedef struct sc_ratchet_receipt {
  sc_ratchet_state state; /* the new state */
  uint8_t payload_key[SC_KEY_BYTES];
  sc_buffer added;  /* sc_ratchet_skipped */
  size_t used;      /* index of the skipped key that was used; SIZE_MAX for none */
  bool has_stepped; /* true if this side's ratchet key is new */
} sc_ratchet_receipt;

void sc_ratchet_receipt_init(sc_ratchet_receipt *out, const sc_env *env);
void sc_ratchet_receipt_free(sc_ratchet_receipt *receipt);

/* Opens the letter in a slot: the statuses of sc_ratchet_open. The payload is not read. */
SC_NODISCARD sc_status sc_ratchet_receive(sc_ratchet_receipt *out, const sc_ratchet_session *session,
                                          const sc_env *env, const sc_ratchet_envelope *envelope, size_t slot,
                                          const sc_ratchet_open_options *options);

/* Applies the new state to the session. SC_ERR_NO_MEMORY changes nothing. */
SC_NODISCARD sc_status sc_ratchet_receipt_commit(sc_ratchet_session *session,
                                                 const sc_ratchet_receipt *receipt,
                                                 const sc_ratchet_open_options *options);

#endif
