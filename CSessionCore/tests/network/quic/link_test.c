#include "network/quic/endpoint.h"
#include "pair.h"

static sc_bytes answer_of(const pair *p) {
  size_t len = p->outcome.body_len;
  return sc_bytes_make(p->outcome.body, len < sizeof p->outcome.body ? len : sizeof p->outcome.body);
}

static bool answered(const pair *p, const char *body) {
  return p->outcome.status == SC_OK && sc_bytes_same(answer_of(p), sc_bytes_text(body));
}

static const pair_side *client_of(const pair *p) {
  return &p->sides[pair_client];
}

static const pair_side *server_of(const pair *p) {
  return &p->sides[pair_server];
}

static void two_endpoints_shake_hands_and_exchange_calls(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 1);
  HOLDS(pair_open(&p) == SC_OK);
  SAME(SC_BYTES(p.server_key.public_key), SC_BYTES(p.sides[pair_client].peer_key));
  HOLDS(pair_call(&p, "echo", sc_bytes_text("hello")) == SC_OK);
  HOLDS(pair_wait(&p, 1, second));
  HOLDS(answered(&p, "hello"));
  HOLDS(server_of(&p)->opened == 1 && server_of(&p)->had_key);
  sc_quic_counts counts;
  sc_quic_endpoint_count(&counts, server_of(&p)->endpoint);
  HOLDS(counts.connections == 1 && counts.accepted == 1 && counts.handshakes == 0);
done:
  pair_end(&p, t);
}

/* A request queued before the handshake leaves in the handshake's last flight: two round trips in all. */
static void the_first_reply_takes_two_round_trips(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 2);
  p.net.conditions.delay = 25 * millisecond;
  HOLDS(pair_start(&p) == SC_OK);
  uint64_t start = p.net.now;
  HOLDS(pair_connect(&p) == SC_OK);
  HOLDS(pair_call(&p, "echo", sc_bytes_text("early")) == SC_OK);
  HOLDS(pair_wait(&p, 1, second));
  HOLDS(answered(&p, "early"));
  HOLDS(p.net.now - start == 100 * millisecond);
done:
  pair_end(&p, t);
}

static void a_fresh_key_is_shown_on_each_connection(sc_test *t) {
  pair p;
  uint8_t first[SC_KEY_BYTES];
  pair_init(&p, t->env, 3);
  HOLDS(pair_open(&p) == SC_OK);
  pair_pass(&p, second);
  HOLDS(server_of(&p)->had_key);
  memcpy(first, server_of(&p)->peer_key, sizeof first);
  HOLDS(pair_connect(&p) == SC_OK);
  pair_pass(&p, second);
  HOLDS(server_of(&p)->opened == 2);
  HOLDS(memcmp(first, server_of(&p)->peer_key, sizeof first) != 0);
done:
  pair_end(&p, t);
}

static void a_client_with_an_identity_shows_it(sc_test *t) {
  static const uint8_t seed[32] = {7};
  pair p;
  sc_ed25519_pair key;
  sc_ed25519_pair_from_seed(&key, seed);
  pair_init(&p, t->env, 4);
  p.options[pair_client].identity = &key;
  HOLDS(pair_open(&p) == SC_OK);
  pair_pass(&p, second);
  HOLDS(server_of(&p)->had_key);
  SAME(SC_BYTES(key.public_key), SC_BYTES(server_of(&p)->peer_key));
done:
  pair_end(&p, t);
}

static void a_server_with_another_key_is_refused(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 5);
  p.target.key[31] ^= 1;
  HOLDS(pair_open(&p) == SC_ERR_QUIC_KEY);
  pair_pass(&p, second);
  HOLDS(client_of(&p)->opened == 0);
  HOLDS(server_of(&p)->opened == 0);
  sc_quic_counts counts;
  sc_quic_endpoint_count(&counts, server_of(&p)->endpoint);
  HOLDS(counts.handshakes == 0); /* it learnt the reason at once */
done:
  pair_end(&p, t);
}

