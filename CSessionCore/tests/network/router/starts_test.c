/* Accounts that waited for the same event do not begin together. */
#include "world.h"

#define SPREAD (5 * WORLD_SECOND)

/* N14: no two start in one second more often than by chance. */
static void starts_of_accounts_are_uncorrelated(sc_test *t) {
  /* By chance it is 360 times, with a standard deviation of 15.2. */
  enum { starts = 1000, places = 5, most = 360 + 46 };
  size_t together = 0, counts[places] = {0};
  sc_starts times = {0};
  for (uint64_t i = 1; i <= starts; i++) {
    uint64_t event = i * 3600 * WORLD_SECOND;
    sc_starts_begin(&times, t->env, event);
    uint64_t a = sc_starts_of(&times, 1, SPREAD), b = sc_starts_of(&times, 2, SPREAD);
    CHECK(a >= event && a <= event + SPREAD && sc_starts_of(&times, 1, SPREAD) == a);
    together += (a < b ? b - a : a - b) < WORLD_SECOND;
    counts[a == event + SPREAD ? places - 1 : (a - event) / WORLD_SECOND]++;
  }
  CHECK(together <= most);
  for (size_t i = 0; i < places; i++)
    CHECK(counts[i] > starts / places / 2);
done:;
}

/* An account that is used again and again begins once, however many others there are. */
static void a_thousand_accounts_begin_once_and_apart(sc_test *t) {
  enum { accounts = 1000, places = 5 };
  const uint64_t event = 3600 * WORLD_SECOND;
  static uint64_t first[accounts];
  size_t counts[places] = {0};
  sc_starts times = {0};
  sc_starts_begin(&times, t->env, event);
  for (uint64_t i = 0; i < accounts; i++) {
    first[i] = sc_starts_of(&times, i + 1, SPREAD);
    CHECK(first[i] >= event && first[i] <= event + SPREAD);
    counts[first[i] == event + SPREAD ? places - 1 : (first[i] - event) / WORLD_SECOND]++;
  }
  for (uint64_t i = 0; i < accounts; i++)
    CHECK(sc_starts_of(&times, i + 1, SPREAD) == first[i]);
  for (size_t i = 0; i < places; i++)
    CHECK(counts[i] > accounts / places / 2);
  CHECK(!sc_starts_are_over(&times, SPREAD, event + SPREAD - 1));
  CHECK(sc_starts_are_over(&times, SPREAD, event + SPREAD));
done:;
}

static sc_status send_request(world *w, uint64_t account, bool interactive) {
  const sc_storage_request request = world_retrieve(w, 5, 0);
  return world_send(w, &(sc_network_request){.to = SC_NETWORK_TO_SWARM,
                                             .storage = &request,
                                             .local_account = account,
                                             .interactive = interactive});
}

static size_t count_ended(const world *w, size_t first) {
  size_t count = 0;
  for (size_t i = first; i < w->outcome_count; i++)
    count += w->outcomes[i].times;
  return count;
}

/* True if requests of so many accounts that wait now end within the spread, and no more than two of them in
 * any quarter of a second. */
static bool begin_apart(world *w, uint64_t accounts) {
  enum { steps = 24, most_together = 2 };
  size_t first = w->outcome_count, before = 0;
  for (uint64_t i = 1; i <= accounts; i++)
    if (send_request(w, i, false) != SC_OK)
      return false;
  for (size_t i = 0; i < steps; i++) {
    world_pass(w, WORLD_SECOND / 4);
    size_t ended = count_ended(w, first);
    if (ended > before + most_together)
      return false;
    before = ended;
  }
  return before == accounts;
}

