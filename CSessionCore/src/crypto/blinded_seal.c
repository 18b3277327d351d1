/* A sealed message is laid out as
 *
 *   version 0 | XChaCha20-Poly1305 of (message ‖ sender's Ed25519 key 32), tag 16 | nonce 24
 *
 * Its key follows from a Diffie-Hellman agreement between the two blinded keys and from the two ids in the
 * order of sender and recipient, so both can compute it, and the sender can read again what was sent. */
#include "session-core/crypto/blinded_seal.h"

#include <assert.h>
#include <sodium.h>
#include <stdbool.h>

#include "../base/declassify.h"
#include "blake2b.h"
#include "blind25.h"
#include "cipher.h"
#include "sealed.h"
#include "session-core/base/secret.h"
#include "session-core/crypto/blinding.h"

enum {
  format_version = 0,
  inner_at = 1,
  inner_overhead = SC_KEY_BYTES + SC_AEAD_TAG_BYTES,
};

_Static_assert(inner_at + inner_overhead + SC_XCHACHA_NONCE_BYTES == SC_BLINDED_SEAL_OVERHEAD,
               "the layout adds up");

static bool is_blinded(const sc_id *id) {
  return sc_id_kind_of(id) == SC_ID_BLINDED_15 || sc_id_kind_of(id) == SC_ID_BLINDED_25;
}

static sc_status own_pair(sc_blinded_pair *out, sc_id_kind kind, const sc_keypair *me,
                          const uint8_t *server) {
  return kind == SC_ID_BLINDED_15 ? sc_blind15_pair(out, me, server) : sc_blind25_pair(out, me, server);
}

static sc_bytes key_of(const sc_id *id) {
  return sc_bytes_make(sc_id_key(id), SC_KEY_BYTES);
}

/* Between 15 ids, k is in the other's key already, and once is enough; between 25 ids each has an own k, and
 * both belong in. */
static const uint8_t *agreement_scalar(const sc_keypair *me, const sc_blinded_pair *mine) {
  return sc_id_kind_of(&mine->id) == SC_ID_BLINDED_15 ? me->x.secret : mine->scalar;
}

/* Derives the key of messages from `sender` to `recipient`, one of whom is `other` and the other `me`. */
static sc_status message_key(uint8_t out[static 32], const uint8_t *scalar, const sc_id *other,
                             const sc_id *sender, const sc_id *recipient) {
  uint8_t shared[crypto_scalarmult_ed25519_BYTES];
  sc_status status = SC_ERR_KEY_INVALID;
  int failed = crypto_scalarmult_ed25519_noclamp(shared, scalar, sc_id_key(other));
  sc_declassify(&failed, sizeof failed);
  if (failed == 0) {
    const sc_bytes pieces[] = {SC_BYTES(shared), key_of(sender), key_of(recipient)};
    sc_blake2b_pieces(out, 32, (sc_bytes){0}, NULL, pieces, 3);
    status = SC_OK;
  }
  sc_wipe(shared, sizeof shared);
  return status;
}

static sc_status sealing_key(uint8_t out[static 32], const sc_keypair *from, const uint8_t *server,
                             const sc_id *recipient) {
  sc_blinded_pair mine;
  sc_status status = own_pair(&mine, sc_id_kind_of(recipient), from, server);
  if (status == SC_OK)
    status = message_key(out, agreement_scalar(from, &mine), recipient, &mine.id, recipient);
  sc_blinded_pair_wipe(&mine);
  return status;
}

/* SC_ERR_DECRYPT for a message between two others. */
static sc_status opening_key(uint8_t out[static 32], const sc_keypair *me, const uint8_t *server,
                             const sc_id *sender, const sc_id *recipient) {
  sc_blinded_pair mine;
  sc_status status = own_pair(&mine, sc_id_kind_of(recipient), me, server);
  if (status != SC_OK)
    return status;
  const uint8_t *scalar = agreement_scalar(me, &mine);
  sc_declassify(&mine.id, sizeof mine.id);
  if (sc_equal(&mine.id, sender, sizeof mine.id))
    status = message_key(out, scalar, recipient, sender, recipient);
  else if (sc_equal(&mine.id, recipient, sizeof mine.id))
    status = message_key(out, scalar, sender, sender, recipient);
  else
    status = SC_ERR_DECRYPT;
  sc_blinded_pair_wipe(&mine);
  return status;
}

/* Writes the whole sealed message around `message`, encrypting in place. */
static void write_sealed(uint8_t *out, const sc_env *env, const uint8_t key[static 32],
                         const uint8_t *ed25519, sc_bytes message) {
  uint8_t *inner = out + inner_at;
  uint8_t *nonce = inner + message.len + inner_overhead;
  out[0] = format_version;
  if (message.len > 0)
    memcpy(inner, message.ptr, message.len);
  memcpy(inner + message.len, ed25519, SC_KEY_BYTES);
  sc_random(env, nonce, SC_XCHACHA_NONCE_BYTES);
  int failed = crypto_aead_xchacha20poly1305_ietf_encrypt(inner, NULL, inner, message.len + SC_KEY_BYTES,
                                                          NULL, 0, NULL, nonce, key);
  assert(failed == 0);
  (void)failed;
}

