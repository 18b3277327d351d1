#include "support/test.h"
#include "support/test_env.h"
#include "support/unsafe_keys.h"

typedef struct ends {
  sc_x25519_pair client;
  sc_x25519_pair node;
} ends;

static ends meet(void) {
  ends these;
  uint8_t secret[32];
  sc_test_hex_into(secret, 32, "ccc335912da8939e2b44816728a5a4773063efa82bf7ae2d42a0abfa2caa452d");
  sc_x25519_pair_from_secret(&these.client, secret);
  sc_test_hex_into(secret, 32, "8fcd8ad3a15c76f76f1c56dff0c529999f8c59b4acda79e05666e54d5727dca1");
  sc_x25519_pair_from_secret(&these.node, secret);
  return these;
}

static const sc_hop_cipher ciphers[] = {SC_HOP_XCHACHA20, SC_HOP_AES_GCM};
enum { cipher_count = sizeof ciphers / sizeof ciphers[0] };

static size_t overhead(sc_hop_cipher cipher) {
  return cipher == SC_HOP_XCHACHA20 ? 40 : 28;
}

static void known_messages_open(sc_test *t) {
  ends these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  OK(sc_test_hex(&sealed, "1eb6ae1cd72f60999486365749bd5dc15cc0b6a2a44d7d063daa5e93722f0c025fd00306403b61"));
  OK(sc_hop_open(&opened, SC_HOP_AES_GCM, SC_HOP_SERVER, &these.node, these.client.public_key,
                 sc_buffer_bytes(&sealed)));
  SAME(sc_bytes_text("Hello world"), sc_buffer_bytes(&opened));
  sc_buffer_clear(&sealed);
  OK(sc_test_hex(&sealed, "9e1a3abe60eff3ea5c23556cc7e225b6f94355315f7281f66ecf4dbb06e7899a52b863e03cde3b28"
                          "7d1638d765db75de02b032"));
  OK(sc_hop_open(&opened, SC_HOP_XCHACHA20, SC_HOP_SERVER, &these.node, these.client.public_key,
                 sc_buffer_bytes(&sealed)));
  SAME(sc_bytes_text("Hello world"), sc_buffer_bytes(&opened));
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

typedef struct known_seal {
  sc_hop_cipher cipher;
  size_t nonce_len;
  const char *sealed;
} known_seal;

static void sealed_messages_have_the_known_bytes(sc_test *t) {
  static const known_seal known[] = {
      {SC_HOP_AES_GCM, 12,
       "000102030405060708090a0bf9862d88aa886104f99505fd3a62b96a19743410ab07a1954d93973fce56"},
      {SC_HOP_XCHACHA20, 24,
       "000102030405060708090a0b0c0d0e0f1011121314151617ff3e9a22b4f9f82c3b7682ed091b7f33371b3ac36b0da2202ea4"
       "8dbbab90"},
  };
  ends these = meet();
  sc_buffer sealed, expected;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&expected, t->env);
  uint8_t counting[24];
  for (uint8_t i = 0; i < sizeof counting; i++)
    counting[i] = i;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    sc_test_env env;
    sc_test_env_init(&env, 1);
    sc_test_env_script(&env, sc_bytes_make(counting, known[i].nonce_len));
    sc_buffer_clear(&expected);
    OK(sc_test_hex(&expected, known[i].sealed));
    OK(sc_hop_seal(&sealed, &env.env, known[i].cipher, SC_HOP_CLIENT, &these.client, these.node.public_key,
                   sc_bytes_text("{\"status\":200}")));
    SAME(sc_buffer_bytes(&expected), sc_buffer_bytes(&sealed));
    CHECK(env.script.len == 0 && env.script_shortage == 0);
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&expected);
}

