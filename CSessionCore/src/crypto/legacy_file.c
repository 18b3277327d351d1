/* A sealed file is laid out as
 *
 *   IV 16 | AES-256-CBC of (content ‖ zeros ‖ PKCS#7) | HMAC-SHA256 of everything before 32
 *
 * and its digest is the SHA-256 of all of it. Opening learns whatever can be wrong in its first pass, which
 * keeps the last 64 bytes: two blocks, so that the PKCS#7 padding is known, and with it the size of the
 * content, and the MAC. So the second pass has one thing left to find out: whether it reads the same file.
 * It holds its last piece back until it knows. */
#include "session-core/crypto/legacy_file.h"

#include <nettle/hmac.h>
#include <nettle/sha2.h>

#include "../base/declassify.h"
#include "cbc.h"
#include "cipher.h"
#include "reread.h"
#include "session-core/base/secret.h"

enum {
  block_bytes = sc_cbc_block_bytes,
  iv_bytes = block_bytes,
  mac_bytes = SHA256_DIGEST_SIZE,
  aes_key_bytes = AES256_KEY_SIZE,
  mac_key_bytes = SC_LEGACY_FILE_KEY_BYTES - aes_key_bytes,
  overhead = iv_bytes + mac_bytes,
  shortest_sealed = overhead + block_bytes,
  /* Two blocks and the MAC. */
  tail_bytes = 2 * block_bytes + mac_bytes,
  /* Content is padded to this at least. */
  smallest_bucket = 541,
  /* The largest content, padding included, that makes a sealed file of SC_LEGACY_FILE_MAX_SEALED bytes. */
  largest_padded = SC_LEGACY_FILE_MAX_SEALED - overhead - 1,
  /* Several hashes read one slice in turn while it is in the cache. */
  slice_bytes = 16 * 1024,
};

_Static_assert(SC_LEGACY_FILE_MAX_SEALED % block_bytes == 0, "a file of the largest size can be made");
_Static_assert((int)sc_cbc_piece_bytes <= (int)SC_SINK_MAX_BYTES, "pieces fit a sink");
_Static_assert(SC_LEGACY_FILE_DIGEST_BYTES == SHA256_DIGEST_SIZE, "the digest is SHA-256");

static const uint64_t no_such_size = UINT64_MAX;
static const uint64_t largest_content = UINT64_MAX - overhead - block_bytes;

/* The buckets are the powers of 1.05, rounded down. 40 fraction bits keep them exact up to the largest. */
static uint64_t bucket_of(uint64_t len) {
  enum { fraction_bits = 40 };
  uint64_t power = (uint64_t)1 << fraction_bits;
  while (power >> fraction_bits < len)
    power += power / 20;
  return power >> fraction_bits;
}

uint64_t sc_legacy_file_padded_len(uint64_t len) {
  if (len <= smallest_bucket)
    return smallest_bucket;
  if (len >= largest_padded)
    return len;
  uint64_t bucket = bucket_of(len);
  return bucket < largest_padded ? bucket : largest_padded;
}

uint64_t sc_legacy_file_sealed_len(uint64_t len) {
  if (len > largest_content)
    return no_such_size;
  uint64_t padded = sc_legacy_file_padded_len(len);
  return padded - padded % block_bytes + block_bytes + overhead;
}

void sc_legacy_file_pointer_wipe(sc_legacy_file_pointer *pointer) {
  sc_wipe(pointer, sizeof *pointer);
}

static sc_bytes first_slice(sc_bytes bytes) {
  return sc_bytes_make(bytes.ptr, bytes.len < slice_bytes ? bytes.len : slice_bytes);
}

struct sc_legacy_sealer {
  const sc_env *env;
  sc_sink sink;
  bool over;      /* finished or failed */
  uint64_t limit; /* of len */
  uint64_t len;
  uint8_t key[SC_LEGACY_FILE_KEY_BYTES];
  struct hmac_sha256_ctx hmac;
  struct sha256_ctx digest;
  sc_cbc cbc;
};

