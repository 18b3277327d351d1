/* Connecting guards: the first two are kept connected, the third while one of them is silent, and others only
 * after a long time without any of these three. */
#include "../../base/draws.h"
#include "../moment.h"
#include "guards.h"

static const uint64_t second = SC_NODE_SECOND;
static const uint64_t minute = 60 * SC_NODE_SECOND;
static const uint64_t hour = 3600 * SC_NODE_SECOND;

/* A connection that nothing used for so long is closed. */
static const uint64_t idle = 300 * SC_NODE_SECOND;

/* A silent primary guard is waited for alone, and all of them are before another guard is used. */
static const uint64_t silence = SC_NODE_SECOND;
static const uint64_t hold = 3 * SC_NODE_SECOND;

enum { walk_steps = 3 };

/* Without a primary guard for this long, the fourth guard may be tried, the fifth, and the sixth; after a day
 * all of them, and the sample may grow. */
static const uint64_t walk[walk_steps + 1] = {120 * SC_NODE_SECOND, 1800 * SC_NODE_SECOND,
                                              6 * 3600 * SC_NODE_SECOND, 24 * 3600 * SC_NODE_SECOND};

/* ---- lines ---- */

sc_guard_line *sc_guards_line(sc_guards *guards, const uint8_t key[static SC_KEY_BYTES]) {
  for (size_t i = 0; i < guards->line_count; i++)
    if (memcmp(guards->lines[i].node.key, key, SC_KEY_BYTES) == 0)
      return &guards->lines[i];
  return NULL;
}

static void remove_line(sc_guards *guards, sc_guard_line *line) {
  *line = guards->lines[--guards->line_count];
}

static void drop_an_old_line(sc_guards *guards) {
  for (size_t i = 0; i < guards->line_count; i++)
    if (!sc_guards_has(guards, guards->lines[i].node.key)) {
      remove_line(guards, &guards->lines[i]);
      return;
    }
}

void sc_guards_make_lines(sc_guards *guards) {
  for (size_t i = 0; i < guards->sample.count; i++) {
    const uint8_t *key = guards->sample.guards[i].key;
    if (sc_guards_line(guards, key) != NULL)
      continue;
    if (guards->line_count == sc_guards_most_lines)
      drop_an_old_line(guards);
    sc_guard_line *line = &guards->lines[guards->line_count++];
    *line = (sc_guard_line){.state = SC_GUARD_IDLE};
    memcpy(line->node.key, key, SC_KEY_BYTES);
  }
}

/* ---- which guards may be tried ---- */

uint64_t sc_guards_walked(const sc_guards *guards) {
  uint64_t now = guards->moment->now;
  return guards->walked + (guards->walk_since < now ? now - guards->walk_since : 0);
}

size_t sc_guards_permitted(sc_guard_line *out[static sc_sample_most], sc_guards *guards) {
  const sc_guard *order[sc_sample_most];
  uint64_t walked = sc_guards_walked(guards);
  size_t count = sc_sample_order(order, &guards->sample, sc_day_of(guards->moment->wall));
  size_t most = sc_sample_primaries;
  for (size_t i = 0; i < walk_steps; i++)
    most += walked >= walk[i];
  most = walked >= walk[walk_steps] ? sc_sample_most : most;
  count = count < most ? count : most;
  for (size_t i = 0; i < count; i++)
    out[i] = sc_guards_line(guards, order[i]->key);
  return count;
}

static bool is_a_primary_open(sc_guard_line *const *order, size_t count) {
  for (size_t i = 0; i < count && i < sc_sample_primaries; i++)
    if (order[i]->state == SC_GUARD_OPEN)
      return true;
  return false;
}

/* True if a primary guard may yet answer before another one is used. */
static bool is_held(const sc_guards *guards, sc_guard_line *const *order, size_t count) {
  if (guards->moment->now >= guards->hold_until)
    return false;
  for (size_t i = 0; i < count && i < sc_sample_primaries; i++)
    if (order[i]->state == SC_GUARD_CONNECTING || order[i]->next_at <= guards->moment->now)
      return true;
  return false;
}

size_t sc_guards_in_use(sc_node out[static sc_sample_in_use], sc_guards *guards) {
  sc_guard_line *order[sc_sample_most];
  size_t permitted = sc_guards_permitted(order, guards), count = 0;
  if (sc_guards_is_down(guards))
    return 0;
  bool primary = is_a_primary_open(order, permitted);
  if (!primary && is_held(guards, order, permitted))
    return 0;
  size_t end = primary && permitted > sc_sample_primaries ? sc_sample_primaries : permitted;
  for (size_t i = 0; i < end && count < sc_sample_in_use; i++)
    if (order[i]->state == SC_GUARD_OPEN)
      out[count++] = order[i]->node;
  return count;
}

