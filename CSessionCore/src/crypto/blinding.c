/* Blinding multiplies a key by a factor k, a hash that anybody can compute who knows the server (15), or the
 * server and the account id (25). The two generations differ in two ways.
 *
 * An account id is an X25519 key, which stands for an Ed25519 key and for its negative alike. Kind 15 blinds
 * the account's true key, so from an account id there are two candidates; kind 25 blinds whichever of the two
 * is positive, and its owner negates k when that is not the true one.
 *
 * And they make the nonce of a signature in two ways, each from the secret, the blinded key and the message.
 */
#include "blinding.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>

#include "../base/declassify.h"
#include "birational.h"
#include "blake2b.h"
#include "blind25.h"
#include "hash.h"
#include "scalar.h"
#include "session-core/base/secret.h"
#include "session-core/crypto/signature.h"

/* The sign of an Ed25519 key is the top bit of its last byte. */
enum { sign_byte = SC_KEY_BYTES - 1, sign_bit = 0x80 };

void sc_blind15_factor(uint8_t out[static 32], const uint8_t server[static 32]) {
  const sc_bytes pieces[] = {sc_bytes_make(server, SC_KEY_BYTES)};
  sc_scalar_from_blake2b(out, (sc_bytes){0}, NULL, pieces, 1);
}

static void factor25(uint8_t out[static SC_SCALAR_BYTES], const sc_id *account_id, const uint8_t *server) {
  const sc_bytes pieces[] = {SC_BYTES(account_id->bytes), sc_bytes_make(server, SC_KEY_BYTES)};
  sc_scalar_from_blake2b(out, (sc_bytes){0}, NULL, pieces, 2);
}

static bool is_account(const sc_id *id) {
  return sc_id_kind_of(id) == SC_ID_STANDARD;
}

sc_status sc_blind25_factor(uint8_t out[static 32], const sc_id *account_id,
                            const uint8_t server[static 32]) {
  if (!is_account(account_id))
    return SC_ERR_ID_KIND;
  factor25(out, account_id, server);
  return SC_OK;
}

/* The rest of a pair whose factor is there. */
static sc_status complete_pair(sc_blinded_pair *out, sc_id_kind kind, const sc_keypair *keys) {
  uint8_t public_key[SC_KEY_BYTES];
  crypto_core_ed25519_scalar_mul(out->scalar, out->factor, keys->x.secret);
  int failed = crypto_scalarmult_ed25519_base_noclamp(public_key, out->scalar);
  sc_declassify(&failed, sizeof failed);
  if (failed != 0) {
    sc_blinded_pair_wipe(out);
    return SC_ERR_ID_BLIND;
  }
  sc_id_make(&out->id, kind, public_key);
  return SC_OK;
}

sc_status sc_blind15_pair(sc_blinded_pair *out, const sc_keypair *keys, const uint8_t server[static 32]) {
  sc_blind15_factor(out->factor, server);
  return complete_pair(out, SC_ID_BLINDED_15, keys);
}

sc_status sc_blind25_pair(sc_blinded_pair *out, const sc_keypair *keys, const uint8_t server[static 32]) {
  sc_id account_id;
  sc_id_make(&account_id, SC_ID_STANDARD, keys->x.public_key);
  factor25(out->factor, &account_id, server);
  sc_scalar_negate_if(out->factor, keys->ed.public_key[sign_byte] >> 7);
  return complete_pair(out, SC_ID_BLINDED_25, keys);
}

void sc_blinded_pair_wipe(sc_blinded_pair *pair) {
  sc_wipe(pair, sizeof *pair);
}

static sc_status blinded_id(sc_id *out, sc_id_kind kind, const uint8_t factor[static SC_SCALAR_BYTES],
                            const uint8_t ed25519[static SC_KEY_BYTES]) {
  uint8_t public_key[SC_KEY_BYTES];
  if (crypto_scalarmult_ed25519_noclamp(public_key, factor, ed25519) != 0)
    return SC_ERR_ID_BLIND;
  sc_id_make(out, kind, public_key);
  return SC_OK;
}

