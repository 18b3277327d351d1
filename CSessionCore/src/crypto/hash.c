#include "hash.h"

#include <assert.h>
#include <nettle/hkdf.h>
#include <nettle/hmac.h>
#include <nettle/nettle-meta.h>
#include <nettle/sha2.h>
#include <sodium.h>

#include "blake2b.h"
#include "session-core/base/secret.h"

enum { hkdf_max_blocks = 255 };

static sc_status blake2b(uint8_t *out, size_t out_len, sc_bytes key, const uint8_t *personal,
                         sc_bytes message) {
  if (out_len < SC_BLAKE2B_MIN_BYTES || out_len > SC_BLAKE2B_MAX_BYTES || key.len > SC_BLAKE2B_MAX_KEY_BYTES)
    return SC_ERR_HASH_SIZE;
  sc_blake2b_pieces(out, out_len, key, personal, &message, 1);
  return SC_OK;
}

sc_status sc_blake2b(uint8_t *out, size_t out_len, sc_bytes key, sc_bytes message) {
  return blake2b(out, out_len, key, NULL, message);
}

sc_status sc_blake2b_personal(uint8_t *out, size_t out_len, sc_bytes key, const uint8_t personal[static 16],
                              sc_bytes message) {
  return blake2b(out, out_len, key, personal, message);
}

sc_status sc_blake2b_salted(uint8_t *out, size_t out_len, const uint8_t salt[static 16], sc_bytes message) {
  if (out_len < SC_BLAKE2B_MIN_BYTES || out_len > SC_BLAKE2B_MAX_BYTES)
    return SC_ERR_HASH_SIZE;
  int failed =
      crypto_generichash_blake2b_salt_personal(out, out_len, message.ptr, message.len, NULL, 0, salt, NULL);
  assert(failed == 0);
  (void)failed;
  return SC_OK;
}

static_assert(sizeof(crypto_generichash_blake2b_state) <= sizeof(sc_blake2b_stream),
              "a stream holds the state of the hash");

void sc_blake2b_begin(sc_blake2b_stream *out) {
  crypto_generichash_blake2b_state state;
  int failed = crypto_generichash_blake2b_init(&state, NULL, 0, SC_BLAKE2B_MAX_BYTES);
  assert(failed == 0);
  (void)failed;
  memset(out, 0, sizeof *out);
  memcpy(out->state, &state, sizeof state);
}

/* The library wants its state aligned as no caller can be asked to. */
void sc_blake2b_add(sc_blake2b_stream *stream, sc_bytes piece) {
  if (piece.len == 0)
    return;
  crypto_generichash_blake2b_state state;
  memcpy(&state, stream->state, sizeof state);
  int failed = crypto_generichash_blake2b_update(&state, piece.ptr, piece.len);
  assert(failed == 0);
  (void)failed;
  memcpy(stream->state, &state, sizeof state);
  sc_wipe(&state, sizeof state);
}

void sc_blake2b_end(uint8_t out[static 64], sc_blake2b_stream *stream) {
  crypto_generichash_blake2b_state state;
  memcpy(&state, stream->state, sizeof state);
  int failed = crypto_generichash_blake2b_final(&state, out, SC_BLAKE2B_MAX_BYTES);
  assert(failed == 0);
  (void)failed;
  sc_wipe(&state, sizeof state);
  sc_wipe(stream, sizeof *stream);
}

static_assert(sizeof(struct sha256_ctx) <= sizeof(sc_sha256_stream), "a stream holds the state of the hash");
static_assert(_Alignof(struct sha256_ctx) <= _Alignof(sc_sha256_stream), "a stream is aligned for it");

static struct sha256_ctx *sha256_context(sc_sha256_stream *stream) {
  return (struct sha256_ctx *)(void *)stream->state;
}

void sc_sha256_begin(sc_sha256_stream *out) {
  memset(out, 0, sizeof *out);
  sha256_init(sha256_context(out));
}

void sc_sha256_add(sc_sha256_stream *stream, sc_bytes piece) {
  if (piece.len > 0)
    sha256_update(sha256_context(stream), piece.len, piece.ptr);
}

void sc_sha256_end(uint8_t out[static 32], sc_sha256_stream *stream) {
  sha256_digest(sha256_context(stream), SHA256_DIGEST_SIZE, out);
  sc_wipe(stream, sizeof *stream);
}

void sc_sha256(uint8_t out[static 32], sc_bytes message) {
  struct sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, message.len, message.ptr);
  sha256_digest(&context, SHA256_DIGEST_SIZE, out);
  sc_wipe(&context, sizeof context);
}

void sc_sha512(uint8_t out[static 64], sc_bytes message) {
  struct sha512_ctx context;
  sha512_init(&context);
  sha512_update(&context, message.len, message.ptr);
  sha512_digest(&context, SHA512_DIGEST_SIZE, out);
  sc_wipe(&context, sizeof context);
}

void sc_hmac_sha256(uint8_t out[static 32], sc_bytes key, sc_bytes message) {
  struct hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, key.len, key.ptr);
  hmac_sha256_update(&context, message.len, message.ptr);
  hmac_sha256_digest(&context, SHA256_DIGEST_SIZE, out);
  sc_wipe(&context, sizeof context);
}

void sc_hmac_sha512(uint8_t out[static 64], sc_bytes key, sc_bytes message) {
  struct hmac_sha512_ctx context;
  hmac_sha512_set_key(&context, key.len, key.ptr);
  hmac_sha512_update(&context, message.len, message.ptr);
  hmac_sha512_digest(&context, SHA512_DIGEST_SIZE, out);
  sc_wipe(&context, sizeof context);
}

sc_status sc_hkdf_sha256(uint8_t *out, size_t out_len, sc_bytes key_material, sc_bytes salt, sc_bytes info) {
  if (out_len > (size_t)hkdf_max_blocks * SHA256_DIGEST_SIZE)
    return SC_ERR_HASH_SIZE;
  uint8_t extracted[SHA256_DIGEST_SIZE];
  sc_hmac_sha256(extracted, salt, key_material);
  struct hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, sizeof extracted, extracted);
  hkdf_expand(&context, nettle_hmac_sha256.update, nettle_hmac_sha256.digest, SHA256_DIGEST_SIZE, info.len,
              info.ptr, out_len, out);
  sc_wipe(&context, sizeof context);
  sc_wipe(extracted, sizeof extracted);
  return SC_OK;
}
