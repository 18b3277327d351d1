#include "config/legacy_wrap.h"
#include "message/fields.h"

#include "config/envelope.h"
#include "message/envelope.h"
#include "support/test.h"
#include "worked_example.h"

typedef struct scene {
  const sc_env *env;
  sc_keypair account;
  sc_keypair other;
  sc_legacy_config_kind kind;
  sc_buffer wrapped;
  sc_buffer unwrapped;
} scene;

static void set_scene(scene *out, const sc_env *env) {
  const uint8_t seed[SC_ED25519_SEED_BYTES] = {1};
  out->env = env;
  worked_account(&out->account);
  sc_keypair_from_seed(&out->other, seed);
  out->kind = SC_LEGACY_CONFIG_USER_PROFILE;
  sc_buffer_init(&out->wrapped, env);
  sc_buffer_init(&out->unwrapped, env);
}

static void leave_scene(scene *scene) {
  sc_buffer_free(&scene->wrapped);
  sc_buffer_free(&scene->unwrapped);
}

static sc_status unwrap(scene *s) {
  return sc_config_unwrap(&s->unwrapped, &s->account, s->kind, sc_buffer_bytes(&s->wrapped));
}

/* Wraps an envelope with exactly these fields. */
SC_NODISCARD static sc_status wrap_envelope(scene *s, const char *hex) {
  sc_buffer envelope;
  sc_buffer_init(&envelope, s->env);
  sc_status status = sc_test_hex(&envelope, hex);
  if (status == SC_OK)
    status = sc_wrapping_write(&s->wrapped, sc_buffer_bytes(&envelope));
  sc_buffer_free(&envelope);
  return status;
}

/* Wraps sealed content, padding included. */
SC_NODISCARD static sc_status wrap_content(scene *s, const sc_keypair *from, const char *hex) {
  static const uint8_t no_signature[64] = {0};
  sc_buffer content, sealed, envelope;
  sc_buffer_init(&content, s->env);
  sc_buffer_init(&sealed, s->env);
  sc_buffer_init(&envelope, s->env);
  sc_status status = sc_test_hex(&content, hex);
  if (status == SC_OK)
    status =
        sc_seal_deterministic(&sealed, from, SC_BYTES(s->account.x.public_key), sc_buffer_bytes(&content));
  if (status == SC_OK)
    status = sc_envelope_write(&envelope, SC__ENVELOPE__TYPE__CLOSED_GROUP_MESSAGE, 300,
                               sc_buffer_bytes(&sealed), no_signature);
  if (status == SC_OK)
    status = sc_wrapping_write(&s->wrapped, sc_buffer_bytes(&envelope));
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
  sc_buffer_free(&envelope);
  return status;
}

static void every_kind_is_wrapped_in_the_known_form(sc_test *t) {
  static const char *const known[] = {
      "e5bcbe0595e82d55e80079dc9cf8c8b6952c099ee8306c413833e0eecd45ce03",
      "1573a2e233008a47f445a8f1b328fe37bcd49450c94b743202b68902a1a94a89",
      "121dabefb251fa586c14f7e9c82590361c2db4efcb9817771bb4d9b0aaba9362",
      "b78bd9b62719db76ff7a9ec59eef3de0b4aaee4e4d55b515f70b04d674f8b8a9",
  };
  const sc_bytes hello = sc_bytes_text("Hello from the other side");
  scene s;
  set_scene(&s, t->env);
  for (int i = 0; i < 4; i += t->torture ? 3 : 1) {
    s.kind = (sc_legacy_config_kind)(i + 1);
    OK(sc_config_wrap(&s.wrapped, &s.account, s.kind, 1, hello));
    CHECK(is_hashed(known[i], sc_buffer_bytes(&s.wrapped)));
    OK(unwrap(&s));
    SAME(hello, sc_buffer_bytes(&s.unwrapped));
  }
done:
  leave_scene(&s);
}

