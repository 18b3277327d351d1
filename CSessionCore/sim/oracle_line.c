/* The limits of a hostile line: it wins a few guards in minutes, hours and days, and the client forgets none.
 */
#include "flaw.h"
#include "line.h"
#include "oracle.h"
#include "world.h"

/* `keys` are one behind the other. */
static bool has(const void *keys, size_t count, const uint8_t *key) {
  for (size_t i = 0; i < count; i++)
    if (memcmp((const uint8_t *)keys + i * SC_KEY_BYTES, key, SC_KEY_BYTES) == 0)
      return true;
  return false;
}

void oracle_note_line(world *w) {
  for (size_t i = 0; i < w->client_count; i++) {
    sc_network_guard list[SC_NETWORK_MAX_GUARDS];
    line_guards *guards = &w->oracle.guards[i];
    if (w->clients[i].network == NULL)
      continue;
    guards->kept_count = sc_network_guards(list, SC_NETWORK_MAX_GUARDS, w->clients[i].network);
    for (size_t k = 0; k < guards->kept_count; k++)
      memcpy(guards->kept[k], list[k].node.key, SC_KEY_BYTES);
  }
}

/* The three primary ones, and one more after each step. */
static size_t permitted(const world *w) {
  static const uint64_t steps_s[] = {120, 1800, 6 * 3600};
  enum { primaries = 3, steps = 3 };
  size_t count = primaries;
  for (size_t i = 0; i < steps; i++)
    count += w->agenda.now - LINE_START >= steps_s[i] * SIM_SECOND;
  return count;
}

void oracle_try_guard(const client *c, const uint8_t key[static SC_KEY_BYTES]) {
  world *w = c->world;
  line_guards *guards = &w->oracle.guards[c->index];
  if (!line_is_hostile(w) || has(guards->tried, guards->tried_count, key))
    return;
  if (guards->tried_count <= SC_NETWORK_MAX_GUARDS)
    memcpy(guards->tried[guards->tried_count++], key, SC_KEY_BYTES);
  size_t tried = flaw_tried(w, guards->tried_count);
  if (tried > permitted(w))
    oracle_break(w, "client %u tries %zu guards on a line that is hostile for %llu s", c->index, tried,
                 (unsigned long long)((w->agenda.now - LINE_START) / SIM_SECOND));
}

static void check_client(world *w, const client *c) {
  sc_network_guard list[SC_NETWORK_MAX_GUARDS];
  const line_guards *guards = &w->oracle.guards[c->index];
  size_t count = sc_network_guards(list, SC_NETWORK_MAX_GUARDS, c->network), kept = 0;
  for (size_t i = 0; i < count; i++)
    kept += has(guards->kept, guards->kept_count, list[i].node.key);
  if (kept < guards->kept_count)
    oracle_break(w, "client %u has forgotten %zu guards on a hostile line", c->index,
                 guards->kept_count - kept);
  bool is_wanted = c->called_at != 0 && w->agenda.now - c->called_at < ORACLE_IDLE_TIME;
  for (size_t i = 0; i < 2 && i < count && is_wanted; i++)
    if (!list[i].is_in_use)
      oracle_break(w, "client %u does not use its guard %zu again", c->index, i + 1);
}

/* The first two guards are in use 75 s after the end at the latest, if anything is wanted, and 15 s after it
 * where the host reports the change. */
void oracle_check_line(world *w) {
  static const uint64_t delays[] = {16 * SIM_SECOND, 76 * SIM_SECOND};
  enum { checks = sizeof delays / sizeof delays[0] };
  size_t *done = &w->oracle.line_checks;
  if (w->plan.line == LINE_HONEST || *done == checks || w->agenda.now < line_end(w) + delays[*done])
    return;
  for (size_t i = 0; i < w->client_count; i++)
    if (w->clients[i].network != NULL && !w->clients[i].suspended &&
        (*done > 0 || client_knows_link(&w->clients[i])))
      check_client(w, &w->clients[i]);
  ++*done;
}