static void accounts_begin_apart_after_the_start_and_an_outage(sc_test *t) {
  WORLD(12, 4);
  w.options.start_spread = SPREAD;
  OK(world_start(&w));
  bool good = begin_apart(&w, 6);
  HOLDS(good);
  for (size_t i = 0; i < w.node_count; i++)
    world_break(&w, i, SC_ERR_REQUEST_TIMEOUT);
  good = begin_apart(&w, 6);
  HOLDS(good);
  sc_network_suspend(w.network, w.now);
  sc_network_resume(w.network, w.now, true);
  good = begin_apart(&w, 6);
  HOLDS(good);
done:
  world_end(&w, t);
}

static void what_does_not_wait_for_the_event_leaves_at_once(sc_test *t) {
  WORLD(12, 4);
  w.options.start_spread = SPREAD;
  OK(world_start(&w));
  bool good = begin_apart(&w, 4);
  HOLDS(good);
  for (uint64_t i = 1; i <= 4; i++)
    OK(send_request(&w, i, false));
  world_pass(&w, WORLD_SECOND / 4);
  HOLDS(count_ended(&w, 4) == 4);
done:
  world_end(&w, t);
}

static void interactive_requests_and_those_of_no_account_leave_at_once(sc_test *t) {
  WORLD(12, 4);
  w.options.start_spread = SPREAD;
  OK(world_start(&w));
  OK(send_request(&w, 0, false));
  for (uint64_t i = 1; i <= 4; i++)
    OK(send_request(&w, i, true));
  world_pass(&w, WORLD_SECOND / 4);
  HOLDS(count_ended(&w, 0) == 5);
done:
  world_end(&w, t);
}

static void the_state_of_an_account_is_its_own(sc_test *t) {
  WORLD(12, 4);
  sc_network_account one, other, none;
  w.options.start_spread = 3600 * WORLD_SECOND;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  OK(send_request(&w, 1, false));
  OK(send_request(&w, 2, true));
  world_pass(&w, WORLD_MS);
  sc_network_inspect_account(&one, w.network, 1);
  sc_network_inspect_account(&other, w.network, 2);
  sc_network_inspect_account(&none, w.network, 3);
  HOLDS(one.requests == 1 && one.in_flight == 0 && one.paths == 0 && one.begins_at > w.now);
  HOLDS(other.requests == 1 && other.in_flight == 1 && other.paths == 1);
  HOLDS(none.requests == 0 && none.in_flight == 0 && none.paths == 0);
  HOLDS(other.begins_at > w.now && other.begins_at != one.begins_at && none.begins_at != one.begins_at);
  world_pass(&w, WORLD_SECOND);
  sc_network_inspect_account(&other, w.network, 2);
  HOLDS(other.requests == 0 && other.in_flight == 0 && other.paths == 1);
done:
  world_end(&w, t);
}

static void waiting_for_the_start_does_not_exceed_a_deadline(sc_test *t) {
  WORLD(12, 4);
  w.options.start_spread = 3600 * WORLD_SECOND;
  OK(world_start(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  OK(world_send(&w, &(sc_network_request){.to = SC_NETWORK_TO_SWARM,
                                          .storage = &request,
                                          .local_account = 1,
                                          .overall = 2 * WORLD_SECOND}));
  world_pass(&w, 2 * WORLD_SECOND);
  HOLDS(w.outcomes[0].times == 1);
done:
  world_end(&w, t);
}

SUITE(network_router_starts, "network/router/starts",
      {"N14: starts of accounts are uncorrelated", starts_of_accounts_are_uncorrelated},
      {"I5: a thousand accounts begin once, and apart", a_thousand_accounts_begin_once_and_apart},
      {"I5: accounts begin apart, after the start and an outage",
       accounts_begin_apart_after_the_start_and_an_outage},
      {"I5: what does not wait for the event leaves at once",
       what_does_not_wait_for_the_event_leaves_at_once},
      {"I5: interactive requests, and those of no account, leave at once",
       interactive_requests_and_those_of_no_account_leave_at_once},
      {"the state of an account is its own", the_state_of_an_account_is_its_own},
      {"waiting for the start does not exceed a deadline", waiting_for_the_start_does_not_exceed_a_deadline});
