#include <stdlib.h>

#include "toy.h"

static void count_command(void *user, uint64_t now) {
  (void)now;
  toy_latch_add(user, 1);
}

static void a_runtime_starts_runs_and_stops(sc_test *t) {
  sc_runtime *runtime = NULL;
  toy_latch ran = TOY_LATCH;
  OK(sc_runtime_new(&runtime, t->env, NULL));
  OK(sc_runtime_start(runtime));
  FAILS(SC_ERR_STATE, sc_runtime_start(runtime));
  FAILS(SC_ERR_STATE, sc_runtime_step(runtime, false));
  OK(sc_runtime_post(runtime, count_command, &ran));
  CHECK(toy_latch_wait(&ran, 1));
  OK(sc_runtime_stop(runtime, 0));
  FAILS(SC_ERR_RUNTIME_STOPPED, sc_runtime_post(runtime, count_command, &ran));
  FAILS(SC_ERR_STATE, sc_runtime_step(runtime, false));
  FAILS(SC_ERR_STATE, sc_runtime_start(runtime));
  OK(sc_runtime_stop(runtime, 0));
  CHECK(ran.value == 1);
done:
  sc_runtime_free(runtime);
}

static void freeing_runs_pending_commands(sc_test *t) {
  sc_runtime *runtime = NULL;
  toy_latch ran = TOY_LATCH;
  OK(sc_runtime_new(&runtime, t->env, NULL));
  for (int i = 0; i < 3 * SC_RUNTIME_COMMANDS_PER_TURN; i++)
    OK(sc_runtime_post(runtime, count_command, &ran));
  sc_runtime_free(runtime);
  CHECK(ran.value == 3 * SC_RUNTIME_COMMANDS_PER_TURN);
  return;
done:
  sc_runtime_free(runtime);
}

static void an_idle_runtime_never_wakes(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *guest = NULL;
  toy_latch ran = TOY_LATCH;
  toy *self = toy_fresh(0);
  OK(sc_runtime_new(&runtime, t->env, NULL));
  OK(toy_host(&guest, runtime, self, loopback_v4(0)));
  OK(sc_runtime_start(runtime));
  /* Long enough for a polling loop to turn many times; the runtime must only run the command. */
  poll(NULL, 0, 50);
  OK(sc_runtime_post(runtime, count_command, &ran));
  CHECK(toy_latch_wait(&ran, 1));
  OK(sc_runtime_stop(runtime, 0));
  sc_runtime_counts counts = toy_counts(runtime);
  CHECK(counts.wakes == 1 && counts.idle_wakes <= 1); /* the second for stopping */
done:
  sc_runtime_free(runtime);
}

enum { poster_count = 4, posts_each = 5000 };

typedef struct poster {
  sc_runtime *runtime;
  toy_latch *taken; /* accepted posts */
  uint64_t *ran;    /* of the runtime's thread */
  uint64_t refused;
  bool wrong;
} poster;

static void count_on_thread(void *user, uint64_t now) {
  (void)now;
  ++*(uint64_t *)user;
}

/* Posts until enough posts were accepted or the runtime stops. */
static void *post_many(void *user) {
  poster *self = user;
  for (uint64_t taken = 0; taken < posts_each;) {
    sc_status status = sc_runtime_post(self->runtime, count_on_thread, self->ran);
    if (status == SC_OK) {
      taken++;
      toy_latch_add(self->taken, 1);
    } else if (status == SC_ERR_RUNTIME_BUSY) {
      self->refused++;
    } else {
      self->wrong = status != SC_ERR_RUNTIME_STOPPED;
      break;
    }
  }
  return NULL;
}

static void start_posters(pthread_t *threads, poster *posters, sc_runtime *runtime, toy_latch *taken,
                          uint64_t *ran) {
  for (size_t i = 0; i < poster_count; i++) {
    posters[i] = (poster){.runtime = runtime, .taken = taken, .ran = ran};
    if (pthread_create(&threads[i], NULL, post_many, &posters[i]) != 0)
      abort();
  }
}

static bool join_posters(pthread_t *threads, const poster *posters) {
  bool right = true;
  for (size_t i = 0; i < poster_count; i++) {
    pthread_join(threads[i], NULL);
    right = right && !posters[i].wrong;
  }
  return right;
}

static void every_command_runs_once(sc_test *t) {
  sc_runtime *runtime = NULL;
  toy_latch taken = TOY_LATCH;
  uint64_t ran = 0;
  pthread_t threads[poster_count];
  poster posters[poster_count];
  OK(sc_runtime_new(&runtime, t->env, NULL));
  OK(sc_runtime_start(runtime));
  start_posters(threads, posters, runtime, &taken, &ran);
  CHECK(join_posters(threads, posters));
  OK(sc_runtime_stop(runtime, 0));
  CHECK(ran == poster_count * posts_each && toy_counts(runtime).commands == ran);
done:
  sc_runtime_free(runtime);
}

