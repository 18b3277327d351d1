/* Sealing without checking the body, for tests of receivers. */
#ifndef SC_RATCHET_SEAL_H
#define SC_RATCHET_SEAL_H

#include "session-core/ratchet/envelope.h"

SC_NODISCARD sc_status sc_ratchet_seal_any(sc_buffer *out, const sc_env *env,
                                           sc_ratchet_session *const *sessions, size_t session_count,
                                           sc_bytes body, const uint8_t *places);

#endif
