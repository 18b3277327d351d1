/* Replies: decrypted with the key of the request, judged, and split for the requests of a batch. What each
 * kind of end leads to is a table (decision.h). */
#include "network.h"

enum { lowest_success = 200, highest_success = 299, code_malformed = 400, code_timeout = 408 };

/* An attempt that ended. */
typedef struct reply {
  sc_evidence evidence;
  int code;
  sc_bytes body;
  bool from_node;
  bool has_facts;                  /* of a node's success that could be read */
  sc_reply_facts facts;            /* its results borrow from the body */
  sc_onion_reply node;             /* the memory of the body, from a node … */
  sc_onion_opened_response server; /* … or a server */
} reply;

static bool is_success(int code) {
  return code >= lowest_success && code <= highest_success;
}

static sc_status open_reply(reply *out, const sc_attempt *attempt, sc_bytes bytes) {
  const sc_env *env = attempt->network->env;
  sc_status status;
  if (attempt->has_target) {
    status = sc_onion_reply_open(&out->node, env, &attempt->key, bytes);
    out->code = out->node.status;
    out->body = out->node.body;
  } else {
    status = sc_onion_response_open(&out->server, env, &attempt->key, bytes);
    out->code = out->server.response.status;
    out->body = out->server.response.kind == SC_ONION_BODY_NONE ? (sc_bytes){0} : out->server.response.body;
  }
  return status;
}

static void free_reply(reply *r) {
  if (r->from_node)
    sc_onion_reply_free(&r->node);
  else
    sc_onion_opened_response_free(&r->server);
}

static sc_evidence evidence_of_text(const sc_attempt *attempt, sc_bytes text) {
  sc_onion_failure failure;
  sc_onion_destination destination = {.kind = SC_ONION_TO_SERVER};
  if (attempt->has_target) {
    destination.kind = SC_ONION_TO_NODE;
    memcpy(destination.node.ed25519, attempt->target.key, SC_KEY_BYTES);
  }
  sc_onion_failure_parse(&failure, 0, text, attempt->hops, attempt->hop_count, &destination);
  return sc_evidence_of_text(&failure, attempt->hop_count);
}

static sc_evidence not_sent(sc_status reason) {
  return (sc_evidence){.kind = SC_EVIDENCE_NOT_SENT, .reason = reason};
}

static sc_evidence malformed(sc_status reason) {
  return (sc_evidence){.kind = SC_EVIDENCE_MALFORMED, .reason = reason};
}

static void read_opened(reply *out) {
  out->evidence = sc_evidence_of_code(out->code, out->from_node);
}

static void read_success(reply *out, const sc_attempt *attempt, sc_bytes bytes) {
  sc_status status = open_reply(out, attempt, bytes);
  if (status == SC_OK)
    read_opened(out);
  else if (status == SC_ERR_NO_MEMORY)
    out->evidence = not_sent(status);
  else if (status == SC_ERR_ONION_UNAUTHENTICATED || status == SC_ERR_TOO_LARGE)
    out->evidence = (sc_evidence){.kind = SC_EVIDENCE_UNREADABLE};
  else
    out->evidence = malformed(status);
}

static void read_result(reply *out, const sc_attempt *attempt, const sc_quic_result *result) {
  *out = (reply){.from_node = attempt->has_target};
  switch (result->status) {
  case SC_OK:
    read_success(out, attempt, result->body);
    break;
  case SC_ERR_REQUEST_FAILED:
    out->evidence = evidence_of_text(attempt, result->body);
    break;
  case SC_ERR_REQUEST_TIMEOUT:
    out->evidence = sc_attempt_is_overdue(attempt)
                        ? (sc_evidence){.kind = SC_EVIDENCE_SILENCE, .code = code_timeout}
                        : not_sent(result->status);
    break;
  case SC_ERR_QUIC_STREAM:
    out->evidence = (sc_evidence){.kind = SC_EVIDENCE_STREAM_RESET};
    break;
  case SC_ERR_QUIC_STOPPED:
  case SC_ERR_QUIC_BUSY:
  case SC_ERR_NO_MEMORY:
  case SC_ERR_REQUEST_CANCELLED:
    out->evidence = not_sent(result->status);
    break;
  default:
    out->evidence = (sc_evidence){.kind = SC_EVIDENCE_GUARD_LOST};
    break;
  }
}

