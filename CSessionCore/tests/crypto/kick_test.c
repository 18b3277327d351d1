#include "support/test.h"

static const char domain[] = "SessionGroupKickedMessage";

/* A group, two members, and buffers. */
typedef struct scene {
  sc_keypair group;
  sc_keypair members[2];
  sc_id group_id;
  sc_id ids[2];
  sc_buffer notice;
} scene;

static void keypair_of(sc_keypair *out, int seed_byte) {
  uint8_t seed[SC_ED25519_SEED_BYTES];
  memset(seed, seed_byte, sizeof seed);
  sc_keypair_from_seed(out, seed);
}

static void set_scene(scene *out, const sc_env *env) {
  keypair_of(&out->group, 0x11);
  sc_id_make(&out->group_id, SC_ID_GROUP, out->group.ed.public_key);
  for (int i = 0; i < 2; i++) {
    keypair_of(&out->members[i], 0x33 + i);
    sc_id_make(&out->ids[i], SC_ID_STANDARD, out->members[i].x.public_key);
  }
  sc_buffer_init(&out->notice, env);
}

static void leave_scene(scene *scene) {
  sc_buffer_free(&scene->notice);
}

static void each_member_learns_the_generation(sc_test *t) {
  static const uint64_t generations[] = {0, 1, 9, 10, 1234567890, UINT64_MAX};
  scene s;
  set_scene(&s, t->env);
  for (size_t i = 0; i < sizeof generations / sizeof generations[0]; i++) {
    OK(sc_kick_seal(&s.notice, t->env, &s.group, s.ids, 2, generations[i]));
    for (int member = 0; member < 2; member++) {
      uint64_t generation = 99;
      OK(sc_kick_open(&generation, t->env, &s.members[member], &s.group_id, sc_buffer_bytes(&s.notice)));
      CHECK(generation == generations[i]);
    }
  }
done:
  leave_scene(&s);
}

static void the_message_is_the_members_key_and_a_decimal_generation(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  sc_buffer message;
  sc_buffer_init(&message, t->env);
  OK(sc_kick_seal(&s.notice, t->env, &s.group, s.ids, 2, 42));
  OK(sc_multi_open(&message, &s.members[1].x, s.group.x.public_key, sc_bytes_text(domain),
                   sc_buffer_bytes(&s.notice)));
  CHECK(message.len == SC_KEY_BYTES + 2);
  SAME(SC_BYTES(s.members[1].x.public_key), sc_bytes_make(message.ptr, SC_KEY_BYTES));
  SAME(sc_bytes_text("42"), sc_bytes_make(message.ptr + SC_KEY_BYTES, 2));
done:
  sc_buffer_free(&message);
  leave_scene(&s);
}

static void no_other_account_opens_the_notice(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  uint64_t generation = 99;
  OK(sc_kick_seal(&s.notice, t->env, &s.group, s.ids, 1, 7));
  sc_bytes notice = sc_buffer_bytes(&s.notice);
  FAILS(SC_ERR_NO_KEY, sc_kick_open(&generation, t->env, &s.members[1], &s.group_id, notice));
  CHECK(generation == 0);
  sc_keypair other;
  sc_id other_group;
  keypair_of(&other, 0x55);
  sc_id_make(&other_group, SC_ID_GROUP, other.ed.public_key);
  FAILS(SC_ERR_NO_KEY, sc_kick_open(&generation, t->env, &s.members[0], &other_group, notice));
  s.notice.ptr[s.notice.len - 3] ^= 1;
  FAILS(SC_ERR_NO_KEY, sc_kick_open(&generation, t->env, &s.members[0], &s.group_id, notice));
done:
  leave_scene(&s);
}

