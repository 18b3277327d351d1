#include <stdio.h>

#include "crypto/blinding.h"
#include "topics.h"

static sc_keypair account_keys(known_case *c) {
  sc_keypair keys;
  sc_keypair_from_seed(&keys, known_key(c, "seed"));
  return keys;
}

static sc_bytes key_of(const sc_id *id) {
  return sc_bytes_make(sc_id_key(id), SC_KEY_BYTES);
}

static sc_status blind15_factor(known_case *c) {
  uint8_t factor[32];
  sc_blind15_factor(factor, known_key(c, "server_pubkey"));
  known_same(c, "factor", SC_BYTES(factor));
  return SC_OK;
}

static sc_status compare_factors(known_case *c, const sc_id *account, const uint8_t *server) {
  uint8_t factor15[32], factor25[32];
  sc_blind15_factor(factor15, server);
  sc_status status = sc_blind25_factor(factor25, account, server);
  if (status == SC_OK) {
    known_same(c, "blind15_factor", SC_BYTES(factor15));
    known_same(c, "blind25_factor", SC_BYTES(factor25));
  }
  return status;
}

static sc_status compare_ids(known_case *c, const sc_id *account, const uint8_t *ed25519,
                             const uint8_t *server) {
  sc_id candidates[2], id25, own15, own25;
  sc_status status = sc_blind15_ids(candidates, account, server);
  if (status == SC_OK)
    status = sc_blind25_id(&id25, account, server);
  if (status == SC_OK)
    status = sc_blind15_id_from_ed25519(&own15, ed25519, server);
  if (status == SC_OK)
    status = sc_blind25_id_from_ed25519(&own25, ed25519, server);
  if (status != SC_OK)
    return status;
  const sc_bytes both[2] = {SC_BYTES(candidates[0].bytes), SC_BYTES(candidates[1].bytes)};
  known_same_list(c, "blind15_ids_from_session_id", both, 2);
  known_same(c, "blind25_id", SC_BYTES(id25.bytes));
  known_same(c, "blind15_id_from_ed25519", SC_BYTES(own15.bytes));
  known_same(c, "blind25_id_from_ed25519", SC_BYTES(own25.bytes));
  return SC_OK;
}

static sc_status compare_pairs(known_case *c, const sc_keypair *keys, const uint8_t *server) {
  sc_blinded_pair pair15, pair25;
  sc_status status = sc_blind15_pair(&pair15, keys, server);
  if (status == SC_OK)
    status = sc_blind25_pair(&pair25, keys, server);
  if (status != SC_OK)
    return status;
  known_same(c, "blind15_pubkey", key_of(&pair15.id));
  known_same(c, "blind15_secret_scalar", SC_BYTES(pair15.scalar));
  known_same(c, "blind15_k", SC_BYTES(pair15.factor));
  known_same(c, "blind25_pubkey", key_of(&pair25.id));
  known_same(c, "blind25_secret_scalar", SC_BYTES(pair25.scalar));
  known_same(c, "blind25_k_prime", SC_BYTES(pair25.factor));
  return SC_OK;
}

static sc_status ids(known_case *c) {
  sc_keypair keys = account_keys(c);
  const uint8_t *server = known_key(c, "server_pubkey");
  sc_id account;
  sc_id_make(&account, SC_ID_STANDARD, keys.x.public_key);
  known_same(c, "ed25519_pubkey", SC_BYTES(keys.ed.public_key));
  known_same_integer(c, "ed25519_pubkey_sign_bit", keys.ed.public_key[31] >> 7);
  known_same_id(c, "session_id", &account);
  sc_status status = compare_factors(c, &account, server);
  if (status == SC_OK)
    status = compare_ids(c, &account, keys.ed.public_key, server);
  return status != SC_OK ? status : compare_pairs(c, &keys, server);
}

static sc_status read_texts(sc_id *account, uint8_t server[SC_KEY_BYTES], known_case *c) {
  sc_status status = sc_id_parse(account, known_text(c, "session_id"));
  return status != SC_OK ? status : sc_hex_decode(server, SC_KEY_BYTES, known_text(c, "server_pubkey"));
}

static sc_status blind_id_hex(known_case *c) {
  sc_id account, candidates[2], id25;
  uint8_t server[SC_KEY_BYTES];
  sc_status status = read_texts(&account, server, c);
  if (status == SC_OK)
    status = sc_blind15_ids(candidates, &account, server);
  if (status == SC_OK)
    status = sc_blind25_id(&id25, &account, server);
  if (status != SC_OK)
    return status;
  const sc_bytes both[2] = {SC_BYTES(candidates[0].bytes), SC_BYTES(candidates[1].bytes)};
  known_same_list(c, "blind15_ids", both, 2);
  known_same_id(c, "blind25_id", &id25);
  return SC_OK;
}

