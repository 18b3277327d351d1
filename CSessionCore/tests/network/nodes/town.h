/* A client's nodes, a host that records its calls, and controlled time. */
#ifndef SC_TESTS_NETWORK_NODES_TOWN_H
#define SC_TESTS_NETWORK_NODES_TOWN_H

#include "crowd.h"
#include "network/nodes/nodes.h"

enum { town_most_calls = 64, town_most_nodes = 400 };

typedef struct town_call {
  uint64_t token;
  sc_node node;
  sc_storage_method method;
  bool routed;
} town_call;

typedef struct town {
  sc_nodes *nodes;
  sc_node_options options;
  sc_node seeds[3];
  uint64_t now;  /* nanoseconds */
  uint64_t wall; /* milliseconds */
  town_call calls[town_most_calls];
  size_t call_count;
  bool refuses; /* the host cannot call */
  bool has_path;
  size_t paths_wanted;
  size_t saves[2];
  size_t replaced;
} town;

/* A recording waiter. */
typedef struct town_waiter {
  sc_refresh_waiter waiter;
  size_t times;
  bool refreshed;
} town_waiter;

static inline void town_told(void *user, bool refreshed) {
  town_waiter *waiter = user;
  waiter->times++;
  waiter->refreshed = refreshed;
}

static inline void town_waiter_init(town_waiter *waiter) {
  *waiter = (town_waiter){.waiter = {.done = town_told, .user = waiter}};
}

static inline sc_status town_take_call(void *user, uint64_t token, const sc_node *node,
                                       sc_storage_method method, bool routed) {
  town *w = user;
  if (w->call_count < town_most_calls)
    w->calls[w->call_count++] = (town_call){token, *node, method, routed};
  return w->refuses ? SC_ERR_QUIC_BUSY : SC_OK;
}

static inline bool town_has_path(void *user) {
  return ((town *)user)->has_path;
}

static inline void town_want_path(void *user) {
  ((town *)user)->paths_wanted++;
}

static inline void town_save(void *user, sc_nodes_file file) {
  ((town *)user)->saves[file]++;
}

static inline void town_replaced(void *user) {
  ((town *)user)->replaced++;
}

/* Usual options, a path, and three seeds, nodes 60000 to 60002; change options before town_open. */
static inline void town_init(town *w) {
  *w = (town){.now = 1000 * SC_NODE_SECOND, .wall = 1700000000000, .has_path = true};
  sc_node_options_default(&w->options, SC_NETWORK_MAIN);
  for (uint32_t i = 0; i < 3; i++)
    w->seeds[i] = crowd_node(60000 + i);
  w->options.seeds = w->seeds;
  w->options.seed_count = 3;
}

static inline sc_status town_open(town *w, sc_test *t) {
  const sc_nodes_host host = {.user = w,
                              .call_list = town_take_call,
                              .has_path = town_has_path,
                              .want_path = town_want_path,
                              .save = town_save,
                              .replaced = town_replaced};
  return sc_nodes_new(&w->nodes, t->env, &w->options, &host);
}

static inline void town_free(town *w) {
  sc_nodes_free(w->nodes);
  w->nodes = NULL;
}

/* Replies with nodes `first` up to `first + count`. */
static inline sc_status town_answer(town *w, size_t call, uint32_t first, uint32_t count) {
  static uint8_t body[town_most_nodes * SC_STORAGE_ACTIVE_NODE_BYTES];
  for (uint32_t i = 0; i < count; i++) {
    const sc_node node = crowd_node(first + i);
    sc_storage_node record = {
        .https_port = node.https_port, .quic_port = node.quic_port, .swarm = node.swarm};
    memcpy(record.ed25519, node.key, SC_KEY_BYTES);
    memcpy(record.ip, node.ip, 4);
    sc_storage_active_node_write(body + i * SC_STORAGE_ACTIVE_NODE_BYTES, &record);
  }
  return sc_nodes_replied(w->nodes, w->now, w->wall, w->calls[call].token,
                          sc_bytes_make(body, count * SC_STORAGE_ACTIVE_NODE_BYTES));
}

static inline sc_status town_refuse(town *w, size_t call) {
  return sc_nodes_failed(w->nodes, w->now, w->wall, w->calls[call].token, SC_ERR_REQUEST_TIMEOUT);
}

/* Lets time pass without running timers. */
static inline void town_wait(town *w, uint64_t nanoseconds) {
  w->now += nanoseconds;
  w->wall += nanoseconds / 1000000;
}

/* Lets time pass, and runs each timer when it is due. */
static inline sc_status town_pass(town *w, uint64_t nanoseconds) {
  uint64_t end = w->now + nanoseconds;
  sc_status status = SC_OK;
  while (status == SC_OK && sc_nodes_deadline(w->nodes) <= end) {
    uint64_t due = sc_nodes_deadline(w->nodes);
    town_wait(w, due > w->now ? due - w->now : 0);
    status = sc_nodes_advance(w->nodes, w->now, w->wall);
  }
  if (end > w->now)
    town_wait(w, end - w->now);
  return status;
}

static inline sc_refresh_want town_want(town *w, town_waiter *waiter) {
  return sc_nodes_want(w->nodes, w->now, w->wall, waiter == NULL ? NULL : &waiter->waiter);
}

/* Opens, and lets a seed return nodes 0 up to `count`. */
static inline sc_status town_settle(town *w, sc_test *t, uint32_t count) {
  sc_status status = town_open(w, t);
  if (status != SC_OK)
    return status;
  if (town_want(w, NULL) != SC_REFRESH_WAIT || w->call_count != 1)
    return SC_ERR_STATE;
  status = town_answer(w, 0, 0, count);
  w->call_count = 0;
  return status;
}

static inline bool town_is_seed(const town *w, const sc_node *node) {
  for (size_t i = 0; i < 3; i++)
    if (sc_node_same(node, &w->seeds[i]))
      return true;
  return false;
}

static inline size_t town_count(const town *w) {
  return sc_nodes_pool(w->nodes)->count;
}

/* The three called nodes return the same list. */
static inline sc_status town_answer_all(town *w, uint32_t count) {
  sc_status status = w->call_count == 3 ? SC_OK : SC_ERR_STATE;
  for (size_t i = 0; status == SC_OK && i < 3; i++)
    status = town_answer(w, i, 0, count);
  w->call_count = 0;
  return status;
}

/* The seed called last fails, and then the other two. */
static inline sc_status town_refuse_seeds(town *w) {
  size_t first = w->call_count - 1;
  sc_status status = SC_OK;
  for (size_t i = 0; status == SC_OK && i < 3; i++) {
    if (w->call_count != first + i + 1)
      return SC_ERR_STATE;
    status = town_refuse(w, first + i);
    if (status == SC_OK && i < 2)
      status = town_pass(w, SC_NODE_SECOND);
  }
  return status;
}

#endif
