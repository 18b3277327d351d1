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

static void success_is_delivered(sc_test *t) {
  CHECK(is(of(SC_FAULT_NONE), SC_VERDICT_DELIVER, SC_OK));
done:;
}

static void a_406_from_a_node_is_a_clock_error(sc_test *t) {
  CHECK(is(of_answer(406, true), SC_VERDICT_CLOCK, SC_ERR_NETWORK_CLOCK));
  CHECK(is(of_answer(425, true), SC_VERDICT_DELIVER, SC_ERR_REQUEST_FAILED));
done:;
}

static void a_425_from_a_server_is_a_clock_error(sc_test *t) {
  CHECK(is(of_answer(425, false), SC_VERDICT_CLOCK, SC_ERR_NETWORK_CLOCK));
  CHECK(is(of_answer(406, false), SC_VERDICT_DELIVER, SC_ERR_REQUEST_FAILED));
done:;
}

static void a_421_from_a_node_is_a_redirect(sc_test *t) {
  CHECK(of_answer(421, true).action == SC_VERDICT_REDIRECT);
  CHECK(of_answer(421, false).action == SC_VERDICT_DELIVER);
done:;
}

static void a_busy_or_broken_node_leads_to_another_attempt(sc_test *t) {
  static const int codes[] = {429, 502, 503, 504};
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
    CHECK(is(of_answer(codes[i], true), SC_VERDICT_RETRY, SC_ERR_REQUEST_FAILED));
    CHECK(of_answer(codes[i], false).action == SC_VERDICT_DELIVER);
  }
done:;
}

static void other_replies_are_final(sc_test *t) {
  static const int codes[] = {400, 401, 403, 404, 413, 500};
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
    CHECK(is(of_answer(codes[i], true), SC_VERDICT_DELIVER, SC_ERR_REQUEST_FAILED));
done:;
}

static void a_request_no_path_would_carry_fails(sc_test *t) {
  CHECK(is(of_hop(SC_ONION_FAILED_REQUEST, SC_ONION_NO_NODE), SC_VERDICT_FAIL, SC_ERR_NETWORK_PATH));
  CHECK(is(of_hop(SC_ONION_FAILED_LENGTH, SC_ONION_NO_NODE), SC_VERDICT_FAIL, SC_ERR_NETWORK_PATH));
done:;
}

static void an_unreachable_server_fails_the_request(sc_test *t) {
  CHECK(is(of_hop(SC_ONION_FAILED_SERVER, SC_ONION_NO_NODE), SC_VERDICT_FAIL, SC_ERR_NETWORK_UNREACHABLE));
  CHECK(
      is(of_hop(SC_ONION_FAILED_SERVER_TIMEOUT, SC_ONION_NO_NODE), SC_VERDICT_FAIL, SC_ERR_REQUEST_TIMEOUT));
done:;
}

static void failing_hops_are_avoided_on_retry(sc_test *t) {
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

static void an_unreachable_destination_is_skipped(sc_test *t) {
  CHECK(is(of_hop(SC_ONION_FAILED_NEXT_UNKNOWN, hop_count), SC_VERDICT_RETRY, SC_ERR_NETWORK_UNREACHABLE));
  CHECK(
      is(of_hop(SC_ONION_FAILED_NEXT_UNREACHABLE, hop_count), SC_VERDICT_RETRY, SC_ERR_NETWORK_UNREACHABLE));
done:;
}

static void a_possibly_stale_key_puts_the_list_in_doubt(sc_test *t) {
  sc_verdict verdict = of_hop(SC_ONION_FAILED_OPENING, SC_ONION_NO_NODE);
  CHECK(is(verdict, SC_VERDICT_RETRY, SC_ERR_NETWORK_PATH) && verdict.doubts_list);
  CHECK(!of_hop(SC_ONION_FAILED_TIMEOUT, SC_ONION_NO_NODE).doubts_list);
done:;
}

static void an_unanswered_request_is_sent_again(sc_test *t) {
  CHECK(is(of(SC_FAULT_TIMEOUT), SC_VERDICT_RETRY, SC_ERR_REQUEST_TIMEOUT));
  CHECK(of(SC_FAULT_TIMEOUT).code == 408);
  CHECK(is(of(SC_FAULT_EDGE_LOST), SC_VERDICT_RETRY, SC_ERR_NETWORK_PATH));
  CHECK(is(of(SC_FAULT_STREAM), SC_VERDICT_RETRY, SC_ERR_NETWORK_PATH));
  CHECK(is(of(SC_FAULT_FORGED), SC_VERDICT_RETRY, SC_ERR_ONION_UNAUTHENTICATED));
  CHECK(is(of(SC_FAULT_LOCAL), SC_VERDICT_RETRY, SC_ERR_QUIC_BUSY));
done:;
}

SUITE(network_router_verdict, "network/router/verdict", {"success is delivered", success_is_delivered},
      {"a 406 from a node is a clock error", a_406_from_a_node_is_a_clock_error},
      {"a 425 from a server is a clock error", a_425_from_a_server_is_a_clock_error},
      {"a 421 from a node is a redirect", a_421_from_a_node_is_a_redirect},
      {"a busy or broken node leads to another attempt", a_busy_or_broken_node_leads_to_another_attempt},
      {"other replies are final", other_replies_are_final},
      {"a request no path would carry fails", a_request_no_path_would_carry_fails},
      {"an unreachable server fails the request", an_unreachable_server_fails_the_request},
      {"failing hops are avoided on retry", failing_hops_are_avoided_on_retry},
      {"an unreachable destination is skipped", an_unreachable_destination_is_skipped},
      {"a possibly stale key puts the list in doubt", a_possibly_stale_key_puts_the_list_in_doubt},
      {"an unanswered request is sent again", an_unanswered_request_is_sent_again});
