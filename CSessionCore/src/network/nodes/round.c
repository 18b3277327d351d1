#include "round.h"

#include "../../base/backoff.h"
#include "../moment.h"

void sc_round_init(sc_round *round, const sc_env *env) {
  *round = (sc_round){0};
  sc_quorum_init(&round->quorum, env);
}

/* Tokens increase across rounds, so that a late reply cannot be taken for a current one. */
void sc_round_stop(sc_round *round) {
  sc_quorum_free(&round->quorum);
  round->list_count = round->candidate_count = round->next_candidate = 0;
  round->is_wide = false;
}

uint64_t sc_round_backoff(const sc_node_options *options, unsigned failures) {
  return sc_backoff(failures, options->retry_delay, options->max_retry_delay);
}

static void back_off(sc_round *round, const sc_round_caller *caller, uint64_t now, sc_round_list *list) {
  list->failures++;
  list->due = sc_later(now, sc_round_backoff(caller->options, list->failures));
  list->state = round->next_candidate < round->candidate_count ? SC_LIST_BACKING_OFF : SC_LIST_GIVEN_UP;
}

static void call_candidate(sc_round *round, const sc_round_caller *caller, uint64_t now, sc_round_list *list,
                           sc_storage_method method) {
  list->state = SC_LIST_CALLED;
  list->method = method;
  list->token = ++round->last_token;
  list->due = sc_later(now, caller->options->list_timeout);
  if (caller->call_list(caller->user, list->token, &round->candidates[list->candidate], method,
                        round->of_seeds) != SC_OK)
    back_off(round, caller, now, list);
}

static bool is_near_a_source(const sc_round *round, const sc_node *node) {
  for (size_t i = 0; i < round->list_count; i++) {
    const sc_round_list *list = &round->lists[i];
    bool is_source = list->state == SC_LIST_CALLED || list->state == SC_LIST_THERE;
    if (is_source && sc_node_is_near(&round->candidates[list->candidate], node))
      return true;
  }
  return false;
}

/* The first candidate that is in no network of another list; else the first. */
static void choose_next(sc_round *round) {
  size_t chosen = round->next_candidate;
  while (chosen < round->candidate_count && is_near_a_source(round, &round->candidates[chosen]))
    chosen++;
  if (chosen == round->candidate_count)
    return;
  sc_node node = round->candidates[chosen];
  round->candidates[chosen] = round->candidates[round->next_candidate];
  round->candidates[round->next_candidate] = node;
}

static void call_next(sc_round *round, const sc_round_caller *caller, uint64_t now, sc_round_list *list) {
  list->state = SC_LIST_GIVEN_UP;
  if (round->next_candidate == round->candidate_count)
    return;
  if (round->is_apart)
    choose_next(round);
  list->candidate = round->next_candidate++;
  call_candidate(round, caller, now, list, SC_STORAGE_ACTIVE_NODES);
}

static void add_lists(sc_round *round, const sc_round_caller *caller, uint64_t now, size_t lists) {
  size_t first = round->list_count;
  round->list_count += lists;
  for (size_t i = first; i < round->list_count; i++)
    round->lists[i] = (sc_round_list){.state = SC_LIST_GIVEN_UP};
  for (size_t i = first; i < round->list_count; i++)
    call_next(round, caller, now, &round->lists[i]);
}

void sc_round_begin(sc_round *round, const sc_round_caller *caller, uint64_t now, size_t lists) {
  round->list_count = 0;
  add_lists(round, caller, now, lists);
}

void sc_round_widen(sc_round *round, const sc_round_caller *caller, uint64_t now, size_t lists) {
  round->is_wide = true;
  add_lists(round, caller, now, lists);
}

static sc_round_list *find(sc_round *round, uint64_t token) {
  for (size_t i = 0; i < round->list_count; i++)
    if (round->lists[i].state == SC_LIST_CALLED && round->lists[i].token == token)
      return &round->lists[i];
  return NULL;
}

