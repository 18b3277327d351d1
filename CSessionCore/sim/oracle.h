/* The invariants of every world. The oracle knows the whole world and observes clients through their public
 * API, each virtual second and at each callback. */
#ifndef SC_SIM_ORACLE_H
#define SC_SIM_ORACLE_H

#include "client.h"
#include "network/day.h"
#include "network/nodes/swarms.h"
#include "node.h"

/* A client whose own network has been well for so long is connected, if it has requests: one that has given
 * up retries on request, after a minute's backoff at most. */
#define ORACLE_HEAL_TIME (90 * SIM_SECOND)
#define ORACLE_IDLE_TIME (30 * SIM_SECOND)

/* So long after a request has ended, a copy of it may still be on its way and have its effect. */
#define ORACLE_ECHO_TIME (200 * SIM_SECOND)

enum { oracle_most_middles = 8, oracle_most_published = 8 };

/* With so many nodes no last hop sees two accounts. In a smaller network there may be no others. */
enum { oracle_enough_nodes = 150, oracle_most_seen = 4096 };

/* A store that was acknowledged to a client. */
typedef struct promise {
  uint8_t account[SC_STORAGE_ACCOUNT_BYTES];
  int16_t number;
  char hash[SC_STORAGE_HASH_CHARS + 1];
  uint64_t timestamp;
  uint64_t expiry;   /* the earliest that any client asked for */
  bool withdrawn;    /* a client with the right to do so asked to delete it */
  uint32_t *keepers; /* honest nodes that signed for it */
  size_t keeper_count;
} promise;

/* A deletion that was acknowledged. */
typedef struct burial {
  char hash[SC_STORAGE_HASH_CHARS + 1];
  uint32_t *signers; /* honest nodes */
  size_t signer_count;
} burial;

/* The way of one request, as far as it came. */
enum { trip_most_nodes = 16, oracle_trips = 1 << 14 };
typedef struct trip {
  uint64_t tag;
  uint32_t nodes[trip_most_nodes];
  uint32_t count;
} trip;

/* A list of nodes as a client has it, with the first days as the oracle reckons them; and which of them may
 * learn something of the client. */
typedef struct known_list {
  sc_node *nodes;
  size_t count;
  sc_day day;     /* when it was accepted */
  size_t changes; /* that nodes alone made on that day */
  uint8_t roles[SC_NETWORK_MAX_GUARDS + oracle_most_middles][SC_KEY_BYTES]; /* guards and middles */
  size_t role_count;
} known_list;

/* The guards of a client when its line turned hostile, and those that it tried since. */
typedef struct line_guards {
  uint8_t kept[SC_NETWORK_MAX_GUARDS][SC_KEY_BYTES];
  size_t kept_count;
  uint8_t tried[SC_NETWORK_MAX_GUARDS + 1][SC_KEY_BYTES];
  size_t tried_count;
} line_guards;

/* The guards of a client when they were looked at last, in their order. */
typedef struct known_guards {
  sc_network_guard list[SC_NETWORK_MAX_GUARDS];
  size_t count;
  uint64_t changes;     /* that the client has told */
  uint64_t grown_at;    /* one was added; 0 for never */
  uint64_t set_back_at; /* one was set back; 0 for never */
} known_guards;

/* A message in a client's inbox. */
typedef struct expected_message {
  char hash[SC_STORAGE_HASH_CHARS + 1];
  uint64_t expiry;
  uint64_t since; /* when all honest members had it; 0: not yet */
} expected_message;

/* The polls of a client, and what they have to bring. */
typedef struct known_polls {
  expected_message *expected;
  size_t count;
  size_t capacity;
  size_t in_a_row; /* polls of hostile members, since the last of an honest one */
} known_polls;

/* A last hop of a client, which saw the requests of one of its accounts. */
typedef struct seen_hop {
  uint8_t key[SC_KEY_BYTES];
  uint64_t local_account;
  uint64_t until; /* it should see no other */
} seen_hop;

typedef struct seen_hops {
  seen_hop list[oracle_most_seen];
  size_t next;
} seen_hops;