static void the_outer_layer_has_the_known_bytes(sc_test *t) {
  static const char begin_hex[] = "080112ab030a0012001aa20308062801429b0326ec9746282053eb119228";
  uint8_t begin[sizeof begin_hex / 2];
  static const uint8_t end[] = {0xa3, 0x95, 0x20, 0x00};
  sc_test_hex_into(begin, sizeof begin, begin_hex);
  scene s;
  set_scene(&s, t->env);
  sc_buffer padded;
  sc_buffer_init(&padded, t->env);
  OK(sc_test_hex(&s.unwrapped, worked_messages[0].hex));
  OK(sc_config_pad(&padded, sc_buffer_bytes(&s.unwrapped), SC_CONFIG_ENCRYPT_OVERHEAD));
  OK(sc_config_encrypt(&s.unwrapped, worked_key(&s.account), sc_bytes_text("UserProfile"),
                       sc_buffer_bytes(&padded)));
  OK(sc_config_wrap(&s.wrapped, &s.account, s.kind, 0, sc_buffer_bytes(&s.unwrapped)));
  SAME(SC_BYTES(begin), sc_bytes_make(s.wrapped.ptr, sizeof begin));
  SAME(SC_BYTES(end), sc_bytes_make(s.wrapped.ptr + s.wrapped.len - sizeof end, sizeof end));
done:
  sc_buffer_free(&padded);
  leave_scene(&s);
}

static void invalid_input_is_not_wrapped(sc_test *t) {
  static const uint8_t large[SC_STORED_MAX_BYTES + 1] = {0};
  scene s;
  set_scene(&s, t->env);
  FAILS(SC_ERR_ARGUMENT,
        sc_config_wrap(&s.wrapped, &s.account, (sc_legacy_config_kind)0, 1, sc_bytes_make(NULL, 0)));
  FAILS(SC_ERR_ARGUMENT,
        sc_config_wrap(&s.wrapped, &s.account, (sc_legacy_config_kind)5, 1, sc_bytes_make(NULL, 0)));
  FAILS(SC_ERR_TOO_LARGE, sc_config_wrap(&s.wrapped, &s.account, s.kind, 1, SC_BYTES(large)));
  FAILS(SC_ERR_TOO_LARGE,
        sc_config_wrap(&s.wrapped, &s.account, s.kind, 1, sc_bytes_make(large, SC_STORED_MAX_BYTES - 100)));
  CHECK(s.wrapped.len == 0);
  OK(sc_config_wrap(&s.wrapped, &s.account, s.kind, INT64_MIN,
                    sc_bytes_make(large, SC_STORED_MAX_BYTES - 200)));
  CHECK(s.wrapped.len <= SC_STORED_MAX_BYTES);
done:
  leave_scene(&s);
}

typedef struct bad_bytes {
  const char *hex;
  sc_status status;
} bad_bytes;

static void a_wrapping_must_be_a_request(sc_test *t) {
  static const bad_bytes cases[] = {
      {"", SC_ERR_WRAPPING},
      {"ff", SC_ERR_WRAPPING},
      {"08", SC_ERR_WRAPPING},
      {"08ffffffffffffffffffff01", SC_ERR_WRAPPING}, /* a varint of 11 bytes */
      {"080112ff7f1a00", SC_ERR_WRAPPING},           /* a length beyond the end */
      {"000012021a00", SC_ERR_WRAPPING},             /* field 0 */
      {"080212021a00", SC_ERR_WRAPPING},             /* a response */
      {"080912021a00", SC_ERR_WRAPPING},             /* a type that is not known */
      {"12021a00", SC_ERR_WRAPPING},                 /* of no type */
      {"0802", SC_ERR_WRAPPING},
      {"0801", SC_ERR_WRAPPING_EMPTY},
      {"08011200", SC_ERR_WRAPPING_EMPTY},
      {"080112021a00", SC_ERR_ENVELOPE},
      {"0802080112021a00", SC_ERR_ENVELOPE}, /* the last type counts */
  };
  static const uint8_t too_large[SC_CONTENT_MAX_BYTES + 4097] = {0};
  scene s;
  set_scene(&s, t->env);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i += t->torture ? 5 : 1) {
    sc_buffer_clear(&s.wrapped);
    OK(sc_test_hex(&s.wrapped, cases[i].hex));
    FAILS(cases[i].status, unwrap(&s));
    CHECK(s.unwrapped.len == 0);
  }
  FAILS(SC_ERR_TOO_LARGE, sc_config_unwrap(&s.unwrapped, &s.account, s.kind, SC_BYTES(too_large)));
done:
  leave_scene(&s);
}

static void an_envelope_has_type_time_and_a_seal(sc_test *t) {
  static const bad_bytes cases[] = {
      {"", SC_ERR_ENVELOPE},         {"0806", SC_ERR_ENVELOPE},           {"2801", SC_ERR_ENVELOPE},
      {"08052801", SC_ERR_ENVELOPE}, {"08062801", SC_ERR_ENVELOPE_EMPTY}, {"080628014200", SC_ERR_TRUNCATED},
  };
  scene s;
  set_scene(&s, t->env);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i += t->torture ? 5 : 1) {
    OK(wrap_envelope(&s, cases[i].hex));
    FAILS(cases[i].status, unwrap(&s));
  }