/* Signs as the blinded id of `pair`, which plain Ed25519 must verify. */
static sc_status sign_as(known_case *c, const sc_keypair *keys, const sc_blinded_pair *pair) {
  sc_bytes message = known_hex(c, "message");
  uint8_t signature[SC_SIGNATURE_BYTES];
  sc_blind_sign(signature, keys, pair, message);
  known_same(c, "blinded_pubkey", key_of(&pair->id));
  known_same(c, "signature", SC_BYTES(signature));
  return sc_ed25519_verify(key_of(&pair->id), message, SC_BYTES(signature));
}

static sc_status blind15_sign(known_case *c) {
  sc_keypair keys = account_keys(c);
  sc_blinded_pair pair;
  sc_status status = sc_blind15_pair(&pair, &keys, known_key(c, "server_pubkey"));
  return status != SC_OK ? status : sign_as(c, &keys, &pair);
}

static sc_status blind25_sign(known_case *c) {
  sc_keypair keys = account_keys(c);
  sc_blinded_pair pair;
  sc_status status = sc_blind25_pair(&pair, &keys, known_key(c, "server_pubkey"));
  return status != SC_OK ? status : sign_as(c, &keys, &pair);
}

static sc_status blind_verify(known_case *c) {
  return sc_ed25519_verify(known_hex(c, "blinded_pubkey"), known_hex(c, "message"),
                           known_hex(c, "signature"));
}

/* The version pair of the account whose secret, a seed or seed ‖ public key, is `seed`. */
static sc_status version_pair(sc_ed25519_pair *out, known_case *c) {
  sc_keypair keys;
  sc_status status = sc_keypair_from_secret(&keys, known_hex(c, "seed"));
  if (status == SC_OK)
    sc_version_pair(out, &keys);
  return status;
}

static sc_status blind_version_keypair(known_case *c) {
  sc_ed25519_pair pair;
  sc_status status = version_pair(&pair, c);
  if (status == SC_OK) {
    known_same(c, "pubkey", SC_BYTES(pair.public_key));
    known_same(c, "secret", SC_BYTES(pair.secret));
  }
  return status;
}

static sc_status sign_request(known_case *c, sc_bytes method, sc_bytes path, sc_bytes body) {
  sc_ed25519_pair pair;
  sc_status status = version_pair(&pair, c);
  if (status != SC_OK)
    return status;
  uint8_t signature[SC_SIGNATURE_BYTES];
  status = sc_version_sign_request(signature, known_env(c), &pair, known_unsigned(c, "timestamp"), method,
                                   path, body);
  if (status == SC_OK) {
    known_same(c, "pubkey", SC_BYTES(pair.public_key));
    known_same(c, "signature", SC_BYTES(signature));
  }
  return status;
}

static sc_status blind_version_sign(known_case *c) {
  sc_bytes platform = known_text(c, "platform");
  char path[256];
  int len = snprintf(path, sizeof path, "/session_version?platform=%.*s", (int)platform.len,
                     (const char *)platform.ptr);
  if (len < 0 || (size_t)len >= sizeof path)
    return SC_ERR_TOO_LARGE;
  return sign_request(c, sc_bytes_text("GET"), sc_bytes_text(path), sc_bytes_text(""));
}

static sc_status blind_version_sign_request(known_case *c) {
  sc_bytes body = known_has(c, "body") ? known_hex(c, "body") : sc_bytes_text("");
  return sign_request(c, known_text(c, "method"), known_text(c, "path"), body);
}

static sc_status session_id_matches_blinded_id(known_case *c) {
  sc_id account, blinded;
  uint8_t server[SC_KEY_BYTES];
  bool matches;
  sc_status status = read_texts(&account, server, c);
  if (status == SC_OK)
    status = sc_id_parse(&blinded, known_text(c, "blinded_id"));
  if (status == SC_OK)
    status = sc_blind_matches(&matches, &account, &blinded, server);
  if (status == SC_OK)
    known_same_flag(c, "matches", matches);
  return status;
}

TOPIC(blinding, {"blind15_factor", blind15_factor}, {"ids", ids}, {"blind_id_hex", blind_id_hex},
      {"blind15_sign", blind15_sign}, {"blind25_sign", blind25_sign}, {"blind_verify", blind_verify},
      {"blind_version_keypair", blind_version_keypair}, {"blind_version_sign", blind_version_sign},
      {"blind_version_sign_request", blind_version_sign_request},
      {"session_id_matches_blinded_id", session_id_matches_blinded_id});