sc_status sc_blinded_seal(sc_buffer *out, const sc_env *env, const sc_keypair *from,
                          const uint8_t server[static 32], const sc_id *recipient, sc_bytes message) {
  sc_buffer_clear(out);
  if (!is_blinded(recipient))
    return SC_ERR_ID_KIND;
  uint8_t key[crypto_aead_xchacha20poly1305_ietf_KEYBYTES];
  sc_status status = sealing_key(key, from, server, recipient);
  if (status != SC_OK)
    return status;
  uint8_t *sealed;
  status = sc_sealed_room(&sealed, out, message, SC_BLINDED_SEAL_OVERHEAD);
  if (status == SC_OK)
    write_sealed(sealed, env, key, from->ed.public_key, message);
  sc_wipe(key, sizeof key);
  return status;
}

/* The id of one kind that an account known by both of its keys has at the server. */
static sc_status id_of(sc_id *out, sc_id_kind kind, const sc_id *account_id, const uint8_t *ed25519,
                       const uint8_t *server) {
  return kind == SC_ID_BLINDED_15 ? sc_blind15_id_from_ed25519(out, ed25519, server)
                                  : sc_blind25_id_of(out, account_id, ed25519, server);
}

/* The sign of a 15 id cannot be derived from the account id, so either sign is accepted. */
static bool is_same_sender(const sc_id *a, const sc_id *b) {
  const uint8_t sign = sc_id_kind_of(a) == SC_ID_BLINDED_15 ? 0x80 : 0;
  const size_t last = SC_ID_BYTES - 1;
  return memcmp(a->bytes, b->bytes, last) == 0 && (a->bytes[last] | sign) == (b->bytes[last] | sign);
}

/* Proves that `ed25519`, found inside the message, is the account behind the blinded id. */
static sc_status prove_sender(sc_sender *out, sc_bytes ed25519, const sc_id *sender_id,
                              const uint8_t *server) {
  uint8_t x25519[SC_KEY_BYTES];
  sc_declassify(ed25519.ptr, ed25519.len);
  if (sc_x25519_from_ed25519(x25519, ed25519) != SC_OK)
    return SC_ERR_SENDER;
  sc_id account_id, blinded;
  sc_id_make(&account_id, SC_ID_STANDARD, x25519);
  sc_status status = id_of(&blinded, sc_id_kind_of(sender_id), &account_id, ed25519.ptr, server);
  if (status != SC_OK || !is_same_sender(&blinded, sender_id))
    return SC_ERR_SENDER;
  memcpy(out->ed25519_public, ed25519.ptr, ed25519.len);
  out->id = account_id;
  return SC_OK;
}

static sc_status decrypt(sc_buffer *out, const uint8_t key[static 32], sc_bytes sealed) {
  const uint8_t *nonce = sealed.ptr + sealed.len - SC_XCHACHA_NONCE_BYTES;
  size_t inner_len = sealed.len - inner_at - SC_XCHACHA_NONCE_BYTES;
  uint8_t *inner;
  sc_status status = sc_buffer_extend(&inner, out, inner_len - SC_AEAD_TAG_BYTES);
  if (status != SC_OK)
    return status;
  int failed = crypto_aead_xchacha20poly1305_ietf_decrypt(inner, NULL, NULL, sealed.ptr + inner_at, inner_len,
                                                          NULL, 0, nonce, key);
  sc_declassify(&failed, sizeof failed);
  return failed == 0 ? SC_OK : SC_ERR_DECRYPT;
}

static sc_status check_form(sc_bytes sealed, const sc_id *sender_id, const sc_id *recipient_id) {
  if (sealed.len < SC_BLINDED_SEAL_OVERHEAD)
    return SC_ERR_TRUNCATED;
  if (sealed.ptr[0] != format_version)
    return SC_ERR_VERSION;
  if (!is_blinded(sender_id) || sc_id_kind_of(sender_id) != sc_id_kind_of(recipient_id))
    return SC_ERR_ID_KIND;
  return SC_OK;
}

sc_status sc_blinded_open(sc_buffer *out, sc_sender *sender, const sc_keypair *me,
                          const uint8_t server[static 32], const sc_id *sender_id, const sc_id *recipient_id,
                          sc_bytes sealed) {
  sc_buffer_clear(out);
  sc_status status = check_form(sealed, sender_id, recipient_id);
  if (status != SC_OK)
    return status;
  uint8_t key[crypto_aead_xchacha20poly1305_ietf_KEYBYTES];
  status = opening_key(key, me, server, sender_id, recipient_id);
  if (status == SC_OK)
    status = decrypt(out, key, sealed);
  sc_wipe(key, sizeof key);

  size_t message_len = sealed.len - SC_BLINDED_SEAL_OVERHEAD;
  if (status == SC_OK)
    status = prove_sender(sender, sc_bytes_make(out->ptr + message_len, SC_KEY_BYTES), sender_id, server);
  sc_buffer_truncate(out, status == SC_OK ? message_len : 0);
  return status;
}
