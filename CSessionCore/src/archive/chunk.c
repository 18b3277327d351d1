#include "chunk.h"

#include <sodium.h>

#include "../base/big.h"
#include "../crypto/blake2b.h"

enum { nonce_bytes = sc_archive_prefix_bytes + 8, bound_bytes = sc_archive_mac_bytes + 8 + 1 };

_Static_assert((int)nonce_bytes == (int)crypto_aead_xchacha20poly1305_ietf_NPUBBYTES, "sizes agree");
_Static_assert((int)sc_archive_tag_bytes == (int)crypto_aead_xchacha20poly1305_ietf_ABYTES, "sizes agree");

static const char context[crypto_kdf_CONTEXTBYTES] = {'S', 'e', 's', 'A', 'r', 'c', 'h', '1'};

void sc_archive_chunk_keys_init(sc_archive_chunk_keys *out, const uint8_t key[static sc_archive_key_bytes],
                                sc_bytes header) {
  crypto_kdf_derive_from_key(out->header, sizeof out->header, 1, context, key);
  crypto_kdf_derive_from_key(out->body, sizeof out->body, 2, context, key);
  memcpy(out->nonce_prefix, header.ptr + sc_archive_prefix_at, sizeof out->nonce_prefix);
  sc_bytes authenticated = sc_bytes_make(header.ptr, header.len - sc_archive_mac_bytes);
  sc_blake2b_pieces(out->mac, sizeof out->mac, SC_BYTES(out->header), NULL, &authenticated, 1);
}

static void place(uint8_t nonce[static nonce_bytes], uint8_t bound[static bound_bytes],
                  const sc_archive_chunk_keys *keys, uint64_t index, bool last) {
  memcpy(nonce, keys->nonce_prefix, sc_archive_prefix_bytes);
  sc_store_big(nonce + sc_archive_prefix_bytes, index, 8);
  memcpy(bound, keys->mac, sc_archive_mac_bytes);
  sc_store_big(bound + sc_archive_mac_bytes, index, 8);
  bound[bound_bytes - 1] = last;
}

void sc_archive_chunk_seal(uint8_t *out, const sc_archive_chunk_keys *keys, uint64_t index, bool last,
                           sc_bytes plain) {
  uint8_t nonce[nonce_bytes], bound[bound_bytes];
  place(nonce, bound, keys, index, last);
  crypto_aead_xchacha20poly1305_ietf_encrypt(out, NULL, plain.ptr, plain.len, bound, sizeof bound, NULL,
                                             nonce, keys->body);
}

bool sc_archive_chunk_open(uint8_t *out, const sc_archive_chunk_keys *keys, uint64_t index, bool last,
                           sc_bytes sealed) {
  uint8_t nonce[nonce_bytes], bound[bound_bytes];
  place(nonce, bound, keys, index, last);
  return crypto_aead_xchacha20poly1305_ietf_decrypt(out, NULL, NULL, sealed.ptr, sealed.len, bound,
                                                    sizeof bound, nonce, keys->body) == 0;
}
