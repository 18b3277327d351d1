/* Push payloads: what a push service carries to a device, readable by that device alone. */
#ifndef SC_CRYPTO_PUSH_H
#define SC_CRYPTO_PUSH_H

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

/* Seals `plaintext` with the device's key of 32 bytes, padded with zeros to a multiple of `padding` (0 or 1
 * for none). SC_ERR_KEY_SIZE. */
SC_API SC_NODISCARD sc_status sc_push_seal(sc_buffer *out, const sc_env *env, sc_bytes key,
                                           sc_bytes plaintext, size_t padding);

/* Opens a payload and drops its padding; content that is zeros alone is given whole. SC_ERR_KEY_SIZE,
 * SC_ERR_TRUNCATED below 40 bytes, SC_ERR_DECRYPT. */
SC_API SC_NODISCARD sc_status sc_push_open(sc_buffer *out, sc_bytes key, sc_bytes payload);

/* The two parts of an opened payload: metadata (JSON) and the message, empty when the server left it out.
 * Both point into `opened`. SC_ERR_FORMAT, SC_ERR_TRAILING or a bt status for any other form. */
SC_API SC_NODISCARD sc_status sc_push_split(sc_bytes *metadata, sc_bytes *message, sc_bytes opened);

SC_API_END

#endif