sc_status sc_legacy_sealer_new(sc_legacy_sealer **out, const sc_env *env, sc_sink sink, bool any_size) {
  *out = NULL;
  sc_legacy_sealer *sealer = sc_allocate(env, sizeof *sealer);
  if (sealer == NULL)
    return SC_ERR_NO_MEMORY;
  sealer->env = env;
  sealer->sink = sink;
  sealer->over = false;
  sealer->limit = any_size ? largest_content : largest_padded;
  sealer->len = 0;
  sc_random(env, sealer->key, sizeof sealer->key);
  hmac_sha256_set_key(&sealer->hmac, mac_key_bytes, sealer->key + aes_key_bytes);
  sha256_init(&sealer->digest);
  uint8_t iv[iv_bytes];
  sc_random(env, iv, sizeof iv);
  sc_cbc_encryptor(&sealer->cbc, sealer->key, iv);
  /* As the first block of the first piece the IV goes the way of all the others. */
  memcpy(sealer->cbc.piece, iv, sizeof iv);
  sealer->cbc.piece_len = sizeof iv;
  *out = sealer;
  return SC_OK;
}

void sc_legacy_sealer_free(sc_legacy_sealer *sealer) {
  if (sealer == NULL)
    return;
  const sc_env *env = sealer->env;
  sc_wipe(sealer, sizeof *sealer);
  sc_release(env, sealer);
}

static sc_status release_sealed(sc_legacy_sealer *sealer) {
  sc_bytes piece = sc_bytes_make(sealer->cbc.piece, sealer->cbc.piece_len);
  sealer->cbc.piece_len = 0;
  if (piece.len == 0)
    return SC_OK;
  hmac_sha256_update(&sealer->hmac, piece.len, piece.ptr);
  sha256_update(&sealer->digest, piece.len, piece.ptr);
  return sealer->sink.write(sealer->sink.user, piece);
}

static sc_status seal_bytes(sc_legacy_sealer *sealer, sc_bytes bytes) {
  sc_status status = SC_OK;
  while (bytes.len > 0 && status == SC_OK) {
    sc_cbc_take(&sealer->cbc, &bytes);
    if (sc_cbc_piece_full(&sealer->cbc))
      status = release_sealed(sealer);
  }
  return status;
}

static const uint8_t zeros[4096];

static sc_bytes some_zeros(uint64_t len) {
  return sc_bytes_make(zeros, len < sizeof zeros ? (size_t)len : sizeof zeros);
}

static sc_status seal_padding(sc_legacy_sealer *sealer) {
  uint64_t padded = sc_legacy_file_padded_len(sealer->len);
  sc_status status = SC_OK;
  for (uint64_t left = padded - sealer->len; left > 0 && status == SC_OK;) {
    sc_bytes piece = some_zeros(left);
    status = seal_bytes(sealer, piece);
    left -= piece.len;
  }
  if (status != SC_OK)
    return status;

  uint8_t pkcs7[block_bytes];
  size_t count = block_bytes - (size_t)(padded % block_bytes);
  memset(pkcs7, (int)count, count);
  return seal_bytes(sealer, sc_bytes_make(pkcs7, count));
}

static sc_status seal_mac(sc_legacy_sealer *sealer) {
  uint8_t mac[mac_bytes];
  hmac_sha256_digest(&sealer->hmac, sizeof mac, mac);
  sha256_update(&sealer->digest, sizeof mac, mac);
  return sealer->sink.write(sealer->sink.user, SC_BYTES(mac));
}

sc_status sc_legacy_sealer_write(sc_legacy_sealer *sealer, sc_bytes content) {
  if (sealer->over)
    return SC_ERR_STATE;
  sc_status status = SC_ERR_FILE_TOO_LARGE;
  if (content.len <= sealer->limit - sealer->len) {
    sealer->len += content.len;
    status = seal_bytes(sealer, content);
  }
  sealer->over = status != SC_OK;
  return status;
}

sc_status sc_legacy_sealer_finish(sc_legacy_file_pointer *out, sc_legacy_sealer *sealer) {
  *out = (sc_legacy_file_pointer){0};
  if (sealer->over)
    return SC_ERR_STATE;
  sealer->over = true;
  sc_status status = seal_padding(sealer);
  if (status == SC_OK)
    status = release_sealed(sealer);
  if (status == SC_OK)
    status = seal_mac(sealer);
  if (status != SC_OK)
    return status;
  memcpy(out->key, sealer->key, sizeof out->key);
  sha256_digest(&sealer->digest, sizeof out->digest, out->digest);
  out->size = sealer->len;
  return SC_OK;
}

typedef enum opener_phase { CHECKING, OPENING, OVER } opener_phase;

