#include "runtime/loop.h"

#include "toy.h"

static sc_status host_one(sc_runtime **runtime, sc_guest **guest, toy *self, const sc_env *env) {
  *guest = NULL;
  sc_status status = sc_runtime_new(runtime, env, NULL);
  return status == SC_OK ? toy_host(guest, *runtime, self, loopback_v4(0)) : status;
}

static void a_step_with_nothing_to_do_returns(sc_test *t) {
  sc_runtime *runtime = NULL;
  OK(sc_runtime_new(&runtime, t->env, NULL));
  CHECK(loopback_quiet(sc_runtime_descriptor(runtime)));
  OK(sc_runtime_step(runtime, false));
  sc_runtime_counts counts = toy_counts(runtime);
  CHECK(counts.turns == 1 && counts.wakes == 0 && counts.idle_wakes == 0);
done:
  sc_runtime_free(runtime);
}

static void count_command(void *user, uint64_t now) {
  *(uint64_t *)user += now > 0;
}

static void a_command_makes_the_descriptor_readable(sc_test *t) {
  sc_runtime *runtime = NULL;
  uint64_t ran = 0;
  OK(sc_runtime_new(&runtime, t->env, NULL));
  OK(sc_runtime_post(runtime, count_command, &ran));
  CHECK(loopback_readable(sc_runtime_descriptor(runtime)) && ran == 0);
  OK(sc_runtime_step(runtime, true));
  CHECK(ran == 1 && loopback_quiet(sc_runtime_descriptor(runtime)));
  sc_runtime_counts counts = toy_counts(runtime);
  CHECK(counts.wakes == 1 && counts.commands == 1);
done:
  sc_runtime_free(runtime);
}

static void a_deadline_makes_the_descriptor_readable(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *guest;
  toy *self = toy_fresh(0);
  OK(host_one(&runtime, &guest, self, t->env));
  uint64_t when = sc_clock_now() + 3 * SC_NS_PER_MS;
  self->deadline = when;
  OK(sc_runtime_step(runtime, false));
  CHECK(self->due == 0);
  CHECK(loopback_readable(sc_runtime_descriptor(runtime)) && sc_clock_now() >= when);
  OK(sc_runtime_step(runtime, false));
  CHECK(self->due == 1 && loopback_quiet(sc_runtime_descriptor(runtime)));
done:
  sc_runtime_free(runtime);
}

static void a_step_waits_for_the_deadline(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *guest;
  toy *self = toy_fresh(0);
  OK(host_one(&runtime, &guest, self, t->env));
  for (int i = 0; i < 3; i++) {
    uint64_t when = sc_clock_now() + 2 * SC_NS_PER_MS;
    self->deadline = when;
    OK(sc_runtime_step(runtime, true));
    CHECK(self->due == (uint64_t)i + 1 && sc_clock_now() >= when);
  }
  sc_runtime_counts counts = toy_counts(runtime);
  CHECK(counts.wakes == 3 && counts.idle_wakes == 0);
done:
  sc_runtime_free(runtime);
}

/* An alarm is not set back, so it may ring once needlessly, but not twice. */
static void a_postponed_deadline_causes_one_needless_wakeup(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *guest;
  toy *self = toy_fresh(0);
  OK(host_one(&runtime, &guest, self, t->env));
  self->deadline = sc_clock_now() + SC_NS_PER_MS;
  OK(sc_runtime_step(runtime, false));
  /* On a busy machine the first deadline has passed already. */
  uint64_t due = self->due;
  uint64_t when = sc_clock_now() + 20 * SC_NS_PER_MS;
  self->deadline = when;
  while (self->due == due)
    OK(sc_runtime_step(runtime, true));
  CHECK(sc_clock_now() >= when);
  CHECK(toy_counts(runtime).turns <= 3 && toy_counts(runtime).idle_wakes <= 1);
done:
  sc_runtime_free(runtime);
}

static void commands_per_turn_are_limited(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *guest;
  toy *self = toy_fresh(0);
  uint64_t ran = 0;
  OK(host_one(&runtime, &guest, self, t->env));
  for (int i = 0; i < 2 * SC_RUNTIME_COMMANDS_PER_TURN + 1; i++)
    OK(sc_runtime_post(runtime, count_command, &ran));
  self->deadline = 1;
  OK(sc_runtime_step(runtime, true));
  CHECK(ran == SC_RUNTIME_COMMANDS_PER_TURN && self->due == 1);
  OK(sc_runtime_step(runtime, true));
  OK(sc_runtime_step(runtime, true));
  CHECK(ran == 2 * SC_RUNTIME_COMMANDS_PER_TURN + 1);
done:
  sc_runtime_free(runtime);
}