typedef struct oracle {
  bool broken;
  char what[200]; /* the first rule that did not hold */
  promise *promises;
  size_t promise_count;
  size_t promise_capacity;
  size_t next_promise; /* to look at */
  burial *burials;
  size_t burial_count;
  size_t burial_capacity;
  size_t next_burial;
  const client_call **withdrawals; /* requests that may end a promise */
  size_t withdrawal_count;
  size_t withdrawal_capacity;
  size_t died;          /* promises whose honest keepers all left for good */
  uint16_t *exposed_to; /* by client and node: a bad node + 1 whose way it shared; UINT16_MAX: of several */
  trip *trips;          /* a table by tag */
  uint32_t *redirects;  /* by client: how often a node said, sealed, that the account is elsewhere */
  known_list *lists;    /* by client */
  seen_hops *seen;      /* by client */
  line_guards *guards;  /* by client */
  known_polls *polls;   /* by client */
  size_t polls_made;
  known_guards *known_guards;                      /* by client */
  size_t line_checks;                              /* after its end */
  registry_list *published[oracle_most_published]; /* the last ones */
  size_t publications;
  uint32_t next_node;  /* whose strikes are looked at */
  size_t measurements; /* of clocks, and how many are wrong by more than half a minute */
  size_t wrong_clocks;
  size_t lists_taken;        /* from nodes alone … */
  size_t wide_changes;       /* … with more changes than one list may have */
  size_t placed;             /* requests about accounts that came to nodes … */
  size_t astray;             /* … and those that came to the wrong ones */
  uint64_t *hint_lost_at;    /* by client: when a request ended that a hint had led astray; 0: none did */
  uint32_t *astray_in_a_row; /* by client */
  size_t due;                /* requests that three attempts should bring to an end … */
  size_t lost;               /* … and those of them that failed */
  size_t bans;
  size_t most_memory;
  uint64_t longest_heal; /* nanoseconds from when a client's network was well until it was connected */
} oracle;

void oracle_init(world *w);
void oracle_free(world *w);

/* Begins to look each second. */
void oracle_begin(world *w);

/* The first rule that is broken ends the world. */
__attribute__((format(printf, 2, 3))) void oracle_break(world *w, const char *format, ...);

/* A client was told that a request is done. */
void oracle_judge(client_call *a, const sc_network_reply *reply);

/* A client takes a store as acknowledged by these nodes. In oracle_stores.c, as are the next five. */
void oracle_promise(client_call *a, const sc_storage_members *members);

/* A request leaves that may delete messages, or end their lives. */
void oracle_withdraw(const client_call *a);

/* A client was told what the members of a swarm did: those of an honest node's swarm, in their own words.
 * Deletions and revocations count from then on. */
void oracle_check_members(client_call *a, const sc_network_reply *reply);

/* A member of a group was let in. */
void oracle_check_admission(const client_call *a, const sc_network_reply *reply);

/* Checks some of the promises and deletions; at last, all of them. */
void oracle_check_stores(world *w, bool at_last);
void oracle_free_stores(oracle *o);

/* A request came to a node; or the node may speak of another, to which it did not come. */
void oracle_visit(world *w, uint64_t tag, const node *n);
void oracle_name(world *w, uint64_t tag, const node *n);

/* A request of so many bytes came to a node, which is its destination. */
void oracle_check_size(world *w, size_t size);

/* A client connects to a node, which learns its address. In oracle_clients.c. */
void oracle_contact(world *w, uint64_t tag, const sc_node *node);
bool oracle_is_guard(const client *c, const uint8_t key[static SC_KEY_BYTES]);

/* A client has another list of nodes. In oracle_lists.c, as are the next three. */
void oracle_take_list(const client *c);
void oracle_check_roles(const client *c);

/* Looks at the paths of a client. In oracle_paths.c. */
void oracle_check_paths(world *w, const client *c, size_t nodes);

/* A client starts, and knows nothing of its earlier paths. */
void oracle_forget_paths(const client *c);

/* A list was published. */
void oracle_note_list(world *w);
void oracle_free_lists(world *w);

/* Looks at the guards of a client. In oracle_guards.c. */
void oracle_check_guards(const client *c);

/* A client starts, and has told no changes yet. */
void oracle_forget_changes(const client *c);

/* The line of clients turns hostile. In oracle_line.c, as are the next two. */
void oracle_note_line(world *w);
void oracle_try_guard(const client *c, const uint8_t key[static SC_KEY_BYTES]);
void oracle_check_line(world *w);

/* A request about an account came to a node. In oracle_service.c, as are the next two. */
void oracle_check_place(const node *n, uint64_t tag, const uint8_t account[static SC_STORAGE_ACCOUNT_BYTES]);

/* A request ended at a node that a hint led to. */
void oracle_check_hint(const client_call *a, const sc_network_reply *reply);

/* A request ended, in a world whose hostile nodes all do the same. */
void oracle_count_service(const client_call *a, const sc_network_reply *reply);
void oracle_check_service(world *w);

/* A node said, sealed, that an account is elsewhere. */
void oracle_redirected(world *w, uint64_t tag);

/* True in worlds whose hostile nodes all do the same, but for lies about lists. In oracle_polls.c, as are the
 * next four: a client's own swarm as it computes it; a member is polled; it replied or did not; a message was
 * stored for a client. */
bool oracle_watches_polls(const world *w);
void oracle_check_swarm(const client *c, const sc_swarm *swarm);
void oracle_begin_poll(const client *c, const uint8_t member[static SC_KEY_BYTES]);
void oracle_end_poll(const client_call *a, bool good);
void oracle_expect(world *w, const promise *p);
void oracle_free_polls(world *w);

/* Looks at each client. In oracle_clients.c. */
void oracle_look(world *w);

/* Looks at everything one last time, when all has been well for long enough. */
void oracle_conclude(world *w);

/* Of a tag, the client. */
static inline uint64_t oracle_client_of(uint64_t tag) {
  return tag & 0xffff;
}

#endif
