#include "topics.h"

static sc_status ed25519_keypair(known_case *c) {
  sc_keypair pair;
  sc_keypair_from_seed(&pair, known_key(c, "seed"));
  sc_id id;
  sc_id_make(&id, SC_ID_STANDARD, pair.x.public_key);
  known_same(c, "ed25519_pubkey", SC_BYTES(pair.ed.public_key));
  known_same(c, "ed25519_secret", SC_BYTES(pair.ed.secret));
  known_same(c, "x25519_pubkey", SC_BYTES(pair.x.public_key));
  known_same(c, "x25519_secret", SC_BYTES(pair.x.secret));
  known_same_id(c, "session_id", &id);
  known_same_integer(c, "ed25519_pubkey_sign_bit", pair.ed.public_key[31] >> 7);
  return SC_OK;
}

static sc_status ed25519_sign(known_case *c) {
  sc_ed25519_pair pair;
  sc_ed25519_pair_from_seed(&pair, known_key(c, "seed"));
  uint8_t signature[SC_SIGNATURE_BYTES];
  sc_ed25519_sign(signature, &pair, known_hex(c, "message"));
  known_same(c, "signature", SC_BYTES(signature));
  return SC_OK;
}

static sc_status ed25519_verify(known_case *c) {
  return sc_ed25519_verify(known_hex(c, "pubkey"), known_hex(c, "message"), known_hex(c, "signature"));
}

static sc_status x25519_pubkey_from_ed25519(known_case *c) {
  uint8_t key[SC_KEY_BYTES];
  sc_status status = sc_x25519_from_ed25519(key, known_hex(c, "ed25519_pubkey"));
  if (status == SC_OK)
    known_same(c, "x25519_pubkey", SC_BYTES(key));
  return status;
}

static sc_status xed25519_pubkey(known_case *c) {
  uint8_t key[SC_KEY_BYTES];
  sc_status status = sc_ed25519_from_x25519(key, known_hex(c, "x25519_pubkey"));
  if (status != SC_OK)
    return status;
  known_same(c, "ed25519_pubkey", SC_BYTES(key));
  if (known_has(c, "true_ed25519_pubkey")) {
    key[31] |= known_key(c, "true_ed25519_pubkey")[31] & 0x80;
    known_same(c, "true_ed25519_pubkey", SC_BYTES(key));
  }
  return SC_OK;
}

static sc_status xed25519_sign(known_case *c) {
  uint8_t signature[SC_SIGNATURE_BYTES];
  sc_status status = sc_xed25519_sign(signature, known_draws(c, known_hex(c, "random64")),
                                      known_key(c, "x25519_secret"), known_hex(c, "message"));
  if (status == SC_OK)
    known_same(c, "signature", SC_BYTES(signature));
  return status;
}

static sc_status xed25519_verify(known_case *c) {
  return sc_xed25519_verify(known_hex(c, "x25519_pubkey"), known_hex(c, "message"),
                            known_hex(c, "signature"));
}

static sc_status blake2b(known_case *c) {
  uint8_t hash[SC_BLAKE2B_MAX_BYTES];
  size_t size = (size_t)known_unsigned(c, "size");
  sc_bytes key = known_has(c, "key") ? known_hex(c, "key") : sc_bytes_text("");
  sc_status status = sc_blake2b(hash, size, key, known_hex(c, "message"));
  if (status == SC_OK)
    known_same(c, "hash", sc_bytes_make(hash, size));
  return status;
}

TOPIC(keys, {"ed25519_keypair", ed25519_keypair}, {"ed25519_sign", ed25519_sign},
      {"ed25519_verify", ed25519_verify}, {"x25519_pubkey_from_ed25519", x25519_pubkey_from_ed25519},
      {"xed25519_pubkey", xed25519_pubkey}, {"xed25519_sign", xed25519_sign},
      {"xed25519_verify", xed25519_verify}, {"blake2b", blake2b});
