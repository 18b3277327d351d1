/* Each side gives 30 digits and a fingerprint, both taken from the last of many hashes of its account and
 * devices. A code is laid out as
 *
 *   "SRN3" | own key 32 | own fingerprint 32 | their key 32 | their fingerprint 32
 *
 * An older form has "SRN2" and the SHA-256 of both keys in front of a version. */
#include "session-core/ratchet/safety_number.h"

#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>

#include "../base/sort.h"
#include "../base/text.h"
#include "session-core/base/encoding.h"
#include "session-core/base/secret.h"
#include "session-core/crypto/keys.h"

enum {
  more_rounds = 5199,
  groups = 6, /* of each side */
  group_bytes = 5,
  group_digits = 5,
  side_digits = groups * group_digits,
  magic_bytes = 4,
  old_hashes_end = magic_bytes + 2 * crypto_hash_sha256_BYTES,
  old_code_most = old_hashes_end + 8,
};

_Static_assert(SC_SAFETY_DIGITS == 2 * side_digits, "sizes agree");
_Static_assert(SC_SAFETY_CODE_BYTES == magic_bytes + 4 * SC_KEY_BYTES, "sizes agree");
_Static_assert((int)SC_SAFETY_FINGERPRINT_BYTES >= groups * group_bytes,
               "digits follow from the fingerprint");

static const uint8_t magic[magic_bytes] = {'S', 'R', 'N', '3'}, old_magic[magic_bytes] = {'S', 'R', 'N', '2'};

/* Sorted, each once. */
typedef struct device_set {
  uint8_t keys[SC_SAFETY_MAX_DEVICES][SC_KEY_BYTES];
  uint8_t count;
} device_set;

static sc_status sort_devices(device_set *out, const uint8_t *devices, size_t count) {
  sc_sorted sorted[2 * SC_SAFETY_MAX_DEVICES];
  if (count > sizeof sorted / sizeof sorted[0])
    return SC_ERR_TOO_LARGE;
  for (size_t i = 0; i < count; i++)
    sorted[i] = (sc_sorted){sc_bytes_make(devices + i * SC_KEY_BYTES, SC_KEY_BYTES), i};
  sc_sort_keys(sorted, count);
  out->count = 0;
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && sc_bytes_same(sorted[i].key, sorted[i - 1].key))
      continue;
    if (out->count == SC_SAFETY_MAX_DEVICES)
      return SC_ERR_TOO_LARGE;
    memcpy(out->keys[out->count++], sorted[i].key.ptr, SC_KEY_BYTES);
  }
  return SC_OK;
}

static void first_hash(uint8_t hash[static crypto_hash_sha512_BYTES], const sc_id *account,
                       const uint8_t *key, const device_set *devices) {
  char text[SC_ID_CHARS + 1];
  const uint8_t version[] = {0, devices->count > 0};
  crypto_hash_sha512_state state;
  sc_id_format(text, account);
  crypto_hash_sha512_init(&state);
  crypto_hash_sha512_update(&state, version, sizeof version);
  crypto_hash_sha512_update(&state, key, SC_KEY_BYTES);
  crypto_hash_sha512_update(&state, (const uint8_t *)text, SC_ID_CHARS);
  if (devices->count > 0) {
    crypto_hash_sha512_update(&state, &devices->count, 1);
    crypto_hash_sha512_update(&state, devices->keys[0], (size_t)devices->count * SC_KEY_BYTES);
  }
  crypto_hash_sha512_update(&state, key, SC_KEY_BYTES);
  crypto_hash_sha512_final(&state, hash);
}

sc_status sc_safety_side_make(sc_safety_side *out, const sc_id *account, const uint8_t *devices,
                              size_t count) {
  memset(out, 0, sizeof *out);
  if (account->bytes[0] != SC_ID_STANDARD)
    return SC_ERR_ID_KIND;
  device_set set;
  sc_status status = sort_devices(&set, devices, count);
  if (status != SC_OK)
    return status;
  uint8_t round[crypto_hash_sha512_BYTES + SC_KEY_BYTES];
  memcpy(out->key, account->bytes + 1, SC_KEY_BYTES);
  memcpy(round + crypto_hash_sha512_BYTES, out->key, SC_KEY_BYTES);
  first_hash(round, account, out->key, &set);
  for (int i = 0; i < more_rounds; i++) {
    uint8_t hash[crypto_hash_sha512_BYTES];
    crypto_hash_sha512(hash, round, sizeof round);
    memcpy(round, hash, sizeof hash);
  }
  memcpy(out->fingerprint, round, SC_SAFETY_FINGERPRINT_BYTES);
  return SC_OK;
}

static void write_digits(char out[static side_digits + 1], const sc_safety_side *side) {
  for (int group = 0; group < groups; group++) {
    uint64_t number = 0;
    for (int i = 0; i < group_bytes; i++)
      number = number << 8 | side->fingerprint[group * group_bytes + i];
    snprintf(out + group * group_digits, group_digits + 1, "%05u", (unsigned)(number % 100000));
  }
}

void sc_safety_number(char out[static 61], const sc_safety_side *a, const sc_safety_side *b) {
  char first[side_digits + 1], second[side_digits + 1];
  write_digits(first, a);
  write_digits(second, b);
  bool in_order = strcmp(first, second) <= 0;
  memcpy(out, in_order ? first : second, side_digits);
  memcpy(out + side_digits, in_order ? second : first, sizeof second);
}

