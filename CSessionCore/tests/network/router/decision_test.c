/* The table of client-network.md §7.2, row by row: what each end of an attempt leads to. */
#include "network/router/decision.h"

#include "support/test.h"

enum { hop_count = 3, middle = 1 };

static sc_evidence of_text(sc_onion_failure_kind kind, size_t node) {
  return sc_evidence_of_text(&(sc_onion_failure){.kind = kind, .code = 500, .node = node}, hop_count);
}

static sc_evidence_kind kind_of_text(sc_onion_failure_kind kind) {
  return of_text(kind, SC_ONION_NO_NODE).kind;
}

static bool is(sc_evidence_kind kind, sc_route_result route, sc_request_step step, sc_status status) {
  const sc_decision *decision = sc_decision_for(kind);
  return decision->route == route && decision->step == step && decision->status == status;
}

static bool is_believed(sc_evidence_kind kind, sc_corroboration corroboration, sc_consequence consequence) {
  const sc_decision *decision = sc_decision_for(kind);
  return decision->corroboration == corroboration && decision->consequence == consequence;
}

/* Another attempt, and nothing else whatever is heard. */
static bool is_only_again(sc_evidence_kind kind, sc_route_result route, sc_status status) {
  return is(kind, route, SC_STEP_AGAIN, status) &&
         is_believed(kind, SC_CORROBORATION_NONE, SC_CONSEQUENCE_NONE);
}

static void b1_success_is_delivered(sc_test *t) {
  CHECK(sc_evidence_of_code(200, true).kind == SC_EVIDENCE_SUCCESS);
  CHECK(sc_evidence_of_code(299, false).kind == SC_EVIDENCE_SUCCESS);
  CHECK(is(SC_EVIDENCE_SUCCESS, SC_ROUTE_WORKED, SC_STEP_DELIVER, SC_OK));
done:;
}

static void b2_a_node_says_406_and_a_server_425_of_the_clock(sc_test *t) {
  CHECK(sc_evidence_of_code(406, true).kind == SC_EVIDENCE_CLOCK);
  CHECK(sc_evidence_of_code(425, false).kind == SC_EVIDENCE_CLOCK);
  CHECK(sc_evidence_of_code(425, true).kind == SC_EVIDENCE_OTHER_CODE);
  CHECK(sc_evidence_of_code(406, false).kind == SC_EVIDENCE_OTHER_CODE);
  CHECK(is(SC_EVIDENCE_CLOCK, SC_ROUTE_WORKED, SC_STEP_CLOCK, SC_ERR_NETWORK_CLOCK));
done:;
}

static void b3_a_421_of_a_node_is_a_redirect(sc_test *t) {
  CHECK(sc_evidence_of_code(421, true).kind == SC_EVIDENCE_MOVED);
  CHECK(sc_evidence_of_code(421, false).kind == SC_EVIDENCE_OTHER_CODE);
  CHECK(is(SC_EVIDENCE_MOVED, SC_ROUTE_WORKED, SC_STEP_REDIRECT, SC_ERR_REQUEST_FAILED));
done:;
}

static void b4_if_one_member_cannot_serve_another_gets_the_request(sc_test *t) {
  static const int codes[] = {429, 500, 502, 503, 504};
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
    CHECK(sc_evidence_of_code(codes[i], true).kind == SC_EVIDENCE_UNABLE);
    CHECK(sc_evidence_of_code(codes[i], false).kind == SC_EVIDENCE_OTHER_CODE);
  }
  CHECK(is_only_again(SC_EVIDENCE_UNABLE, SC_ROUTE_WORKED, SC_ERR_REQUEST_FAILED));
done:;
}

static void b5_other_codes_are_delivered(sc_test *t) {
  static const int codes[] = {199, 300, 400, 401, 403, 404, 413};
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
    CHECK(sc_evidence_of_code(codes[i], true).kind == SC_EVIDENCE_OTHER_CODE);
  CHECK(is(SC_EVIDENCE_OTHER_CODE, SC_ROUTE_WORKED, SC_STEP_DELIVER, SC_ERR_REQUEST_FAILED));
done:;
}

static void b6_a_malformed_reply_says_nothing_of_the_route(sc_test *t) {
  CHECK(is_only_again(SC_EVIDENCE_MALFORMED, SC_ROUTE_NOTHING, SC_ERR_ONION_REPLY));
done:;
}

static void b7_b8_an_unreadable_reply_is_no_answer(sc_test *t) {
  CHECK(is_only_again(SC_EVIDENCE_UNREADABLE, SC_ROUTE_FAILED, SC_ERR_ONION_UNAUTHENTICATED));
  CHECK(!sc_evidence_is_authenticated(SC_EVIDENCE_UNREADABLE));
done:;
}

