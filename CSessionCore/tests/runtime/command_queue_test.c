#include "runtime/command_queue.h"

#include "loopback.h"

static void nothing(void *user, uint64_t now) {
  (void)user;
  (void)now;
}

static void commands_come_out_in_order(sc_test *t) {
  sc_command_queue queue;
  OK(sc_command_queue_init(&queue, t->env));
  char marks[300];
  size_t posted = 0, seen = 0;
  /* Several times around the end of the ring, never empty and never full. */
  for (int round = 0; round < 60; round++) {
    for (int i = 0; i < 250; i++, posted++)
      CHECK(sc_command_queue_post(&queue, nothing, &marks[posted % 300]) == SC_OK);
    sc_queued_command out[249];
    CHECK(sc_command_queue_take(out, 249, &queue) == 249);
    for (size_t i = 0; i < 249; i++, seen++)
      CHECK(out[i].user == &marks[seen % 300] && out[i].run == nothing);
  }
  sc_command_queue_finish(&queue, t->env);
done:;
}

static void the_queue_is_readable_while_commands_wait(sc_test *t) {
  sc_command_queue queue;
  sc_queued_command out[4];
  OK(sc_command_queue_init(&queue, t->env));
  CHECK(loopback_quiet(queue.event));
  for (int i = 0; i < 3; i++)
    CHECK(sc_command_queue_post(&queue, nothing, NULL) == SC_OK);
  CHECK(loopback_readable(queue.event));
  CHECK(sc_command_queue_take(out, 2, &queue) == 2);
  CHECK(loopback_readable(queue.event));
  CHECK(sc_command_queue_take(out, 4, &queue) == 1);
  CHECK(loopback_quiet(queue.event));
  CHECK(sc_command_queue_take(out, 4, &queue) == 0);
  sc_command_queue_finish(&queue, t->env);
done:;
}

static void a_full_queue_refuses_and_recovers(sc_test *t) {
  sc_command_queue queue;
  sc_queued_command out[1];
  OK(sc_command_queue_init(&queue, t->env));
  for (int i = 0; i < SC_RUNTIME_MAX_COMMANDS; i++)
    CHECK(sc_command_queue_post(&queue, nothing, NULL) == SC_OK);
  FAILS(SC_ERR_RUNTIME_BUSY, sc_command_queue_post(&queue, nothing, NULL));
  CHECK(sc_command_queue_take(out, 1, &queue) == 1);
  OK(sc_command_queue_post(&queue, nothing, NULL));
  FAILS(SC_ERR_RUNTIME_BUSY, sc_command_queue_post(&queue, nothing, NULL));
  sc_command_queue_finish(&queue, t->env);
done:;
}

static void a_closed_queue_keeps_its_commands(sc_test *t) {
  sc_command_queue queue;
  sc_queued_command out[4];
  OK(sc_command_queue_init(&queue, t->env));
  OK(sc_command_queue_post(&queue, nothing, NULL));
  sc_command_queue_close(&queue);
  FAILS(SC_ERR_RUNTIME_STOPPED, sc_command_queue_post(&queue, nothing, NULL));
  CHECK(sc_command_queue_take(out, 4, &queue) == 1);
  CHECK(loopback_quiet(queue.event));
  sc_command_queue_finish(&queue, t->env);
done:;
}

static void closing_wakes_the_reader(sc_test *t) {
  sc_command_queue queue;
  OK(sc_command_queue_init(&queue, t->env));
  sc_command_queue_close(&queue);
  CHECK(loopback_readable(queue.event));
  sc_command_queue_finish(&queue, t->env);
done:;
}

SUITE(runtime_command_queue, "runtime/command_queue",
      {"commands come out in order", commands_come_out_in_order},
      {"the queue is readable while commands wait", the_queue_is_readable_while_commands_wait},
      {"a full queue refuses and recovers", a_full_queue_refuses_and_recovers},
      {"a closed queue keeps its commands", a_closed_queue_keeps_its_commands},
      {"closing wakes the reader", closing_wakes_the_reader});