sc_status sc_blind25_id_of(sc_id *out, const sc_id *account_id, const uint8_t ed25519[static 32],
                           const uint8_t server[static 32]) {
  uint8_t factor[SC_SCALAR_BYTES];
  uint8_t positive[SC_KEY_BYTES];
  factor25(factor, account_id, server);
  memcpy(positive, ed25519, sizeof positive);
  positive[sign_byte] &= (uint8_t)~sign_bit;
  return blinded_id(out, SC_ID_BLINDED_25, factor, positive);
}

/* The positive one of the two Ed25519 keys an account id stands for. Blinding checks that it is one, which
 * takes as long as blinding itself, so that it is not done twice. */
static sc_status positive_key(uint8_t out[static SC_KEY_BYTES], const sc_id *account_id) {
  if (!is_account(account_id))
    return SC_ERR_ID_KIND;
  sc_ed25519_form_of(out, sc_id_key(account_id));
  return SC_OK;
}

sc_status sc_blind15_ids(sc_id out[static 2], const sc_id *account_id, const uint8_t server[static 32]) {
  uint8_t ed25519[SC_KEY_BYTES];
  sc_status status = positive_key(ed25519, account_id);
  if (status != SC_OK)
    return status;
  status = sc_blind15_id_from_ed25519(&out[0], ed25519, server);
  if (status != SC_OK)
    return status;
  out[1] = out[0];
  out[1].bytes[SC_ID_BYTES - 1] ^= sign_bit;
  return SC_OK;
}

sc_status sc_blind25_id(sc_id *out, const sc_id *account_id, const uint8_t server[static 32]) {
  uint8_t ed25519[SC_KEY_BYTES];
  sc_status status = positive_key(ed25519, account_id);
  if (status != SC_OK)
    return status;
  return sc_blind25_id_of(out, account_id, ed25519, server);
}

sc_status sc_blind15_id_from_ed25519(sc_id *out, const uint8_t ed25519[static 32],
                                     const uint8_t server[static 32]) {
  uint8_t factor[SC_SCALAR_BYTES];
  sc_blind15_factor(factor, server);
  return blinded_id(out, SC_ID_BLINDED_15, factor, ed25519);
}

sc_status sc_blind25_id_from_ed25519(sc_id *out, const uint8_t ed25519[static 32],
                                     const uint8_t server[static 32]) {
  uint8_t x25519[SC_KEY_BYTES];
  if (sc_x25519_from_ed25519(x25519, sc_bytes_make(ed25519, SC_KEY_BYTES)) != SC_OK)
    return SC_ERR_ID_BLIND;
  sc_id account_id;
  sc_id_make(&account_id, SC_ID_STANDARD, x25519);
  return sc_blind25_id_of(out, &account_id, ed25519, server);
}

static bool same_id(const sc_id *a, const sc_id *b) {
  return sc_bytes_same(SC_BYTES(a->bytes), SC_BYTES(b->bytes));
}

static sc_status matches15(bool *out, const sc_id *account_id, const sc_id *blinded, const uint8_t *server) {
  sc_id candidates[2];
  sc_status status = sc_blind15_ids(candidates, account_id, server);
  if (status == SC_OK)
    *out = same_id(blinded, &candidates[0]) || same_id(blinded, &candidates[1]);
  return status;
}

static sc_status matches25(bool *out, const sc_id *account_id, const sc_id *blinded, const uint8_t *server) {
  sc_id candidate;
  sc_status status = sc_blind25_id(&candidate, account_id, server);
  if (status == SC_OK)
    *out = same_id(blinded, &candidate);
  return status;
}

sc_status sc_blind_matches(bool *out, const sc_id *account_id, const sc_id *blinded,
                           const uint8_t server[static 32]) {
  *out = false;
  if (sc_id_kind_of(blinded) == SC_ID_BLINDED_15)
    return matches15(out, account_id, blinded, server);
  if (sc_id_kind_of(blinded) == SC_ID_BLINDED_25)
    return matches25(out, account_id, blinded, server);
  return SC_ERR_ID_KIND;
}

