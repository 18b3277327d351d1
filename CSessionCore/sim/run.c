#include "run.h"

#include <stdlib.h>

#include "churn.h"
#include "line.h"
#include "memory.h"

static const uint64_t settling_time = 180 * SIM_SECOND; /* for nodes to hand over what others lack */
static const uint64_t ending_time = 240 * SIM_SECOND;   /* until the last request must have ended */

static bool step_until(world *w, uint64_t until) {
  while (!w->oracle.broken && agenda_step(&w->agenda, until))
    continue;
  return !w->oracle.broken;
}

static bool is_busy(const world *w) {
  const uint64_t after_line = 80 * SIM_SECOND;
  for (size_t i = 0; i < w->client_count; i++)
    if (w->clients[i].to_make > 0)
      return true;
  return w->plan.line != LINE_HONEST && w->agenda.now < line_end(w) + after_line;
}

static bool live(world *w) {
  while (is_busy(w) && !w->oracle.broken)
    (void)step_until(w, w->agenda.now + SIM_SECOND);
  return !w->oracle.broken;
}

static void clear_up(world *w) {
  trace_say(&w->trace, "the weather clears");
  weather_clear(w);
  for (size_t i = 0; i < w->client_count; i++) {
    client *c = &w->clients[i];
    if (w->wire.ends[c->host].link.cut)
      client_cut(c, false);
    if (c->network == NULL)
      client_start(c);
    else
      client_resume(c);
  }
}

/* The end: everybody asks for what is theirs, and deletes some of it; all requests end, all messages are
 * where they belong. */
static bool conclude(world *w) {
  clear_up(w);
  if (!step_until(w, w->agenda.now + settling_time))
    return false;
  for (size_t i = 0; i < w->client_count; i++)
    if (w->clients[i].network != NULL) {
      client_ask_for_all(&w->clients[i]);
      client_ask_to_delete(&w->clients[i]);
    }
  if (!step_until(w, w->agenda.now + ending_time))
    return false;
  oracle_conclude(w);
  for (size_t i = 0; i < w->client_count; i++)
    client_stop(&w->clients[i]);
  return !w->oracle.broken;
}

static void begin(world *w) {
  weather_begin(w);
  line_begin(w);
  churn_begin(w);
  oracle_begin(w);
  for (size_t i = 0; i < w->client_count; i++) {
    client *c = &w->clients[i];
    c->to_make = w->plan.requests / w->client_count + (i < w->plan.requests % w->client_count);
    client_live(c);
  }
}

void run_world(run_result *out, report *r, const plan *p, FILE *trace_to) {
  world *w = world_new(p);
  w->report = r;
  world_add_clients(w, p->clients);
  oracle_init(w);
  begin(w);
  (void)(live(w) && conclude(w));
  *out = (run_result){.broken = w->oracle.broken, .digest = w->trace.digest};
  memcpy(out->what, w->oracle.what, sizeof out->what);
  if (out->broken && trace_to != NULL)
    trace_print(&w->trace, trace_to);
  report_conclude(w);
  world_free(w);
}
