#include "crypto/multi_seal.h"
#include "support/test.h"
#include "support/test_env.h"

/* Secret keys, each named after its first public byte. */
static const char secret_ea[] = "a06485e73dd9816851a2c89cf8deb7252fc7d2ad38d23986ed37cfad58cf2f5f";
static const char secret_d3[] = "b0627e7c8761f16427ceba5653fa8a24e391821899221d78238853881960dc55";
static const char secret_61[] = "804d8e9cfd7fcd0aae3211eb0602d85744c48b8d962bb71626c59f95dda33c75";
static const char secret_40[] = "30a6b655ef92e8da29bab50db0bc14d50ed94c0537cc65bea2595e77a0bd636d";
static const char secret_69[] = "e83b5047c8643bc9bd9373c2c1801c4076a2a3bfb5399dc618b47fcfe0893e4a";
static const char secret_96[] = "a8e640a14d63c48bb11b6737cc4c7dd6e9952aaba481223b50956f35006d9f7d";
static const char secret_68[] = "2827ab080a14fad80aebc45ee7b0b3b92e87bd5aefd73763ae44591a66d1c07a";
static const char secret_0f[] = "605c0e6ffd03fc38a44dbc5e61eceea9a3885022fd005ced5d4c0cf899efeb62";

static const char kick_domain[] = "SessionGroupKickedMessage";
static const char nonce_hex[] = "c71c6c7ce1cbc4e55e7dc28f278968c18fe28002eaa6a056";
static const char message_hex[] =
    "70617061206b696c6f205f756e6465725f2059616e6b656520d7a8d795d79ed799d790d795";

/* The blob of that message from ea to d3, 61 and 40. */
#define BLOB_HEAD "64313a2332343ac71c6c7ce1cbc4e55e7dc28f278968c18fe28002eaa6a056313a656c"
#define ENTRY_D3                                                                                             \
  "35333af1a215bc0565a012156e1d477c2f232c83da5a6ddc380c10c1bcd2089b91bc89a2d844dc373838b009e877e5195cb36492" \
  "cc0dc9f8"
#define ENTRY_61                                                                                             \
  "35333aa90e8d83745cf50c6f5657e9b744ce05d94798a8d1aef7b028ee863dc581814976cff9b3dd52c924bbe1d6a249869c94dc" \
  "8477aaac"
#define ENTRY_40                                                                                             \
  "35333a9a57041f0a6d601c4b0cfcec9bd34d2cc8bf9a6efb43b29f7f133680d55b5c0eb70a22f594d35f376cc403be38dfc4c571" \
  "46f88c22"
static const char blob_hex[] = BLOB_HEAD ENTRY_D3 ENTRY_61 ENTRY_40 "6565";

enum { most_people = 4 };

/* One sender, recipients, and room for what is sealed and opened. */
typedef struct scene {
  sc_x25519_pair from;
  sc_x25519_pair people[most_people];
  sc_bytes recipients[most_people];
  uint8_t nonce[SC_XCHACHA_NONCE_BYTES];
  uint8_t message[37];
  sc_buffer sealed;
  sc_buffer opened;
  sc_buffer expected;
} scene;

static void pair_from_hex(sc_x25519_pair *out, const char *hex) {
  uint8_t secret[SC_KEY_BYTES];
  sc_test_hex_into(secret, sizeof secret, hex);
  sc_x25519_pair_from_secret(out, secret);
}

static void set_scene(scene *out, const sc_env *env, const char *from, const char *const *people,
                      size_t count) {
  memset(out, 0, sizeof *out);
  pair_from_hex(&out->from, from);
  for (size_t i = 0; i < count; i++) {
    pair_from_hex(&out->people[i], people[i]);
    out->recipients[i] = SC_BYTES(out->people[i].public_key);
  }
  sc_test_hex_into(out->nonce, sizeof out->nonce, nonce_hex);
  sc_test_hex_into(out->message, sizeof out->message, message_hex);
  sc_buffer_init(&out->sealed, env);
  sc_buffer_init(&out->opened, env);
  sc_buffer_init(&out->expected, env);
}

