#include "scene.h"

/* Both forms: pending and established. */
static void a_state_is_loaded_as_it_was_saved(sc_test *t) {
  scene s;
  OK(scene_start(&s, t->env));
  OK(sc_ratchet_session_save(&s.sealed, s.from_alice));
  CHECK(s.sealed.len == SC_RATCHET_PENDING_STATE_BYTES);
  OK(sc_ratchet_session_load(&s.other, t->env, sc_buffer_bytes(&s.sealed), NULL, 0));
  CHECK(is_unchanged(s.other, &s.from_alice->state));
  OK(seal_hello(&s, s.other));
  OK(open_first_start(&s));
  OK(sc_ratchet_session_save(&s.sealed, s.from_bob));
  CHECK(s.sealed.len == SC_RATCHET_STATE_BYTES);
done:
  scene_free(&s);
}

static void damaged_states_are_refused(sc_test *t) {
  /* Magic, version, the highest flag, what is reserved, and the kind of the peer's id. */
  static const struct damage {
    size_t at;
    uint8_t mask;
  } damages[] = {{0, 1}, {3, 1}, {4, 3}, {5, 0x80}, {6, 1}, {7, 1}, {8, 6}};
  scene s;
  sc_ratchet_session *loaded = NULL;
  OK(scene_start(&s, t->env));
  OK(sc_ratchet_session_save(&s.sealed, s.from_alice));
  for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
    s.sealed.ptr[damages[i].at] ^= damages[i].mask;
    FAILS(SC_ERR_RATCHET_STATE,
          sc_ratchet_session_load(&loaded, t->env, sc_buffer_bytes(&s.sealed), NULL, 0));
    CHECK(loaded == NULL);
    s.sealed.ptr[damages[i].at] ^= damages[i].mask;
  }
  for (size_t len = 0; len < s.sealed.len; len += 151)
    FAILS(SC_ERR_RATCHET_STATE,
          sc_ratchet_session_load(&loaded, t->env, sc_bytes_make(s.sealed.ptr, len), NULL, 0));
done:
  scene_free(&s);
}

/* The key of a flag that is not set, and a pending session that the other side started. */
static void contradicting_flags_are_refused(sc_test *t) {
  scene s;
  sc_ratchet_session *loaded = NULL;
  OK(scene_start(&s, t->env));
  OK(sc_ratchet_session_save(&s.sealed, s.from_alice));
  for (unsigned bit = 0; bit < 7; bit++) {
    bool absent = bit == 1 || bit == 4; /* so the flag alone says nothing false */
    s.sealed.ptr[5] ^= (uint8_t)(1U << bit);
    FAILS(absent ? SC_OK : SC_ERR_RATCHET_STATE,
          sc_ratchet_session_load(&loaded, t->env, sc_buffer_bytes(&s.sealed), NULL, 0));
    sc_ratchet_session_free(loaded);
    loaded = NULL;
    s.sealed.ptr[5] ^= (uint8_t)(1U << bit);
  }
done:
  sc_ratchet_session_free(loaded);
  scene_free(&s);
}

SUITE(ratchet_state, "ratchet/state",
      {"a state is loaded as it was saved", a_state_is_loaded_as_it_was_saved},
      {"damaged states are refused", damaged_states_are_refused},
      {"contradicting flags are refused", contradicting_flags_are_refused});
