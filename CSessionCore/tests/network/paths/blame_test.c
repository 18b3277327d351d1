/* The table of client-network.md §7, row by row: each reported failure and the blame for it. */
#include "network/paths/blame.h"

#include <stdio.h>

#include "network/onion/path.h"
#include "session-core/base/encoding.h"
#include "support/test.h"

enum { hop_count = 3, middle = 1, destination = hop_count };

static struct {
  path path;
  bool is_made;
} fixture;

static const path *the_path(void) {
  if (!fixture.is_made)
    path_make(&fixture.path);
  fixture.is_made = true;
  return &fixture.path;
}

/* Returns the blame for a hop's text, which may end with a node's key. */
static sc_blame from_hop(int code, const char *text, const uint8_t *named, bool to_server) {
  const path *p = the_path();
  char whole[256], hex[SC_HEX_CHARS(SC_KEY_BYTES) + 1] = "";
  if (named != NULL)
    sc_hex_encode(hex, sc_bytes_make(named, SC_KEY_BYTES));
  snprintf(whole, sizeof whole, "%d Some Reason\n\n%s%s", code, text, hex);
  sc_fault fault = {.kind = SC_FAULT_HOP};
  sc_onion_failure_parse(&fault.hop, 0, sc_bytes_text(whole), p->hops, hop_count,
                         to_server ? &p->server : &p->node);
  return sc_blame_for(&fault, hop_count);
}

static sc_blame from_answer(int code, const char *text) {
  const sc_fault fault = {
      .kind = SC_FAULT_ANSWER, .code = code, .text = sc_bytes_text(text), .from_node = true};
  return sc_blame_for(&fault, hop_count);
}

static bool is_blame(sc_blame blame, size_t node, sc_blame_weight weight, sc_blame_path path_blame) {
  return blame.weight == weight && (weight == SC_BLAME_NOBODY || blame.node == node) &&
         blame.path == path_blame;
}

static bool is_nobody(sc_blame blame) {
  return is_blame(blame, 0, SC_BLAME_NOBODY, SC_BLAME_PATH_NOT);
}

static bool is_path(sc_blame blame) {
  return is_blame(blame, 0, SC_BLAME_NOBODY, SC_BLAME_PATH_ONCE);
}

static void a_missing_next_hop_is_excluded_and_the_path_struck(sc_test *t) {
  static const char *const texts[] = {"Next node not found: ", "Next node is currently unreachable: "};
  for (size_t i = 0; i < 2; i++)
    CHECK(is_blame(from_hop(502, texts[i], the_path()->hops[middle].ed25519, false), middle,
                   SC_BLAME_PERMANENT, SC_BLAME_PATH_ONCE));
done:;
}

static void a_missing_destination_is_excluded(sc_test *t) {
  static const char *const texts[] = {"Next node not found: ", "Next node is currently unreachable: "};
  for (size_t i = 0; i < 2; i++)
    CHECK(is_blame(from_hop(502, texts[i], the_path()->node.node.ed25519, false), destination,
                   SC_BLAME_PERMANENT, SC_BLAME_PATH_NOT));
done:;
}

static void a_destination_with_a_broken_daemon_is_excluded(sc_test *t) {
  CHECK(is_blame(from_answer(502, "oxend returned unparsable data"), destination, SC_BLAME_PERMANENT,
                 SC_BLAME_PATH_NOT));
done:;
}

static void a_hop_cannot_report_a_broken_daemon(sc_test *t) {
  CHECK(is_path(from_hop(502, "oxend returned unparsable data", NULL, false)));
done:;
}

static void a_node_that_reports_it_is_not_ready_is_struck(sc_test *t) {
  CHECK(is_blame(from_hop(503, "Snode not ready: ", the_path()->hops[2].ed25519, false), 2, SC_BLAME_ONCE,
                 SC_BLAME_PATH_NOT));
  CHECK(is_blame(from_hop(503, "Snode not ready: ", the_path()->node.node.ed25519, false), destination,
                 SC_BLAME_ONCE, SC_BLAME_PATH_NOT));
done:;
}

static void a_destination_that_reports_it_is_not_ready_is_struck(sc_test *t) {
  CHECK(is_blame(from_answer(503, "Snode not ready"), destination, SC_BLAME_ONCE, SC_BLAME_PATH_NOT));
  CHECK(is_blame(from_answer(503, "Service node is not ready: syncing\n"), destination, SC_BLAME_ONCE,
                 SC_BLAME_PATH_NOT));
done:;
}

static void a_guard_that_is_not_ready_or_busy_strikes_the_path(sc_test *t) {
  CHECK(is_path(from_hop(503, "Service node is not ready: syncing\n", NULL, false)));
  CHECK(is_path(from_hop(503, "Server busy, try again later", NULL, false)));
done:;
}

static void a_hops_timeout_strikes_the_path(sc_test *t) {
  CHECK(is_path(from_hop(504, "Request time out", NULL, false)));
done:;
}

static void a_bad_reply_to_a_hop_strikes_the_path(sc_test *t) {
  CHECK(is_path(from_hop(500, "Invalid response from snode", NULL, false)));
done:;
}

static void clock_errors_and_redirects_blame_no_node(sc_test *t) {
  CHECK(is_nobody(from_answer(406, "clock")));
  CHECK(is_nobody(from_answer(421, "{}")));
  CHECK(is_nobody(from_answer(425, "clock")));
done:;
}

static void other_codes_of_the_destination_blame_no_node(sc_test *t) {
  static const int codes[] = {400, 401, 403, 404, 413, 429, 500, 502, 503, 504};
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
    CHECK(is_nobody(from_answer(codes[i], "whatever")));
done:;
}

