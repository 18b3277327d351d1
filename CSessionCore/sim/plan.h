/* The parameters of a world: its size, and how much goes wrong in it. */
#ifndef SC_SIM_PLAN_H
#define SC_SIM_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of things that go wrong. */
typedef enum fault {
  FAULT_DEATHS = 1 << 0,     /* nodes die and come back */
  FAULT_CUTS = 1 << 1,       /* nodes lose their line for a while */
  FAULT_LOSS = 1 << 2,       /* lines lose packets, or are slow */
  FAULT_SYNCING = 1 << 3,    /* nodes say that they are not ready */
  FAULT_STALE = 1 << 4,      /* nodes do not hear of new lists */
  FAULT_CHURN = 1 << 5,      /* nodes leave and join, swarms come and go */
  FAULT_ISLANDS = 1 << 6,    /* the network falls apart for a while */
  FAULT_CLOCKS = 1 << 7,     /* nodes are minutes early or late */
  FAULT_LIARS = 1 << 8,      /* hostile nodes */
  FAULT_SERVERS = 1 << 9,    /* servers answer with errors, or not at all */
  FAULT_OUTAGES = 1 << 10,   /* clients lose their line */
  FAULT_SUSPENDS = 1 << 11,  /* clients are suspended and resumed */
  FAULT_OWN_CLOCK = 1 << 12, /* clients are minutes early or late */
  FAULT_OLD = 1 << 13,       /* nodes do not know all methods yet */
  FAULT_STALLS = 1 << 14,    /* nodes take long to answer */
} fault;
enum { fault_count = 15 };

/* Worlds in which one rule is broken on purpose, to see that it would be noticed. */
typedef enum flaw {
  FLAW_NONE,
  FLAW_TWICE,   /* requests are completed twice */
  FLAW_NEVER,   /* or never */
  FLAW_LATE,    /* or when their time is long over */
  FLAW_FORGET,  /* nodes forget what they acknowledged */
  FLAW_BELIEVE, /* clients believe text that a hop wrote */
  FLAW_STATE,   /* a client's clock is where no destination put it */
  FLAW_HOARD,   /* clients do not let go of memory */
  FLAW_STUCK,   /* clients do not connect again */
  FLAW_SHARE,   /* a node has two places on the paths of a client */
  FLAW_BAN,     /* an honest node is left alone */
  FLAW_REVIVE,  /* nodes keep again what they deleted */
  FLAW_ADMIT,   /* nodes admit revoked members */
  FLAW_SIGN,    /* nodes sign something other than their reply */
  FLAW_STRAY,   /* a client connects to a node that is no guard */
  FLAW_TURN,    /* nodes alone turn a client's list over */
  FLAW_YOUNG,   /* a new node becomes a guard */
  FLAW_SIZE,    /* a request is as large as its content */
  FLAW_WANDER,  /* a client tries one guard after the other */
  FLAW_ASTRAY,  /* a request goes where its account is not */
  FLAW_LOSE,    /* requests fail that should not */
  FLAW_JOIN,    /* a last hop sees two accounts of a client */
  FLAW_RETURN,  /* the destination of a request is a hop on its way */
  FLAW_SWAP,    /* two guards change places */
  FLAW_BLIND,   /* a client polls no honest member */
  FLAW_HIDE,    /* messages do not arrive, though members give them */
} flaw;
enum { flaw_count = 26 };

typedef enum plan_level {
  PLAN_NONE,
  PLAN_LIGHT,
  PLAN_HEAVY,
} plan_level;

/* The behaviour of the clients' line towards connections, except those to hostile nodes. */
typedef enum line_kind {
  LINE_HONEST,
  LINE_SILENT,    /* nothing comes through */
  LINE_REFUSING,  /* connections are refused at once */
  LINE_FORGING,   /* another key answers */
  LINE_RESETTING, /* connections are made, carry nothing, and are reset */
  LINE_FLAPPING,  /* silent and not, every eleven seconds */
} line_kind;
enum { line_count = 6 };

enum { plan_usual_accounts = 3 };

typedef struct plan {
  uint64_t seed;
  size_t nodes;
  size_t swarm_size; /* about so many nodes in each */
  size_t clients;
  size_t accounts; /* of each client's program; 0: plan_usual_accounts */
  size_t requests;
  uint32_t faults;          /* the kinds that there are */
  uint32_t troubled;        /* of 1000 nodes, how many are in trouble at a time */
  uint32_t hostile;         /* of 1000 nodes */
  uint32_t dead;            /* nodes that die for good after half a minute */
  uint32_t strategy;        /* the traits of all hostile nodes; 0: each has its own */
  uint64_t client_clock_ms; /* that the clocks of clients are late */
  uint32_t pause_ms;        /* between two requests of a client, about; 0 for the usual one */
  bool quic;                /* clients reach nodes with the packets of QUIC, not with whole messages */
  line_kind line;
  uint32_t line_s; /* seconds for which it is hostile */
  flaw flaw;
  bool loud; /* tells everything as it happens */
} plan;

/* Chooses the kinds of faults and how many of them there are, by the seed: all worlds of a level are
 * different. */
void plan_draw_faults(plan *p, plan_level level);

/* So few nodes, in a private network, that every request that can be served must be. */
static inline bool plan_is_small(const plan *p) {
  enum { usual_least = 12 };
  return p->nodes < usual_least;
}

static inline bool plan_has(const plan *p, fault f) {
  return (p->faults & (uint32_t)f) != 0;
}

/* "deaths"; for 0 ≤ index < fault_count. */
const char *plan_fault_name(unsigned index);

#endif
