#include "refresh.h"

#include "../moment.h"
#include "fallback.h"
#include "state.h"

void sc_refresh_init(sc_nodes *nodes) {
  sc_round_init(&nodes->refresh.round, nodes->env);
}

/* ---- when ---- */

static bool is_older(uint64_t then, uint64_t wall, uint64_t age) {
  return then > wall || wall - then >= age / sc_nodes_millisecond;
}

static bool is_old(const sc_nodes *nodes, uint64_t wall) {
  return is_older(nodes->refresh.refreshed_wall, wall, nodes->options.pool_expiry);
}

static bool is_short(sc_nodes *nodes, uint64_t wall) {
  size_t smallest = nodes->options.smallest_pool;
  return sc_nodes_usable(nodes, wall, smallest) < smallest;
}

static bool is_fresh(const sc_nodes *nodes, uint64_t now) {
  const sc_refresh *refresh = &nodes->refresh;
  return refresh->refreshed && now - refresh->refreshed_at < nodes->options.pool_interval;
}

/* True if the reason counts now. It counts less often the more it recurs; after twice the pause without it,
 * it starts afresh. */
static bool counts(sc_refresh_reason *reason, const sc_node_options *options, uint64_t now) {
  uint64_t quiet = now - reason->at;
  if (reason->counted && quiet < reason->interval)
    return false;
  bool again = reason->counted && quiet / 2 < reason->interval;
  reason->interval = again ? 2 * reason->interval : options->evidence_base;
  if (reason->interval > options->pool_expiry)
    reason->interval = options->pool_expiry;
  reason->counted = true;
  reason->at = now;
  return true;
}

static bool is_needed(sc_nodes *nodes, uint64_t wall) {
  return nodes->pool.count == 0 || nodes->refresh.evidence || is_old(nodes, wall) || is_short(nodes, wall);
}

/* ---- rounds ---- */

static sc_status call_host(void *user, uint64_t token, const sc_node *node, sc_storage_method method,
                           bool of_seeds) {
  sc_nodes *nodes = user;
  return nodes->host.call_list(nodes->host.user, token, node, method, !of_seeds);
}

static sc_round_caller caller_of(sc_nodes *nodes) {
  return (sc_round_caller){.user = nodes, .call_list = call_host, .options = &nodes->options};
}

static const sc_node *seeds_of(size_t *count, const sc_nodes *nodes) {
  *count = nodes->options.seed_count;
  return *count > 0 ? nodes->options.seeds : sc_seeds(count, nodes->options.kind);
}

static void choose_seeds(sc_round *round, const sc_nodes *nodes) {
  sc_draws draws;
  const sc_node *seeds = seeds_of(&round->candidate_count, nodes);
  sc_draws_init(&draws, nodes->env, round->candidate_count);
  for (size_t i = 0; i < round->candidate_count; i++) {
    size_t at = sc_draws_below(&draws, (uint32_t)i + 1);
    round->candidates[i] = round->candidates[at];
    round->candidates[at] = seeds[i];
    round->candidates[at].swarm = SC_STORAGE_NO_SWARM;
  }
}

static bool is_candidate(void *user, const sc_node *node) {
  const sc_round *round = user;
  for (size_t i = 0; i < round->candidate_count; i++)
    if (sc_node_same(&round->candidates[i], node))
      return true;
  return false;
}

static void add_candidates(sc_round *round, const sc_node *const *picked, size_t count) {
  for (size_t i = 0; i < count; i++)
    round->candidates[round->candidate_count++] = *picked[i];
}

/* First those of good standing, with diversity from different subnets, so that no operator has two of the
 * lists; then any. */
static void choose_nodes(sc_round *round, sc_nodes *nodes, uint64_t wall, size_t lists) {
  const sc_node *picked[sc_round_most_candidates];
  size_t before = round->candidate_count, most = lists * sc_round_candidates_a_list;
  add_candidates(round, picked, sc_nodes_pick(picked, nodes, wall, most, round->candidates, before));
  const sc_node_wish anybody = {.refuse = is_candidate, .user = round};
  add_candidates(round, picked,
                 sc_node_pool_pick(picked, &nodes->pool, before + most - round->candidate_count, &anybody));
}

