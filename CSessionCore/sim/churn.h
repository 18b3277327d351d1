/* Changes of membership: nodes leave for good, join, move, lose their swarm, and swarms come and go. */
#ifndef SC_SIM_CHURN_H
#define SC_SIM_CHURN_H

#include <stdint.h>

typedef struct world world;

typedef enum churn_kind {
  CHURN_LEAVE,
  CHURN_JOIN,
  CHURN_MOVE,
  CHURN_DECOMMISSION,
  CHURN_DISSOLVE,
  CHURN_FOUND,
} churn_kind;
enum { churn_kind_count = 6 };

/* Begins, where there is to be any. */
void churn_begin(world *w);

/* One change, if the network can afford it; `node` where it is about one. */
void churn_once(world *w, churn_kind kind, uint32_t node);

#endif
