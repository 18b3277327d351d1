/* Names on the chain (SNS, formerly ONS): the hash for the request and the id in the encrypted reply. */
#ifndef SC_CRYPTO_NAME_H
#define SC_CRYPTO_NAME_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "id.h"

SC_API_BEGIN

#define SC_NAME_MAX_BYTES 64

/* Writes the lower-case form with a NUL, and its length. SC_ERR_NAME_LENGTH; SC_ERR_NAME_CHARACTERS for
 * characters other than letters, digits, _ and inner - (names in other scripts must be given in their ASCII
 * form). */
SC_API SC_NODISCARD sc_status sc_name_normalize(char out[SC_AT_LEAST(65)], size_t *out_len, sc_bytes text);

/* Computes the hash by which nodes look up a name. */
SC_API void sc_name_hash(uint8_t out[SC_AT_LEAST(32)], sc_bytes name);

/* Decrypts the account id of a name. SC_ERR_NONCE_SIZE, SC_ERR_TRUNCATED, SC_ERR_DECRYPT, SC_ERR_NAME_RECORD
 * if the record is not an account id. */
SC_API SC_NODISCARD sc_status sc_name_open(sc_id *out, const sc_env *env, sc_bytes name, sc_bytes encrypted,
                                           sc_bytes nonce);

SC_API_END

#endif
