#include "pair.h"

enum { most_strangers = 40 };

static sc_quic_counts counts_of(const pair *p) {
  sc_quic_counts counts;
  sc_quic_endpoint_count(&counts, p->sides[pair_server].endpoint);
  return counts;
}

/* The traffic each way, and the client's latest first datagram. */
typedef struct traffic {
  size_t to_server;
  size_t to_client;
  uint8_t first[1500];
  size_t first_len;
} traffic;

static bool watch(void *user, size_t from, sc_bytes datagram) {
  traffic *seen = user;
  if (from == pair_client)
    seen->to_server += datagram.len;
  else
    seen->to_client += datagram.len;
  if (from == pair_client && seen->first_len == 0) {
    memcpy(seen->first, datagram.ptr, datagram.len);
    seen->first_len = datagram.len;
  }
  return true;
}

static void under_load_clients_must_prove_their_address(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 70);
  p.options[pair_server].limits.handshakes_before_retry = 0;
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(counts_of(&p).retries == 1 && counts_of(&p).accepted == 1);
  HOLDS(pair_call(&p, "echo", sc_bytes_text("x")) == SC_OK);
  HOLDS(pair_wait(&p, 1, second));
  HOLDS(p.outcome.status == SC_OK);
done:
  pair_end(&p, t);
}

/* A retry keeps no state: the client that caused it is forgotten. */
static void a_retry_costs_no_memory(sc_test *t) {
  pair p;
  traffic seen = {0};
  pair_init(&p, t->env, 71);
  p.options[pair_server].limits.handshakes_before_retry = 0;
  p.net.watch = watch;
  p.net.user = &seen;
  HOLDS(pair_open(&p) == SC_OK);
  pair_pass(&p, 5 * second); /* until the connection is idle */
  size_t connections = counts_of(&p).connections;
  seen.to_client = 0;
  for (uint8_t i = 0; i < most_strangers; i++) {
    sc_address stranger = net_address((uint8_t)(100 + i), 5);
    net_inject(&p.net, &stranger, &p.net.parties[pair_server].address,
               sc_bytes_make(seen.first, seen.first_len));
  }
  pair_pass(&p, second);
  HOLDS(counts_of(&p).connections == connections);
  HOLDS(counts_of(&p).retries == 1 + most_strangers);
  HOLDS(seen.to_client < 200 * most_strangers);
done:
  pair_end(&p, t);
}

/* Clients that send a first datagram and nothing more get at most three times its bytes. */
static void an_unproved_address_gets_at_most_three_times_its_bytes(sc_test *t) {
  pair p;
  traffic seen = {0};
  pair_init(&p, t->env, 72);
  p.net.watch = watch;
  p.net.user = &seen;
  HOLDS(pair_start(&p) == SC_OK);
  HOLDS(pair_connect(&p) == SC_OK);
  p.net.parties[pair_server].address = net_address(200, 1); /* nothing gets through */
  pair_pass(&p, 100 * millisecond);
  HOLDS(seen.first_len == 1200);
  p.net.parties[pair_client].dead = true;
  sc_address stranger = net_address(50, 50);
  net_inject(&p.net, &stranger, &p.net.parties[pair_server].address,
             sc_bytes_make(seen.first, seen.first_len));
  pair_pass(&p, 60 * second);
  HOLDS(counts_of(&p).accepted == 1);
  HOLDS(seen.to_client > 0 && seen.to_client <= 3 * 1200);
  HOLDS(counts_of(&p).connections == 0 && counts_of(&p).handshakes == 0);
done:
  pair_end(&p, t);
}

static void a_full_server_refuses_connections(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 73);
  p.options[pair_server].limits.connections = 1;
  HOLDS(pair_open(&p) == SC_OK);
  pair_pass(&p, second);
  HOLDS(pair_connect(&p) == SC_OK);
  pair_pass(&p, second);
  HOLDS(p.sides[pair_client].closed == 1 && p.sides[pair_client].reason == SC_ERR_QUIC_BUSY);
  HOLDS(counts_of(&p).refusals == 1);
done:
  pair_end(&p, t);
}

static void a_client_has_a_limit_too(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 74);
  p.options[pair_client].limits.connections = 2;
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(pair_connect(&p) == SC_OK);
  HOLDS(pair_connect(&p) == SC_ERR_QUIC_BUSY);
done:
  pair_end(&p, t);
}

static void connections_per_host_are_limited(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 75);
  p.options[pair_server].limits.connections_per_host = 2;
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(pair_connect(&p) == SC_OK);
  pair_pass(&p, second);
  HOLDS(p.sides[pair_client].opened == 2);
  HOLDS(pair_connect(&p) == SC_OK);
  pair_pass(&p, second);
  HOLDS(p.sides[pair_client].opened == 2 && p.sides[pair_client].reason == SC_ERR_QUIC_BUSY);
  HOLDS(counts_of(&p).retries == 1); /* it had to prove its address */
  p.net.parties[pair_client].address = net_address(90, 4433);
  HOLDS(pair_connect(&p) == SC_OK);
  pair_pass(&p, second);
  HOLDS(p.sides[pair_client].opened == 3);
done:
  pair_end(&p, t);
}

