#include "policy.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "agenda.h"
#include "memory.h"
#include "network/guards/sample.h"
#include "network/paths/paths.h"
#include "session-core/crypto/keys.h"
#include "support/draws.h"

#define HOUR (3600 * SIM_SECOND)
#define DAY (24 * HOUR)

static const uint64_t wall_at_start = 1763000000000;
static const uint64_t never = UINT64_MAX;

enum {
  most_pending = 64,
  swarms = 10, /* that a client talks to */
  members = 7, /* of each */
  attempts_each = 3,
};

typedef struct place {
  sc_storage_node record;
  bool is_hostile;
  policy_strategy strategy;
  uint64_t restart; /* the first, of one every ten days */
  uint64_t joins;
  uint64_t leaves;
  bool was_in_use;   /* as a guard of this client … */
  bool was_set_back; /* … though it is honest */
} place;

/* Something that the world has yet to tell the client. */
typedef struct pending {
  uint64_t at;
  bool is_list; /* the reply of a node to a call for its list; else a connection opens or fails */
  uint64_t token;
  sc_node node;
} pending;

typedef struct play {
  const policy_plan *plan;
  policy_result *result;
  place *places;
  size_t place_count;
  draws chance;        /* of the world */
  draws client_chance; /* of the client */
  sc_env env;
  sc_network_options options;
  sc_node seed;
  sc_moment moment;
  sc_nodes *nodes;
  sc_guards guards;
  sc_paths paths;
  pending queue[most_pending];
  size_t queued;
  sc_node open[sc_guards_most_lines]; /* connections */
  size_t open_count;
  size_t destinations[swarms][members];
  uint8_t *list;      /* as nodes tell it */
  size_t guard_count; /* in use at some time */
  bool has_begun;
  bool began_hostile;
  bool moved;
  sc_sample first;     /* when it was drawn */
  const place *slowed; /* the guard that the line slows; NULL for none */
  sc_day setback;      /* the last one */
  size_t setbacks;
  size_t starved; /* attempts that a starving guard had */
  bool has_set_back;
} play;

static void must(sc_status status) {
  if (status != SC_OK)
    abort();
}

/* ---- nodes ---- */

static const char *const names[policy_strategies] = {"idle", "starve", "frame", "swallow", "mixed", "slow"};

const char *policy_strategy_name(policy_strategy strategy) {
  return names[strategy];
}

bool policy_strategy_named(policy_strategy *out, const char *name) {
  for (unsigned i = 0; i < policy_strategies; i++)
    if (strcmp(names[i], name) == 0) {
      *out = (policy_strategy)i;
      return true;
    }
  return false;
}

bool policy_flaw_named(policy_flaw *out, const char *name) {
  if (strcmp(name, "restless") == 0)
    *out = POLICY_RESTLESS;
  else if (strcmp(name, "rash") == 0)
    *out = POLICY_RASH;
  else
    return false;
  return true;
}

/* Each node is in a /16 of its own. Its swarm does not matter here. */
static sc_storage_node make_record(size_t number) {
  enum { swarm_count = 30 };
  sc_storage_node record = {.ip = {20 + (uint8_t)(number >> 8), (uint8_t)number, 1, 1},
                            .https_port = 22021,
                            .quic_port = 22020,
                            .version = {2, 11, 0},
                            .swarm = number % swarm_count,
                            .funded = true};
  uint8_t seed[SC_ED25519_SEED_BYTES];
  sc_keypair keys;
  draws from = draws_from(number);
  draws_fill(&from, seed, sizeof seed);
  sc_keypair_from_seed(&keys, seed);
  memcpy(record.ed25519, keys.ed.public_key, SC_KEY_BYTES);
  memcpy(record.x25519, keys.x.public_key, SC_KEY_BYTES);
  return record;
}