sc_status sc_blind15_account(sc_id *out, const sc_id *blinded, const uint8_t server[static 32]) {
  if (sc_id_kind_of(blinded) != SC_ID_BLINDED_15)
    return SC_ERR_ID_KIND;
  uint8_t factor[SC_SCALAR_BYTES], inverse[SC_SCALAR_BYTES], ed25519[SC_KEY_BYTES], x25519[SC_KEY_BYTES];
  sc_blind15_factor(factor, server);
  if (crypto_core_ed25519_scalar_invert(inverse, factor) != 0 ||
      crypto_scalarmult_ed25519_noclamp(ed25519, inverse, sc_id_key(blinded)) != 0 ||
      sc_x25519_from_ed25519(x25519, SC_BYTES(ed25519)) != SC_OK)
    return SC_ERR_ID_BLIND;
  sc_id_make(out, SC_ID_STANDARD, x25519);
  return SC_OK;
}

static sc_bytes seed_of(const sc_keypair *keys) {
  return sc_bytes_make(keys->ed.secret, SC_ED25519_SEED_BYTES);
}

static void nonce15(uint8_t out[static SC_SCALAR_BYTES], const sc_keypair *keys, sc_bytes public_key,
                    sc_bytes message) {
  uint8_t hashed[64];
  sc_sha512(hashed, SC_BYTES(keys->ed.secret));
  const sc_bytes pieces[] = {sc_bytes_make(hashed + 32, 32), public_key, message};
  sc_scalar_from_sha512(out, pieces, 3);
  sc_wipe(hashed, sizeof hashed);
}

void sc_blind_sign(uint8_t out[static 64], const sc_keypair *keys, const sc_blinded_pair *pair,
                   sc_bytes message) {
  static const sc_scalar_nonce_labels labels25 = {"SessCommBlind25_seed", "SessCommBlind25_sig"};
  const sc_bytes public_key = sc_bytes_make(sc_id_key(&pair->id), SC_KEY_BYTES);
  uint8_t nonce[SC_SCALAR_BYTES];
  if (sc_id_kind_of(&pair->id) == SC_ID_BLINDED_15)
    nonce15(nonce, keys, public_key, message);
  else
    sc_scalar_seeded_nonce(nonce, &labels25, &keys->ed, public_key.ptr, message);
  sc_scalar_sign(out, pair->scalar, public_key.ptr, nonce, message);
  sc_wipe(nonce, sizeof nonce);
}

void sc_version_pair(sc_ed25519_pair *out, const sc_keypair *keys) {
  uint8_t seed[SC_ED25519_SEED_BYTES];
  const sc_bytes account_seed = seed_of(keys);
  sc_blake2b_pieces(seed, sizeof seed, sc_bytes_text("VersionCheckKey_sig"), NULL, &account_seed, 1);
  sc_ed25519_pair_from_seed(out, seed);
  sc_wipe(seed, sizeof seed);
}

sc_status sc_version_sign_request(uint8_t out[static 64], const sc_env *env,
                                  const sc_ed25519_pair *version_pair, uint64_t timestamp_s, sc_bytes method,
                                  sc_bytes path, sc_bytes body) {
  char timestamp[sizeof "18446744073709551615"];
  snprintf(timestamp, sizeof timestamp, "%" PRIu64, timestamp_s);
  const sc_bytes pieces[] = {sc_bytes_text(timestamp), method, path, body};
  sc_buffer text;
  sc_buffer_init(&text, env);
  sc_status status = SC_OK;
  for (size_t i = 0; i < sizeof pieces / sizeof pieces[0] && status == SC_OK; i++)
    status = sc_buffer_append(&text, pieces[i]);
  if (status == SC_OK)
    sc_ed25519_sign(out, version_pair, sc_buffer_bytes(&text));
  sc_buffer_free(&text);
  return status;
}