static void ask_nodes(sc_nodes *nodes, uint64_t now, uint64_t wall) {
  sc_refresh *refresh = &nodes->refresh;
  size_t lists = nodes->options.lists;
  sc_round_caller caller = caller_of(nodes);
  refresh->phase = SC_REFRESH_CALLING;
  sc_round_stop(&refresh->round);
  refresh->round.of_seeds = false;
  refresh->round.is_apart = nodes->options.subnet_diversity;
  choose_nodes(&refresh->round, nodes, wall, lists);
  sc_round_begin(&refresh->round, &caller, now, lists);
}

static void ask_seed(sc_nodes *nodes, uint64_t now) {
  sc_refresh *refresh = &nodes->refresh;
  sc_round_caller caller = caller_of(nodes);
  if (nodes->pool.count > 0) {
    refresh->called_seed = true;
    refresh->seed_at = now;
  }
  refresh->phase = SC_REFRESH_CALLING;
  sc_round_stop(&refresh->round);
  refresh->round.of_seeds = true;
  refresh->round.is_apart = false;
  refresh->disputed = false;
  choose_seeds(&refresh->round, nodes);
  sc_round_begin(&refresh->round, &caller, now, 1);
}

/* A seed learns that this address uses the network. In a private network its operator knows that anyway. */
static uint64_t next_seed_at(const sc_nodes *nodes) {
  const sc_refresh *refresh = &nodes->refresh;
  bool is_free = !refresh->called_seed || refresh->disputed || nodes->options.kind == SC_NETWORK_PRIVATE;
  return is_free ? 0 : sc_later(refresh->seed_at, nodes->options.seed_interval);
}

/* How long guards are tried before a seed is called. Of an old list fewer nodes are left. */
static uint64_t path_timeout(const sc_nodes *nodes, uint64_t wall) {
  const uint64_t day = 24 * 3600 * SC_NODE_SECOND;
  const sc_node_options *options = &nodes->options;
  return is_older(nodes->refresh.refreshed_wall, wall, day) ? options->path_timeout / 3
                                                            : options->path_timeout;
}

static void begin_round(sc_nodes *nodes, uint64_t now, uint64_t wall) {
  sc_refresh *refresh = &nodes->refresh;
  size_t lists = nodes->options.lists;
  bool no_nodes = lists == 0 || nodes->pool.count < lists;
  if (no_nodes || (refresh->seeds_next && next_seed_at(nodes) <= now)) {
    ask_seed(nodes, now);
  } else if (nodes->host.has_path(nodes->host.user)) {
    ask_nodes(nodes, now, wall);
  } else {
    refresh->phase = SC_REFRESH_AWAITS_PATH;
    refresh->due = sc_later(now, path_timeout(nodes, wall));
    nodes->host.want_path(nodes->host.user);
  }
}

/* A path is there, or it is time for a seed. */
static void end_waiting(sc_nodes *nodes, uint64_t now, uint64_t wall) {
  sc_refresh *refresh = &nodes->refresh;
  uint64_t seed_at = next_seed_at(nodes);
  if (nodes->host.has_path(nodes->host.user))
    ask_nodes(nodes, now, wall);
  else if (refresh->due <= now && seed_at <= now)
    ask_seed(nodes, now);
  else if (refresh->due < seed_at)
    refresh->due = seed_at;
}

/* ---- what to believe ---- */

typedef enum belief {
  BELIEVED,
  NEEDS_WITNESSES, /* more nodes must be called */
  NEEDS_SEED,
} belief;

/* Nodes that drop half of the network may all belong to one operator. */
static bool is_worse(const sc_nodes *nodes, const sc_node_list *list) {
  return sc_node_list_count(list) < nodes->pool.count / 2;
}

static size_t usual_changes(const sc_nodes *nodes, sc_day today) {
  return sc_change_usual(nodes->pool.count, sc_day_of(nodes->refresh.refreshed_wall), today);
}

static size_t changes_on(const sc_nodes *nodes, sc_day today) {
  const sc_day_changes *changes = &nodes->refresh.changes;
  return changes->day == today ? changes->count : 0;
}