static void leave_scene(scene *scene) {
  sc_buffer_free(&scene->sealed);
  sc_buffer_free(&scene->opened);
  sc_buffer_free(&scene->expected);
}

static const char *const first_three[] = {secret_d3, secret_61, secret_40};
static const char *const other_three[] = {secret_96, secret_69, secret_0f};

static void both_sides_derive_the_same_key(sc_test *t) {
  static const struct {
    const char *from, *to, *domain, *key;
  } known[] = {
      {secret_ea, secret_40, kick_domain, "f5ac8eb6467714b98e778cd082e0c1beba804c82a86e07a98cbd5a104633b4fd"},
      {secret_0f, secret_d3, kick_domain, "817e77de1924c286c6195e8be2e92adc6da93e73ce3e2148928797f21ee9ba99"},
      {secret_61, secret_69, "", "017f803f8ae01b881a8c4fbfa790cfbf247d086e7f199d322e665ec227aa00f0"},
      {secret_96, secret_68, "DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD",
       "d7a18df343104080d3feabc426014b98fda8cf811351e674047792ca77422798"},
      /* 70 characters, of which 64 are used */
      {secret_69, secret_ea, "jW32Ad3v7ssY1KOScPN4p1hbdsIsJdtr_luk-Ele6eEXL5tEM0MAUuugjiLZu3CDh_5Rhq",
       "a9b28fd86922be0c5ba5f871189871482486a422a64e74a37c30865b95bce021"},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    sc_x25519_pair from, to;
    uint8_t key[SC_KEY_BYTES], same_key[SC_KEY_BYTES], expected[SC_KEY_BYTES];
    pair_from_hex(&from, known[i].from);
    pair_from_hex(&to, known[i].to);
    sc_bytes domain = sc_bytes_text(known[i].domain);
    OK(sc_multi_key(key, &from, to.public_key, true, domain));
    OK(sc_multi_key(same_key, &to, from.public_key, false, domain));
    sc_test_hex_into(expected, sizeof expected, known[i].key);
    SAME(SC_BYTES(expected), SC_BYTES(key));
    SAME(SC_BYTES(expected), SC_BYTES(same_key));
  }
done:;
}

static void an_unsafe_point_gives_no_key(sc_test *t) {
  static const uint8_t zeros[SC_KEY_BYTES];
  uint8_t key[SC_KEY_BYTES];
  sc_x25519_pair mine;
  pair_from_hex(&mine, secret_ea);
  memset(key, 0xee, sizeof key);
  FAILS(SC_ERR_KEY_INVALID, sc_multi_key(key, &mine, zeros, true, sc_bytes_text("d")));
  SAME(SC_BYTES(zeros), SC_BYTES(key));
done:;
}

static void one_message_reaches_all_recipients(sc_test *t) {
  scene s;
  set_scene(&s, t->env, secret_ea, first_three, 3);
  const sc_bytes message = SC_BYTES(s.message), domain = sc_bytes_text(kick_domain);
  const sc_multi_options options = {.nonce = SC_BYTES(s.nonce)};
  OK(sc_test_hex(&s.expected, blob_hex));
  OK(sc_multi_seal(&s.sealed, t->env, &s.from, s.recipients, 3, &message, 1, domain, &options));
  SAME(sc_buffer_bytes(&s.expected), sc_buffer_bytes(&s.sealed));
  for (size_t i = 0; i < 3; i++) {
    OK(sc_multi_open(&s.opened, &s.people[i], s.from.public_key, domain, sc_buffer_bytes(&s.sealed)));
    SAME(message, sc_buffer_bytes(&s.opened));
  }
done:
  leave_scene(&s);
}