static void calls_end_with_the_reason_of_the_connection(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 6);
  p.target.key[0] ^= 1;
  HOLDS(pair_start(&p) == SC_OK);
  HOLDS(pair_connect(&p) == SC_OK);
  HOLDS(pair_call(&p, "echo", sc_bytes_text("x")) == SC_OK);
  HOLDS(pair_wait(&p, 1, 5 * second));
  HOLDS(p.outcome.status == SC_ERR_QUIC_KEY);
  HOLDS(client_of(&p)->closed == 1);
  HOLDS(pair_call(&p, "echo", sc_bytes_text("x")) == SC_ERR_NOT_FOUND);
done:
  pair_end(&p, t);
}

static void another_protocol_is_refused(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 7);
  p.options[pair_client].protocol = sc_bytes_text("default");
  HOLDS(pair_open(&p) == SC_ERR_QUIC_PROTOCOL);
  pair_pass(&p, second);
  HOLDS(server_of(&p)->opened == 0);
done:
  pair_end(&p, t);
}

static bool admit_none(void *user, const uint8_t *key, const sc_address *from) {
  (void)user;
  (void)key;
  (void)from;
  return false;
}

/* The client considers itself connected until the server has seen its key. */
static void a_target_may_use_another_protocol(sc_test *t) {
  static const char too_long[SC_QUIC_MAX_PROTOCOL_BYTES + 1] = {'x'};
  pair p;
  pair_init(&p, t->env, 29);
  p.options[pair_server].protocol = sc_bytes_text("quic-files");
  p.target.protocol = SC_BYTES(too_long);
  HOLDS(pair_start(&p) == SC_OK);
  HOLDS(pair_connect(&p) == SC_ERR_ARGUMENT);
  p.target.protocol = sc_bytes_text("quic-files");
  HOLDS(pair_connect(&p) == SC_OK);
  HOLDS(pair_call(&p, "echo", sc_bytes_text("x")) == SC_OK);
  HOLDS(pair_wait(&p, 1, second) && p.outcome.status == SC_OK);
  p.target.protocol = sc_bytes_text("");
  HOLDS(pair_connect(&p) == SC_OK);
  pair_pass(&p, second);
  HOLDS(p.sides[pair_client].closed == 1 && p.sides[pair_client].reason == SC_ERR_QUIC_PROTOCOL);
done:
  pair_end(&p, t);
}

static void a_refused_client_learns_the_reason(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 8);
  p.options[pair_server].admits = admit_none;
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(pair_call(&p, "echo", sc_bytes_text("x")) == SC_OK);
  HOLDS(pair_wait(&p, 1, second));
  HOLDS(p.outcome.status == SC_ERR_QUIC_REFUSED);
  HOLDS(client_of(&p)->closed == 1 && client_of(&p)->reason == SC_ERR_QUIC_REFUSED);
  HOLDS(server_of(&p)->opened == 0 && p.handled == 0);
done:
  pair_end(&p, t);
}

static void a_missing_peer_is_unreachable_after_a_timeout(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 9);
  p.target.address = net_address(99, 1);
  p.target.handshake_timeout = 3 * second;
  uint64_t start = p.net.now;
  HOLDS(pair_open(&p) == SC_ERR_QUIC_UNREACHABLE);
  HOLDS(p.net.now - start == 3 * second);
  sc_quic_counts counts;
  sc_quic_endpoint_count(&counts, client_of(&p)->endpoint);
  HOLDS(counts.connections == 0);
done:
  pair_end(&p, t);
}

static void silence_ends_a_connection_at_the_idle_timeout(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 10);
  HOLDS(pair_open(&p) == SC_OK);
  pair_pass(&p, 29 * second);
  HOLDS(client_of(&p)->closed == 0 && server_of(&p)->closed == 0);
  pair_pass(&p, 3 * second);
  HOLDS(client_of(&p)->closed == 1 && client_of(&p)->reason == SC_ERR_QUIC_IDLE);
  HOLDS(server_of(&p)->closed == 1 && server_of(&p)->reason == SC_ERR_QUIC_IDLE);
done:
  pair_end(&p, t);
}

