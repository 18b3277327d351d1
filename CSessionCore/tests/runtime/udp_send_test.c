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

static sc_status open_with_content(udp_pair *pair, sc_buffer *content, const sc_env *env,
                                   sc_runtime_options options) {
  sc_buffer_init(content, env);
  sc_status status = udp_pair_open_v4(pair, env, options);
  return status == SC_OK ? sc_test_content(content, content_bytes) : status;
}

static void a_run_arrives_whole(sc_test *t) {
  const sc_runtime_options ways[] = {usual, one_by_one, {.no_segmentation = true}, {.no_coalescing = true}};
  udp_pair pair;
  sc_buffer content;
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    OK(open_with_content(&pair, &content, t->env, ways[i]));
    sc_datagrams runs[] = {udp_pair_run(&pair, content.ptr, 59 * 1000 + 10, 1000)};
    CHECK(sc_udp_send(&pair.from, runs, 1, &pair.tally) == 1);
    CHECK(udp_pair_receive(&pair, 60));
    SAME(sc_bytes_make(content.ptr, 59 * 1000 + 10), sc_buffer_bytes(&pair.got));
    CHECK(pair.tally.sent == 60 && pair.tally.sent_bytes == 59 * 1000 + 10);
    bool one_call = pair.from.segmentation || ways[i].no_segmentation;
    CHECK(one_call && pair.tally.send_calls == 1);
    CHECK(pair.tally.segmentation_off == 0);
    udp_pair_close(&pair);
    sc_buffer_free(&content);
  }
  return;
done:
  udp_pair_close(&pair);
  sc_buffer_free(&content);
}

/* Runs of every shape, more than fit one call of the system. */
static size_t many_runs(sc_datagrams *runs, size_t count, const udp_pair *pair, const sc_buffer *content) {
  size_t at = 0;
  for (size_t i = 0; i < count; i++) {
    size_t len = 1 + 7 * (i % 40);
    uint16_t segment = i % 3 == 0 ? 0 : (uint16_t)(1 + i % 100);
    runs[i] = udp_pair_run(pair, content->ptr + at, len, segment);
    at += len;
  }
  return at;
}

static void many_runs_arrive_in_order(sc_test *t) {
  const sc_runtime_options ways[] = {usual, one_by_one};
  enum { run_count = 150 };
  udp_pair pair;
  sc_buffer content;
  for (size_t i = 0; i < 2; i++) {
    OK(open_with_content(&pair, &content, t->env, ways[i]));
    sc_datagrams runs[run_count];
    size_t sum = many_runs(runs, run_count, &pair, &content);
    faulty_send_at_most(5);
    CHECK(sc_udp_send(&pair.from, runs, run_count, &pair.tally) == run_count);
    CHECK(pair.tally.sent_bytes == sum && pair.tally.send_lost == 0);
    CHECK(udp_pair_receive(&pair, (size_t)pair.tally.sent));
    SAME(sc_bytes_make(content.ptr, sum), sc_buffer_bytes(&pair.got));
    udp_pair_close(&pair);
    sc_buffer_free(&content);
  }
  return;
done:
  udp_pair_close(&pair);
  sc_buffer_free(&content);
}

/* A full socket leaves what is left of the run it stopped in. */
static void a_full_socket_is_gone_on_with_later(sc_test *t) {
  const sc_runtime_options ways[] = {usual, one_by_one};
  udp_pair pair;
  sc_buffer content;
  for (size_t i = 0; i < 2; i++) {
    OK(open_with_content(&pair, &content, t->env, ways[i]));
    sc_datagrams runs[] = {udp_pair_run(&pair, content.ptr, 300, 100),
                           udp_pair_run(&pair, content.ptr + 300, 5000, 1000)};
    faulty_send_at_most(i == 0 ? 1 : 4);
    faulty_send_after(1, 1, EAGAIN);
    CHECK(sc_udp_send(&pair.from, runs, 2, &pair.tally) == 1);
    CHECK(pair.tally.send_blocked == 1);
    CHECK(runs[1].bytes.len == (i == 0 ? 5000 : 4000));
    CHECK(sc_udp_send(&pair.from, runs + 1, 1, &pair.tally) == 1);
    CHECK(udp_pair_receive(&pair, 8));
    SAME(sc_bytes_make(content.ptr, 5300), sc_buffer_bytes(&pair.got));
    udp_pair_close(&pair);
    sc_buffer_free(&content);
  }
  return;
done:
  udp_pair_close(&pair);
  sc_buffer_free(&content);
}

