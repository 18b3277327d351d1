/* Accounts: 16 secret bytes from which all keys of a person are derived.
 *
 * An sc_account is a plain value with secrets; wipe it with sc_account_wipe. */
#ifndef SC_CRYPTO_ACCOUNT_H
#define SC_CRYPTO_ACCOUNT_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "id.h"
#include "keys.h"

SC_API_BEGIN

#define SC_SEED_BYTES 16

typedef struct sc_account {
  sc_keypair keys;
  sc_id id;
} sc_account;

SC_API void sc_account_generate(sc_account *out, const sc_env *env);
SC_API void sc_account_from_seed(sc_account *out, const uint8_t seed[SC_AT_LEAST(16)]);

/* Reads 32 hexadecimal digits, or 64 of which the last 32 are zeros. SC_ERR_SEED for another length or a
 * longer seed, SC_ERR_HEX for other characters. */
SC_API SC_NODISCARD sc_status sc_account_from_hex(sc_account *out, sc_bytes text);

/* Returns the 16 bytes to store, valid as long as `account`. */
SC_API const uint8_t *sc_account_seed(const sc_account *account);
SC_API void sc_account_wipe(sc_account *account);

SC_API_END

#endif
