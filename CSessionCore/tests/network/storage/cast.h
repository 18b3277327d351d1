/* The account, group, nodes and messages of the known answers. */
#ifndef SC_TESTS_NETWORK_STORAGE_CAST_H
#define SC_TESTS_NETWORK_STORAGE_CAST_H

#include "session-core/session-core.h"

/* "hello world" in namespaces 0, 2 and -11 of the account. */
#define CAST_HASH_0 "9QAogeWwJY/CE19iFAh5hr2vRcMyC92b8njFtInsmxg"
#define CAST_HASH_2 "7tpR5KJ7lXhN0sFsR3DIC2gPIMEltlM+OmfxQYMXUF0"
#define CAST_HASH_11 "1ycTdHRWmRuZL+tkVQJXKpSPmPtdjXwuAbxgKZJxrQQ"
#define CAST_ACCOUNT "054701d08488451f545a409fb58ae3e58581ca40ac3f7f114698cd71deac73ca01"
#define CAST_ED25519 "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"
#define CAST_SIGNATURE                                                                                       \
  "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="

static const uint64_t cast_now = 1700000000000;
static const uint64_t cast_day = (uint64_t)24 * 60 * 60 * 1000;

/* Of 00 01 … 1f. */
static inline sc_keypair cast_account(void) {
  sc_keypair keys;
  uint8_t seed[32];
  for (uint8_t i = 0; i < sizeof seed; i++)
    seed[i] = i;
  sc_keypair_from_seed(&keys, seed);
  return keys;
}

/* Of 32 times one byte: 0x11 is the group, 0x22 its member, 0x33 a node. */
static inline sc_keypair cast_keys(uint8_t byte) {
  sc_keypair keys;
  uint8_t seed[32];
  memset(seed, byte, sizeof seed);
  sc_keypair_from_seed(&keys, seed);
  return keys;
}

static inline sc_storage_request cast_request(sc_storage_method method) {
  sc_storage_request request = {.method = method};
  sc_keypair keys = cast_account();
  request.account[0] = 0x05;
  memcpy(request.account + 1, keys.x.public_key, SC_KEY_BYTES);
  return request;
}

static inline sc_storage_request cast_group_request(sc_storage_method method) {
  sc_storage_request request = {.method = method};
  sc_keypair keys = cast_keys(0x11);
  request.account[0] = 0x03;
  memcpy(request.account + 1, keys.ed.public_key, SC_KEY_BYTES);
  return request;
}

static inline sc_status cast_sign(sc_storage_request *request, const sc_env *env) {
  sc_keypair keys = cast_account();
  sc_storage_signer signer = sc_storage_account_signer(&keys.ed);
  return sc_storage_request_sign(request, env, &signer);
}

/* The two messages of the account, and requests for them. */
static const sc_bytes cast_hashes[2] = {{(const uint8_t *)CAST_HASH_0, SC_STORAGE_HASH_CHARS},
                                        {(const uint8_t *)CAST_HASH_2, SC_STORAGE_HASH_CHARS}};
static const uint64_t cast_expiries[2] = {1700000600000, 1700000700000};
static const uint8_t cast_tokens[2][SC_STORAGE_TOKEN_BYTES] = {{3, 3, 0, 0, 1}, {3, 1, 0, 0, 2}};

/* A complete request of each method, unsigned. */
static inline sc_storage_request cast_any(sc_storage_method method) {
  sc_storage_request r = cast_request(method);
  sc_storage_hashes hashes = {cast_hashes, 2};
  switch (method) {
  case SC_STORAGE_STORE:
    r.of.store =
        (sc_storage_store){2, cast_now, cast_now + cast_day, cast_now + 1, sc_bytes_text("hello world")};
    break;
  case SC_STORAGE_RETRIEVE:
    r.of.retrieve = (sc_storage_retrieve){2, cast_hashes[0], 10, -3, cast_now};
    break;
  case SC_STORAGE_DELETE:
    r.of.deletion = (sc_storage_deletion){hashes, true};
    break;
  case SC_STORAGE_DELETE_ALL:
  case SC_STORAGE_DELETE_BEFORE:
  case SC_STORAGE_EXPIRE_ALL:
    r.of.sweep = (sc_storage_sweep){{.number = -11}, cast_now};
    break;
  case SC_STORAGE_EXPIRE:
    r.of.expire = (sc_storage_expire){hashes, cast_expiries, 2, SC_STORAGE_EXPIRE_EXTEND};
    break;
  case SC_STORAGE_GET_EXPIRIES:
    r.of.expiries = (sc_storage_expiries){hashes, cast_now};
    break;
  case SC_STORAGE_REVOKE:
  case SC_STORAGE_UNREVOKE:
    r.of.tokens = (sc_storage_tokens){cast_tokens, 2, cast_now};
    break;
  case SC_STORAGE_REVOKED:
    r.of.tokens = (sc_storage_tokens){NULL, 0, cast_now};
    break;
  case SC_STORAGE_SERVICE_NODES:
    r = (sc_storage_request){.method = method};
    r.of.service_nodes = (sc_storage_service_nodes_request){true, 5, sc_bytes_text("ab12"), 0};
    break;
  case SC_STORAGE_NAME:
    r = (sc_storage_request){.method = method};
    memset(r.of.name.name_hash, 7, sizeof r.of.name.name_hash);
    break;
  case SC_STORAGE_INFO:
  case SC_STORAGE_ACTIVE_NODES:
    r = (sc_storage_request){.method = method};
    break;
  default:
    break;
  }
  return r;
}

#endif
