/* A ciphertext hides 32 bytes m, and everything else about it follows from m and the public key. The reader
 * recovers m, makes the ciphertext again and compares: one that differs yields a secret derived from the
 * ciphertext and a part of the key that serves for nothing else, without a sign that it does. */
#include "session-core/crypto/mlkem.h"

#include "../base/declassify.h"
#include "keccak.h"
#include "mlkem_encoding.h"
#include "mlkem_sample.h"
#include "session-core/base/secret.h"

enum {
  half = sc_mlkem_seed_half,
  hash_bytes = 32,
  public_at = sc_mlkem_vector_bytes,
  hash_at = public_at + SC_MLKEM768_PUBLIC_BYTES,
  rejection_at = hash_at + hash_bytes,
  rounded4_at = sc_mlkem_k * sc_mlkem_rounded10_bytes,
};

_Static_assert(sc_mlkem_vector_bytes + half == SC_MLKEM768_PUBLIC_BYTES,
               "coefficients and the seed of the matrix");
_Static_assert(rejection_at + half == SC_MLKEM768_SECRET_BYTES, "the parts of a decapsulation key");
_Static_assert(rounded4_at + sc_mlkem_rounded4_bytes == SC_MLKEM768_CIPHERTEXT_BYTES,
               "the parts of a ciphertext");

static const sc_bytes nothing = {NULL, 0};

/* The coefficients of one row of the key, from the secret vector and its noise. */
static void key_row(sc_poly *out, const uint8_t matrix_seed[static 32], uint8_t row,
                    const sc_poly_vector *secret, const sc_poly_twisted *twisted, const sc_poly *noise) {
  sc_poly_vector matrix_row;
  sc_mlkem_matrix_row(&matrix_row, matrix_seed, row, false);
  sc_poly_product(out, &matrix_row, secret, twisted);
  sc_poly_times_2_16(out);
  sc_poly_add(out, noise);
  sc_poly_reduce(out);
}

void sc_mlkem768_from_seed(uint8_t public_key[static 1184], uint8_t secret[static 2400],
                           const uint8_t seed[static 64]) {
  static const uint8_t dimension = sc_mlkem_k;
  uint8_t seeds[2 * half];
  sc_poly_vector s, e, t;
  sc_poly_twisted twisted;
  sc_keccak_hash(seeds, sizeof seeds, SC_SHA3_512, sc_bytes_make(seed, half), sc_bytes_make(&dimension, 1));
  sc_declassify(seeds, half); /* the seed of the matrix is published */
  sc_mlkem_small_vector(&s, seeds + half, 0);
  sc_mlkem_small_vector(&e, seeds + half, sc_mlkem_k);
  for (size_t i = 0; i < sc_mlkem_k; i++) {
    sc_poly_ntt(&s.row[i]);
    sc_poly_ntt(&e.row[i]);
  }
  sc_poly_twist(&twisted, &s);
  for (uint8_t i = 0; i < sc_mlkem_k; i++) {
    key_row(&t.row[i], seeds, i, &s, &twisted, &e.row[i]);
    sc_poly_reduce(&s.row[i]);
  }
  sc_mlkem_write_vector(public_key, &t);
  memcpy(public_key + sc_mlkem_vector_bytes, seeds, half);
  sc_mlkem_write_vector(secret, &s);
  memcpy(secret + public_at, public_key, SC_MLKEM768_PUBLIC_BYTES);
  sc_keccak_hash(secret + hash_at, hash_bytes, SC_SHA3_256,
                 sc_bytes_make(public_key, SC_MLKEM768_PUBLIC_BYTES), nothing);
  memcpy(secret + rejection_at, seed + half, half);
  sc_wipe(seeds, sizeof seeds);
  sc_wipe(&s, sizeof s);
  sc_wipe(&e, sizeof e);
  sc_wipe(&t, sizeof t);
  sc_wipe(&twisted, sizeof twisted);
}

/* The working memory of one encryption; secret except for the matrix row. */
typedef struct encryption {
  sc_poly_vector y;
  sc_poly_twisted twisted;
  sc_poly_vector row;
  sc_poly sum;
  sc_poly noise;
} encryption;

