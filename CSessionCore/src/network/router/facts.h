/* The parts of a storage node's reply that the router needs: the node's time and fork, and the positions of
 * the results of a batch. */
#ifndef SC_SRC_NETWORK_ROUTER_FACTS_H
#define SC_SRC_NETWORK_ROUTER_FACTS_H

#include <stdbool.h>

#include "session-core/network/storage_request.h"

typedef struct sc_reply_result {
  int code;      /* 0 for a result that cannot be read */
  sc_bytes body; /* its text in the reply: JSON; empty if there is none */
} sc_reply_result;

typedef struct sc_reply_facts {
  bool has_time;
  uint64_t time;
  bool has_fork;
  uint16_t fork[2];
  bool has_results;
  sc_reply_result results[SC_STORAGE_MAX_BATCH];
  size_t result_count;  /* results present … */
  size_t results_named; /* … of this many in the reply */
} sc_reply_facts;

/* False, without facts, unless `body` is a JSON object and its results a list. Borrows from it. For a batch,
 * time and fork are those of the result with the latest time. */
bool sc_reply_facts_read(sc_reply_facts *out, sc_bytes body);

/* Returns the code of all results if it is the same failure; otherwise 0. */
int sc_reply_facts_uniform_failure(const sc_reply_facts *facts);

#endif