static void stop_among_posts(sc_test *t) {
  sc_runtime *runtime = NULL;
  toy_latch taken = TOY_LATCH;
  uint64_t ran = 0;
  pthread_t threads[poster_count];
  poster posters[poster_count];
  OK(sc_runtime_new(&runtime, t->env, NULL));
  OK(sc_runtime_start(runtime));
  start_posters(threads, posters, runtime, &taken, &ran);
  bool some = toy_latch_wait(&taken, 100);
  sc_status status = sc_runtime_stop(runtime, 0);
  bool right = join_posters(threads, posters);
  OK(status);
  CHECK(some && right && ran == taken.value);
done:
  sc_runtime_free(runtime);
}

/* Every command accepted before the stop has run, and no other. Repeated, since it depends on which thread is
 * faster. */
static void stopping_during_posts_runs_accepted_commands(sc_test *t) {
  enum { rounds = 50 };
  for (int i = 0; i < (t->torture ? 1 : rounds) && !t->failed; i++)
    stop_among_posts(t);
}

typedef struct stopper {
  sc_runtime *runtime;
  sc_status status;
} stopper;

static void *stop_it(void *user) {
  stopper *self = user;
  self->status = sc_runtime_stop(self->runtime, 0);
  return NULL;
}

static void several_threads_may_stop_the_runtime(sc_test *t) {
  enum { count = 3 };
  sc_runtime *runtime = NULL;
  pthread_t threads[count];
  stopper stoppers[count];
  OK(sc_runtime_new(&runtime, t->env, NULL));
  OK(sc_runtime_start(runtime));
  for (size_t i = 0; i < count; i++) {
    stoppers[i] = (stopper){.runtime = runtime, .status = SC_ERR_STATE};
    CHECK(pthread_create(&threads[i], NULL, stop_it, &stoppers[i]) == 0);
  }
  for (size_t i = 0; i < count; i++) {
    pthread_join(threads[i], NULL);
    OK(stoppers[i].status);
  }
done:
  sc_runtime_free(runtime);
}

static void stop_inside(void *user, uint64_t now) {
  (void)now;
  stopper *self = user;
  self->status = sc_runtime_stop(self->runtime, 0);
}

static void the_runtime_cannot_stop_itself(sc_test *t) {
  sc_runtime *runtime = NULL;
  stopper self = {.status = SC_OK};
  OK(sc_runtime_new(&runtime, t->env, NULL));
  self.runtime = runtime;
  OK(sc_runtime_start(runtime));
  OK(sc_runtime_post(runtime, stop_inside, &self));
  OK(sc_runtime_stop(runtime, 0));
  CHECK(self.status == SC_ERR_RUNTIME_THREAD);
done:
  sc_runtime_free(runtime);
}

/* A guest that sends a datagram when it closes. */
static void say_goodbye(void *user, uint64_t now) {
  toy *self = user;
  toy_close(self, now);
  const sc_datagrams run = loopback_run(&self->endless_peer, (const uint8_t *)"bye", 3, 3);
  toy_queue(self, &run);
}

static void stopping_sends_the_closing_datagrams(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *guest = NULL;
  toy *self = toy_fresh(0);
  sc_udp_socket peer = {.fd = -1};
  sc_address address = loopback_v4(0);
  OK(sc_udp_open(&peer, &address, false, &(sc_runtime_options){0}));
  self->endless_peer = peer.local;
  OK(sc_runtime_new(&runtime, t->env, NULL));
  const sc_guest_options options = {.driven = toy_driven(self),
                                    .addresses = &address,
                                    .address_count = 1,
                                    .close = say_goodbye,
                                    .user = self};
  OK(sc_guest_new(&guest, runtime, &options));
  OK(sc_runtime_start(runtime));
  OK(sc_runtime_stop(runtime, 0));
  CHECK(self->closes == 1 && toy_counts(runtime).sent == 1);
  CHECK(loopback_readable(peer.fd));
done:
  sc_runtime_free(runtime);
  sc_udp_close(&peer);
}

static void close_when_heard(void *user) {
  ((toy *)user)->closed = true;
}

/* Closing needs a reply from the other guest, which is still driven meanwhile. */
static void stopping_waits_for_guests_to_close(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *guest = NULL, *other = NULL;
  toy *self = toy_fresh(0), *echo = toy_fresh(1);
  sc_address address = loopback_v4(0);
  echo->echo = true;
  self->closed = false;
  self->on_receive = close_when_heard;
  self->user = self;
  OK(sc_runtime_new(&runtime, t->env, NULL));
  OK(toy_host(&other, runtime, echo, address));
  self->endless_peer = toy_address(other);
  const sc_guest_options options = {.driven = toy_driven(self),
                                    .addresses = &address,
                                    .address_count = 1,
                                    .close = say_goodbye,
                                    .closed = toy_closed,
                                    .user = self};
  OK(sc_guest_new(&guest, runtime, &options));
  OK(sc_runtime_start(runtime));
  OK(sc_runtime_stop(runtime, SC_NEVER));
  CHECK(self->received.value == 1 && self->closed && self->closes == 1 && echo->closes == 1);
done:
  sc_runtime_free(runtime);
}

