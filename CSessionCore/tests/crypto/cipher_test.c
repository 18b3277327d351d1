#include "crypto/cipher.h"
#include "session-core/crypto/box.h"
#include "support/known_bytes.h"
#include "support/test_env.h"

static const char fox[] = "The quick brown fox jumps over the lazy dog";

/* 0, 1, 2, … and 0xa0, 0xa1, … */
static const uint8_t counting[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                     16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                     32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                     48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
static const uint8_t known_iv[16] = {0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7,
                                     0xa8, 0xa9, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf};

typedef sc_status (*aead)(sc_buffer *out, sc_bytes key, sc_bytes nonce, sc_bytes associated, sc_bytes input);

typedef struct aead_pair {
  aead seal;
  aead open;
  size_t nonce_len;
} aead_pair;

static const aead_pair aeads[] = {
    {sc_xchacha20_poly1305_seal, sc_xchacha20_poly1305_open, SC_XCHACHA_NONCE_BYTES},
    {sc_aes_gcm_seal, sc_aes_gcm_open, SC_AES_GCM_IV_BYTES},
};
enum { aead_count = sizeof aeads / sizeof aeads[0] };

static const sc_bytes none = {NULL, 0};

static sc_bytes first(size_t len) {
  return sc_bytes_make(counting, len);
}

/* draft-irtf-cfrg-xchacha-03, section A.3.1. */
static void xchacha20_poly1305_gives_the_known_ciphertext(sc_test *t) {
  sc_buffer out = {.env = t->env};
  KNOWN(key, "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f");
  KNOWN(nonce, "404142434445464748494a4b4c4d4e4f5051525354555657");
  KNOWN(associated, "50515253c0c1c2c3c4c5c6c7");
  const sc_bytes text =
      sc_bytes_text("Ladies and Gentlemen of the class of '99: If I could offer you only one "
                    "tip for the future, sunscreen would be it.");
  KNOWN(sealed,
        "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39"
        "ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9"
        "21f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49");
  OK(sc_xchacha20_poly1305_seal(&out, SC_BYTES(key), SC_BYTES(nonce), SC_BYTES(associated), text));
  SAME(SC_BYTES(sealed), sc_buffer_bytes(&out));
  OK(sc_xchacha20_poly1305_open(&out, SC_BYTES(key), SC_BYTES(nonce), SC_BYTES(associated),
                                SC_BYTES(sealed)));
  SAME(text, sc_buffer_bytes(&out));
done:
  sc_buffer_free(&out);
}

/* Computed with OpenSSL: each key size, with an IV of 12 bytes and one of another length. */
static void aes_gcm_gives_the_known_ciphertexts(sc_test *t) {
  static const struct {
    size_t key_len;
    size_t iv_len;
    const char *sealed;
  } known[] = {
      {16, 12,
       "feee5d9b0ffc5a69e158d7722965de4035815b28e96250df56301eed27ffafdc"
       "f2c6655d6e90954d1bb1851d8370298e1c9c5732d654dfc0ae66ab"},
      {24, 12,
       "6f0adb42882671109515ddb380aa9a59f2785332f74723a9e1ac459d13c0984f"
       "e33be4c0b91c24b46517b201b1a6696854f8da0c4b08a53c07780b"},
      {32, 12,
       "b270190d34be6bdc0945e5a1680daefe16c32130f8c22f1cef2e49f01ad95575"
       "ba136793ce582a1d3bf36366658f0f7f019fa74b6f709c17a86f0c"},
      {16, 16,
       "6a31336dc670bf36784457a76a260e34b70d3816b4d8d2593f3056ade661a92e"
       "d3f67b2a4324e54cdb476261d9adb39f81a53639288224784a1286"},
      {24, 16,
       "16eb5624e00915fdf48c834d22f73890d302a00ca1f4508c843adece34fd5fef"
       "efc094f9f536213de15d76081772ff15f98f6625ddfaef6a7fb7b4"},
      {32, 16,
       "7ecb469c69b8a415a8be7dc38263e3b0e42a3b5914413cdc8e3205c07c4706f3"
       "64f4c60ff4a9c69d8a6657a555de9e8a11be3792023eafa9dc3eb1"},
  };
  const sc_bytes header = sc_bytes_text("header");
  sc_buffer out = {.env = t->env};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    uint8_t sealed[sizeof fox - 1 + SC_AEAD_TAG_BYTES];
    const sc_bytes iv = sc_bytes_make(known_iv, known[i].iv_len);
    sc_test_hex_into(sealed, sizeof sealed, known[i].sealed);
    OK(sc_aes_gcm_seal(&out, first(known[i].key_len), iv, header, sc_bytes_text(fox)));
    SAME(SC_BYTES(sealed), sc_buffer_bytes(&out));
    OK(sc_aes_gcm_open(&out, first(known[i].key_len), iv, header, SC_BYTES(sealed)));
    SAME(sc_bytes_text(fox), sc_buffer_bytes(&out));
  }
done:
  sc_buffer_free(&out);
}

