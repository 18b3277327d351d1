/* AES-256-CBC as a stream: input in any sizes, output in whole pieces. */
#ifndef SC_SRC_CRYPTO_CBC_H
#define SC_SRC_CRYPTO_CBC_H

#include <nettle/aes.h>
#include <stdalign.h>
#include <stdbool.h>

#include "session-core/base/bytes.h"

enum {
  sc_cbc_block_bytes = AES_BLOCK_SIZE,
  sc_cbc_piece_bytes = 32 * 1024,
};

/* Wipe the struct when done. */
typedef struct sc_cbc {
  struct aes256_ctx aes;
  bool encrypts;
  uint8_t chain[sc_cbc_block_bytes]; /* the IV, then the last block of ciphertext */
  uint8_t part[sc_cbc_block_bytes];  /* the beginning of a block */
  size_t part_len;
  alignas(sc_cbc_block_bytes) uint8_t piece[sc_cbc_piece_bytes]; /* the output; its owner empties it */
  size_t piece_len;
} sc_cbc;

void sc_cbc_encryptor(sc_cbc *cbc, const uint8_t key[static AES256_KEY_SIZE],
                      const uint8_t iv[static sc_cbc_block_bytes]);
void sc_cbc_decryptor(sc_cbc *cbc, const uint8_t key[static AES256_KEY_SIZE],
                      const uint8_t iv[static sc_cbc_block_bytes]);

/* Consumes `input` until it is empty or the piece is full. */
void sc_cbc_take(sc_cbc *cbc, sc_bytes *input);

static inline bool sc_cbc_piece_full(const sc_cbc *cbc) {
  return cbc->piece_len == sc_cbc_piece_bytes;
}

#endif
