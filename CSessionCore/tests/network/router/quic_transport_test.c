#include "network/router/quic_transport.h"

#include "../quic/pair.h"

/* A transport in place of the pair's client. */
typedef struct scene {
  pair p;
  sc_quic_transport *transport;
  sc_node node;
  size_t made, done;
  sc_status status;
} scene;

static sc_status begin(scene *s, const sc_env *env, uint16_t major, uint16_t minor) {
  *s = (scene){.status = SC_OK};
  pair_init(&s->p, env, 120);
  memcpy(s->node.key, s->p.target.key, SC_KEY_BYTES);
  memcpy(s->node.ip, s->p.target.address.ip, sizeof s->node.ip);
  s->node.quic_port = s->p.target.address.port;
  s->node.version[0] = major;
  s->node.version[1] = minor;
  sc_status status = pair_start(&s->p);
  if (status == SC_OK)
    status = sc_quic_transport_new(&s->transport, env, 4);
  if (status == SC_OK)
    (void)net_add(&s->p.net, sc_quic_transport_driven(s->transport));
  return status;
}

static void end(scene *s, sc_test *t) {
  sc_quic_transport_free(s->transport);
  pair_end(&s->p, t);
  if (s->done != s->made)
    sc_test_fail(t, __FILE__, __LINE__, "every call ends once");
}

static void note_done(void *user, sc_quic_call call, const sc_quic_result *result) {
  scene *s = user;
  (void)call;
  s->done++;
  s->status = result->status;
}

/* One call, to connect, and then several at once. */
static bool calls_are_answered(scene *s) {
  sc_transport face = sc_quic_transport_face(s->transport);
  const sc_transport_request request = {.command = sc_bytes_text("echo"),
                                        .body = sc_bytes_text("x"),
                                        .timeout = 10 * second,
                                        .done = note_done,
                                        .user = s};
  for (size_t round = 0; round < 2; round++) {
    for (size_t i = 0; i < 1 + 4 * round; i++) {
      sc_quic_call number;
      if (face.methods->call(face.self, &number, s->p.net.now, &s->node, &request) != SC_OK)
        return false;
      s->made++;
    }
    pair_pass(&s->p, second);
  }
  return s->done == 6 && s->made == 6 && s->status == SC_OK;
}

static void check_old(sc_test *t, uint16_t major, uint16_t minor) {
  scene s;
  HOLDS(begin(&s, t->env, major, minor) == SC_OK);
  s.p.first_stream_alone = true;
  HOLDS(calls_are_answered(&s) && s.p.on_other_streams == 0);
done:
  end(&s, t);
}

static void old_and_unknown_nodes_are_called_on_the_first_stream(sc_test *t) {
  static const uint16_t versions[][2] = {{0, 0}, {1, 9}, {2, 2}, {2, 8}};
  for (size_t i = 0; i < sizeof versions / sizeof versions[0] && !t->failed && !t->out_of_memory; i++)
    check_old(t, versions[i][0], versions[i][1]);
}

static void check_new(sc_test *t, uint16_t major, uint16_t minor) {
  scene s;
  HOLDS(begin(&s, t->env, major, minor) == SC_OK);
  HOLDS(calls_are_answered(&s) && s.p.on_other_streams == 5);
done:
  end(&s, t);
}

static void newer_nodes_are_called_on_every_stream(sc_test *t) {
  static const uint16_t versions[][2] = {{2, 9}, {2, 11}, {3, 0}};
  for (size_t i = 0; i < sizeof versions / sizeof versions[0] && !t->failed && !t->out_of_memory; i++)
    check_new(t, versions[i][0], versions[i][1]);
}

SUITE(network_router_quic_transport, "network/router/quic_transport",
      {"old and unknown nodes are called on the first stream",
       old_and_unknown_nodes_are_called_on_the_first_stream},
      {"newer nodes are called on every stream", newer_nodes_are_called_on_every_stream});