/* As many join as leave: 3 % in a month. */
static void settle(play *p) {
  size_t spare = p->place_count - p->plan->nodes;
  uint64_t length = (uint64_t)p->plan->days * DAY;
  for (size_t i = 0; i < p->place_count; i++) {
    place *here = &p->places[i];
    here->is_hostile = draw_below(&p->chance, 1000) < p->plan->hostile;
    here->strategy = p->plan->strategy;
    if (here->strategy == POLICY_MIXED)
      here->strategy = (policy_strategy)draw_below(&p->chance, POLICY_MIXED);
    here->restart = draw(&p->chance) % (10 * DAY);
    here->joins = 0;
    here->leaves = never;
    here->was_in_use = here->was_set_back = false;
  }
  for (size_t i = 0; i < spare; i++) {
    uint64_t when = DAY + draw(&p->chance) % length;
    p->places[draw_below(&p->chance, (uint32_t)p->plan->nodes)].leaves = when;
    p->places[p->plan->nodes + i].joins = when;
  }
}

static bool is_listed(const place *here, uint64_t now) {
  return here->joins <= now && now < here->leaves;
}

static bool is_up(const place *here, uint64_t now) {
  const uint64_t half_an_hour = 1800 * SIM_SECOND, period = 10 * DAY;
  bool restarts = !here->is_hostile && now >= here->restart && (now - here->restart) % period < half_an_hour;
  return is_listed(here, now) && !restarts;
}

static place *find(play *p, const uint8_t *key) {
  for (size_t i = 0; i < p->place_count; i++)
    if (memcmp(p->places[i].record.ed25519, key, SC_KEY_BYTES) == 0)
      return &p->places[i];
  return NULL;
}

/* ---- what the client calls ---- */

static void add_pending(play *p, const pending *event) {
  if (p->queued == most_pending)
    abort();
  p->queue[p->queued++] = *event;
}

static sc_status call_list(void *user, uint64_t token, const sc_node *node, sc_storage_method method,
                           bool routed) {
  play *p = user;
  const pending event = {
      .at = p->moment.now + SIM_SECOND / 2, .is_list = true, .token = token, .node = *node};
  (void)method;
  (void)routed;
  add_pending(p, &event);
  return SC_OK;
}

static bool has_path(void *user) {
  play *p = user;
  sc_node used[sc_sample_in_use];
  return sc_guards_in_use(used, &p->guards) > 0;
}

static void want_path(void *user) {
  play *p = user;
  sc_guards_want(&p->guards, true);
}

static void take_list(void *user) {
  play *p = user;
  sc_guards_take_list(&p->guards, sc_nodes_are_of_seed(p->nodes));
  sc_paths_review(&p->paths);
}

static void guards_changed(void *user) {
  play *p = user;
  sc_paths_review(&p->paths);
}

static void nothing(void *user) {
  (void)user;
}

static bool is_never_busy(void *user, const sc_node *guard) {
  (void)user;
  (void)guard;
  return false;
}

static void listen(void *self, const sc_transport_listener *listener) {
  (void)self;
  (void)listener;
}

static sc_status call(void *self, sc_quic_call *out, uint64_t now, const sc_node *node,
                      const sc_transport_request *request) {
  (void)self;
  (void)out;
  (void)now;
  (void)node;
  (void)request;
  return SC_ERR_STATE;
}

static void cancel(void *self, uint64_t now, sc_quic_call number) {
  (void)self;
  (void)now;
  (void)number;
}

static sc_status connect(void *self, bool *open, uint64_t now, const sc_node *node, uint64_t timeout) {
  play *p = self;
  const place *there = find(p, node->key);
  bool answers = there != NULL && is_up(there, now);
  const pending event = {.at = now + (answers ? SIM_SECOND / 20 : timeout), .node = *node};
  *open = false;
  add_pending(p, &event);
  return SC_OK;
}

static void forget_connection(play *p, const sc_node *node) {
  for (size_t i = 0; i < p->open_count; i++)
    if (sc_node_same(&p->open[i], node)) {
      p->open[i] = p->open[--p->open_count];
      return;
    }
}

static void close_one(void *self, uint64_t now, const sc_node *node) {
  play *p = self;
  const sc_node kept = *node;
  (void)now;
  forget_connection(p, &kept);
  sc_guards_lost(&p->guards, &kept, SC_ERR_QUIC_STOPPED);
  sc_paths_lost(&p->paths, &kept);
}

static void close_all(void *self, uint64_t now) {
  (void)self;
  (void)now;
}

/* Connections that are open carry packets. */
static uint64_t heard_at(const void *self) {
  const play *p = self;
  return p->open_count > 0 ? p->moment.now : 0;
}

