#include "runtime/udp_receive.h"

#include "runtime/socket_address.h"
#include "udp_pair.h"

static const sc_runtime_options usual = {0};
static const sc_runtime_options one_by_one = {.no_segmentation = true, .no_coalescing = true};

static const uint8_t zeros[SC_DATAGRAM_MAX_BYTES + 1];

static bool send_one(udp_pair *pair, sc_datagrams run) {
  return sc_udp_send(&pair->from, &run, 1, &pair->tally) == 1 && pair->tally.send_lost == 0;
}

static void a_datagram_has_its_source_address(sc_test *t) {
  udp_pair pair;
  OK(udp_pair_open_v4(&pair, t->env, usual));
  CHECK(send_one(&pair, udp_pair_run(&pair, zeros, 5, 5)));
  CHECK(udp_pair_receive(&pair, 1));
  CHECK(sc_address_same(&pair.last.peer, &pair.from.local));
  CHECK(sc_address_same(&pair.last.local, &pair.to.local));
  CHECK(pair.last.bytes.len == 5 && pair.last.segment == 5 && pair.last.ecn == 0);
done:
  udp_pair_close(&pair);
}

static void coalesced_datagrams_have_a_segment_size(sc_test *t) {
  udp_pair pair;
  OK(udp_pair_open_v4(&pair, t->env, usual));
  if (!pair.from.segmentation || !pair.to.coalescing)
    SKIP("this kernel does not join datagrams");
  CHECK(send_one(&pair, udp_pair_run(&pair, zeros, 1050, 100)));
  CHECK(udp_pair_receive(&pair, 11));
  CHECK(pair.tally.receive_calls == 1);
  CHECK(pair.last.bytes.len == 1050 && pair.last.segment == 100);
done:
  udp_pair_close(&pair);
}

static void datagrams_arrive_one_by_one_without_coalescing(sc_test *t) {
  udp_pair pair;
  OK(udp_pair_open_v4(&pair, t->env, one_by_one));
  CHECK(send_one(&pair, udp_pair_run(&pair, zeros, 650, 100)));
  CHECK(udp_pair_receive(&pair, 7));
  CHECK(pair.tally.receive_calls == 1);
  CHECK(pair.last.bytes.len == 50 && pair.last.segment == 50);
done:
  udp_pair_close(&pair);
}

static void one_call_reads_a_limited_number(sc_test *t) {
  udp_pair pair;
  OK(udp_pair_open_v4(&pair, t->env, one_by_one));
  for (int i = 0; i < SC_RUNTIME_MESSAGES_PER_TURN + 3; i++)
    CHECK(send_one(&pair, udp_pair_run(&pair, zeros, 1, 1)));
  const sc_datagrams *runs;
  CHECK(sc_udp_receive(&runs, pair.inbox, &pair.to, &pair.tally) == SC_RUNTIME_MESSAGES_PER_TURN);
  CHECK(sc_udp_receive(&runs, pair.inbox, &pair.to, &pair.tally) == 3);
  CHECK(sc_udp_receive(&runs, pair.inbox, &pair.to, &pair.tally) == 0);
  CHECK(pair.tally.received == SC_RUNTIME_MESSAGES_PER_TURN + 3 && pair.tally.receive_calls == 2);
done:
  udp_pair_close(&pair);
}

static void only_an_overlong_datagram_is_dropped(sc_test *t) {
  udp_pair pair;
  OK(udp_pair_open_v4(&pair, t->env, one_by_one));
  CHECK(send_one(&pair, udp_pair_run(&pair, zeros, SC_DATAGRAM_MAX_BYTES, 0)));
  CHECK(send_one(&pair, udp_pair_run(&pair, zeros, SC_DATAGRAM_MAX_BYTES + 1, 0)));
  CHECK(send_one(&pair, udp_pair_run(&pair, zeros, 3, 0)));
  const sc_datagrams *runs;
  CHECK(sc_udp_receive(&runs, pair.inbox, &pair.to, &pair.tally) == 2);
  CHECK(runs[0].bytes.len == SC_DATAGRAM_MAX_BYTES && runs[1].bytes.len == 3);
  CHECK(pair.tally.truncated == 1 && pair.tally.received == 2);
done:
  udp_pair_close(&pair);
}

static void an_empty_datagram_is_received(sc_test *t) {
  udp_pair pair;
  OK(udp_pair_open_v4(&pair, t->env, usual));
  sc_socket_address to;
  socklen_t len = sc_socket_address_make(&to, &pair.to.local, AF_INET);
  CHECK(sendto(pair.from.fd, "", 0, 0, &to.any, len) == 0);
  CHECK(udp_pair_receive(&pair, 1));
  CHECK(pair.last.bytes.len == 0);
done:
  udp_pair_close(&pair);
}