/* More segments than any kernel cuts: each way of refusing them must do. */
static void segmentation_that_does_not_work_is_given_up(sc_test *t) {
  static const int errors[] = {0, EIO, EINVAL};
  udp_pair pair;
  sc_buffer content;
  for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
    OK(open_with_content(&pair, &content, t->env, usual));
    if (!pair.from.segmentation)
      SKIP("this kernel has no segmented sends");
    size_t len = errors[i] == 0 ? 3000 : 300;
    sc_datagrams runs[] = {udp_pair_run(&pair, content.ptr, len, 10),
                           udp_pair_run(&pair, content.ptr + len, 300, 100)};
    faulty_send_after(0, errors[i] != 0, errors[i]);
    CHECK(sc_udp_send(&pair.from, runs, 2, &pair.tally) == 2);
    CHECK(!pair.from.segmentation && pair.tally.segmentation_off == 1);
    CHECK(pair.tally.send_lost == 0);
    CHECK(udp_pair_receive(&pair, len / 10 + 3));
    SAME(sc_bytes_make(content.ptr, len + 300), sc_buffer_bytes(&pair.got));
    udp_pair_close(&pair);
    sc_buffer_free(&content);
  }
  return;
done:
  udp_pair_close(&pair);
  sc_buffer_free(&content);
}

/* When the parts are refused too, their size is at fault, and segmentation is kept. */
static void datagrams_too_large_for_the_way_are_lost_alone(sc_test *t) {
  udp_pair pair;
  sc_buffer content;
  OK(open_with_content(&pair, &content, t->env, usual));
  if (!pair.from.segmentation)
    SKIP("this kernel has no segmented sends");
  sc_datagrams runs[] = {udp_pair_run(&pair, content.ptr, 2500, 1000),
                         udp_pair_run(&pair, content.ptr + 2500, 300, 100)};
  faulty_send_after(0, 3, EMSGSIZE);
  CHECK(sc_udp_send(&pair.from, runs, 2, &pair.tally) == 2);
  CHECK(pair.from.segmentation && pair.tally.segmentation_off == 0);
  CHECK(pair.tally.send_too_large == 2 && pair.tally.sent == 4);
  CHECK(udp_pair_receive(&pair, 4));
  SAME(sc_bytes_make(content.ptr + 2000, 800), sc_buffer_bytes(&pair.got));
done:
  udp_pair_close(&pair);
  sc_buffer_free(&content);
}

static void a_datagram_larger_than_udp_takes_is_lost(sc_test *t) {
  udp_pair pair;
  sc_buffer content;
  OK(open_with_content(&pair, &content, t->env, usual));
  OK(sc_test_content(&content, 65535));
  sc_datagrams runs[] = {udp_pair_run(&pair, content.ptr, 65535, 65535),
                         udp_pair_run(&pair, content.ptr, 5, 5)};
  CHECK(sc_udp_send(&pair.from, runs, 2, &pair.tally) == 2);
  CHECK(pair.tally.send_too_large == 1 && pair.tally.sent == 1);
  CHECK(udp_pair_receive(&pair, 1));
done:
  udp_pair_close(&pair);
  sc_buffer_free(&content);
}

