/* How often the pool is refreshed: one refresh at a time, with a minimum interval, with backoff for repeated
 * evidence, never while suspended; and each waiter is notified once. */
#include "base/draws.h"
#include "network/nodes/refresh.h"
#include "town.h"

static const uint64_t second = SC_NODE_SECOND, minute = 60 * SC_NODE_SECOND;

/* ---- one at a time, not too often ---- */

static void only_one_refresh_runs_at_a_time(sc_test *t) {
  town w;
  town_waiter waiters[3];
  town_init(&w);
  OK(town_open(&w, t));
  for (size_t i = 0; i < 3; i++) {
    town_waiter_init(&waiters[i]);
    CHECK(town_want(&w, &waiters[i]) == SC_REFRESH_WAIT);
  }
  CHECK(w.call_count == 1);
  OK(town_answer(&w, 0, 0, 20));
  for (size_t i = 0; i < 3; i++)
    CHECK(waiters[i].times == 1 && waiters[i].refreshed);
done:
  town_free(&w);
}

static void a_refresh_too_soon_after_the_last_is_postponed(sc_test *t) {
  town w;
  town_waiter waiter;
  town_init(&w);
  town_waiter_init(&waiter);
  OK(town_settle(&w, t, 12));
  const sc_node node = crowd_node(1);
  OK(sc_nodes_strike(w.nodes, w.now, w.wall, node.key, true));
  OK(town_pass(&w, 0)); /* saves it */
  town_wait(&w, second);
  CHECK(town_want(&w, &waiter) == SC_REFRESH_WAIT && w.call_count == 0);
  CHECK(sc_nodes_deadline(w.nodes) == w.now + second);
  OK(town_pass(&w, second - 1));
  CHECK(w.call_count == 0 && waiter.times == 0);
  OK(town_pass(&w, 1));
  CHECK(w.call_count == 3 && waiter.times == 0);
done:
  town_free(&w);
}

static void a_waiter_is_notified_when_the_refresh_becomes_unnecessary(sc_test *t) {
  town w;
  town_waiter waiter;
  town_init(&w);
  town_waiter_init(&waiter);
  OK(town_settle(&w, t, 12));
  const sc_node node = crowd_node(1);
  OK(sc_nodes_strike(w.nodes, w.now, w.wall, node.key, true));
  CHECK(town_want(&w, &waiter) == SC_REFRESH_WAIT);
  sc_nodes_clear_strikes(w.nodes, w.now);
  OK(town_pass(&w, 2 * second));
  CHECK(w.call_count == 0 && waiter.times == 1 && waiter.refreshed);
done:
  town_free(&w);
}

typedef struct eager {
  town *w;
  sc_refresh_waiter waiter;
  size_t times;
  sc_refresh_want last;
} eager;

static void want_again(void *user, bool refreshed) {
  eager *self = user;
  (void)refreshed;
  self->times++;
  self->last = sc_nodes_want(self->w->nodes, self->w->now, self->w->wall, &self->waiter);
}

/* The pool is as small as before; a caller that insists continues with the nodes there are. */
static void a_waiter_may_request_a_refresh_from_its_callback(sc_test *t) {
  town w;
  eager self = {.w = &w, .waiter.done = want_again};
  self.waiter.user = &self;
  town_init(&w);
  OK(town_settle(&w, t, 12));
  const sc_node node = crowd_node(1);
  OK(sc_nodes_strike(w.nodes, w.now, w.wall, node.key, true));
  town_wait(&w, minute);
  CHECK(sc_nodes_want(w.nodes, w.now, w.wall, &self.waiter) == SC_REFRESH_WAIT);
  for (size_t i = 0; i < 3; i++)
    OK(town_answer(&w, i, 0, 12));
  CHECK(self.times == 1 && self.last == SC_REFRESH_NEEDLESS && self.waiter.link == NULL);
done:
  town_free(&w);
}

/* ---- evidence ---- */

static sc_refresh_want evidence(town *w, town_waiter *waiter) {
  return sc_nodes_want_evidence(w->nodes, w->now, w->wall, NULL, waiter == NULL ? NULL : &waiter->waiter);
}

