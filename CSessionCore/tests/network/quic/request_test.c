#include "network/quic/endpoint.h"
#include "null_security.h"
#include "pair.h"

/* RESET_STREAM or STOP_SENDING of a stream below 64 with the code for malformed requests, 777000105, in the
 * bytes of an unencrypted packet. */
typedef struct sighting {
  size_t side;
  uint8_t stream;
  bool reset;
  bool stopped;
} sighting;

static bool watch_frames(void *user, size_t from, sc_bytes datagram) {
  static const uint8_t code[4] = {0xae, 0x50, 0x14, 0xa9};
  sighting *seen = user;
  for (size_t i = 0; from == seen->side && i + 6 <= datagram.len; i++) {
    const uint8_t *at = datagram.ptr + i;
    if (at[1] != seen->stream || memcmp(at + 2, code, sizeof code) != 0)
      continue;
    seen->reset = seen->reset || at[0] == 0x04;
    seen->stopped = seen->stopped || at[0] == 0x05;
  }
  return true;
}

/* Writes bytes to an open stream of the client. */
static sc_status send_raw(pair *p, uint32_t lane, const char *bytes) {
  sc_quic_endpoint *client = p->sides[pair_client].endpoint;
  sc_quic_link *link = sc_slots_find(&client->links, p->connection);
  const sc_quic_outgoing outgoing = {.head = sc_bytes_text(bytes)};
  for (uint32_t i = 0; link != NULL && i < link->stream_count; i++)
    if (link->streams[i]->number == lane) {
      link->send_memory += outgoing.head.len;
      sc_quic_ready(link);
      return sc_quic_send_queue_append(&link->streams[i]->queue, &client->segments, &outgoing);
    }
  return SC_ERR_NOT_FOUND;
}

static void check_malformed(sc_test *t, const char *bytes) {
  pair p;
  sighting seen = {.side = pair_server, .stream = 4};
  pair_init(&p, t->env, 110);
  HOLDS(pair_start(&p) == SC_OK);
  null_secure(p.sides[pair_client].endpoint);
  null_secure(p.sides[pair_server].endpoint);
  p.net.watch = watch_frames;
  p.net.user = &seen;
  HOLDS(pair_connect(&p) == SC_OK);
  HOLDS(pair_call_on(&p, 1, "echo", sc_bytes_text("x")) == SC_OK);
  HOLDS(pair_wait(&p, 1, second) && p.outcome.failed == 0);
  HOLDS(pair_call_on(&p, 1, "later", sc_bytes_text("")) == SC_OK);
  HOLDS(send_raw(&p, 1, bytes) == SC_OK);
  HOLDS(pair_wait(&p, 2, second) && p.outcome.status == SC_ERR_QUIC_STREAM);
  HOLDS(seen.reset && seen.stopped);
  HOLDS(pair_call(&p, "echo", sc_bytes_text("x")) == SC_OK);
  HOLDS(pair_wait(&p, 3, second) && p.outcome.status == SC_OK && p.sides[pair_client].closed == 0);
done:
  pair_end(&p, t);
}

static void a_malformed_request_closes_only_its_stream(sc_test *t) {
  static const char *const forms[] = {"0:",        "x",       "1234567890",
                                      "10000001:", "5:hello", "19:l01:Ci0e4:ping2:hie"};
  for (size_t i = 0; i < sizeof forms / sizeof forms[0] && !t->failed && !t->out_of_memory; i++)
    check_malformed(t, forms[i]);
}

SUITE(network_quic_request, "network/quic/request",
      {"a malformed request closes only its stream", a_malformed_request_closes_only_its_stream});
