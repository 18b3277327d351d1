/* Push payloads: encrypted for one device, delivered by a push service. */
#ifndef SC_CRYPTO_PUSH_H
#define SC_CRYPTO_PUSH_H

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

/* Encrypts `plaintext` with the device's 32-byte key, padded with zeros to a multiple of `padding` (0 or 1
 * for none). SC_ERR_KEY_SIZE. */
SC_API SC_NODISCARD sc_status sc_push_seal(sc_buffer *out, const sc_env *env, sc_bytes key,
                                           sc_bytes plaintext, size_t padding);

/* Decrypts a payload and removes its padding; content of only zeros is returned whole. SC_ERR_KEY_SIZE,
 * SC_ERR_TRUNCATED below 40 bytes, SC_ERR_DECRYPT. */
SC_API SC_NODISCARD sc_status sc_push_open(sc_buffer *out, sc_bytes key, sc_bytes payload);

/* Splits a decrypted payload into metadata (JSON) and the message, which is empty if the server omitted it.
 * Both point into `opened`. SC_ERR_FORMAT, SC_ERR_TRAILING or a bt status for another form. */
SC_API SC_NODISCARD sc_status sc_push_split(sc_bytes *metadata, sc_bytes *message, sc_bytes opened);

SC_API_END

#endif
