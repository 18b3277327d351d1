#include "algorithms.h"
#include "crypto/cipher.h"
#include "crypto/hash.h"

/* More than this is refused before a byte is written. */
enum { most_hkdf_bytes = 255 * 32 };

static sc_status x25519(known_case *c, const sc_json *group) {
  (void)group;
  uint8_t shared[32];
  sc_status status = sc_x25519(shared, known_key(c, "private"), known_key(c, "public"));
  if (status == SC_OK)
    known_same(c, "shared", SC_BYTES(shared));
  return status;
}

static sc_status ed25519(known_case *c, const sc_json *group) {
  const sc_json *key = NULL;
  if (sc_json_member(&key, group, "publicKey") != SC_OK || sc_json_member(&key, key, "pk") != SC_OK)
    known_differs(c, "the group has no public key");
  return sc_ed25519_verify(known_hex_of(c, key), known_hex(c, "msg"), known_hex(c, "sig"));
}

typedef sc_status (*aead)(sc_buffer *out, sc_bytes key, sc_bytes nonce, sc_bytes associated, sc_bytes input);

static sc_bytes joined(known_case *c, sc_bytes first, sc_bytes second) {
  sc_buffer *both = known_buffer(c);
  if (sc_buffer_append(both, first) != SC_OK || sc_buffer_append(both, second) != SC_OK)
    known_differs(c, "ran out of memory");
  return sc_buffer_bytes(both);
}

static void compare(known_case *c, const char *field, sc_bytes expected, const sc_buffer *actual) {
  if (c->accepts && !sc_bytes_same(expected, sc_buffer_bytes(actual)))
    known_differs(c, "%s is not as recorded", field);
}

/* Seals and opens. Input that cannot be sealed must not open either. */
static sc_status both_ways(known_case *c, aead seal, aead open) {
  sc_bytes key = known_hex(c, "key"), nonce = known_hex(c, "iv");
  sc_bytes associated = known_hex(c, "aad"), message = known_hex(c, "msg");
  sc_bytes recorded = joined(c, known_hex(c, "ct"), known_hex(c, "tag"));
  sc_buffer *sealed = known_buffer(c), *opened = known_buffer(c);
  sc_status sealing = seal(sealed, key, nonce, associated, message);
  sc_status opening = open(opened, key, nonce, associated, recorded);
  if (sealing == SC_OK)
    compare(c, "what was sealed", recorded, sealed);
  if (opening == SC_OK)
    compare(c, "what was opened", message, opened);
  if (opening == SC_OK && sealing != SC_OK)
    known_differs(c, "it opens, but sealing it ended with %s", sc_status_name(sealing));
  if (opening != SC_OK && opened->len > 0)
    known_differs(c, "it does not open, but there is output");
  return opening;
}

static sc_status xchacha20_poly1305(known_case *c, const sc_json *group) {
  (void)group;
  return both_ways(c, sc_xchacha20_poly1305_seal, sc_xchacha20_poly1305_open);
}

static sc_status aes_gcm(known_case *c, const sc_json *group) {
  (void)group;
  return both_ways(c, sc_aes_gcm_seal, sc_aes_gcm_open);
}

static sc_status aes_cbc(known_case *c, const sc_json *group) {
  (void)group;
  sc_bytes key = known_hex(c, "key"), iv = known_hex(c, "iv"), message = known_hex(c, "msg");
  sc_buffer *encrypted = known_buffer(c), *decrypted = known_buffer(c);
  sc_status encrypting = sc_aes_cbc_encrypt(encrypted, key, iv, message);
  sc_status decrypting = sc_aes_cbc_decrypt(decrypted, key, iv, known_hex(c, "ct"));
  if (encrypting == SC_OK)
    known_same(c, "ct", sc_buffer_bytes(encrypted));
  if (decrypting == SC_OK)
    known_same(c, "msg", sc_buffer_bytes(decrypted));
  return encrypting != SC_OK ? encrypting : decrypting;
}

static sc_status hkdf_sha256(known_case *c, const sc_json *group) {
  (void)group;
  uint8_t output[most_hkdf_bytes];
  size_t size = (size_t)known_unsigned(c, "size");
  sc_status status =
      sc_hkdf_sha256(output, size, known_hex(c, "ikm"), known_hex(c, "salt"), known_hex(c, "info"));
  if (status == SC_OK)
    known_same(c, "okm", sc_bytes_make(output, size));
  return status;
}

