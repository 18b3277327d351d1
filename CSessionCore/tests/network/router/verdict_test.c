/* The outcome of a request, failure by failure. */
#include "network/router/verdict.h"

#include "support/test.h"

enum { hop_count = 3 };

static sc_verdict of_answer(int code, bool from_node) {
  return sc_verdict_for(&(sc_fault){.kind = SC_FAULT_ANSWER, .code = code, .from_node = from_node},
                        hop_count);
}

static sc_verdict of_hop(sc_onion_failure_kind kind, size_t node) {
  return sc_verdict_for(&(sc_fault){.kind = SC_FAULT_HOP, .hop = {.kind = kind, .code = 500, .node = node}},
                        hop_count);
}

static sc_verdict of(sc_fault_kind kind) {
  return sc_verdict_for(&(sc_fault){.kind = kind, .reason = SC_ERR_QUIC_BUSY}, hop_count);
}

static bool is(sc_verdict verdict, sc_verdict_action action, sc_status status) {
  return verdict.action == action && verdict.status == status;
}

static void success(sc_test *t) {
  CHECK(is(of(SC_FAULT_NONE), SC_VERDICT_DELIVER, SC_OK));
done:;
}

static void a_node_with_another_clock(sc_test *t) {
  CHECK(is(of_answer(406, true), SC_VERDICT_CLOCK, SC_ERR_NETWORK_CLOCK));
  CHECK(is(of_answer(425, true), SC_VERDICT_DELIVER, SC_ERR_REQUEST_FAILED));
done:;
}

static void a_server_with_another_clock(sc_test *t) {
  CHECK(is(of_answer(425, false), SC_VERDICT_CLOCK, SC_ERR_NETWORK_CLOCK));
  CHECK(is(of_answer(406, false), SC_VERDICT_DELIVER, SC_ERR_REQUEST_FAILED));
done:;
}

static void a_node_of_another_swarm(sc_test *t) {
  CHECK(of_answer(421, true).action == SC_VERDICT_REDIRECT);
  CHECK(of_answer(421, false).action == SC_VERDICT_DELIVER);
done:;
}

static void nodes_that_may_be_fine_elsewhere(sc_test *t) {
  static const int codes[] = {429, 502, 503, 504};
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
    CHECK(is(of_answer(codes[i], true), SC_VERDICT_RETRY, SC_ERR_REQUEST_FAILED));
    CHECK(of_answer(codes[i], false).action == SC_VERDICT_DELIVER);
  }
done:;
}

static void answers_that_stand(sc_test *t) {
  static const int codes[] = {400, 401, 403, 404, 413, 500};
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
    CHECK(is(of_answer(codes[i], true), SC_VERDICT_DELIVER, SC_ERR_REQUEST_FAILED));
done:;
}

static void requests_that_no_path_would_carry(sc_test *t) {
  CHECK(is(of_hop(SC_ONION_FAILED_REQUEST, SC_ONION_NO_NODE), SC_VERDICT_FAIL, SC_ERR_NETWORK_PATH));
  CHECK(is(of_hop(SC_ONION_FAILED_LENGTH, SC_ONION_NO_NODE), SC_VERDICT_FAIL, SC_ERR_NETWORK_PATH));
done:;
}

static void servers_that_are_away(sc_test *t) {
  CHECK(is(of_hop(SC_ONION_FAILED_SERVER, SC_ONION_NO_NODE), SC_VERDICT_FAIL, SC_ERR_NETWORK_UNREACHABLE));
  CHECK(
      is(of_hop(SC_ONION_FAILED_SERVER_TIMEOUT, SC_ONION_NO_NODE), SC_VERDICT_FAIL, SC_ERR_REQUEST_TIMEOUT));
done:;
}

static void hops_that_fail(sc_test *t) {
  static const sc_onion_failure_kind kinds[] = {
      SC_ONION_FAILED_RELAY,           SC_ONION_FAILED_RATE,
      SC_ONION_FAILED_RESPONSE,        SC_ONION_FAILED_NODE_NOT_READY,
      SC_ONION_FAILED_GUARD_NOT_READY, SC_ONION_FAILED_GUARD_BUSY,
      SC_ONION_FAILED_OTHERWISE,       SC_ONION_FAILED_NEXT_UNKNOWN,
      SC_ONION_FAILED_NEXT_UNREACHABLE};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    CHECK(is(of_hop(kinds[i], 1), SC_VERDICT_RETRY, SC_ERR_NETWORK_PATH));
  CHECK(is(of_hop(SC_ONION_FAILED_TIMEOUT, SC_ONION_NO_NODE), SC_VERDICT_RETRY, SC_ERR_REQUEST_TIMEOUT));
done:;
}

static void destinations_that_are_away(sc_test *t) {
  CHECK(is(of_hop(SC_ONION_FAILED_NEXT_UNKNOWN, hop_count), SC_VERDICT_RETRY, SC_ERR_NETWORK_UNREACHABLE));
  CHECK(
      is(of_hop(SC_ONION_FAILED_NEXT_UNREACHABLE, hop_count), SC_VERDICT_RETRY, SC_ERR_NETWORK_UNREACHABLE));
done:;
}

static void keys_that_may_be_stale(sc_test *t) {
  sc_verdict verdict = of_hop(SC_ONION_FAILED_OPENING, SC_ONION_NO_NODE);
  CHECK(is(verdict, SC_VERDICT_RETRY, SC_ERR_NETWORK_PATH) && verdict.doubts_list);
  CHECK(!of_hop(SC_ONION_FAILED_TIMEOUT, SC_ONION_NO_NODE).doubts_list);
done:;
}

static void what_did_not_come_back(sc_test *t) {
  CHECK(is(of(SC_FAULT_TIMEOUT), SC_VERDICT_RETRY, SC_ERR_REQUEST_TIMEOUT));
  CHECK(of(SC_FAULT_TIMEOUT).code == 408);
  CHECK(is(of(SC_FAULT_EDGE_LOST), SC_VERDICT_RETRY, SC_ERR_NETWORK_PATH));
  CHECK(is(of(SC_FAULT_STREAM), SC_VERDICT_RETRY, SC_ERR_NETWORK_PATH));
  CHECK(is(of(SC_FAULT_FORGED), SC_VERDICT_RETRY, SC_ERR_ONION_UNAUTHENTICATED));
  CHECK(is(of(SC_FAULT_LOCAL), SC_VERDICT_RETRY, SC_ERR_QUIC_BUSY));
done:;
}

SUITE(network_router_verdict, "network/router/verdict", {"success is delivered", success},
      {"a 406 from a node is a clock error", a_node_with_another_clock},
      {"a 425 from a server is a clock error", a_server_with_another_clock},
      {"a 421 from a node is a redirect", a_node_of_another_swarm},
      {"a busy or broken node leads to another attempt", nodes_that_may_be_fine_elsewhere},
      {"other replies are final", answers_that_stand},
      {"a request no path would carry fails", requests_that_no_path_would_carry},
      {"an unreachable server fails the request", servers_that_are_away},
      {"failing hops are avoided on retry", hops_that_fail},
      {"an unreachable destination is skipped", destinations_that_are_away},
      {"a possibly stale key puts the list in doubt", keys_that_may_be_stale},
      {"an unanswered request is sent again", what_did_not_come_back});
