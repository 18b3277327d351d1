/* Which routes corroborate each other. */
#include "network/router/heard.h"

#include "support/test.h"

enum { hop_count = 3 };

static void add(sc_heard_list *heard, sc_evidence_kind kind, const sc_onion_node *hops, size_t count,
                const uint8_t *node) {
  sc_heard_add(heard, &(sc_evidence){.kind = kind}, hops, count, node);
}

static const uint8_t one_node[SC_KEY_BYTES] = {101}, other_node[SC_KEY_BYTES] = {102};

/* The same evidence over two routes, whose hops are numbers. */
static bool agree(sc_evidence_kind kind, const uint8_t first[hop_count], const uint8_t second[hop_count],
                  const uint8_t *first_node, const uint8_t *second_node) {
  sc_heard_list heard = {0};
  sc_onion_node hops[2][hop_count] = {0};
  for (size_t i = 0; i < hop_count; i++) {
    hops[0][i].ed25519[0] = first[i];
    hops[1][i].ed25519[0] = second[i];
  }
  add(&heard, kind, hops[0], hop_count, first_node);
  if (sc_heard_is_corroborated(&heard))
    return false;
  add(&heard, kind, hops[1], hop_count, second_node);
  return sc_heard_is_corroborated(&heard);
}

static void two_guards_are_busy_if_both_say_so(sc_test *t) {
  static const uint8_t a[] = {1, 2, 3}, same_guard[] = {1, 5, 6}, other_guard[] = {4, 2, 3};
  CHECK(!agree(SC_EVIDENCE_BUSY, a, same_guard, one_node, other_node));
  CHECK(agree(SC_EVIDENCE_BUSY, a, other_guard, one_node, other_node));
done:;
}

static void a_server_is_unreachable_over_other_ends(sc_test *t) {
  static const uint8_t a[] = {1, 2, 3}, same_last[] = {4, 5, 3}, same_guard[] = {1, 5, 6},
                       same_middle[] = {4, 2, 6};
  CHECK(!agree(SC_EVIDENCE_SERVER_UNREACHABLE, a, same_last, NULL, NULL));
  CHECK(!agree(SC_EVIDENCE_SERVER_UNREACHABLE, a, same_guard, NULL, NULL));
  CHECK(agree(SC_EVIDENCE_SERVER_UNREACHABLE, a, same_middle, NULL, NULL));
done:;
}

static void an_unreachable_destination_must_be_the_same(sc_test *t) {
  static const uint8_t a[] = {1, 2, 3}, b[] = {4, 5, 6};
  CHECK(agree(SC_EVIDENCE_DESTINATION_UNREACHABLE, a, b, one_node, one_node));
  CHECK(!agree(SC_EVIDENCE_DESTINATION_UNREACHABLE, a, b, one_node, other_node));
done:;
}

static void a_bad_request_is_believed_over_routes_without_a_common_node(sc_test *t) {
  static const uint8_t a[] = {1, 2, 3}, same_middle[] = {4, 2, 6}, moved[] = {4, 3, 6}, b[] = {4, 5, 6};
  CHECK(!agree(SC_EVIDENCE_BAD_REQUEST, a, same_middle, one_node, other_node));
  CHECK(!agree(SC_EVIDENCE_BAD_REQUEST, a, moved, one_node, other_node));
  CHECK(agree(SC_EVIDENCE_BAD_REQUEST, a, b, one_node, other_node));
  CHECK(agree(SC_EVIDENCE_BAD_CIPHERTEXT, a, b, one_node, one_node));
done:;
}

static void other_failures_are_never_believed(sc_test *t) {
  static const uint8_t a[] = {1, 2, 3}, b[] = {4, 5, 6};
  CHECK(!agree(SC_EVIDENCE_SILENCE, a, b, one_node, one_node));
  CHECK(!agree(SC_EVIDENCE_OTHER_TEXT, a, b, one_node, one_node));
  CHECK(!agree(SC_EVIDENCE_UNREADABLE, a, b, one_node, one_node));
done:;
}

static void different_texts_do_not_corroborate(sc_test *t) {
  sc_heard_list heard = {0};
  const sc_onion_node first = {.ed25519 = {1}}, second = {.ed25519 = {2}};
  add(&heard, SC_EVIDENCE_BAD_REQUEST, &first, 1, NULL);
  add(&heard, SC_EVIDENCE_TOO_MANY_HOPS, &second, 1, NULL);
  CHECK(!sc_heard_is_corroborated(&heard));
  CHECK(sc_heard_is_last(&heard, SC_EVIDENCE_TOO_MANY_HOPS));
  CHECK(!sc_heard_is_last(&heard, SC_EVIDENCE_BAD_REQUEST));
done:;
}

static void the_oldest_is_dropped(sc_test *t) {
  sc_heard_list heard = {0};
  const sc_onion_node first = {.ed25519 = {1}}, second = {.ed25519 = {2}};
  add(&heard, SC_EVIDENCE_BUSY, &first, 1, NULL);
  for (size_t i = 0; i < sc_heard_max; i++)
    add(&heard, SC_EVIDENCE_SILENCE, &first, 1, NULL);
  add(&heard, SC_EVIDENCE_BUSY, &second, 1, NULL);
  CHECK(heard.count == sc_heard_max && !sc_heard_is_corroborated(&heard));
done:;
}

static void a_failure_implicates_the_nodes_that_may_be_at_fault(sc_test *t) {
  static const uint8_t asked[SC_KEY_BYTES] = {9};
  static const struct {
    sc_evidence evidence;
    bool of_hops[hop_count];
    bool of_destination;
  } cases[] = {{{.kind = SC_EVIDENCE_SILENCE}, {true, true, true}, true},
               {{.kind = SC_EVIDENCE_GUARD_LOST}, {true, false, false}, false},
               {{.kind = SC_EVIDENCE_HOP_UNREACHABLE, .named = 2}, {false, false, true}, false},
               {{.kind = SC_EVIDENCE_DESTINATION_UNREACHABLE, .named = 3}, {false, false, false}, true}};
  sc_onion_node hops[hop_count] = {{.ed25519 = {1}}, {.ed25519 = {2}}, {.ed25519 = {3}}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sc_heard_list heard = {0};
    sc_heard_add(&heard, &cases[i].evidence, hops, hop_count, asked);
    for (size_t hop = 0; hop < hop_count; hop++)
      CHECK(sc_heard_implicates(&heard.list[0], hops[hop].ed25519) == cases[i].of_hops[hop]);
    CHECK(sc_heard_implicates(&heard.list[0], asked) == cases[i].of_destination);
    CHECK(!sc_heard_implicates(&heard.list[0], other_node));
  }
done:;
}

SUITE(network_router_heard, "network/router/heard",
      {"a failure implicates the nodes that may be at fault",
       a_failure_implicates_the_nodes_that_may_be_at_fault},
      {"B11: two guards are busy if both say so", two_guards_are_busy_if_both_say_so},
      {"B15: a server is unreachable over other ends", a_server_is_unreachable_over_other_ends},
      {"B9: an unreachable destination must be the same", an_unreachable_destination_must_be_the_same},
      {"B13, B14: a bad request is believed over routes without a common node",
       a_bad_request_is_believed_over_routes_without_a_common_node},
      {"other failures are never believed", other_failures_are_never_believed},
      {"different texts do not corroborate", different_texts_do_not_corroborate},
      {"the oldest is dropped", the_oldest_is_dropped});