static void the_nonce_is_drawn_first(sc_test *t) {
  scene s;
  set_scene(&s, t->env, secret_ea, first_three, 3);
  uint8_t random[SC_XCHACHA_NONCE_BYTES], second[100];
  sc_test_hex_into(random, sizeof random, "d75290d7256b9ceb069bdbf00170390a97b88d6cc966c242");
  sc_test_hex_into(
      second, sizeof second,
      "22f8db7a32caa07e25ff6eec7769026d7b37abbf52330be1d1bc1c1e49594d9325f9a57f1e303257934d1db0b0e5"
      "271f742cf529648b2b335cf8527098b4d16c61e5a3654d81828bd6b20f17281ab22cb52afc5f476344712dca4a47"
      "cc6a75b72fe87a28");
  const sc_bytes messages[] = {SC_BYTES(s.message), SC_BYTES(second), sc_bytes_make(NULL, 0)};
  const sc_bytes domain = sc_bytes_text(kick_domain);
  OK(sc_test_hex(
      &s.expected,
      "64313a2332343ad75290d7256b9ceb069bdbf00170390a97b88d6cc966c242313a656c35333adbb75bb732163e8324a46c3d0c"
      "ed"
      "73c68e9b5fdf478bbfd361cc4d51e89dc3383048244a050ed4862c65cd227b08df85d50686ba743131363aeccded52b827efb5"
      "36"
      "ba3f798704a85e2832585957e901060f6b53492ed87ca038111bfee16b5b031a7c1afb0111a135820fc998a5e1c4c10641051"
      "25e045d71285c2ecb3316f61353e2486c3d6b2990e4a40ce7df2aeb1642f868d3b5f3cc495c62d00838b169d77a4ec2be243f"
      "da0c9e072b4a31363a9a06d883eae9ff3ce0d424b77f57569c6565"));
  sc_test_env *env = t->env->user;
  sc_test_env_script(env, SC_BYTES(random));
  OK(sc_multi_seal(&s.sealed, t->env, &s.from, s.recipients, 3, messages, 3, domain, NULL));
  SAME(sc_buffer_bytes(&s.expected), sc_buffer_bytes(&s.sealed));
  CHECK(env->script.len == 0 && env->script_shortage == 0);
  for (size_t i = 0; i < 3; i++) {
    OK(sc_multi_open(&s.opened, &s.people[i], s.from.public_key, domain, sc_buffer_bytes(&s.sealed)));
    SAME(messages[i], sc_buffer_bytes(&s.opened));
  }
done:
  leave_scene(&s);
}

static void junk_entries_fill_up_the_list(sc_test *t) {
  scene s;
  set_scene(&s, t->env, secret_61, other_three, 3);
  uint8_t random[74];
  sc_test_hex_into(
      random, sizeof random,
      "8bfc6df911b966e3b039331f0edd60fb21bb6ee4000696bd8c9960d826dea6eaefba819a8a1c05473c35acc04b41"
      "6c5487b9e5aec016e19b252aaad6ad5d51633b70e55e4d6cc919ed6c");
  const sc_bytes message = SC_BYTES(s.message), domain = sc_bytes_text("dom");
  const sc_multi_options options = {.nonce = SC_BYTES(s.nonce), .pad_to = 5};
  OK(sc_test_hex(
      &s.expected, BLOB_HEAD
      "35333a8cada0798fbbe688349fd8ce0737eb2c1f23910334364e4776ce908901651203d7ae1755bf7cbe1bbcc364a2"
      "7f0cc38158d17e0bcd35333a142448c5a597dd379454081fc1458b6bd7a9018699a158f8a7269bd3e225698708938e"
      "ac29a4cd0d6de3d89b622639ecdd668ca6bf35333aa3de070081c789b11fbd1d8fc58b5594c29e6850ffc4a4ac7818"
      "b9cd0ce42eb99f5bf7b3e6373cf7b3fda33a534f56e305c5e17a8533373a8bfc6df911b966e3b039331f0edd60fb21"
      "bb6ee4000696bd8c9960d826dea6eaefba819a8a33373a1c05473c35acc04b416c5487b9e5aec016e19b252aaad6ad"
      "5d51633b70e55e4d6cc919ed6c6565"));
  sc_test_env *env = t->env->user;
  sc_test_env_script(env, SC_BYTES(random));
  OK(sc_multi_seal(&s.sealed, t->env, &s.from, s.recipients, 3, &message, 1, domain, &options));
  SAME(sc_buffer_bytes(&s.expected), sc_buffer_bytes(&s.sealed));
  CHECK(env->script.len == 0 && env->script_shortage == 0);
  for (size_t i = 0; i < 3; i++) {
    OK(sc_multi_open(&s.opened, &s.people[i], s.from.public_key, domain, sc_buffer_bytes(&s.sealed)));
    SAME(message, sc_buffer_bytes(&s.opened));
  }
done:
  leave_scene(&s);
}

