/* Names on the chain (SNS, once ONS): their hash for the request and the id in the encrypted answer. */
#ifndef SC_CRYPTO_NAME_H
#define SC_CRYPTO_NAME_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "id.h"

SC_API_BEGIN

#define SC_NAME_MAX_BYTES 64

/* Writes the lower-case form and a NUL, and its length. SC_ERR_NAME_LENGTH; SC_ERR_NAME_CHARACTERS unless
 * letters, digits and _ with - between them (a name in another script must be in its ASCII form). */
SC_API SC_NODISCARD sc_status sc_name_normalize(char out[SC_AT_LEAST(65)], size_t *out_len, sc_bytes text);

/* The hash under which nodes look up a name. */
SC_API void sc_name_hash(uint8_t out[SC_AT_LEAST(32)], sc_bytes name);

/* The account id a name stands for: the same, and SC_ERR_NAME_RECORD for another kind of id. */
SC_API SC_NODISCARD sc_status sc_name_open(sc_id *out, const sc_env *env, sc_bytes name, sc_bytes encrypted,
                                           sc_bytes nonce);

SC_API_END

#endif
