#include "scene.h"

static void messages_have_few_sizes(sc_test *t) {
  static const struct size {
    size_t body;
    size_t message;
  } established[] = {{1, 1024}, {412, 1024}, {413, 1280}, {668, 1280}, {669, 1536}},
    pending[] = {{1, 5888}, {148, 5888}, {149, 6144}};
  static const uint8_t body[700];
  scene s;
  OK(scene_start(&s, t->env));
  for (size_t i = 0; i < sizeof pending / sizeof pending[0]; i++) {
    OK(seal_body(&s, s.from_alice, sc_bytes_make(body, pending[i].body)));
    CHECK(s.sealed.len == pending[i].message && s.envelope.has_starts && s.envelope.slot_count == 4);
  }
  OK(seal_hello(&s, s.from_alice));
  OK(open_first_start(&s));
  for (size_t i = 0; i < sizeof established / sizeof established[0]; i++) {
    OK(seal_body(&s, s.from_bob, sc_bytes_make(body, established[i].body)));
    CHECK(s.sealed.len == established[i].message && !s.envelope.has_starts && s.envelope.slot_count == 4);
  }
done:
  scene_free(&s);
}

static void too_long_a_body_steps_nothing(sc_test *t) {
  static const uint8_t body[SC_RATCHET_MAX_MESSAGE_BYTES];
  const size_t most = SC_RATCHET_MAX_MESSAGE_BYTES - 68 - 4 * 132 - 16;
  scene s;
  OK(scene_meet(&s, t->env));
  const sc_ratchet_state before = s.from_alice->state;
  FAILS(SC_ERR_TOO_LARGE, seal_body(&s, s.from_alice, sc_bytes_make(body, most + 1)));
  FAILS(SC_ERR_TOO_LARGE, seal_body(&s, s.from_alice, sc_bytes_make(body, sizeof body)));
  CHECK(is_unchanged(s.from_alice, &before) && s.sealed.len == 0);
  OK(seal_body(&s, s.from_alice, sc_bytes_make(body, most)));
  CHECK(s.sealed.len == SC_RATCHET_MAX_MESSAGE_BYTES);
done:
  scene_free(&s);
}

static void bodies_that_break_a_rule_are_not_sealed(sc_test *t) {
  scene s;
  OK(scene_meet(&s, t->env));
  const sc_ratchet_state before = s.from_alice->state;
  FAILS(SC_ERR_RATCHET_BODY, sc_ratchet_seal(&s.sealed, t->env, &s.from_alice, 1, sc_bytes_text("de"), NULL));
  CHECK(is_unchanged(s.from_alice, &before) && s.sealed.len == 0);
  OK(sc_ratchet_seal(&s.sealed, t->env, &s.from_alice, 1, sc_bytes_text(hello), NULL));
done:
  scene_free(&s);
}

static void impossible_requests_are_refused(sc_test *t) {
  static const uint8_t beyond = 4, twice[] = {1, 1};
  scene s;
  OK(scene_meet(&s, t->env));
  OK(sc_ratchet_session_start(&s.other, t->env, &s.alice.device, &s.bob.bundle, 1, now_s + 1));
  sc_ratchet_session *sessions[33];
  for (size_t i = 0; i < 33; i++)
    sessions[i] = s.from_alice;
  const sc_bytes body = sc_bytes_text(hello);
  FAILS(SC_ERR_ARGUMENT, sc_ratchet_seal(&s.sealed, t->env, sessions, 0, body, NULL));
  FAILS(SC_ERR_ARGUMENT, sc_ratchet_seal(&s.sealed, t->env, sessions, 2, body, NULL));
  FAILS(SC_ERR_TOO_LARGE, sc_ratchet_seal(&s.sealed, t->env, sessions, 33, body, NULL));
  FAILS(SC_ERR_ARGUMENT, sc_ratchet_seal(&s.sealed, t->env, sessions, 1, body, &beyond));
  sessions[1] = s.other;
  FAILS(SC_ERR_ARGUMENT, sc_ratchet_seal(&s.sealed, t->env, sessions, 2, body, twice));
  OK(sc_ratchet_seal(&s.sealed, t->env, sessions, 2, body, NULL));
done:
  scene_free(&s);
}