static void no_junk_is_added_where_none_is_needed(sc_test *t) {
  scene s;
  set_scene(&s, t->env, secret_61, other_three, 3);
  sc_test_env *env = t->env->user;
  const struct {
    size_t message_len, recipient_count, pad_to;
  } cases[] = {{37, 2, 2}, {37, 3, 0}, {37, 3, 1}, {0, 3, 5}, {37, 0, 5}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const sc_bytes message = sc_bytes_make(s.message, cases[i].message_len);
    const sc_multi_options options = {.nonce = SC_BYTES(s.nonce), .pad_to = cases[i].pad_to};
    OK(sc_multi_seal(&s.sealed, t->env, &s.from, s.recipients, cases[i].recipient_count, &message, 1,
                     sc_bytes_text("dom"), &options));
    size_t entry = strlen("53:") + message.len + SC_AEAD_TAG_BYTES;
    CHECK(s.sealed.len == strlen(BLOB_HEAD "6565") / 2 + cases[i].recipient_count * entry);
  }
  CHECK(env->random_calls == 0);
  OK(sc_test_hex(&s.expected, BLOB_HEAD "6565"));
  SAME(sc_buffer_bytes(&s.expected), sc_buffer_bytes(&s.sealed));
done:
  leave_scene(&s);
}

static void an_unsafe_recipient_is_refused_or_left_out(sc_test *t) {
  static const uint8_t zeros[SC_KEY_BYTES];
  static const char *const two[] = {secret_d3, secret_61};
  scene s;
  set_scene(&s, t->env, secret_ea, two, 2);
  const sc_bytes recipients[] = {s.recipients[0], SC_BYTES(zeros), s.recipients[1]};
  const sc_bytes messages[] = {SC_BYTES(s.message), sc_bytes_text("second"), sc_bytes_text("third")};
  const sc_bytes domain = sc_bytes_text("dom");
  sc_multi_options options = {.nonce = SC_BYTES(s.nonce)};
  FAILS(SC_ERR_KEY_INVALID,
        sc_multi_seal(&s.sealed, t->env, &s.from, recipients, 3, messages, 3, domain, &options));
  CHECK(s.sealed.len == 0);
  options.skip_unsafe = true;
  OK(sc_multi_seal(&s.sealed, t->env, &s.from, recipients, 3, messages, 3, domain, &options));
  OK(sc_test_hex(&s.expected, BLOB_HEAD
                 "35333a412a3772d75c2b183d5992631453b18da58fb4e818f4ab978c4e899870d38bec7f976644d8d024a0"
                 "4e8976fe0f2a9da8f7f4fa317c"
                 "32313a8b7619357e3f7b7feae394adf729cfcccbd303275b6565"));
  SAME(sc_buffer_bytes(&s.expected), sc_buffer_bytes(&s.sealed));
done:
  leave_scene(&s);
}

