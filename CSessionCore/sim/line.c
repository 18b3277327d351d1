#include "line.h"

#include "oracle.h"
#include "world.h"

static const char *const names[line_count] = {"honest",  "silent",    "refusing",
                                              "forging", "resetting", "flapping"};

line_kind line_named(const char *name) {
  for (unsigned i = 1; i < line_count; i++)
    if (strcmp(names[i], name) == 0)
      return (line_kind)i;
  return LINE_HONEST;
}

uint64_t line_end(const world *w) {
  return w->plan.line == LINE_HONEST ? 0 : LINE_START + w->plan.line_s * SIM_SECOND;
}

bool line_is_hostile(const world *w) {
  return w->agenda.now >= LINE_START && w->agenda.now < line_end(w);
}

bool line_blocks(const world *w, const sc_node *to) {
  enum { flap_s = 11 };
  const node *n = node_find((world *)(uintptr_t)w, to->key);
  bool is_up = w->plan.line == LINE_FLAPPING && w->agenda.now / (flap_s * SIM_SECOND) % 2 == 0;
  return line_is_hostile(w) && !is_up && (n == NULL || node_is_honest(n));
}

sc_status line_handshake(const world *w) {
  if (w->plan.line == LINE_RESETTING)
    return SC_OK;
  return w->plan.line == LINE_FORGING ? SC_ERR_QUIC_KEY : SC_ERR_QUIC_UNREACHABLE;
}

sc_status line_loss(const world *w) {
  return w->plan.line == LINE_RESETTING ? SC_ERR_QUIC_RESET : SC_ERR_QUIC_IDLE;
}

static void begins(void *user, uint64_t number) {
  world *w = user;
  (void)number;
  trace_say(&w->trace, "the line turns %s", names[w->plan.line]);
  oracle_note_line(w);
}

/* Another access network, of which the hosts of some clients know. */
static void ends(void *user, uint64_t number) {
  world *w = user;
  (void)number;
  trace_say(&w->trace, "the line is honest again");
  for (size_t i = 0; i < w->client_count; i++)
    client_tell_link(&w->clients[i]);
}

void line_begin(world *w) {
  if (w->plan.line == LINE_HONEST)
    return;
  agenda_add(&w->agenda, LINE_START, begins, w, 0);
  agenda_add(&w->agenda, line_end(w), ends, w, 0);
}