/* ---- the time without a primary guard ---- */

static bool is_walking(sc_guards *guards) {
  sc_guard_line *order[sc_sample_most];
  size_t count = sc_guards_permitted(order, guards);
  return !guards->suspended && guards->wanted && guards->has_link && count > 0 &&
         !is_a_primary_open(order, count);
}

static void run_walk(sc_guards *guards) {
  uint64_t now = guards->moment->now;
  bool walks = is_walking(guards);
  if (walks == (guards->walk_since != SC_NEVER))
    return;
  guards->walked = sc_guards_walked(guards);
  guards->walk_since = walks ? now : SC_NEVER;
}

static void end_walk(sc_guards *guards) {
  bool is_news = guards->base.walked > 0 || sc_guards_walked(guards) >= walk[0];
  guards->walked = 0;
  guards->walk_since = SC_NEVER;
  if (is_news)
    guards->owner.save(guards->owner.user);
}

uint64_t sc_guards_next_step(const sc_guards *guards) {
  uint64_t walked = sc_guards_walked(guards);
  for (size_t i = 0; i <= walk_steps && guards->walk_since != SC_NEVER; i++)
    if (walked < walk[i])
      return sc_later(guards->moment->now, walk[i] - walked);
  return SC_NEVER;
}

/* ---- attempts ---- */

static bool is_primary(sc_guards *guards, const sc_guard_line *line) {
  const sc_guard *order[sc_sample_most];
  size_t count = sc_sample_order(order, &guards->sample, sc_day_of(guards->moment->wall));
  for (size_t i = 0; i < count && i < sc_sample_primaries; i++)
    if (memcmp(order[i]->key, line->node.key, SC_KEY_BYTES) == 0)
      return true;
  return false;
}

/* Uniform between the shortest delay and three times the last one: the next try cannot be predicted. */
static uint64_t draw_delay(const sc_guards *guards, uint64_t last, uint64_t least, uint64_t most) {
  enum { ms = 1000000 };
  sc_draws draws;
  sc_draws_init(&draws, guards->env, 1);
  uint64_t end = (last < least ? least : last) * 3;
  uint64_t delay = least + (uint64_t)sc_draws_below(&draws, (uint32_t)((end - least) / ms) + 1) * ms;
  return delay < most ? delay : most;
}

/* Requests do not wait when each guard was tried in vain, and the primary ones again and again. */
static void tell_unreachable(sc_guards *guards) {
  sc_guard_line *order[sc_sample_most];
  size_t count = sc_guards_permitted(order, guards);
  for (size_t i = 0; i < count; i++) {
    uint32_t enough = i < sc_sample_primaries ? guards->options->guard_retries : 1;
    if (order[i]->state == SC_GUARD_OPEN || order[i]->failures < enough)
      return;
  }
  guards->owner.unreachable(guards->owner.user);
}

/* True if a guard is connected or wanted. Then primary guards are retried soon, so that no client uses a
 * later guard for long. Without a link that is of no use. */
static bool is_busy(const sc_guards *guards) {
  if (!guards->has_link)
    return false;
  for (size_t i = 0; i < guards->line_count; i++)
    if (guards->lines[i].state == SC_GUARD_OPEN)
      return true;
  return guards->wanted;
}

static void note_failed(sc_guards *guards, sc_guard_line *line) {
  bool primary = is_primary(guards, line);
  uint64_t most = is_busy(guards) ? minute : 10 * minute;
  line->retry_delay = primary ? draw_delay(guards, line->retry_delay, 5 * second, most)
                              : draw_delay(guards, line->retry_delay, 5 * minute, 6 * hour);
  line->state = SC_GUARD_IDLE;
  line->since = guards->moment->now;
  line->next_at = sc_later(guards->moment->now, line->retry_delay);
  line->failures++;
  guards->due_at = 0;
  tell_unreachable(guards);
}

/* Once a later guard is connected, the primary ones get another chance before it is used. */
static void try_primaries(sc_guards *guards) {
  sc_guard_line *order[sc_sample_most];
  size_t count = sc_guards_permitted(order, guards);
  guards->hold_until = sc_later(guards->moment->now, hold);
  for (size_t i = 0; i < count && i < sc_sample_primaries; i++)
    if (order[i]->state == SC_GUARD_IDLE)
      order[i]->next_at = guards->moment->now;
}

