/* token   prefix 03 | rights | 0 | 0 | blinded key
 * access  prefix 03 | rights | 0 | 0 | factor      | the group's signature of the token
 *
 * The blinded key is the factor times the member's key, of whose two Ed25519 forms the positive one is meant:
 * an admin knows the X25519 form alone. A member whose own key is the negative one negates their scalar. */
#include "session-core/crypto/subaccount.h"

#include <sodium.h>

#include "../base/declassify.h"
#include "birational.h"
#include "blake2b.h"
#include "scalar.h"
#include "session-core/base/secret.h"

enum {
  head_bytes = 4,
  sign_byte = SC_KEY_BYTES - 1,
  sign_bit = 0x80,
  all_rights = SC_SUBACCOUNT_READ | SC_SUBACCOUNT_WRITE | SC_SUBACCOUNT_DELETE | SC_SUBACCOUNT_ANY_PREFIX,
};

_Static_assert(SC_SUBACCOUNT_TOKEN_BYTES == head_bytes + SC_KEY_BYTES, "head and key");
_Static_assert(SC_SUBACCOUNT_ACCESS_BYTES == SC_SUBACCOUNT_TOKEN_BYTES + SC_SIGNATURE_BYTES,
               "head, factor and signature");

static void write_head(uint8_t out[static head_bytes], unsigned rights) {
  out[0] = SC_ID_GROUP;
  out[1] = (uint8_t)rights;
  out[2] = 0;
  out[3] = 0;
}

static void derive_factor(uint8_t out[static SC_SCALAR_BYTES], const sc_ed25519_pair *group,
                          const sc_id *member) {
  uint8_t mask[32];
  sc_id group_id;
  sc_id_make(&group_id, SC_ID_GROUP, group->public_key);
  const sc_bytes seed = sc_bytes_make(group->secret, SC_ED25519_SEED_BYTES);
  sc_blake2b_pieces(mask, sizeof mask, sc_bytes_text("SessionGroupSubaccountMask"), NULL, &seed, 1);
  const sc_bytes pieces[] = {SC_BYTES(member->bytes), SC_BYTES(group_id.bytes)};
  sc_scalar_from_blake2b(out, SC_BYTES(mask), NULL, pieces, 2);
  sc_wipe(mask, sizeof mask);
}

/* True if the factor times the positive key is a safe point. */
static bool blind(uint8_t out[static SC_KEY_BYTES], const uint8_t factor[static SC_SCALAR_BYTES],
                  const uint8_t positive[static SC_KEY_BYTES]) {
  int failed = crypto_scalarmult_ed25519_noclamp(out, factor, positive);
  sc_declassify(&failed, sizeof failed);
  sc_declassify(out, SC_KEY_BYTES); /* the swarm sees it */
  return failed == 0;
}

static sc_status make_token(uint8_t token[static SC_SUBACCOUNT_TOKEN_BYTES],
                            uint8_t factor[static SC_SCALAR_BYTES], const sc_ed25519_pair *group,
                            const sc_id *member, unsigned rights) {
  if ((rights & ~(unsigned)all_rights) != 0)
    return SC_ERR_ARGUMENT;
  if (sc_id_kind_of(member) != SC_ID_STANDARD)
    return SC_ERR_ID_KIND;
  uint8_t positive[SC_KEY_BYTES];
  sc_ed25519_form_of(positive, sc_id_key(member)); /* blinding checks it */
  derive_factor(factor, group, member);
  write_head(token, rights);
  return blind(token + head_bytes, factor, positive) ? SC_OK : SC_ERR_KEY_INVALID;
}

sc_status sc_subaccount_token(uint8_t out[static 36], const sc_ed25519_pair *group, const sc_id *member,
                              unsigned rights) {
  uint8_t token[SC_SUBACCOUNT_TOKEN_BYTES];
  uint8_t factor[SC_SCALAR_BYTES];
  sc_status status = make_token(token, factor, group, member, rights);
  if (status == SC_OK)
    memcpy(out, token, sizeof token);
  sc_wipe(factor, sizeof factor);
  return status;
}

sc_status sc_subaccount_grant(uint8_t out[static 100], const sc_ed25519_pair *group, const sc_id *member,
                              unsigned rights) {
  uint8_t token[SC_SUBACCOUNT_TOKEN_BYTES];
  uint8_t factor[SC_SCALAR_BYTES];
  sc_status status = make_token(token, factor, group, member, rights);
  if (status == SC_OK) {
    memcpy(out, token, head_bytes);
    memcpy(out + head_bytes, factor, sizeof factor);
    sc_ed25519_sign(out + sizeof token, group, SC_BYTES(token));
  }
  sc_wipe(factor, sizeof factor);
  return status;
}