static bool is_vouched_for(const sc_nodes *nodes, const sc_node_list *list, sc_day today) {
  const sc_round *round = &nodes->refresh.round;
  return round->is_wide &&
         sc_quorum_supporters(&round->quorum, list, usual_changes(nodes, today)) >= sc_round_wide_agreeing;
}

/* Lists of seeds are trusted, and the operator of a private network answers for all of its nodes. */
static belief judge(const sc_nodes *nodes, const sc_node_list *list, size_t changes, sc_day today) {
  const sc_round *round = &nodes->refresh.round;
  if (round->of_seeds)
    return BELIEVED;
  if (is_worse(nodes, list))
    return NEEDS_SEED;
  bool is_small = changes_on(nodes, today) + changes <= usual_changes(nodes, today);
  if (is_small || nodes->options.kind == SC_NETWORK_PRIVATE || is_vouched_for(nodes, list, today))
    return BELIEVED;
  return round->is_wide || round->list_count == SC_NODE_MAX_LISTS ? NEEDS_SEED : NEEDS_WITNESSES;
}

static void ask_witnesses(sc_nodes *nodes, uint64_t now, uint64_t wall) {
  sc_round *round = &nodes->refresh.round;
  sc_round_caller caller = caller_of(nodes);
  size_t lists = SC_NODE_MAX_LISTS - round->list_count;
  choose_nodes(round, nodes, wall, lists);
  sc_round_widen(round, &caller, now, lists);
}

static void dispute(sc_refresh *refresh) {
  refresh->disputed = !refresh->was_disputed;
  refresh->was_disputed = true;
}

/* Counts changes as drift, except those from a seed and those that six of eight nodes agree on. */
static void note_changes(sc_nodes *nodes, size_t changes, sc_day today) {
  const sc_round *round = &nodes->refresh.round;
  if (!round->of_seeds && !round->is_wide)
    nodes->refresh.changes = (sc_day_changes){today, (uint32_t)(changes_on(nodes, today) + changes)};
}

static sc_status adopt(sc_nodes *nodes, sc_node_list *list, size_t changes, sc_day today) {
  if (nodes->options.kind != SC_NETWORK_PRIVATE)
    sc_change_date(list, &nodes->pool, nodes->refresh.round.of_seeds, today);
  sc_status status = sc_nodes_adopt(nodes, list);
  if (status == SC_OK)
    note_changes(nodes, changes, today);
  return status;
}

/* SC_ERR_STATE if the round continues with more nodes. */
static sc_status take_result(sc_nodes *nodes, uint64_t now, uint64_t wall) {
  sc_refresh *refresh = &nodes->refresh;
  sc_node_list list;
  sc_day today = sc_day_of(wall);
  sc_node_list_init(&list, nodes->env);
  sc_status status = sc_round_result(&list, &refresh->round, &nodes->options);
  size_t changes = status == SC_OK ? sc_change_count(&nodes->pool, &list) : 0;
  belief belief = status == SC_OK ? judge(nodes, &list, changes, today) : NEEDS_SEED;
  if (belief == BELIEVED)
    status = adopt(nodes, &list, changes, today);
  else if (belief == NEEDS_WITNESSES)
    ask_witnesses(nodes, now, wall);
  else if (status == SC_OK || refresh->round.is_wide)
    dispute(refresh);
  sc_node_list_free(&list);
  if (belief == NEEDS_WITNESSES)
    return SC_ERR_STATE;
  return belief == NEEDS_SEED && status == SC_OK ? SC_ERR_NODE_LIST : status;
}

/* ---- the end of a round ---- */

static void succeed(sc_nodes *nodes, uint64_t now, uint64_t wall) {
  sc_refresh *refresh = &nodes->refresh;
  refresh->phase = SC_REFRESH_IDLE;
  refresh->failures = 0;
  refresh->seeds_next = refresh->evidence = refresh->was_disputed = false;
  refresh->refreshed = true;
  refresh->by_seed = refresh->round.of_seeds;
  refresh->refreshed_at = now;
  refresh->refreshed_wall = wall;
  sc_round_stop(&refresh->round);
  sc_nodes_tell_replaced(nodes);
  sc_nodes_save(nodes, SC_NODES_FILE_POOL);
  sc_refresh_waiters_tell(&refresh->waiters, true);
}