static void handshakes_per_host_are_limited(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 76);
  p.options[pair_server].limits.handshakes_per_host = 2;
  p.options[pair_server].limits.handshakes_per_host_a_second = 1;
  p.net.conditions.delay = millisecond;
  HOLDS(pair_open(&p) == SC_OK);
  for (size_t i = 0; i < 3; i++)
    HOLDS(pair_connect(&p) == SC_OK);
  pair_pass(&p, 100 * millisecond);
  HOLDS(p.sides[pair_client].opened == 2 && p.sides[pair_client].closed == 2);
  HOLDS(p.sides[pair_client].reason == SC_ERR_QUIC_BUSY);
  pair_pass(&p, 2 * second);
  HOLDS(pair_connect(&p) == SC_OK);
  pair_pass(&p, 100 * millisecond);
  HOLDS(p.sides[pair_client].opened == 3);
done:
  pair_end(&p, t);
}

static void handshakes_over_the_limit_are_ignored(sc_test *t) {
  pair p;
  traffic seen = {0};
  pair_init(&p, t->env, 77);
  p.options[pair_server].limits.handshakes = 1;
  p.net.watch = watch;
  p.net.user = &seen;
  HOLDS(pair_open(&p) == SC_OK);
  pair_pass(&p, second);
  sc_address stranger = net_address(50, 50);
  seen.first[1199] ^= 1; /* no longer the real one, but similar */
  seen.first[10] ^= 1;
  net_inject(&p.net, &stranger, &p.net.parties[pair_server].address,
             sc_bytes_make(seen.first, seen.first_len));
  pair_pass(&p, 50 * millisecond);
  uint64_t unheard = counts_of(&p).unheard;
  if (counts_of(&p).handshakes == 1) {
    HOLDS(pair_connect(&p) == SC_OK);
    pair_pass(&p, 50 * millisecond);
    HOLDS(counts_of(&p).unheard > unheard);
  }
done:
  pair_end(&p, t);
}

/* An unreadable token is ignored. */
static void a_bad_token_counts_as_none(sc_test *t) {
  pair p;
  traffic seen = {0};
  pair_init(&p, t->env, 78);
  p.net.watch = watch;
  p.net.user = &seen;
  p.options[pair_server].limits.handshakes_before_retry = 0;
  HOLDS(pair_open(&p) == SC_OK);
  uint64_t retries = counts_of(&p).retries;
  /* A first datagram with a garbage token: version 1, ids of 8 and 20 bytes, 20 bytes of token. */
  uint8_t datagram[1200] = {0xc3, 0, 0, 0, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0, 20, 0xb6, 1, 2, 3};
  datagram[36] = 0x44;
  datagram[37] = 0x80;
  sc_address stranger = net_address(51, 51);
  net_inject(&p.net, &stranger, &p.net.parties[pair_server].address, SC_BYTES(datagram));
  pair_pass(&p, second);
  HOLDS(counts_of(&p).retries == retries + 1 && counts_of(&p).refusals == 0);
done:
  pair_end(&p, t);
}

static void stateless_replies_are_rate_limited(sc_test *t) {
  pair p;
  uint8_t datagram[100] = {0x40, 1, 2, 3};
  pair_init(&p, t->env, 79);
  p.options[pair_server].limits.stateless_a_second = 10;
  HOLDS(pair_start(&p) == SC_OK);
  for (uint8_t i = 0; i < 200; i++) {
    sc_address stranger = net_address(i, 7);
    datagram[1] = i;
    net_inject(&p.net, &stranger, &p.net.parties[pair_server].address, SC_BYTES(datagram));
  }
  pair_pass(&p, second);
  HOLDS(counts_of(&p).resets > 0 && counts_of(&p).resets <= 64);
done:
  pair_end(&p, t);
}

/* A reset is shorter than its trigger, and a datagram too short for one gets no reply. */
static void resets_cannot_loop(sc_test *t) {
  pair p;
  uint8_t datagram[42] = {0x40, 1, 2, 3};
  traffic seen = {0};
  pair_init(&p, t->env, 80);
  p.net.watch = watch;
  p.net.user = &seen;
  HOLDS(pair_start(&p) == SC_OK);
  sc_address stranger = net_address(50, 50);
  net_inject(&p.net, &stranger, &p.net.parties[pair_server].address, sc_bytes_make(datagram, 41));
  pair_pass(&p, second);
  HOLDS(seen.to_client == 0);
  net_inject(&p.net, &stranger, &p.net.parties[pair_server].address, SC_BYTES(datagram));
  pair_pass(&p, second);
  HOLDS(seen.to_client == 41);
  net_inject(&p.net, &p.net.parties[pair_client].address, &p.net.parties[pair_server].address,
             SC_BYTES(datagram));
  pair_pass(&p, second);
  HOLDS(counts_of(&p).resets == 2); /* and the client did not reply to the reset */
done:
  pair_end(&p, t);
}

SUITE(network_quic_input, "network/quic/input",
      {"under load clients must prove their address", under_load_clients_must_prove_their_address},
      {"a retry costs no memory", a_retry_costs_no_memory},
      {"an unproved address gets at most three times its bytes",
       an_unproved_address_gets_at_most_three_times_its_bytes},
      {"a full server refuses connections", a_full_server_refuses_connections},
      {"a client has a limit too", a_client_has_a_limit_too},
      {"connections per host are limited", connections_per_host_are_limited},
      {"handshakes per host are limited", handshakes_per_host_are_limited},
      {"handshakes over the limit are ignored", handshakes_over_the_limit_are_ignored},
      {"a bad token counts as none", a_bad_token_counts_as_none},
      {"stateless replies are rate-limited", stateless_replies_are_rate_limited},
      {"resets cannot loop", resets_cannot_loop});
