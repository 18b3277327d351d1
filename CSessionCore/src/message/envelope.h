/* The two layers around a content: the envelope, and the wrapping of envelopes in a user's own swarm. */
#ifndef SC_MESSAGE_ENVELOPE_H
#define SC_MESSAGE_ENVELOPE_H

#include "parsed.h"
#include "session-core/base/bytes.h"
#include "session.pb-c.h"

/* Checks that the time of a swarm message is possible and equal to that of its content, if the content has
 * one. SC_ERR_MESSAGE_TIME. */
SC_NODISCARD sc_status sc_check_sent_time(const Sc__Content *content, uint64_t sent_ms);

/* Replaces `out` with an envelope in the form that clients write. */
SC_NODISCARD sc_status sc_envelope_write(sc_buffer *out, Sc__Envelope__Type type, uint64_t sent_ms,
                                         sc_bytes content, const uint8_t pro_signature[static 64]);

/* SC_ERR_TOO_LARGE, SC_ERR_ENVELOPE. Free `out` even after a failure. */
SC_NODISCARD sc_status sc_envelope_read(sc_parsed *out, const sc_env *env, sc_bytes bytes);

/* Replaces `out` with a wrapped envelope. */
SC_NODISCARD sc_status sc_wrapping_write(sc_buffer *out, sc_bytes envelope);

/* Unwraps: `*envelope` lives as long as `out`, which the caller frees even after a failure. SC_ERR_TOO_LARGE,
 * SC_ERR_WRAPPING, SC_ERR_WRAPPING_EMPTY. */
SC_NODISCARD sc_status sc_wrapping_read(sc_parsed *out, sc_bytes *envelope, const sc_env *env,
                                        sc_bytes bytes);

#endif
