#include <sodium.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "connection.h"

static const int64_t now = 1700000000000;
static const int64_t expiry = 1800000000000;
enum { namespace_number = 2, hash_text_bytes = sodium_base64_ENCODED_LEN(32, 7) };

/* A signed text, made once: what it costs to verify does not depend on it. */
typedef struct signed_text {
  uint8_t key[crypto_sign_PUBLICKEYBYTES];
  uint8_t signature[crypto_sign_BYTES];
  uint8_t text[24];
} signed_text;

static const signed_text *some_signature(void) {
  static signed_text made;
  uint8_t secret[crypto_sign_SECRETKEYBYTES];
  if (made.text[0] != 0)
    return &made;
  if (sodium_init() < 0)
    abort();
  memcpy(made.text, "store2.1700000000000....", sizeof made.text);
  crypto_sign_keypair(made.key, secret);
  crypto_sign_detached(made.signature, NULL, made.text, sizeof made.text, secret);
  return &made;
}

static void verify(void) {
  const signed_text *it = some_signature();
  if (crypto_sign_verify_detached(it->signature, it->text, sizeof it->text, it->key) != 0)
    abort();
}

static void bind_bytes(floor_database *database, sqlite3_stmt *statement, int place, const uint8_t *bytes,
                       size_t len) {
  floor_ok(database, sqlite3_bind_blob(statement, place, bytes, (int)len, SQLITE_STATIC));
}

/* The number of the account's row, 0 when there is none. */
static int64_t find_owner(floor_database *database, const uint8_t *account) {
  sqlite3_stmt *statement = floor_prepared(database, FLOOR_FIND_OWNER);
  bind_bytes(database, statement, 1, account, FLOOR_ACCOUNT_BYTES);
  int64_t id = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
  sqlite3_reset(statement);
  return id;
}

static int64_t owner_of(floor_database *database, const uint8_t *account) {
  int64_t id = find_owner(database, account);
  if (id != 0)
    return id;
  sqlite3_stmt *statement = floor_prepared(database, FLOOR_INSERT_OWNER);
  bind_bytes(database, statement, 1, account, FLOOR_ACCOUNT_BYTES);
  floor_finish(database, statement);
  return sqlite3_last_insert_rowid(database->connection);
}