static void both_directions_open(sc_test *t) {
  ends these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  static uint8_t text[3000];
  static const size_t lengths[] = {0, 1, 15, 16, 17, sizeof text};
  for (size_t i = 0; i < cipher_count; i++) {
    for (size_t j = 0; j < sizeof lengths / sizeof lengths[0]; j++) {
      sc_bytes message = sc_bytes_make(text, lengths[j]);
      OK(sc_hop_seal(&sealed, t->env, ciphers[i], SC_HOP_CLIENT, &these.client, these.node.public_key,
                     message));
      CHECK(sealed.len == message.len + overhead(ciphers[i]));
      OK(sc_hop_open(&opened, ciphers[i], SC_HOP_SERVER, &these.node, these.client.public_key,
                     sc_buffer_bytes(&sealed)));
      SAME(message, sc_buffer_bytes(&opened));
      OK(sc_hop_seal(&sealed, t->env, ciphers[i], SC_HOP_SERVER, &these.node, these.client.public_key,
                     message));
      OK(sc_hop_open_reply(&opened, ciphers[i], &these.client, these.node.public_key,
                           sc_buffer_bytes(&sealed)));
      SAME(message, sc_buffer_bytes(&opened));
    }
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void sealing_twice_gives_different_bytes(sc_test *t) {
  ends these = meet();
  sc_buffer first, second;
  sc_buffer_init(&first, t->env);
  sc_buffer_init(&second, t->env);
  for (size_t i = 0; i < cipher_count; i++) {
    OK(sc_hop_seal(&first, t->env, ciphers[i], SC_HOP_CLIENT, &these.client, these.node.public_key,
                   sc_bytes_text("same")));
    OK(sc_hop_seal(&second, t->env, ciphers[i], SC_HOP_CLIENT, &these.client, these.node.public_key,
                   sc_bytes_text("same")));
    CHECK(!sc_bytes_same(sc_buffer_bytes(&first), sc_buffer_bytes(&second)));
  }
done:
  sc_buffer_free(&first);
  sc_buffer_free(&second);
}

static void sealing_and_opening_allocate_once(sc_test *t) {
  ends these = meet();
  const sc_test_env *env = t->env->user;
  uint8_t message[1000] = {0};
  for (size_t i = 0; i < cipher_count; i++) {
    sc_buffer sealed, opened;
    sc_buffer_init(&sealed, t->env);
    sc_buffer_init(&opened, t->env);
    size_t before = env->allocations;
    sc_status made = sc_hop_seal(&sealed, t->env, ciphers[i], SC_HOP_CLIENT, &these.client,
                                 these.node.public_key, SC_BYTES(message));
    size_t between = env->allocations;
    sc_status read = made != SC_OK ? made
                                   : sc_hop_open(&opened, ciphers[i], SC_HOP_SERVER, &these.node,
                                                 these.client.public_key, sc_buffer_bytes(&sealed));
    size_t after = env->allocations;
    sc_buffer_free(&sealed);
    sc_buffer_free(&opened);
    OK(made);
    OK(read);
    CHECK(between == before + 1 && after == between + 1);
  }
done:;
}

static void any_changed_byte_is_detected(sc_test *t) {
  ends these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  for (size_t i = 0; i < cipher_count; i++) {
    OK(sc_hop_seal(&sealed, t->env, ciphers[i], SC_HOP_CLIENT, &these.client, these.node.public_key,
                   sc_bytes_text("{\"method\":\"info\"}")));
    for (size_t at = 0; at < sealed.len; at += t->torture ? 16 : 1) {
      sealed.ptr[at] ^= 0x80;
      OK(sc_buffer_append_byte(&opened, 'x'));
      FAILS(SC_ERR_DECRYPT, sc_hop_open(&opened, ciphers[i], SC_HOP_SERVER, &these.node,
                                        these.client.public_key, sc_buffer_bytes(&sealed)));
      CHECK(opened.len == 0);
      sealed.ptr[at] ^= 0x80;
    }
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void a_message_of_the_wrong_length_is_refused(sc_test *t) {
  ends these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  for (size_t i = 0; i < cipher_count; i++) {
    OK(sc_hop_seal(&sealed, t->env, ciphers[i], SC_HOP_CLIENT, &these.client, these.node.public_key,
                   sc_bytes_text("hello")));
    for (size_t len = 0; len < sealed.len; len += t->torture ? 9 : 1) {
      sc_status expected = len < overhead(ciphers[i]) ? SC_ERR_TRUNCATED : SC_ERR_DECRYPT;
      FAILS(expected, sc_hop_open(&opened, ciphers[i], SC_HOP_SERVER, &these.node, these.client.public_key,
                                  sc_bytes_make(sealed.ptr, len)));
    }
    OK(sc_buffer_append_byte(&sealed, 0));
    FAILS(SC_ERR_DECRYPT, sc_hop_open(&opened, ciphers[i], SC_HOP_SERVER, &these.node,
                                      these.client.public_key, sc_buffer_bytes(&sealed)));
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void another_key_pair_does_not_open_the_message(sc_test *t) {
  ends these = meet();
  sc_x25519_pair other;
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  sc_x25519_pair_generate(&other, t->env);
  for (size_t i = 0; i < cipher_count; i++) {
    OK(sc_hop_seal(&sealed, t->env, ciphers[i], SC_HOP_CLIENT, &these.client, these.node.public_key,
                   sc_bytes_text("hello")));
    FAILS(SC_ERR_DECRYPT, sc_hop_open(&opened, ciphers[i], SC_HOP_SERVER, &other, these.client.public_key,
                                      sc_buffer_bytes(&sealed)));
    FAILS(SC_ERR_DECRYPT, sc_hop_open(&opened, ciphers[i], SC_HOP_SERVER, &these.node, other.public_key,
                                      sc_buffer_bytes(&sealed)));
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

/* The keys are hashed in the order of client and server, by the newer cipher only. */
static void only_xchacha20_distinguishes_the_sides(sc_test *t) {
  ends these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  for (size_t i = 0; i < cipher_count; i++) {
    sc_status expected = ciphers[i] == SC_HOP_XCHACHA20 ? SC_ERR_DECRYPT : SC_OK;
    OK(sc_hop_seal(&sealed, t->env, ciphers[i], SC_HOP_CLIENT, &these.client, these.node.public_key,
                   sc_bytes_text("hello")));
    FAILS(expected, sc_hop_open(&opened, ciphers[i], SC_HOP_CLIENT, &these.node, these.client.public_key,
                                sc_buffer_bytes(&sealed)));
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void one_cipher_does_not_open_the_others_messages(sc_test *t) {
  ends these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  for (size_t i = 0; i < cipher_count; i++) {
    OK(sc_hop_seal(&sealed, t->env, ciphers[i], SC_HOP_CLIENT, &these.client, these.node.public_key,
                   sc_bytes_text("a message long enough for both")));
    FAILS(SC_ERR_DECRYPT, sc_hop_open(&opened, ciphers[1 - i], SC_HOP_SERVER, &these.node,
                                      these.client.public_key, sc_buffer_bytes(&sealed)));
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void an_old_server_may_reply_with_aes_gcm(sc_test *t) {
  ends these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  static const char *const replies[] = {"", "short", "a reply longer than the other cipher's nonce"};
  for (size_t i = 0; i < sizeof replies / sizeof replies[0]; i++) {
    OK(sc_hop_seal(&sealed, t->env, SC_HOP_AES_GCM, SC_HOP_SERVER, &these.node, these.client.public_key,
                   sc_bytes_text(replies[i])));
    OK(sc_hop_open_reply(&opened, SC_HOP_XCHACHA20, &these.client, these.node.public_key,
                         sc_buffer_bytes(&sealed)));
    SAME(sc_bytes_text(replies[i]), sc_buffer_bytes(&opened));
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void a_reply_to_aes_gcm_is_never_xchacha20(sc_test *t) {
  ends these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  OK(sc_hop_seal(&sealed, t->env, SC_HOP_XCHACHA20, SC_HOP_SERVER, &these.node, these.client.public_key,
                 sc_bytes_text("hello")));
  FAILS(SC_ERR_DECRYPT, sc_hop_open_reply(&opened, SC_HOP_AES_GCM, &these.client, these.node.public_key,
                                          sc_buffer_bytes(&sealed)));
  CHECK(opened.len == 0);
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void a_reply_that_opens_with_neither_is_refused(sc_test *t) {
  ends these = meet();
  sc_buffer opened;
  sc_buffer_init(&opened, t->env);
  uint8_t reply[60] = {0};
  for (size_t len = 0; len <= sizeof reply; len++) {
    sc_status expected = len < 28 ? SC_ERR_TRUNCATED : SC_ERR_DECRYPT;
    FAILS(expected, sc_hop_open_reply(&opened, SC_HOP_XCHACHA20, &these.client, these.node.public_key,
                                      sc_bytes_make(reply, len)));
    FAILS(expected, sc_hop_open_reply(&opened, SC_HOP_AES_GCM, &these.client, these.node.public_key,
                                      sc_bytes_make(reply, len)));
    CHECK(opened.len == 0);
  }
done:
  sc_buffer_free(&opened);
}

static void a_key_of_small_order_is_refused(sc_test *t) {
  ends these = meet();
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  uint8_t sealed[64] = {0};
  for (size_t i = 0; i < unsafe_x25519_count; i++) {
    uint8_t key[32];
    sc_test_hex_into(key, 32, unsafe_x25519[i]);
    for (size_t j = 0; j < cipher_count; j++) {
      OK(sc_buffer_append_byte(&out, 'x'));
      FAILS(SC_ERR_KEY_INVALID,
            sc_hop_seal(&out, t->env, ciphers[j], SC_HOP_CLIENT, &these.client, key, sc_bytes_text("hello")));
      CHECK(out.len == 0);
      FAILS(SC_ERR_KEY_INVALID,
            sc_hop_open(&out, ciphers[j], SC_HOP_SERVER, &these.node, key, SC_BYTES(sealed)));
      FAILS(SC_ERR_KEY_INVALID, sc_hop_open_reply(&out, ciphers[j], &these.client, key, SC_BYTES(sealed)));
    }
  }
done:
  sc_buffer_free(&out);
}

static void ciphers_are_found_by_name(sc_test *t) {
  sc_hop_cipher cipher = SC_HOP_AES_GCM;
  OK(sc_hop_cipher_parse(&cipher, sc_bytes_text("xchacha20")));
  CHECK(cipher == SC_HOP_XCHACHA20);
  OK(sc_hop_cipher_parse(&cipher, sc_bytes_text("aes-gcm")));
  CHECK(cipher == SC_HOP_AES_GCM);
  OK(sc_hop_cipher_parse(&cipher, sc_bytes_text("xchacha20-poly1305")));
  CHECK(cipher == SC_HOP_XCHACHA20);
  OK(sc_hop_cipher_parse(&cipher, sc_bytes_text("gcm")));
  CHECK(cipher == SC_HOP_AES_GCM);
  for (size_t i = 0; i < cipher_count; i++) {
    OK(sc_hop_cipher_parse(&cipher, sc_bytes_text(sc_hop_cipher_name(ciphers[i]))));
    CHECK(cipher == ciphers[i]);
  }
done:;
}

static void unknown_ciphers_are_refused(sc_test *t) {
  static const char *const names[] = {"",         "aes-cbc",    "cbc", "XChaCha20",
                                      "xchacha2", "xchacha20 ", "aes", "none"};
  sc_hop_cipher cipher = SC_HOP_XCHACHA20;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    FAILS(SC_ERR_CIPHER, sc_hop_cipher_parse(&cipher, sc_bytes_text(names[i])));
  FAILS(SC_ERR_CIPHER, sc_hop_cipher_parse(&cipher, sc_bytes_make("gcm", 4)));
  CHECK(cipher == SC_HOP_XCHACHA20);
done:;
}

SUITE(crypto_hop, "crypto/hop", {"known messages open", known_messages_open},
      {"sealed messages have the known bytes", sealed_messages_have_the_known_bytes},
      {"both directions open", both_directions_open},
      {"sealing twice gives different bytes", sealing_twice_gives_different_bytes},
      {"sealing and opening allocate once", sealing_and_opening_allocate_once},
      {"any changed byte is detected", any_changed_byte_is_detected},
      {"a message of the wrong length is refused", a_message_of_the_wrong_length_is_refused},
      {"another key pair does not open the message", another_key_pair_does_not_open_the_message},
      {"only XChaCha20 distinguishes the sides", only_xchacha20_distinguishes_the_sides},
      {"one cipher does not open the other's messages", one_cipher_does_not_open_the_others_messages},
      {"an old server may reply with AES-GCM", an_old_server_may_reply_with_aes_gcm},
      {"a reply to AES-GCM is never XChaCha20", a_reply_to_aes_gcm_is_never_xchacha20},
      {"a reply that opens with neither is refused", a_reply_that_opens_with_neither_is_refused},
      {"a key of small order is refused", a_key_of_small_order_is_refused},
      {"ciphers are found by name", ciphers_are_found_by_name},
      {"unknown ciphers are refused", unknown_ciphers_are_refused});
