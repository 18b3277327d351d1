#include "runtime/udp_send.h"

#include <errno.h>
#include <netinet/in.h>

#include "faulty_send.h"
#include "runtime/socket_address.h"
#include "support/pieces.h"
#include "udp_pair.h"

static const sc_runtime_options usual = {0};
static const sc_runtime_options one_by_one = {.no_segmentation = true, .no_coalescing = true};

enum { content_bytes = 60 * 1000 };

/* Two sockets, and content to send from one to the other. */
typedef struct sending {
  udp_pair pair;
  sc_buffer content;
} sending;

static sc_status open_sending(sending *s, const sc_env *env, sc_runtime_options options) {
  sc_buffer_init(&s->content, env);
  sc_status status = udp_pair_open_v4(&s->pair, env, options);
  return status == SC_OK ? sc_test_content(&s->content, content_bytes) : status;
}

static void close_sending(sending *s) {
  udp_pair_close(&s->pair);
  sc_buffer_free(&s->content);
}

/* A run of the content from `at` on. */
static sc_datagrams run_of(const sending *s, size_t at, size_t len, uint16_t segment) {
  return udp_pair_run(&s->pair, s->content.ptr + at, len, segment);
}

static size_t send_all(sending *s, sc_datagrams *runs, size_t count) {
  return sc_udp_send(&s->pair.from, runs, count, &s->pair.tally);
}

/* This many datagrams arrive, with the content from `from` to `to`. */
static bool arrives(sending *s, size_t datagrams, size_t from, size_t to) {
  return udp_pair_receive(&s->pair, datagrams) &&
         sc_bytes_same(sc_bytes_make(s->content.ptr + from, to - from), sc_buffer_bytes(&s->pair.got));
}

static void check_run(sc_test *t, sc_runtime_options way) {
  sending s;
  const sc_tally *tally = &s.pair.tally;
  OK(open_sending(&s, t->env, way));
  sc_datagrams runs[] = {run_of(&s, 0, 59 * 1000 + 10, 1000)};
  CHECK(send_all(&s, runs, 1) == 1);
  CHECK(arrives(&s, 60, 0, 59 * 1000 + 10));
  CHECK(tally->sent == 60 && tally->sent_bytes == 59 * 1000 + 10);
  CHECK(s.pair.from.segmentation || way.no_segmentation);
  CHECK(tally->send_calls == 1 && tally->segmentation_off == 0);
done:
  close_sending(&s);
}

static void a_run_of_datagrams_arrives_complete(sc_test *t) {
  check_run(t, usual);
  check_run(t, one_by_one);
  check_run(t, (sc_runtime_options){.no_segmentation = true});
  check_run(t, (sc_runtime_options){.no_coalescing = true});
}

/* Runs of every shape, more than fit one system call. */
static size_t many_runs(sc_datagrams *runs, size_t count, const sending *s) {
  size_t at = 0;
  for (size_t i = 0; i < count; i++) {
    size_t len = 1 + 7 * (i % 40);
    uint16_t segment = i % 3 == 0 ? 0 : (uint16_t)(1 + i % 100);
    runs[i] = run_of(s, at, len, segment);
    at += len;
  }
  return at;
}

static void check_many_runs(sc_test *t, sc_runtime_options way) {
  enum { run_count = 150 };
  sending s;
  OK(open_sending(&s, t->env, way));
  sc_datagrams runs[run_count];
  size_t sum = many_runs(runs, run_count, &s);
  faulty_send_at_most(5);
  CHECK(send_all(&s, runs, run_count) == run_count);
  CHECK(s.pair.tally.sent_bytes == sum && s.pair.tally.send_lost == 0);
  CHECK(arrives(&s, (size_t)s.pair.tally.sent, 0, sum));
done:
  close_sending(&s);
}

static void many_runs_of_datagrams_arrive_in_order(sc_test *t) {
  check_many_runs(t, usual);
  check_many_runs(t, one_by_one);
}

/* After `taken` messages the socket is full until later. `left` is the rest of the second run. */
static void check_full_socket(sc_test *t, sc_runtime_options way, unsigned taken, size_t left) {
  sending s;
  OK(open_sending(&s, t->env, way));
  sc_datagrams runs[] = {run_of(&s, 0, 300, 100), run_of(&s, 300, 5000, 1000)};
  faulty_send_at_most(taken);
  faulty_send_after(1, 1, EAGAIN);
  CHECK(send_all(&s, runs, 2) == 1);
  CHECK(s.pair.tally.send_blocked == 1 && runs[1].bytes.len == left);
  CHECK(send_all(&s, runs + 1, 1) == 1);
  CHECK(arrives(&s, 8, 0, 5300));
done:
  close_sending(&s);
}

/* A full socket keeps the rest of the run it stopped in. */
static void sending_resumes_after_a_full_socket(sc_test *t) {
  check_full_socket(t, usual, 1, 5000);
  check_full_socket(t, one_by_one, 4, 4000);
}

static void check_refused_segmentation(sc_test *t, int error) {
  sending s;
  size_t len = error == 0 ? 3000 : 300; /* without an error, more segments than any kernel cuts */
  OK(open_sending(&s, t->env, usual));
  if (!s.pair.from.segmentation)
    SKIP("this kernel has no segmented sends");
  sc_datagrams runs[] = {run_of(&s, 0, len, 10), run_of(&s, len, 300, 100)};
  faulty_send_after(0, error != 0, error);
  CHECK(send_all(&s, runs, 2) == 2);
  CHECK(!s.pair.from.segmentation && s.pair.tally.segmentation_off == 1 && s.pair.tally.send_lost == 0);
  CHECK(arrives(&s, len / 10 + 3, 0, len + 300));
done:
  close_sending(&s);
}

