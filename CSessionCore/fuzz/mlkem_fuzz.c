/* Keys and ciphertexts of ML-KEM that were changed: the first byte chooses which, and the rest of the input
 * says how. */
#include "sealed.h"

static uint8_t public_key[SC_MLKEM768_PUBLIC_BYTES];
static uint8_t secret[SC_MLKEM768_SECRET_BYTES];
static uint8_t ciphertext[SC_MLKEM768_CIPHERTEXT_BYTES];
static uint8_t shared[SC_MLKEM768_SHARED_BYTES];

static bool all_zero(const uint8_t *bytes, size_t len) {
  uint8_t sum = 0;
  for (size_t i = 0; i < len; i++)
    sum |= bytes[i];
  return sum == 0;
}

/* Returns the status that a public key must have, checked bit by bit. */
static sc_status expected_of_public(sc_bytes key) {
  if (key.len != SC_MLKEM768_PUBLIC_BYTES)
    return SC_ERR_KEY_SIZE;
  for (size_t coefficient = 0; coefficient < 768; coefficient++) {
    unsigned value = 0;
    for (size_t bit = 0; bit < 12; bit++) {
      size_t at = 12 * coefficient + bit;
      value |= (unsigned)(key.ptr[at / 8] >> at % 8 & 1) << bit;
    }
    if (value >= 3329)
      return SC_ERR_KEY_INVALID;
  }
  return SC_OK;
}

static void check_public(sc_buffer *key, sc_bytes script) {
  REQUIRE(sc_buffer_append(key, SC_BYTES(public_key)) == SC_OK);
  bool changed = fuzz_change(key, script);
  uint8_t made[SC_MLKEM768_CIPHERTEXT_BYTES], mine[32], theirs[32];
  sc_status expected = expected_of_public(sc_buffer_bytes(key));
  REQUIRE(sc_mlkem768_check_public(sc_buffer_bytes(key)) == expected);
  REQUIRE(sc_mlkem768_encapsulate(made, mine, fuzz_env(), sc_buffer_bytes(key)) == expected);
  if (expected != SC_OK) {
    REQUIRE(all_zero(made, sizeof made) && all_zero(mine, sizeof mine));
    return;
  }
  REQUIRE(sc_mlkem768_decapsulate(theirs, SC_BYTES(secret), SC_BYTES(made)) == SC_OK);
  REQUIRE(sc_equal(mine, theirs, sizeof mine) == !changed);
}

static void check_ciphertext(sc_buffer *sent, sc_bytes script) {
  REQUIRE(sc_buffer_append(sent, SC_BYTES(ciphertext)) == SC_OK);
  bool changed = fuzz_change(sent, script);
  uint8_t received[32];
  sc_status status = sc_mlkem768_decapsulate(received, SC_BYTES(secret), sc_buffer_bytes(sent));
  REQUIRE(status == (sent->len == sizeof ciphertext ? SC_OK : SC_ERR_DECRYPT));
  REQUIRE(status == SC_OK || all_zero(received, sizeof received));
  REQUIRE(sc_equal(received, shared, sizeof shared) == !changed);
}

/* The hash guards the public half and itself, not the secret half. */
static void check_secret(sc_buffer *key, sc_bytes script) {
  REQUIRE(sc_buffer_append(key, SC_BYTES(secret)) == SC_OK);
  (void)fuzz_change(key, script);
  uint8_t received[32];
  sc_status status = sc_mlkem768_check_secret(sc_buffer_bytes(key));
  bool whole = key->len == sizeof secret;
  bool guarded = whole && memcmp(key->ptr + 1152, secret + 1152, 1184 + 32) == 0;
  REQUIRE(status == (guarded ? SC_OK : whole ? SC_ERR_KEY_MISMATCH : SC_ERR_KEY_SIZE));
  status = sc_mlkem768_decapsulate(received, sc_buffer_bytes(key), SC_BYTES(ciphertext));
  REQUIRE(status == (whole ? SC_OK : SC_ERR_KEY_SIZE));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static bool ready;
  if (!ready) {
    uint8_t seed[SC_MLKEM768_SEED_BYTES] = {1};
    sc_mlkem768_from_seed(public_key, secret, seed);
    REQUIRE(sc_mlkem768_encapsulate(ciphertext, shared, fuzz_env(), SC_BYTES(public_key)) == SC_OK);
    ready = true;
  }
  sc_bytes input = sc_bytes_make(data, size);
  sc_buffer changed;
  sc_buffer_init(&changed, fuzz_env());
  switch (fuzz_take_byte(&input) % 3) {
  case 0:
    check_public(&changed, input);
    break;
  case 1:
    check_ciphertext(&changed, input);
    break;
  default:
    check_secret(&changed, input);
  }
  sc_buffer_free(&changed);
  return 0;
}