static void keep_alive_keeps_a_connection_open(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 11);
  p.target.keep_alive = 10 * second;
  HOLDS(pair_open(&p) == SC_OK);
  pair_pass(&p, 300 * second);
  HOLDS(client_of(&p)->closed == 0 && server_of(&p)->closed == 0);
  p.net.parties[pair_server].dead = true;
  pair_pass(&p, 41 * second);
  HOLDS(client_of(&p)->closed == 1 && client_of(&p)->reason == SC_ERR_QUIC_IDLE);
done:
  pair_end(&p, t);
}

static void an_idle_connection_is_closed_if_so_configured(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 12);
  p.target.idle_close = 5 * second;
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(pair_call(&p, "later", sc_bytes_text("")) == SC_OK);
  pair_pass(&p, 8 * second);
  HOLDS(client_of(&p)->closed == 0); /* a call is pending */
  HOLDS(sc_quic_reply(server_of(&p)->endpoint, p.kept[0], sc_bytes_text("")) == SC_OK);
  pair_pass(&p, 4 * second);
  HOLDS(p.outcome.done == 1 && client_of(&p)->closed == 0);
  pair_pass(&p, 2 * second);
  HOLDS(client_of(&p)->closed == 1 && client_of(&p)->reason == SC_ERR_QUIC_STOPPED);
  HOLDS(server_of(&p)->closed == 1 && server_of(&p)->reason == SC_ERR_QUIC_CLOSED);
done:
  pair_end(&p, t);
}

static void closing_notifies_both_sides_once(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 13);
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(pair_call(&p, "later", sc_bytes_text("")) == SC_OK);
  pair_pass(&p, second);
  HOLDS(p.kept_count == 1);
  HOLDS(sc_quic_close(p.sides[pair_client].endpoint, p.net.now, p.connection) == SC_OK);
  HOLDS(p.outcome.done == 1 && p.outcome.status == SC_ERR_QUIC_STOPPED);
  HOLDS(client_of(&p)->closed == 1 && client_of(&p)->reason == SC_ERR_QUIC_STOPPED);
  HOLDS(sc_quic_close(p.sides[pair_client].endpoint, p.net.now, p.connection) == SC_ERR_NOT_FOUND);
  pair_pass(&p, second);
  HOLDS(server_of(&p)->closed == 1 && server_of(&p)->reason == SC_ERR_QUIC_CLOSED);
  HOLDS(sc_quic_reply(server_of(&p)->endpoint, p.kept[0], sc_bytes_text("")) == SC_ERR_NOT_FOUND);
  pair_pass(&p, 10 * second);
  sc_quic_counts counts;
  sc_quic_endpoint_count(&counts, client_of(&p)->endpoint);
  HOLDS(counts.connections == 0);
  sc_quic_endpoint_count(&counts, server_of(&p)->endpoint);
  HOLDS(counts.connections == 0);
done:
  pair_end(&p, t);
}

/* The close may be lost: a peer that keeps sending gets it again. */
static void a_lost_close_is_repeated(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 14);
  p.net.conditions.delay = 100 * millisecond;
  HOLDS(pair_open(&p) == SC_OK);
  pair_pass(&p, second);
  p.net.conditions.lost = 1000;
  HOLDS(sc_quic_close(p.sides[pair_server].endpoint, p.net.now, server_of(&p)->connection) == SC_OK);
  pair_pass(&p, millisecond);
  p.net.conditions.lost = 0;
  HOLDS(pair_call(&p, "echo", sc_bytes_text("x")) == SC_OK);
  HOLDS(pair_wait(&p, 1, 250 * millisecond));
  HOLDS(p.outcome.status == SC_ERR_QUIC_CLOSED);
done:
  pair_end(&p, t);
}

static void a_restarted_server_resets_unknown_connections(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 15);
  HOLDS(pair_open(&p) == SC_OK);
  pair_pass(&p, second);
  sc_quic_endpoint_free(p.sides[pair_server].endpoint);
  p.sides[pair_server].endpoint = NULL;
  p.net.parties[pair_server].dead = true;
  HOLDS(sc_quic_endpoint_new(&p.sides[pair_server].endpoint, t->env, &p.options[pair_server]) == SC_OK);
  p.net.parties[pair_server].driven = sc_quic_driven(p.sides[pair_server].endpoint);
  p.net.parties[pair_server].dead = false;
  HOLDS(pair_call(&p, "echo", sc_bytes_text("x")) == SC_OK);
  HOLDS(pair_wait(&p, 1, second));
  HOLDS(p.outcome.status == SC_ERR_QUIC_RESET);
  sc_quic_counts counts;
  sc_quic_endpoint_count(&counts, server_of(&p)->endpoint);
  HOLDS(counts.resets == 1);