/* A batch made here must have results. */
static void read_facts(reply *r, const sc_delivery *delivery) {
  if (!r->from_node || r->evidence.kind != SC_EVIDENCE_SUCCESS)
    return;
  r->has_facts = sc_reply_facts_read(&r->facts, r->body);
  if (delivery->sent_count > 1 && !(r->has_facts && r->facts.has_results))
    r->evidence = malformed(SC_ERR_STORAGE_REPLY);
}

/* ---- telling requests ---- */

/* The members of the called swarm. */
static sc_storage_keepers keepers_of(const sc_delivery *delivery) {
  sc_network *network = delivery->network;
  sc_swarm swarm;
  if (sc_delivery_swarm(&swarm, delivery) != SC_OK)
    return (sc_storage_keepers){0};
  for (size_t i = 0; i < swarm.count; i++)
    memcpy(network->keepers[i], swarm.nodes[i]->key, SC_KEY_BYTES);
  return (sc_storage_keepers){.keys = (const uint8_t(*)[SC_KEY_BYTES])network->keepers,
                              .count = swarm.count,
                              .least = network->options.nodes.kind == SC_NETWORK_PRIVATE ? 1 : 2};
}

static void tell(sc_request *request, const reply *r, int code, sc_bytes body) {
  const sc_delivery *delivery = request->delivery;
  const sc_node target = delivery->target;
  const sc_network_reply told = {
      .status = is_success(code) ? SC_OK : SC_ERR_REQUEST_FAILED,
      .code = code,
      .body = body,
      .node = r->from_node ? &target : NULL,
      .headers = r->from_node ? NULL : r->server.response.headers,
      .header_count = r->from_node ? 0 : r->server.response.header_count,
      .keepers = r->from_node ? keepers_of(delivery) : (sc_storage_keepers){0},
      .kind = r->from_node ? SC_ONION_BODY_NONE : r->server.response.kind,
      .attempts = delivery->attempts,
  };
  sc_request_complete(request, &told);
}

static void tell_all(sc_delivery *delivery, const reply *r) {
  sc_delivery_move(delivery, SC_DELIVERY_ENDING, 0);
  while (delivery->first != NULL)
    tell(delivery->first, r, r->code, r->body);
  sc_delivery_free(delivery);
}

/* ---- batches that were made here ---- */

/* The request gets a delivery of its own, which has tried what its old one has. */
static sc_delivery *split_off(sc_request *request) {
  const sc_delivery *from = request->delivery;
  sc_delivery *delivery = sc_delivery_new(from->network);
  if (delivery == NULL)
    return NULL;
  delivery->to = from->to;
  delivery->kind = SC_REQUEST_ALONE;
  delivery->category = from->category;
  delivery->small = from->small;
  delivery->has_account = from->has_account;
  memcpy(delivery->account, from->account, sizeof delivery->account);
  delivery->path_key = from->path_key;
  delivery->timeout = from->timeout;
  delivery->is_repeatable = from->is_repeatable;
  delivery->is_interactive = from->is_interactive;
  delivery->may_hedge = from->may_hedge;
  delivery->attempts = from->attempts;
  delivery->most_attempts = from->most_attempts;
  delivery->redirects = from->redirects;
  delivery->has_followed = from->has_followed;
  memcpy(delivery->tried, from->tried, sizeof delivery->tried);
  delivery->tried_count = from->tried_count;
  delivery->target = from->target;
  delivery->has_target = from->has_target;
  sc_delivery_take(request->delivery, request);
  sc_delivery_add(delivery, request);
  return delivery;
}

/* One request among those that made the whole batch be refused must not be the end of the others: each is
 * sent again, alone, and to the same nodes. */
static void send_each_alone(sc_delivery *delivery) {
  delivery->tried_count = 0;
  delivery->attempts--;
  sc_delivery_move(delivery, SC_DELIVERY_ENDING, 0);
  while (delivery->first != NULL) {
    sc_request *request = delivery->first;
    sc_delivery *alone = split_off(request);
    if (alone != NULL)
      sc_delivery_enqueue(alone, false);
    else
      sc_request_end(request, SC_ERR_NO_MEMORY, 0);
  }
  sc_delivery_free(delivery);
}