struct sc_legacy_opener {
  const sc_env *env;
  sc_sink sink;
  opener_phase phase;
  uint64_t size;   /* as the sender told it */
  uint64_t len;    /* of the sealed file */
  uint64_t opened; /* of it, in the second pass */
  uint64_t left;   /* content to release */
  /* Without a stated size, content of nothing but zeros is empty: those it begins with are only counted,
   * until something else follows. */
  bool only_zeros;
  uint64_t zeros;
  uint8_t aes_key[aes_key_bytes];
  uint8_t expected_digest[SC_LEGACY_FILE_DIGEST_BYTES];
  uint8_t iv[iv_bytes];
  uint8_t tail[tail_bytes]; /* the end of the sealed file, not in the HMAC yet */
  size_t tail_len;
  struct hmac_sha256_ctx hmac;
  struct sha256_ctx digest;
  sc_reread reread;
  sc_cbc cbc;
};

sc_status sc_legacy_opener_new(sc_legacy_opener **out, const sc_env *env, sc_sink sink, sc_bytes key,
                               sc_bytes digest, uint64_t size) {
  *out = NULL;
  if (key.len != SC_LEGACY_FILE_KEY_BYTES)
    return SC_ERR_KEY_SIZE;
  if (digest.len != SC_LEGACY_FILE_DIGEST_BYTES)
    return SC_ERR_FILE_FORMAT;
  sc_legacy_opener *opener = sc_allocate(env, sizeof *opener);
  if (opener == NULL)
    return SC_ERR_NO_MEMORY;
  opener->env = env;
  opener->sink = sink;
  opener->phase = CHECKING;
  opener->size = size;
  opener->len = 0;
  opener->opened = 0;
  opener->left = 0;
  opener->only_zeros = size == 0;
  opener->zeros = 0;
  opener->tail_len = 0;
  memcpy(opener->aes_key, key.ptr, aes_key_bytes);
  memcpy(opener->expected_digest, digest.ptr, digest.len);
  hmac_sha256_set_key(&opener->hmac, mac_key_bytes, key.ptr + aes_key_bytes);
  sha256_init(&opener->digest);
  sc_reread_init(&opener->reread, env);
  *out = opener;
  return SC_OK;
}

void sc_legacy_opener_free(sc_legacy_opener *opener) {
  if (opener == NULL)
    return;
  const sc_env *env = opener->env;
  sc_wipe(opener, sizeof *opener);
  sc_release(env, opener);
}

static void keep_iv(sc_legacy_opener *opener, sc_bytes slice) {
  if (opener->len >= iv_bytes)
    return;
  size_t missing = iv_bytes - (size_t)opener->len;
  memcpy(opener->iv + opener->len, slice.ptr, slice.len < missing ? slice.len : missing);
}

/* The HMAC follows as far behind as the tail is long. */
static void authenticate(sc_legacy_opener *opener, sc_bytes slice) {
  if (slice.len >= tail_bytes) {
    hmac_sha256_update(&opener->hmac, opener->tail_len, opener->tail);
    hmac_sha256_update(&opener->hmac, slice.len - tail_bytes, slice.ptr);
    memcpy(opener->tail, slice.ptr + slice.len - tail_bytes, tail_bytes);
    opener->tail_len = tail_bytes;
    return;
  }
  size_t together = opener->tail_len + slice.len;
  size_t passed = together > tail_bytes ? together - tail_bytes : 0;
  hmac_sha256_update(&opener->hmac, passed, opener->tail);
  memmove(opener->tail, opener->tail + passed, opener->tail_len - passed);
  memcpy(opener->tail + opener->tail_len - passed, slice.ptr, slice.len);
  opener->tail_len = together - passed;
}

static void check_slice(sc_legacy_opener *opener, sc_bytes slice) {
  sha256_update(&opener->digest, slice.len, slice.ptr);
  authenticate(opener, slice);
  sc_reread_update(&opener->reread, slice);
  keep_iv(opener, slice);
  opener->len += slice.len;
}

sc_status sc_legacy_opener_check(sc_legacy_opener *opener, sc_bytes sealed) {
  if (opener->phase != CHECKING || sealed.len > UINT64_MAX - opener->len) {
    opener->phase = OVER;
    return SC_ERR_STATE;
  }
  while (sealed.len > 0) {
    sc_bytes slice = first_slice(sealed);
    check_slice(opener, slice);
    sealed = sc_bytes_make(sealed.ptr + slice.len, sealed.len - slice.len);
  }
  return SC_OK;
}

