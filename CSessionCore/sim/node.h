/* A node: its keys, its knowledge of the network, its store, and its faults. */
#ifndef SC_SIM_NODE_H
#define SC_SIM_NODE_H

#include "driver.h"
#include "node_store.h"
#include "registry.h"
#include "session-core/crypto/keys.h"
#include "session-core/network/quic.h"
#include "wire.h"

/* The misbehaviour of a hostile node, some of the time. */
typedef enum trait {
  TRAIT_FORGE = 1 << 0,    /* as a hop: errors that name others, or pretend to be the destination's */
  TRAIT_GARBAGE = 1 << 1,  /* replies of random bytes */
  TRAIT_SWALLOW = 1 << 2,  /* requests are never answered */
  TRAIT_TAMPER = 1 << 3,   /* flips a bit in what it passes on */
  TRAIT_TRUNCATE = 1 << 4, /* cuts off what it passes back */
  TRAIT_REPLAY = 1 << 5,   /* answers with an earlier reply */
  TRAIT_LIST = 1 << 6,     /* tells of nodes and swarms that there are not */
  TRAIT_STORE = 1 << 7,    /* claims that it and others stored what no node stored */
  TRAIT_MOODY = 1 << 8,    /* as the destination, answers with any code there is */
  /* Lists on which all nodes with the same trait agree: */
  TRAIT_FRIENDS = 1 << 9,    /* only hostile nodes are in the network */
  TRAIT_DRIFT = 1 << 10,     /* of the honest nodes, 3 % more have been replaced every five minutes */
  TRAIT_ONE_SWARM = 1 << 11, /* all nodes are in the swarm of a hostile node */
  TRAIT_CLOCK = 1 << 12,     /* its clock is an hour ahead, as is that of all nodes with this trait */
  TRAIT_REFLECT = 1 << 13,   /* sends a layer of the request back */
  TRAIT_BUSY = 1 << 14,      /* claims to be busy, on any hop */
  TRAIT_BLAME = 1 << 15,     /* claims that the next hop cannot be reached */
  TRAIT_CAPTURE = 1 << 16,   /* as a member of a swarm, says that accounts are elsewhere */
  TRAIT_HIDE = 1 << 17,      /* as a member of a swarm, gives old messages only, some of them, or none */
} trait;
enum { trait_count = 9 /* that are drawn at random */, trait_all = 18 };

/* "forge"; and the trait of a name, 0 if there is none. */
const char *trait_name(unsigned index);
uint32_t trait_named(const char *name);

/* The faults that may hit any node for a while. */
typedef enum trouble {
  TROUBLE_NONE,
  TROUBLE_DEAD,
  TROUBLE_CUT,
  TROUBLE_LOSSY,
  TROUBLE_UNREADY,
  TROUBLE_DEAF,    /* to news of lists */
  TROUBLE_SLOW,    /* its line carries little */
  TROUBLE_STALLED, /* it answers late, or never in time */
} trouble;

/* A node that has stored what another member of its swarm could not be told. */
typedef struct outbox_entry {
  uint32_t to;
  uint32_t tries;
  bool under_way;
  char hash[SC_STORAGE_HASH_CHARS + 1];
} outbox_entry;

/* An answer that the node has not sent yet. */
typedef struct late_answer {
  wire_call call;
  bool is_error;
  blob *body;
} late_answer;

/* A request that came over QUIC, and when. */
typedef struct node_quic_request {
  sc_quic_request number;
  uint32_t life;
} node_quic_request;

typedef struct node {
  world *world;
  uint32_t index;
  wire_host host;
  const sc_keypair *keys; /* shared by all worlds */
  uint8_t ip[4];
  uint16_t quic_port;
  registry_list *list; /* its knowledge of the others; NULL before it has joined */
  int64_t clock_ms;    /* that its clock is ahead */
  bool ready;          /* or not done syncing */
  trouble trouble;
  uint32_t troubles; /* so far */
  bool gone;         /* for good */
  uint32_t traits;
  uint32_t wickedness; /* of 1000 occasions, how many it takes */
  bool old;            /* it does not know the binary list of nodes */
  bool blemished;      /* something was wrong with it at some time, so that strikes against it are just */
  node_store store;
  outbox_entry *outbox;
  size_t outbox_count;
  size_t outbox_capacity;
  bool outbox_due; /* it is on the agenda */
  driver driver;
  sc_quic_endpoint *quic; /* NULL without QUIC in the plan, and while the node is dead */
  uint32_t quic_life;     /* which endpoint of this node it is */
  node_quic_request *quic_requests;
  size_t quic_request_count;
  size_t quic_request_capacity;
  late_answer *late;
  size_t late_count; /* so far */
  size_t late_capacity;
  blob *kept_reply; /* for TRAIT_REPLAY */
} node;

/* Fills in what follows from the index: keys and address. */
void node_init(node *n, world *w, uint32_t index);
void node_free(node *n);

/* Which node would have this address, if there are so many. */
uint32_t node_index_at(const uint8_t ip[static 4]);

/* Handles a message to the node; a wire_handler. */
void node_handle(void *user, const wire_request *request);

bool node_is_honest(const node *n);
bool node_is_ready(const node *n);
uint64_t node_wall(const node *n);

/* As lists have it. */
sc_storage_node node_record(const node *n, uint64_t swarm);

/* Answers a request from any transport. */
void node_answer(node *n, wire_call call, bool is_error, sc_bytes body);

void node_die(node *n);
void node_revive(node *n);

/* The node of a key, or NULL. */
node *node_find(world *w, const uint8_t key[static 32]);

/* Learns of a new list, and does what a change of membership asks for. */
void node_learn(node *n, registry_list *list);

static inline bool node_has(const node *n, trait t) {
  return (n->traits & (uint32_t)t) != 0;
}

#endif