/* The bundled list is used only without a better one; it is old, so fetching continues. */
static sc_status adopt_fallback(sc_nodes *nodes, uint64_t wall) {
  sc_node_list list;
  if (nodes->options.fallback.len == 0 || nodes->pool.count >= nodes->options.smallest_pool)
    return SC_ERR_NOT_FOUND;
  sc_node_list_init(&list, nodes->env);
  sc_status status = sc_fallback_read(&list, &nodes->options, wall);
  if (status == SC_OK)
    status = sc_nodes_adopt(nodes, &list);
  sc_node_list_free(&list);
  return status;
}

/* SC_ERR_NO_MEMORY when that is why. */
static sc_status fail(sc_nodes *nodes, uint64_t now, uint64_t wall, sc_status why) {
  sc_refresh *refresh = &nodes->refresh;
  refresh->phase = SC_REFRESH_BACKING_OFF;
  refresh->failures++;
  refresh->due = sc_later(now, sc_round_backoff(&nodes->options, refresh->failures));
  refresh->seeds_next = !refresh->round.of_seeds;
  sc_round_stop(&refresh->round);
  sc_status status = adopt_fallback(nodes, wall);
  if (status == SC_OK) {
    refresh->refreshed_wall = 0;
    refresh->by_seed = false;
    sc_nodes_tell_replaced(nodes);
  }
  sc_refresh_waiters_tell(&refresh->waiters, status == SC_OK);
  return why == SC_ERR_NO_MEMORY || status == SC_ERR_NO_MEMORY ? SC_ERR_NO_MEMORY : SC_OK;
}

/* Witnesses may all be out of reach at once. */
static sc_status settle(sc_nodes *nodes, uint64_t now, uint64_t wall) {
  while (nodes->refresh.phase == SC_REFRESH_CALLING && sc_round_is_over(&nodes->refresh.round)) {
    sc_status status = take_result(nodes, now, wall);
    if (status == SC_OK)
      succeed(nodes, now, wall);
    else if (status != SC_ERR_STATE)
      return fail(nodes, now, wall, status);
  }
  return SC_OK;
}

static void start(sc_nodes *nodes, uint64_t now, uint64_t wall) {
  sc_refresh *refresh = &nodes->refresh;
  if (is_fresh(nodes, now)) {
    refresh->phase = SC_REFRESH_POSTPONED;
    refresh->due = sc_later(refresh->refreshed_at, nodes->options.pool_interval);
  } else {
    begin_round(nodes, now, wall);
  }
}

/* ---- the face ---- */

static sc_refresh_want wait_for_it(sc_nodes *nodes, uint64_t now, uint64_t wall, sc_refresh_waiter *waiter) {
  if (waiter != NULL)
    sc_refresh_waiter_add(&nodes->refresh.waiters, waiter);
  if (nodes->refresh.phase == SC_REFRESH_IDLE)
    start(nodes, now, wall);
  return SC_REFRESH_WAIT;
}

sc_refresh_want sc_nodes_want(sc_nodes *nodes, uint64_t now, uint64_t wall, sc_refresh_waiter *waiter) {
  sc_refresh *refresh = &nodes->refresh;
  if (refresh->suspended)
    return SC_REFRESH_REFUSED;
  bool needed = nodes->pool.count == 0 || is_old(nodes, wall);
  if (!needed && is_short(nodes, wall))
    needed = refresh->phase != SC_REFRESH_IDLE || counts(&refresh->short_reason, &nodes->options, now);
  return needed ? wait_for_it(nodes, now, wall, waiter) : SC_REFRESH_NEEDLESS;
}

/* A hostile swarm must not use up what other accounts need. */
static bool may_cause_refresh(sc_nodes *nodes, uint64_t now, const uint8_t *account) {
  static const uint8_t none[SC_KEY_BYTES];
  sc_refresh *refresh = &nodes->refresh;
  const uint8_t *of = account != NULL ? account : none;
  bool caused_last = refresh->evidence_reason.counted && account != NULL &&
                     memcmp(refresh->evidence_of, account, SC_KEY_BYTES) == 0;
  if ((caused_last && refresh->others_want) || !counts(&refresh->evidence_reason, &nodes->options, now)) {
    refresh->others_want |= !caused_last;
    return false;
  }
  refresh->others_want = false;
  memcpy(refresh->evidence_of, of, SC_KEY_BYTES);
  return true;
}