static void a_session_at_its_end_sends_nothing(sc_test *t) {
  scene s;
  OK(scene_meet(&s, t->env));
  s.from_alice->state.sent = SC_RATCHET_MAX_CHAIN - 1;
  CHECK(sc_ratchet_session_can_send(s.from_alice));
  OK(seal_hello(&s, s.from_alice));
  CHECK(!sc_ratchet_session_can_send(s.from_alice));
  FAILS(SC_ERR_RATCHET_CLOSED, seal_hello(&s, s.from_alice));
done:
  scene_free(&s);
}

/* True if the messages have 8 bytes in common at any offset. The prefix is shorter. */
static bool share_bytes(const sc_buffer *a, const sc_buffer *b) {
  enum { buckets = 65536 };
  static uint8_t seen[buckets];
  memset(seen, 0, sizeof seen);
  for (size_t i = 0; i + 8 <= a->len; i++)
    seen[a->ptr[i] | a->ptr[i + 1] << 8] = 1;
  for (size_t j = 0; j + 8 <= b->len; j++)
    if (seen[b->ptr[j] | b->ptr[j + 1] << 8] != 0)
      for (size_t i = 0; i + 8 <= a->len; i++)
        if (memcmp(a->ptr + i, b->ptr + j, 8) == 0)
          return true;
  return false;
}

static void messages_of_one_start_have_nothing_in_common(sc_test *t) {
  scene s;
  sc_buffer first;
  sc_buffer_init(&first, t->env);
  OK(scene_start(&s, t->env));
  OK(seal_hello(&s, s.from_alice));
  OK(sc_buffer_append(&first, sc_buffer_bytes(&s.sealed)));
  OK(seal_hello(&s, s.from_alice));
  CHECK(!share_bytes(&first, &s.sealed));
done:
  sc_buffer_free(&first);
  scene_free(&s);
}

/* A device that was rolled back uses a message key again, but no cipher key. */
static void a_state_that_is_used_twice_gives_no_key_twice(sc_test *t) {
  scene s;
  sc_buffer first;
  sc_buffer_init(&first, t->env);
  OK(scene_meet(&s, t->env));
  const sc_ratchet_state before = s.from_alice->state;
  OK(seal_hello(&s, s.from_alice));
  OK(sc_buffer_append(&first, sc_buffer_bytes(&s.sealed)));
  s.from_alice->state = before;
  OK(seal_hello(&s, s.from_alice));
  CHECK(!share_bytes(&first, &s.sealed));
done:
  sc_buffer_free(&first);
  scene_free(&s);
}

static void real_slots_stand_anywhere(sc_test *t) {
  scene s;
  uint32_t seen = 0;
  OK(scene_meet(&s, t->env));
  for (int i = 0; i < (t->torture ? 1 : 64); i++) {
    OK(seal_hello(&s, s.from_alice));
    size_t slot = slot_of(&s, s.from_bob);
    CHECK(slot < 4);
    seen |= (uint32_t)1 << slot;
  }
  CHECK(t->torture || seen == 15);
done:
  scene_free(&s);
}

SUITE(ratchet_seal, "ratchet/seal", {"messages have few sizes", messages_have_few_sizes},
      {"too long a body steps nothing", too_long_a_body_steps_nothing},
      {"bodies that break a rule are not sealed", bodies_that_break_a_rule_are_not_sealed},
      {"impossible requests are refused", impossible_requests_are_refused},
      {"a session at its end sends nothing", a_session_at_its_end_sends_nothing},
      {"messages of one start have nothing in common", messages_of_one_start_have_nothing_in_common},
      {"a state that is used twice gives no key twice", a_state_that_is_used_twice_gives_no_key_twice},
      {"real slots stand anywhere", real_slots_stand_anywhere});
