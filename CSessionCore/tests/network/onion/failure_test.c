#include <stdio.h>

#include "path.h"
#include "support/test.h"

typedef struct known_failure {
  int code;
  const char *body;
  sc_onion_failure_kind kind;
} known_failure;

static void every_known_text_is_recognised(sc_test *t) {
  static const known_failure known[] = {
      {400, "Error parsing onion request: bad", SC_ONION_FAILED_REQUEST},
      {400, "Invalid internal onion request: bad", SC_ONION_FAILED_RELAY},
      {400, "Invalid ciphertext", SC_ONION_FAILED_OPENING},
      {400, "onion request max path length exceeded", SC_ONION_FAILED_LENGTH},
      {429, "Too many requests, try again later", SC_ONION_FAILED_RATE},
      {500, "Invalid response from snode", SC_ONION_FAILED_RESPONSE},
      {503, "Service node is not ready: not done syncing\n", SC_ONION_FAILED_GUARD_NOT_READY},
      {503, "Server busy, try again later", SC_ONION_FAILED_GUARD_BUSY},
      {504, "Request time out", SC_ONION_FAILED_TIMEOUT},
      {500, "Invalid ciphertext", SC_ONION_FAILED_OTHERWISE},
      {502, "could not connect", SC_ONION_FAILED_OTHERWISE},
      {200, "", SC_ONION_FAILED_OTHERWISE},
  };
  path p;
  path_make(&p);
  sc_onion_failure failure;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    sc_onion_failure_parse(&failure, known[i].code, sc_bytes_text(known[i].body), p.hops, 3, &p.node);
    CHECK(failure.kind == known[i].kind && failure.code == known[i].code && failure.node == SC_ONION_NO_NODE);
  }
done:;
}

static void other_texts_of_the_last_hop_concern_the_server(sc_test *t) {
  path p;
  path_make(&p);
  sc_onion_failure failure;
  sc_onion_failure_parse(&failure, 502, sc_bytes_text("SSL error"), p.hops, 3, &p.server);
  CHECK(failure.kind == SC_ONION_FAILED_SERVER);
  sc_onion_failure_parse(&failure, 504, sc_bytes_text("slow"), p.hops, 3, &p.server);
  CHECK(failure.kind == SC_ONION_FAILED_SERVER_TIMEOUT);
  sc_onion_failure_parse(&failure, 504, sc_bytes_text("Request time out"), p.hops, 3, &p.server);
  CHECK(failure.kind == SC_ONION_FAILED_TIMEOUT);
  sc_onion_failure_parse(&failure, 504, sc_bytes_text("slow"), p.hops, 3, &p.node);
  CHECK(failure.kind == SC_ONION_FAILED_OTHERWISE);
  sc_onion_failure_parse(&failure, 502, (sc_bytes){0}, NULL, 0, &p.server); /* no text at all */
  CHECK(failure.kind == SC_ONION_FAILED_SERVER);
done:;
}

static void name_node(char *out, size_t size, const char *before, const sc_keypair *keys, const char *after) {
  char digits[SC_HEX_CHARS(SC_KEY_BYTES) + 1];
  sc_hex_encode(digits, SC_BYTES(keys->ed.public_key));
  snprintf(out, size, "%s%s%s", before, digits, after);
}

static void a_failure_may_name_a_node_of_the_path(sc_test *t) {
  static const char *const before[] = {"Next node not found: ", "Next node is currently unreachable: "};
  path p;
  path_make(&p);
  sc_onion_failure failure;
  char body[256];
  for (size_t i = 1; i < 3; i++) {
    name_node(body, sizeof body, before[i - 1], &p.keys[i], i == 1 ? "" : "\n");
    sc_onion_failure_parse(&failure, 502, sc_bytes_text(body), p.hops, 3, &p.node);
    CHECK(failure.kind == (i == 1 ? SC_ONION_FAILED_NEXT_UNKNOWN : SC_ONION_FAILED_NEXT_UNREACHABLE));
    CHECK(failure.node == i);
  }
  name_node(body, sizeof body, "Snode not ready: ", path_destination(&p), "");
  sc_onion_failure_parse(&failure, 503, sc_bytes_text(body), p.hops, 3, &p.node);
  CHECK(failure.kind == SC_ONION_FAILED_NODE_NOT_READY && failure.node == 3);
  sc_onion_failure_parse(&failure, 503, sc_bytes_text(body), p.hops, 3, &p.server);
  CHECK(failure.node == SC_ONION_NO_NODE);
done:;
}

/* The reference accepts any key anywhere in a text, so a hostile hop can have any node struck. */
static void a_node_outside_the_path_is_ignored(sc_test *t) {
  path p;
  path_make(&p);
  sc_onion_failure failure;
  char body[256];
  static const size_t strangers[] = {0, 3, 5};
  for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++) {
    name_node(body, sizeof body, "Next node not found: ", &p.keys[strangers[i]], "");
    sc_onion_failure_parse(&failure, 502, sc_bytes_text(body), p.hops, 3, &p.node);
    CHECK(failure.kind == SC_ONION_FAILED_NEXT_UNKNOWN && failure.node == SC_ONION_NO_NODE);
  }
done:;
}

static void a_key_elsewhere_in_the_text_is_ignored(sc_test *t) {
  path p;
  path_make(&p);
  sc_onion_failure failure;
  char body[256];
  name_node(body, sizeof body, "error: Next node not found: ", &p.keys[1], "");
  sc_onion_failure_parse(&failure, 502, sc_bytes_text(body), p.hops, 3, &p.node);
  CHECK(failure.kind == SC_ONION_FAILED_OTHERWISE && failure.node == SC_ONION_NO_NODE);
  name_node(body, sizeof body, "Next node not found:  ", &p.keys[1], "");
  sc_onion_failure_parse(&failure, 502, sc_bytes_text(body), p.hops, 3, &p.node);
  CHECK(failure.node == SC_ONION_NO_NODE);
done:;
}

