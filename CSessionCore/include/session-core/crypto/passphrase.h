/* Keys from passphrases with Argon2id, which is deliberately slow and needs a lot of memory. */
#ifndef SC_CRYPTO_PASSPHRASE_H
#define SC_CRYPTO_PASSPHRASE_H

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

#define SC_PASSPHRASE_SALT_BYTES 16
#define SC_PASSPHRASE_MAX_BYTES ((size_t)64 * 1024)

/* These limits keep a stored cost, possibly forged, from stalling the machine. */
#define SC_PASSPHRASE_MAX_PASSES 16
#define SC_PASSPHRASE_MIN_MEMORY ((size_t)8 * 1024)
#define SC_PASSPHRASE_MAX_MEMORY ((size_t)1024 * 1024 * 1024)

typedef struct sc_passphrase_cost {
  uint32_t passes; /* 1 to SC_PASSPHRASE_MAX_PASSES */
  size_t memory;   /* bytes */
} sc_passphrase_cost;

/* 3 passes over 256 MiB: for a key that protects everything. */
#define SC_PASSPHRASE_COST_DEFAULT                                                                           \
  { 3, (size_t)256 * 1024 * 1024 }
/* 2 passes over 64 MiB: for small machines. */
#define SC_PASSPHRASE_COST_LIGHT                                                                             \
  { 2, (size_t)64 * 1024 * 1024 }

/* Derives a key of 16 to 64 bytes. SC_ERR_PASSPHRASE_COST, SC_ERR_HASH_SIZE, SC_ERR_TOO_LARGE over
 * SC_PASSPHRASE_MAX_BYTES, SC_ERR_NO_MEMORY. */
SC_API SC_NODISCARD sc_status sc_passphrase_key(uint8_t *out, size_t out_len, sc_bytes passphrase,
                                                const uint8_t salt[SC_AT_LEAST(16)], sc_passphrase_cost cost);

SC_API_END

#endif
