#include "scene.h"

static void unusable_bundles_start_nothing(sc_test *t) {
  static const uint8_t zeros[SC_RATCHET_MAX_ONE_TIME * SC_KEY_BYTES];
  scene s;
  OK(scene_start(&s, t->env));
  sc_ratchet_bundle bundle = s.bob.bundle;
  FAILS(SC_ERR_ARGUMENT,
        sc_ratchet_session_start(&s.other, t->env, &s.alice.device, &bundle, one_time_keys, now_s));
  FAILS(SC_ERR_ARGUMENT, sc_ratchet_session_start(&s.other, t->env, &s.alice.device, &bundle, 0, 0));
  bundle.signed_prekey = sc_bytes_make(zeros, SC_KEY_BYTES);
  FAILS(SC_ERR_KEY_INVALID, sc_ratchet_session_start(&s.other, t->env, &s.alice.device, &bundle, 0, now_s));
  bundle = s.bob.bundle;
  bundle.one_time = SC_BYTES(zeros);
  FAILS(SC_ERR_KEY_INVALID, sc_ratchet_session_start(&s.other, t->env, &s.alice.device, &bundle, 0, now_s));
  bundle = (sc_ratchet_bundle){.is_withdrawal = true};
  FAILS(SC_ERR_ARGUMENT,
        sc_ratchet_session_start(&s.other, t->env, &s.alice.device, &bundle, SC_RATCHET_NO_ONE_TIME, now_s));
  CHECK(s.other == NULL);
done:
  scene_free(&s);
}

static void both_sides_know_the_session_by_the_same_names(sc_test *t) {
  scene s;
  OK(scene_start(&s, t->env));
  CHECK(sc_ratchet_session_is_initiator(s.from_alice) && sc_ratchet_session_is_pending(s.from_alice));
  OK(seal_hello(&s, s.from_alice));
  OK(open_first_start(&s));
  CHECK(!sc_ratchet_session_is_initiator(s.from_bob) && !sc_ratchet_session_is_pending(s.from_bob));
  SAME(sc_bytes_make(sc_ratchet_session_start_key(s.from_alice), 32),
       sc_bytes_make(sc_ratchet_session_start_key(s.from_bob), 32));
  CHECK(sc_ratchet_session_started_s(s.from_alice) == now_s &&
        sc_ratchet_session_started_s(s.from_bob) == now_s);
  SAME(SC_BYTES(s.alice.account.id.bytes), SC_BYTES(sc_ratchet_session_peer(s.from_bob)->bytes));
  SAME(SC_BYTES(s.bob.device.keys.ed.public_key), sc_bytes_make(sc_ratchet_session_device(s.from_alice), 32));
  SAME(SC_BYTES(s.alice.device.keys.ed.public_key), SC_BYTES(s.sender.device));
  OK(seal_hello(&s, s.from_bob));
  OK(open_sealed(&s, s.from_alice));
  CHECK(!sc_ratchet_session_is_pending(s.from_alice));
done:
  scene_free(&s);
}

static void sessions_are_ordered_by_time_and_start_key(sc_test *t) {
  scene s;
  OK(scene_start(&s, t->env));
  OK(sc_ratchet_session_start(&s.other, t->env, &s.alice.device, &s.bob.bundle, 1, now_s + 1));
  CHECK(sc_ratchet_session_compare(s.from_alice, s.other) < 0);
  CHECK(sc_ratchet_session_compare(s.other, s.from_alice) > 0);
  CHECK(sc_ratchet_session_compare(s.other, s.other) == 0);
  s.other->state.started_s = now_s;
  memset(s.other->state.start_key, 0xff, SC_KEY_BYTES);
  CHECK(sc_ratchet_session_compare(s.from_alice, s.other) < 0);
done:
  scene_free(&s);
}

