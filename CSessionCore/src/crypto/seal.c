/* A sealed message is laid out as
 *
 *   ephemeral key 32 | tag 16 | box of (message ‖ sender's key 32 ‖ signature 64)
 *
 * and made where it will stay: the inner part is written at its place in the output and encrypted there. The
 * signature covers message ‖ sender's key ‖ recipient's key, so the recipient's key stands for a moment where
 * the signature goes, and nothing is ever copied aside. */
#include "seal.h"

#include <assert.h>
#include <sodium.h>
#include <stdbool.h>

#include "../base/declassify.h"
#include "blake2b.h"
#include "sealed.h"
#include "session-core/base/secret.h"
#include "session-core/crypto/signature.h"

enum {
  box_at = SC_KEY_BYTES,
  inner_at = box_at + crypto_box_MACBYTES,
  inner_overhead = SC_KEY_BYTES + SC_SIGNATURE_BYTES,
};

_Static_assert(inner_at + inner_overhead == SC_SEAL_OVERHEAD, "the layout adds up");

static sc_status recipient_key(const uint8_t **out, sc_bytes recipient) {
  bool is_key = recipient.len == SC_KEY_BYTES;
  bool is_id = recipient.len == SC_ID_BYTES && recipient.ptr[0] == SC_ID_STANDARD;
  if (!is_key && !is_id)
    return SC_ERR_RECIPIENT;
  *out = recipient.ptr + recipient.len - SC_KEY_BYTES;
  return SC_OK;
}

/* Writes message ‖ sender's key ‖ signature. */
static void write_signed(uint8_t *out, const sc_keypair *from, const uint8_t *recipient, sc_bytes message) {
  uint8_t *key = out + message.len;
  uint8_t *signature = key + SC_KEY_BYTES;
  if (message.len > 0)
    memcpy(out, message.ptr, message.len);
  memcpy(key, from->ed.public_key, SC_KEY_BYTES);
  memcpy(signature, recipient, SC_KEY_BYTES);
  sc_ed25519_sign(signature, &from->ed, sc_bytes_make(out, message.len + 2 * SC_KEY_BYTES));
}

sc_status sc_seal_sign(sc_buffer *out, const sc_keypair *from, sc_bytes recipient, sc_bytes message) {
  sc_buffer_clear(out);
  const uint8_t *to;
  sc_status status = recipient_key(&to, recipient);
  if (status != SC_OK)
    return status;
  uint8_t *room;
  status = sc_sealed_room(&room, out, message, inner_overhead);
  if (status == SC_OK)
    write_signed(room, from, to, message);
  return status;
}

/* The nonce follows from the two public keys: an ephemeral key is used once, so no nonce comes twice. */
static void box_nonce(uint8_t out[static crypto_box_NONCEBYTES], const uint8_t *ephemeral,
                      const uint8_t *recipient) {
  const sc_bytes keys[] = {sc_bytes_make(ephemeral, SC_KEY_BYTES), sc_bytes_make(recipient, SC_KEY_BYTES)};
  sc_blake2b_pieces(out, crypto_box_NONCEBYTES, (sc_bytes){0}, NULL, keys, 2);
}

static sc_status seal_with(sc_buffer *out, const sc_x25519_pair *ephemeral, const sc_keypair *from,
                           const uint8_t *recipient, sc_bytes message) {
  uint8_t *sealed;
  sc_status status = sc_sealed_room(&sealed, out, message, SC_SEAL_OVERHEAD);
  if (status != SC_OK)
    return status;
  uint8_t nonce[crypto_box_NONCEBYTES];
  box_nonce(nonce, ephemeral->public_key, recipient);
  memcpy(sealed, ephemeral->public_key, SC_KEY_BYTES);
  write_signed(sealed + inner_at, from, recipient, message);
  if (crypto_box_easy(sealed + box_at, sealed + inner_at, message.len + inner_overhead, nonce, recipient,
                      ephemeral->secret) != 0) {
    sc_buffer_clear(out);
    return SC_ERR_KEY_INVALID;
  }
  return SC_OK;
}

sc_status sc_seal(sc_buffer *out, const sc_env *env, const sc_keypair *from, sc_bytes recipient,
                  sc_bytes message) {
  sc_buffer_clear(out);
  const uint8_t *to;
  sc_status status = recipient_key(&to, recipient);
  if (status != SC_OK)
    return status;
  sc_x25519_pair ephemeral;
  sc_x25519_pair_generate(&ephemeral, env);
  status = seal_with(out, &ephemeral, from, to, message);
  sc_x25519_pair_wipe(&ephemeral);
  return status;
}

