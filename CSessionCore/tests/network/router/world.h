/* A network in virtual time for router tests: nodes that peel, relay and answer onion requests with the
 * core's own node half, a server behind them, and a transport for the client.
 *
 * Nodes misbehave on request. They do not allocate from the test's environment. */
#ifndef SC_TESTS_ROUTER_WORLD_H
#define SC_TESTS_ROUTER_WORLD_H

#include "network/quic/pair.h"
#include "network/router/network.h"
#include "support/test.h"

enum {
  world_most_nodes = 64,
  world_most_events = 512,
  world_most_seen = 512,
  world_most_outcomes = 128,
  world_latency_ms = 10, /* of every reply and handshake */
};

#define WORLD_MS ((uint64_t)1000000)
#define WORLD_SECOND ((uint64_t)1000000000)
#define WORLD_WALL UINT64_C(1700000000000)

typedef enum world_mood {
  WORLD_FINE,
  WORLD_DEAF,      /* refuses connections and never replies */
  WORLD_SILENT,    /* connects, but never replies or relays */
  WORLD_IMPOSTOR,  /* shows another key */
  WORLD_SAYS,      /* as a hop, replies with `code` and `text` to requests passing through */
  WORLD_ANSWERS,   /* as a destination, replies with `code` and `text` */
  WORLD_FORGES,    /* forges a success for requests passing through */
  WORLD_REFLECTS,  /* as a hop, returns the layer that it should pass on */
  WORLD_GARBLES,   /* as a destination, replies with garbage */
  WORLD_HAS_MOVED, /* redirects account requests with 421, naming `names` */
} world_mood;

typedef struct world_node {
  sc_keypair keys;
  sc_node node;
  world_mood mood;
  int code;
  const char *text;
  bool names_next; /* the text ends with the next hop's key */
  size_t names[8]; /* indexes */
  size_t name_count;
  int64_t clock_offset; /* milliseconds */
  bool connected;
  bool open;
  size_t calls;    /* requests that reached it as guard */
  size_t answered; /* as destination */
  size_t called_directly;
} world_node;

typedef struct world_event {
  uint64_t at;
  uint64_t order;
  sc_quic_call call; /* 0: the handshake of `node` */
  size_t node;
  sc_quic_done done;
  void *user;
  sc_status status;
  uint8_t *body;
  size_t len;
} world_event;

/* A request a destination received. */
typedef struct world_seen {
  size_t node; /* world_most_nodes for the server */
  sc_storage_method method;
  size_t batch; /* requests in it */
  char text[160];
} world_seen;

typedef struct world_outcome {
  sc_network_ticket ticket;
  sc_status status;
  int code;
  uint32_t attempts;
  size_t times; /* callbacks called */
  char body[256];
  uint8_t node[SC_KEY_BYTES];
  size_t keepers; /* members of the swarm that was asked … */
  bool is_keeper; /* … the node among them */
} world_outcome;

typedef struct world {
  const sc_env *env;
  sc_network *network;
  sc_network_options options;
  sc_node seeds[1]; /* the first node */
  uint64_t now;
  world_node nodes[world_most_nodes];
  size_t node_count;
  sc_keypair server;
  sc_transport_listener listener;
  world_event events[world_most_events];
  size_t event_count;
  uint64_t order;
  sc_quic_call last_call;
  world_seen seen[world_most_seen];
  size_t seen_count;
  world_outcome outcomes[world_most_outcomes];
  size_t outcome_count;
  size_t status_events;
  sc_network_state last_state;
  size_t path_events;
  size_t saves[4];
  bool refuses_batches; /* destinations answer 400 to batches */
  size_t short_batches; /* results destinations omit … */
  size_t spare_results; /* … or add */
  bool are_old;         /* nodes do not know the binary list */
  size_t small_calls;   /* calls on the stream for small requests */
  sc_status refuses;    /* the status of the transport's next call, once */
  size_t late_calls;    /* this many of the next replies … */
  uint64_t late_by;     /* … arrive this much later */
  uint64_t pool_age;    /* of the list that there is at the start, in milliseconds */
  uint64_t heard_at;    /* when a connection was last lost */
  uint64_t cut_at;      /* nothing arrives since then, and nothing tells; 0: all is well */
} world;

/* Begins a test with a started world of `count` nodes in swarms of `swarm_size`. HOLDS states what must hold
 * unless an allocation was refused. */
#define WORLD(count, swarm_size)                                                                             \
  static world w;                                                                                            \
  world_init(&w, t->env, (count), (swarm_size))

/* `count` nodes in swarms of `swarm_size`, and the options of a private network, to be changed before
 * world_start. */
void world_init(world *w, const sc_env *env, size_t count, size_t swarm_size);

/* Makes the network, with all nodes in its pool, and resumes it. */
SC_NODISCARD sc_status world_start(world *w);

/* The same without a pool: it has to call the seed. */
SC_NODISCARD sc_status world_start_empty(world *w);

/* Frees all. It fails if a request did not end, or ended twice. */
void world_end(world *w, sc_test *t);

/* Lets time pass. */
void world_pass(world *w, uint64_t time);

/* Continues until that many requests have ended, or for a minute. */
bool world_wait(world *w, size_t outcomes);

/* Continues until the network is connected, or for a minute. */
bool world_connect(world *w);

/* The account whose swarm is that of the node at `index`. */
void world_account(uint8_t out[static SC_STORAGE_ACCOUNT_BYTES], const world *w, size_t index);

/* A retrieve from a namespace of that account. */
sc_storage_request world_retrieve(const world *w, size_t index, int16_t number);

/* Sends `storage` to a swarm or node, and records its result in the next outcome. */
SC_NODISCARD sc_status world_call_swarm(world *w, const sc_storage_request *storage);
SC_NODISCARD sc_status world_call_node(world *w, size_t index, const sc_storage_request *storage);
SC_NODISCARD sc_status world_call_server(world *w, const char *endpoint);
SC_NODISCARD sc_status world_send(world *w, sc_network_request *request);

/* Index of the node, or world_most_nodes. */
size_t world_index(const world *w, const uint8_t *key);

/* Breaks the connection to a node. */
void world_break(world *w, size_t index, sc_status reason);

/* The only active path of a category, with the place of its nodes in the world; false when there is none. */
bool world_path(sc_network_path *out, const world *w, sc_network_category category);
size_t world_active(const world *w, sc_network_category category);

/* The number of requests with this method that a node, or any, answered as destination. */
size_t world_count_seen(const world *w, sc_storage_method method);

#endif
