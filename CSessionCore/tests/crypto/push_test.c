#include "support/test.h"
#include "support/test_env.h"

static const char key_hex[] = "154c9822ac0c988b0c73b65d50151e08c54a3eec027ee6e41c3361e3c96e2cae";

typedef struct known_payload {
  const char *payload;
  const char *plaintext;
} known_payload;

static const known_payload known[] = {
    {"f28ef24583b484845c50e803805e99fd18ced292d35e7ab985193369f77026780123b0e658905d00a4881393be8e711f65c1f1b"
     "9bdf1"
     "edb9849fa43884ba8b4604f75ee51d2dbf420e79fd75da9c4edf6d8ee5d566",
     "6c696d61203132333420cea9206e61c3af7665206b696c6f206d61c3b1616e6120d7a8d795d79ed799d790d795"},
    /* zeros inside */
    {"82a02e55da912119f74d2765214c67d72d4c5569c87c214686643fee34aa86ed5f8d90c18e579462c5052f785e3be37d4b0ed23"
     "418fe"
     "ee69",
     "616200006364"},
    /* nothing */
    {"b5166396d53105f670e8df22ddcafa2c424d5ce658a47f04d6e7aedf263dc9b3ef1b74bf1092bf68", ""},
    /* zeros alone */
    {"7d214df8c2ef79a7702254cb02bace0859dcc1d8048f9b189230fe1a8f8e6f93d71680329323ccb77537abd3d35f946ca02cfaf"
     "2",
     "000000000000000000000000"},
    /* padded */
    {"f1d2c97b87e8b49bbd462230374c43c0fe6d3ce1c174605c11ad4b53932585fc4891675b1f8931a89812418adc547b7685470af"
     "851ab"
     "d46c605f44d45f1df9329dd981cc014fc371bdfa2a034c290f95ef84adeee3952c2c339dd1e7eca8261165cc833f11ff8a0b242"
     "b3a09"
     "acbef460938362c663103e2e53d9a97c6f7ca2ed19ea551249788477142094f5189ce67c41c579c441a0d844d07b4e5b2235e65"
     "2e18c"
     "d1de180ae75c78ae0e23134d9918a600d2620a0d73d1992c573cdffc0658d6145bd8ea6eab87ca4ef86d17713170e0e2be30735"
     "6af42"
     "64ceb9f6353e9479669544167a3e751068f21f983e82a592b76c88607878524ae530aa0d38420598b311d2ab89b2337af8b85d9"
     "f18bc"
     "87459fe4099bc154295bbb0fddc62f76473f0d7e45c13b2d0bbc",
     "6c696d61203132333420cea9206e61c3af7665206b696c6f206d61c3b1616e6120d7a8d795d79ed799d790d795"},
};

static void known_payloads_open(sc_test *t) {
  sc_buffer payload, plaintext, opened;
  sc_buffer_init(&payload, t->env);
  sc_buffer_init(&plaintext, t->env);
  sc_buffer_init(&opened, t->env);
  uint8_t key[SC_KEY_BYTES];
  sc_test_hex_into(key, sizeof key, key_hex);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    sc_buffer_clear(&payload);
    sc_buffer_clear(&plaintext);
    OK(sc_test_hex(&payload, known[i].payload));
    OK(sc_test_hex(&plaintext, known[i].plaintext));
    OK(sc_push_open(&opened, SC_BYTES(key), sc_buffer_bytes(&payload)));
    SAME(sc_buffer_bytes(&plaintext), sc_buffer_bytes(&opened));
  }
done:
  sc_buffer_free(&payload);
  sc_buffer_free(&plaintext);
  sc_buffer_free(&opened);
}

/* The padded known payload, made again with its nonce. */
static void a_known_payload_is_made(sc_test *t) {
  const known_payload *padded = &known[sizeof known / sizeof known[0] - 1];
  sc_buffer expected, plaintext, sealed;
  sc_buffer_init(&expected, t->env);
  sc_buffer_init(&plaintext, t->env);
  sc_buffer_init(&sealed, t->env);
  uint8_t key[SC_KEY_BYTES];
  sc_test_hex_into(key, sizeof key, key_hex);
  OK(sc_test_hex(&expected, padded->payload));
  OK(sc_test_hex(&plaintext, padded->plaintext));
  sc_test_env_script(t->env->user, sc_bytes_make(expected.ptr, SC_XCHACHA_NONCE_BYTES));
  OK(sc_push_seal(&sealed, t->env, SC_BYTES(key), sc_buffer_bytes(&plaintext), 256));
  SAME(sc_buffer_bytes(&expected), sc_buffer_bytes(&sealed));
done:
  sc_buffer_free(&expected);
  sc_buffer_free(&plaintext);
  sc_buffer_free(&sealed);
}