/* Computed with OpenSSL. */
static void aes_cbc_gives_the_known_ciphertexts(sc_test *t) {
  static const struct {
    size_t key_len;
    const char *ciphertext;
  } known[] = {
      {16,
       "66c79eeb9465863ede43c216978135de45de5a6a4c003c3a2acf0dc47b07b0da59766c539cdf0ae0ff6c02eddeb1b61a"},
      {24,
       "2c7e989df3c67fdb9a87927ed5aca4ef1c6185fd243a2cb2cef94eacb55594a7b56af73b8224c58c83a4d4d0740f102e"},
      {32,
       "64bac78bf92341822f9cb229d5199006d90c3bab4f7eaa663a51e8c75086e82cabdf122926fa3b24d4f3c9bafa5236b6"},
  };
  sc_buffer out = {.env = t->env};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    uint8_t ciphertext[48];
    sc_test_hex_into(ciphertext, sizeof ciphertext, known[i].ciphertext);
    OK(sc_aes_cbc_encrypt(&out, first(known[i].key_len), SC_BYTES(known_iv), sc_bytes_text(fox)));
    SAME(SC_BYTES(ciphertext), sc_buffer_bytes(&out));
    OK(sc_aes_cbc_decrypt(&out, first(known[i].key_len), SC_BYTES(known_iv), SC_BYTES(ciphertext)));
    SAME(sc_bytes_text(fox), sc_buffer_bytes(&out));
  }
done:
  sc_buffer_free(&out);
}