static void evidence_refreshes_a_good_pool(sc_test *t) {
  town w;
  town_waiter waiter;
  town_init(&w);
  town_waiter_init(&waiter);
  OK(town_settle(&w, t, 20));
  town_wait(&w, 2 * second - 1);
  CHECK(evidence(&w, &waiter) == SC_REFRESH_NEEDLESS && w.call_count == 0); /* too young to be wrong */
  town_wait(&w, 1);
  CHECK(evidence(&w, &waiter) == SC_REFRESH_WAIT && w.call_count == 3);
  CHECK(evidence(&w, NULL) == SC_REFRESH_WAIT && w.call_count == 3);
  for (size_t i = 0; i < 3; i++)
    OK(town_answer(&w, i, 0, 20));
  CHECK(waiter.times == 1 && waiter.refreshed);
done:
  town_free(&w);
}

static void repeated_evidence_backs_off_until_it_stops(sc_test *t) {
  static const uint64_t pauses[] = {1, 2, 4, 8, 16};
  town w;
  town_init(&w);
  OK(town_settle(&w, t, 20));
  town_wait(&w, minute);
  CHECK(evidence(&w, NULL) == SC_REFRESH_WAIT);
  OK(town_answer_all(&w, 20));
  for (size_t i = 0; i < 5; i++) {
    town_wait(&w, pauses[i] * minute - 1);
    CHECK(evidence(&w, NULL) == SC_REFRESH_REFUSED && w.call_count == 0);
    town_wait(&w, 1);
    CHECK(evidence(&w, NULL) == SC_REFRESH_WAIT && w.call_count == 3);
    OK(town_answer_all(&w, 20));
  }
  town_wait(&w, 2 * 32 * minute); /* quiet for twice the backoff */
  CHECK(evidence(&w, NULL) == SC_REFRESH_WAIT);
  OK(town_answer_all(&w, 20));
  town_wait(&w, minute);
  CHECK(evidence(&w, NULL) == SC_REFRESH_WAIT);
done:
  town_free(&w);
}

static sc_refresh_want evidence_of(town *w, uint8_t account) {
  const uint8_t key[SC_KEY_BYTES] = {account};
  return sc_nodes_want_evidence(w->nodes, w->now, w->wall, key, NULL);
}

/* §8.3 */
static void an_account_causes_every_second_refresh_while_others_do(sc_test *t) {
  town w;
  town_init(&w);
  OK(town_settle(&w, t, 40));
  town_wait(&w, minute);
  for (size_t i = 0; i < 3; i++) { /* alone, it causes all */
    CHECK(evidence_of(&w, 1) == SC_REFRESH_WAIT);
    OK(town_answer_all(&w, 40));
    CHECK(evidence_of(&w, 1) != SC_REFRESH_WAIT);
    town_wait(&w, 10 * minute);
  }
  for (size_t i = 0; i < 3; i++) {
    CHECK(evidence_of(&w, 1) == SC_REFRESH_WAIT);
    OK(town_answer_all(&w, 40));
    town_wait(&w, 3 * second);
    CHECK(evidence_of(&w, 2) == SC_REFRESH_REFUSED);
    town_wait(&w, 10 * minute);
    CHECK(evidence_of(&w, 1) == SC_REFRESH_REFUSED && w.call_count == 0);
    CHECK(evidence_of(&w, 2) == SC_REFRESH_WAIT);
    OK(town_answer_all(&w, 40));
    town_wait(&w, 10 * minute);
  }
done:
  town_free(&w);
}

/* Unconfirmed evidence is remembered until a refresh succeeds. */
static void evidence_survives_a_failed_round(sc_test *t) {
  town w;
  town_init(&w);
  OK(town_settle(&w, t, 20));
  town_wait(&w, minute);
  CHECK(evidence(&w, NULL) == SC_REFRESH_WAIT);
  for (size_t i = 0; i < 3; i++)
    OK(town_answer(&w, i, 100 * (uint32_t)i, 20)); /* nothing in common */
  OK(town_pass(&w, second / 5));
  CHECK(w.call_count == 4);
  OK(town_answer(&w, 3, 0, 20));
  CHECK(sc_nodes_deadline(w.nodes) == UINT64_MAX);
done:
  town_free(&w);
}

/* ---- suspension ---- */