static void hash_of(char text[static hash_text_bytes], const uint8_t *account, const uint8_t *data) {
  uint8_t hash[32];
  crypto_generichash_state state;
  crypto_generichash_init(&state, NULL, 0, sizeof hash);
  crypto_generichash_update(&state, account, FLOOR_ACCOUNT_BYTES);
  crypto_generichash_update(&state, (const uint8_t *)"2", 1);
  crypto_generichash_update(&state, data, FLOOR_STORED_BYTES);
  crypto_generichash_final(&state, hash, sizeof hash);
  sodium_bin2base64(text, hash_text_bytes, hash, sizeof hash, sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
}

static void store_one(floor_database *database, const uint8_t *account) {
  uint8_t data[FLOOR_STORED_BYTES];
  char hash[hash_text_bytes];
  randombytes_buf(data, sizeof data);
  verify();
  hash_of(hash, account, data);
  int64_t owner = owner_of(database, account);
  sqlite3_stmt *statement = floor_prepared(database, FLOOR_INSERT_STORED);
  floor_bind_text(database, statement, 1, hash);
  floor_bind_number(database, statement, 2, owner);
  floor_bind_number(database, statement, 3, namespace_number);
  floor_bind_number(database, statement, 4, now);
  floor_bind_number(database, statement, 5, expiry);
  bind_bytes(database, statement, 6, data, sizeof data);
  floor_finish(database, statement);
}

void floor_store(floor_database *database, const uint8_t account[static FLOOR_ACCOUNT_BYTES], size_t count,
                 size_t batch) {
  floor_run(database, "PRAGMA synchronous = FULL");
  for (size_t stored = 0; stored < count; stored += batch) {
    floor_do(database, FLOOR_BEGIN_IMMEDIATE);
    for (size_t i = stored; i < count && i < stored + batch; i++)
      store_one(database, account);
    floor_do(database, FLOOR_COMMIT);
  }
}

static void retrieve_one(floor_database *database, const uint8_t *account) {
  sqlite3_stmt *start = floor_prepared(database, FLOOR_FIND_START);
  floor_bind_text(database, start, 1, "");
  bind_bytes(database, start, 2, account, FLOOR_ACCOUNT_BYTES);
  floor_bind_number(database, start, 3, namespace_number);
  floor_finish(database, start);
  sqlite3_stmt *statement = floor_prepared(database, FLOOR_RETRIEVE);
  bind_bytes(database, statement, 1, account, FLOOR_ACCOUNT_BYTES);
  floor_bind_number(database, statement, 2, namespace_number);
  floor_bind_number(database, statement, 3, 0);
  floor_bind_number(database, statement, 4, now);
  /* The second row says that there is more. */
  for (int rows = 0; rows < 2 && sqlite3_step(statement) == SQLITE_ROW; rows++)
    memcpy(database->texts, sqlite3_column_blob(statement, 3), (size_t)sqlite3_column_bytes(statement, 3));
  sqlite3_reset(statement);
}

void floor_retrieve(floor_database *database, const uint8_t account[static FLOOR_ACCOUNT_BYTES],
                    size_t count) {
  for (size_t i = 0; i < count; i++) {
    verify();
    floor_do(database, FLOOR_BEGIN);
    retrieve_one(database, account);
    floor_do(database, FLOOR_COMMIT);
  }
}

/* ---- onions ---- */

enum { tag_bytes = crypto_aead_xchacha20poly1305_ietf_ABYTES };

typedef struct sealed_layer {
  uint8_t client[crypto_scalarmult_BYTES], node[crypto_scalarmult_BYTES],
      secret[crypto_scalarmult_SCALARBYTES];
  uint8_t nonce[crypto_aead_xchacha20poly1305_ietf_NPUBBYTES];
  uint8_t sealed[FLOOR_SEALED_BYTES + tag_bytes];
  bool made;
} sealed_layer;

static void key_of(uint8_t key[static 32], const uint8_t *secret, const uint8_t *other,
                   const sealed_layer *layer) {
  uint8_t shared[crypto_scalarmult_BYTES];
  crypto_generichash_state state;
  if (crypto_scalarmult(shared, secret, other) != 0)
    abort();
  crypto_generichash_init(&state, NULL, 0, 32);
  crypto_generichash_update(&state, shared, sizeof shared);
  crypto_generichash_update(&state, layer->client, sizeof layer->client);
  crypto_generichash_update(&state, layer->node, sizeof layer->node);
  crypto_generichash_final(&state, key, 32);
}

static const sealed_layer *some_layer(void) {
  static sealed_layer layer;
  uint8_t client[crypto_scalarmult_SCALARBYTES], key[32], plain[FLOOR_SEALED_BYTES] = {0};
  if (layer.made)
    return &layer;
  if (sodium_init() < 0)
    abort();
  randombytes_buf(client, sizeof client);
  randombytes_buf(layer.secret, sizeof layer.secret);
  crypto_scalarmult_base(layer.client, client);
  crypto_scalarmult_base(layer.node, layer.secret);
  key_of(key, client, layer.node, &layer);
  crypto_aead_xchacha20poly1305_ietf_encrypt(layer.sealed, NULL, plain, sizeof plain, NULL, 0, NULL,
                                             layer.nonce, key);
  layer.made = true;
  return &layer;
}

void floor_peel(size_t count) {
  const sealed_layer *layer = some_layer();
  uint8_t key[32], plain[FLOOR_SEALED_BYTES];
  for (size_t i = 0; i < count; i++) {
    key_of(key, layer->secret, layer->client, layer);
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(plain, NULL, NULL, layer->sealed, sizeof layer->sealed,
                                                   NULL, 0, layer->nonce, key) != 0)
      abort();
  }
}
