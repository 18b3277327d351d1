#include "network/clock/witnesses.h"

#include "base/draws.h"
#include "support/test.h"

enum { none = 99999999, hour = 3600000, day = 24 * hour };

typedef struct known {
  int64_t offsets[sc_witnesses_most]; /* none: it did not reply */
  size_t called;
  bool is_found;
  int64_t offset;
} known;

static void check(sc_test *t, const known *list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    sc_witness witnesses[sc_witnesses_most];
    size_t said = 0;
    int64_t offset = 0;
    for (size_t k = 0; k < list[i].called; k++)
      if (list[i].offsets[k] != none)
        witnesses[said++] = (sc_witness){list[i].offsets[k], 200};
    CHECK(sc_witnesses_decide(&offset, witnesses, said, list[i].called) == list[i].is_found);
    CHECK(!list[i].is_found || offset == list[i].offset);
  }
done:;
}

/* T1 */
static void witnesses_agree_within_five_seconds_and_half_a_round_trip(sc_test *t) {
  for (int64_t more = 0; more < 2; more++) {
    const sc_witness list[] = {{hour, 200}, {hour + 7000 + more, 4000}, {hour + 3000, 200}};
    int64_t offset;
    CHECK(sc_witnesses_decide(&offset, list, 3, 3) == (more == 0));
    CHECK(more == 1 || offset == hour + 3000);
  }
done:;
}

/* T2 */
static void two_that_are_near_this_machine_suffice(sc_test *t) {
  static const known list[] = {
      {{1000, 2000, 3000}, 3, true, 2000},     {{1000, 2000, hour}, 3, true, 1500},
      {{hour, 2000, -30000}, 3, true, -14000}, {{30000, none, none}, 3, true, 30000},
      {{30001, none, none}, 3, false, 0},      {{1000, hour, none}, 3, false, 0},
      {{1000, 30001, hour}, 3, false, 0},      {{none, none, none}, 3, false, 0},
  };
  check(t, list, sizeof list / sizeof list[0]);
}

/* T3, T4 */
static void a_wrong_clock_needs_all_three_or_four_of_six(sc_test *t) {
  static const known list[] = {
      {{day, day + 1000, day + 2000}, 3, true, day + 1000},
      {{day, day, none}, 3, false, 0},
      {{day, day, day + 6000}, 3, false, 0},
      {{day, hour, hour, day, day + 2000, day}, 6, true, day},
      {{day, hour, hour, day, day, hour}, 6, false, 0},
      {{0, hour, hour, 1000, 2000, 3000}, 6, true, 1500},
      {{0, hour, hour, 1000, none, none}, 6, false, 0},
      {{day, day + 4000, day + 8000, day + 12000, day + 16000, day + 20000}, 6, false, 0},
  };
  check(t, list, sizeof list / sizeof list[0]);
}

static void in_small_networks_all_must_agree(sc_test *t) {
  static const known list[] = {{{day}, 1, true, day},
                               {{none}, 1, false, 0},
                               {{day, day + 1000}, 2, true, day + 500},
                               {{day, 1000}, 2, false, 0},
                               {{day, none}, 2, false, 0}};
  check(t, list, sizeof list / sizeof list[0]);
}

/* Nodes, of which some are hostile, all of them an hour ahead; three, and three more if those do not do. */
static bool measure(int64_t *offset, sc_draws *draws, uint32_t hostile, uint32_t of, int64_t truth) {
  sc_witness list[sc_witnesses_most];
  for (size_t called = 0; called < sc_witnesses_most; called++) {
    bool lies = sc_draws_below(draws, of) < hostile;
    int64_t error = (int64_t)sc_draws_below(draws, 1000) - 500;
    list[called] = (sc_witness){lies ? hour + truth : truth + error, 200};
    bool is_due = called + 1 == sc_witnesses_first || called + 1 == sc_witnesses_most;
    if (is_due && sc_witnesses_decide(offset, list, called + 1, called + 1))
      return true;
  }
  return false;
}

/* N12: a tenth of the nodes lie together, and this machine's clock is right, or a day off. */
static void a_tenth_of_the_nodes_seldom_decides(sc_test *t) {
  const size_t rounds = t->torture ? 4 : 20000;
  sc_draws draws;
  for (int64_t truth = 0; truth >= -day; truth -= day) {
    size_t wrong = 0, found = 0;
    for (size_t i = 0; i < rounds; i++) {
      int64_t offset = 0;
      sc_draws_init(&draws, t->env, 2 * sc_witnesses_most);
      bool is_known = measure(&offset, &draws, 1, 10, truth);
      found += is_known;
      wrong +=
          is_known && (offset < truth - sc_clock_most_unproved || offset > truth + sc_clock_most_unproved);
    }
    CHECK(t->torture || (wrong * 1000 <= 3 * rounds && found * 100 > 97 * rounds));
  }
done:;
}

SUITE(network_clock_witnesses, "network/clock/witnesses",
      {"witnesses agree within five seconds and half a round trip",
       witnesses_agree_within_five_seconds_and_half_a_round_trip},
      {"two that are near this machine suffice", two_that_are_near_this_machine_suffice},
      {"a wrong clock needs all three or four of six", a_wrong_clock_needs_all_three_or_four_of_six},
      {"in small networks all must agree", in_small_networks_all_must_agree},
      {"a tenth of the nodes seldom decides", a_tenth_of_the_nodes_seldom_decides});