static void a_notice_names_its_reader_and_a_generation(sc_test *t) {
  static const char *const rests[] = {"",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1x",
                                      "0x1",
                                      "00",
                                      "01",
                                      "1.0",
                                      "\xd9\xa1",
                                      "18446744073709551616",
                                      "99999999999999999999",
                                      "100000000000000000000",
                                      "000000000000000000001"};
  scene s;
  set_scene(&s, t->env);
  sc_buffer text;
  sc_buffer_init(&text, t->env);
  const sc_bytes me = SC_BYTES(s.members[0].x.public_key);
  uint64_t generation;
  for (size_t i = 0; i < sizeof rests / sizeof rests[0]; i++) {
    sc_buffer_clear(&text);
    OK(sc_buffer_append(&text, me));
    OK(sc_buffer_append(&text, sc_bytes_text(rests[i])));
    const sc_bytes message = sc_buffer_bytes(&text);
    OK(sc_multi_seal(&s.notice, t->env, &s.group.x, &me, 1, &message, 1, sc_bytes_text(domain), NULL));
    generation = 99;
    FAILS(SC_ERR_KICK,
          sc_kick_open(&generation, t->env, &s.members[0], &s.group_id, sc_buffer_bytes(&s.notice)));
    CHECK(generation == 0);
  }
  /* Another member's key, and a key that is too short. */
  sc_buffer_clear(&text);
  OK(sc_buffer_append(&text, SC_BYTES(s.members[1].x.public_key)));
  OK(sc_buffer_append(&text, sc_bytes_text("5")));
  for (size_t len = text.len; len >= SC_KEY_BYTES - 1; len -= 2) {
    const sc_bytes message = sc_bytes_make(text.ptr, len);
    OK(sc_multi_seal(&s.notice, t->env, &s.group.x, &me, 1, &message, 1, sc_bytes_text(domain), NULL));
    FAILS(SC_ERR_KICK,
          sc_kick_open(&generation, t->env, &s.members[0], &s.group_id, sc_buffer_bytes(&s.notice)));
  }
done:
  sc_buffer_free(&text);
  leave_scene(&s);
}

static void unusable_ids_are_refused(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  uint64_t generation;
  FAILS(SC_ERR_ID_KIND, sc_kick_open(&generation, t->env, &s.members[0], &s.ids[0], sc_bytes_text("de")));
  const uint8_t zeros[SC_KEY_BYTES] = {0};
  sc_id unsafe;
  sc_id_make(&unsafe, SC_ID_GROUP, zeros);
  FAILS(SC_ERR_KEY_INVALID, sc_kick_open(&generation, t->env, &s.members[0], &unsafe, sc_bytes_text("de")));
  const sc_id members[] = {s.ids[0], s.group_id};
  FAILS(SC_ERR_ID_KIND, sc_kick_seal(&s.notice, t->env, &s.group, members, 2, 0));
  CHECK(s.notice.len == 0);
  sc_id_make(&unsafe, SC_ID_STANDARD, zeros);
  FAILS(SC_ERR_KEY_INVALID, sc_kick_seal(&s.notice, t->env, &s.group, &unsafe, 1, 0));
  CHECK(s.notice.len == 0);
done:
  leave_scene(&s);
}

static void a_notice_names_at_least_one_member_and_not_too_many(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  FAILS(SC_ERR_ARGUMENT, sc_kick_seal(&s.notice, t->env, &s.group, s.ids, 0, 1));
  FAILS(SC_ERR_TOO_LARGE, sc_kick_seal(&s.notice, t->env, &s.group, s.ids, SC_MULTI_MAX_ENTRIES + 1, 1));
  CHECK(s.notice.len == 0);
done:
  leave_scene(&s);
}

static void malformed_notices_are_refused(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  uint64_t generation;
  FAILS(SC_ERR_TRUNCATED, sc_kick_open(&generation, t->env, &s.members[0], &s.group_id, sc_bytes_text("")));
  FAILS(SC_ERR_FORMAT, sc_kick_open(&generation, t->env, &s.members[0], &s.group_id, sc_bytes_text("de")));
  FAILS(SC_ERR_BT_TYPE, sc_kick_open(&generation, t->env, &s.members[0], &s.group_id, sc_bytes_text("le")));
done:
  leave_scene(&s);
}

SUITE(crypto_kick, "crypto/kick", {"each member learns the generation", each_member_learns_the_generation},
      {"the message is the member's key and a decimal generation",
       the_message_is_the_members_key_and_a_decimal_generation},
      {"no other account opens the notice", no_other_account_opens_the_notice},
      {"a notice names its reader and a generation", a_notice_names_its_reader_and_a_generation},
      {"unusable ids are refused", unusable_ids_are_refused},
      {"a notice names at least one member and not too many",
       a_notice_names_at_least_one_member_and_not_too_many},
      {"malformed notices are refused", malformed_notices_are_refused});
