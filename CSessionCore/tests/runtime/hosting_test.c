#include "runtime/hosting.h"

#include <errno.h>

#include "faulty_send.h"
#include "toy.h"

static sc_status host_two(sc_runtime **runtime, sc_guest **a, toy *a_toy, sc_guest **b, toy *b_toy,
                          const sc_env *env, const sc_runtime_options *options) {
  *a = *b = NULL;
  sc_status status = sc_runtime_new(runtime, env, options);
  if (status == SC_OK)
    status = toy_host(a, *runtime, a_toy, loopback_v4(0));
  return status == SC_OK ? toy_host(b, *runtime, b_toy, loopback_v4(0)) : status;
}

static void guests_reach_each_other_through_every_kind_of_socket(sc_test *t) {
  const sc_runtime_options ways[] = {{0},
                                     {.no_segmentation = true},
                                     {.no_coalescing = true},
                                     {.no_segmentation = true, .no_coalescing = true}};
  sc_runtime *runtime = NULL;
  sc_guest *a, *b;
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    toy *from = toy_fresh(0), *to = toy_fresh(1);
    to->echo = true;
    OK(host_two(&runtime, &a, from, &b, to, t->env, &ways[i]));
    toy_send_to(from, b, 60000, 1200);
    toy_send_to(from, b, 100, 0);
    CHECK(toy_step_until(runtime, from, 51));
    CHECK(to->received.value == 51 && from->received_bytes == 60100);
    sc_runtime_counts counts = toy_counts(runtime);
    CHECK(counts.sent == 102 && counts.received == 102 && counts.sent_bytes == 120200);
    CHECK(counts.received_bytes == 120200 && counts.send_lost == 0 && counts.truncated == 0);
    sc_runtime_free(runtime);
  }
  return;
done:
  sc_runtime_free(runtime);
}

/* The only allocation of a turn is for datagrams a full socket leaves, and its failure is not reported. */
static const sc_env *env_of_turns(const sc_test *t) {
  return t->torture ? NULL : t->env;
}

/* Datagrams left by a full socket are sent once there is room, and no more are requested before. */
static void a_full_socket_delays_but_loses_nothing(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *a, *b;
  toy *from = toy_fresh(0), *to = toy_fresh(1);
  OK(host_two(&runtime, &a, from, &b, to, env_of_turns(t), NULL));
  for (size_t i = 0; i < 4; i++)
    toy_send_to(from, b, 3000 + i, 1000);
  faulty_send_after(1, 1, EAGAIN);
  faulty_send_at_most(1);
  OK(sc_runtime_step(runtime, false));
  CHECK(toy_counts(runtime).send_blocked == 1 && from->sends == 1);
  CHECK(sc_guest_deadline(a) == SC_NEVER);
  toy_send_to(from, b, 7, 0);
  /* The socket is not really full, so the system reports room at once. */
  faulty_send_after(1, 1, EAGAIN);
  faulty_send_at_most(1);
  OK(sc_runtime_step(runtime, true));
  CHECK(toy_counts(runtime).send_blocked == 2 && from->sends == 1);
  CHECK(toy_step_until(runtime, to, 16));
  CHECK(to->received_bytes == 12013 && from->sends == 2);
  CHECK(toy_counts(runtime).send_lost == 0);
done:
  sc_runtime_free(runtime);
}

static void freeing_a_guest_drops_its_pending_datagrams(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *a, *b;
  toy *from = toy_fresh(0), *to = toy_fresh(1);
  OK(host_two(&runtime, &a, from, &b, to, env_of_turns(t), NULL));
  toy_send_to(from, b, 3000, 1000);
  faulty_send_after(0, 1, EAGAIN);
  OK(sc_runtime_step(runtime, false));
  sc_guest_free(a);
  OK(sc_runtime_step(runtime, false));
  CHECK(to->received.value == 0 && from->sends == 1);
done:
  sc_runtime_free(runtime);
}

typedef struct miser {
  bool refuses;
} miser;

static void *miser_allocate(void *user, size_t size) {
  return ((miser *)user)->refuses ? NULL : sc_allocate(NULL, size);
}

static void miser_release(void *user, void *ptr) {
  (void)user;
  sc_release(NULL, ptr);
}

