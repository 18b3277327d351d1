/* The report of a world: successes, their virtual time, and the speed of the simulation. */
#ifndef SC_SIM_REPORT_H
#define SC_SIM_REPORT_H

#include <stdio.h>

#include "client.h"

enum { report_statuses = 1024 };

typedef struct report {
  uint64_t made[client_call_kind_count]; /* and completed */
  uint64_t good[client_call_kind_count]; /* answered with success */
  uint64_t said_no;                      /* answered with another code */
  uint64_t failed;
  uint64_t cut_short; /* of them, by a suspension, or because the program ended */
  uint64_t refused;   /* not taken */
  uint64_t attempts;
  uint64_t burials;
  uint64_t promises;
  uint64_t died;
  uint64_t bans;
  uint64_t measurements; /* of clocks … */
  uint64_t wrong_clocks; /* … that are off by more than half a minute */
  uint64_t lists;        /* accepted from nodes alone … */
  uint64_t wide_lists;   /* … with more changes than one may have */
  uint64_t due;          /* requests that three attempts should bring to an end … */
  uint64_t lost;         /* … that failed */
  uint64_t polls;        /* of mailboxes, at members in turn */
  uint64_t placed;       /* requests about accounts that came to nodes … */
  uint64_t astray;       /* … and of those, to nodes of another swarm */
  uint64_t worlds;
  uint64_t steps;
  uint64_t incidents;
  uint64_t longest_heal;
  size_t most_memory; /* of one client */
  size_t most_open;   /* messages between hosts, in one world */
  uint64_t virtual_time;
  uint32_t *latencies; /* milliseconds, of successful requests */
  size_t latency_count;
  size_t latency_capacity;
  uint64_t by_status[report_statuses]; /* failures, by the negated status */
} report;

void report_count(world *w, const client_call *a, const sc_network_reply *reply);
void report_refused(world *w, sc_status status);

/* Adds what one world was like, once it has ended. */
void report_conclude(world *w);

void report_free(report *r);

/* `cpu` and `wall` are the times that it took, in seconds. */
void report_print(report *r, double cpu, double wall, FILE *to);

#endif
