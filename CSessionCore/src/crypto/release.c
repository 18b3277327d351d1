#include "session-core/crypto/release.h"

#include <sodium.h>
#include <string.h>

#include "../base/text.h"
#include "../base/utf8.h"
#include "session-core/base/encoding.h"
#include "session-core/crypto/hash.h"
#include "session-core/crypto/signature.h"

/* A key is the algorithm, the id and the key; a signature is the algorithm, the id and the signature. */
enum {
  algorithm_bytes = 2,
  key_bytes = algorithm_bytes + 8 + 32,
  signature_bytes = algorithm_bytes + 8 + 64,
  hash_bytes = 64,
  sum_chars = 64,
};

static const char untrusted[] = "untrusted comment: ";
static const char trusted[] = "trusted comment: ";

/* Takes a line without its line feed off the front; the last one needs none. False at the end. */
static bool take_line(sc_bytes *out, sc_bytes *rest) {
  if (rest->len == 0)
    return false;
  const uint8_t *end = memchr(rest->ptr, '\n', rest->len);
  size_t len = end == NULL ? rest->len : (size_t)(end - rest->ptr);
  *out = sc_bytes_make(rest->ptr, len);
  size_t taken = end == NULL ? len : len + 1;
  *rest = sc_bytes_make(rest->ptr + taken, rest->len - taken);
  return true;
}

/* True if a text is UTF-8 without control characters other than tabs. */
static bool is_plain(sc_bytes text) {
  for (size_t i = 0; i < text.len; i++) {
    if ((text.ptr[i] < 0x20 && text.ptr[i] != '\t') || text.ptr[i] == 0x7f)
      return false;
  }
  return sc_utf8_is_valid(text);
}

/* Takes a line that begins with these words, and returns what follows them. */
static bool take_comment(sc_bytes *out, sc_bytes *rest, const char *words) {
  sc_bytes line;
  if (!take_line(&line, rest) || !sc_text_starts_with(line, words) || !is_plain(line))
    return false;
  *out = sc_bytes_make(line.ptr + strlen(words), line.len - strlen(words));
  return true;
}

/* Takes a line of base64 of exactly `len` bytes. */
static bool take_base64(uint8_t *out, size_t len, sc_bytes *rest) {
  sc_bytes line;
  size_t decoded;
  return take_line(&line, rest) && line.len == SC_BASE64_CHARS(len) &&
         sc_base64_decoded_len(&decoded, line) == SC_OK && decoded == len &&
         sc_base64_decode(out, len, line, SC_BASE64_STANDARD) == SC_OK;
}

sc_status sc_minisign_key_read(sc_minisign_key *out, sc_bytes text) {
  uint8_t key[key_bytes];
  sc_bytes rest = text;
  sc_bytes comment;
  memset(out, 0, sizeof *out);
  if (text.len > SC_MINISIGN_MAX_TEXT)
    return SC_ERR_FILE_FORMAT;
  if (sc_text_starts_with(text, untrusted) && !take_comment(&comment, &rest, untrusted))
    return SC_ERR_FILE_FORMAT;
  if (!take_base64(key, sizeof key, &rest) || rest.len > 0 || memcmp(key, "Ed", algorithm_bytes) != 0)
    return SC_ERR_FILE_FORMAT;
  memcpy(out->id, key + algorithm_bytes, sizeof out->id);
  memcpy(out->key, key + algorithm_bytes + sizeof out->id, sizeof out->key);
  return SC_OK;
}

sc_status sc_minisign_signature_read(sc_minisign_signature *out, sc_bytes text) {
  uint8_t signature[signature_bytes];
  uint8_t comment_signature[64];
  sc_bytes rest = text;
  sc_bytes ignored;
  sc_bytes comment;
  memset(out, 0, sizeof *out);
  if (text.len > SC_MINISIGN_MAX_TEXT || !take_comment(&ignored, &rest, untrusted) ||
      !take_base64(signature, sizeof signature, &rest) || !take_comment(&comment, &rest, trusted) ||
      !take_base64(comment_signature, sizeof comment_signature, &rest) || rest.len > 0)
    return SC_ERR_FILE_FORMAT;
  if (memcmp(signature, "Ed", algorithm_bytes) == 0)
    return SC_ERR_VERSION;
  if (memcmp(signature, "ED", algorithm_bytes) != 0)
    return SC_ERR_FILE_FORMAT;
  memcpy(out->key_id, signature + algorithm_bytes, sizeof out->key_id);
  memcpy(out->signature, signature + algorithm_bytes + sizeof out->key_id, sizeof out->signature);
  memcpy(out->comment_signature, comment_signature, sizeof comment_signature);
  out->trusted_comment = comment;
  return SC_OK;
}