static const sc_transport_methods transport_methods = {.listen = listen,
                                                       .call = call,
                                                       .connect = connect,
                                                       .cancel = cancel,
                                                       .close = close_one,
                                                       .close_all = close_all,
                                                       .heard_at = heard_at};

/* ---- time ---- */

static void tell_list(play *p, const pending *event) {
  size_t bytes = 0;
  for (size_t i = 0; i < p->place_count; i++)
    if (is_listed(&p->places[i], p->moment.now)) {
      sc_storage_active_node_write(p->list + bytes, &p->places[i].record);
      bytes += SC_STORAGE_ACTIVE_NODE_BYTES;
    }
  sc_status status =
      sc_nodes_replied(p->nodes, p->moment.now, p->moment.wall, event->token, sc_bytes_make(p->list, bytes));
  if (status != SC_ERR_NOT_FOUND) /* it may come too late */
    must(status);
}

static void tell_connection(play *p, const pending *event) {
  const place *there = find(p, event->node.key);
  if (there == NULL || !is_up(there, p->moment.now)) {
    sc_guards_lost(&p->guards, &event->node, SC_ERR_REQUEST_TIMEOUT);
    return;
  }
  p->open[p->open_count++] = event->node;
  sc_guards_opened(&p->guards, &event->node);
}

static void lose_connections(play *p) {
  for (size_t i = 0; i < p->open_count; i++) {
    const sc_node node = p->open[i];
    const place *there = find(p, node.key);
    if (there != NULL && is_up(there, p->moment.now))
      continue;
    forget_connection(p, &node);
    sc_guards_lost(&p->guards, &node, SC_ERR_REQUEST_TIMEOUT);
    sc_paths_lost(&p->paths, &node);
    i = SIZE_MAX;
  }
}