static void what_the_system_refuses_is_lost_alone(sc_test *t) {
  static const struct {
    int error;
    size_t times;
    size_t lost;
    size_t unreachable;
  } cases[] = {
      {ENOBUFS, 1, 1, 0},      {EPERM, 1, 1, 0},        {ENETUNREACH, 1, 1, 1}, {EHOSTUNREACH, 1, 1, 1},
      {ECONNREFUSED, 1, 0, 1}, {ECONNREFUSED, 3, 1, 3}, {EINTR, 1, 0, 0},
  };
  udp_pair pair;
  sc_buffer content;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    OK(open_with_content(&pair, &content, t->env, usual));
    sc_datagrams runs[] = {udp_pair_run(&pair, content.ptr, 100, 100),
                           udp_pair_run(&pair, content.ptr + 100, 100, 0)};
    faulty_send_after(0, cases[i].times, cases[i].error);
    CHECK(sc_udp_send(&pair.from, runs, 2, &pair.tally) == 2);
    CHECK(pair.tally.send_lost == cases[i].lost && pair.tally.unreachable == cases[i].unreachable);
    CHECK(pair.tally.sent == 2 - cases[i].lost);
    CHECK(udp_pair_receive(&pair, 2 - cases[i].lost));
    udp_pair_close(&pair);
    sc_buffer_free(&content);
  }
  return;
done:
  udp_pair_close(&pair);
  sc_buffer_free(&content);
}

/* A connected socket is told what became of its datagrams. */
static void reports_about_earlier_datagrams_lose_nothing(sc_test *t) {
  udp_pair pair;
  sc_buffer content;
  OK(open_with_content(&pair, &content, t->env, usual));
  sc_socket_address peer;
  socklen_t len = sc_socket_address_make(&peer, &pair.to.local, AF_INET);
  CHECK(connect(pair.from.fd, &peer.any, len) == 0);
  sc_udp_close(&pair.to);
  for (int i = 0; i < 2; i++) {
    sc_datagrams runs[] = {udp_pair_run(&pair, content.ptr, 10, 10)};
    CHECK(sc_udp_send(&pair.from, runs, 1, &pair.tally) == 1);
  }
  CHECK(pair.tally.sent == 2 && pair.tally.send_lost == 0 && pair.tally.unreachable == 1);
  const sc_datagrams *runs;
  CHECK(sc_udp_receive(&runs, pair.inbox, &pair.from, &pair.tally) == 0);
  CHECK(pair.tally.unreachable == 2);
done:
  udp_pair_close(&pair);
  sc_buffer_free(&content);
}

static void what_has_no_way_out_is_lost(sc_test *t) {
  udp_pair pair;
  sc_buffer content;
  OK(open_with_content(&pair, &content, t->env, usual));
  sc_address v6 = loopback_v6(9);
  sc_datagrams runs[] = {loopback_run(&v6, content.ptr, 10, 10), udp_pair_run(&pair, content.ptr, 0, 0),
                         udp_pair_run(&pair, content.ptr, 7, 0)};
  CHECK(sc_udp_send(&pair.from, runs, 3, &pair.tally) == 3);
  CHECK(pair.tally.send_lost == 1 && pair.tally.sent == 1);
  CHECK(udp_pair_receive(&pair, 1));
done:
  udp_pair_close(&pair);
  sc_buffer_free(&content);
}

SUITE(runtime_udp_send, "runtime/udp_send", {"a run arrives whole", a_run_arrives_whole},
      {"many runs arrive in order", many_runs_arrive_in_order},
      {"a full socket is gone on with later", a_full_socket_is_gone_on_with_later},
      {"segmentation that does not work is given up", segmentation_that_does_not_work_is_given_up},
      {"datagrams too large for the way are lost alone", datagrams_too_large_for_the_way_are_lost_alone},
      {"a datagram larger than UDP takes is lost", a_datagram_larger_than_udp_takes_is_lost},
      {"what the system refuses is lost alone", what_the_system_refuses_is_lost_alone},
      {"reports about earlier datagrams lose nothing", reports_about_earlier_datagrams_lose_nothing},
      {"what has no way out is lost", what_has_no_way_out_is_lost});