sc_status sc_minisign_verify(const sc_minisign_signature *signature, const sc_minisign_key *key,
                             sc_bytes file) {
  uint8_t hash[hash_bytes];
  uint8_t signed_comment[sizeof signature->signature + SC_MINISIGN_MAX_TEXT];
  sc_bytes comment = signature->trusted_comment;
  if (memcmp(signature->key_id, key->id, sizeof key->id) != 0 || comment.len > SC_MINISIGN_MAX_TEXT)
    return SC_ERR_SIGNATURE;
  sc_status status = sc_blake2b(hash, sizeof hash, sc_bytes_make(NULL, 0), file);
  if (status != SC_OK)
    return status;
  memcpy(signed_comment, signature->signature, sizeof signature->signature);
  if (comment.len > 0)
    memcpy(signed_comment + sizeof signature->signature, comment.ptr, comment.len);
  if (sc_ed25519_verify(SC_BYTES(key->key), SC_BYTES(hash), SC_BYTES(signature->signature)) != SC_OK ||
      sc_ed25519_verify(SC_BYTES(key->key),
                        sc_bytes_make(signed_comment, sizeof signature->signature + comment.len),
                        SC_BYTES(signature->comment_signature)) != SC_OK)
    return SC_ERR_SIGNATURE;
  return SC_OK;
}

/* True if a list may have this name: one of a file in its own folder. */
static bool is_name(sc_bytes name) {
  return name.len > 0 && name.len <= SC_SUMS_MAX_NAME && name.ptr[0] != ' ' && name.ptr[0] != '*' &&
         name.ptr[name.len - 1] != ' ' && memchr(name.ptr, '/', name.len) == NULL &&
         memchr(name.ptr, '\t', name.len) == NULL && is_plain(name);
}

/* Reads a line of a list; the sum has lower-case digits only. */
static bool read_sum(uint8_t sum[static 32], sc_bytes *name, sc_bytes line) {
  if (line.len < sum_chars + 2 || line.ptr[sum_chars] != ' ' || line.ptr[sum_chars + 1] != ' ')
    return false;
  for (size_t i = 0; i < sum_chars; i++) {
    if (line.ptr[i] >= 'A' && line.ptr[i] <= 'F')
      return false;
  }
  *name = sc_bytes_make(line.ptr + sum_chars + 2, line.len - sum_chars - 2);
  return sc_hex_decode(sum, 32, sc_bytes_make(line.ptr, sum_chars)) == SC_OK && is_name(*name);
}

/* The order of names as the bytes that they are; that of `sort` in the C locale. */
static bool is_before(sc_bytes a, sc_bytes b) {
  int order = memcmp(a.ptr, b.ptr, a.len < b.len ? a.len : b.len);
  return order < 0 || (order == 0 && a.len < b.len);
}

sc_status sc_sums_find(uint8_t out[static 32], sc_bytes list, sc_bytes name) {
  uint8_t found[32] = {0};
  bool is_found = false;
  sc_bytes rest = list;
  sc_bytes line;
  sc_bytes last = sc_bytes_make(NULL, 0);
  memset(out, 0, 32);
  if (list.len == 0 || list.len > SC_SUMS_MAX_TEXT || list.ptr[list.len - 1] != '\n')
    return SC_ERR_FILE_FORMAT;
  while (take_line(&line, &rest)) {
    uint8_t sum[32];
    sc_bytes listed;
    if (!read_sum(sum, &listed, line) || (last.ptr != NULL && !is_before(last, listed)))
      return SC_ERR_FILE_FORMAT;
    if (sc_bytes_same(listed, name)) {
      memcpy(found, sum, sizeof found);
      is_found = true;
    }
    last = listed;
  }
  if (!is_found)
    return SC_ERR_NOT_FOUND;
  memcpy(out, found, sizeof found);
  return SC_OK;
}