static bool is_space(uint8_t byte) {
  return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

sc_status sc_safety_number_check(const char number[static 61], sc_bytes typed) {
  char digits[SC_SAFETY_DIGITS];
  size_t count = 0;
  for (size_t i = 0; i < typed.len; i++) {
    if (is_space(typed.ptr[i]))
      continue;
    if (!sc_ascii_is_digit(typed.ptr[i]) || count == SC_SAFETY_DIGITS)
      return SC_ERR_SAFETY_DIGITS;
    digits[count++] = (char)typed.ptr[i];
  }
  if (count < SC_SAFETY_DIGITS)
    return SC_ERR_SAFETY_DIGITS;
  return sc_equal(digits, number, SC_SAFETY_DIGITS) ? SC_OK : SC_ERR_SAFETY_NUMBER;
}

static void write_side(uint8_t *out, const sc_safety_side *side) {
  memcpy(out, side->key, SC_KEY_BYTES);
  memcpy(out + SC_KEY_BYTES, side->fingerprint, SC_SAFETY_FINGERPRINT_BYTES);
}

void sc_safety_code(uint8_t out[static 132], const sc_safety_side *own, const sc_safety_side *theirs) {
  memcpy(out, magic, magic_bytes);
  write_side(out + magic_bytes, own);
  write_side(out + magic_bytes + 2 * SC_KEY_BYTES, theirs);
}

static sc_safety_side read_side(const uint8_t *bytes) {
  sc_safety_side side;
  memcpy(side.key, bytes, SC_KEY_BYTES);
  memcpy(side.fingerprint, bytes + SC_KEY_BYTES, SC_SAFETY_FINGERPRINT_BYTES);
  return side;
}

static bool same_key(const sc_safety_side *a, const sc_safety_side *b) {
  return sc_equal(a->key, b->key, SC_KEY_BYTES);
}

static bool same_devices(const sc_safety_side *a, const sc_safety_side *b) {
  return sc_equal(a->fingerprint, b->fingerprint, SC_SAFETY_FINGERPRINT_BYTES);
}

static bool is_point(const sc_safety_side *side) {
  uint8_t point[SC_KEY_BYTES];
  return sc_ed25519_from_x25519(point, SC_BYTES(side->key)) == SC_OK;
}

/* What the other person shows as theirs is ours. */
static sc_safety_match compare_sides(const sc_safety_side *shown, const sc_safety_side *of_us,
                                     const sc_safety_side *own, const sc_safety_side *theirs) {
  if (same_key(shown, own) && same_key(of_us, theirs))
    return SC_SAFETY_OWN_CODE;
  if (!same_key(shown, theirs) || !same_key(of_us, own))
    return SC_SAFETY_OTHER_PERSON;
  bool their_devices = same_devices(shown, theirs), own_devices = same_devices(of_us, own);
  if (their_devices)
    return own_devices ? SC_SAFETY_EQUAL : SC_SAFETY_OTHER_DEVICES_OWN;
  return own_devices ? SC_SAFETY_OTHER_DEVICES_THEIRS : SC_SAFETY_OTHER_DEVICES_BOTH;
}

/* The two hashes of an older code, in any order. */
static sc_safety_match compare_old(const uint8_t *hashes, const sc_safety_side *own,
                                   const sc_safety_side *theirs) {
  uint8_t ours[crypto_hash_sha256_BYTES], other[crypto_hash_sha256_BYTES];
  crypto_hash_sha256(ours, own->key, SC_KEY_BYTES);
  crypto_hash_sha256(other, theirs->key, SC_KEY_BYTES);
  const uint8_t *second = hashes + sizeof ours;
  bool equal = (sc_equal(hashes, other, sizeof other) && sc_equal(second, ours, sizeof ours)) ||
               (sc_equal(hashes, ours, sizeof ours) && sc_equal(second, other, sizeof other));
  return equal ? SC_SAFETY_ACCOUNTS_EQUAL : SC_SAFETY_OTHER_PERSON;
}

sc_status sc_safety_code_compare(sc_safety_match *out, sc_bytes code, const sc_safety_side *own,
                                 const sc_safety_side *theirs) {
  *out = SC_SAFETY_OTHER_PERSON;
  if (code.len >= old_hashes_end && code.len <= old_code_most &&
      memcmp(code.ptr, old_magic, magic_bytes) == 0) {
    *out = compare_old(code.ptr + magic_bytes, own, theirs);
    return SC_OK;
  }
  if (code.len != SC_SAFETY_CODE_BYTES || memcmp(code.ptr, magic, magic_bytes) != 0)
    return SC_ERR_SAFETY_CODE;
  sc_safety_side shown = read_side(code.ptr + magic_bytes);
  sc_safety_side of_us = read_side(code.ptr + magic_bytes + 2 * SC_KEY_BYTES);
  if (!is_point(&shown) || !is_point(&of_us))
    return SC_ERR_SAFETY_CODE;
  *out = compare_sides(&shown, &of_us, own, theirs);
  return SC_OK;
}

sc_status sc_safety_code_compare_text(sc_safety_match *out, sc_bytes text, const sc_safety_side *own,
                                      const sc_safety_side *theirs) {
  uint8_t code[SC_SAFETY_CODE_BYTES];
  size_t len;
  *out = SC_SAFETY_OTHER_PERSON;
  bool fits = sc_base64_decoded_len(&len, text) == SC_OK && len <= sizeof code;
  if (!fits || sc_base64_decode(code, len, text, SC_BASE64_URL) != SC_OK)
    return SC_ERR_SAFETY_CODE;
  return sc_safety_code_compare(out, sc_bytes_make(code, len), own, theirs);
}