/* Access in its parts. */
typedef struct access_parts {
  uint8_t head[head_bytes];
  uint8_t factor[SC_SCALAR_BYTES];
  uint8_t token[SC_SUBACCOUNT_TOKEN_BYTES];
  uint8_t signature[SC_SIGNATURE_BYTES];
} access_parts;

static void positive_form(uint8_t out[static SC_KEY_BYTES], const sc_keypair *keys) {
  memcpy(out, keys->ed.public_key, SC_KEY_BYTES);
  out[sign_byte] &= (uint8_t)~sign_bit;
}

/* Multiplying a point ignores the factor's top bit, which no genuine factor has; without it, multiplying
 * scalars comes to the same. */
static sc_status take_apart(access_parts *out, const sc_keypair *me, sc_bytes access) {
  if (access.len != SC_SUBACCOUNT_ACCESS_BYTES)
    return SC_ERR_SUBACCOUNT;
  memcpy(out->head, access.ptr, sizeof out->head);
  memcpy(out->factor, access.ptr + head_bytes, sizeof out->factor);
  memcpy(out->signature, access.ptr + SC_SUBACCOUNT_TOKEN_BYTES, sizeof out->signature);
  out->factor[SC_SCALAR_BYTES - 1] &= 0x7f;
  uint8_t positive[SC_KEY_BYTES];
  positive_form(positive, me);
  memcpy(out->token, out->head, head_bytes);
  return blind(out->token + head_bytes, out->factor, positive) ? SC_OK : SC_ERR_SUBACCOUNT;
}

static sc_status check_head(const uint8_t head[static head_bytes], unsigned needed) {
  unsigned rights = head[1];
  if (head[0] != SC_ID_GROUP && (rights & SC_SUBACCOUNT_ANY_PREFIX) == 0)
    return SC_ERR_SUBACCOUNT;
  needed |= SC_SUBACCOUNT_READ;
  return (rights & needed) == needed ? SC_OK : SC_ERR_SUBACCOUNT_RIGHTS;
}

sc_status sc_subaccount_verify(const sc_id *group_id, const sc_keypair *me, sc_bytes access,
                               unsigned needed) {
  if (sc_id_kind_of(group_id) != SC_ID_GROUP)
    return SC_ERR_ID_KIND;
  access_parts parts;
  sc_status status = take_apart(&parts, me, access);
  if (status == SC_OK && sc_ed25519_verify(sc_bytes_make(sc_id_key(group_id), SC_KEY_BYTES),
                                           SC_BYTES(parts.token), SC_BYTES(parts.signature)) != SC_OK)
    status = SC_ERR_SUBACCOUNT;
  if (status == SC_OK)
    status = check_head(parts.head, needed);
  sc_wipe(&parts, sizeof parts);
  return status;
}

/* The factor times the member's scalar, whose point is the key in the token. */
static void blinded_scalar(uint8_t out[static SC_SCALAR_BYTES], const sc_keypair *me,
                           const uint8_t factor[static SC_SCALAR_BYTES]) {
  crypto_core_ed25519_scalar_mul(out, factor, me->x.secret);
  sc_scalar_negate_if(out, me->ed.public_key[sign_byte] >> 7);
}

sc_status sc_subaccount_sign(sc_subaccount_proof *out, const sc_keypair *me, sc_bytes access,
                             sc_bytes request) {
  static const sc_scalar_nonce_labels labels = {"SubaccountSeed", "SubaccountSig"};
  access_parts parts;
  sc_status status = take_apart(&parts, me, access);
  if (status == SC_OK) {
    const uint8_t *key = parts.token + head_bytes;
    uint8_t scalar[SC_SCALAR_BYTES];
    uint8_t nonce[SC_SCALAR_BYTES];
    blinded_scalar(scalar, me, parts.factor);
    sc_scalar_seeded_nonce(nonce, &labels, &me->ed, key, request);
    sc_scalar_sign(out->signature, scalar, key, nonce, request);
    memcpy(out->token, parts.token, sizeof out->token);
    memcpy(out->token_signature, parts.signature, sizeof out->token_signature);
    sc_wipe(scalar, sizeof scalar);
    sc_wipe(nonce, sizeof nonce);
  }
  sc_wipe(&parts, sizeof parts);
  return status;
}
