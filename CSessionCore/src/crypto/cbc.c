#include "cbc.h"

#include <nettle/cbc.h>

static void start(sc_cbc *cbc, bool encrypts, const uint8_t *iv) {
  cbc->encrypts = encrypts;
  memcpy(cbc->chain, iv, sizeof cbc->chain);
  cbc->part_len = 0;
  cbc->piece_len = 0;
}

void sc_cbc_encryptor(sc_cbc *cbc, const uint8_t key[static AES256_KEY_SIZE],
                      const uint8_t iv[static sc_cbc_block_bytes]) {
  start(cbc, true, iv);
  aes256_set_encrypt_key(&cbc->aes, key);
}

void sc_cbc_decryptor(sc_cbc *cbc, const uint8_t key[static AES256_KEY_SIZE],
                      const uint8_t iv[static sc_cbc_block_bytes]) {
  start(cbc, false, iv);
  aes256_set_decrypt_key(&cbc->aes, key);
}

static void run_blocks(sc_cbc *cbc, sc_bytes blocks) {
  uint8_t *out = cbc->piece + cbc->piece_len;
  if (cbc->encrypts)
    cbc_aes256_encrypt(&cbc->aes, cbc->chain, blocks.len, out, blocks.ptr);
  else
    cbc_decrypt(&cbc->aes, (nettle_cipher_func *)aes256_decrypt, sc_cbc_block_bytes, cbc->chain, blocks.len,
                out, blocks.ptr);
  cbc->piece_len += blocks.len;
}

static sc_bytes take_front(sc_bytes *input, size_t len) {
  sc_bytes front = sc_bytes_make(input->ptr, len < input->len ? len : input->len);
  *input = sc_bytes_make(input->ptr + front.len, input->len - front.len);
  return front;
}

static void take_part(sc_cbc *cbc, sc_bytes *input) {
  sc_bytes front = take_front(input, sc_cbc_block_bytes - cbc->part_len);
  memcpy(cbc->part + cbc->part_len, front.ptr, front.len);
  cbc->part_len += front.len;
  if (cbc->part_len < sc_cbc_block_bytes)
    return;
  cbc->part_len = 0;
  run_blocks(cbc, SC_BYTES(cbc->part));
}

static void take_blocks(sc_cbc *cbc, sc_bytes *input) {
  size_t room = sc_cbc_piece_bytes - cbc->piece_len;
  size_t whole = input->len - input->len % sc_cbc_block_bytes;
  run_blocks(cbc, take_front(input, whole < room ? whole : room));
}

void sc_cbc_take(sc_cbc *cbc, sc_bytes *input) {
  while (input->len > 0 && !sc_cbc_piece_full(cbc)) {
    if (cbc->part_len > 0 || input->len < sc_cbc_block_bytes)
      take_part(cbc, input);
    else
      take_blocks(cbc, input);
  }
}