static void a_sealed_message_opens(sc_test *t) {
  sc_buffer sealed = {.env = t->env};
  sc_buffer opened = {.env = t->env};
  for (size_t i = 0; i < aead_count; i++)
    for (size_t len = 0; len <= sizeof counting; len++) {
      const sc_bytes nonce = first(aeads[i].nonce_len);
      OK(aeads[i].seal(&sealed, first(32), nonce, first(len % 20), first(len)));
      CHECK(sealed.len == len + SC_AEAD_TAG_BYTES);
      OK(aeads[i].open(&opened, first(32), nonce, first(len % 20), sc_buffer_bytes(&sealed)));
      SAME(first(len), sc_buffer_bytes(&opened));
    }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void changing_any_sealed_bit_is_detected(sc_test *t) {
  sc_buffer sealed = {.env = t->env};
  sc_buffer opened = {.env = t->env};
  for (size_t i = 0; i < aead_count; i++) {
    const sc_bytes nonce = first(aeads[i].nonce_len);
    OK(aeads[i].seal(&sealed, first(32), nonce, none, first(20)));
    for (size_t bit = 0; bit < 8 * sealed.len; bit++) {
      sealed.ptr[bit / 8] ^= (uint8_t)(1 << bit % 8);
      FAILS(SC_ERR_DECRYPT, aeads[i].open(&opened, first(32), nonce, none, sc_buffer_bytes(&sealed)));
      CHECK(opened.len == 0);
      sealed.ptr[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t len = 0; len < sealed.len; len++) {
      FAILS(SC_ERR_DECRYPT, aeads[i].open(&opened, first(32), nonce, none, sc_bytes_make(sealed.ptr, len)));
      CHECK(opened.len == 0);
    }
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void key_nonce_and_additional_data_must_match(sc_test *t) {
  static const uint8_t other[32] = {9};
  sc_buffer sealed = {.env = t->env};
  sc_buffer opened = {.env = t->env};
  for (size_t i = 0; i < aead_count; i++) {
    const size_t nonce_len = aeads[i].nonce_len;
    OK(aeads[i].seal(&sealed, first(32), first(nonce_len), first(5), first(20)));
    const sc_bytes input = sc_buffer_bytes(&sealed);
    FAILS(SC_ERR_DECRYPT, aeads[i].open(&opened, SC_BYTES(other), first(nonce_len), first(5), input));
    FAILS(SC_ERR_DECRYPT,
          aeads[i].open(&opened, first(32), sc_bytes_make(other, nonce_len), first(5), input));
    FAILS(SC_ERR_DECRYPT, aeads[i].open(&opened, first(32), first(nonce_len), first(4), input));
    FAILS(SC_ERR_DECRYPT, aeads[i].open(&opened, first(32), first(nonce_len), none, input));
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static bool is_aes_key(size_t len) {
  return len == 16 || len == 24 || len == 32;
}

static void an_impossible_length_is_refused(sc_test *t) {
  const sc_bytes endless = sc_bytes_make("x", SIZE_MAX - 8);
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  CHECK(sc_xchacha20_poly1305_seal(&out, first(32), first(24), none, endless) == SC_ERR_NO_MEMORY);
  CHECK(sc_box_seal(&out, t->env, first(32), endless) == SC_ERR_NO_MEMORY);
  CHECK(sc_aes_cbc_encrypt(&out, first(32), first(16), endless) == SC_ERR_NO_MEMORY);
  CHECK(out.len == 0);
done:
  sc_buffer_free(&out);
}

/* The counter has 32 bits and begins at 2. */
static void aes_gcm_stops_before_its_counter_wraps(sc_test *t) {
  const size_t beyond = (((size_t)1 << 32) - 2) * 16 + 1;
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  FAILS(SC_ERR_TOO_LARGE, sc_aes_gcm_seal(&out, first(32), first(12), none, sc_bytes_make("x", beyond)));
  FAILS(SC_ERR_TOO_LARGE,
        sc_aes_gcm_open(&out, first(32), first(12), none, sc_bytes_make("x", beyond + SC_AEAD_TAG_BYTES)));
done:
  sc_buffer_free(&out);
}

static void keys_have_the_size_of_their_cipher(sc_test *t) {
  sc_buffer out = {.env = t->env};
  const sc_bytes input = first(48);
  OK(sc_buffer_append_byte(&out, 1));
  for (size_t len = 0; len <= 40; len++) {
    if (len != 32) {
      FAILS(SC_ERR_KEY_SIZE, sc_xchacha20_poly1305_seal(&out, first(len), first(24), none, input));
      FAILS(SC_ERR_KEY_SIZE, sc_xchacha20_poly1305_open(&out, first(len), first(24), none, input));
      FAILS(SC_ERR_KEY_SIZE, sc_box_seal(&out, t->env, first(len), input));
      FAILS(SC_ERR_KEY_SIZE, sc_box_open(&out, first(len), input));
    }
    if (!is_aes_key(len)) {
      FAILS(SC_ERR_KEY_SIZE, sc_aes_gcm_seal(&out, first(len), first(12), none, input));
      FAILS(SC_ERR_KEY_SIZE, sc_aes_gcm_open(&out, first(len), first(12), none, input));
      FAILS(SC_ERR_KEY_SIZE, sc_aes_cbc_encrypt(&out, first(len), first(16), input));
      FAILS(SC_ERR_KEY_SIZE, sc_aes_cbc_decrypt(&out, first(len), first(16), input));
    }
    CHECK(out.len == 0);
  }
done:
  sc_buffer_free(&out);
}

static void nonces_have_the_size_of_their_cipher(sc_test *t) {
  sc_buffer out = {.env = t->env};
  const sc_bytes input = first(48);
  OK(sc_buffer_append_byte(&out, 1));
  for (size_t len = 0; len <= 40; len++) {
    if (len != 24) {
      FAILS(SC_ERR_NONCE_SIZE, sc_xchacha20_poly1305_seal(&out, first(32), first(len), none, input));
      FAILS(SC_ERR_NONCE_SIZE, sc_xchacha20_poly1305_open(&out, first(32), first(len), none, input));
    }
    if (len != 16) {
      FAILS(SC_ERR_NONCE_SIZE, sc_aes_cbc_encrypt(&out, first(32), first(len), input));
      FAILS(SC_ERR_NONCE_SIZE, sc_aes_cbc_decrypt(&out, first(32), first(len), input));
    }
    CHECK(out.len == 0);
  }
  FAILS(SC_ERR_NONCE_SIZE, sc_aes_gcm_seal(&out, first(32), none, none, input));
  FAILS(SC_ERR_NONCE_SIZE, sc_aes_gcm_open(&out, first(32), none, none, input));
  for (size_t len = 1; len <= sizeof counting; len++)
    OK(sc_aes_gcm_seal(&out, first(32), first(len), none, input));
done:
  sc_buffer_free(&out);
}

static void cbc_decrypts_what_it_encrypted(sc_test *t) {
  sc_buffer ciphertext = {.env = t->env};
  sc_buffer opened = {.env = t->env};
  for (size_t len = 0; len <= sizeof counting; len++) {
    OK(sc_aes_cbc_encrypt(&ciphertext, first(32), first(16), first(len)));
    CHECK(ciphertext.len == len / 16 * 16 + 16);
    OK(sc_aes_cbc_decrypt(&opened, first(32), first(16), sc_buffer_bytes(&ciphertext)));
    SAME(first(len), sc_buffer_bytes(&opened));
  }
done:
  sc_buffer_free(&ciphertext);
  sc_buffer_free(&opened);
}

static void cbc_takes_only_whole_blocks(sc_test *t) {
  sc_buffer ciphertext = {.env = t->env};
  sc_buffer opened = {.env = t->env};
  OK(sc_aes_cbc_encrypt(&ciphertext, first(32), first(16), first(40)));
  OK(sc_buffer_append_byte(&opened, 1));
  for (size_t len = 0; len < ciphertext.len; len++)
    if (len % 16 != 0 || len == 0) {
      FAILS(SC_ERR_DECRYPT,
            sc_aes_cbc_decrypt(&opened, first(32), first(16), sc_bytes_make(ciphertext.ptr, len)));
      CHECK(opened.len == 0);
    }
done:
  sc_buffer_free(&ciphertext);
  sc_buffer_free(&opened);
}

/* Decrypts to exactly `block`: its ciphertext without the padding block that follows. */
static sc_status decrypt_to_block(sc_buffer *opened, sc_buffer *scratch, const uint8_t block[static 16]) {
  sc_status status = sc_aes_cbc_encrypt(scratch, first(32), first(16), sc_bytes_make(block, 16));
  if (status != SC_OK)
    return status;
  return sc_aes_cbc_decrypt(opened, first(32), first(16), sc_bytes_make(scratch->ptr, 16));
}

static void every_padding_from_1_to_16_is_read(sc_test *t) {
  sc_buffer opened = {.env = t->env};
  sc_buffer scratch = {.env = t->env};
  for (size_t len = 1; len <= 16; len++) {
    uint8_t block[16];
    memset(block, 0x77, sizeof block);
    memset(block + 16 - len, (int)len, len);
    OK(decrypt_to_block(&opened, &scratch, block));
    SAME(sc_bytes_make(block, 16 - len), sc_buffer_bytes(&opened));
  }
done:
  sc_buffer_free(&opened);
  sc_buffer_free(&scratch);
}

static void every_padding_byte_is_checked(sc_test *t) {
  sc_buffer opened = {.env = t->env};
  sc_buffer scratch = {.env = t->env};
  for (size_t len = 2; len <= 16; len++)
    for (size_t wrong = 16 - len; wrong < 15; wrong++) {
      uint8_t block[16];
      memset(block, (int)len, sizeof block);
      block[wrong] ^= 0x80;
      FAILS(SC_ERR_DECRYPT, decrypt_to_block(&opened, &scratch, block));
      CHECK(opened.len == 0);
    }
  for (unsigned last = 0; last <= 0xff; last++)
    if (last == 0 || last > 16) {
      uint8_t block[16];
      memset(block, (int)last, sizeof block);
      FAILS(SC_ERR_DECRYPT, decrypt_to_block(&opened, &scratch, block));
      CHECK(opened.len == 0);
    }
done:
  sc_buffer_free(&opened);
  sc_buffer_free(&scratch);
}

static void a_box_is_a_nonce_and_the_ciphertext(sc_test *t) {
  sc_test_env *env = t->env->user;
  sc_buffer box = {.env = t->env};
  sc_buffer other = {.env = t->env};
  sc_test_env_script(env, first(24));
  OK(sc_box_seal(&box, t->env, first(32), sc_bytes_text(fox)));
  CHECK(env->script.len == 0 && env->script_shortage == 0);
  SAME(first(24), sc_bytes_make(box.ptr, 24));
  OK(sc_xchacha20_poly1305_seal(&other, first(32), first(24), none, sc_bytes_text(fox)));
  SAME(sc_buffer_bytes(&other), sc_bytes_make(box.ptr + 24, box.len - 24));
  OK(sc_box_open(&other, first(32), sc_buffer_bytes(&box)));
  SAME(sc_bytes_text(fox), sc_buffer_bytes(&other));
done:
  sc_buffer_free(&box);
  sc_buffer_free(&other);
}

static void a_changed_or_cut_box_does_not_open(sc_test *t) {
  sc_buffer box = {.env = t->env};
  sc_buffer opened = {.env = t->env};
  OK(sc_box_seal(&box, t->env, first(32), first(10)));
  OK(sc_buffer_append_byte(&opened, 1));
  for (size_t len = 0; len < box.len; len++) {
    sc_status expected = len < 40 ? SC_ERR_TRUNCATED : SC_ERR_DECRYPT;
    FAILS(expected, sc_box_open(&opened, first(32), sc_bytes_make(box.ptr, len)));
    CHECK(opened.len == 0);
  }
  for (size_t i = 0; i < box.len; i++) {
    box.ptr[i] ^= 0x10;
    FAILS(SC_ERR_DECRYPT, sc_box_open(&opened, first(32), sc_buffer_bytes(&box)));
    CHECK(opened.len == 0);
    box.ptr[i] ^= 0x10;
  }
done:
  sc_buffer_free(&box);
  sc_buffer_free(&opened);
}

static void a_bound_box_opens_in_its_context_alone(sc_test *t) {
  sc_test_env *env = t->env->user;
  sc_buffer box = {.env = t->env};
  sc_buffer other = {.env = t->env};
  sc_test_env_script(env, first(24));
  OK(sc_box_seal_bound(&box, t->env, first(32), first(7), sc_bytes_text(fox)));
  OK(sc_xchacha20_poly1305_seal(&other, first(32), first(24), first(7), sc_bytes_text(fox)));
  SAME(sc_buffer_bytes(&other), sc_bytes_make(box.ptr + 24, box.len - 24));
  OK(sc_box_open_bound(&other, first(32), first(7), sc_buffer_bytes(&box)));
  SAME(sc_bytes_text(fox), sc_buffer_bytes(&other));
  FAILS(SC_ERR_DECRYPT, sc_box_open_bound(&other, first(32), first(8), sc_buffer_bytes(&box)));
  CHECK(other.len == 0);
  FAILS(SC_ERR_DECRYPT, sc_box_open(&other, first(32), sc_buffer_bytes(&box)));
  FAILS(SC_ERR_KEY_SIZE, sc_box_seal_bound(&other, t->env, first(31), first(7), none));
  FAILS(SC_ERR_KEY_SIZE, sc_box_open_bound(&other, first(31), first(7), sc_buffer_bytes(&box)));
done:
  sc_buffer_free(&box);
  sc_buffer_free(&other);
}

static void an_empty_box_opens_to_nothing(sc_test *t) {
  sc_buffer box = {.env = t->env};
  sc_buffer opened = {.env = t->env};
  OK(sc_box_seal(&box, t->env, first(32), none));
  CHECK(box.len == 40);
  OK(sc_box_open(&opened, first(32), sc_buffer_bytes(&box)));
  CHECK(opened.len == 0);
done:
  sc_buffer_free(&box);
  sc_buffer_free(&opened);
}

SUITE(crypto_cipher, "crypto/cipher",
      {"a bound box opens in its context alone", a_bound_box_opens_in_its_context_alone},
      {"XChaCha20-Poly1305 gives the known ciphertext", xchacha20_poly1305_gives_the_known_ciphertext},
      {"AES-GCM gives the known ciphertexts", aes_gcm_gives_the_known_ciphertexts},
      {"AES-CBC gives the known ciphertexts", aes_cbc_gives_the_known_ciphertexts},
      {"a sealed message opens", a_sealed_message_opens},
      {"changing any sealed bit is detected", changing_any_sealed_bit_is_detected},
      {"key, nonce and additional data must match", key_nonce_and_additional_data_must_match},
      {"an impossible length is refused", an_impossible_length_is_refused},
      {"AES-GCM stops before its counter wraps", aes_gcm_stops_before_its_counter_wraps},
      {"keys have the size of their cipher", keys_have_the_size_of_their_cipher},
      {"nonces have the size of their cipher", nonces_have_the_size_of_their_cipher},
      {"CBC decrypts what it encrypted", cbc_decrypts_what_it_encrypted},
      {"CBC takes only whole blocks", cbc_takes_only_whole_blocks},
      {"every padding from 1 to 16 is read", every_padding_from_1_to_16_is_read},
      {"every padding byte is checked", every_padding_byte_is_checked},
      {"a box is a nonce and the ciphertext", a_box_is_a_nonce_and_the_ciphertext},
      {"a changed or cut box does not open", a_changed_or_cut_box_does_not_open},
      {"an empty box opens to nothing", an_empty_box_opens_to_nothing});
