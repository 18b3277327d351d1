/* Replies: decrypted with the key of the request, judged, and split for the requests of a batch. Only
 * replies that decrypt come from the destination; others cause strikes and nothing else. */
#include "network.h"

enum { lowest_success = 200, highest_success = 299, code_malformed = 400, code_moved = 421 };

/* An attempt that ended. */
typedef struct reply {
  sc_fault fault;
  sc_status broken; /* SC_OK, or why what the destination wrote is of no use */
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

static sc_fault hop_fault(const sc_attempt *attempt, sc_bytes text) {
  sc_fault fault = {.kind = SC_FAULT_HOP};
  sc_onion_destination destination = {.kind = SC_ONION_TO_SERVER};
  if (attempt->has_target) {
    destination.kind = SC_ONION_TO_NODE;
    memcpy(destination.node.ed25519, attempt->target.key, SC_KEY_BYTES);
  }
  sc_onion_failure_parse(&fault.hop, 0, text, attempt->hops, attempt->hop_count, &destination);
  return fault;
}

static void read_opened(reply *out) {
  out->fault = (sc_fault){.kind = is_success(out->code) ? SC_FAULT_NONE : SC_FAULT_ANSWER,
                          .code = out->code,
                          .text = out->body,
                          .from_node = out->from_node};
}

static void read_success(reply *out, const sc_attempt *attempt, sc_bytes bytes) {
  sc_status status = open_reply(out, attempt, bytes);
  if (status == SC_OK)
    read_opened(out);
  else if (status == SC_ERR_ONION_UNAUTHENTICATED)
    out->fault = (sc_fault){.kind = SC_FAULT_FORGED};
  else
    out->broken = status;
}

static void read_result(reply *out, const sc_attempt *attempt, const sc_quic_result *result) {
  *out = (reply){.from_node = attempt->has_target};
  switch (result->status) {
  case SC_OK:
    read_success(out, attempt, result->body);
    break;
  case SC_ERR_REQUEST_FAILED:
    out->fault = hop_fault(attempt, result->body);
    break;
  case SC_ERR_REQUEST_TIMEOUT:
    out->fault = (sc_fault){.kind = sc_attempt_is_overdue(attempt) ? SC_FAULT_TIMEOUT : SC_FAULT_LOCAL,
                            .reason = result->status};
    break;
  case SC_ERR_QUIC_STREAM:
    out->fault = (sc_fault){.kind = SC_FAULT_STREAM};
    break;
  case SC_ERR_QUIC_STOPPED:
  case SC_ERR_QUIC_BUSY:
  case SC_ERR_NO_MEMORY:
  case SC_ERR_REQUEST_CANCELLED:
    out->fault = (sc_fault){.kind = SC_FAULT_LOCAL, .reason = result->status};
    break;
  default:
    out->fault = (sc_fault){.kind = SC_FAULT_EDGE_LOST, .reason = result->status};
    break;
  }
}

static void read_facts(reply *r) {
  if (r->from_node && r->broken == SC_OK && r->fault.kind == SC_FAULT_NONE)
    r->has_facts = sc_reply_facts_read(&r->facts, r->body);
}

/* ---- telling requests ---- */

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
  delivery->timeout = from->timeout;
  delivery->may_hedge = from->may_hedge;
  delivery->attempts = from->attempts;
  delivery->most_attempts = from->most_attempts;
  delivery->redirects = from->redirects;
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

static void act_on(sc_delivery *delivery, const reply *r, const sc_verdict *verdict,
                   const sc_reply_facts *facts);

/* The failure text of a node, which in a batch is JSON. Free `*kept` afterwards; without memory for it the
 * text stays JSON. */
static sc_bytes text_of(sc_json **kept, sc_bytes body) {
  sc_bytes text;
  if (body.len == 0 || body.ptr[0] != '"' || sc_json_parse(kept, body, 1) != SC_OK)
    return body;
  return sc_json_string(&text, *kept) == SC_OK ? text : body;
}

static void take_own(sc_request *request, const reply *own) {
  const sc_verdict verdict = sc_verdict_for(&own->fault, 0);
  if (verdict.action == SC_VERDICT_DELIVER || verdict.action == SC_VERDICT_FAIL) {
    tell(request, own, own->code, own->body);
    return;
  }
  sc_delivery *alone = split_off(request);
  if (alone != NULL)
    act_on(alone, own, &verdict, NULL);
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

static void act_on(sc_delivery *delivery, const reply *r, const sc_verdict *verdict,
                   const sc_reply_facts *facts) {
  switch (verdict->action) {
  case SC_VERDICT_DELIVER:
    tell_all(delivery, r);
    break;
  case SC_VERDICT_FAIL:
    sc_delivery_fail(delivery, verdict->status, verdict->code);
    break;
  case SC_VERDICT_RETRY:
    if (r->fault.kind == SC_FAULT_ANSWER && delivery->attempts >= delivery->most_attempts)
      tell_all(delivery, r);
    else
      sc_delivery_retry(delivery, verdict);
    break;
  case SC_VERDICT_REDIRECT:
    if (!sc_delivery_redirect(delivery, r->body, facts))
      tell_all(delivery, r);
    break;
  case SC_VERDICT_CLOCK:
    sc_delivery_await_clock(delivery, verdict->code);
    break;
  }
}

/* A batch of the caller's all of whose results failed alike failed as a whole, if that can be mended. When it
 * cannot after all, the caller gets the code of the results, and all of them. */
static void take_callers_batch(sc_delivery *delivery, const reply *r, const sc_reply_facts *facts) {
  const sc_fault fault = {.kind = SC_FAULT_ANSWER,
                          .code = sc_reply_facts_uniform_failure(facts),
                          .text = facts->results[0].body,
                          .from_node = true};
  const sc_verdict verdict = sc_verdict_for(&fault, 0);
  if (verdict.action == SC_VERDICT_DELIVER || verdict.action == SC_VERDICT_FAIL)
    tell_all(delivery, r);
  else
    act_on(delivery, &(reply){.fault = fault, .code = fault.code, .body = r->body, .from_node = true},
           &verdict, facts);
}

static void deliver_alone(sc_delivery *delivery, const reply *r, const sc_verdict *verdict,
                          const sc_reply_facts *facts) {
  if (facts != NULL && delivery->first->account_count > 0)
    sc_delivery_note_moved(delivery, facts);
  act_on(delivery, r, verdict, NULL);
}

static bool is_answered(const reply *r) {
  return r->fault.kind == SC_FAULT_NONE || r->fault.kind == SC_FAULT_ANSWER;
}

static void deliver(sc_delivery *delivery, const reply *r, const sc_verdict *verdict) {
  const sc_reply_facts *facts = r->has_facts ? &r->facts : NULL;
  if (facts != NULL && facts->has_fork && delivery->has_target)
    sc_network_note_fork(delivery->network, &delivery->target, facts->fork);
  bool is_batch = delivery->sent_count > 1;
  if (is_batch && is_success(r->code) && (facts == NULL || !facts->has_results))
    sc_delivery_fail(delivery, SC_ERR_STORAGE_REPLY, r->code);
  else if (is_batch && is_success(r->code))
    take_results(delivery, facts);
  else if (is_batch && is_answered(r) && r->code == code_malformed)
    send_each_alone(delivery);
  else if (facts != NULL && delivery->first->account_count > 0 && sc_reply_facts_uniform_failure(facts) != 0)
    take_callers_batch(delivery, r, facts);
  else
    deliver_alone(delivery, r, verdict, facts);
}

/* For the path, results that all failed alike are one reply that failed. Of what came too late for its
 * delivery nothing is known but the code. */
static sc_fault fault_of_path(sc_json **kept, const sc_delivery *delivery, const reply *r) {
  if (!r->has_facts || delivery == NULL || (delivery->sent_count == 1 && delivery->first->account_count == 0))
    return r->fault;
  int code = sc_reply_facts_uniform_failure(&r->facts);
  if (code == 0)
    return r->fault;
  return (sc_fault){.kind = SC_FAULT_ANSWER,
                    .code = code,
                    .text = text_of(kept, r->facts.results[0].body),
                    .from_node = true};
}

static void judge(const sc_attempt *attempt, const sc_fault *fault) {
  const sc_way way = {.hops = attempt->hops,
                      .hop_count = attempt->hop_count,
                      .asked = attempt->has_target ? attempt->target.key : attempt->server,
                      .is_to_node = attempt->has_target};
  sc_paths_judge(&attempt->network->paths, attempt->path, &way, fault);
}

/* Only what the destination wrote says how long a round trip takes, and that path and node are well. */
static void note_answered(const sc_attempt *attempt) {
  sc_network *network = attempt->network;
  sc_hedge_note_trip(&network->hedge, network->moment.now - attempt->sent_at);
  attempt->path->is_late = false;
  attempt->path->has_answered = true;
  sc_guards_confirm(&network->guards, sc_path_edge(attempt->path)->key);
  for (size_t i = 1; i < attempt->hop_count; i++)
    sc_late_nodes_remove(&network->paths.late, attempt->hops[i].ed25519);
  if (attempt->has_target)
    sc_late_nodes_remove(&network->paths.late, attempt->target.key);
}

static void learn(const sc_attempt *attempt, const reply *r) {
  sc_json *kept = NULL;
  const sc_fault fault = fault_of_path(&kept, attempt->delivery, r);
  if (is_answered(r))
    note_answered(attempt);
  judge(attempt, &fault);
  sc_json_free(kept);
}

/* Drops a reply that nothing waits for. */
static void drop(sc_attempt *attempt, const sc_quic_result *result) {
  reply r;
  if (result->status == SC_ERR_REQUEST_CANCELLED) {
    if (attempt->gave_up && sc_attempt_is_overdue(attempt))
      judge(attempt, &(sc_fault){.kind = SC_FAULT_TIMEOUT});
  } else {
    read_result(&r, attempt, result);
    learn(attempt, &r);
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

/* A delivery with another attempt in flight does not end by a reply that the destination did not write, nor
 * by a destination that cannot serve it now. */
static bool may_wait_for_another(const sc_delivery *delivery, const reply *r, const sc_verdict *verdict) {
  return delivery->in_flight_count > 0 &&
         (r->broken != SC_OK || !is_answered(r) || verdict->action == SC_VERDICT_RETRY);
}

static void take(sc_delivery *delivery, const reply *r, size_t hop_count) {
  const sc_verdict verdict = sc_verdict_for(&r->fault, hop_count);
  if (verdict.doubts_list)
    sc_network_doubt_list(delivery->network);
  if (may_wait_for_another(delivery, r, &verdict)) {
    delivery->why = r->broken != SC_OK ? r->broken : verdict.status;
    delivery->code = verdict.code;
    sc_delivery_replace_lost(delivery);
    return;
  }
  sc_delivery_overtake(delivery);
  if (r->broken != SC_OK)
    sc_delivery_fail(delivery, r->broken, 0);
  else
    deliver(delivery, r, &verdict);
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
  size_t hop_count = attempt->hop_count;
  read_result(&r, attempt, result);
  read_facts(&r);
  network->reply_sent = attempt->sent_wall;
  network->counts.ignored += r.fault.kind == SC_FAULT_FORGED;
  learn(attempt, &r);
  delivery->target = attempt->target;
  delivery->has_target = attempt->has_target;
  sc_attempt_end(attempt);
  take(delivery, &r, hop_count);
  free_reply(&r);
}