static void a_key_is_exactly_64_digits(sc_test *t) {
  static const char *const after[] = {"0", "a", ".", "00"};
  path p;
  path_make(&p);
  sc_onion_failure failure;
  char body[256];
  for (size_t i = 0; i < sizeof after / sizeof after[0]; i++) {
    name_node(body, sizeof body, "Next node not found: ", &p.keys[1], after[i]);
    sc_onion_failure_parse(&failure, 502, sc_bytes_text(body), p.hops, 3, &p.node);
    CHECK(failure.node == SC_ONION_NO_NODE);
  }
  name_node(body, sizeof body, "Next node not found: ", &p.keys[1], "");
  body[strlen(body) - 1] = '\0';
  sc_onion_failure_parse(&failure, 502, sc_bytes_text(body), p.hops, 3, &p.node);
  CHECK(failure.node == SC_ONION_NO_NODE);
done:;
}

static void the_quic_prefix_is_removed(sc_test *t) {
  path p;
  path_make(&p);
  sc_onion_failure failure;
  char body[256];
  name_node(body, sizeof body, "502 Bad Gateway\n\nNext node not found: ", &p.keys[2], "");
  sc_onion_failure_parse(&failure, 0, sc_bytes_text(body), p.hops, 3, &p.node);
  CHECK(failure.kind == SC_ONION_FAILED_NEXT_UNKNOWN && failure.code == 502 && failure.node == 2);
  sc_onion_failure_parse(&failure, 502, sc_bytes_text(body), p.hops, 3, &p.node);
  CHECK(failure.kind == SC_ONION_FAILED_NEXT_UNKNOWN && failure.node == 2);
done:;
}

static void an_invalid_prefix_is_kept(sc_test *t) {
  static const char *const bodies[] = {"",        "502",           "502 ",      "502 Bad",    "502 Bad\n",
                                       "502 B\n", "502 B\nx\n\ny", "50x B\n\n", "5020 B\n\n", "502\n\n"};
  path p;
  path_make(&p);
  sc_onion_failure failure;
  for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
    sc_onion_failure_parse(&failure, 0, sc_bytes_text(bodies[i]), p.hops, 3, &p.node);
    CHECK(failure.kind == SC_ONION_FAILED_OTHERWISE && failure.code == 0);
  }
done:;
}

static void a_client_understands_the_failures_a_node_writes(sc_test *t) {
  path p;
  path_make(&p);
  sc_onion_failure failure;
  sc_buffer text;
  int code;
  sc_buffer_init(&text, t->env);
  for (int kind = SC_ONION_FAILED_REQUEST; kind <= SC_ONION_FAILED_SERVER_TIMEOUT; kind++) {
    OK(sc_onion_failure_write(&text, &code, (sc_onion_failure_kind)kind, p.hops[1].ed25519,
                              sc_bytes_text("details")));
    sc_onion_failure_parse(&failure, code, sc_buffer_bytes(&text), p.hops, 3, &p.server);
    CHECK(failure.kind == (sc_onion_failure_kind)kind && failure.code == code);
    bool names = kind == SC_ONION_FAILED_NEXT_UNKNOWN || kind == SC_ONION_FAILED_NEXT_UNREACHABLE ||
                 kind == SC_ONION_FAILED_NODE_NOT_READY;
    CHECK(failure.node == (names ? 1 : SC_ONION_NO_NODE));
  }
  FAILS(SC_ERR_ARGUMENT, sc_onion_failure_write(&text, &code, SC_ONION_FAILED_OTHERWISE, p.hops[1].ed25519,
                                                sc_bytes_text("")));
  FAILS(SC_ERR_ARGUMENT, sc_onion_failure_write(&text, &code, (sc_onion_failure_kind)99, p.hops[1].ed25519,
                                                sc_bytes_text("")));
  FAILS(SC_ERR_ARGUMENT,
        sc_onion_failure_write(&text, &code, SC_ONION_FAILED_NEXT_UNKNOWN, NULL, sc_bytes_text("")));
  CHECK(text.len == 0);
done:
  sc_buffer_free(&text);
}

static void a_node_that_is_not_ready_gives_the_reason(sc_test *t) {
  sc_buffer text;
  int code;
  sc_buffer_init(&text, t->env);
  OK(sc_onion_failure_write(&text, &code, SC_ONION_FAILED_GUARD_NOT_READY, NULL, sc_bytes_text("syncing")));
  CHECK(code == 503);
  SAME(sc_bytes_text("Service node is not ready: syncing\n"), sc_buffer_bytes(&text));
done:
  sc_buffer_free(&text);
}

SUITE(network_onion_failure, "network/onion/failure",
      {"every known text is recognised", every_known_text_is_recognised},
      {"other texts of the last hop concern the server", other_texts_of_the_last_hop_concern_the_server},
      {"a failure may name a node of the path", a_failure_may_name_a_node_of_the_path},
      {"a node outside the path is ignored", a_node_outside_the_path_is_ignored},
      {"a key elsewhere in the text is ignored", a_key_elsewhere_in_the_text_is_ignored},
      {"a key is exactly 64 digits", a_key_is_exactly_64_digits},
      {"the QUIC prefix is removed", the_quic_prefix_is_removed},
      {"an invalid prefix is kept", an_invalid_prefix_is_kept},
      {"a client understands the failures a node writes", a_client_understands_the_failures_a_node_writes},
      {"a node that is not ready gives the reason", a_node_that_is_not_ready_gives_the_reason});