static void b9_b10_an_unreachable_node_is_a_claim(sc_test *t) {
  static const sc_onion_failure_kind kinds[] = {
      SC_ONION_FAILED_NEXT_UNKNOWN, SC_ONION_FAILED_NEXT_UNREACHABLE, SC_ONION_FAILED_NODE_NOT_READY};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    CHECK(of_text(kinds[i], middle).kind == SC_EVIDENCE_HOP_UNREACHABLE);
    CHECK(of_text(kinds[i], middle).named == middle);
    CHECK(of_text(kinds[i], hop_count).kind == SC_EVIDENCE_DESTINATION_UNREACHABLE);
    CHECK(kind_of_text(kinds[i]) == SC_EVIDENCE_OTHER_TEXT);
  }
  CHECK(is_only_again(SC_EVIDENCE_HOP_UNREACHABLE, SC_ROUTE_FAILED, SC_ERR_NETWORK_PATH));
  CHECK(is(SC_EVIDENCE_DESTINATION_UNREACHABLE, SC_ROUTE_FAILED, SC_STEP_AGAIN, SC_ERR_NETWORK_UNREACHABLE));
  CHECK(is_believed(SC_EVIDENCE_DESTINATION_UNREACHABLE, SC_CORROBORATION_ENDS, SC_CONSEQUENCE_AVOID));
done:;
}

static void b11_busy_guards_are_given_time(sc_test *t) {
  CHECK(kind_of_text(SC_ONION_FAILED_RATE) == SC_EVIDENCE_BUSY);
  CHECK(kind_of_text(SC_ONION_FAILED_GUARD_NOT_READY) == SC_EVIDENCE_BUSY);
  CHECK(kind_of_text(SC_ONION_FAILED_GUARD_BUSY) == SC_EVIDENCE_BUSY);
  CHECK(is(SC_EVIDENCE_BUSY, SC_ROUTE_FAILED, SC_STEP_AGAIN, SC_ERR_NETWORK_PATH));
  CHECK(is_believed(SC_EVIDENCE_BUSY, SC_CORROBORATION_GUARDS, SC_CONSEQUENCE_DELAY));
done:;
}

static void b12_other_texts_only_repeat(sc_test *t) {
  CHECK(kind_of_text(SC_ONION_FAILED_RELAY) == SC_EVIDENCE_OTHER_TEXT);
  CHECK(kind_of_text(SC_ONION_FAILED_RESPONSE) == SC_EVIDENCE_OTHER_TEXT);
  CHECK(kind_of_text(SC_ONION_FAILED_OTHERWISE) == SC_EVIDENCE_OTHER_TEXT);
  CHECK(kind_of_text(SC_ONION_FAILED_TIMEOUT) == SC_EVIDENCE_RELAY_TIMEOUT);
  CHECK(is_only_again(SC_EVIDENCE_OTHER_TEXT, SC_ROUTE_FAILED, SC_ERR_NETWORK_PATH));
  CHECK(is_only_again(SC_EVIDENCE_RELAY_TIMEOUT, SC_ROUTE_FAILED, SC_ERR_REQUEST_TIMEOUT));
done:;
}

static void b13_a_bad_request_is_ours_if_all_say_so(sc_test *t) {
  CHECK(kind_of_text(SC_ONION_FAILED_REQUEST) == SC_EVIDENCE_BAD_REQUEST);
  CHECK(kind_of_text(SC_ONION_FAILED_LENGTH) == SC_EVIDENCE_TOO_MANY_HOPS);
  CHECK(is(SC_EVIDENCE_BAD_REQUEST, SC_ROUTE_FAILED, SC_STEP_AGAIN, SC_ERR_NETWORK_PATH));
  CHECK(is_believed(SC_EVIDENCE_BAD_REQUEST, SC_CORROBORATION_HOPS, SC_CONSEQUENCE_FAIL));
  CHECK(is(SC_EVIDENCE_TOO_MANY_HOPS, SC_ROUTE_FAILED, SC_STEP_AGAIN, SC_ERR_NETWORK_PATH));
  CHECK(is_believed(SC_EVIDENCE_TOO_MANY_HOPS, SC_CORROBORATION_HOPS, SC_CONSEQUENCE_FAIL));
done:;
}

static void b14_a_stale_key_puts_the_list_in_doubt(sc_test *t) {
  CHECK(kind_of_text(SC_ONION_FAILED_OPENING) == SC_EVIDENCE_BAD_CIPHERTEXT);
  CHECK(is(SC_EVIDENCE_BAD_CIPHERTEXT, SC_ROUTE_FAILED, SC_STEP_AGAIN, SC_ERR_NETWORK_PATH));
  CHECK(is_believed(SC_EVIDENCE_BAD_CIPHERTEXT, SC_CORROBORATION_HOPS, SC_CONSEQUENCE_DOUBT));
done:;
}