static uint64_t earlier(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t next_event(const play *p) {
  uint64_t next = earlier(sc_guards_deadline(&p->guards), sc_nodes_deadline(p->nodes));
  next = earlier(next, sc_paths_deadline(&p->paths));
  for (size_t i = 0; i < p->queued; i++)
    next = earlier(next, p->queue[i].at);
  return next;
}

static void move_to(play *p, uint64_t now) {
  if (now <= p->moment.now)
    return;
  p->moment.now = now;
  p->moment.wall = wall_at_start + now / SIM_MILLISECOND;
}

static void tell_pending(play *p) {
  for (size_t i = 0; i < p->queued;) {
    if (p->queue[i].at > p->moment.now) {
      i++;
      continue;
    }
    const pending event = p->queue[i];
    p->queue[i] = p->queue[--p->queued];
    if (event.is_list)
      tell_list(p, &event);
    else
      tell_connection(p, &event);
    i = 0;
  }
}

static void work(play *p) {
  lose_connections(p);
  tell_pending(p);
  must(sc_nodes_advance(p->nodes, p->moment.now, p->moment.wall));
  sc_guards_advance(&p->guards);
  sc_paths_advance(&p->paths);
}

/* Lets time pass, and everything happen that is due. */
static void pass(play *p, uint64_t until) {
  work(p);
  for (uint64_t next; (next = next_event(p)) <= until;) {
    move_to(p, next > p->moment.now ? next : p->moment.now + 1);
    work(p);
  }
  move_to(p, until);
}

/* ---- attempts ---- */

static bool is_friend(play *p, const sc_node *node) {
  const place *there = find(p, node->key);
  return there != NULL && there->is_hostile;
}

static bool drops_as_guard(const play *p, const place *here, bool has_friend) {
  return here == p->slowed || (here->is_hostile && here->strategy == POLICY_STARVE && !has_friend);
}

static bool drops_behind(const place *here, bool guard_is_friend) {
  return here->is_hostile &&
         (here->strategy == POLICY_SWALLOW || (here->strategy == POLICY_FRAME && !guard_is_friend));
}

/* True if the request comes back. */
static bool travels(play *p, const sc_path *path, const place *destination) {
  bool has_friend = false, guard_is_friend = is_friend(p, &path->nodes[0]);
  for (size_t i = 1; i < path->length; i++)
    has_friend |= is_friend(p, &path->nodes[i]);
  for (size_t i = 0; i < path->length; i++) {
    const place *here = find(p, path->nodes[i].key);
    if (here == NULL || !is_up(here, p->moment.now) ||
        (i == 0 ? drops_as_guard(p, here, has_friend) : drops_behind(here, guard_is_friend)))
      return false;
  }
  return is_up(destination, p->moment.now) &&
         !(destination->is_hostile && destination->strategy == POLICY_SWALLOW);
}

static void judge(play *p, sc_path *path, const place *destination, bool good) {
  const sc_route way = {.hops = path->hops,
                        .hop_count = path->length,
                        .destination = destination->record.ed25519,
                        .is_to_node = true};
  if (good) {
    sc_guards_confirm(&p->guards, sc_path_guard(path)->key);
    sc_paths_worked(&p->paths, path, &way);
  } else {
    sc_paths_failed(&p->paths, path, &way);
  }
}

static bool try_once(play *p, const sc_path_wish *wish, const place *destination, sc_used_hops *used) {
  const uint64_t round_trip = SIM_SECOND / 2, timeout = 3 * SIM_SECOND, wait = 10 * SIM_SECOND;
  sc_path *path = NULL;
  sc_path_choice choice = sc_paths_choose(&path, &p->paths, wish);
  for (uint64_t until = p->moment.now + wait; choice == SC_PATH_WAIT && p->moment.now < until;) {
    pass(p, p->moment.now + SIM_SECOND / 4);
    choice = sc_paths_choose(&path, &p->paths, wish);
  }
  if (choice != SC_PATH_FOUND)
    return false;
  p->result->attempts++;
  const place *guard = find(p, sc_path_guard(path)->key);
  p->starved += guard != NULL && guard->is_hostile && guard->strategy == POLICY_STARVE;
  sc_used_hops_add(used, path->hops[0].ed25519, sizeof path->hops[0], path->length);
  bool good = travels(p, path, destination);
  sc_paths_begin(path);
  pass(p, p->moment.now + (good ? round_trip : timeout));
  judge(p, path, destination, good);
  sc_paths_end(path);
  if (!good && p->plan->flaw == POLICY_RASH && guard != NULL)
    (void)sc_sample_set_back(&p->guards.sample, guard->record.ed25519, sc_day_of(p->moment.wall));
  return good;
}

/* ---- what is observed ---- */

/* True if a hostile guard is in use. */
static bool look_at_guards(play *p) {
  sc_node used[sc_sample_in_use];
  size_t count = sc_guards_in_use(used, &p->guards);
  bool any_hostile = false;
  for (size_t i = 0; i < count; i++) {
    place *guard = find(p, used[i].key);
    p->guard_count += !guard->was_in_use;
    guard->was_in_use = true;
    any_hostile |= guard->is_hostile;
  }
  return any_hostile;
}

/* The first reply came: from now on, the line slows the guard that messages take. */
static void choose_slowed(play *p) {
  sc_node used[sc_sample_in_use];
  size_t count = sc_guards_in_use(used, &p->guards);
  p->first = p->guards.sample;
  if (count > 0 && p->plan->strategy == POLICY_SLOW)
    p->slowed = find(p, used[0].key);
}

static void count_setbacks(play *p) {
  enum { week = 7 };
  sc_day last = p->guards.sample.setback;
  if (last == p->setback)
    return;
  p->result->setbacks++;
  p->result->too_many += p->setback != 0 && last - p->setback < week;
  p->setback = last;
}

static void look_for_setbacks(play *p) {
  count_setbacks(p);
  for (size_t i = 0; i < p->guards.sample.count; i++) {
    const sc_guard *guard = &p->guards.sample.guards[i];
    place *there = find(p, guard->key);
    if (guard->back_until <= sc_day_of(p->moment.wall) || there == NULL)
      continue;
    p->has_set_back |= there->is_hostile;
    p->result->framed += !there->is_hostile && !there->was_set_back;
    there->was_set_back |= !there->is_hostile;
  }
}

/* Most requests are polls of the own mailbox. */
static size_t some_swarm(play *p) {
  enum { own = 0, of_others = 4 };
  return draw_one_in(&p->chance, of_others) ? draw_below(&p->chance, swarms) : own;
}

static void request(play *p) {
  size_t swarm = some_swarm(p), first = draw_below(&p->chance, members);
  sc_used_hops used = {0};
  sc_path_wish wish = {.category = SC_NETWORK_STANDARD, .used = &used};
  wish.key = (sc_path_key){.local_account = 1, .target = SC_NETWORK_FOR_SWARM, .of = {5, (uint8_t)swarm}};
  bool good = false;
  sc_guards_want(&p->guards, true);
  (void)sc_nodes_want(p->nodes, p->moment.now, p->moment.wall, NULL);
  pass(p, p->moment.now + SIM_SECOND / 10);
  for (size_t i = 0; i < attempts_each && !good; i++) {
    const place *destination = &p->places[p->destinations[swarm][(first + i) % members]];
    wish.destination = destination->record.ed25519;
    wish.attempts = i;
    good = try_once(p, &wish, destination, &used);
  }
  sc_guards_want(&p->guards, false);
  bool any_hostile = look_at_guards(p);
  if (!p->has_begun && good) {
    p->has_begun = true;
    p->began_hostile = any_hostile;
    choose_slowed(p);
  }
  p->moved |= p->has_begun && !p->began_hostile && any_hostile;
  if (p->has_begun && !any_hostile) {
    p->result->due++;
    p->result->lost += !good;
  }
  look_for_setbacks(p);
}

/* ---- a client ---- */

static void choose_destinations(play *p) {
  for (size_t swarm = 0; swarm < swarms; swarm++)
    for (size_t i = 0; i < members; i++)
      p->destinations[swarm][i] = draw_below(&p->chance, (uint32_t)p->plan->nodes);
}

static void begin(play *p) {
  sc_network_options_default(&p->options, SC_NETWORK_MAIN);
  p->options.nodes.pool_expiry = 3 * DAY;
  p->seed = (sc_node){.https_port = 1, .quic_port = 1, .ip = {9, 9, 9, 9}, .swarm = SC_STORAGE_NO_SWARM};
  memcpy(p->seed.key, p->places[0].record.x25519, SC_KEY_BYTES);
  p->options.nodes.seeds = &p->seed;
  p->options.nodes.seed_count = 1;
  const sc_nodes_host host = {
      .user = p, .call_list = call_list, .has_path = has_path, .want_path = want_path, .replaced = take_list};
  if (sc_nodes_new(&p->nodes, &p->env, &p->options.nodes, &host) != SC_OK)
    abort();
  const sc_guards_owner guards_owner = {.user = p,
                                        .changed = guards_changed,
                                        .save = nothing,
                                        .unreachable = nothing,
                                        .is_busy = is_never_busy};
  sc_guards_init(&p->guards, &p->env, &p->options, &p->moment, p->nodes,
                 (sc_transport){p, &transport_methods}, &guards_owner);
  const sc_paths_owner paths_owner = {.user = p, .changed = nothing};
  sc_paths_init(&p->paths, &p->env, &p->options, &p->moment, p->nodes, &p->guards, &paths_owner);
  sc_nodes_resume(p->nodes);
  sc_guards_resume(&p->guards);
  sc_paths_resume(&p->paths);
}

static void live(play *p) {
  const uint64_t end = (uint64_t)p->plan->days * DAY, pause = p->plan->pause_s * SIM_SECOND;
  const uint64_t restless = 5 * DAY;
  uint64_t reset_at = restless;
  while (p->moment.now < end) {
    request(p);
    pass(p, p->moment.now + pause / 2 + draw(&p->chance) % pause);
    if (p->plan->flaw == POLICY_RESTLESS && p->moment.now >= reset_at) {
      must(sc_guards_reset(&p->guards));
      reset_at += restless;
    }
  }
}

static void conclude(play *p) {
  enum { should_notice = 400, shortest_life = 60 /* days of a guard */ };
  policy_result *r = p->result;
  r->clients++;
  r->days += p->plan->days;
  r->began_hostile += p->began_hostile;
  r->moved += p->moved;
  r->guards += p->guard_count;
  for (size_t i = 0; i < p->first.count && p->plan->days < shortest_life; i++) {
    const place *there = find(p, p->first.guards[i].key);
    r->dropped += is_listed(there, p->moment.now) && !sc_guards_has(&p->guards, p->first.guards[i].key);
  }
  if (p->starved >= should_notice) {
    r->starving++;
    r->noticed += p->has_set_back;
  }
  sc_paths_suspend(&p->paths);
  sc_paths_advance(&p->paths);
  sc_paths_free(&p->paths);
  sc_nodes_free(p->nodes);
}

void policy_run(policy_result *out, const policy_plan *plan) {
  enum { first_moment = 1000 };
  size_t leaving = plan->nodes * 3 * plan->days / 3000 + 1;
  place *places = memory_new(plan->nodes + leaving, sizeof *places);
  uint8_t *list = memory_new(plan->nodes + leaving, SC_STORAGE_ACTIVE_NODE_BYTES);
  play *p = memory_new(1, sizeof *p);
  *out = (policy_result){0};
  for (size_t i = 0; i < plan->nodes + leaving; i++)
    places[i].record = make_record(i);
  for (size_t i = 0; i < plan->clients; i++) {
    draws seeds = draws_from(plan->seed * UINT64_C(0x100000001b3) ^ i);
    (void)draw(&seeds);
    *p = (play){
        .plan = plan, .result = out, .places = places, .place_count = plan->nodes + leaving, .list = list};
    p->chance = draws_from(draw(&seeds));
    p->client_chance = draws_from(draw(&seeds));
    p->env = memory_env(&p->client_chance);
    move_to(p, first_moment * SIM_SECOND);
    settle(p);
    choose_destinations(p);
    begin(p);
    live(p);
    conclude(p);
  }
  free(p);
  free(list);
  free(places);
}

/* ---- bounds ---- */

/* Returns the share that so many trials may show by chance if the true share is `bound`. */
static double with_noise(double bound, size_t trials) {
  return trials == 0 ? 1 : bound + 3 * sqrt(bound * (1 - bound) / (double)trials);
}

static double share(size_t part, size_t whole) {
  return whole == 0 ? 0 : (double)part / (double)whole;
}

bool policy_is_broken(char *what, size_t capacity, const policy_plan *plan, const policy_result *r) {
  const double framed_a_day = 3.0 / 10000, served = 0.99;
  double f = (double)plan->hostile / 1000, attempt = (1 - f) * (1 - f) * (1 - f);
  double moves = with_noise(1 - (1 - f) * (1 - f), r->clients - r->began_hostile);
  double loss = with_noise(pow(1 - attempt, 3) + 1 - served, r->due);
  double framed = framed_a_day * (double)r->days;
  if (share(r->moved, r->clients - r->began_hostile) > moves)
    snprintf(what, capacity, "%.3f of the clients move to a hostile guard, at most %.3f may",
             share(r->moved, r->clients - r->began_hostile), moves);
  else if (share(r->lost, r->due) > loss)
    snprintf(what, capacity, "%.4f of the requests over honest guards fail, at most %.4f may",
             share(r->lost, r->due), loss);
  else if (r->too_many > 0)
    snprintf(what, capacity, "%zu times a second guard is set back in seven days", r->too_many);
  else if (r->dropped > 0)
    snprintf(what, capacity, "%zu guards are dropped before their time", r->dropped);
  else if (plan->strategy != POLICY_SLOW && (double)r->framed > framed + 3 * sqrt(framed) + 1)
    snprintf(what, capacity, "%zu honest guards are set back in %zu days of clients", r->framed, r->days);
  else if (plan->hostile <= 50 && r->noticed * 4 < r->starving * 3)
    snprintf(what, capacity, "%zu of %zu clients do not notice that a guard starves them",
             r->starving - r->noticed, r->starving);
  else
    return false;
  return true;
}

void policy_print(const policy_plan *plan, const policy_result *r, double cpu, FILE *to) {
  fprintf(to, "policy     %s, %.3f hostile: %zu clients, %u days, %zu attempts, %.0f a second of CPU\n",
          names[plan->strategy], (double)plan->hostile / 1000, r->clients, plan->days, r->attempts,
          (double)r->attempts / cpu);
  fprintf(to,
          "guards     %.3f began with a hostile one; %.3f of the others moved to one; %.1f were used by a "
          "client\n",
          share(r->began_hostile, r->clients), share(r->moved, r->clients - r->began_hostile),
          share(r->guards, r->clients));
  fprintf(to,
          "set back   %zu guards, %zu honest ones in %zu days of clients; by %zu of %zu clients that were "
          "starved\n",
          r->setbacks, r->framed, r->days, r->noticed, r->starving);
  fprintf(to, "service    %zu requests over honest guards, %zu of them failed\n", r->due, r->lost);
}