static bool is_authentic(sc_legacy_opener *opener) {
  uint8_t mac[mac_bytes];
  uint8_t digest[SC_LEGACY_FILE_DIGEST_BYTES];
  hmac_sha256_update(&opener->hmac, tail_bytes - mac_bytes, opener->tail);
  hmac_sha256_digest(&opener->hmac, sizeof mac, mac);
  sha256_digest(&opener->digest, sizeof digest, digest);
  bool mac_holds = sc_equal(mac, opener->tail + tail_bytes - mac_bytes, sizeof mac);
  bool digest_holds = sc_equal(digest, opener->expected_digest, sizeof digest);
  bool authentic = mac_holds & digest_holds;
  sc_declassify(&authentic, sizeof authentic);
  return authentic;
}

/* Opens the last block, to learn how much of it is content. */
static sc_status last_block_content(size_t *out, const sc_legacy_opener *opener) {
  sc_bytes before = sc_bytes_make(opener->tail, block_bytes);
  sc_bytes last = sc_bytes_make(opener->tail + block_bytes, block_bytes);
  sc_buffer content;
  sc_buffer_init(&content, opener->env);
  sc_status status = sc_aes_cbc_decrypt(&content, SC_BYTES(opener->aes_key), before, last);
  *out = content.len;
  sc_buffer_free(&content);
  return status == SC_ERR_DECRYPT ? SC_ERR_FILE_DAMAGED : status;
}

static sc_status check_all(sc_legacy_opener *opener) {
  if (opener->len < shortest_sealed || opener->len % block_bytes != 0)
    return SC_ERR_FILE_FORMAT;
  if (!is_authentic(opener))
    return SC_ERR_FILE_DAMAGED;
  size_t in_last_block;
  sc_status status = last_block_content(&in_last_block, opener);
  if (status != SC_OK)
    return status;
  uint64_t content_len = opener->len - overhead - block_bytes + in_last_block;
  if (opener->size > content_len)
    return SC_ERR_FILE_SIZE;
  opener->left = opener->size == 0 ? content_len : opener->size;
  return SC_OK;
}

sc_status sc_legacy_opener_check_finish(sc_legacy_opener *opener) {
  sc_status status = opener->phase == CHECKING ? check_all(opener) : SC_ERR_STATE;
  if (status == SC_OK) {
    sc_reread_again(&opener->reread);
    sc_cbc_decryptor(&opener->cbc, opener->aes_key, opener->iv);
  }
  opener->phase = status == SC_OK ? OPENING : OVER;
  return status;
}

static size_t leading_zeros(sc_bytes bytes) {
  size_t count = 0;
  while (count < bytes.len && bytes.ptr[count] == 0)
    count++;
  return count;
}

static sc_status release_zeros(sc_legacy_opener *opener) {
  sc_status status = SC_OK;
  while (opener->zeros > 0 && status == SC_OK) {
    sc_bytes piece = some_zeros(opener->zeros);
    opener->zeros -= piece.len;
    status = opener->sink.write(opener->sink.user, piece);
  }
  return status;
}

static sc_status release_content(sc_legacy_opener *opener, sc_bytes content) {
  sc_status status = SC_OK;
  if (opener->only_zeros) {
    size_t count = leading_zeros(content);
    opener->zeros += count;
    content = sc_bytes_make(content.ptr + count, content.len - count);
    if (content.len == 0)
      return SC_OK;
    opener->only_zeros = false;
    status = release_zeros(opener);
  }
  return status == SC_OK ? opener->sink.write(opener->sink.user, content) : status;
}

static sc_status release_opened(sc_legacy_opener *opener) {
  size_t len = opener->cbc.piece_len;
  if (len > opener->left)
    len = (size_t)opener->left;
  opener->left -= len;
  opener->cbc.piece_len = 0;
  return len == 0 ? SC_OK : release_content(opener, sc_bytes_make(opener->cbc.piece, len));
}

