/* The content of a session: its state, and the keys of skipped messages. */
#ifndef SC_RATCHET_SESSION_OBJECT_H
#define SC_RATCHET_SESSION_OBJECT_H

#include "state.h"

struct sc_ratchet_session {
  const sc_env *env;
  sc_ratchet_state state;
  uint8_t own_key[SC_KEY_BYTES]; /* public half of state.own_secret, once needed */
  bool has_own_key;
  sc_buffer skipped; /* sc_ratchet_skipped, oldest first */
  sc_buffer removed; /* likewise, by the last opening */
  size_t added;      /* number of keys at the end of `skipped` added by the last opening */
};

/* Creates a session without a state. */
SC_NODISCARD sc_status sc_ratchet_session_make(sc_ratchet_session **out, const sc_env *env);

/* True if the state has the keys to send another message. */
static inline bool sc_ratchet_state_can_send(const sc_ratchet_state *state) {
  const unsigned needed = sc_ratchet_has_chain_s | sc_ratchet_has_header_s;
  return (state->flags & needed) == needed && state->sent < SC_RATCHET_MAX_CHAIN;
}

static inline size_t sc_ratchet_skipped_count(const sc_buffer *keys) {
  return keys->len / sizeof(sc_ratchet_skipped);
}

/* Returns the keys in a buffer; buffers are aligned like all memory of an environment. */
static inline sc_ratchet_skipped *sc_ratchet_skipped_in(const sc_buffer *keys) {
  return (sc_ratchet_skipped *)(void *)keys->ptr;
}

#endif