/* A guest that always has more to send does not delay other guests or commands. */
static void a_greedy_guest_does_not_starve_the_others(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *guest, *other = NULL;
  toy *greedy = toy_fresh(0), *modest = toy_fresh(1);
  uint64_t ran = 0;
  OK(host_one(&runtime, &guest, greedy, t->env));
  OK(toy_host(&other, runtime, modest, loopback_v4(0)));
  greedy->endless = 1000000;
  greedy->endless_peer = toy_address(other);
  for (uint64_t i = 1; i <= 50; i++) {
    modest->deadline = 1;
    OK(sc_runtime_post(runtime, count_command, &ran));
    OK(sc_runtime_step(runtime, true));
    CHECK(ran == i && modest->due == i);
    CHECK(greedy->sends == i * SC_RUNTIME_SENDS_PER_TURN);
  }
  CHECK(modest->received.value >= 49 * SC_RUNTIME_MESSAGES_PER_TURN);
  /* Its remaining work is found again without another event. */
  CHECK(loopback_readable(sc_runtime_descriptor(runtime)));
done:
  sc_runtime_free(runtime);
}

static void a_flood_is_read_in_limited_pieces(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *guest, *other = NULL;
  toy *from = toy_fresh(0), *to = toy_fresh(1);
  uint64_t ran = 0;
  OK(host_one(&runtime, &guest, to, t->env));
  OK(toy_host(&other, runtime, from, loopback_v4(0)));
  for (int i = 0; i < 3 * SC_RUNTIME_MESSAGES_PER_TURN; i++)
    toy_send_to(from, guest, 1, 0);
  OK(sc_runtime_step(runtime, true));
  for (uint64_t i = 1; i <= 3; i++) {
    OK(sc_runtime_post(runtime, count_command, &ran));
    OK(sc_runtime_step(runtime, true));
    CHECK(ran == i && to->received.value == i * SC_RUNTIME_MESSAGES_PER_TURN);
  }
done:
  sc_runtime_free(runtime);
}

typedef struct host_later {
  sc_runtime *runtime;
  sc_guest *guest;
  toy *self;
  sc_status status;
  sc_status stopped;
  sc_status stepped;
  sc_status started;
} host_later;

static void host_now(void *user, uint64_t now) {
  (void)now;
  host_later *later = user;
  later->status = toy_host(&later->guest, later->runtime, later->self, loopback_v4(0));
  later->stopped = sc_runtime_stop(later->runtime, 0);
  later->stepped = sc_runtime_step(later->runtime, false);
  later->started = sc_runtime_start(later->runtime);
}

static void inside_a_turn_only_adding_guests_is_allowed(sc_test *t) {
  sc_runtime *runtime = NULL;
  host_later later = {.self = toy_fresh(0)};
  OK(sc_runtime_new(&runtime, t->env, NULL));
  later.runtime = runtime;
  OK(sc_runtime_post(runtime, host_now, &later));
  OK(sc_runtime_step(runtime, true));
  OK(later.status);
  CHECK(later.stopped == SC_ERR_RUNTIME_THREAD);
  CHECK(later.stepped == SC_ERR_STATE && later.started == SC_ERR_STATE);
  later.self->deadline = 1;
  OK(sc_runtime_step(runtime, true));
  CHECK(later.self->due == 1);
done:
  sc_runtime_free(runtime);
}

SUITE(runtime_loop, "runtime/loop", {"a step with nothing to do returns", a_step_with_nothing_to_do_returns},
      {"a command makes the descriptor readable", a_command_makes_the_descriptor_readable},
      {"a deadline makes the descriptor readable", a_deadline_makes_the_descriptor_readable},
      {"a step waits for the deadline", a_step_waits_for_the_deadline},
      {"a postponed deadline causes one needless wakeup", a_postponed_deadline_causes_one_needless_wakeup},
      {"commands per turn are limited", commands_per_turn_are_limited},
      {"a greedy guest does not starve the others", a_greedy_guest_does_not_starve_the_others},
      {"a flood is read in limited pieces", a_flood_is_read_in_limited_pieces},
      {"inside a turn only adding guests is allowed", inside_a_turn_only_adding_guests_is_allowed});