/* Returns the part of a slice that is ciphertext, without IV and MAC. */
static sc_bytes ciphertext_in(const sc_legacy_opener *opener, sc_bytes slice) {
  uint64_t begin = opener->opened < iv_bytes ? iv_bytes - opener->opened : 0;
  uint64_t to_mac = opener->len - mac_bytes > opener->opened ? opener->len - mac_bytes - opener->opened : 0;
  uint64_t end = slice.len < to_mac ? slice.len : to_mac;
  return begin < end ? sc_bytes_make(slice.ptr + begin, (size_t)(end - begin)) : sc_bytes_make(slice.ptr, 0);
}

static sc_status open_slice(sc_legacy_opener *opener, sc_bytes slice) {
  sc_bytes blocks = ciphertext_in(opener, slice);
  sc_reread_update(&opener->reread, slice);
  opener->opened += slice.len;
  sc_status status = SC_OK;
  while (blocks.len > 0 && status == SC_OK) {
    if (sc_cbc_piece_full(&opener->cbc))
      status = release_opened(opener);
    sc_cbc_take(&opener->cbc, &blocks);
  }
  return status;
}

static sc_status open_bytes(sc_legacy_opener *opener, sc_bytes sealed) {
  if (sealed.len > opener->len - opener->opened)
    return SC_ERR_FILE_CHANGED;
  sc_status status = SC_OK;
  while (sealed.len > 0 && status == SC_OK) {
    sc_bytes slice = first_slice(sealed);
    status = open_slice(opener, slice);
    sealed = sc_bytes_make(sealed.ptr + slice.len, sealed.len - slice.len);
  }
  return status;
}

sc_status sc_legacy_opener_open(sc_legacy_opener *opener, sc_bytes sealed) {
  sc_status status = opener->phase == OPENING ? open_bytes(opener, sealed) : SC_ERR_STATE;
  if (status != SC_OK)
    opener->phase = OVER;
  return status;
}

static sc_status open_last(sc_legacy_opener *opener) {
  if (opener->opened != opener->len || !sc_reread_same(&opener->reread))
    return SC_ERR_FILE_CHANGED;
  return release_opened(opener);
}

sc_status sc_legacy_opener_open_finish(sc_legacy_opener *opener) {
  sc_status status = opener->phase == OPENING ? open_last(opener) : SC_ERR_STATE;
  opener->phase = OVER;
  return status;
}

static sc_status seal_at_once(sc_buffer *out, sc_legacy_file_pointer *pointer, const sc_env *env,
                              sc_bytes content) {
  if (content.len > largest_padded)
    return SC_ERR_FILE_TOO_LARGE;
  sc_legacy_sealer *sealer = NULL;
  sc_status status = sc_buffer_reserve(out, (size_t)sc_legacy_file_sealed_len(content.len));
  if (status == SC_OK)
    status = sc_legacy_sealer_new(&sealer, env, sc_sink_to_buffer(out), false);
  if (status == SC_OK)
    status = sc_legacy_sealer_write(sealer, content);
  if (status == SC_OK)
    status = sc_legacy_sealer_finish(pointer, sealer);
  sc_legacy_sealer_free(sealer);
  return status;
}

sc_status sc_legacy_file_seal(sc_buffer *out, sc_legacy_file_pointer *pointer, const sc_env *env,
                              sc_bytes content) {
  sc_buffer_clear(out);
  *pointer = (sc_legacy_file_pointer){0};
  sc_status status = seal_at_once(out, pointer, env, content);
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}

static sc_status open_at_once(sc_buffer *out, sc_legacy_opener *opener, sc_bytes sealed) {
  sc_status status = sc_legacy_opener_check(opener, sealed);
  if (status == SC_OK)
    status = sc_legacy_opener_check_finish(opener);
  if (status == SC_OK)
    status = sc_buffer_reserve(out, (size_t)opener->left);
  if (status == SC_OK)
    status = sc_legacy_opener_open(opener, sealed);
  if (status == SC_OK)
    status = sc_legacy_opener_open_finish(opener);
  return status;
}

sc_status sc_legacy_file_open(sc_buffer *out, sc_bytes key, sc_bytes digest, uint64_t size, sc_bytes sealed) {
  sc_buffer_clear(out);
  sc_legacy_opener *opener;
  sc_status status = sc_legacy_opener_new(&opener, out->env, sc_sink_to_buffer(out), key, digest, size);
  if (status != SC_OK)
    return status;
  status = open_at_once(out, opener, sealed);
  sc_legacy_opener_free(opener);
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}
