#include "session-core/message/pro.h"

#include <sodium.h>

#include "../base/little.h"
#include "../base/utf8.h"
#include "../crypto/blake2b.h"
#include "session-core/base/secret.h"
#include "session-core/crypto/signature.h"

enum {
  known_version = 0,
  domain_bytes = 16,
  proof_hash_bytes = 32,
  decimal_digits = 20, /* of 64 bits, at most */
  rotation_s = 7 * 24 * 60 * 60,
  milliseconds = 1000,
};

/* Fields one after the other, as signatures cover them. */
typedef struct fields {
  uint8_t bytes[domain_bytes + 2 * SC_KEY_BYTES + decimal_digits];
  size_t len;
} fields;

static void add(fields *to, const void *ptr, size_t len) {
  memcpy(to->bytes + to->len, ptr, len);
  to->len += len;
}

static void add_decimal(fields *to, uint64_t value) {
  char digits[decimal_digits];
  size_t first = sizeof digits;
  do {
    digits[--first] = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0);
  add(to, digits + first, sizeof digits - first);
}

/* Writes the fields that the backend signs. */
static void signed_by_backend(fields *out, const sc_pro_proof *proof) {
  *out = (fields){.len = 0};
  if (proof->generation == SC_PRO_GENERATION_B) {
    add(out, "ProProof_v0_____", domain_bytes);
    add(out, proof->tag, sizeof proof->tag);
    add(out, proof->rotating_key, sizeof proof->rotating_key);
    add_decimal(out, proof->expiry);
    return;
  }
  uint8_t expiry[sizeof proof->expiry];
  sc_store_u64(expiry, proof->expiry);
  uint8_t version = (uint8_t)proof->version;
  const sc_bytes pieces[] = {sc_bytes_make(&version, 1), SC_BYTES(proof->tag), SC_BYTES(proof->rotating_key),
                             SC_BYTES(expiry)};
  out->len = proof_hash_bytes;
  sc_blake2b_pieces(out->bytes, out->len, (sc_bytes){0}, (const uint8_t *)"ProProof________", pieces, 4);
}

static bool is_known(const sc_pro_proof *proof) {
  return proof->generation == SC_PRO_GENERATION_B || proof->version == known_version;
}

static uint64_t expiry_s(const sc_pro_proof *proof) {
  return proof->generation == SC_PRO_GENERATION_B ? proof->expiry : proof->expiry / milliseconds;
}

sc_pro_status sc_pro_judge(const sc_pro_proof *proof, const uint8_t backend[static 32], sc_bytes signed_bytes,
                           sc_bytes signature, uint64_t time_s) {
  if (!is_known(proof))
    return SC_PRO_NO_PROOF;
  fields issued;
  signed_by_backend(&issued, proof);
  if (sc_ed25519_verify(sc_bytes_make(backend, SC_KEY_BYTES), sc_bytes_make(issued.bytes, issued.len),
                        SC_BYTES(proof->signature)) != SC_OK)
    return SC_PRO_FORGED;
  if (signature.len > 0 && sc_ed25519_verify(SC_BYTES(proof->rotating_key), signed_bytes, signature) != SC_OK)
    return SC_PRO_STOLEN;
  return time_s > expiry_s(proof) ? SC_PRO_EXPIRED : SC_PRO_VALID;
}

void sc_pro_issue(sc_pro_proof *proof, const sc_ed25519_pair *backend) {
  fields issued;
  signed_by_backend(&issued, proof);
  sc_ed25519_sign(proof->signature, backend, sc_bytes_make(issued.bytes, issued.len));
}

void sc_pro_master_pair(sc_ed25519_pair *out, const sc_keypair *account) {
  uint8_t seed[SC_ED25519_SEED_BYTES];
  sc_bytes account_seed = sc_bytes_make(account->ed.secret, SC_ED25519_SEED_BYTES);
  sc_blake2b_pieces(seed, sizeof seed, sc_bytes_text("SessionProRandom"), NULL, &account_seed, 1);
  sc_ed25519_pair_from_seed(out, seed);
  sc_wipe(seed, sizeof seed);
}

void sc_pro_rotating_pair(sc_ed25519_pair *out, const sc_ed25519_pair *master, uint64_t now_s) {
  fields period = {.len = 0};
  add_decimal(&period, now_s - now_s % rotation_s);
  const sc_bytes pieces[] = {sc_bytes_make(master->secret, SC_ED25519_SEED_BYTES),
                             sc_bytes_make(period.bytes, period.len)};
  uint8_t seed[SC_ED25519_SEED_BYTES];
  sc_blake2b_pieces(seed, sizeof seed, (sc_bytes){0}, (const uint8_t *)"ProRotatingSeed_", pieces, 2);
  sc_ed25519_pair_from_seed(out, seed);
  sc_wipe(seed, sizeof seed);
}

/* A scalar below the group's order, each as likely as any other. */
static void random_scalar(uint8_t out[static crypto_core_ed25519_SCALARBYTES], const sc_env *env) {
  uint8_t wide[crypto_core_ed25519_NONREDUCEDSCALARBYTES];
  sc_random(env, wide, sizeof wide);
  crypto_core_ed25519_scalar_reduce(out, wide);
  sc_wipe(wide, sizeof wide);
}

/* As in a signature, a point of the group's prime order and a reduced scalar, but of no known message. */
void sc_pro_decoy(uint8_t out[static 64], const sc_env *env) {
  uint8_t scalar[crypto_core_ed25519_SCALARBYTES];
  random_scalar(scalar, env);
  /* It fails for a scalar of zero alone, which never happens. */
  (void)crypto_scalarmult_ed25519_base_noclamp(out, scalar);
  random_scalar(out + crypto_core_ed25519_BYTES, env);
  sc_wipe(scalar, sizeof scalar);
}

sc_status sc_pro_features_for(uint64_t *out, size_t code_points) {
  *out = 0;
  if (code_points > SC_PRO_MAX_CHARACTERS)
    return SC_ERR_MESSAGE_LENGTH;
  if (code_points > SC_PRO_STANDARD_CHARACTERS)
    *out = SC_PRO_MESSAGE_10K;
  return SC_OK;
}

sc_status sc_code_points(size_t *out, sc_bytes text) {
  *out = 0;
  size_t count = 0;
  for (; text.len > 0; count++) {
    size_t len = sc_utf8_character(text);
    if (len == 0)
      return SC_ERR_UTF8;
    text = sc_bytes_make(text.ptr + len, text.len - len);
  }
  *out = count;
  return SC_OK;
}