static void act_on(sc_delivery *delivery, const reply *r);

/* The failure text of a node, which in a batch is JSON. Free `*kept` afterwards; without memory for it the
 * text stays JSON. */
static sc_bytes text_of(sc_json **kept, sc_bytes body) {
  sc_bytes text;
  if (body.len == 0 || body.ptr[0] != '"' || sc_json_parse(kept, body, 1) != SC_OK)
    return body;
  return sc_json_string(&text, *kept) == SC_OK ? text : body;
}

static void take_own(sc_request *request, const reply *own) {
  if (sc_decision_for(own->evidence.kind)->step == SC_STEP_DELIVER) {
    sc_delivery_note_kept(request->delivery);
    tell(request, own, own->code, own->body);
    return;
  }
  sc_delivery *alone = split_off(request);
  if (alone != NULL)
    act_on(alone, own);
  else
    sc_request_end(request, SC_ERR_NO_MEMORY, own->code);
}

/* A result is to its request what a reply of its own would be. */
static void take_result(sc_request *request, const sc_reply_result *result) {
  if (result->code == 0) {
    sc_request_end(request, SC_ERR_STORAGE_REPLY, 0);
    return;
  }
  sc_json *kept = NULL;
  reply own = {.code = result->code, .body = text_of(&kept, result->body), .from_node = true};
  read_opened(&own);
  take_own(request, &own);
  sc_json_free(kept);
}

/* Results belong to requests by the place they were sent in: some may have ended on the way. A callback may
 * cancel other requests, so remember them by number. */
static void take_results(sc_delivery *delivery, const sc_reply_facts *facts) {
  sc_network *network = delivery->network;
  sc_network_ticket tickets[SC_STORAGE_MAX_BATCH];
  size_t count = 0;
  for (const sc_request *request = delivery->first; request != NULL; request = request->next)
    tickets[count++] = sc_slot_number(&request->slot);
  sc_delivery_move(delivery, SC_DELIVERY_ENDING, 0);
  for (size_t i = 0; i < count; i++) {
    sc_request *request = sc_slots_find(&network->requests, tickets[i]);
    if (request == NULL)
      continue;
    if (request->place < facts->result_count)
      take_result(request, &facts->results[request->place]);
    else
      sc_request_end(request, SC_ERR_STORAGE_REPLY, 0);
  }
  sc_delivery_free(delivery);
}

/* ---- what follows ---- */

/* Acts on what the destination wrote. */
static void act_on(sc_delivery *delivery, const reply *r) {
  const sc_decision *decision = sc_decision_for(r->evidence.kind);
  switch (decision->step) {
  case SC_STEP_DELIVER:
    sc_delivery_note_kept(delivery);
    tell_all(delivery, r);
    break;
  case SC_STEP_AGAIN:
    sc_delivery_avoid_member(delivery);
    if (delivery->attempts >= delivery->most_attempts)
      tell_all(delivery, r);
    else
      sc_delivery_retry(delivery, decision->status, r->code, sc_delivery_backoff(delivery));
    break;
  case SC_STEP_REDIRECT:
    if (!sc_delivery_redirect(delivery, r->body))
      tell_all(delivery, r);
    break;
  case SC_STEP_CLOCK:
    sc_delivery_await_clock(delivery, r->evidence.code);
    break;
  }
}

/* A batch of the caller's all of whose results failed alike failed as a whole, if that can be mended. When it
 * cannot after all, the caller gets the code of the results, and all of them. */
static void take_callers_batch(sc_delivery *delivery, const reply *r, const sc_reply_facts *facts) {
  int code = sc_reply_facts_uniform_failure(facts);
  const reply whole = {
      .evidence = sc_evidence_of_code(code, true), .code = code, .body = r->body, .from_node = true};
  if (sc_decision_for(whole.evidence.kind)->step == SC_STEP_DELIVER)
    tell_all(delivery, r);
  else
    act_on(delivery, &whole);
}

static void deliver_alone(sc_delivery *delivery, const reply *r, const sc_reply_facts *facts) {
  if (facts != NULL && delivery->first->account_count > 0)
    sc_delivery_note_moved(delivery, facts);
  act_on(delivery, r);
}