static void note_open(sc_guards *guards, sc_guard_line *line) {
  line->state = SC_GUARD_OPEN;
  line->since = guards->moment->now;
  line->retry_delay = 0;
  line->failures = 0;
  guards->due_at = 0;
  if (is_primary(guards, line))
    end_walk(guards);
  else if (sc_guards_has(guards, line->node.key))
    try_primaries(guards);
  guards->owner.changed(guards->owner.user);
}

static void try_guard(sc_guards *guards, sc_guard_line *line) {
  const sc_node *node = sc_nodes_find(guards->nodes, line->node.key);
  bool open = false;
  line->next_at = SC_NEVER; /* without a list of nodes, until there is one */
  if (node == NULL)
    return;
  line->node = *node;
  line->state = SC_GUARD_CONNECTING;
  line->since = guards->moment->now;
  sc_guards_note_tried(guards, line);
  sc_status status = guards->transport.methods->connect(guards->transport.self, &open, guards->moment->now,
                                                        node, guards->options->guard_timeout);
  if (status != SC_OK)
    note_failed(guards, line);
  else if (open)
    note_open(guards, line);
}

static bool is_silent(const sc_guards *guards, const sc_guard_line *line) {
  return line->state != SC_GUARD_OPEN &&
         (line->failures > 0 ||
          (line->state == SC_GUARD_CONNECTING && guards->moment->now >= sc_later(line->since, silence)));
}

/* True if nothing uses any connection, nor did lately. */
static bool is_idle(const sc_guards *guards) {
  for (size_t i = 0; i < guards->line_count; i++) {
    const sc_guard_line *line = &guards->lines[i];
    const sc_node node = line->node;
    uint64_t since = line->since > line->used_at ? line->since : line->used_at;
    if (line->state == SC_GUARD_OPEN &&
        (guards->moment->now < sc_later(since, idle) || guards->owner.is_busy(guards->owner.user, &node)))
      return false;
  }
  return !guards->wanted;
}

/* True if the guard at this place is to be connected. */
static bool is_needed(const sc_guards *guards, sc_guard_line *const *order, size_t count, size_t place) {
  if (place < sc_sample_in_use)
    return true;
  if (place >= sc_sample_primaries)
    return guards->wanted && !is_a_primary_open(order, count);
  for (size_t i = 0; i < sc_sample_in_use; i++)
    if (is_silent(guards, order[i]))
      return true;
  return false;
}

static void connect_guards(sc_guards *guards) {
  sc_guard_line *order[sc_sample_most];
  size_t count = sc_guards_permitted(order, guards);
  for (size_t i = 0; i < count; i++)
    if (order[i]->state == SC_GUARD_IDLE && !order[i]->is_parked &&
        order[i]->next_at <= guards->moment->now && is_needed(guards, order, count, i))
      try_guard(guards, order[i]);
}

static bool is_kept(sc_guards *guards, const sc_guard_line *line) {
  sc_guard_line *order[sc_sample_most];
  sc_node used[sc_sample_in_use];
  size_t count = sc_guards_in_use(used, guards);
  if (is_idle(guards))
    return false;
  for (size_t i = 0; i < count; i++)
    if (sc_node_same(&used[i], &line->node))
      return true;
  count = sc_guards_permitted(order, guards);
  for (size_t i = 0; i < count; i++)
    if (order[i] == line)
      return is_needed(guards, order, count, i) || guards->moment->now < guards->hold_until;
  return false;
}

/* Closing calls back, and that may move the lines. */
static bool close_one(sc_guards *guards) {
  for (size_t i = 0; i < guards->line_count; i++) {
    sc_guard_line *line = &guards->lines[i];
    const sc_node node = line->node;
    if (line->state == SC_GUARD_OPEN && !is_kept(guards, line) &&
        !guards->owner.is_busy(guards->owner.user, &node)) {
      line->is_parked = is_idle(guards);
      guards->transport.methods->close(guards->transport.self, guards->moment->now, &node);
      return true;
    }
    if (line->state == SC_GUARD_IDLE && !sc_guards_has(guards, node.key)) {
      remove_line(guards, line);
      return true;
    }
  }
  return false;
}

/* ---- time ---- */