static void b15_a_server_is_unreachable_if_two_last_hops_say_so(sc_test *t) {
  CHECK(kind_of_text(SC_ONION_FAILED_SERVER) == SC_EVIDENCE_SERVER_UNREACHABLE);
  CHECK(kind_of_text(SC_ONION_FAILED_SERVER_TIMEOUT) == SC_EVIDENCE_SERVER_TIMEOUT);
  CHECK(is(SC_EVIDENCE_SERVER_UNREACHABLE, SC_ROUTE_FAILED, SC_STEP_AGAIN, SC_ERR_NETWORK_UNREACHABLE));
  CHECK(is(SC_EVIDENCE_SERVER_TIMEOUT, SC_ROUTE_FAILED, SC_STEP_AGAIN, SC_ERR_REQUEST_TIMEOUT));
  CHECK(is_believed(SC_EVIDENCE_SERVER_UNREACHABLE, SC_CORROBORATION_ENDS, SC_CONSEQUENCE_FAIL));
  CHECK(is_believed(SC_EVIDENCE_SERVER_TIMEOUT, SC_CORROBORATION_ENDS, SC_CONSEQUENCE_FAIL));
done:;
}

static void b16_silence_repeats(sc_test *t) {
  CHECK(is_only_again(SC_EVIDENCE_SILENCE, SC_ROUTE_FAILED, SC_ERR_REQUEST_TIMEOUT));
done:;
}

static void b17_a_reset_stream_repeats(sc_test *t) {
  CHECK(is_only_again(SC_EVIDENCE_STREAM_RESET, SC_ROUTE_FAILED, SC_ERR_NETWORK_PATH));
done:;
}

static void b18_a_lost_guard_is_silence(sc_test *t) {
  CHECK(is_only_again(SC_EVIDENCE_GUARD_LOST, SC_ROUTE_LOST, SC_ERR_NETWORK_PATH));
done:;
}

static void b19_an_unsent_request_is_no_evidence(sc_test *t) {
  const sc_evidence evidence = {.kind = SC_EVIDENCE_NOT_SENT, .reason = SC_ERR_QUIC_BUSY};
  CHECK(is_only_again(SC_EVIDENCE_NOT_SENT, SC_ROUTE_NOTHING, SC_ERR_STATE));
  CHECK(sc_evidence_status(&evidence) == SC_ERR_QUIC_BUSY);
done:;
}

static void only_destinations_are_authenticated(sc_test *t) {
  for (int kind = SC_EVIDENCE_SUCCESS; kind <= SC_EVIDENCE_NOT_SENT; kind++)
    CHECK(sc_evidence_is_authenticated((sc_evidence_kind)kind) == (kind <= SC_EVIDENCE_OTHER_CODE));
done:;
}

SUITE(network_router_decision, "network/router/decision",
      {"B1: success is delivered", b1_success_is_delivered},
      {"B2: a node says 406 and a server 425 of the clock", b2_a_node_says_406_and_a_server_425_of_the_clock},
      {"B3: a 421 of a node is a redirect", b3_a_421_of_a_node_is_a_redirect},
      {"B4: if one member cannot serve, another gets the request",
       b4_if_one_member_cannot_serve_another_gets_the_request},
      {"B5: other codes are delivered", b5_other_codes_are_delivered},
      {"B6: a malformed reply says nothing of the route", b6_a_malformed_reply_says_nothing_of_the_route},
      {"B7, B8: an unreadable reply is no answer", b7_b8_an_unreadable_reply_is_no_answer},
      {"B9, B10: an unreachable node is a claim", b9_b10_an_unreachable_node_is_a_claim},
      {"B11: busy guards are given time", b11_busy_guards_are_given_time},
      {"B12: other texts only repeat", b12_other_texts_only_repeat},
      {"B13: a bad request is ours if all say so", b13_a_bad_request_is_ours_if_all_say_so},
      {"B14: a stale key puts the list in doubt", b14_a_stale_key_puts_the_list_in_doubt},
      {"B15: a server is unreachable if two last hops say so",
       b15_a_server_is_unreachable_if_two_last_hops_say_so},
      {"B16: silence repeats", b16_silence_repeats},
      {"B17: a reset stream repeats", b17_a_reset_stream_repeats},
      {"B18: a lost guard is silence", b18_a_lost_guard_is_silence},
      {"B19: an unsent request is no evidence", b19_an_unsent_request_is_no_evidence},
      {"only destinations are authenticated", only_destinations_are_authenticated});