static void deliver(sc_delivery *delivery, const reply *r) {
  const sc_reply_facts *facts = r->has_facts ? &r->facts : NULL;
  if (facts != NULL && facts->has_fork && delivery->has_target)
    sc_network_note_fork(delivery->network, &delivery->target, facts->fork);
  bool is_batch = delivery->sent_count > 1;
  if (is_batch && is_success(r->code))
    take_results(delivery, facts);
  else if (is_batch && r->code == code_malformed)
    send_each_alone(delivery);
  else if (facts != NULL && delivery->first->account_count > 0 && sc_reply_facts_uniform_failure(facts) != 0)
    take_callers_batch(delivery, r, facts);
  else
    deliver_alone(delivery, r, facts);
}

/* ---- what a failure means for the route ---- */

static void avoid(const sc_attempt *attempt, const uint8_t *key) {
  sc_network *network = attempt->network;
  if (!sc_guards_has(&network->guards, key))
    sc_avoided_add(&network->paths.avoided, key, NULL, network->moment.now,
                   sc_nodes_pool(network->nodes)->count);
}

/* A guard over which nothing works is no connection. */
static void note_result(sc_network *network, bool worked) {
  bool failed = !worked && !network->has_worked && network->has_guard;
  network->status_due |= failed != network->has_failed;
  network->has_failed = failed;
  network->has_worked |= worked;
}

/* Only what the destination wrote says how long a round trip takes, and that path and node are well. */
static void note_answered(const sc_attempt *attempt) {
  sc_network *network = attempt->network;
  sc_hedge_note_trip(&network->hedge, network->moment.now - attempt->sent_at);
  sc_guards_confirm(&network->guards, sc_path_guard(attempt->path)->key);
}

static void learn(const sc_attempt *attempt, const sc_evidence *evidence) {
  sc_paths *paths = &attempt->network->paths;
  const sc_route way = {.hops = attempt->hops,
                        .hop_count = attempt->hop_count,
                        .destination = attempt->has_target ? attempt->target.key : attempt->server,
                        .is_to_node = attempt->has_target};
  switch (sc_decision_for(evidence->kind)->route) {
  case SC_ROUTE_WORKED:
    note_result(attempt->network, true);
    note_answered(attempt);
    sc_paths_worked(paths, attempt->path, &way);
    break;
  case SC_ROUTE_FAILED:
    if (evidence->kind == SC_EVIDENCE_HOP_UNREACHABLE)
      avoid(attempt, attempt->hops[evidence->named].ed25519);
    note_result(attempt->network, false);
    sc_paths_failed(paths, attempt->path, &way);
    break;
  case SC_ROUTE_LOST:
    if (attempt->path->state == SC_PATH_ACTIVE)
      sc_path_retire(attempt->path);
    break;
  case SC_ROUTE_NOTHING:
    if (evidence->kind == SC_EVIDENCE_MALFORMED && attempt->has_target)
      sc_paths_suspect(paths, attempt->target.key);
    break;
  }
}

/* Drops a reply that nothing waits for. */
static void drop(sc_attempt *attempt, const sc_quic_result *result) {
  reply r;
  if (result->status == SC_ERR_REQUEST_CANCELLED) {
    if (attempt->gave_up && sc_attempt_is_overdue(attempt))
      learn(attempt, &(sc_evidence){.kind = SC_EVIDENCE_SILENCE});
  } else {
    read_result(&r, attempt, result);
    learn(attempt, &r.evidence);
    attempt->network->counts.ignored++;
    free_reply(&r);
  }
  sc_attempt_end(attempt);
}

/* The network is suspended, or closes its connections. */
static void end(sc_attempt *attempt) {
  sc_delivery *delivery = attempt->delivery;
  sc_attempt_end(attempt);
  if (delivery->in_flight_count == 0)
    sc_delivery_fail(delivery, delivery->ending, 0);
}

/* ---- what follows ---- */

