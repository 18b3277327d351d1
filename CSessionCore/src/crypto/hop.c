/* One layer of an onion request: a key agreed upon between an ephemeral pair and a node's, and a cipher the
 * routing block names. Both layouts are nonce ‖ ciphertext ‖ tag. */
#include "session-core/crypto/hop.h"

#include <stdbool.h>

#include "aes_gcm.h"
#include "blake2b.h"
#include "cipher.h"
#include "hash.h"
#include "sealed.h"
#include "session-core/base/secret.h"
#include "session-core/crypto/box.h"

enum {
  layer_key_bytes = 32,
  gcm_overhead = SC_AES_GCM_IV_BYTES + SC_AEAD_TAG_BYTES,
};

typedef struct cipher_name {
  const char *text;
  sc_hop_cipher cipher;
} cipher_name;

/* The first name of each cipher is the one that is written. */
static const cipher_name names[] = {
    {"xchacha20", SC_HOP_XCHACHA20},
    {"xchacha20-poly1305", SC_HOP_XCHACHA20},
    {"aes-gcm", SC_HOP_AES_GCM},
    {"gcm", SC_HOP_AES_GCM},
};
enum { name_count = sizeof names / sizeof names[0] };

sc_status sc_hop_cipher_parse(sc_hop_cipher *out, sc_bytes name) {
  for (size_t i = 0; i < name_count; i++) {
    if (sc_bytes_same(name, sc_bytes_text(names[i].text))) {
      *out = names[i].cipher;
      return SC_OK;
    }
  }
  return SC_ERR_CIPHER;
}

const char *sc_hop_cipher_name(sc_hop_cipher cipher) {
  return cipher == SC_HOP_XCHACHA20 ? "xchacha20" : "aes-gcm";
}

/* The client's key comes first on either side. */
static void xchacha_key(uint8_t out[static layer_key_bytes], sc_bytes shared, sc_hop_side side,
                        const uint8_t *mine, const uint8_t *other) {
  const uint8_t *client = side == SC_HOP_CLIENT ? mine : other;
  const uint8_t *server = side == SC_HOP_CLIENT ? other : mine;
  const sc_bytes pieces[] = {shared, sc_bytes_make(client, SC_KEY_BYTES),
                             sc_bytes_make(server, SC_KEY_BYTES)};
  sc_blake2b_pieces(out, layer_key_bytes, (sc_bytes){0}, NULL, pieces, 3);
}

static sc_status layer_key(uint8_t out[static layer_key_bytes], sc_hop_cipher cipher, sc_hop_side side,
                           const sc_x25519_pair *mine, const uint8_t *other) {
  uint8_t shared[SC_KEY_BYTES];
  sc_status status = sc_x25519(shared, mine->secret, other);
  if (status != SC_OK)
    return status;
  if (cipher == SC_HOP_XCHACHA20)
    xchacha_key(out, SC_BYTES(shared), side, mine->public_key, other);
  else
    sc_hmac_sha256(out, sc_bytes_text("LOKI"), SC_BYTES(shared));
  sc_wipe(shared, sizeof shared);
  return SC_OK;
}

static sc_status gcm_seal(sc_buffer *out, const sc_env *env, sc_bytes key, sc_bytes plaintext) {
  uint8_t *iv;
  sc_status status = sc_sealed_room(&iv, out, plaintext, gcm_overhead);
  if (status != SC_OK)
    return status;
  sc_random(env, iv, SC_AES_GCM_IV_BYTES);
  sc_aes_gcm_seal_into(iv + SC_AES_GCM_IV_BYTES, key, sc_bytes_make(iv, SC_AES_GCM_IV_BYTES), (sc_bytes){0},
                       plaintext);
  return SC_OK;
}

static sc_status gcm_open(sc_buffer *out, sc_bytes key, sc_bytes sealed) {
  if (sealed.len < gcm_overhead)
    return SC_ERR_TRUNCATED;
  sc_bytes iv = sc_bytes_make(sealed.ptr, SC_AES_GCM_IV_BYTES);
  sc_bytes rest = sc_bytes_make(sealed.ptr + iv.len, sealed.len - iv.len);
  return sc_aes_gcm_open(out, key, iv, (sc_bytes){0}, rest);
}

sc_status sc_hop_seal(sc_buffer *out, const sc_env *env, sc_hop_cipher cipher, sc_hop_side side,
                      const sc_x25519_pair *mine, const uint8_t other[static 32], sc_bytes plaintext) {
  sc_buffer_clear(out);
  uint8_t key[layer_key_bytes];
  sc_status status = layer_key(key, cipher, side, mine, other);
  if (status != SC_OK)
    return status;
  if (cipher == SC_HOP_XCHACHA20)
    status = sc_box_seal(out, env, SC_BYTES(key), plaintext);
  else
    status = gcm_seal(out, env, SC_BYTES(key), plaintext);
  sc_wipe(key, sizeof key);
  return status;
}

sc_status sc_hop_open(sc_buffer *out, sc_hop_cipher cipher, sc_hop_side side, const sc_x25519_pair *mine,
                      const uint8_t other[static 32], sc_bytes sealed) {
  sc_buffer_clear(out);
  uint8_t key[layer_key_bytes];
  sc_status status = layer_key(key, cipher, side, mine, other);
  if (status != SC_OK)
    return status;
  if (cipher == SC_HOP_XCHACHA20)
    status = sc_box_open(out, SC_BYTES(key), sealed);
  else
    status = gcm_open(out, SC_BYTES(key), sealed);
  sc_wipe(key, sizeof key);
  return status;
}

sc_status sc_hop_open_reply(sc_buffer *out, sc_hop_cipher cipher, const sc_x25519_pair *mine,
                            const uint8_t destination[static 32], sc_bytes sealed) {
  sc_status status = sc_hop_open(out, cipher, SC_HOP_CLIENT, mine, destination, sealed);
  bool not_opened = status == SC_ERR_TRUNCATED || status == SC_ERR_DECRYPT;
  if (cipher == SC_HOP_XCHACHA20 && not_opened)
    status = sc_hop_open(out, SC_HOP_AES_GCM, SC_HOP_CLIENT, mine, destination, sealed);
  return status;
}