/* Puts into `sum` the product of `row` and y, with the noise of that number. */
static void noisy_product(encryption *work, const uint8_t random[static 32], uint8_t number) {
  sc_poly_product(&work->sum, &work->row, &work->y, &work->twisted);
  sc_poly_inverse_ntt(&work->sum);
  sc_mlkem_small(&work->noise, random, number);
  sc_poly_add(&work->sum, &work->noise);
}

static void encrypt(uint8_t out[static 1088], const uint8_t public_key[static 1184],
                    const uint8_t message[static 32], const uint8_t random[static 32]) {
  encryption work;
  sc_mlkem_small_vector(&work.y, random, 0);
  for (size_t i = 0; i < sc_mlkem_k; i++)
    sc_poly_ntt(&work.y.row[i]);
  sc_poly_twist(&work.twisted, &work.y);
  for (uint8_t i = 0; i < sc_mlkem_k; i++) {
    sc_mlkem_matrix_row(&work.row, public_key + sc_mlkem_vector_bytes, i, true);
    noisy_product(&work, random, (uint8_t)(sc_mlkem_k + i));
    sc_poly_reduce(&work.sum);
    sc_mlkem_write_rounded10(out + sc_mlkem_rounded10_bytes * i, &work.sum);
  }
  sc_mlkem_read_vector(&work.row, public_key);
  noisy_product(&work, random, 2 * sc_mlkem_k);
  sc_mlkem_read_message(&work.noise, message);
  sc_poly_add(&work.sum, &work.noise);
  sc_poly_reduce(&work.sum);
  sc_mlkem_write_rounded4(out + rounded4_at, &work.sum);
  sc_wipe(&work, sizeof work);
}

static void decrypt(uint8_t out[static 32], const uint8_t secret[static 1152],
                    const uint8_t ciphertext[static 1088]) {
  sc_poly_vector u, s;
  sc_poly_twisted twisted;
  sc_poly v, sum;
  for (size_t i = 0; i < sc_mlkem_k; i++) {
    sc_mlkem_read_rounded10(&u.row[i], ciphertext + sc_mlkem_rounded10_bytes * i);
    sc_poly_ntt(&u.row[i]);
  }
  sc_mlkem_read_rounded4(&v, ciphertext + rounded4_at);
  sc_mlkem_read_vector(&s, secret);
  sc_poly_twist(&twisted, &u);
  sc_poly_product(&sum, &s, &u, &twisted);
  sc_poly_inverse_ntt(&sum);
  for (size_t i = 0; i < sc_mlkem_n; i++)
    v.c[i] = (int16_t)(v.c[i] - sum.c[i]);
  sc_poly_reduce(&v);
  sc_mlkem_write_message(out, &v);
  sc_wipe(&s, sizeof s);
  sc_wipe(&v, sizeof v);
  sc_wipe(&sum, sizeof sum);
}

sc_status sc_mlkem768_generate(uint8_t seed[static 64], uint8_t public_key[static 1184],
                               uint8_t secret[static 2400], const sc_env *env) {
  static const uint8_t zeros[SC_MLKEM768_SEED_BYTES];
  sc_random(env, seed, SC_MLKEM768_SEED_BYTES);
  bool no_random = sc_equal(seed, zeros, sizeof zeros);
  sc_declassify(&no_random, sizeof no_random);
  if (no_random) {
    sc_wipe(public_key, SC_MLKEM768_PUBLIC_BYTES);
    sc_wipe(secret, SC_MLKEM768_SECRET_BYTES);
    return SC_ERR_NO_RANDOM;
  }
  sc_mlkem768_from_seed(public_key, secret, seed);
  return SC_OK;
}

sc_status sc_mlkem768_check_public(sc_bytes public_key) {
  if (public_key.len != SC_MLKEM768_PUBLIC_BYTES)
    return SC_ERR_KEY_SIZE;
  return sc_mlkem_vector_is_reduced(public_key.ptr) ? SC_OK : SC_ERR_KEY_INVALID;
}

sc_status sc_mlkem768_check_secret(sc_bytes secret) {
  if (secret.len != SC_MLKEM768_SECRET_BYTES)
    return SC_ERR_KEY_SIZE;
  uint8_t hash[hash_bytes];
  sc_keccak_hash(hash, sizeof hash, SC_SHA3_256,
                 sc_bytes_make(secret.ptr + public_at, SC_MLKEM768_PUBLIC_BYTES), nothing);
  return sc_equal(hash, secret.ptr + hash_at, sizeof hash) ? SC_OK : SC_ERR_KEY_MISMATCH;
}