static void without_memory_pending_datagrams_are_lost(sc_test *t) {
  miser self = {0};
  const sc_env env = {.user = &self, .allocate = miser_allocate, .release = miser_release};
  sc_runtime *runtime = NULL;
  sc_guest *a, *b;
  toy *from = toy_fresh(0), *to = toy_fresh(1);
  OK(host_two(&runtime, &a, from, &b, to, &env, NULL));
  for (size_t i = 0; i < 3; i++)
    toy_send_to(from, b, 100, 0);
  self.refuses = true;
  faulty_send_after(1, 1, EAGAIN);
  faulty_send_at_most(1);
  OK(sc_runtime_step(runtime, false));
  self.refuses = false;
  CHECK(toy_counts(runtime).send_lost == 2);
  toy_send_to(from, b, 50, 0);
  CHECK(toy_step_until(runtime, to, 2));
  CHECK(to->received_bytes == 150);
done:
  sc_runtime_free(runtime);
}

static sc_status host_at(sc_guest **out, sc_runtime *runtime, toy *self, const sc_address *addresses,
                         size_t count) {
  const sc_guest_options options = {
      .driven = toy_driven(self), .addresses = addresses, .address_count = count};
  return sc_guest_new(out, runtime, &options);
}

static void datagrams_leave_by_the_right_socket(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *a = NULL, *b = NULL;
  toy *from = toy_fresh(0), *to = toy_fresh(1);
  if (!loopback_has_v6())
    SKIP("this machine has no ::1");
  const sc_address three[] = {loopback_v4(0), loopback_v6(0), loopback_v4(0)};
  OK(sc_runtime_new(&runtime, t->env, NULL));
  OK(host_at(&a, runtime, from, three, 3));
  OK(host_at(&b, runtime, to, three, 2));
  const sc_address none = {.family = SC_ADDRESS_NONE};
  sc_address mine[3], theirs[2];
  for (size_t i = 0; i < 3; i++)
    OK(sc_guest_address(&mine[i], a, i));
  for (size_t i = 0; i < 2; i++)
    OK(sc_guest_address(&theirs[i], b, i));
  const struct {
    sc_address local;
    size_t peer;
    size_t expected;
  } cases[] = {{none, 0, 0},    {none, 1, 1},    {mine[2], 0, 2},
               {mine[0], 0, 0}, {mine[1], 1, 1}, {mine[2], 1, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sc_datagrams run = loopback_run(&theirs[cases[i].peer], (const uint8_t *)"x", 1, 1);
    run.local = cases[i].local;
    toy_queue(from, &run);
    CHECK(toy_step_until(runtime, to, i + 1));
    CHECK(sc_address_same(&to->last.peer, &mine[cases[i].expected]));
    CHECK(sc_address_same(&to->last.local, &theirs[cases[i].peer]));
  }
done:
  sc_runtime_free(runtime);
}

static void unreachable_datagrams_are_dropped(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *a, *b;
  toy *from = toy_fresh(0), *to = toy_fresh(1);
  OK(host_two(&runtime, &a, from, &b, to, t->env, NULL));
  sc_address v6 = loopback_v6(9);
  const sc_datagrams run = loopback_run(&v6, (const uint8_t *)"x", 1, 1);
  toy_queue(from, &run);
  toy_send_to(from, b, 1, 1);
  CHECK(toy_step_until(runtime, to, 1));
  CHECK(toy_counts(runtime).send_lost == 1 && toy_counts(runtime).sent == 1);
done:
  sc_runtime_free(runtime);
}

SUITE(runtime_hosting, "runtime/hosting",
      {"guests reach each other through every kind of socket",
       guests_reach_each_other_through_every_kind_of_socket},
      {"a full socket delays but loses nothing", a_full_socket_delays_but_loses_nothing},
      {"freeing a guest drops its pending datagrams", freeing_a_guest_drops_its_pending_datagrams},
      {"without memory pending datagrams are lost", without_memory_pending_datagrams_are_lost},
      {"datagrams leave by the right socket", datagrams_leave_by_the_right_socket},
      {"unreachable datagrams are dropped", unreachable_datagrams_are_dropped});
