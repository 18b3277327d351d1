/* Encryption for several recipients: one blob, one nonce, one entry for each recipient. */
#ifndef SC_CRYPTO_MULTI_SEAL_H
#define SC_CRYPTO_MULTI_SEAL_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "box.h"
#include "keys.h"

SC_API_BEGIN

/* The length of a domain; further bytes are ignored. */
#define SC_MULTI_DOMAIN_BYTES 64
/* The largest number of entries in a blob. */
#define SC_MULTI_MAX_ENTRIES 65536

typedef struct sc_multi_options {
  sc_bytes nonce;   /* 24 bytes, or empty to draw one */
  size_t pad_to;    /* add random entries up to a multiple of this number; 0 or 1 for none */
  bool skip_unsafe; /* leave out recipients with unsafe keys instead of failing */
} sc_multi_options;

/* Encrypts one message for all recipients (`message_count` is 1) or one for each. Recipients are keys of 32
 * bytes. SC_ERR_ARGUMENT if the counts do not match, SC_ERR_KEY_SIZE, SC_ERR_KEY_INVALID, SC_ERR_NONCE_SIZE,
 * SC_ERR_TOO_LARGE over SC_MULTI_MAX_ENTRIES. `options` may be NULL. */
SC_API SC_NODISCARD sc_status sc_multi_seal(sc_buffer *out, const sc_env *env, const sc_x25519_pair *from,
                                            const sc_bytes *recipients, size_t recipient_count,
                                            const sc_bytes *messages, size_t message_count, sc_bytes domain,
                                            const sc_multi_options *options);

/* Decrypts the first entry for `to` and ignores the rest of the blob. SC_ERR_NO_KEY if there is none; the bt
 * statuses, SC_ERR_FORMAT and SC_ERR_NONCE_SIZE for another form; SC_ERR_KEY_INVALID; SC_ERR_TOO_LARGE over
 * SC_MULTI_MAX_ENTRIES. */
SC_API SC_NODISCARD sc_status sc_multi_open(sc_buffer *out, const sc_x25519_pair *to,
                                            const uint8_t sender[SC_AT_LEAST(32)], sc_bytes domain,
                                            sc_bytes blob);

SC_API_END

#endif
