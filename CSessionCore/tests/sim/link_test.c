#include "link.h"

#include "support/test.h"

static void make(link_end *a, link_end *b, draws *from) {
  link_end_draw(a, from);
  link_end_draw(b, from);
  a->jitter = b->jitter = 0;
}

static void a_pair_of_hosts_has_one_latency(sc_test *t) {
  draws from = draws_from(1);
  link_end a, b;
  uint64_t there, back;
  make(&a, &b, &from);
  a.bytes_per_second = b.bytes_per_second = 0;
  CHECK(link_carry(&there, &a, &b, SIM_SECOND, 100, &from));
  CHECK(link_carry(&back, &b, &a, SIM_SECOND, 100, &from));
  CHECK(there == back && there >= SIM_SECOND + 2 * SIM_MILLISECOND && there < SIM_SECOND + SIM_SECOND / 5);
done:;
}

static void packets_wait_for_earlier_packets(sc_test *t) {
  draws from = draws_from(2);
  link_end a, b;
  uint64_t first, second;
  make(&a, &b, &from);
  a.bytes_per_second = 1000;
  CHECK(link_carry(&first, &a, &b, 0, 1000, &from));
  CHECK(link_carry(&second, &a, &b, 0, 500, &from));
  CHECK(second - first == SIM_SECOND / 2);
done:;
}

static void islands_and_cuts_separate_hosts(sc_test *t) {
  draws from = draws_from(3);
  link_end a, b;
  uint64_t arrival;
  make(&a, &b, &from);
  b.island = 1;
  CHECK(!link_carry(&arrival, &a, &b, 0, 1, &from) && !link_carry_datagram(&arrival, &b, &a, 0, 1, &from));
  a.island = 1;
  CHECK(link_carry(&arrival, &a, &b, 0, 1, &from));
  b.cut = true;
  CHECK(!link_carry(&arrival, &a, &b, 0, 1, &from) && !link_carry(&arrival, &b, &a, 0, 1, &from));
done:;
}

/* Messages are resent, datagrams are not. */
static void loss_delays_messages_and_drops_datagrams(sc_test *t) {
  draws from = draws_from(4);
  link_end a, b;
  uint64_t arrival;
  unsigned late = 0, datagrams = 0;
  make(&a, &b, &from);
  a.bytes_per_second = 0;
  CHECK(link_carry(&arrival, &a, &b, 0, 100, &from));
  uint64_t without_loss = arrival;
  b.lost = 300;
  for (int i = 0; i < 1000; i++) {
    CHECK(link_carry(&arrival, &a, &b, 0, 100, &from) || i > 0);
    late += arrival > without_loss;
    datagrams += link_carry_datagram(&arrival, &a, &b, 0, 100, &from);
  }
  CHECK(late > 200 && late < 400 && datagrams > 600 && datagrams < 800);
done:;
}

SUITE(sim_link, "sim/link", {"a pair of hosts has one latency", a_pair_of_hosts_has_one_latency},
      {"packets wait for earlier packets", packets_wait_for_earlier_packets},
      {"islands and cuts separate hosts", islands_and_cuts_separate_hosts},
      {"loss delays messages and drops datagrams", loss_delays_messages_and_drops_datagrams});