/* The ephemeral pair that one sender, recipient and message always have. */
static void derived_pair(sc_x25519_pair *out, const sc_keypair *from, const uint8_t *recipient,
                         sc_bytes message) {
  const sc_bytes parts[] = {sc_bytes_make(from->ed.secret, SC_ED25519_SEED_BYTES),
                            sc_bytes_make(recipient, SC_KEY_BYTES), message};
  uint8_t seed[crypto_box_SEEDBYTES];
  sc_blake2b_pieces(seed, sizeof seed, sc_bytes_text("SessionBoxEphemeralHashKey"), NULL, parts, 3);
  int failed = crypto_box_seed_keypair(out->public_key, out->secret, seed);
  assert(failed == 0);
  (void)failed;
  sc_wipe(seed, sizeof seed);
}

sc_status sc_seal_deterministic(sc_buffer *out, const sc_keypair *from, sc_bytes recipient,
                                sc_bytes message) {
  sc_buffer_clear(out);
  const uint8_t *to;
  sc_status status = recipient_key(&to, recipient);
  if (status != SC_OK)
    return status;
  sc_x25519_pair ephemeral;
  derived_pair(&ephemeral, from, to, message);
  status = seal_with(out, &ephemeral, from, to, message);
  sc_x25519_pair_wipe(&ephemeral);
  return status;
}

static sc_status open_box(uint8_t *inner, const sc_x25519_pair *to, sc_bytes sealed) {
  uint8_t nonce[crypto_box_NONCEBYTES];
  box_nonce(nonce, sealed.ptr, to->public_key);
  int failed =
      crypto_box_open_easy(inner, sealed.ptr + box_at, sealed.len - box_at, nonce, sealed.ptr, to->secret);
  sc_declassify(&failed, sizeof failed);
  return failed == 0 ? SC_OK : SC_ERR_DECRYPT;
}

/* Opens the box into `inner` and checks what its sender signed: message ‖ sender's key ‖ signature. The
 * recipient's key replaces the signature. */
static sc_status open_signed(uint8_t **inner, sc_buffer *out, const sc_x25519_pair *to, sc_bytes sealed) {
  uint8_t signature[SC_SIGNATURE_BYTES];
  sc_buffer_clear(out);
  if (sealed.len < SC_SEAL_OVERHEAD)
    return SC_ERR_TRUNCATED;
  sc_status status = sc_buffer_extend(inner, out, sealed.len - inner_at);
  if (status == SC_OK)
    status = open_box(*inner, to, sealed);
  if (status != SC_OK)
    return status;
  uint8_t *key = *inner + sealed.len - SC_SEAL_OVERHEAD;
  sc_declassify(key, SC_KEY_BYTES);
  memcpy(signature, key + SC_KEY_BYTES, sizeof signature);
  memcpy(key + SC_KEY_BYTES, to->public_key, SC_KEY_BYTES);
  return sc_ed25519_verify(sc_bytes_make(key, SC_KEY_BYTES),
                           sc_bytes_make(*inner, sealed.len - SC_SEAL_OVERHEAD + 2 * SC_KEY_BYTES),
                           SC_BYTES(signature));
}

static sc_status name_sender(sc_sender *sender, const uint8_t *key) {
  uint8_t x25519[SC_KEY_BYTES];
  sc_status status = sc_x25519_from_ed25519(x25519, sc_bytes_make(key, SC_KEY_BYTES));
  if (status != SC_OK)
    return status;
  memcpy(sender->ed25519_public, key, sizeof sender->ed25519_public);
  sc_id_make(&sender->id, SC_ID_STANDARD, x25519);
  return SC_OK;
}

sc_status sc_seal_open(sc_buffer *out, sc_sender *sender, const sc_x25519_pair *to, sc_bytes sealed) {
  uint8_t *inner;
  sc_status status = open_signed(&inner, out, to, sealed);
  if (status == SC_OK)
    status = name_sender(sender, inner + sealed.len - SC_SEAL_OVERHEAD);
  sc_buffer_truncate(out, status == SC_OK ? sealed.len - SC_SEAL_OVERHEAD : 0);
  return status;
}

sc_status sc_seal_open_own(sc_buffer *out, const sc_keypair *own, sc_bytes sealed) {
  uint8_t *inner;
  sc_status status = open_signed(&inner, out, &own->x, sealed);
  if (status == SC_OK && memcmp(inner + sealed.len - SC_SEAL_OVERHEAD, own->ed.public_key, SC_KEY_BYTES) != 0)
    status = SC_ERR_KEY_MISMATCH;
  sc_buffer_truncate(out, status == SC_OK ? sealed.len - SC_SEAL_OVERHEAD : 0);
  return status;
}