sc_refresh_want sc_nodes_want_evidence(sc_nodes *nodes, uint64_t now, uint64_t wall, const uint8_t *account,
                                       sc_refresh_waiter *waiter) {
  sc_refresh *refresh = &nodes->refresh;
  if (refresh->suspended)
    return SC_REFRESH_REFUSED;
  if (refresh->phase == SC_REFRESH_IDLE) {
    if (is_fresh(nodes, now))
      return SC_REFRESH_NEEDLESS;
    if (!may_cause_refresh(nodes, now, account))
      return SC_REFRESH_REFUSED;
    refresh->evidence = true;
  }
  return wait_for_it(nodes, now, wall, waiter);
}

bool sc_nodes_is_refreshing(const sc_nodes *nodes) {
  return nodes->refresh.phase != SC_REFRESH_IDLE;
}

static sc_status first_of(sc_status status, sc_status after) {
  return status != SC_OK ? status : after;
}

sc_status sc_nodes_replied(sc_nodes *nodes, uint64_t now, uint64_t wall, uint64_t token, sc_bytes body) {
  sc_round_caller caller = caller_of(nodes);
  sc_status status = sc_round_replied(&nodes->refresh.round, &caller, now, token, body);
  return first_of(status, settle(nodes, now, wall));
}

sc_status sc_nodes_failed(sc_nodes *nodes, uint64_t now, uint64_t wall, uint64_t token, sc_status why) {
  sc_round_caller caller = caller_of(nodes);
  sc_status status = sc_round_failed(&nodes->refresh.round, &caller, now, token, why);
  return first_of(status, settle(nodes, now, wall));
}

uint64_t sc_refresh_deadline(const sc_nodes *nodes) {
  switch (nodes->refresh.phase) {
  case SC_REFRESH_AWAITS_PATH:
    return nodes->host.has_path(nodes->host.user) ? 0 : nodes->refresh.due;
  case SC_REFRESH_POSTPONED:
  case SC_REFRESH_BACKING_OFF:
    return nodes->refresh.due;
  case SC_REFRESH_CALLING:
    return sc_round_deadline(&nodes->refresh.round);
  case SC_REFRESH_IDLE:
    break;
  }
  return UINT64_MAX;
}

/* The reason for the refresh may be gone by now. */
static void go_on(sc_nodes *nodes, uint64_t now, uint64_t wall) {
  sc_refresh *refresh = &nodes->refresh;
  if (is_needed(nodes, wall)) {
    begin_round(nodes, now, wall);
    return;
  }
  refresh->phase = SC_REFRESH_IDLE;
  refresh->failures = 0;
  refresh->seeds_next = refresh->disputed = refresh->was_disputed = false;
  sc_refresh_waiters_tell(&refresh->waiters, true);
}

sc_status sc_refresh_advance(sc_nodes *nodes, uint64_t now, uint64_t wall) {
  sc_round_caller caller = caller_of(nodes);
  sc_refresh *refresh = &nodes->refresh;
  bool waiting = refresh->phase == SC_REFRESH_POSTPONED || refresh->phase == SC_REFRESH_BACKING_OFF;
  if (waiting && refresh->due <= now)
    go_on(nodes, now, wall);
  else if (refresh->phase == SC_REFRESH_AWAITS_PATH)
    end_waiting(nodes, now, wall);
  else if (refresh->phase == SC_REFRESH_CALLING)
    sc_round_advance(&refresh->round, &caller, now);
  return settle(nodes, now, wall);
}

void sc_refresh_stop(sc_nodes *nodes) {
  sc_refresh *refresh = &nodes->refresh;
  refresh->phase = SC_REFRESH_IDLE;
  refresh->failures = 0;
  refresh->seeds_next = refresh->evidence = refresh->disputed = refresh->was_disputed = false;
  sc_round_stop(&refresh->round);
  sc_refresh_waiters_tell(&refresh->waiters, false);
}