static void entries_are_independent(sc_test *t) {
  static const uint8_t zeros[SC_KEY_BYTES];
  scene s;
  set_scene(&s, t->env, secret_ea, first_three, 3);
  const sc_bytes nonce = SC_BYTES(s.nonce), domain = sc_bytes_text(kick_domain),
                 message = SC_BYTES(s.message);
  const sc_bytes short_nonce = sc_bytes_make(s.nonce, sizeof s.nonce - 1);
  uint8_t *to = s.people[0].public_key, *from = s.from.public_key;
  OK(sc_test_hex(&s.expected, ENTRY_D3));
  OK(sc_multi_seal_entry(&s.sealed, &s.from, to, nonce, domain, message));
  SAME(sc_bytes_make(s.expected.ptr + strlen("53:"), s.expected.len - strlen("53:")),
       sc_buffer_bytes(&s.sealed));
  OK(sc_multi_open_entry(&s.opened, &s.people[0], from, nonce, domain, sc_buffer_bytes(&s.sealed)));
  SAME(message, sc_buffer_bytes(&s.opened));

  sc_bytes entry = sc_buffer_bytes(&s.sealed);
  FAILS(SC_ERR_DECRYPT, sc_multi_open_entry(&s.opened, &s.people[1], from, nonce, domain, entry));
  CHECK(s.opened.len == 0);
  FAILS(SC_ERR_DECRYPT,
        sc_multi_open_entry(&s.opened, &s.people[0], s.people[1].public_key, nonce, domain, entry));
  FAILS(SC_ERR_DECRYPT,
        sc_multi_open_entry(&s.opened, &s.people[0], from, nonce, sc_bytes_text("dom"), entry));
  FAILS(SC_ERR_DECRYPT,
        sc_multi_open_entry(&s.opened, &s.people[0], from, nonce, domain, sc_bytes_make(entry.ptr, 3)));
  FAILS(SC_ERR_NONCE_SIZE, sc_multi_open_entry(&s.opened, &s.people[0], from, short_nonce, domain, entry));
  FAILS(SC_ERR_KEY_INVALID, sc_multi_open_entry(&s.opened, &s.people[0], zeros, nonce, domain, entry));
  FAILS(SC_ERR_NONCE_SIZE, sc_multi_seal_entry(&s.sealed, &s.from, to, short_nonce, domain, message));
  FAILS(SC_ERR_KEY_INVALID, sc_multi_seal_entry(&s.sealed, &s.from, zeros, nonce, domain, message));
  CHECK(s.sealed.len == 0);
done:
  leave_scene(&s);
}

static void counts_sizes_and_limits_are_checked(sc_test *t) {
  static sc_bytes many[SC_MULTI_MAX_ENTRIES + 1];
  scene s;
  set_scene(&s, t->env, secret_ea, first_three, 3);
  const sc_bytes messages[] = {SC_BYTES(s.message), SC_BYTES(s.message), SC_BYTES(s.message)};
  const sc_bytes domain = sc_bytes_text("dom");
  FAILS(SC_ERR_ARGUMENT,
        sc_multi_seal(&s.sealed, t->env, &s.from, s.recipients, 3, messages, 2, domain, NULL));
  FAILS(SC_ERR_ARGUMENT,
        sc_multi_seal(&s.sealed, t->env, &s.from, s.recipients, 1, messages, 0, domain, NULL));
  FAILS(SC_ERR_TOO_LARGE,
        sc_multi_seal(&s.sealed, t->env, &s.from, many, SC_MULTI_MAX_ENTRIES + 1, messages, 1, domain, NULL));
  const sc_multi_options far = {.pad_to = SC_MULTI_MAX_ENTRIES + 1};
  FAILS(SC_ERR_TOO_LARGE,
        sc_multi_seal(&s.sealed, t->env, &s.from, s.recipients, 3, messages, 1, domain, &far));
  const sc_multi_options farthest = {.pad_to = SIZE_MAX};
  FAILS(SC_ERR_TOO_LARGE,
        sc_multi_seal(&s.sealed, t->env, &s.from, s.recipients, 3, messages, 1, domain, &farthest));
  CHECK(s.sealed.len == 0);
  for (size_t len = 23; len <= 25; len += 2) {
    uint8_t nonce[25] = {0};
    const sc_multi_options options = {.nonce = sc_bytes_make(nonce, len)};
    FAILS(SC_ERR_NONCE_SIZE,
          sc_multi_seal(&s.sealed, t->env, &s.from, s.recipients, 3, messages, 1, domain, &options));
  }
  uint8_t id[SC_ID_BYTES] = {5};
  const sc_bytes recipients[] = {s.recipients[0], SC_BYTES(id)};
  FAILS(SC_ERR_KEY_SIZE, sc_multi_seal(&s.sealed, t->env, &s.from, recipients, 2, messages, 1, domain, NULL));
done:
  leave_scene(&s);
}