done:
  pair_end(&p, t);
}

static void a_change_of_the_clients_address_is_followed(sc_test *t) {
  pair p;
  sc_quic_connection_info info;
  pair_init(&p, t->env, 16);
  HOLDS(pair_open(&p) == SC_OK);
  pair_pass(&p, second);
  p.net.parties[pair_client].address = net_address(77, 999);
  HOLDS(pair_call(&p, "echo", sc_bytes_text("moved")) == SC_OK);
  HOLDS(pair_wait(&p, 1, 2 * second));
  HOLDS(answered(&p, "moved"));
  pair_pass(&p, second);
  HOLDS(sc_quic_connection_inspect(&info, server_of(&p)->endpoint, server_of(&p)->connection) == SC_OK);
  HOLDS(sc_address_same(&info.peer, &p.net.parties[pair_client].address));
  HOLDS(pair_call(&p, "echo", sc_bytes_text("again")) == SC_OK);
  HOLDS(pair_wait(&p, 2, second));
  HOLDS(answered(&p, "again"));
done:
  pair_end(&p, t);
}

/* The last key update is complete once packets went both ways some time after it. */
static void keys_are_updated_during_a_connection(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 17);
  HOLDS(pair_open(&p) == SC_OK);
  for (size_t i = 0; i < 6; i++) {
    const pair_side *client = client_of(&p);
    pair_pass(&p, second);
    HOLDS(pair_call(&p, "echo", sc_bytes_text("settle")) == SC_OK);
    HOLDS(pair_wait(&p, 2 * i + 1, second));
    pair_pass(&p, second);
    HOLDS(sc_quic_update_keys(client->endpoint, p.net.now, p.connection) == SC_OK);
    HOLDS(sc_quic_update_keys(client->endpoint, p.net.now, p.connection) == SC_ERR_STATE);
    HOLDS(sc_quic_update_keys(server_of(&p)->endpoint, p.net.now, server_of(&p)->connection) == SC_ERR_STATE);
    HOLDS(pair_call(&p, "echo", sc_bytes_text("new keys")) == SC_OK);
    HOLDS(pair_wait(&p, 2 * i + 2, second));
    HOLDS(answered(&p, "new keys"));
  }
done:
  pair_end(&p, t);
}

/* Closed connections do not count against new ones. */
static void closed_connections_free_their_slots(sc_test *t) {
  pair p;
  sc_quic_counts counts;
  pair_init(&p, t->env, 22);
  p.options[pair_client].limits.connections = 2;
  HOLDS(pair_open(&p) == SC_OK);
  for (size_t i = 0; i < 10; i++) {
    HOLDS(pair_connect(&p) == SC_OK);
    pair_pass(&p, 50 * millisecond);
    HOLDS(sc_quic_close(client_of(&p)->endpoint, p.net.now, p.connection) == SC_OK);
    pair_pass(&p, millisecond);
    sc_quic_endpoint_count(&counts, client_of(&p)->endpoint);
    HOLDS(counts.connections <= 4);
  }
  HOLDS(client_of(&p)->opened == 11);
done:
  pair_end(&p, t);
}

static void drivers_may_supply_local_addresses(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 21);
  p.net.tells_local = true;
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(pair_call(&p, "echo", sc_bytes_text("here")) == SC_OK);
  HOLDS(pair_wait(&p, 1, second));
  HOLDS(answered(&p, "here"));
  p.net.parties[pair_client].address = net_address(77, 999);
  HOLDS(pair_call(&p, "echo", sc_bytes_text("there")) == SC_OK);
  HOLDS(pair_wait(&p, 2, 2 * second));
  HOLDS(answered(&p, "there"));
done:
  pair_end(&p, t);
}

