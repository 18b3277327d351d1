#include "receiving.h"

enum { safe_half_trips = 6 }; /* from the third round trip on */

static void copy_session(history *h, held_session *out, const held_session *from) {
  sc_buffer state;
  size_t count;
  *out = *from;
  out->session = NULL;
  sc_buffer_init(&state, &h->env.env);
  const sc_ratchet_skipped *skipped = sc_ratchet_session_skipped(from->session, &count);
  sc_status status = sc_ratchet_session_save(&state, from->session);
  if (status == SC_OK)
    status = sc_ratchet_session_load(&out->session, &h->env.env, sc_buffer_bytes(&state), skipped, count);
  if (status != SC_OK)
    history_fail(h, "a session cannot be copied: %s", sc_status_text(status));
  sc_buffer_free(&state);
}

/* A message that was opened before the theft stays closed, unless it starts a session: the prekeys for that
 * live on.
 */
static void read_the_past(history *h) {
  sc_buffer body;
  sc_ratchet_envelope envelope;
  held_session *used;
  sc_buffer_init(&body, &h->env.env);
  for (unsigned i = 0; i < h->sent && h->flaw[0] == '\0'; i++) {
    if (!h->thief.was_opened[i] ||
        sc_ratchet_envelope_parse(&envelope, sc_buffer_bytes(&h->messages[i])) != SC_OK ||
        envelope.has_starts)
      continue;
    const delivery d = {.from = 0, .to = h->victim, .number = i};
    if (receive(h, &h->thief, &used, &body, &envelope, false, &d) == SC_OK)
      history_fail(h, "a thief reads message %u, which was opened before", i);
  }
  sc_buffer_free(&body);
}

void theft_begin(history *h, size_t victim) {
  const device *from = &h->devices[victim];
  h->victim = victim;
  h->thief = *from;
  sc_buffer_init(&h->thief.published, &h->env.env);
  h->thief.session_count = 0;
  for (size_t i = 0; i < from->session_count && h->flaw[0] == '\0'; i++)
    copy_session(h, &h->thief.sessions[h->thief.session_count++], &from->sessions[i]);
  for (size_t i = 0; i < h->device_count; i++)
    for (size_t s = 0; s < h->devices[i].session_count; s++)
      h->devices[i].sessions[s].half_trips = 0;
  for (size_t i = 0; i < h->count; i++)
    h->under_way[i].half_trips = 0;
  read_the_past(h);
}

void theft_see(history *h, const delivery *d, const sc_ratchet_envelope *envelope) {
  sc_buffer body;
  held_session *used;
  if (h->victim == h->device_count || d->to != h->victim)
    return;
  sc_buffer_init(&body, &h->env.env);
  sc_status status = receive(h, &h->thief, &used, &body, envelope, h->thief.was_opened[d->number], d);
  if (status == SC_OK) {
    h->thief.was_opened[d->number] = true;
    h->sums.stolen++;
    if (d->half_trips >= safe_half_trips)
      history_fail(h, "a thief reads message %u, %u half round trips after the theft", d->number,
                   d->half_trips);
  } else {
    h->sums.closed++;
  }
  sc_buffer_free(&body);
}

void theft_end(history *h) {
  for (size_t i = 0; i < h->thief.session_count; i++)
    sc_ratchet_session_free(h->thief.sessions[i].session);
  h->thief.session_count = 0;
}
