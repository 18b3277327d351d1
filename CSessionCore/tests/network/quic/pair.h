/* A client and a server on a virtual network, and their results: the start of most QUIC tests. */
#ifndef SC_TESTS_QUIC_PAIR_H
#define SC_TESTS_QUIC_PAIR_H

#include "session-core/network/quic.h"
#include "support/test.h"
#include "virtual_net.h"

/* The condition holds, unless an allocation was refused: a transport may lose data for lack of memory, so
 * then the test requires only that nothing leaks, nothing breaks, and every call ends once. */
#define HOLDS(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      if (!pair_is_excused(t))                                                                               \
        sc_test_fail(t, __FILE__, __LINE__, #condition);                                                     \
      goto done;                                                                                             \
    }                                                                                                        \
  } while (0)

enum { pair_client = 0, pair_server = 1 };

/* The connection events of an endpoint. */
typedef struct pair_side {
  sc_quic_endpoint *endpoint;
  sc_quic_connection connection; /* the last one that opened */
  size_t opened;
  size_t closed;
  sc_status reason; /* of the last that closed */
  bool had_key;
  uint8_t peer_key[SC_KEY_BYTES];
} pair_side;

typedef struct pair_outcome {
  size_t done;
  size_t failed;    /* of those done */
  sc_status status; /* of the last */
  uint16_t code;
  size_t body_len;
  uint8_t body[64]; /* its beginning */
} pair_outcome;

typedef struct pair {
  net net;
  const sc_env *env;
  sc_ed25519_pair server_key;
  sc_quic_options options[2]; /* of client and server; pair_init sets the defaults */
  pair_side sides[2];
  sc_quic_target target; /* from client to server */
  sc_quic_connection connection;
  pair_outcome outcome;    /* of the calls made with pair_call */
  size_t calls;            /* made so */
  size_t connects;         /* that started */
  sc_quic_request kept[8]; /* pending requests to "later" */
  size_t kept_count;
  size_t handled;          /* by any handler */
  bool first_stream_alone; /* the server ignores other streams, as old nodes do */
  size_t on_other_streams; /* requests on a stream other than the first */
} pair;

/* Prepares options and the network; it cannot fail. */
void pair_init(pair *p, const sc_env *env, uint64_t seed);

/* Makes both endpoints and the server's handlers: "echo", "size" (how long the body was), "large" (as many
 * bytes as the body says), "later" (kept), "fail" (404). */
SC_NODISCARD sc_status pair_start(pair *p);
SC_NODISCARD sc_status pair_connect(pair *p);

/* Starts, connects and waits until the client's handshake is complete or its connection has failed. */
SC_NODISCARD sc_status pair_open(pair *p);

/* Frees all; every test ends with it. It fails if a call did not end, or ended twice. */
void pair_end(pair *p, sc_test *t);

bool pair_is_excused(sc_test *t);

SC_NODISCARD sc_status pair_call(pair *p, const char *name, sc_bytes body);
SC_NODISCARD sc_status pair_call_on(pair *p, uint32_t stream, const char *name, sc_bytes body);

/* Continues until that many calls are done (true) or the time is over. */
bool pair_wait(pair *p, size_t done, uint64_t time);

/* Lets time pass. */
void pair_pass(pair *p, uint64_t time);

#endif