static void a_stopped_endpoint_notifies_every_peer(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 18);
  HOLDS(pair_open(&p) == SC_OK);
  pair_pass(&p, second);
  sc_quic_stop(p.sides[pair_server].endpoint, p.net.now);
  HOLDS(server_of(&p)->closed == 1 && server_of(&p)->reason == SC_ERR_QUIC_STOPPED);
  pair_pass(&p, second);
  HOLDS(client_of(&p)->closed == 1 && client_of(&p)->reason == SC_ERR_QUIC_CLOSED);
  sc_quic_stop(p.sides[pair_client].endpoint, p.net.now);
  HOLDS(pair_connect(&p) == SC_ERR_QUIC_STOPPED);
done:
  pair_end(&p, t);
}

/* No datagram exceeds what the oldest nodes accept, and a path with a smaller MTU still works. */
static void paths_with_a_small_mtu_work(sc_test *t) {
  static uint8_t body[200000];
  pair p;
  pair_init(&p, t->env, 19);
  p.net.conditions.largest = 1300;
  HOLDS(pair_open(&p) == SC_OK);
  HOLDS(pair_call(&p, "size", SC_BYTES(body)) == SC_OK);
  HOLDS(pair_wait(&p, 1, 20 * second));
  HOLDS(answered(&p, "200000"));
  p.net.conditions.largest = 0;
  HOLDS(pair_call(&p, "size", SC_BYTES(body)) == SC_OK);
  HOLDS(pair_wait(&p, 2, 20 * second));
  HOLDS(p.net.largest_sent <= SC_QUIC_MAX_DATAGRAM_BYTES && p.net.largest_sent > 1300);
done:
  pair_end(&p, t);
}

static void a_peer_without_a_common_version_is_reported(sc_test *t) {
  pair p;
  sc_quic_counts counts;
  static uint8_t datagram[1200] = {0xc0, 0x1a, 0x2a, 0x3a, 0x4a, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0};
  sc_address stranger = net_address(50, 50);
  pair_init(&p, t->env, 20);
  HOLDS(pair_start(&p) == SC_OK);
  net_inject(&p.net, &stranger, &p.net.parties[pair_server].address, SC_BYTES(datagram));
  net_inject(&p.net, &stranger, &p.net.parties[pair_server].address, sc_bytes_make(datagram, 1199));
  net_inject(&p.net, &stranger, &p.net.parties[pair_client].address, SC_BYTES(datagram));
  pair_pass(&p, second);
  sc_quic_endpoint_count(&counts, server_of(&p)->endpoint);
  HOLDS(counts.version_replies == 1);
  sc_quic_endpoint_count(&counts, client_of(&p)->endpoint);
  HOLDS(counts.version_replies == 0);
done:
  pair_end(&p, t);
}

/* The client's first datagram and its ids. */
typedef struct first_flight {
  uint8_t bytes[1500];
  size_t len;
} first_flight;

static bool keep_first_flight(void *user, size_t from, sc_bytes datagram) {
  first_flight *first = user;
  if (from == pair_client && first->len == 0 && datagram.len <= sizeof first->bytes) {
    memcpy(first->bytes, datagram.ptr, datagram.len);
    first->len = datagram.len;
  }
  return false;
}

static void a_server_of_other_versions_is_reported(sc_test *t) {
  static const uint32_t versions[] = {0x1a2a3a4a, 0x6b3343cf};
  pair p;
  first_flight first = {0};
  ngtcp2_version_cid ids;
  uint8_t answer[200];
  pair_init(&p, t->env, 22);
  p.net.watch = keep_first_flight;
  p.net.user = &first;
  HOLDS(pair_start(&p) == SC_OK);
  HOLDS(pair_connect(&p) == SC_OK);
  pair_pass(&p, millisecond);
  HOLDS(first.len > 0);
  HOLDS(ngtcp2_pkt_decode_version_cid(&ids, first.bytes, first.len, 20) == 0);
  ngtcp2_ssize len = ngtcp2_pkt_write_version_negotiation(answer, sizeof answer, 7, ids.scid, ids.scidlen,
                                                          ids.dcid, ids.dcidlen, versions, 2);
  HOLDS(len > 0);
  net_inject(&p.net, &p.net.parties[pair_server].address, &p.net.parties[pair_client].address,
             sc_bytes_make(answer, (size_t)len));
  pair_pass(&p, 200 * millisecond);
  HOLDS(client_of(&p)->closed == 1 && client_of(&p)->reason == SC_ERR_QUIC_VERSION);
done:
  pair_end(&p, t);
}