static void suspending_cancels_the_refresh(sc_test *t) {
  town w;
  town_waiter waiter;
  town_init(&w);
  town_waiter_init(&waiter);
  OK(town_open(&w, t));
  CHECK(town_want(&w, &waiter) == SC_REFRESH_WAIT);
  sc_nodes_suspend(w.nodes, w.now);
  CHECK(waiter.times == 1 && !waiter.refreshed && sc_nodes_deadline(w.nodes) == UINT64_MAX);
  FAILS(SC_ERR_NOT_FOUND, town_answer(&w, 0, 0, 20)); /* late */
  CHECK(town_count(&w) == 0);
  CHECK(town_want(&w, &waiter) == SC_REFRESH_REFUSED && evidence(&w, &waiter) == SC_REFRESH_REFUSED);
  CHECK(waiter.waiter.link == NULL && w.call_count == 1);
  sc_nodes_resume(w.nodes);
  CHECK(town_want(&w, &waiter) == SC_REFRESH_WAIT && w.call_count == 2);
  FAILS(SC_ERR_NOT_FOUND, town_answer(&w, 0, 0, 20)); /* still late */
  OK(town_answer(&w, 1, 0, 20));
  CHECK(waiter.times == 2 && waiter.refreshed);
done:
  town_free(&w);
}

static void suspending_forgets_failures(sc_test *t) {
  town w;
  town_init(&w);
  OK(town_open(&w, t));
  for (size_t i = 0; i < 3; i++) {
    w.call_count = 0;
    if (i == 0)
      CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT);
    else
      OK(town_pass(&w, 6 * second));
    OK(town_refuse_seeds(&w));
  }
  sc_nodes_suspend(w.nodes, w.now);
  sc_nodes_resume(w.nodes);
  w.call_count = 0;
  CHECK(town_want(&w, NULL) == SC_REFRESH_WAIT);
  OK(town_refuse_seeds(&w));
  CHECK(sc_nodes_deadline(w.nodes) == w.now + second / 5);
done:
  town_free(&w);
}

static void want_when_freed(void *user, bool refreshed) {
  eager *self = user;
  self->times += !refreshed;
  self->last = sc_nodes_want(self->w->nodes, self->w->now, self->w->wall, &self->waiter);
}

static void freeing_notifies_waiters_and_refuses_new_ones(sc_test *t) {
  town w;
  eager self = {.w = &w, .waiter.done = want_when_freed};
  self.waiter.user = &self;
  town_init(&w);
  OK(town_open(&w, t));
  CHECK(sc_nodes_want(w.nodes, w.now, w.wall, &self.waiter) == SC_REFRESH_WAIT);
  town_free(&w);
  CHECK(self.times == 1 && self.last == SC_REFRESH_REFUSED && self.waiter.link == NULL);
done:
  town_free(&w);
}

/* ---- anything in any order ---- */

enum { crowd_waiters = 12 };

typedef struct patient {
  town_waiter told;
  bool waits;
  size_t expected; /* expected notifications, once it no longer waits */
} patient;

static bool all_were_told_once(patient *patients) {
  for (size_t i = 0; i < crowd_waiters; i++) {
    patient *p = &patients[i];
    bool waits = p->told.waiter.link != NULL;
    if (p->told.times != (waits ? p->expected - 1 : p->expected))
      return false;
    p->waits = waits;
  }
  return true;
}

static void want_something(town *w, sc_draws *draws, patient *patients) {
  patient *p = &patients[sc_draws_below(draws, crowd_waiters)];
  if (p->waits)
    return;
  bool with_evidence = sc_draws_below(draws, 2) == 0;
  sc_refresh_want want = with_evidence
                             ? sc_nodes_want_evidence(w->nodes, w->now, w->wall, NULL, &p->told.waiter)
                             : sc_nodes_want(w->nodes, w->now, w->wall, &p->told.waiter);
  p->expected += want == SC_REFRESH_WAIT;
}

