/* The first byte chooses: a name, a nonce and a record as a node may answer; or a name and what is inside its
 * record. */
#include "crypto/cipher.h"
#include "crypto/name.h"
#include "sealed.h"

/* A normalized name normalizes to itself. */
static void check_name(sc_bytes text) {
  char name[SC_NAME_MAX_BYTES + 1], again[SC_NAME_MAX_BYTES + 1];
  size_t len, again_len;
  sc_status status = sc_name_normalize(name, &len, text);
  if (status != SC_OK) {
    REQUIRE(status == SC_ERR_NAME_LENGTH || status == SC_ERR_NAME_CHARACTERS);
    return;
  }
  REQUIRE(len == text.len && len == strlen(name));
  REQUIRE(sc_name_normalize(again, &again_len, sc_bytes_make(name, len)) == SC_OK);
  REQUIRE(again_len == len && strcmp(name, again) == 0);
}

static sc_status open_record(sc_id *out, sc_bytes name, sc_bytes encrypted, sc_bytes nonce) {
  uint8_t record[SC_ID_BYTES];
  sc_status decrypted = sc_name_decrypt(record, fuzz_env(), name, encrypted, nonce);
  sc_status opened = sc_name_open(out, fuzz_env(), name, encrypted, nonce);
  if (decrypted == SC_OK && record[0] == SC_ID_STANDARD)
    REQUIRE(opened == SC_OK && memcmp(out->bytes, record, sizeof record) == 0);
  else
    REQUIRE(opened == (decrypted == SC_OK ? SC_ERR_NAME_RECORD : decrypted));
  return opened;
}

static void check_genuine(sc_bytes name, sc_bytes record) {
  static const uint8_t nonce[SC_XCHACHA_NONCE_BYTES];
  uint8_t hash[32], key[32];
  sc_name_hash(hash, name);
  REQUIRE(sc_blake2b(key, sizeof key, SC_BYTES(hash), name) == SC_OK);
  sc_buffer encrypted;
  sc_buffer_init(&encrypted, fuzz_env());
  REQUIRE(sc_xchacha20_poly1305_seal(&encrypted, SC_BYTES(key), SC_BYTES(nonce), sc_bytes_make(NULL, 0),
                                     record) == SC_OK);
  sc_id id;
  sc_status status = open_record(&id, name, sc_buffer_bytes(&encrypted), SC_BYTES(nonce));
  bool is_id = record.len == SC_ID_BYTES && record.ptr[0] == SC_ID_STANDARD;
  REQUIRE(status == (is_id ? SC_OK : SC_ERR_NAME_RECORD));
  REQUIRE(!is_id || memcmp(id.bytes, record.ptr, record.len) == 0);
  encrypted.ptr[0] ^= 1;
  REQUIRE(open_record(&id, name, sc_buffer_bytes(&encrypted), SC_BYTES(nonce)) == SC_ERR_DECRYPT);
  sc_buffer_free(&encrypted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_bytes input = sc_bytes_make(data, size);
  uint8_t choice = fuzz_take_byte(&input);
  sc_bytes name = fuzz_take(&input, fuzz_take_byte(&input));
  check_name(name);
  if (choice % 2 == 0) {
    sc_bytes nonce = fuzz_take(&input, choice % 4 == 0 ? SC_XCHACHA_NONCE_BYTES : choice);
    sc_id id;
    (void)open_record(&id, name, input, nonce);
  } else {
    check_genuine(name, input);
  }
  return 0;
}
