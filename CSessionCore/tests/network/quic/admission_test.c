#include "network/quic/admission.h"

#include <stdio.h>

#include "support/test.h"

static const uint64_t a_second = SC_QUIC_SECOND;

static void a_rate_allows_a_burst_and_then_a_trickle(sc_test *t) {
  sc_quic_rate rate = {0};
  uint64_t now = 100 * a_second;
  for (size_t i = 0; i < 5; i++)
    CHECK(sc_quic_rate_allows(&rate, now, 5, 10));
  CHECK(!sc_quic_rate_allows(&rate, now, 5, 10));
  CHECK(!sc_quic_rate_allows(&rate, now + a_second / 10 - 1, 5, 10));
  CHECK(sc_quic_rate_allows(&rate, now + a_second / 10, 5, 10));
  CHECK(!sc_quic_rate_allows(&rate, now + a_second / 10, 5, 10));
  now += 1000 * a_second; /* unused tokens do not accumulate beyond the burst */
  for (size_t i = 0; i < 5; i++)
    CHECK(sc_quic_rate_allows(&rate, now, 5, 10));
  CHECK(!sc_quic_rate_allows(&rate, now, 5, 10));
  CHECK(!sc_quic_rate_allows(&(sc_quic_rate){0}, now, 0, 10));
  CHECK(!sc_quic_rate_allows(&(sc_quic_rate){0}, now, 10, 0));
done:;
}

typedef struct gate {
  sc_quic_admission admission;
  sc_quic_limits limits;
  sc_quic_load load;
  sc_quic_host *host;
} gate;

static void gate_init(gate *g, const sc_env *env) {
  sc_quic_options options;
  sc_quic_options_default(&options);
  *g = (gate){.limits = options.limits};
  sc_quic_admission_init(&g->admission, env, 64);
}

static sc_quic_verdict judge(gate *g, const char *peer, bool proved) {
  sc_address address;
  if (sc_address_parse(&address, sc_bytes_text(peer)) != SC_OK)
    return SC_QUIC_IGNORE;
  return sc_quic_admission_judge(&g->admission, &g->host, a_second, &address, proved, g->load, &g->limits);
}

static void admission_tightens_in_steps_with_load(sc_test *t) {
  gate g;
  gate_init(&g, t->env);
  g.limits.connections = 10;
  g.limits.handshakes = 5;
  g.limits.handshakes_before_retry = 2;
  if (judge(&g, "1.2.3.4:5", false) != SC_QUIC_ADMIT) { /* there is no memory to count hosts */
    t->out_of_memory = t->torture;
    CHECK(t->torture);
    goto done;
  }
  CHECK(g.host != NULL && g.host->links == 1);
  g.load.handshakes = 2;
  CHECK(judge(&g, "1.2.3.4:5", false) == SC_QUIC_PROVE && g.host == NULL);
  CHECK(judge(&g, "1.2.3.4:5", true) == SC_QUIC_ADMIT);
  g.load.links = 10;
  CHECK(judge(&g, "1.2.3.4:5", true) == SC_QUIC_REFUSE);
  g.load.handshakes = 5;
  CHECK(judge(&g, "1.2.3.4:5", true) == SC_QUIC_IGNORE);
done:
  sc_quic_admission_free(&g.admission);
}

static void a_host_is_an_address_or_a_network(sc_test *t) {
  gate g;
  gate_init(&g, t->env);
  g.limits.connections_per_host = 1;
  if (judge(&g, "1.2.3.4:5", true) != SC_QUIC_ADMIT) {
    t->out_of_memory = t->torture;
    CHECK(t->torture);
    goto done;
  }
  sc_quic_host *first = g.host;
  CHECK(judge(&g, "1.2.3.4:6", true) == SC_QUIC_REFUSE);
  CHECK(judge(&g, "1.2.3.4:6", false) == SC_QUIC_PROVE);
  CHECK(judge(&g, "1.2.3.5:5", true) == SC_QUIC_ADMIT);
  CHECK(judge(&g, "[2001:db8:0:1::1]:5", true) == SC_QUIC_ADMIT);
  CHECK(judge(&g, "[2001:db8:0:1:ffff::2]:5", true) == SC_QUIC_REFUSE);
  CHECK(judge(&g, "[2001:db8:0:2::1]:5", true) == SC_QUIC_ADMIT);
  sc_quic_admission_leave(first);
  CHECK(judge(&g, "1.2.3.4:6", true) == SC_QUIC_ADMIT);
done:
  sc_quic_admission_free(&g.admission);
}

/* More hosts than can be counted: those with connections keep their entries. */
static void the_number_of_counted_hosts_is_limited(sc_test *t) {
  gate g;
  char text[32];
  size_t admitted = 0;
  gate_init(&g, t->env);
  for (int i = 0; i < 256; i++) {
    (void)snprintf(text, sizeof text, "10.1.1.%d:1", i);
    admitted += judge(&g, text, true) == SC_QUIC_ADMIT;
  }
  if (t->torture && admitted < 256)
    t->out_of_memory = true;
  CHECK(admitted <= 64);
  CHECK(admitted > 32 || t->torture);
done:
  sc_quic_admission_free(&g.admission);
}

SUITE(network_quic_admission, "network/quic/admission",
      {"a rate allows a burst and then a trickle", a_rate_allows_a_burst_and_then_a_trickle},
      {"admission tightens in steps with load", admission_tightens_in_steps_with_load},
      {"a host is an address or a network", a_host_is_an_address_or_a_network},
      {"the number of counted hosts is limited", the_number_of_counted_hosts_is_limited});