static uint64_t earlier(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t next_due(sc_guards *guards) {
  sc_guard_line *order[sc_sample_most];
  uint64_t now = guards->moment->now;
  size_t count = sc_guards_permitted(order, guards);
  uint64_t due = earlier(guards->day_ends_at, sc_guards_next_step(guards));
  due = earlier(due, sc_guards_watch_at(guards));
  if (guards->hold_until > now)
    due = earlier(due, guards->hold_until);
  for (size_t i = 0; i < count; i++) {
    const sc_guard_line *line = order[i];
    if (line->state == SC_GUARD_IDLE && !line->is_parked && is_needed(guards, order, count, i))
      due = earlier(due, line->next_at);
    else if (line->state == SC_GUARD_CONNECTING && i < sc_sample_in_use && !is_silent(guards, line))
      due = earlier(due, sc_later(line->since, silence));
    else if (line->state == SC_GUARD_OPEN && !guards->wanted)
      due = earlier(due, sc_later(now, minute)); /* to see if it is idle */
  }
  return due;
}

uint64_t sc_guards_deadline(const sc_guards *guards) {
  if (guards->suspended || !guards->started)
    return SC_NEVER;
  bool is_back = guards->silent_since != SC_NEVER && sc_guards_heard_at(guards) > guards->silent_since;
  return is_back ? 0 : guards->due_at;
}

void sc_guards_look_again(sc_guards *guards) {
  guards->due_at = 0;
}

/* The end of the hold lets waiting paths take another guard than a primary one. */
static void end_hold(sc_guards *guards) {
  if (guards->hold_until == 0 || guards->moment->now < guards->hold_until)
    return;
  guards->hold_until = 0;
  guards->owner.changed(guards->owner.user);
}

void sc_guards_advance(sc_guards *guards) {
  if (guards->moment->now < sc_guards_deadline(guards))
    return;
  sc_guards_watch(guards);
  run_walk(guards);
  if (guards->moment->now >= guards->day_ends_at ||
      (sc_guards_walked(guards) >= walk[walk_steps] && guards->sample.count <= sc_sample_full))
    sc_guards_review(guards);
  end_hold(guards);
  connect_guards(guards);
  while (close_one(guards))
    continue;
  run_walk(guards);
  guards->due_at = next_due(guards);
}

/* While nothing was wanted, primary guards were tried seldom, or not at all. */
static void try_soon(sc_guards *guards) {
  for (size_t i = 0; i < guards->line_count; i++) {
    sc_guard_line *line = &guards->lines[i];
    line->is_parked = false;
    const uint64_t at = sc_later(line->since, minute);
    if (line->state == SC_GUARD_IDLE && line->next_at != SC_NEVER && line->next_at > at &&
        is_primary(guards, line))
      line->next_at = at;
  }
}

void sc_guards_want(sc_guards *guards, bool wanted) {
  if (guards->suspended || wanted == guards->wanted)
    return;
  guards->wanted = wanted;
  guards->due_at = 0;
  if (wanted)
    try_soon(guards);
  if (!wanted || guards->started)
    return;
  guards->started = true;
  sc_guards_review(guards);
}

void sc_guards_suspend(sc_guards *guards) {
  guards->walked = sc_guards_walked(guards);
  guards->walk_since = SC_NEVER;
  guards->suspended = true;
  guards->wanted = guards->started = false;
  guards->hold_until = 0;
  guards->silent_since = SC_NEVER;
  if (guards->walked > 0)
    guards->owner.save(guards->owner.user);
}

void sc_guards_resume(sc_guards *guards) {
  guards->suspended = false;
  for (size_t i = 0; i < guards->line_count; i++)
    guards->lines[i].is_parked = false;
  sc_guards_hurry(guards);
}

/* ---- what happens ---- */

void sc_guards_opened(sc_guards *guards, const sc_node *node) {
  sc_guard_line *line = sc_guards_line(guards, node->key);
  if (line != NULL && line->state == SC_GUARD_CONNECTING)
    note_open(guards, line);
}

/* One that served for some time is tried again at once. */
void sc_guards_lost(sc_guards *guards, const sc_node *node, sc_status reason) {
  sc_guard_line *line = sc_guards_line(guards, node->key);
  uint64_t now = guards->moment->now;
  if (line == NULL || line->state == SC_GUARD_IDLE)
    return;
  bool was_open = line->state == SC_GUARD_OPEN;
  bool has_served = was_open && now - line->since >= 5 * second;
  guards->due_at = 0;
  if (reason == SC_ERR_QUIC_STOPPED || has_served) {
    line->state = SC_GUARD_IDLE;
    line->since = line->next_at = now;
  } else {
    note_failed(guards, line);
  }
  if (was_open)
    guards->owner.changed(guards->owner.user);
}