static void other_entries_do_not_affect_mine(sc_test *t) {
  static const char *const blobs[] = {
      /* other keys around it, an integer after it, and trailing bytes */
      "64313a21693165313a2332343ac71c6c7ce1cbc4e55e7dc28f278968c18fe28002eaa6a056313a41343a61626364"
      "313a656c" ENTRY_D3 "65313a7a69336565",
      BLOB_HEAD ENTRY_61 "303a" ENTRY_D3 "6565",
      BLOB_HEAD ENTRY_D3 "6935656565",
      BLOB_HEAD ENTRY_D3 "65656a756e6b",
  };
  scene s;
  set_scene(&s, t->env, secret_ea, first_three, 3);
  for (size_t i = 0; i < sizeof blobs / sizeof blobs[0]; i++) {
    sc_buffer_clear(&s.sealed);
    OK(sc_test_hex(&s.sealed, blobs[i]));
    OK(sc_multi_open(&s.opened, &s.people[0], s.from.public_key, sc_bytes_text(kick_domain),
                     sc_buffer_bytes(&s.sealed)));
    SAME(SC_BYTES(s.message), sc_buffer_bytes(&s.opened));
  }
done:
  leave_scene(&s);
}

static void malformed_blobs_are_refused(sc_test *t) {
  static const struct {
    sc_status status;
    const char *hex;
  } blobs[] = {
      {SC_ERR_NO_KEY, BLOB_HEAD "6565"},
      {SC_ERR_NO_KEY, BLOB_HEAD ENTRY_61 ENTRY_40 "6565"},
      {SC_ERR_BT_SYNTAX, "68656c6c6f"},
      {SC_ERR_TRUNCATED, ""},
      {SC_ERR_TRUNCATED, BLOB_HEAD},
      {SC_ERR_TRUNCATED, BLOB_HEAD ENTRY_61},
      {SC_ERR_TRUNCATED, BLOB_HEAD ENTRY_61 "35333af1a2"},
      {SC_ERR_BT_TYPE, "6c65"},
      {SC_ERR_FORMAT, "6465"},
      {SC_ERR_FORMAT, "64313a2332343ac71c6c7ce1cbc4e55e7dc28f278968c18fe28002eaa6a05665"},
      {SC_ERR_FORMAT, "64313a656c6565"},
      {SC_ERR_NONCE_SIZE,
       "64313a2332333ac71c6c7ce1cbc4e55e7dc28f278968c18fe28002eaa6a0313a656c" ENTRY_D3 "6565"},
      {SC_ERR_BT_TYPE, "64313a2332343ac71c6c7ce1cbc4e55e7dc28f278968c18fe28002eaa6a056313a65" ENTRY_D3 "65"},
      {SC_ERR_BT_TYPE, BLOB_HEAD "693565" ENTRY_D3 "6565"},
      /* one bit of the entry, one of the nonce */
      {SC_ERR_NO_KEY, BLOB_HEAD
       "35333af1a215bc0565a012156e1d477c2f232c83da5a6ddc380c10c1bcd2089b91bc89a2d844dc373838b009e877e5"
       "195cb36492cc0dc9f96565"},
      {SC_ERR_NO_KEY,
       "64313a2332343ac71c6c7ce1c9c4e55e7dc28f278968c18fe28002eaa6a056313a656c" ENTRY_D3 "6565"},
  };
  scene s;
  set_scene(&s, t->env, secret_ea, first_three, 3);
  for (size_t i = 0; i < sizeof blobs / sizeof blobs[0]; i++) {
    sc_buffer_clear(&s.sealed);
    OK(sc_test_hex(&s.sealed, blobs[i].hex));
    FAILS(blobs[i].status, sc_multi_open(&s.opened, &s.people[0], s.from.public_key,
                                         sc_bytes_text(kick_domain), sc_buffer_bytes(&s.sealed)));
    CHECK(s.opened.len == 0);
  }
done:
  leave_scene(&s);
}