/* Every error that refuses segmentation must be handled. */
static void failing_segmentation_is_turned_off(sc_test *t) {
  check_refused_segmentation(t, 0);
  check_refused_segmentation(t, EIO);
  check_refused_segmentation(t, EINVAL);
}

/* If the parts are refused too, their size is to blame, and segmentation is kept. */
static void only_datagrams_over_the_path_mtu_are_lost(sc_test *t) {
  sending s;
  OK(open_sending(&s, t->env, usual));
  if (!s.pair.from.segmentation)
    SKIP("this kernel has no segmented sends");
  sc_datagrams runs[] = {run_of(&s, 0, 2500, 1000), run_of(&s, 2500, 300, 100)};
  faulty_send_after(0, 3, EMSGSIZE);
  CHECK(send_all(&s, runs, 2) == 2);
  CHECK(s.pair.from.segmentation && s.pair.tally.segmentation_off == 0);
  CHECK(s.pair.tally.send_too_large == 2 && s.pair.tally.sent == 4);
  CHECK(arrives(&s, 4, 2000, 2800));
done:
  close_sending(&s);
}

static void a_datagram_over_the_udp_limit_is_lost(sc_test *t) {
  sending s;
  OK(open_sending(&s, t->env, usual));
  OK(sc_test_content(&s.content, 65535));
  sc_datagrams runs[] = {run_of(&s, 0, 65535, 65535), run_of(&s, 0, 5, 5)};
  CHECK(send_all(&s, runs, 2) == 2);
  CHECK(s.pair.tally.send_too_large == 1 && s.pair.tally.sent == 1);
  CHECK(arrives(&s, 1, 0, 5));
done:
  close_sending(&s);
}

/* A system error, repeated this often, and the result for two datagrams. */
typedef struct refusal {
  int error;
  size_t times;
  size_t lost;
  size_t unreachable;
} refusal;

static void check_refusal(sc_test *t, const refusal *refused) {
  sending s;
  OK(open_sending(&s, t->env, usual));
  sc_datagrams runs[] = {run_of(&s, 0, 100, 100), run_of(&s, 100, 100, 0)};
  faulty_send_after(0, refused->times, refused->error);
  CHECK(send_all(&s, runs, 2) == 2);
  CHECK(s.pair.tally.send_lost == refused->lost && s.pair.tally.unreachable == refused->unreachable);
  CHECK(s.pair.tally.sent == 2 - refused->lost);
  CHECK(arrives(&s, 2 - refused->lost, 100 * refused->lost, 200));
done:
  close_sending(&s);
}

static void only_refused_datagrams_are_lost(sc_test *t) {
  static const refusal cases[] = {
      {ENOBUFS, 1, 1, 0},      {EPERM, 1, 1, 0},        {ENETUNREACH, 1, 1, 1}, {EHOSTUNREACH, 1, 1, 1},
      {ECONNREFUSED, 1, 0, 1}, {ECONNREFUSED, 3, 1, 3}, {EINTR, 1, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    check_refusal(t, &cases[i]);
}

/* A connected socket gets error reports about its datagrams. */
static void error_reports_for_earlier_datagrams_lose_nothing(sc_test *t) {
  sending s;
  udp_pair *pair = &s.pair;
  OK(open_sending(&s, t->env, usual));
  sc_socket_address peer;
  socklen_t len = sc_socket_address_make(&peer, &pair->to.local, AF_INET);
  CHECK(connect(pair->from.fd, &peer.any, len) == 0);
  sc_udp_close(&pair->to);
  for (int i = 0; i < 2; i++) {
    sc_datagrams runs[] = {run_of(&s, 0, 10, 10)};
    CHECK(send_all(&s, runs, 1) == 1);
  }
  CHECK(pair->tally.sent == 2 && pair->tally.send_lost == 0 && pair->tally.unreachable == 1);
  const sc_datagrams *runs;
  CHECK(sc_udp_receive(&runs, pair->inbox, &pair->from, &pair->tally) == 0);
  CHECK(pair->tally.unreachable == 2);
done:
  close_sending(&s);
}

static void a_datagram_without_a_route_is_lost(sc_test *t) {
  sending s;
  OK(open_sending(&s, t->env, usual));
  sc_address v6 = loopback_v6(9);
  sc_datagrams runs[] = {loopback_run(&v6, s.content.ptr, 10, 10), run_of(&s, 0, 0, 0), run_of(&s, 0, 7, 0)};
  CHECK(send_all(&s, runs, 3) == 3);
  CHECK(s.pair.tally.send_lost == 1 && s.pair.tally.sent == 1);
  CHECK(arrives(&s, 1, 0, 7));
done:
  close_sending(&s);
}

SUITE(runtime_udp_send, "runtime/udp_send",
      {"a run of datagrams arrives complete", a_run_of_datagrams_arrives_complete},
      {"many runs of datagrams arrive in order", many_runs_of_datagrams_arrive_in_order},
      {"sending resumes after a full socket", sending_resumes_after_a_full_socket},
      {"failing segmentation is turned off", failing_segmentation_is_turned_off},
      {"only datagrams over the path MTU are lost", only_datagrams_over_the_path_mtu_are_lost},
      {"a datagram over the UDP limit is lost", a_datagram_over_the_udp_limit_is_lost},
      {"only refused datagrams are lost", only_refused_datagrams_are_lost},
      {"error reports for earlier datagrams lose nothing", error_reports_for_earlier_datagrams_lose_nothing},
      {"a datagram without a route is lost", a_datagram_without_a_route_is_lost});