static void free_other(void *user, uint64_t now) {
  (void)now;
  sc_guest **other = user;
  sc_guest_free(*other);
  *other = NULL;
}

static void closing_may_free_another_guest(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *guest = NULL, *other = NULL;
  toy *self = toy_fresh(0), *freed = toy_fresh(1);
  sc_address address = loopback_v4(0);
  const sc_guest_options options = {.driven = toy_driven(self),
                                    .addresses = &address,
                                    .address_count = 1,
                                    .close = free_other,
                                    .user = &other};
  OK(sc_runtime_new(&runtime, t->env, NULL));
  OK(sc_guest_new(&guest, runtime, &options));
  OK(toy_host(&other, runtime, freed, address));
  OK(sc_runtime_stop(runtime, 0));
  CHECK(other == NULL && freed->closes == 0);
done:
  sc_runtime_free(runtime);
}

static void stopping_waits_no_longer_than_its_timeout(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *guest = NULL;
  toy *self = toy_fresh(0);
  self->closed = false;
  OK(sc_runtime_new(&runtime, t->env, NULL));
  OK(toy_host(&guest, runtime, self, loopback_v4(0)));
  OK(sc_runtime_start(runtime));
  uint64_t before = sc_clock_now();
  FAILS(SC_ERR_RUNTIME_GRACE, sc_runtime_stop(runtime, 5 * SC_NS_PER_MS));
  CHECK(sc_clock_now() - before >= 5 * SC_NS_PER_MS);
  FAILS(SC_ERR_RUNTIME_GRACE, sc_runtime_stop(runtime, 0));
  CHECK(self->closes == 1);
done:
  sc_runtime_free(runtime);
}

static void a_stepped_runtime_can_be_stopped(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *guest = NULL;
  toy *self = toy_fresh(0);
  toy_latch ran = TOY_LATCH;
  self->closed = false;
  OK(sc_runtime_new(&runtime, t->env, NULL));
  OK(toy_host(&guest, runtime, self, loopback_v4(0)));
  OK(sc_runtime_post(runtime, count_command, &ran));
  FAILS(SC_ERR_RUNTIME_GRACE, sc_runtime_stop(runtime, SC_NS_PER_MS));
  CHECK(self->closes == 1 && ran.value == 1);
done:
  sc_runtime_free(runtime);
}

/* Two guests that send each other datagrams without end. */
static void the_runtime_stops_under_load(sc_test *t) {
  sc_runtime *runtime = NULL;
  sc_guest *a = NULL, *b = NULL;
  toy *one = toy_fresh(0), *two = toy_fresh(1);
  one->echo = two->echo = true;
  OK(sc_runtime_new(&runtime, t->env, NULL));
  OK(toy_host(&a, runtime, one, loopback_v4(0)));
  OK(toy_host(&b, runtime, two, loopback_v4(0)));
  for (int i = 0; i < 20; i++)
    toy_send_to(one, b, 10000, 1000);
  OK(sc_runtime_start(runtime));
  CHECK(toy_latch_wait(&two->received, 2000));
  OK(sc_runtime_stop(runtime, SC_NS_PER_SECOND));
  CHECK(one->closes == 1 && two->closes == 1);
done:
  sc_runtime_free(runtime);
}

SUITE(runtime_life, "runtime/life", {"a runtime starts, runs and stops", a_runtime_starts_runs_and_stops},
      {"freeing runs pending commands", freeing_runs_pending_commands},
      {"an idle runtime never wakes", an_idle_runtime_never_wakes},
      {"every command runs once", every_command_runs_once},
      {"stopping during posts runs accepted commands", stopping_during_posts_runs_accepted_commands},
      {"several threads may stop the runtime", several_threads_may_stop_the_runtime},
      {"the runtime cannot stop itself", the_runtime_cannot_stop_itself},
      {"stopping sends the closing datagrams", stopping_sends_the_closing_datagrams},
      {"stopping waits for guests to close", stopping_waits_for_guests_to_close},
      {"closing may free another guest", closing_may_free_another_guest},
      {"stopping waits no longer than its timeout", stopping_waits_no_longer_than_its_timeout},
      {"a stepped runtime can be stopped", a_stepped_runtime_can_be_stopped},
      {"the runtime stops under load", the_runtime_stops_under_load});
