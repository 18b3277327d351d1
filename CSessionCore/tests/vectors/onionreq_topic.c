/* The layer cipher and node addresses. */
#include <stdio.h>

#include "topics.h"

typedef struct hop {
  sc_hop_cipher cipher;
  sc_hop_side side;
  sc_x25519_pair mine;
  const uint8_t *remote;
} hop;

static sc_status read_hop(hop *out, known_case *c) {
  out->side = known_flag(c, "i_am_server") ? SC_HOP_SERVER : SC_HOP_CLIENT;
  memcpy(out->mine.secret, known_key(c, "my_x25519_secret"), SC_KEY_BYTES);
  memcpy(out->mine.public_key, known_key(c, "my_x25519_pubkey"), SC_KEY_BYTES);
  out->remote = known_key(c, "remote_x25519_pubkey");
  return sc_hop_cipher_parse(&out->cipher, known_text(c, "enc_type"));
}

static sc_status hop_encrypt(known_case *c) {
  hop hop;
  sc_status status = read_hop(&hop, c);
  if (status != SC_OK)
    return status;
  const sc_env *env = known_has(c, "nonce") ? known_draws(c, known_hex(c, "nonce")) : known_env(c);
  sc_buffer *sealed = known_buffer(c);
  status = sc_hop_seal(sealed, env, hop.cipher, hop.side, &hop.mine, hop.remote, known_hex(c, "plaintext"));
  if (status == SC_OK)
    known_same(c, "ciphertext", sc_buffer_bytes(sealed));
  return status;
}

static sc_status hop_decrypt(known_case *c) {
  hop hop;
  sc_status status = read_hop(&hop, c);
  if (status != SC_OK)
    return status;
  sc_buffer *plaintext = known_buffer(c);
  status = sc_hop_open(plaintext, hop.cipher, hop.side, &hop.mine, hop.remote, known_hex(c, "ciphertext"));
  if (status == SC_OK)
    known_same(c, "plaintext", sc_buffer_bytes(plaintext));
  return status;
}

static sc_status response_decrypt(known_case *c) {
  sc_hop_cipher cipher;
  sc_status status = sc_hop_cipher_parse(&cipher, known_text(c, "enc_type"));
  if (status != SC_OK)
    return status;
  sc_x25519_pair mine;
  memcpy(mine.secret, known_key(c, "final_x25519_secret"), sizeof mine.secret);
  memcpy(mine.public_key, known_key(c, "final_x25519_pubkey"), sizeof mine.public_key);
  sc_buffer *plaintext = known_buffer(c);
  status = sc_hop_open_reply(plaintext, cipher, &mine, known_key(c, "destination_x25519_pubkey"),
                             known_hex(c, "ciphertext"));
  if (status == SC_OK)
    known_same(c, "plaintext", sc_buffer_bytes(plaintext));
  return status;
}

static sc_status snode_address(known_case *c) {
  char name[SC_BASE32Z_CHARS(SC_KEY_BYTES) + 1];
  char address[sizeof name + sizeof ".snode"];
  sc_base32z_encode(name, sc_bytes_make(known_key(c, "ed25519_pubkey"), SC_KEY_BYTES));
  snprintf(address, sizeof address, "%s.snode", name);
  known_same_text(c, "address", sc_bytes_text(address));
  return SC_OK;
}

TOPIC(onionreq, {"hop_encrypt", hop_encrypt}, {"hop_decrypt", hop_decrypt},
      {"response_decrypt", response_decrypt}, {"snode_address", snode_address});