/* A tag may be a prefix of the code; the test compares that prefix. */
static sc_status compare_tag(known_case *c, const uint8_t *code, size_t code_len) {
  sc_bytes tag = known_hex(c, "tag");
  if (tag.len == 0 || tag.len > code_len)
    return SC_ERR_SIGNATURE_SIZE;
  return sc_equal(code, tag.ptr, tag.len) ? SC_OK : SC_ERR_SIGNATURE;
}

static sc_status hmac_sha256(known_case *c, const sc_json *group) {
  (void)group;
  uint8_t code[32];
  sc_hmac_sha256(code, known_hex(c, "key"), known_hex(c, "msg"));
  return compare_tag(c, code, sizeof code);
}

static sc_status hmac_sha512(known_case *c, const sc_json *group) {
  (void)group;
  uint8_t code[64];
  sc_hmac_sha512(code, known_hex(c, "key"), known_hex(c, "msg"));
  return compare_tag(c, code, sizeof code);
}

static sc_status mlkem_keys(known_case *c, const sc_json *group) {
  (void)group;
  uint8_t key[SC_MLKEM768_PUBLIC_BYTES], secret[SC_MLKEM768_SECRET_BYTES];
  sc_mlkem768_from_seed(key, secret, known_array(c, "seed", SC_MLKEM768_SEED_BYTES));
  known_same(c, "ek", SC_BYTES(key));
  known_same(c, "dk", SC_BYTES(secret));
  return SC_OK;
}

static sc_status mlkem_encapsulate(known_case *c, const sc_json *group) {
  (void)group;
  uint8_t ciphertext[SC_MLKEM768_CIPHERTEXT_BYTES], shared[SC_MLKEM768_SHARED_BYTES];
  sc_status status =
      sc_mlkem768_encapsulate_with(ciphertext, shared, known_hex(c, "ek"), known_array(c, "m", 32));
  if (status == SC_OK) {
    known_same(c, "c", SC_BYTES(ciphertext));
    known_same(c, "K", SC_BYTES(shared));
  }
  return status;
}

static sc_status compare_shared(known_case *c, sc_bytes secret) {
  uint8_t shared[SC_MLKEM768_SHARED_BYTES];
  sc_status status = sc_mlkem768_decapsulate(shared, secret, known_hex(c, "c"));
  if (status == SC_OK)
    known_same(c, "K", SC_BYTES(shared));
  return status;
}

static sc_status mlkem_from_seed(known_case *c, const sc_json *group) {
  (void)group;
  uint8_t key[SC_MLKEM768_PUBLIC_BYTES], secret[SC_MLKEM768_SECRET_BYTES];
  sc_mlkem768_from_seed(key, secret, known_array(c, "seed", SC_MLKEM768_SEED_BYTES));
  if (known_has(c, "ek"))
    known_same(c, "ek", SC_BYTES(key));
  return compare_shared(c, SC_BYTES(secret));
}

/* The decapsulation key is one from outside, and checked first. */
static sc_status mlkem_decapsulate(known_case *c, const sc_json *group) {
  (void)group;
  sc_bytes secret = known_hex(c, "dk");
  sc_status status = sc_mlkem768_check_secret(secret);
  return status != SC_OK ? status : compare_shared(c, secret);
}

static const wycheproof_algorithm algorithms[] = {
    {"XDH", "XdhComp", x25519},
    {"EDDSA", "EddsaVerify", ed25519},
    {"XCHACHA20-POLY1305", "AeadTest", xchacha20_poly1305},
    {"AES-GCM", "AeadTest", aes_gcm},
    {"AES-CBC-PKCS5", "IndCpaTest", aes_cbc},
    {"HKDF-SHA-256", "HkdfTest", hkdf_sha256},
    {"HMACSHA256", "MacTest", hmac_sha256},
    {"HMACSHA512", "MacTest", hmac_sha512},
    {"ML-KEM", "MLKEMKeyGen", mlkem_keys},
    {"ML-KEM", "MLKEMEncapsTest", mlkem_encapsulate},
    {"ML-KEM", "MLKEMTest", mlkem_from_seed},
    {"ML-KEM", "MLKEMDecapsValidationTest", mlkem_decapsulate},
};

const wycheproof_algorithm *wycheproof_find(sc_bytes name, sc_bytes type) {
  for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++)
    if (sc_bytes_same(sc_bytes_text(algorithms[i].name), name) &&
        sc_bytes_same(sc_bytes_text(algorithms[i].type), type))
      return &algorithms[i];
  return NULL;
}
