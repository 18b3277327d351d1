/* The encryption of one onion layer, between a client and a node or server. */
#ifndef SC_CRYPTO_HOP_H
#define SC_CRYPTO_HOP_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "keys.h"

SC_API_BEGIN

typedef enum sc_hop_cipher {
  SC_HOP_XCHACHA20,
  SC_HOP_AES_GCM,
} sc_hop_cipher;

typedef enum sc_hop_side {
  SC_HOP_CLIENT,
  SC_HOP_SERVER,
} sc_hop_side;

/* Reads the cipher's name from a routing block. SC_ERR_CIPHER if it is unknown, or aes-cbc, which has no
 * authentication. */
SC_API SC_NODISCARD sc_status sc_hop_cipher_parse(sc_hop_cipher *out, sc_bytes name);
SC_API const char *sc_hop_cipher_name(sc_hop_cipher cipher);

/* Encrypts between `mine` and `other`; `side` is the caller's. SC_ERR_KEY_INVALID. */
SC_API SC_NODISCARD sc_status sc_hop_seal(sc_buffer *out, const sc_env *env, sc_hop_cipher cipher,
                                          sc_hop_side side, const sc_x25519_pair *mine,
                                          const uint8_t other[SC_AT_LEAST(32)], sc_bytes plaintext);

/* Decrypts. SC_ERR_KEY_INVALID, SC_ERR_TRUNCATED, SC_ERR_DECRYPT. */
SC_API SC_NODISCARD sc_status sc_hop_open(sc_buffer *out, sc_hop_cipher cipher, sc_hop_side side,
                                          const sc_x25519_pair *mine, const uint8_t other[SC_AT_LEAST(32)],
                                          sc_bytes sealed);

/* Decrypts the destination's reply as the client. Old servers reply to XChaCha20 requests with AES-GCM; the
 * reverse is refused. */
SC_API SC_NODISCARD sc_status sc_hop_open_reply(sc_buffer *out, sc_hop_cipher cipher,
                                                const sc_x25519_pair *mine,
                                                const uint8_t destination[SC_AT_LEAST(32)], sc_bytes sealed);

SC_API_END

#endif