static void only_the_named_sender_and_domain_match(sc_test *t) {
  static const uint8_t zeros[SC_KEY_BYTES];
  scene s;
  set_scene(&s, t->env, secret_ea, first_three, 3);
  OK(sc_test_hex(&s.sealed, blob_hex));
  sc_bytes blob = sc_buffer_bytes(&s.sealed), domain = sc_bytes_text(kick_domain);
  FAILS(SC_ERR_NO_KEY,
        sc_multi_open(&s.opened, &s.people[0], s.from.public_key, sc_bytes_text("other"), blob));
  FAILS(SC_ERR_NO_KEY, sc_multi_open(&s.opened, &s.people[0], s.people[1].public_key, domain, blob));
  FAILS(SC_ERR_NO_KEY, sc_multi_open(&s.opened, &s.from, s.from.public_key, domain, blob));
  FAILS(SC_ERR_KEY_INVALID, sc_multi_open(&s.opened, &s.people[0], zeros, domain, blob));
done:
  leave_scene(&s);
}

static void an_overlong_list_is_given_up(sc_test *t) {
  scene s;
  set_scene(&s, t->env, secret_ea, first_three, 3);
  OK(sc_test_hex(&s.sealed, BLOB_HEAD));
  OK(sc_buffer_reserve(&s.sealed, 2 * ((size_t)SC_MULTI_MAX_ENTRIES + 1) + 2));
  for (size_t i = 0; i < SC_MULTI_MAX_ENTRIES; i++)
    OK(sc_buffer_append(&s.sealed, sc_bytes_text("0:")));
  size_t full = s.sealed.len;
  OK(sc_buffer_append(&s.sealed, sc_bytes_text("ee")));
  sc_bytes domain = sc_bytes_text(kick_domain);
  FAILS(SC_ERR_NO_KEY,
        sc_multi_open(&s.opened, &s.people[0], s.from.public_key, domain, sc_buffer_bytes(&s.sealed)));
  sc_buffer_truncate(&s.sealed, full);
  OK(sc_buffer_append(&s.sealed, sc_bytes_text("0:ee")));
  FAILS(SC_ERR_TOO_LARGE,
        sc_multi_open(&s.opened, &s.people[0], s.from.public_key, domain, sc_buffer_bytes(&s.sealed)));
done:
  leave_scene(&s);
}

SUITE(crypto_multi_seal, "crypto/multi_seal",
      {"both sides derive the same key", both_sides_derive_the_same_key},
      {"an unsafe point gives no key", an_unsafe_point_gives_no_key},
      {"one message reaches all recipients", one_message_reaches_all_recipients},
      {"the nonce is drawn first", the_nonce_is_drawn_first},
      {"junk entries fill up the list", junk_entries_fill_up_the_list},
      {"no junk is added where none is needed", no_junk_is_added_where_none_is_needed},
      {"an unsafe recipient is refused or left out", an_unsafe_recipient_is_refused_or_left_out},
      {"entries are independent", entries_are_independent},
      {"counts, sizes and limits are checked", counts_sizes_and_limits_are_checked},
      {"other entries do not affect mine", other_entries_do_not_affect_mine},
      {"malformed blobs are refused", malformed_blobs_are_refused},
      {"only the named sender and domain match", only_the_named_sender_and_domain_match},
      {"an overlong list is given up", an_overlong_list_is_given_up});