static sc_status count_reply(sc_round *round, const sc_node_options *options, sc_storage_method method,
                             sc_bytes body) {
  sc_node_list list;
  sc_node_list_init(&list, round->quorum.records.env);
  sc_status status = sc_node_list_read(&list, method, options->private_addresses, body);
  if (status == SC_OK && sc_node_list_count(&list) < options->smallest_pool)
    status = SC_ERR_NODE_LIST;
  if (status == SC_OK)
    status = sc_quorum_add(&round->quorum, &list);
  sc_node_list_free(&list);
  return status;
}

sc_status sc_round_replied(sc_round *round, const sc_round_caller *caller, uint64_t now, uint64_t token,
                           sc_bytes body) {
  sc_round_list *list = find(round, token);
  if (list == NULL)
    return SC_ERR_NOT_FOUND;
  sc_status status = count_reply(round, caller->options, list->method, body);
  if (status == SC_OK)
    list->state = SC_LIST_THERE;
  else
    back_off(round, caller, now, list);
  return status;
}

sc_status sc_round_failed(sc_round *round, const sc_round_caller *caller, uint64_t now, uint64_t token,
                          sc_status why) {
  sc_round_list *list = find(round, token);
  if (list == NULL)
    return SC_ERR_NOT_FOUND;
  if (why == SC_ERR_STORAGE_METHOD && list->method == SC_STORAGE_ACTIVE_NODES)
    call_candidate(round, caller, now, list, SC_STORAGE_SERVICE_NODES);
  else
    back_off(round, caller, now, list);
  return SC_OK;
}

void sc_round_advance(sc_round *round, const sc_round_caller *caller, uint64_t now) {
  for (size_t i = 0; i < round->list_count; i++) {
    sc_round_list *list = &round->lists[i];
    if (list->state == SC_LIST_CALLED && list->due <= now)
      back_off(round, caller, now, list);
    else if (list->state == SC_LIST_BACKING_OFF && list->due <= now)
      call_next(round, caller, now, list);
  }
}

bool sc_round_is_over(const sc_round *round) {
  for (size_t i = 0; i < round->list_count; i++)
    if (round->lists[i].state == SC_LIST_CALLED || round->lists[i].state == SC_LIST_BACKING_OFF)
      return false;
  return true;
}

uint64_t sc_round_deadline(const sc_round *round) {
  uint64_t deadline = UINT64_MAX;
  if (sc_round_is_over(round))
    return 0;
  for (size_t i = 0; i < round->list_count; i++) {
    const sc_round_list *list = &round->lists[i];
    if ((list->state == SC_LIST_CALLED || list->state == SC_LIST_BACKING_OFF) && list->due < deadline)
      deadline = list->due;
  }
  return deadline;
}

static bool has_swarm(const sc_node_list *list) {
  for (size_t i = 0; i < sc_node_list_count(list); i++)
    if (sc_node_list_nodes(list)[i].swarm != SC_STORAGE_NO_SWARM)
      return true;
  return false;
}

static size_t enough_lists(const sc_round *round, const sc_node_options *options) {
  if (round->of_seeds)
    return 1;
  return round->is_wide ? sc_round_wide_agreeing : options->agreeing_lists;
}

/* A missing reply must not lower the bar: the same number of nodes must agree even if few are left. */
sc_status sc_round_result(sc_node_list *out, const sc_round *round, const sc_node_options *options) {
  size_t enough = enough_lists(round, options);
  if (round->quorum.lists < enough)
    return SC_ERR_NODE_LIST;
  sc_status status = sc_quorum_result(out, &round->quorum, enough);
  if (status == SC_OK && sc_node_list_count(out) >= options->smallest_pool && has_swarm(out))
    return SC_OK;
  sc_node_list_free(out);
  return status == SC_OK ? SC_ERR_NODE_LIST : status;
}
