#include "network/quic/tls.h"

#include <stdio.h>

#include "network/quic/endpoint.h"
#include "pair.h"

#define OF_SERVER "NORMAL:-VERS-ALL:+VERS-TLS1.3:-CTYPE-ALL:+CTYPE-CLI-RAWPK:+CTYPE-SRV-RAWPK:-GROUP-ALL"

/* Starts the pair with a server that supports one group only. */
static sc_status start_with_group(pair *p, const char *group) {
  char priority[200];
  sc_status status = pair_start(p);
  if (status != SC_OK)
    return status;
  gnutls_priority_t *server = &p->sides[pair_server].endpoint->tls.server;
  snprintf(priority, sizeof priority, OF_SERVER ":+GROUP-%s", group);
  gnutls_priority_deinit(*server);
  *server = NULL;
  return gnutls_priority_init(server, priority, NULL) == 0 ? SC_OK : SC_ERR_NO_MEMORY;
}

/* The duration of the client's handshake with a server of that group, with 25 ms of latency each way. */
static void check_handshake(sc_test *t, const char *group, uint64_t expected) {
  pair p;
  pair_init(&p, t->env, 90);
  p.net.conditions.delay = 25 * millisecond;
  HOLDS(start_with_group(&p, group) == SC_OK);
  HOLDS(pair_connect(&p) == SC_OK);
  pair_pass(&p, expected - 1);
  HOLDS(p.sides[pair_client].opened == 0);
  pair_pass(&p, 1);
  HOLDS(p.sides[pair_client].opened == 1);
  HOLDS(pair_call(&p, "echo", sc_bytes_text("x")) == SC_OK);
  HOLDS(pair_wait(&p, 1, second));
  HOLDS(p.outcome.status == SC_OK && p.outcome.body_len == 1);
done:
  pair_end(&p, t);
}

static void the_first_key_exchange_group_takes_one_round_trip(sc_test *t) {
  check_handshake(t, "X25519", 50 * millisecond);
}

/* The client has sent no share for it, and the server requests one. */
static void another_group_takes_one_more_round_trip(sc_test *t) {
  check_handshake(t, "SECP256R1", 100 * millisecond);
}

static void a_server_without_a_common_group_aborts(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 91);
  HOLDS(start_with_group(&p, "SECP521R1") == SC_OK);
  HOLDS(pair_connect(&p) == SC_OK);
  pair_pass(&p, second);
  HOLDS(p.sides[pair_client].closed == 1 && p.sides[pair_client].reason == SC_ERR_QUIC_HANDSHAKE);
  HOLDS(p.sides[pair_server].opened == 0);
done:
  pair_end(&p, t);
}

/* A server that replies for another connection. */
static sc_status start_wrongly(sc_quic_link *link) {
  ngtcp2_transport_params parameters = *ngtcp2_conn_get_local_transport_params(link->quic);
  parameters.original_dcid.data[0] ^= 1;
  sc_status status = sc_quic_tls_security.start(link);
  if (status == SC_OK && ngtcp2_conn_set_local_transport_params(link->quic, &parameters) != 0)
    return SC_ERR_NO_MEMORY;
  return status;
}

static void a_servers_protocol_violation_is_reported(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 92);
  HOLDS(pair_start(&p) == SC_OK);
  sc_quic_security security = sc_quic_tls_security;
  security.start = start_wrongly;
  p.sides[pair_server].endpoint->security = &security;
  HOLDS(pair_connect(&p) == SC_OK);
  pair_pass(&p, second);
  HOLDS(p.sides[pair_client].opened == 0 && p.sides[pair_client].closed == 1);
  HOLDS(p.sides[pair_client].reason == SC_ERR_QUIC_VIOLATION);
done:
  pair_end(&p, t);
}

SUITE(network_quic_tls, "network/quic/tls",
      {"the first key-exchange group takes one round trip",
       the_first_key_exchange_group_takes_one_round_trip},
      {"another group takes one more round trip", another_group_takes_one_more_round_trip},
      {"a server without a common group aborts", a_server_without_a_common_group_aborts},
      {"a server's protocol violation is reported", a_servers_protocol_violation_is_reported});
