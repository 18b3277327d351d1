#include "wire.h"

#include "support/test.h"

/* Two hosts; the second replies to calls unless silenced. */
typedef struct pair {
  agenda agenda;
  wire wire;
  wire_host a, b;
  bool silent;
  bool is_error;
  size_t asked;
  size_t done;
  wire_outcome outcome;
  size_t body_len;
  wire_call last;
} pair;

static void handle(void *user, const wire_request *request) {
  pair *p = user;
  p->asked++;
  p->last = request->call;
  if (!p->silent)
    wire_answer_blob(&p->wire, request->call, p->is_error, request->body);
}

static void done_with(void *user, const wire_reply *reply) {
  pair *p = user;
  p->done++;
  p->outcome = reply->outcome;
  p->body_len = blob_bytes(reply->body).len;
}

static void pair_init(pair *p) {
  *p = (pair){0};
  agenda_init(&p->agenda);
  wire_init(&p->wire, &p->agenda, 1);
  p->a = wire_add(&p->wire, handle, p);
  p->b = wire_add(&p->wire, handle, p);
}

static void pair_free(pair *p) {
  wire_free(&p->wire);
  agenda_free(&p->agenda);
}

static wire_call send_request(pair *p, uint32_t life) {
  blob *body = blob_make(sc_bytes_text("hello"));
  const wire_call_options options = {.from = p->a,
                                     .to = p->b,
                                     .life = life,
                                     .command = "x",
                                     .body = body,
                                     .timeout = 10 * SIM_SECOND,
                                     .done = done_with,
                                     .user = p};
  wire_call call = wire_begin_call(&p->wire, &options);
  blob_drop(body);
  return call;
}

static void pass(pair *p, uint64_t seconds) {
  uint64_t until = p->agenda.now + seconds * SIM_SECOND;
  while (agenda_step(&p->agenda, until))
    continue;
}

static void a_reply_ends_a_call_once(sc_test *t) {
  pair p;
  pair_init(&p);
  (void)send_request(&p, 0);
  CHECK(p.done == 0);
  pass(&p, 20);
  CHECK(p.asked == 1 && p.done == 1 && p.outcome == WIRE_ANSWERED && p.body_len == 5);
  wire_answer(&p.wire, p.last, false, sc_bytes_text("again"));
  pass(&p, 20);
  CHECK(p.done == 1 && p.wire.open == 0);
  p.is_error = true;
  (void)send_request(&p, 0);
  pass(&p, 20);
  CHECK(p.done == 2 && p.outcome == WIRE_FAILED);
done:
  pair_free(&p);
}

static void a_dead_host_cannot_be_reached(sc_test *t) {
  pair p;
  pair_init(&p);
  wire_kill(&p.wire, p.b);
  (void)send_request(&p, 0);
  pass(&p, 2);
  CHECK(p.done == 0);
  pass(&p, 2);
  CHECK(p.done == 1 && p.outcome == WIRE_UNREACHABLE && p.asked == 0);
  (void)send_request(&p, 0);
  pass(&p, 1);
  wire_revive(&p.wire, p.b);
  pass(&p, 5);
  CHECK(p.done == 2 && p.outcome == WIRE_ANSWERED);
done:
  pair_free(&p);
}

static void silence_times_out(sc_test *t) {
  pair p;
  pair_init(&p);
  p.silent = true;
  (void)send_request(&p, 0);
  pass(&p, 9);
  CHECK(p.asked == 1 && p.done == 0);
  pass(&p, 2);
  CHECK(p.done == 1 && p.outcome == WIRE_TIMED_OUT);
  wire_answer(&p.wire, p.last, false, sc_bytes_text("late"));
  pass(&p, 5);
  CHECK(p.done == 1);
done:
  pair_free(&p);
}

static void a_restarted_host_is_a_different_host(sc_test *t) {
  pair p;
  pair_init(&p);
  wire_kill(&p.wire, p.b);
  wire_revive(&p.wire, p.b);
  (void)send_request(&p, 1);
  pass(&p, 5);
  CHECK(p.done == 1 && p.outcome == WIRE_RESET && p.asked == 0);
  (void)send_request(&p, 2);
  pass(&p, 5);
  CHECK(p.done == 2 && p.outcome == WIRE_ANSWERED);
done:
  pair_free(&p);
}

/* Nor does a restarted host reply to earlier calls. */
static void a_caller_that_died_is_notified(sc_test *t) {
  pair p;
  pair_init(&p);
  p.silent = true;
  (void)send_request(&p, 0);
  pass(&p, 1);
  wire_kill(&p.wire, p.a);
  pass(&p, 20);
  CHECK(p.done == 1 && p.outcome == WIRE_GONE && p.wire.open == 0);
  wire_revive(&p.wire, p.a);
  (void)send_request(&p, 0);
  pass(&p, 1);
  wire_kill(&p.wire, p.b);
  wire_revive(&p.wire, p.b);
  wire_answer(&p.wire, p.last, false, sc_bytes_text("by somebody else"));
  pass(&p, 20);
  CHECK(p.done == 2 && p.outcome == WIRE_TIMED_OUT);
done:
  pair_free(&p);
}

static void lost_messages_are_resent(sc_test *t) {
  pair p;
  pair_init(&p);
  p.wire.ends[p.b].link.lost = 400;
  for (int i = 0; i < 50; i++)
    (void)send_request(&p, 0);
  pass(&p, 30);
  CHECK(p.done == 50 && p.asked >= 40 && p.asked <= 50);
done:
  pair_free(&p);
}

static void a_forgotten_call_is_not_notified(sc_test *t) {
  pair p;
  pair_init(&p);
  wire_call call = send_request(&p, 0);
  wire_forget(&p.wire, call);
  pass(&p, 20);
  CHECK(p.done == 0 && p.asked == 0 && p.wire.open == 0);
done:
  pair_free(&p);
}

SUITE(sim_wire, "sim/wire", {"a reply ends a call once", a_reply_ends_a_call_once},
      {"a dead host cannot be reached", a_dead_host_cannot_be_reached},
      {"silence times out", silence_times_out},
      {"a restarted host is a different host", a_restarted_host_is_a_different_host},
      {"a caller that died is notified", a_caller_that_died_is_notified},
      {"lost messages are resent", lost_messages_are_resent},
      {"a forgotten call is not notified", a_forgotten_call_is_not_notified});
