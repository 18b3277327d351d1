/* The network as a whole: whether it is down, so that neither nodes nor guards are at fault.
 *
 * Only authenticated packets count, from any peer. Everything else on the line can be forged. */
#include "guards.h"

static const uint64_t silence = 20 * SC_NODE_SECOND;
static const uint64_t hurry_pause = 10 * SC_NODE_SECOND;

uint64_t sc_guards_heard_at(const sc_guards *guards) {
  return guards->transport.methods->heard_at(guards->transport.self);
}

bool sc_guards_is_down(const sc_guards *guards) {
  return !guards->has_link || guards->silent_since != SC_NEVER;
}

void sc_guards_note_tried(sc_guards *guards, sc_guard_line *line) {
  if (line->tried_at != 0 && line->tried_at > sc_guards_heard_at(guards))
    return;
  line->tried_at = guards->moment->now;
  uint64_t at = sc_guards_watch_at(guards);
  guards->due_at = at < guards->due_at ? at : guards->due_at;
}

void sc_guards_note_request(sc_guards *guards, const uint8_t key[static SC_KEY_BYTES]) {
  sc_guard_line *line = sc_guards_line(guards, key);
  if (line == NULL)
    return;
  line->used_at = guards->moment->now;
  sc_guards_note_tried(guards, line);
}

/* Twenty seconds after the first try, if the first two guards have been tried by then. */
uint64_t sc_guards_watch_at(sc_guards *guards) {
  sc_guard_line *order[sc_sample_most];
  const uint64_t heard = sc_guards_heard_at(guards);
  uint64_t began = SC_NEVER;
  size_t count = sc_guards_permitted(order, guards);
  for (size_t i = 0; i < count && i < sc_sample_in_use; i++) {
    if (order[i]->tried_at == 0 || order[i]->tried_at < heard)
      return SC_NEVER;
    began = order[i]->tried_at < began ? order[i]->tried_at : began;
  }
  return began == SC_NEVER || guards->silent_since != SC_NEVER ? SC_NEVER : sc_later(began, silence);
}

void sc_guards_watch(sc_guards *guards) {
  bool was_down = sc_guards_is_down(guards);
  if (guards->silent_since != SC_NEVER && sc_guards_heard_at(guards) > guards->silent_since)
    guards->silent_since = SC_NEVER;
  else if (sc_guards_watch_at(guards) <= guards->moment->now)
    guards->silent_since = guards->moment->now;
  if (sc_guards_is_down(guards) != was_down)
    guards->owner.changed(guards->owner.user);
}

/* ---- what the host says ---- */

void sc_guards_hurry(sc_guards *guards) {
  const uint64_t now = guards->moment->now;
  sc_guard_line *order[sc_sample_most];
  size_t count = sc_guards_permitted(order, guards);
  if (guards->hurried_at != SC_NEVER && now - guards->hurried_at < hurry_pause)
    return;
  guards->hurried_at = now;
  for (size_t i = 0; i < count && i < sc_sample_primaries; i++)
    order[i]->next_at = 0;
  guards->due_at = 0;
}

void sc_guards_note_link(sc_guards *guards, bool has_link) {
  bool was_down = sc_guards_is_down(guards);
  guards->has_link = has_link;
  guards->due_at = 0;
  if (has_link && !guards->suspended)
    sc_guards_hurry(guards);
  if (sc_guards_is_down(guards) != was_down)
    guards->owner.changed(guards->owner.user);
}
