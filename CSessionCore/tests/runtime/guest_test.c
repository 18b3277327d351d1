#define _POSIX_C_SOURCE 200809L /* O_CLOEXEC */

#include "session-core/runtime/guest.h"

#include <fcntl.h>

#include "toy.h"

static void a_guest_has_its_requested_addresses(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *guest = NULL;
  sc_address address, asked = loopback_v4(0);
  OK(sc_runtime_new(&runtime, t->env, NULL));
  OK(toy_host(&guest, runtime, toy_fresh(0), asked));
  OK(sc_guest_address(&address, guest, 0));
  CHECK(sc_address_same_host(&address, &asked) && address.port != 0);
  FAILS(SC_ERR_ARGUMENT, sc_guest_address(&address, guest, 1));
done:
  sc_runtime_free(runtime);
}

static void the_number_of_addresses_is_limited(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *guest = NULL;
  sc_address addresses[SC_GUEST_MAX_SOCKETS + 1];
  for (size_t i = 0; i <= SC_GUEST_MAX_SOCKETS; i++)
    addresses[i] = loopback_v4(0);
  sc_guest_options options = {.driven = toy_driven(toy_fresh(0)), .addresses = addresses};
  OK(sc_runtime_new(&runtime, t->env, NULL));
  FAILS(SC_ERR_ARGUMENT, sc_guest_new(&guest, runtime, &options));
  options.address_count = SC_GUEST_MAX_SOCKETS + 1;
  FAILS(SC_ERR_ARGUMENT, sc_guest_new(&guest, runtime, &options));
  options.address_count = SC_GUEST_MAX_SOCKETS;
  OK(sc_guest_new(&guest, runtime, &options));
done:
  sc_runtime_free(runtime);
}

/* A descriptor that is free before and after was closed in between. */
static int next_descriptor(void) {
  int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(fd);
  return fd;
}

static void a_refused_address_leaves_no_socket_open(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *first = NULL, *second = NULL;
  OK(sc_runtime_new(&runtime, t->env, NULL));
  OK(toy_host(&first, runtime, toy_fresh(0), loopback_v4(0)));
  sc_address addresses[] = {loopback_v4(0), toy_address(first)};
  const sc_guest_options options = {
      .driven = toy_driven(toy_fresh(1)), .addresses = addresses, .address_count = 2};
  int before = next_descriptor();
  FAILS(SC_ERR_SOCKET_IN_USE, sc_guest_new(&second, runtime, &options));
  CHECK(second == NULL && next_descriptor() == before);
done:
  sc_runtime_free(runtime);
}

static void the_number_of_guests_is_limited(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *guest = NULL, *last = NULL;
  toy *self = toy_fresh(0);
  if (t->torture)
    SKIP("an allocation a guest");
  OK(sc_runtime_new(&runtime, t->env, NULL));
  for (int i = 0; i < SC_RUNTIME_MAX_GUESTS; i++)
    OK(toy_host(&last, runtime, self, loopback_v4(0)));
  FAILS(SC_ERR_RUNTIME_FULL, toy_host(&guest, runtime, self, loopback_v4(0)));
  sc_guest_free(last);
  OK(toy_host(&guest, runtime, self, loopback_v4(0)));
done:
  sc_runtime_free(runtime);
}

static void a_freed_guest_is_no_longer_called(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *a = NULL, *b = NULL;
  toy *from = toy_fresh(0), *to = toy_fresh(1);
  OK(sc_runtime_new(&runtime, t->env, NULL));
  OK(toy_host(&a, runtime, from, loopback_v4(0)));
  OK(toy_host(&b, runtime, to, loopback_v4(0)));
  toy_send_to(from, b, 1, 1);
  sc_guest_free(b);
  OK(sc_runtime_step(runtime, false));
  OK(sc_runtime_stop(runtime, 0));
  CHECK(to->received.value == 0 && to->sends == 0 && to->closes == 0 && from->closes == 1);
done:
  sc_runtime_free(runtime);
}

typedef struct leaver {
  sc_guest *guest;
  size_t frees;
} leaver;

static void leave(void *user) {
  leaver *self = user;
  sc_guest_free(self->guest);
  self->frees++;
}

/* Freed in the middle of a turn that still had input and output for it. */
static void a_guest_may_be_freed_while_it_receives(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *a = NULL;
  toy *from = toy_fresh(0), *to = toy_fresh(1);
  leaver self = {0};
  OK(sc_runtime_new(&runtime, t->env, NULL));
  OK(toy_host(&a, runtime, from, loopback_v4(0)));
  const sc_address two[] = {loopback_v4(0), loopback_v4(0)};
  const sc_guest_options options = {.driven = toy_driven(to), .addresses = two, .address_count = 2};
  OK(sc_guest_new(&self.guest, runtime, &options));
  to->echo = true;
  to->on_receive = leave;
  to->user = &self;
  for (size_t i = 0; i < 2; i++) {
    sc_address peer;
    OK(sc_guest_address(&peer, self.guest, i));
    const sc_datagrams run = loopback_run(&peer, (const uint8_t *)"x", 1, 1);
    toy_queue(from, &run);
  }
  CHECK(toy_step_until(runtime, to, 1));
  OK(sc_runtime_step(runtime, false));
  CHECK(self.frees == 1 && to->received.value == 1 && to->sends == 0);
done:
  sc_runtime_free(runtime);
}

static void host_elsewhere(void *user, uint64_t now) {
  (void)now;
  toy_latch_add(user, 1);
}

static void other_threads_are_refused(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *guest = NULL;
  toy_latch latch = TOY_LATCH;
  OK(sc_runtime_new(&runtime, t->env, NULL));
  OK(sc_runtime_start(runtime));
  FAILS(SC_ERR_RUNTIME_THREAD, toy_host(&guest, runtime, toy_fresh(0), loopback_v4(0)));
  OK(sc_runtime_post(runtime, host_elsewhere, &latch));
  CHECK(toy_latch_wait(&latch, 1));
  OK(sc_runtime_stop(runtime, 0));
  FAILS(SC_ERR_STATE, toy_host(&guest, runtime, toy_fresh(0), loopback_v4(0)));
done:
  sc_runtime_free(runtime);
}

SUITE(runtime_guest, "runtime/guest",
      {"a guest has its requested addresses", a_guest_has_its_requested_addresses},
      {"the number of addresses is limited", the_number_of_addresses_is_limited},
      {"a refused address leaves no socket open", a_refused_address_leaves_no_socket_open},
      {"the number of guests is limited", the_number_of_guests_is_limited},
      {"a freed guest is no longer called", a_freed_guest_is_no_longer_called},
      {"a guest may be freed while it receives", a_guest_may_be_freed_while_it_receives},
      {"other threads are refused", other_threads_are_refused});
