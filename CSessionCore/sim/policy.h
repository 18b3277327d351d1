/* The policy of guards and paths over months, without onion layers and QUIC: a scripted world decides the
 * outcome of each attempt. The guards, paths and node lists are the product's own.
 *
 * A world has one client at a time. Honest nodes restart every ten days for half an hour, and 3 % leave in a
 * month. */
#ifndef SC_SIM_POLICY_H
#define SC_SIM_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The strategies of hostile nodes against the paths that they are on. */
typedef enum policy_strategy {
  POLICY_IDLE,    /* nothing */
  POLICY_STARVE,  /* a guard drops all paths but those with a hostile last hop or middle */
  POLICY_FRAME,   /* middles and last hops drop all paths that begin with an honest guard */
  POLICY_SWALLOW, /* all nodes behind the guard drop everything */
  POLICY_MIXED,   /* each node has one of these */
  POLICY_SLOW,    /* nothing, but the line slows the first guard so that no reply comes in time */
} policy_strategy;
enum { policy_strategies = 6 };

/* A rule that is broken on purpose. */
typedef enum policy_flaw {
  POLICY_SOUND,
  POLICY_RESTLESS, /* the guards are drawn anew every five days */
  POLICY_RASH,     /* a guard is set back after each path that fails */
} policy_flaw;

typedef struct policy_plan {
  uint64_t seed;
  size_t clients;
  size_t nodes;
  uint32_t hostile; /* of 1000 */
  policy_strategy strategy;
  policy_flaw flaw;
  uint32_t days;
  uint32_t pause_s; /* between two requests */
} policy_plan;

typedef struct policy_result {
  size_t clients;
  size_t began_hostile; /* with a hostile guard in use */
  size_t moved;         /* of the others, to a hostile guard later */
  size_t guards;        /* in use at some time, of all clients together */
  size_t days;          /* of all clients */
  size_t attempts;
  size_t due;      /* requests while all guards in use were honest … */
  size_t lost;     /* … that failed */
  size_t framed;   /* honest guards that were set back */
  size_t setbacks; /* of any guard … */
  size_t too_many; /* … and clients that had more than one in seven days */
  size_t
      dropped; /* guards of the first sample that a client does not have any more, though they are listed */
  size_t starving; /* clients that asked often enough over a starving guard to notice it … */
  size_t noticed;  /* … and those that set one back */
} policy_result;

const char *policy_strategy_name(policy_strategy strategy);

/* False for a name that there is not. */
bool policy_strategy_named(policy_strategy *out, const char *name);

bool policy_flaw_named(policy_flaw *out, const char *name);

void policy_run(policy_result *out, const policy_plan *plan);

/* The first bound that does not hold, in `what`; false if all do. */
bool policy_is_broken(char *what, size_t capacity, const policy_plan *plan, const policy_result *result);

void policy_print(const policy_plan *plan, const policy_result *result, double cpu, FILE *to);

#endif