/* The shared secret and the randomness of the encryption, from m and the hash of the public key. */
static void derive(uint8_t out[static 64], const uint8_t message[static 32],
                   const uint8_t key_hash[static 32]) {
  sc_keccak_hash(out, (size_t)SC_MLKEM768_SHARED_BYTES + half, SC_SHA3_512, sc_bytes_make(message, half),
                 sc_bytes_make(key_hash, hash_bytes));
}

sc_status sc_mlkem768_encapsulate_with(uint8_t ciphertext[static 1088], uint8_t shared[static 32],
                                       sc_bytes public_key, const uint8_t random[static 32]) {
  sc_status status = sc_mlkem768_check_public(public_key);
  if (status != SC_OK) {
    sc_wipe(ciphertext, SC_MLKEM768_CIPHERTEXT_BYTES);
    sc_wipe(shared, SC_MLKEM768_SHARED_BYTES);
    return status;
  }
  uint8_t key_hash[hash_bytes], derived[SC_MLKEM768_SHARED_BYTES + half];
  sc_keccak_hash(key_hash, sizeof key_hash, SC_SHA3_256, public_key, nothing);
  derive(derived, random, key_hash);
  encrypt(ciphertext, public_key.ptr, random, derived + SC_MLKEM768_SHARED_BYTES);
  memcpy(shared, derived, SC_MLKEM768_SHARED_BYTES);
  sc_wipe(derived, sizeof derived);
  return SC_OK;
}

sc_status sc_mlkem768_encapsulate(uint8_t ciphertext[static 1088], uint8_t shared[static 32],
                                  const sc_env *env, sc_bytes public_key) {
  uint8_t random[half];
  sc_random(env, random, sizeof random);
  sc_status status = sc_mlkem768_encapsulate_with(ciphertext, shared, public_key, random);
  sc_wipe(random, sizeof random);
  return status;
}

/* Replaces `out` by `other` unless `a` and `b` are equal. */
static void replace_unless_same(uint8_t out[static 32], const uint8_t other[static 32], const uint8_t *a,
                                const uint8_t *b, size_t len) {
  uint32_t difference = 0;
  for (size_t i = 0; i < len; i++)
    difference |= (uint32_t)(a[i] ^ b[i]);
  uint32_t mask = sc_opaque(0 - ((difference | (0 - difference)) >> 31));
  for (size_t i = 0; i < SC_MLKEM768_SHARED_BYTES; i++)
    out[i] = (uint8_t)(out[i] ^ (mask & (uint32_t)(out[i] ^ other[i])));
}

static void decapsulate(uint8_t shared[static 32], const uint8_t secret[static 2400], sc_bytes ciphertext) {
  uint8_t message[half], derived[SC_MLKEM768_SHARED_BYTES + half], rejected[SC_MLKEM768_SHARED_BYTES];
  uint8_t again[SC_MLKEM768_CIPHERTEXT_BYTES];
  decrypt(message, secret, ciphertext.ptr);
  derive(derived, message, secret + hash_at);
  sc_keccak_hash(rejected, sizeof rejected, SC_SHAKE256, sc_bytes_make(secret + rejection_at, half),
                 ciphertext);
  encrypt(again, secret + public_at, message, derived + SC_MLKEM768_SHARED_BYTES);
  memcpy(shared, derived, SC_MLKEM768_SHARED_BYTES);
  replace_unless_same(shared, rejected, ciphertext.ptr, again, sizeof again);
  sc_wipe(message, sizeof message);
  sc_wipe(derived, sizeof derived);
  sc_wipe(rejected, sizeof rejected);
  sc_wipe(again, sizeof again);
}

sc_status sc_mlkem768_decapsulate(uint8_t shared[static 32], sc_bytes secret, sc_bytes ciphertext) {
  sc_status status = SC_OK;
  if (secret.len != SC_MLKEM768_SECRET_BYTES)
    status = SC_ERR_KEY_SIZE;
  else if (ciphertext.len != SC_MLKEM768_CIPHERTEXT_BYTES)
    status = SC_ERR_DECRYPT;
  if (status == SC_OK)
    decapsulate(shared, secret.ptr, ciphertext);
  else
    sc_wipe(shared, SC_MLKEM768_SHARED_BYTES);
  return status;
}