done:
  leave_scene(&s);
}

/* Field 11 of a content holds the kind, the seqno and the config. */
static void a_content_has_padding_and_a_config_of_this_kind(sc_test *t) {
  static const bad_bytes cases[] = {
      {"5a080801100a1a02616280", SC_OK},
      {"5a080801100a1a026162800000000000", SC_OK},
      {"5a100801100a1a0a6162800000000000000080", SC_OK}, /* the last marker is the padding's */
      {"7805"
       "5a080801100a1a02616280",
       SC_OK}, /* a time */
      {"5a080802100a1a02616280", SC_ERR_CONFIG_KIND},
      {"5a080809100a1a02616280", SC_ERR_CONTENT}, /* a kind that is not known */
      {"5a04100a1a0080", SC_ERR_CONTENT},         /* no kind */
      {"5a0408011a0080", SC_ERR_CONTENT},         /* no seqno */
      {"5a040801100a80", SC_ERR_CONTENT},         /* no config */
      {"5a0580", SC_ERR_CONTENT},
      {"000080", SC_ERR_PROTO_TAG},
      {"", SC_ERR_FORMAT},
      {"80", SC_ERR_FORMAT},
      {"5a080801100a1a026162", SC_ERR_FORMAT},
      {"5a080801100a1a0261620000", SC_ERR_FORMAT},
      {"5a080801100a1a0261628001", SC_ERR_FORMAT},
      {"780580", SC_ERR_FORMAT},
  };
  scene s;
  set_scene(&s, t->env);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i += t->torture ? 5 : 1) {
    OK(wrap_content(&s, &s.account, cases[i].hex));
    FAILS(cases[i].status, unwrap(&s));
    CHECK((s.unwrapped.len >= 2) == (cases[i].status == SC_OK));
  }
done:
  leave_scene(&s);
}

static void only_the_account_itself_wraps(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  OK(wrap_content(&s, &s.other, "5a080801100a1a02616280"));
  FAILS(SC_ERR_CONFIG_AUTHOR, unwrap(&s));
  CHECK(s.unwrapped.len == 0);
  OK(sc_config_wrap(&s.wrapped, &s.other, s.kind, 1, sc_bytes_text("ab")));
  FAILS(SC_ERR_DECRYPT, unwrap(&s));
done:
  leave_scene(&s);
}

static void all_wrappings_are_stripped(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  sc_buffer twice, stripped;
  sc_buffer_init(&twice, t->env);
  sc_buffer_init(&stripped, t->env);
  const sc_bytes bare = sc_bytes_text("ab");
  OK(sc_config_wrap(&s.wrapped, &s.account, s.kind, 1, bare));
  OK(sc_config_wrap(&twice, &s.account, s.kind, 1, sc_buffer_bytes(&s.wrapped)));
  OK(sc_config_strip(&stripped, &s.account, s.kind, bare));
  SAME(bare, sc_buffer_bytes(&stripped));
  OK(sc_config_strip(&stripped, &s.account, s.kind, sc_buffer_bytes(&s.wrapped)));
  SAME(bare, sc_buffer_bytes(&stripped));
  OK(sc_config_strip(&stripped, &s.account, s.kind, sc_buffer_bytes(&twice)));
  SAME(bare, sc_buffer_bytes(&stripped));
  OK(sc_config_strip(&stripped, &s.account, s.kind, sc_bytes_make(NULL, 0)));
  CHECK(stripped.len == 0);
  OK(sc_config_strip(&stripped, &s.other, s.kind, sc_buffer_bytes(&s.wrapped)));
  SAME(sc_buffer_bytes(&s.wrapped), sc_buffer_bytes(&stripped));
done:
  sc_buffer_free(&twice);
  sc_buffer_free(&stripped);
  leave_scene(&s);
}

SUITE(config_legacy_wrap, "config/legacy_wrap",
      {"every kind is wrapped in the known form", every_kind_is_wrapped_in_the_known_form},
      {"the outer layer has the known bytes", the_outer_layer_has_the_known_bytes},
      {"invalid input is not wrapped", invalid_input_is_not_wrapped},
      {"a wrapping must be a request", a_wrapping_must_be_a_request},
      {"an envelope has type, time and a seal", an_envelope_has_type_time_and_a_seal},
      {"a content has padding and a config of this kind", a_content_has_padding_and_a_config_of_this_kind},
      {"only the account itself wraps", only_the_account_itself_wraps},
      {"all wrappings are stripped", all_wrappings_are_stripped});