static void a_missing_reply_strikes_the_path(sc_test *t) {
  CHECK(is_path(sc_blame_for(&(sc_fault){.kind = SC_FAULT_TIMEOUT}, hop_count)));
done:;
}

static void losing_the_guard_drops_the_path(sc_test *t) {
  CHECK(is_blame(sc_blame_for(&(sc_fault){.kind = SC_FAULT_EDGE_LOST}, hop_count), 0, SC_BLAME_NOBODY,
                 SC_BLAME_PATH_GONE));
done:;
}

static void an_undecryptable_layer_strikes_the_path(sc_test *t) {
  CHECK(is_path(from_hop(400, "Invalid ciphertext", NULL, false)));
  CHECK(is_path(from_hop(400, "Invalid internal onion request: what", NULL, false)));
done:;
}

static void a_request_no_path_would_carry_blames_no_node(sc_test *t) {
  CHECK(is_nobody(from_hop(400, "Error parsing onion request: what", NULL, false)));
  CHECK(is_nobody(from_hop(400, "onion request max path length exceeded", NULL, false)));
  CHECK(is_nobody(from_hop(429, "Too many requests, try again later", NULL, false)));
done:;
}

static void an_unreachable_server_blames_no_node(sc_test *t) {
  CHECK(is_nobody(from_hop(502, "certificate expired", NULL, true)));
  CHECK(is_nobody(from_hop(504, "too slow", NULL, true)));
  CHECK(is_path(from_hop(502, "certificate expired", NULL, false)));
done:;
}

static void a_forged_reply_strikes_the_path(sc_test *t) {
  CHECK(is_path(sc_blame_for(&(sc_fault){.kind = SC_FAULT_FORGED}, hop_count)));
done:;
}

/* A text that names a node outside the path, the guard, or no node: the name is ignored. */
static void nodes_outside_the_path_are_not_blamed(sc_test *t) {
  static const uint8_t stranger[SC_KEY_BYTES] = {7};
  static const char *const texts[] = {"Next node not found: ", "Next node is currently unreachable: "};
  for (size_t i = 0; i < 2; i++) {
    CHECK(is_path(from_hop(502, texts[i], stranger, false)));
    CHECK(is_path(from_hop(502, texts[i], the_path()->hops[0].ed25519, false)));
    CHECK(is_path(from_hop(502, texts[i], NULL, false)));
  }
  CHECK(is_path(from_hop(503, "Snode not ready: ", stranger, false)));
  CHECK(is_path(from_hop(502, "so: Next node not found: ", the_path()->hops[middle].ed25519, false)));
done:;
}

static void a_text_counts_only_with_its_code(sc_test *t) {
  CHECK(is_path(from_hop(500, "Next node not found: ", the_path()->hops[middle].ed25519, false)));
  CHECK(is_path(from_hop(502, "Snode not ready: ", the_path()->hops[middle].ed25519, false)));
done:;
}

static void only_observed_or_sealed_failures_are_proof(sc_test *t) {
  CHECK(from_answer(503, "Snode not ready").is_proved);
  CHECK(!from_hop(503, "Snode not ready: ", the_path()->hops[2].ed25519, false).is_proved);
  CHECK(!from_hop(503, "Server busy, try again later", NULL, false).is_proved);
done:;
}

static void success_and_unsent_requests_blame_no_node(sc_test *t) {
  CHECK(is_nobody(sc_blame_for(&(sc_fault){.kind = SC_FAULT_NONE}, hop_count)));
  CHECK(is_nobody(sc_blame_for(&(sc_fault){.kind = SC_FAULT_LOCAL}, hop_count)));
done:;
}

SUITE(network_paths_blame, "network/paths/blame",
      {"a missing next hop is excluded, and the path struck",
       a_missing_next_hop_is_excluded_and_the_path_struck},
      {"a missing destination is excluded", a_missing_destination_is_excluded},
      {"a destination with a broken daemon is excluded", a_destination_with_a_broken_daemon_is_excluded},
      {"a hop cannot report a broken daemon", a_hop_cannot_report_a_broken_daemon},
      {"a node that reports it is not ready is struck", a_node_that_reports_it_is_not_ready_is_struck},
      {"a destination that reports it is not ready is struck",
       a_destination_that_reports_it_is_not_ready_is_struck},
      {"a guard that is not ready or busy strikes the path",
       a_guard_that_is_not_ready_or_busy_strikes_the_path},
      {"a hop's timeout strikes the path", a_hops_timeout_strikes_the_path},
      {"a bad reply to a hop strikes the path", a_bad_reply_to_a_hop_strikes_the_path},
      {"clock errors and redirects blame no node", clock_errors_and_redirects_blame_no_node},
      {"other codes of the destination blame no node", other_codes_of_the_destination_blame_no_node},
      {"a missing reply strikes the path", a_missing_reply_strikes_the_path},
      {"losing the guard drops the path", losing_the_guard_drops_the_path},
      {"an undecryptable layer strikes the path", an_undecryptable_layer_strikes_the_path},
      {"a request no path would carry blames no node", a_request_no_path_would_carry_blames_no_node},
      {"an unreachable server blames no node", an_unreachable_server_blames_no_node},
      {"a forged reply strikes the path", a_forged_reply_strikes_the_path},
      {"nodes outside the path are not blamed", nodes_outside_the_path_are_not_blamed},
      {"a text counts only with its code", a_text_counts_only_with_its_code},
      {"only observed or sealed failures are proof", only_observed_or_sealed_failures_are_proof},
      {"success and unsent requests blame no node", success_and_unsent_requests_blame_no_node});