/* Here this side broke the rules, as the server states when it closes. */
static void a_peers_protocol_violation_is_reported(sc_test *t) {
  static const uint8_t protocol_violation = 0x0a;
  pair p;
  pair_init(&p, t->env, 23);
  HOLDS(pair_open(&p) == SC_OK);
  pair_pass(&p, second);
  sc_quic_link *link = sc_slots_find(&server_of(&p)->endpoint->links, server_of(&p)->connection);
  HOLDS(link != NULL);
  link->close_is_transport = true;
  sc_quic_link_close(link, protocol_violation, SC_ERR_QUIC_VIOLATION);
  pair_pass(&p, second);
  HOLDS(client_of(&p)->closed == 1 && client_of(&p)->reason == SC_ERR_QUIC_VIOLATION);
done:
  pair_end(&p, t);
}

/* After a request the next timer is the probe for its acknowledgement, not pacing. */
static void a_small_request_leaves_no_pacing_timer(sc_test *t) {
  pair p;
  pair_init(&p, t->env, 24);
  p.net.conditions.delay = 5 * millisecond;
  HOLDS(pair_open(&p) == SC_OK);
  pair_pass(&p, second);
  HOLDS(pair_call(&p, "echo", sc_bytes_text("x")) == SC_OK);
  pair_pass(&p, 1);
  uint64_t deadline = sc_driven_deadline(sc_quic_driven(client_of(&p)->endpoint));
  HOLDS(deadline > p.net.now + 5 * millisecond);
  HOLDS(pair_wait(&p, 1, second));
  deadline = sc_driven_deadline(sc_quic_driven(server_of(&p)->endpoint));
  HOLDS(deadline > p.net.now + millisecond);
done:
  pair_end(&p, t);
}

SUITE(network_quic_link, "network/quic/link",
      {"two endpoints shake hands and exchange calls", two_endpoints_shake_hands_and_exchange_calls},
      {"the first reply takes two round trips", the_first_reply_takes_two_round_trips},
      {"a fresh key is shown on each connection", a_fresh_key_is_shown_on_each_connection},
      {"a client with an identity shows it", a_client_with_an_identity_shows_it},
      {"a server with another key is refused", a_server_with_another_key_is_refused},
      {"calls end with the reason of the connection", calls_end_with_the_reason_of_the_connection},
      {"another protocol is refused", another_protocol_is_refused},
      {"a target may use another protocol", a_target_may_use_another_protocol},
      {"a refused client learns the reason", a_refused_client_learns_the_reason},
      {"a missing peer is unreachable after a timeout", a_missing_peer_is_unreachable_after_a_timeout},
      {"silence ends a connection at the idle timeout", silence_ends_a_connection_at_the_idle_timeout},
      {"keep-alive keeps a connection open", keep_alive_keeps_a_connection_open},
      {"an idle connection is closed if so configured", an_idle_connection_is_closed_if_so_configured},
      {"closing notifies both sides once", closing_notifies_both_sides_once},
      {"a lost close is repeated", a_lost_close_is_repeated},
      {"a restarted server resets unknown connections", a_restarted_server_resets_unknown_connections},
      {"a change of the client's address is followed", a_change_of_the_clients_address_is_followed},
      {"keys are updated during a connection", keys_are_updated_during_a_connection},
      {"closed connections free their slots", closed_connections_free_their_slots},
      {"drivers may supply local addresses", drivers_may_supply_local_addresses},
      {"a stopped endpoint notifies every peer", a_stopped_endpoint_notifies_every_peer},
      {"paths with a small MTU work", paths_with_a_small_mtu_work},
      {"a peer without a common version is reported", a_peer_without_a_common_version_is_reported},
      {"a server of other versions is reported", a_server_of_other_versions_is_reported},
      {"a peer's protocol violation is reported", a_peers_protocol_violation_is_reported},
      {"a small request leaves no pacing timer", a_small_request_leaves_no_pacing_timer});
