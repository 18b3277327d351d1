/* One round of a refresh: asking for lists until there are enough, or no candidate is left. */
#ifndef SC_SRC_NETWORK_NODES_ROUND_H
#define SC_SRC_NETWORK_NODES_ROUND_H

#include "ballot.h"
#include "session-core/network/node_options.h"

enum {
  sc_round_most_candidates = SC_NODE_MAX_SEEDS,
  sc_round_candidates_a_list = 4, /* nodes to try for one list before the round fails */
  sc_round_wide_agreeing = 6,     /* of SC_NODE_MAX_LISTS */
};

typedef enum sc_list_state {
  SC_LIST_ASKED,   /* a node; until `due` */
  SC_LIST_RESTING, /* until `due`; then the next candidate is tried */
  SC_LIST_THERE,
  SC_LIST_GIVEN_UP, /* no candidate is left */
} sc_list_state;

/* One of the lists that are wanted. */
typedef struct sc_round_list {
  sc_list_state state;
  uint64_t due;
  uint64_t token; /* of the question */
  size_t candidate;
  sc_storage_method method;
  unsigned failures;
} sc_round_list;

typedef struct sc_round {
  bool of_seeds;
  bool is_apart; /* lists come from different networks of 65536 addresses while there are such candidates */
  bool is_wide;  /* lists of more nodes were asked for, because those of the first ones change too much */
  sc_node candidates[sc_round_most_candidates];
  size_t candidate_count;
  size_t next_candidate;
  sc_round_list lists[SC_NODE_MAX_LISTS];
  size_t list_count;
  uint64_t last_token;
  sc_ballot ballot;
} sc_round;

/* The callbacks by which a round sends requests. */
typedef struct sc_round_asker {
  void *user;
  sc_status (*ask)(void *user, uint64_t token, const sc_node *node, sc_storage_method method, bool of_seeds);
  const sc_node_options *options;
} sc_round_asker;

void sc_round_init(sc_round *round, const sc_env *env);

/* Drops the round; answers to its questions are late. */
void sc_round_stop(sc_round *round);

/* Asks the first candidates, which are in place, for `lists` lists. */
void sc_round_begin(sc_round *round, const sc_round_asker *asker, uint64_t now, size_t lists);

/* Asks for so many lists in addition, to be weighed with those that are there; the candidates for them were
 * added. */
void sc_round_widen(sc_round *round, const sc_round_asker *asker, uint64_t now, size_t lists);

/* A node answered. SC_ERR_NOT_FOUND when it was not asked, or too long ago; SC_ERR_NODE_LIST for a reply that
 * is not a list, or is too short: then the next candidate is tried. */
SC_NODISCARD sc_status sc_round_answered(sc_round *round, const sc_round_asker *asker, uint64_t now,
                                         uint64_t token, sc_bytes body);

/* A node did not answer, or not with a list. SC_ERR_NOT_FOUND as before. */
SC_NODISCARD sc_status sc_round_failed(sc_round *round, const sc_round_asker *asker, uint64_t now,
                                       uint64_t token, sc_status why);

/* Does the work that is due. */
void sc_round_advance(sc_round *round, const sc_round_asker *asker, uint64_t now);

/* The next due time, or UINT64_MAX. A finished round is due at once. */
uint64_t sc_round_deadline(const sc_round *round);

/* Every list is there or given up. */
bool sc_round_is_over(const sc_round *round);

/* Fills the empty list from the replies. SC_ERR_NODE_LIST if there are too few replies, or too few nodes in
 * agreement. A wide round needs sc_round_wide_agreeing lists. */
SC_NODISCARD sc_status sc_round_result(sc_node_list *out, const sc_round *round,
                                       const sc_node_options *options);

/* The delay after the n-th failure, starting with 1. */
uint64_t sc_round_pause(const sc_node_options *options, unsigned failures);

#endif