/* Any kind of reply to any of the latest calls, or to one never made. */
static sc_status answer_something(town *w, sc_draws *draws) {
  if (w->call_count == 0)
    return SC_OK;
  size_t call = sc_draws_below(draws, (uint32_t)w->call_count);
  sc_status status;
  switch (sc_draws_below(draws, 6)) {
  case 0:
    status = town_refuse(w, call);
    break;
  case 1:
    status = sc_nodes_failed(w->nodes, w->now, w->wall, w->calls[call].token, SC_ERR_STORAGE_METHOD);
    break;
  case 2:
    status = town_answer(w, call, sc_draws_below(draws, 1000), sc_draws_below(draws, 40));
    break;
  default:
    status = town_answer(w, call, sc_draws_below(draws, 8), 30);
  }
  return status == SC_ERR_NOT_FOUND || status == SC_ERR_NODE_LIST ? SC_OK : status;
}

static sc_status do_something(town *w, sc_draws *draws, patient *patients) {
  const sc_node node = crowd_node(sc_draws_below(draws, 40));
  if (w->call_count >= town_most_calls - 2 * SC_NODE_MAX_LISTS)
    w->call_count = 0;
  switch (sc_draws_below(draws, 12)) {
  case 0:
    sc_nodes_suspend(w->nodes, w->now);
    return SC_OK;
  case 1:
    sc_nodes_resume(w->nodes);
    return SC_OK;
  case 2:
    w->refuses = sc_draws_below(draws, 4) == 0;
    w->has_path = !w->has_path;
    return SC_OK;
  case 3:
    return sc_nodes_strike(w->nodes, w->now, w->wall, node.key, true);
  case 4:
    if (sc_draws_below(draws, 20) == 0)
      sc_nodes_clear(w->nodes, w->now);
    return SC_OK;
  case 5:
  case 6:
    return town_pass(w, sc_draws_below(draws, 12) * second);
  case 7:
    town_wait(w, sc_draws_below(draws, 90) * minute);
    return sc_nodes_advance(w->nodes, w->now, w->wall);
  case 8:
  case 9:
    want_something(w, draws, patients);
    return SC_OK;
  default:
    return answer_something(w, draws);
  }
}

/* In any order of events each waiter is notified once, and the accepted list is never too small. */
static void each_waiter_is_notified_exactly_once(sc_test *t) {
  enum { worlds = 40, steps = 400 };
  patient patients[crowd_waiters];
  sc_draws draws;
  town w = {0};
  sc_draws_init(&draws, t->env, sc_draws_most);
  for (size_t world = 0; world < (t->torture ? 1 : worlds); world++) {
    town_init(&w);
    memset(patients, 0, sizeof patients);
    for (size_t i = 0; i < crowd_waiters; i++)
      town_waiter_init(&patients[i].told);
    OK(town_open(&w, t));
    for (size_t step = 0; step < (t->torture ? 40 : steps); step++) {
      OK(do_something(&w, &draws, patients));
      CHECK(all_were_told_once(patients));
      CHECK(town_count(&w) == 0 || town_count(&w) >= 12);
    }
    town_free(&w);
    for (size_t i = 0; i < crowd_waiters; i++)
      CHECK(patients[i].told.times == patients[i].expected);
  }
done:
  town_free(&w);
}

SUITE(network_nodes_refresh_pace, "network/nodes/refresh_pace",
      {"only one refresh runs at a time", only_one_refresh_runs_at_a_time},
      {"a refresh too soon after the last is postponed", a_refresh_too_soon_after_the_last_is_postponed},
      {"a waiter is notified when the refresh becomes unnecessary",
       a_waiter_is_notified_when_the_refresh_becomes_unnecessary},
      {"a waiter may request a refresh from its callback", a_waiter_may_request_a_refresh_from_its_callback},
      {"evidence refreshes a good pool", evidence_refreshes_a_good_pool},
      {"repeated evidence backs off until it stops", repeated_evidence_backs_off_until_it_stops},
      {"an account causes every second refresh while others do",
       an_account_causes_every_second_refresh_while_others_do},
      {"evidence survives a failed round", evidence_survives_a_failed_round},
      {"suspending cancels the refresh", suspending_cancels_the_refresh},
      {"suspending forgets failures", suspending_forgets_failures},
      {"freeing notifies waiters and refuses new ones", freeing_notifies_waiters_and_refuses_new_ones},
      {"each waiter is notified exactly once", each_waiter_is_notified_exactly_once});
