#include "run.h"

#include "flaw.h"
#include "support/test.h"

static plan small_plan(uint64_t seed) {
  return (plan){.seed = seed, .nodes = 40, .swarm_size = 6, .clients = 3, .requests = 60};
}

static void run(run_result *out, const plan *p) {
  report r = {0};
  run_world(out, &r, p, NULL);
  report_free(&r);
}

static void the_same_seed_gives_the_same_run(sc_test *t) {
  for (int quic = 0; quic < 2; quic++) {
    run_result first, again, other;
    plan p = small_plan(3), q = small_plan(4);
    plan_draw_faults(&p, PLAN_HEAVY);
    plan_draw_faults(&q, PLAN_HEAVY);
    p.quic = q.quic = quic == 1;
    run(&first, &p);
    run(&again, &p);
    run(&other, &q);
    CHECK(first.digest == again.digest && first.digest != other.digest);
  }
done:;
}

/* Deleted messages cannot be deleted again; members may have lost their rights. */
static bool may_be_refused(client_call_kind kind) {
  return kind == CALL_DELETE || kind == CALL_MEMBER_STORE || kind == CALL_MEMBER_RETRIEVE;
}

static void without_faults_all_goes_well(sc_test *t, bool quic, size_t requests) {
  report r = {0};
  run_result result;
  plan p = small_plan(5);
  p.requests = requests;
  p.quic = quic;
  run_world(&result, &r, &p, NULL);
  uint64_t made = 0;
  for (unsigned i = 0; i < client_call_kind_count; i++) {
    made += r.made[i];
    CHECK((r.made[i] > 0 || quic || i == CALL_POLL) &&
          (r.good[i] == r.made[i] || may_be_refused((client_call_kind)i)));
  }
  CHECK(!result.broken && made == p.requests + 2 * p.clients && r.failed == 0);
  CHECK(r.promises == r.good[CALL_STORE] + r.good[CALL_SEND] + r.good[CALL_MEMBER_STORE] && r.promises > 10);
  CHECK(r.burials == r.good[CALL_DELETE] && r.burials > 0);
done:
  report_free(&r);
}

static void without_faults_every_request_succeeds(sc_test *t) {
  without_faults_all_goes_well(t, false, 500); /* enough for one of each kind */
}

static void real_packets_succeed_without_faults_too(sc_test *t) {
  without_faults_all_goes_well(t, true, 120);
}

/* Each of the oracle's rules, broken on purpose; these worlds have no other fault. */
static void every_deliberate_defect_is_detected(sc_test *t) {
  static const char *const signs[flaw_count] = {
      NULL,
      "is completed 2 times",
      "was never completed",
      "ends after",
      "is lost",
      "did not make",
      "ms off",
      "bytes, more than",
      "is not connected",
      "has two places",
      "leaves node 0 alone",
      "is there again",
      "lets in a member",
      "is not signed by",
      "is no guard",
      "nodes alone change",
      "for a guard that",
      "which tells what it is",
      "guards on a line",
      "that is not there",
      "requests over honest guards fail",
      "sees two of its accounts",
      "comes twice to one node",
      "changes the order of its guards",
      "without an honest member",
      "is hidden from client",
  };
  for (unsigned i = 1; i < flaw_count; i++) {
    run_result result;
    plan p = small_plan(1);
    p.requests = 300;
    flaw_plan(&p, (flaw)i);
    run(&result, &p);
    CHECK(result.broken && strstr(result.what, signs[i]) != NULL);
  }
done:;
}

/* Hostile nodes agree on a list in which theirs are the only ones, or more and more of the
 * others are replaced, or all are in one of their swarms. */
static void poisoned_lists_do_not_change_the_network(sc_test *t) {
  static const uint32_t strategies[] = {TRAIT_FRIENDS, TRAIT_DRIFT, TRAIT_ONE_SWARM};
  for (size_t i = 0; i < sizeof strategies / sizeof strategies[0]; i++) {
    report r = {0};
    run_result result;
    plan p = small_plan(7);
    p.strategy = strategies[i];
    p.nodes = 150;
    p.hostile = 150;
    p.requests = 200;
    p.pause_ms = 120000;
    run_world(&result, &r, &p, NULL);
    uint64_t lists = r.lists, failed = r.failed;
    report_free(&r);
    CHECK(!result.broken && lists > 5 && failed == 0);
  }
done:;
}

/* A tenth of the nodes are an hour ahead, and clients are right, or a day late. */
static void nodes_that_lie_together_seldom_move_a_clock(sc_test *t) {
  static const uint64_t late[] = {0, 24 * 3600 * 1000};
  for (size_t i = 0; i < sizeof late / sizeof late[0]; i++) {
    report r = {0};
    run_result result;
    plan p = small_plan(11);
    p.strategy = TRAIT_CLOCK;
    p.hostile = 100;
    p.clients = 30;
    p.client_clock_ms = late[i];
    run_world(&result, &r, &p, NULL);
    uint64_t measured = r.measurements, wrong = r.wrong_clocks;
    report_free(&r);
    CHECK(!result.broken && measured >= 25 && wrong == 0);
  }
done:;
}

/* For ten minutes the line lets only hostile nodes through. */
static void a_hostile_line_gains_few_guards(sc_test *t) {
  for (unsigned i = 1; i < line_count; i++) {
    run_result result;
    plan p = small_plan(13);
    p.nodes = 60;
    p.clients = 2;
    p.pause_ms = 6000; /* so that something is wanted after the end */
    p.hostile = 100;
    p.strategy = TRAIT_SWALLOW;
    p.line = (line_kind)i;
    p.line_s = 600;
    p.requests = 400;
    run(&result, &p);
    CHECK(!result.broken);
  }
done:;
}

SUITE(sim_run, "sim/run", {"the same seed gives the same run", the_same_seed_gives_the_same_run},
      {"without faults every request succeeds", without_faults_every_request_succeeds},
      {"real packets succeed without faults too", real_packets_succeed_without_faults_too},
      {"every deliberate defect is detected", every_deliberate_defect_is_detected},
      {"a hostile line gains few guards", a_hostile_line_gains_few_guards},
      {"nodes that lie together seldom move a clock", nodes_that_lie_together_seldom_move_a_clock},
      {"poisoned lists do not change the network", poisoned_lists_do_not_change_the_network});
