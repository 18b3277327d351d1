/* Multi-recipient sealing: one blob, one nonce, an entry for each recipient; or the same entries on their
 * own. */
#ifndef SC_CRYPTO_MULTI_SEAL_H
#define SC_CRYPTO_MULTI_SEAL_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "box.h"
#include "keys.h"

SC_API_BEGIN

/* Bytes of a domain that count; the rest is ignored. */
#define SC_MULTI_DOMAIN_BYTES 64
/* Entries of a blob, at most. */
#define SC_MULTI_MAX_ENTRIES 65536

typedef struct sc_multi_options {
  sc_bytes nonce;   /* 24 bytes, or empty for a random one */
  size_t pad_to;    /* adds random entries until their number is a multiple of this; 0 or 1 adds none */
  bool skip_unsafe; /* leaves out recipients whose key is unsafe, where otherwise the call fails */
} sc_multi_options;

/* Seals one message for all recipients (`message_count` 1) or one for each. Recipients are keys of 32 bytes.
 * SC_ERR_ARGUMENT when the counts do not go together, SC_ERR_KEY_SIZE, SC_ERR_KEY_INVALID, SC_ERR_NONCE_SIZE,
 * SC_ERR_TOO_LARGE over SC_MULTI_MAX_ENTRIES. `options` may be NULL. */
SC_API SC_NODISCARD sc_status sc_multi_seal(sc_buffer *out, const sc_env *env, const sc_x25519_pair *from,
                                            const sc_bytes *recipients, size_t recipient_count,
                                            const sc_bytes *messages, size_t message_count, sc_bytes domain,
                                            const sc_multi_options *options);

/* Opens the first entry meant for `to`; what follows it in the blob is not looked at. SC_ERR_NO_KEY when
 * there is none; the bt statuses, SC_ERR_FORMAT and SC_ERR_NONCE_SIZE for a blob of another form;
 * SC_ERR_KEY_INVALID, SC_ERR_TOO_LARGE over SC_MULTI_MAX_ENTRIES. */
SC_API SC_NODISCARD sc_status sc_multi_open(sc_buffer *out, const sc_x25519_pair *to,
                                            const uint8_t sender[SC_AT_LEAST(32)], sc_bytes domain,
                                            sc_bytes blob);

SC_API_END

#endif
