#include "session-core/ratchet/session.h"

#include "../base/declassify.h"
#include "session-core/base/secret.h"
#include "session_object.h"

sc_status sc_ratchet_session_make(sc_ratchet_session **out, const sc_env *env) {
  *out = NULL;
  sc_ratchet_session *session = sc_allocate(env, sizeof *session);
  if (session == NULL)
    return SC_ERR_NO_MEMORY;
  memset(session, 0, sizeof *session);
  session->env = env;
  sc_buffer_init(&session->skipped, env);
  sc_buffer_init(&session->removed, env);
  *out = session;
  return SC_OK;
}

void sc_ratchet_session_free(sc_ratchet_session *session) {
  if (session == NULL)
    return;
  const sc_env *env = session->env;
  sc_buffer_free(&session->skipped);
  sc_buffer_free(&session->removed);
  sc_wipe(session, sizeof *session);
  sc_release(env, session);
}

static sc_status fill(sc_ratchet_session *session, sc_bytes state, const sc_ratchet_skipped *skipped,
                      size_t count) {
  if (count > SC_RATCHET_MAX_SKIPPED)
    return SC_ERR_TOO_LARGE;
  sc_status status = sc_ratchet_state_read(&session->state, state);
  if (status == SC_OK && count > 0)
    status = sc_buffer_append(&session->skipped, sc_bytes_make(skipped, count * sizeof *skipped));
  return status;
}

sc_status sc_ratchet_session_load(sc_ratchet_session **out, const sc_env *env, sc_bytes state,
                                  const sc_ratchet_skipped *skipped, size_t skipped_count) {
  sc_status status = sc_ratchet_session_make(out, env);
  if (status == SC_OK)
    status = fill(*out, state, skipped, skipped_count);
  if (status != SC_OK) {
    sc_ratchet_session_free(*out);
    *out = NULL;
  }
  return status;
}

sc_status sc_ratchet_session_save(sc_buffer *out, const sc_ratchet_session *session) {
  sc_buffer_clear(out);
  uint8_t *space;
  sc_status status = sc_buffer_extend(&space, out, sc_ratchet_state_size(&session->state));
  if (status == SC_OK)
    sc_ratchet_state_write(space, &session->state);
  return status;
}

const sc_ratchet_skipped *sc_ratchet_session_skipped(const sc_ratchet_session *session, size_t *count) {
  *count = sc_ratchet_skipped_count(&session->skipped);
  return sc_ratchet_skipped_in(&session->skipped);
}

const sc_ratchet_skipped *sc_ratchet_session_added(const sc_ratchet_session *session, size_t *count) {
  *count = session->added;
  return session->added == 0 ? NULL
                             : sc_ratchet_skipped_in(&session->skipped) +
                                   (sc_ratchet_skipped_count(&session->skipped) - session->added);
}

const sc_ratchet_skipped *sc_ratchet_session_removed(const sc_ratchet_session *session, size_t *count) {
  *count = sc_ratchet_skipped_count(&session->removed);
  return sc_ratchet_skipped_in(&session->removed);
}

static sc_status append_tag_key(sc_buffer *out, const uint8_t header_key[static 32]) {
  uint8_t *space;
  sc_status status = sc_buffer_extend(&space, out, SC_RATCHET_TAG_KEY_BYTES);
  if (status == SC_OK)
    sc_ratchet_tag_key(space, header_key);
  return status;
}

/* How many keys a session has is no secret. */
static bool is_same_key(const uint8_t a[static 32], const uint8_t b[static 32]) {
  bool same = sc_equal(a, b, SC_KEY_BYTES);
  sc_declassify(&same, sizeof same);
  return same;
}

sc_status sc_ratchet_session_tag_keys(sc_buffer *out, const sc_ratchet_session *session) {
  const sc_ratchet_state *state = &session->state;
  const sc_ratchet_skipped *skipped = sc_ratchet_skipped_in(&session->skipped);
  sc_status status = append_tag_key(out, state->next_header_r);
  if (status == SC_OK && sc_ratchet_state_has(state, sc_ratchet_has_header_r))
    status = append_tag_key(out, state->header_r);
  const uint8_t *previous = state->header_r;
  for (size_t i = 0; i < sc_ratchet_skipped_count(&session->skipped) && status == SC_OK; i++) {
    if (!is_same_key(skipped[i].header_key, previous) && !is_same_key(skipped[i].header_key, state->header_r))
      status = append_tag_key(out, skipped[i].header_key);
    previous = skipped[i].header_key;
  }
  return status;
}

const sc_id *sc_ratchet_session_peer(const sc_ratchet_session *session) {
  return &session->state.peer;
}

const uint8_t *sc_ratchet_session_device(const sc_ratchet_session *session) {
  return session->state.device;
}

uint64_t sc_ratchet_session_started_s(const sc_ratchet_session *session) {
  return session->state.started_s;
}

const uint8_t *sc_ratchet_session_start_key(const sc_ratchet_session *session) {
  return session->state.start_key;
}

bool sc_ratchet_session_is_initiator(const sc_ratchet_session *session) {
  return sc_ratchet_state_has(&session->state, sc_ratchet_initiator);
}

bool sc_ratchet_session_is_pending(const sc_ratchet_session *session) {
  return sc_ratchet_state_has(&session->state, sc_ratchet_pending);
}

bool sc_ratchet_session_can_send(const sc_ratchet_session *session) {
  return sc_ratchet_state_can_send(&session->state);
}

int sc_ratchet_session_compare(const sc_ratchet_session *a, const sc_ratchet_session *b) {
  if (a->state.started_s != b->state.started_s)
    return a->state.started_s < b->state.started_s ? -1 : 1;
  return memcmp(a->state.start_key, b->state.start_key, SC_KEY_BYTES);
}

uint64_t sc_ratchet_session_heard_ms(const sc_ratchet_session *session) {
  return session->state.heard_ms;
}

void sc_ratchet_session_note_heard(sc_ratchet_session *session, uint64_t sent_ms) {
  if (sent_ms > session->state.heard_ms)
    session->state.heard_ms = sent_ms;
}
