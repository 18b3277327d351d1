#include "scene.h"

enum { round_trips = 2 };

static void chains_change_with_each_answer(sc_test *t) {
  scene s;
  OK(scene_meet(&s, t->env));
  for (int i = 0; i < 5; i++) {
    sc_ratchet_session *const from = i % 2 == 0 ? s.from_alice : s.from_bob;
    sc_ratchet_session *const to = i % 2 == 0 ? s.from_bob : s.from_alice;
    const sc_ratchet_state before = to->state;
    OK(seal_hello(&s, from));
    OK(open_sealed(&s, to));
    CHECK(memcmp(before.own_secret, to->state.own_secret, SC_KEY_BYTES) != 0);
    CHECK(memcmp(before.header_r, to->state.header_r, SC_KEY_BYTES) != 0);
    CHECK(memcmp(before.root, to->state.root, SC_KEY_BYTES) != 0);
    OK(seal_hello(&s, from));
    OK(open_sealed(&s, to));
  }
done:
  scene_free(&s);
}

static void messages_open_in_any_order(sc_test *t) {
  enum { count = 6 };
  static const size_t order[count] = {4, 1, 5, 0, 3, 2};
  scene s;
  sc_buffer kept[count];
  for (size_t i = 0; i < count; i++)
    sc_buffer_init(&kept[i], t->env);
  OK(scene_meet(&s, t->env));
  for (size_t i = 0; i < count; i++) {
    OK(seal_hello(&s, s.from_alice));
    OK(sc_buffer_append(&kept[i], sc_buffer_bytes(&s.sealed)));
    if (i == 2) { /* an answer, so that the rest is of another chain */
      OK(seal_hello(&s, s.from_bob));
      OK(open_sealed(&s, s.from_alice));
    }
  }
  for (size_t i = 0; i < count; i++) {
    OK(sc_ratchet_envelope_parse(&s.envelope, sc_buffer_bytes(&kept[order[i]])));
    OK(open_sealed(&s, s.from_bob));
  }
  CHECK(s.from_bob->skipped.len == 0);
done:
  for (size_t i = 0; i < count; i++)
    sc_buffer_free(&kept[i]);
  scene_free(&s);
}

/* A stolen copy of Bob's session opens nothing after two round trips, and nothing of before the theft. */
static void a_stolen_session_is_useless_after_two_round_trips(sc_test *t) {
  scene s;
  sc_buffer state, earlier;
  sc_buffer_init(&state, t->env);
  sc_buffer_init(&earlier, t->env);
  OK(scene_meet(&s, t->env));
  OK(seal_hello(&s, s.from_alice));
  OK(sc_buffer_append(&earlier, sc_buffer_bytes(&s.sealed)));
  OK(open_sealed(&s, s.from_bob));
  OK(sc_ratchet_session_save(&state, s.from_bob));
  OK(sc_ratchet_session_load(&s.other, t->env, sc_buffer_bytes(&state), NULL, 0));
  OK(seal_hello(&s, s.from_alice));
  OK(open_sealed(&s, s.other)); /* at first */
  OK(open_sealed(&s, s.from_bob));
  for (int i = 0; i < round_trips; i++) {
    OK(seal_hello(&s, s.from_bob));
    OK(open_sealed(&s, s.from_alice));
    OK(seal_hello(&s, s.from_alice));
    sc_status status = open_sealed(&s, s.other);
    FAILS(status == SC_ERR_NO_MEMORY ? SC_OK : status, status);
    OK(open_sealed(&s, s.from_bob));
  }
  OK(seal_hello(&s, s.from_alice));
  FAILS(SC_ERR_RATCHET_DAMAGED, open_sealed(&s, s.other)); /* the header opens, the key does not */
  OK(open_sealed(&s, s.from_bob));
  sc_ratchet_session_free(s.other);
  s.other = NULL;
  OK(sc_ratchet_session_load(&s.other, t->env, sc_buffer_bytes(&state), NULL, 0));
  OK(sc_ratchet_envelope_parse(&s.envelope, sc_buffer_bytes(&earlier)));
  FAILS(SC_ERR_RATCHET_BROKEN, open_sealed(&s, s.other)); /* the key is gone */
done:
  sc_buffer_free(&state);
  sc_buffer_free(&earlier);
  scene_free(&s);
}

/* The first message of each side opens a session on the other, and both order the two alike. */
static void simultaneous_starts_are_ordered_alike(sc_test *t) {
  scene s;
  sc_ratchet_session *opened_by_alice = NULL;
  sc_buffer to_bob;
  sc_buffer_init(&to_bob, t->env);
  OK(scene_start(&s, t->env));
  OK(seal_hello(&s, s.from_alice));
  OK(sc_buffer_append(&to_bob, sc_buffer_bytes(&s.sealed)));
  OK(sc_ratchet_session_start(&s.other, t->env, &s.bob.device, &s.alice.bundle, 0, now_s));
  OK(seal_hello(&s, s.other));
  OK(sc_ratchet_starts(s.starts, &s.start_count, &s.envelope, &s.alice.device));
  CHECK(s.start_count == 1);
  OK(sc_ratchet_open_start(&s.opened, &opened_by_alice, &s.sender, t->env, &s.envelope, &s.starts[0],
                           &s.alice.device, &s.alice.prekeys, &s.options));
  OK(sc_ratchet_envelope_parse(&s.envelope, sc_buffer_bytes(&to_bob)));
  OK(open_first_start(&s));
  const int for_alice = sc_ratchet_session_compare(s.from_alice, opened_by_alice);
  const int for_bob = sc_ratchet_session_compare(s.from_bob, s.other);
  CHECK(for_alice != 0 && (for_alice < 0) == (for_bob < 0));
done:
  sc_ratchet_session_free(opened_by_alice);
  sc_buffer_free(&to_bob);
  scene_free(&s);
}

/* Two initiators drew the same one-time prekey: both start. */
static void two_starts_share_a_one_time_prekey(sc_test *t) {
  scene s;
  OK(scene_start(&s, t->env));
  OK(sc_ratchet_session_start(&s.other, t->env, &s.alice.device, &s.bob.bundle, 0, now_s + 1));
  OK(seal_hello(&s, s.other));
  OK(open_first_start(&s));
  OK(seal_hello(&s, s.from_alice));
  OK(open_first_start(&s));
done:
  scene_free(&s);
}

SUITE(ratchet_receive, "ratchet/receive", {"chains change with each answer", chains_change_with_each_answer},
      {"messages open in any order", messages_open_in_any_order},
      {"a stolen session is useless after two round trips",
       a_stolen_session_is_useless_after_two_round_trips},
      {"simultaneous starts are ordered alike", simultaneous_starts_are_ordered_alike},
      {"two starts share a one-time prekey", two_starts_share_a_one_time_prekey});
