#include "weather.h"

#include "churn.h"
#include "probe.h"

typedef struct consequence {
  trouble what;
  bool opens; /* a request to a faulty destination still gets a reply */
} consequence;

static void faults_come_and_go(sc_test *t) {
  static const consequence known[] = {{TROUBLE_DEAD, false}, {TROUBLE_CUT, false}, {TROUBLE_UNREADY, false},
                                      {TROUBLE_LOSSY, true}, {TROUBLE_DEAF, true}, {TROUBLE_SLOW, true}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    WORLD(1);
    uint32_t member = probe_member(&p, 0);
    weather_strike(w, member, known[i].what, 80 * SIM_SECOND);
    sc_status during = probe_retrieve(&p, member);
    bool opened = p.is_open;
    probe_pass(&p, 90 * SIM_SECOND);
    sc_status after = probe_retrieve(&p, member);
    bool recovered = p.is_open && w->nodes[member].trouble == TROUBLE_NONE;
    bool blemished = w->nodes[member].blemished;
    END();
    OK(during);
    OK(after);
    CHECK(opened == known[i].opens && recovered && blemished);
  }
done:;
}

/* It takes at least two seconds, or so long that the previous hop gives up. */
static void a_stalled_node_replies_late_or_too_late(sc_test *t) {
  size_t late = 0, too_late = 0;
  WORLD(5);
  uint32_t member = probe_member(&p, 0);
  weather_strike(w, member, TROUBLE_STALLED, 3600 * SIM_SECOND);
  for (unsigned i = 0; i < 12; i++) {
    uint64_t began = w->agenda.now;
    OK(probe_retrieve(&p, member));
    CHECK(w->agenda.now - began >= 2 * SIM_SECOND);
    late += p.is_open;
    too_late += !p.is_open;
  }
  CHECK(late > 0 && too_late > 0);
done:
  END();
}

static void clearing_ends_all_faults_at_once(sc_test *t) {
  WORLD(2);
  uint32_t member = probe_member(&p, 0);
  weather_strike(w, member, TROUBLE_DEAD, 1000 * SIM_SECOND);
  weather_split(w, 1000 * SIM_SECOND);
  CHECK(w->weather.islands == 2);
  weather_clear(w);
  OK(probe_retrieve(&p, member));
  CHECK(p.is_open && w->weather.islands == 1);
done:
  END();
}

/* An isolated node keeps the old list until it recovers. */
static void an_isolated_node_does_not_learn_list_changes(sc_test *t) {
  WORLD(3);
  weather_strike(w, 5, TROUBLE_DEAF, 100 * SIM_SECOND);
  churn_once(w, CHURN_JOIN, 0);
  probe_pass(&p, 60 * SIM_SECOND);
  CHECK(w->nodes[5].list->height + 1 == w->registry.height && w->nodes[6].list->height == w->registry.height);
  probe_pass(&p, 60 * SIM_SECOND);
  CHECK(w->nodes[5].list->height == w->registry.height);
done:
  END();
}

/* Churn of any length loses no swarm and leaves most of the network. */
static void churn_leaves_a_working_network(sc_test *t) {
  WORLD(4);
  for (unsigned i = 0; i < 600; i++) {
    churn_once(w, (churn_kind)(i % churn_kind_count), draw_below(&w->chance, (uint32_t)w->node_count));
    probe_pass(&p, SIM_SECOND);
    const registry_list *list = w->registry.newest;
    CHECK(list->swarm_count >= 2 && list->count >= 18);
  }
  probe_pass(&p, 60 * SIM_SECOND);
  OK(probe_store(&p, "still there"));
  CHECK(p.status == 200);
done:
  END();
}

static void the_faults_of_a_level_follow_from_the_seed(sc_test *t) {
  plan a = {.seed = 9}, b = {.seed = 9}, other = {.seed = 10}, none = {.seed = 9};
  uint32_t all = 0;
  plan_draw_faults(&a, PLAN_HEAVY);
  plan_draw_faults(&b, PLAN_HEAVY);
  plan_draw_faults(&other, PLAN_HEAVY);
  plan_draw_faults(&none, PLAN_NONE);
  CHECK(a.faults == b.faults && a.troubled == b.troubled && a.hostile == b.hostile);
  CHECK(a.faults != other.faults && none.faults == 0 && none.troubled == 0);
  for (uint64_t seed = 0; seed < 50; seed++) {
    plan p = {.seed = seed};
    plan_draw_faults(&p, PLAN_LIGHT);
    CHECK((p.hostile > 0) == plan_has(&p, FAULT_LIARS));
    all |= p.faults;
  }
  CHECK(all == (1U << fault_count) - 1);
done:;
}

SUITE(sim_weather, "sim/weather", {"faults come and go", faults_come_and_go},
      {"a stalled node replies late or too late", a_stalled_node_replies_late_or_too_late},
      {"clearing ends all faults at once", clearing_ends_all_faults_at_once},
      {"an isolated node does not learn list changes", an_isolated_node_does_not_learn_list_changes},
      {"churn leaves a working network", churn_leaves_a_working_network},
      {"the faults of a level follow from the seed", the_faults_of_a_level_follow_from_the_seed});