static void skipped_keys_come_back_with_the_session(sc_test *t) {
  scene s;
  sc_buffer late;
  size_t count;
  sc_buffer_init(&late, t->env);
  OK(scene_meet(&s, t->env));
  OK(seal_hello(&s, s.from_alice));
  OK(sc_buffer_append(&late, sc_buffer_bytes(&s.sealed)));
  OK(seal_hello(&s, s.from_alice));
  OK(open_sealed(&s, s.from_bob));
  const sc_ratchet_skipped *added = sc_ratchet_session_added(s.from_bob, &count);
  CHECK(count == 1 && added[0].number == 0 && added[0].skipped_s == now_s);
  OK(sc_ratchet_session_save(&s.opened, s.from_bob));
  OK(sc_ratchet_session_load(&s.other, t->env, sc_buffer_bytes(&s.opened), added, count));
  OK(sc_ratchet_envelope_parse(&s.envelope, sc_buffer_bytes(&late)));
  OK(open_sealed(&s, s.other));
  const sc_ratchet_skipped *removed = sc_ratchet_session_removed(s.other, &count);
  CHECK(count == 1 && removed[0].number == 0);
  (void)sc_ratchet_session_skipped(s.other, &count);
  CHECK(count == 0);
  (void)sc_ratchet_session_added(s.other, &count);
  CHECK(count == 0);
done:
  sc_buffer_free(&late);
  scene_free(&s);
}

/* The keys of a row, which nothing can be opened with. */
static void the_oldest_keys_go_when_there_are_too_many(sc_test *t) {
  static sc_ratchet_skipped keys[SC_RATCHET_MAX_SKIPPED + 1];
  scene s;
  size_t count;
  for (uint32_t i = 0; i <= SC_RATCHET_MAX_SKIPPED; i++)
    keys[i] = (sc_ratchet_skipped){.header_key = {1}, .number = i};
  OK(scene_meet(&s, t->env));
  OK(sc_ratchet_session_save(&s.opened, s.from_bob));
  FAILS(SC_ERR_TOO_LARGE, sc_ratchet_session_load(&s.other, t->env, sc_buffer_bytes(&s.opened), keys,
                                                  SC_RATCHET_MAX_SKIPPED + 1));
  OK(sc_ratchet_session_load(&s.other, t->env, sc_buffer_bytes(&s.opened), keys, SC_RATCHET_MAX_SKIPPED));
  send_nothing(s.from_alice, 3);
  OK(seal_hello(&s, s.from_alice));
  OK(open_sealed(&s, s.other));
  const sc_ratchet_skipped *removed = sc_ratchet_session_removed(s.other, &count);
  CHECK(count == 3 && removed[0].number == 0 && removed[2].number == 2);
  const sc_ratchet_skipped *added = sc_ratchet_session_added(s.other, &count);
  CHECK(count == 3 && added[0].number == 0 && added[2].number == 2);
  (void)sc_ratchet_session_skipped(s.other, &count);
  CHECK(count == SC_RATCHET_MAX_SKIPPED);
done:
  scene_free(&s);
}

static void fewer_keys_of_strangers_are_kept(sc_test *t) {
  scene s;
  size_t count;
  OK(scene_meet(&s, t->env));
  s.options.max_skipped = SC_RATCHET_MAX_SKIPPED_STRANGER;
  send_nothing(s.from_alice, 150);
  OK(seal_hello(&s, s.from_alice));
  OK(open_sealed(&s, s.from_bob));
  const sc_ratchet_skipped *kept = sc_ratchet_session_skipped(s.from_bob, &count);
  CHECK(count == SC_RATCHET_MAX_SKIPPED_STRANGER && kept[0].number == 50);
  (void)sc_ratchet_session_added(s.from_bob, &count);
  CHECK(count == SC_RATCHET_MAX_SKIPPED_STRANGER);
done:
  scene_free(&s);
}

static void the_latest_time_heard_is_kept(sc_test *t) {
  scene s;
  OK(scene_start(&s, t->env));
  sc_ratchet_session_note_heard(s.from_alice, 20);
  sc_ratchet_session_note_heard(s.from_alice, 10);
  CHECK(sc_ratchet_session_heard_ms(s.from_alice) == 20);
done:
  scene_free(&s);
}

SUITE(ratchet_session, "ratchet/session", {"unusable bundles start nothing", unusable_bundles_start_nothing},
      {"both sides know the session by the same names", both_sides_know_the_session_by_the_same_names},
      {"sessions are ordered by time and start key", sessions_are_ordered_by_time_and_start_key},
      {"skipped keys come back with the session", skipped_keys_come_back_with_the_session},
      {"the oldest keys go when there are too many", the_oldest_keys_go_when_there_are_too_many},
      {"fewer keys of strangers are kept", fewer_keys_of_strangers_are_kept},
      {"the latest time heard is kept", the_latest_time_heard_is_kept});