static void padding_rounds_up_to_a_multiple(sc_test *t) {
  static const struct {
    size_t len, padding, padded;
  } cases[] = {{0, 256, 0},     {1, 256, 256}, {255, 256, 256}, {256, 256, 256},
               {257, 256, 512}, {5, 0, 5},     {5, 1, 5},       {5, 4, 8}};
  uint8_t key[SC_KEY_BYTES] = {1}, plaintext[300];
  memset(plaintext, 'x', sizeof plaintext);
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sc_bytes text = sc_bytes_make(plaintext, cases[i].len);
    OK(sc_push_seal(&sealed, t->env, SC_BYTES(key), text, cases[i].padding));
    CHECK(sealed.len == SC_XCHACHA_NONCE_BYTES + cases[i].padded + SC_AEAD_TAG_BYTES);
    OK(sc_push_open(&opened, SC_BYTES(key), sc_buffer_bytes(&sealed)));
    SAME(text, sc_buffer_bytes(&opened));
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void damaged_payloads_are_refused(sc_test *t) {
  uint8_t key[SC_KEY_BYTES];
  sc_buffer payload, opened;
  sc_buffer_init(&payload, t->env);
  sc_buffer_init(&opened, t->env);
  sc_test_hex_into(key, sizeof key, key_hex);
  OK(sc_test_hex(&payload, known[0].payload));
  sc_bytes whole = sc_buffer_bytes(&payload);
  FAILS(SC_ERR_DECRYPT, sc_push_open(&opened, SC_BYTES(key), sc_bytes_make(whole.ptr, whole.len - 1)));
  FAILS(SC_ERR_DECRYPT, sc_push_open(&opened, SC_BYTES(key), sc_bytes_make(whole.ptr, 40)));
  FAILS(SC_ERR_TRUNCATED, sc_push_open(&opened, SC_BYTES(key), sc_bytes_make(whole.ptr, 39)));
  FAILS(SC_ERR_TRUNCATED, sc_push_open(&opened, SC_BYTES(key), sc_bytes_make(NULL, 0)));
  static const size_t places[] = {0, 23, 24, 60, 84};
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    payload.ptr[places[i]] ^= 0x20;
    FAILS(SC_ERR_DECRYPT, sc_push_open(&opened, SC_BYTES(key), whole));
    payload.ptr[places[i]] ^= 0x20;
  }
  key[5] ^= 1;
  FAILS(SC_ERR_DECRYPT, sc_push_open(&opened, SC_BYTES(key), whole));
  CHECK(opened.len == 0);
done:
  sc_buffer_free(&payload);
  sc_buffer_free(&opened);
}

static void a_key_has_32_bytes(sc_test *t) {
  uint8_t key[33] = {0}, payload[64] = {0};
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  for (size_t len = 31; len <= 33; len += 2) {
    FAILS(SC_ERR_KEY_SIZE, sc_push_open(&out, sc_bytes_make(key, len), SC_BYTES(payload)));
    FAILS(SC_ERR_KEY_SIZE, sc_push_seal(&out, t->env, sc_bytes_make(key, len), SC_BYTES(payload), 0));
  }
done:
  sc_buffer_free(&out);
}

static void a_payload_has_metadata_and_an_optional_message(sc_test *t) {
  sc_bytes metadata, message;
  OK(sc_push_split(&metadata, &message, sc_bytes_text("l2:{}5:helloe")));
  SAME(sc_bytes_text("{}"), metadata);
  SAME(sc_bytes_text("hello"), message);
  OK(sc_push_split(&metadata, &message, sc_bytes_text("l12:{\"B\": 1    }e")));
  SAME(sc_bytes_text("{\"B\": 1    }"), metadata);
  CHECK(message.len == 0);
done:;
}

static void malformed_payloads_are_not_split(sc_test *t) {
  static const struct {
    sc_status status;
    const char *text;
  } cases[] = {
      {SC_ERR_TRUNCATED, ""},          {SC_ERR_FORMAT, "le"},         {SC_ERR_FORMAT, "l2:{}1:a1:be"},
      {SC_ERR_FORMAT, "l2:{}1:ai1ee"}, {SC_ERR_BT_TYPE, "de"},        {SC_ERR_BT_TYPE, "2:{}"},
      {SC_ERR_BT_TYPE, "li1ee"},       {SC_ERR_BT_TYPE, "l2:{}i1ee"}, {SC_ERR_BT_TYPE, "l2:{}lee"},
      {SC_ERR_TRUNCATED, "l2:{}"},     {SC_ERR_TRUNCATED, "l3:{}"},   {SC_ERR_TRAILING, "l2:{}ee"},
      {SC_ERR_BT_SYNTAX, "l02:{}e"},   {SC_ERR_BT_SYNTAX, "{}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sc_bytes metadata = SC_BYTES("x"), message = SC_BYTES("y");
    FAILS(cases[i].status, sc_push_split(&metadata, &message, sc_bytes_text(cases[i].text)));
    CHECK(metadata.len == 0 && message.len == 0);
  }
done:;
}

SUITE(crypto_push, "crypto/push", {"known payloads open", known_payloads_open},
      {"a known payload is made", a_known_payload_is_made},
      {"padding rounds up to a multiple", padding_rounds_up_to_a_multiple},
      {"damaged payloads are refused", damaged_payloads_are_refused},
      {"a key has 32 bytes", a_key_has_32_bytes},
      {"a payload has metadata and an optional message", a_payload_has_metadata_and_an_optional_message},
      {"malformed payloads are not split", malformed_payloads_are_not_split});
