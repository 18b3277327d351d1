/* Encryption between group members: encrypted with the group's key, signed by the author. */
#ifndef SC_CRYPTO_GROUP_SEAL_H
#define SC_CRYPTO_GROUP_SEAL_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "keys.h"
#include "seal.h"

SC_API_BEGIN

#define SC_GROUP_MESSAGE_MAX 1000000
#define SC_GROUP_MESSAGE_PADDING 256

typedef struct sc_group_seal_options {
  bool compress;  /* try zstd and use the smaller form */
  size_t padding; /* pads the total to a multiple of this; 0 or 1 for no padding */
} sc_group_seal_options;

/* The options of clients: compressed if smaller, padded to 256. */
#define SC_GROUP_SEAL_DEFAULT                                                                                \
  { true, SC_GROUP_MESSAGE_PADDING }

/* Encrypts under `key` (32 bytes, or 64 of which the first 32 count) for the group with Ed25519 key `group`.
 * SC_ERR_TOO_LARGE over SC_GROUP_MESSAGE_MAX, SC_ERR_ARGUMENT for an empty message, SC_ERR_KEY_SIZE. NULL
 * `options` selects the default. */
SC_API SC_NODISCARD sc_status sc_group_seal(sc_buffer *out, const sc_env *env, const sc_keypair *from,
                                            const uint8_t group[SC_AT_LEAST(32)], sc_bytes key,
                                            sc_bytes message, const sc_group_seal_options *options);

/* Decrypts with the first of `keys` that fits and verifies the sender. `*key_index`, unless NULL, is the
 * index of that key. SC_ERR_TRUNCATED. SC_ERR_NO_KEY: keep the message until new keys arrive. SC_ERR_FORMAT,
 * SC_ERR_VERSION, SC_ERR_GROUP_DATA, SC_ERR_KEY_SIZE, SC_ERR_KEY_INVALID, SC_ERR_SIGNATURE_SIZE,
 * SC_ERR_TRAILING, the bt statuses: not a group message. SC_ERR_SIGNATURE: forged or of another group.
 * SC_ERR_COMPRESSION, SC_ERR_TOO_LARGE. */
SC_API SC_NODISCARD sc_status sc_group_open(sc_buffer *out, sc_sender *sender, size_t *key_index,
                                            const sc_env *env, const uint8_t group[SC_AT_LEAST(32)],
                                            const sc_bytes *keys, size_t key_count, sc_bytes sealed);

SC_API_END

#endif
