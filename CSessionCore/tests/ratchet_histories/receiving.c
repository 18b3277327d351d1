#include "receiving.h"

void reload(history *h, held_session *held) {
  sc_buffer state;
  size_t count;
  sc_ratchet_session *again = NULL;
  sc_buffer_init(&state, &h->env.env);
  const sc_ratchet_skipped *skipped = sc_ratchet_session_skipped(held->session, &count);
  sc_status status = sc_ratchet_session_save(&state, held->session);
  if (status == SC_OK)
    status = sc_ratchet_session_load(&again, &h->env.env, sc_buffer_bytes(&state), skipped, count);
  if (status != SC_OK)
    history_fail(h, "a session that was saved is not loaded: %s", sc_status_text(status));
  else
    sc_ratchet_session_free(held->session);
  held->session = again != NULL ? again : held->session;
  sc_buffer_free(&state);
}

static held_session *session_with_key(device *reader, const uint8_t *start_key) {
  for (size_t i = 0; i < reader->session_count; i++)
    if (memcmp(sc_ratchet_session_start_key(reader->sessions[i].session), start_key, SC_KEY_BYTES) == 0)
      return &reader->sessions[i];
  return NULL;
}

static sc_status open_start(history *h, device *reader, held_session **used, sc_buffer *body,
                            const sc_ratchet_envelope *envelope, const sc_ratchet_start *start,
                            const sc_ratchet_open_options *options, const delivery *d) {
  sc_ratchet_session *session;
  sc_ratchet_certificate sender;
  held_session *known = session_with_key(reader, start->start_key);
  if (known != NULL) {
    sc_status status =
        sc_ratchet_open_slot(body, &h->env.env, envelope, start->slot, known->session, options);
    *used = status == SC_OK ? known : NULL;
    return status;
  }
  sc_status status = sc_ratchet_open_start(body, &session, &sender, &h->env.env, envelope, start,
                                           &reader->keys, &reader->prekeys, options);
  if (status != SC_OK)
    return status;
  if (memcmp(sender.device, h->devices[d->from].keys.keys.ed.public_key, SC_KEY_BYTES) != 0)
    history_fail(h, "a session was started in the name of another device");
  if (reader->session_count == most_sessions) {
    sc_ratchet_session_free(session);
    return SC_ERR_TOO_LARGE;
  }
  *used = &reader->sessions[reader->session_count++];
  **used = (held_session){.peer = d->from, .session = session};
  return SC_OK;
}

static sc_status open_starts(history *h, device *reader, held_session **used, sc_buffer *body,
                             const sc_ratchet_envelope *envelope, const sc_ratchet_open_options *options,
                             const delivery *d) {
  sc_ratchet_start starts[SC_RATCHET_MAX_SLOTS];
  size_t count;
  sc_status status = sc_ratchet_starts(starts, &count, envelope, &reader->keys);
  if (status == SC_OK)
    status = SC_ERR_RATCHET_OTHER;
  for (size_t i = 0; i < count && status != SC_OK; i++)
    status = open_start(h, reader, used, body, envelope, &starts[i], options, d);
  return status;
}

/* True if the slot for this session starts it: its other side has not heard from us. */
static bool is_in_start_form(const device *reader, const sc_ratchet_envelope *envelope,
                             const sc_ratchet_session *session) {
  sc_ratchet_start starts[SC_RATCHET_MAX_SLOTS];
  size_t count;
  if (sc_ratchet_starts(starts, &count, envelope, &reader->keys) != SC_OK)
    return false;
  for (size_t i = 0; i < count; i++)
    if (memcmp(starts[i].start_key, sc_ratchet_session_start_key(session), SC_KEY_BYTES) == 0)
      return true;
  return false;
}

sc_status receive(history *h, device *reader, held_session **used, sc_buffer *body,
                  const sc_ratchet_envelope *envelope, bool was_opened, const delivery *d) {
  sc_ratchet_session *sessions[most_sessions];
  size_t index = 0;
  const sc_ratchet_open_options options = {.now_s = h->now_s, .was_opened = was_opened};
  *used = NULL;
  for (size_t i = 0; i < reader->session_count; i++)
    sessions[i] = reader->sessions[i].session;
  sc_status status =
      sc_ratchet_open(body, &index, &h->env.env, envelope, sessions, reader->session_count, &options);
  if (status == SC_OK)
    *used = &reader->sessions[index];
  if (status == SC_ERR_RATCHET_OTHER || status == SC_ERR_RATCHET_DAMAGED)
    status = open_starts(h, reader, used, body, envelope, &options, d);
  held_session *in = *used;
  if (in != NULL &&
      (sc_ratchet_session_is_initiator(in->session) || !is_in_start_form(reader, envelope, in->session)))
    in->confirmed = true;
  return status;
}