static bool tells_its_ecn(udp_pair *pair) {
  for (uint8_t ecn = 0; ecn <= 3; ecn++) {
    sc_datagrams run = udp_pair_run(pair, zeros, 1050, 100);
    run.ecn = ecn;
    if (!send_one(pair, run) || !udp_pair_receive(pair, 11) || pair->last.ecn != ecn)
      return false;
  }
  return true;
}

static void ecn_bits_are_received(sc_test *t) {
  udp_pair pair;
  OK(udp_pair_open_v4(&pair, t->env, usual));
  CHECK(tells_its_ecn(&pair));
done:
  udp_pair_close(&pair);
}

static void ecn_bits_are_received_over_ipv6(sc_test *t) {
  udp_pair pair = {.env = t->env, .from.fd = -1, .to.fd = -1};
  if (!loopback_has_v6())
    SKIP("this machine has no ::1");
  OK(udp_pair_open(&pair, t->env, loopback_v6(0), loopback_v6(0), usual));
  CHECK(tells_its_ecn(&pair));
  CHECK(sc_address_same(&pair.last.peer, &pair.from.local));
done:
  udp_pair_close(&pair);
}

/* A socket bound to all addresses reports each datagram's destination address, and sends from the requested
 * one. */
static bool tells_and_keeps_its_address(udp_pair *pair, sc_address at, sc_address also) {
  at.port = pair->to.local.port;
  also.port = pair->from.local.port;
  sc_datagrams run = loopback_run(&at, zeros, 250, 100);
  run.local = also;
  run.ecn = 1;
  return send_one(pair, run) && udp_pair_receive(pair, 3) && sc_address_same(&pair->last.local, &at) &&
         sc_address_same(&pair->last.peer, &also) && pair->last.ecn == 1;
}

static sc_address other_v4(void) {
  sc_address address = loopback_v4(0);
  address.ip[3] = 77;
  return address;
}

static void a_wildcard_socket_reports_the_local_address(sc_test *t) {
  udp_pair pair;
  OK(udp_pair_open(&pair, t->env, any_v4(), any_v4(), usual));
  CHECK(tells_and_keeps_its_address(&pair, other_v4(), loopback_v4(0)));
  CHECK(tells_and_keeps_its_address(&pair, loopback_v4(0), other_v4()));
done:
  udp_pair_close(&pair);
}

static void a_dual_stack_socket_reports_the_local_address_in_both_families(sc_test *t) {
  udp_pair pair = {.env = t->env, .from.fd = -1, .to.fd = -1};
  if (!loopback_has_v6())
    SKIP("this machine has no ::1");
  OK(udp_pair_open(&pair, t->env, any_v6(), any_v6(), usual));
  CHECK(tells_and_keeps_its_address(&pair, loopback_v6(0), loopback_v6(0)));
  CHECK(tells_and_keeps_its_address(&pair, other_v4(), loopback_v4(0)));
done:
  udp_pair_close(&pair);
}

static void the_system_chooses_an_unspecified_source_address(sc_test *t) {
  udp_pair pair;
  OK(udp_pair_open(&pair, t->env, any_v4(), loopback_v4(0), usual));
  sc_datagrams run = udp_pair_run(&pair, zeros, 5, 5);
  CHECK(send_one(&pair, run) && udp_pair_receive(&pair, 1));
  sc_address expected = loopback_v4(pair.from.local.port);
  CHECK(sc_address_same(&pair.last.peer, &expected));
done:
  udp_pair_close(&pair);
}

SUITE(runtime_udp_receive, "runtime/udp_receive",
      {"a datagram has its source address", a_datagram_has_its_source_address},
      {"coalesced datagrams have a segment size", coalesced_datagrams_have_a_segment_size},
      {"datagrams arrive one by one without coalescing", datagrams_arrive_one_by_one_without_coalescing},
      {"one call reads a limited number", one_call_reads_a_limited_number},
      {"only an overlong datagram is dropped", only_an_overlong_datagram_is_dropped},
      {"an empty datagram is received", an_empty_datagram_is_received},
      {"ECN bits are received", ecn_bits_are_received},
      {"ECN bits are received over IPv6", ecn_bits_are_received_over_ipv6},
      {"a wildcard socket reports the local address", a_wildcard_socket_reports_the_local_address},
      {"a dual-stack socket reports the local address in both families",
       a_dual_stack_socket_reports_the_local_address_in_both_families},
      {"the system chooses an unspecified source address", the_system_chooses_an_unspecified_source_address});