/* Remembers evidence that another route may corroborate. True if it is corroborated now. */
static bool hear(const sc_attempt *attempt, const sc_evidence *evidence) {
  sc_heard_list *heard = &attempt->delivery->heard;
  sc_route_result result = sc_decision_for(evidence->kind)->route;
  if (result != SC_ROUTE_FAILED && result != SC_ROUTE_LOST)
    return false;
  sc_heard_add(heard, evidence, attempt->hops, attempt->hop_count,
               attempt->has_target ? attempt->target.key : NULL);
  return sc_heard_is_corroborated(heard);
}

/* Returns what follows from evidence that is corroborated. */
static sc_consequence believe(const sc_attempt *attempt, const sc_evidence *evidence) {
  sc_consequence consequence = sc_decision_for(evidence->kind)->consequence;
  if (consequence == SC_CONSEQUENCE_DOUBT)
    sc_network_doubt_list(attempt->network, NULL);
  if (consequence == SC_CONSEQUENCE_AVOID)
    avoid(attempt, attempt->target.key);
  /* For one given node there is no other to ask. */
  bool is_end = consequence == SC_CONSEQUENCE_AVOID && attempt->delivery->to == SC_NETWORK_TO_NODE;
  return is_end ? SC_CONSEQUENCE_FAIL : consequence;
}

/* A delivery with another attempt in flight does not end by a reply that the destination did not write, nor
 * by a destination that cannot serve it now. */
static bool may_wait_for_another(const sc_delivery *delivery, const reply *r, sc_consequence consequence) {
  return delivery->in_flight_count > 0 && consequence != SC_CONSEQUENCE_FAIL &&
         sc_decision_for(r->evidence.kind)->step == SC_STEP_AGAIN;
}

/* A lost guard has cost enough time; a busy one is given some. */
static uint64_t pause_before_retry(const sc_delivery *delivery, const sc_evidence *evidence,
                                   sc_consequence consequence) {
  if (evidence->kind == SC_EVIDENCE_GUARD_LOST)
    return 0;
  if (consequence == SC_CONSEQUENCE_DELAY)
    return 30 * SC_NODE_SECOND;
  return evidence->kind == SC_EVIDENCE_BUSY ? SC_NODE_SECOND : sc_delivery_backoff(delivery);
}

static bool is_end(const sc_evidence *evidence, sc_consequence consequence, bool from_node) {
  return consequence == SC_CONSEQUENCE_FAIL || evidence->reason == SC_ERR_NO_MEMORY ||
         (evidence->kind == SC_EVIDENCE_MALFORMED && !from_node);
}

static void take(sc_delivery *delivery, const reply *r, sc_consequence consequence) {
  const sc_evidence *evidence = &r->evidence;
  sc_status status = sc_evidence_status(evidence);
  /* A hop that says that it failed may have passed it on before. */
  int code = delivery->is_repeatable ? evidence->code : 0;
  if (may_wait_for_another(delivery, r, consequence)) {
    delivery->why = status;
    delivery->code = evidence->code;
    sc_delivery_replace_lost(delivery);
    return;
  }
  sc_delivery_overtake(delivery);
  if (sc_evidence_is_authenticated(evidence->kind))
    deliver(delivery, r);
  else if (is_end(evidence, consequence, r->from_node))
    sc_delivery_fail(delivery, status, code);
  else
    sc_delivery_retry(delivery, status, code, pause_before_retry(delivery, evidence, consequence));
}

void sc_attempt_came_back(void *user, sc_quic_call call, const sc_quic_result *result) {
  sc_attempt *attempt = user;
  sc_delivery *delivery = attempt->delivery;
  sc_network *network = attempt->network;
  (void)call;
  if (delivery == NULL) {
    drop(attempt, result);
    return;
  }
  if (delivery->ending != SC_OK) {
    end(attempt);
    return;
  }
  reply r;
  read_result(&r, attempt, result);
  read_facts(&r, delivery);
  network->reply_sent = attempt->sent_wall;
  network->counts.ignored += r.evidence.kind == SC_EVIDENCE_UNREADABLE;
  learn(attempt, &r.evidence);
  sc_consequence consequence =
      hear(attempt, &r.evidence) ? believe(attempt, &r.evidence) : SC_CONSEQUENCE_NONE;
  delivery->target = attempt->target;
  delivery->has_target = attempt->has_target;
  sc_attempt_end(attempt);
  take(delivery, &r, consequence);
  free_reply(&r);
}
