/* One round of a refresh: calls nodes for lists until there are enough or no candidate is left. */
#ifndef SC_SRC_NETWORK_NODES_ROUND_H
#define SC_SRC_NETWORK_NODES_ROUND_H

#include "quorum.h"
#include "session-core/network/node_options.h"

enum {
  sc_round_most_candidates = SC_NODE_MAX_SEEDS,
  sc_round_candidates_a_list = 4, /* nodes called for one list before the round fails */
  sc_round_wide_agreeing = 6,     /* of SC_NODE_MAX_LISTS */
};

typedef enum sc_list_state {
  SC_LIST_CALLED,      /* a node was called; timeout at `due` */
  SC_LIST_BACKING_OFF, /* until `due`; then the next candidate is called */
  SC_LIST_THERE,
  SC_LIST_GIVEN_UP, /* no candidate is left */
} sc_list_state;

/* One of the wanted lists. */
typedef struct sc_round_list {
  sc_list_state state;
  uint64_t due;
  uint64_t token; /* identifies the call */
  size_t candidate;
  sc_storage_method method;
  unsigned failures;
} sc_round_list;

typedef struct sc_round {
  bool of_seeds;
  bool is_apart; /* lists come from different /16 networks while there are such candidates */
  bool is_wide;  /* more lists were requested, because the first ones change too much */
  sc_node candidates[sc_round_most_candidates];
  size_t candidate_count;
  size_t next_candidate;
  sc_round_list lists[SC_NODE_MAX_LISTS];
  size_t list_count;
  uint64_t last_token;
  sc_quorum quorum;
} sc_round;

/* The callbacks by which a round sends requests. */
typedef struct sc_round_caller {
  void *user;
  sc_status (*call_list)(void *user, uint64_t token, const sc_node *node, sc_storage_method method,
                         bool of_seeds);
  const sc_node_options *options;
} sc_round_caller;

void sc_round_init(sc_round *round, const sc_env *env);

/* Drops the round; later replies are ignored. */
void sc_round_stop(sc_round *round);

/* Calls the first candidates, which must be set, for `lists` lists. */
void sc_round_begin(sc_round *round, const sc_round_caller *caller, uint64_t now, size_t lists);

/* Calls more candidates, which must have been added, for this many additional lists, to be compared with the
 * first ones. */
void sc_round_widen(sc_round *round, const sc_round_caller *caller, uint64_t now, size_t lists);

/* Passes a node's reply. SC_ERR_NOT_FOUND if it was not called, or its call timed out; SC_ERR_NODE_LIST for a
 * reply that is not a list or is too short: then the next candidate is called. */
SC_NODISCARD sc_status sc_round_replied(sc_round *round, const sc_round_caller *caller, uint64_t now,
                                        uint64_t token, sc_bytes body);

/* Reports that a node did not reply with a list. SC_ERR_NOT_FOUND as above. */
SC_NODISCARD sc_status sc_round_failed(sc_round *round, const sc_round_caller *caller, uint64_t now,
                                       uint64_t token, sc_status why);

/* Does the work that is due. */
void sc_round_advance(sc_round *round, const sc_round_caller *caller, uint64_t now);

/* Returns the next due time, or UINT64_MAX. A finished round is due at once. */
uint64_t sc_round_deadline(const sc_round *round);

/* True if every list has arrived or was given up. */
bool sc_round_is_over(const sc_round *round);

/* Fills the empty list from the replies. SC_ERR_NODE_LIST if there are too few replies, or too few nodes in
 * agreement. A wide round needs sc_round_wide_agreeing lists. */
SC_NODISCARD sc_status sc_round_result(sc_node_list *out, const sc_round *round,
                                       const sc_node_options *options);

/* Returns the delay after this many failures, at least 1. */
uint64_t sc_round_backoff(const sc_node_options *options, unsigned failures);

#endif
