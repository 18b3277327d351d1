/* Crypto that was done before, remembered. In a world that is one process, the same signature is verified by
 * each member of a swarm and then by the client, though this process made it; and the two ends of a secret
 * both work it out, each of them twice. sc-sim is linked so that the core's calls come here first
 * (CMakeLists.txt); what is not remembered is done in earnest, and what is remembered was. So a forged
 * signature is refused as ever, and nothing that a client sees is different.
 *
 * Each memory is a table with one place for a key: what comes later goes before what was there. */
#include <sodium.h>
#include <stdbool.h>
#include <string.h>

#include "session-core/crypto/keys.h"
#include "session-core/crypto/signature.h"

enum { places = 1 << 14, hash_bytes = 16 };

/* Signatures that are good: a hash of key, signature and message. */

static uint8_t good[places][hash_bytes];

static uint8_t *good_place(uint8_t hash[static hash_bytes], const uint8_t *key, const uint8_t *signature,
                           sc_bytes message) {
  crypto_generichash_state state;
  uint16_t place;
  crypto_generichash_init(&state, NULL, 0, hash_bytes);
  crypto_generichash_update(&state, key, SC_KEY_BYTES);
  crypto_generichash_update(&state, signature, SC_SIGNATURE_BYTES);
  crypto_generichash_update(&state, message.ptr, message.len);
  crypto_generichash_final(&state, hash, hash_bytes);
  memcpy(&place, hash, sizeof place);
  return good[place % places];
}

void __real_sc_ed25519_sign(uint8_t out[SC_AT_LEAST(64)], const sc_ed25519_pair *signer, sc_bytes message);
void __wrap_sc_ed25519_sign(uint8_t out[SC_AT_LEAST(64)], const sc_ed25519_pair *signer, sc_bytes message);

void __wrap_sc_ed25519_sign(uint8_t out[SC_AT_LEAST(64)], const sc_ed25519_pair *signer, sc_bytes message) {
  uint8_t hash[hash_bytes], signature[SC_SIGNATURE_BYTES];
  __real_sc_ed25519_sign(signature, signer, message); /* which may be written over its message */
  memcpy(good_place(hash, signer->public_key, signature, message), hash, hash_bytes);
  memcpy(out, signature, sizeof signature);
}

sc_status __real_sc_ed25519_verify(sc_bytes public_key, sc_bytes message, sc_bytes signature);
sc_status __wrap_sc_ed25519_verify(sc_bytes public_key, sc_bytes message, sc_bytes signature);

sc_status __wrap_sc_ed25519_verify(sc_bytes public_key, sc_bytes message, sc_bytes signature) {
  uint8_t hash[hash_bytes];
  if (public_key.len != SC_KEY_BYTES || signature.len != SC_SIGNATURE_BYTES)
    return __real_sc_ed25519_verify(public_key, message, signature);
  uint8_t *place = good_place(hash, public_key.ptr, signature.ptr, message);
  if (memcmp(place, hash, sizeof hash) == 0)
    return SC_OK;
  sc_status status = __real_sc_ed25519_verify(public_key, message, signature);
  if (status == SC_OK)
    memcpy(place, hash, sizeof hash);
  return status;
}

/* Secrets that two keys share. A secret key made here is found with its public key. */

static sc_x25519_pair lasting_pairs[places]; /* of nodes and people */
static sc_x25519_pair passing_pairs[places]; /* of single requests */

typedef struct shared {
  uint8_t keys[2][SC_KEY_BYTES]; /* both public ones, the smaller first */
  uint8_t secret[SC_KEY_BYTES];
} shared;

static shared secrets[places];

static size_t pair_place(const uint8_t secret[static SC_KEY_BYTES]) {
  uint16_t place;
  memcpy(&place, secret + 1, sizeof place); /* the first byte is clamped */
  return place % places;
}

static const sc_x25519_pair *find_pair(const uint8_t secret[static SC_KEY_BYTES]) {
  size_t place = pair_place(secret);
  if (memcmp(lasting_pairs[place].secret, secret, SC_KEY_BYTES) == 0)
    return &lasting_pairs[place];
  return memcmp(passing_pairs[place].secret, secret, SC_KEY_BYTES) == 0 ? &passing_pairs[place] : NULL;
}

static shared *shared_place(shared *wanted, const uint8_t *a, const uint8_t *b) {
  uint16_t first, second;
  bool in_order = memcmp(a, b, SC_KEY_BYTES) < 0;
  memcpy(wanted->keys[0], in_order ? a : b, SC_KEY_BYTES);
  memcpy(wanted->keys[1], in_order ? b : a, SC_KEY_BYTES);
  memcpy(&first, a, sizeof first);
  memcpy(&second, b, sizeof second);
  return &secrets[(first ^ second) % places];
}

void __real_sc_x25519_pair_generate(sc_x25519_pair *out, const sc_env *env);
void __wrap_sc_x25519_pair_generate(sc_x25519_pair *out, const sc_env *env);

void __wrap_sc_x25519_pair_generate(sc_x25519_pair *out, const sc_env *env) {
  __real_sc_x25519_pair_generate(out, env);
  passing_pairs[pair_place(out->secret)] = *out;
}

void __real_sc_keypair_from_seed(sc_keypair *out, const uint8_t seed[SC_AT_LEAST(32)]);
void __wrap_sc_keypair_from_seed(sc_keypair *out, const uint8_t seed[SC_AT_LEAST(32)]);

void __wrap_sc_keypair_from_seed(sc_keypair *out, const uint8_t seed[SC_AT_LEAST(32)]) {
  __real_sc_keypair_from_seed(out, seed);
  lasting_pairs[pair_place(out->x.secret)] = out->x;
}

sc_status __real_sc_x25519(uint8_t out[SC_AT_LEAST(32)], const uint8_t secret[SC_AT_LEAST(32)],
                           const uint8_t public_key[SC_AT_LEAST(32)]);
sc_status __wrap_sc_x25519(uint8_t out[SC_AT_LEAST(32)], const uint8_t secret[SC_AT_LEAST(32)],
                           const uint8_t public_key[SC_AT_LEAST(32)]);

sc_status __wrap_sc_x25519(uint8_t out[SC_AT_LEAST(32)], const uint8_t secret[SC_AT_LEAST(32)],
                           const uint8_t public_key[SC_AT_LEAST(32)]) {
  shared wanted;
  const sc_x25519_pair *mine = find_pair(secret);
  if (mine == NULL)
    return __real_sc_x25519(out, secret, public_key);
  shared *place = shared_place(&wanted, mine->public_key, public_key);
  if (memcmp(place->keys, wanted.keys, sizeof wanted.keys) == 0) {
    memcpy(out, place->secret, SC_KEY_BYTES);
    return SC_OK;
  }
  sc_status status = __real_sc_x25519(out, secret, public_key);
  if (status == SC_OK) {
    memcpy(wanted.secret, out, SC_KEY_BYTES);
    *place = wanted;
  }
  return status;
}
