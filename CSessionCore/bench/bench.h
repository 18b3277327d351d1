/* The frame of every benchmark: it times our code beside a floor, the least that the same work can cost on
 * this machine, and prints one line that compares them.
 *
 * The two take turns, repetition by repetition, so that a noisy machine disturbs both alike; the best
 * repetition of each counts. Bodies do all of their work in one call, end the program when it fails
 * (BENCH_OK), and take memory from bench_env where allocations are to be counted. */
#ifndef SC_BENCH_BENCH_H
#define SC_BENCH_BENCH_H

#include <stdbool.h>

#include "session-core/session-core.h"

typedef void (*bench_body)(void *user);

typedef enum bench_measure {
  BENCH_MB_PER_S,   /* millions of bytes a second: amount is the bytes one call handles */
  BENCH_US_PER_OP,  /* microseconds an operation: amount is the operations one call does */
  BENCH_KOPS_PER_S, /* thousands of operations a second, likewise */
} bench_measure;

typedef enum bench_goal {
  BENCH_NO_GOAL,
  BENCH_FIGURE_AT_LEAST, /* our figure, in its unit */
  BENCH_FIGURE_AT_MOST,
  BENCH_RATE_RATIO_AT_LEAST, /* our rate over the floor's, which there must be */
  BENCH_TIME_RATIO_AT_MOST,  /* our time over the floor's, likewise */
} bench_goal;

typedef struct bench_case {
  const char *name; /* "bt/read": the room's concept, then what is done */
  bench_body ours;
  bench_body floor;       /* NULL when there is none */
  const char *floor_name; /* the floor's work, in a few words */
  void *user;             /* given to both */
  double amount;          /* of work in one call of a body, the same for both */
  bench_measure measure;
  bench_goal goal;
  double target;
  bool count_allocations; /* print how many one call of ours asks bench_env for */
  bool elapsed; /* count time as it passes, for what waits; otherwise the processor's, of all threads */
} bench_case;

/* Call it first: prepares the library. With an argument, only the cases whose name contains it are run. */
void bench_begin(int argc, char **argv);

/* Times the case and prints its line. */
void bench_run(const bench_case *figure);

/* malloc, with allocations counted. */
const sc_env *bench_env(void);

/* Seconds of a clock that only goes forward, for what does not fit bench_run. */
double bench_seconds(void);

/* Has this process wait for those whose parent has ended, as for its own children. */
void bench_adopt(void);

/* Makes the compiler believe that the memory is read, so that computing it is not left out. */
void bench_keep(const void *ptr);

void bench_stop(const char *file, int line, const char *call, sc_status status);

/* Ends the program unless the call returns SC_OK. */
#define BENCH_OK(call)                                                                                       \
  do {                                                                                                       \
    sc_status bench_status = (call);                                                                         \
    if (bench_status != SC_OK)                                                                               \
      bench_stop(__FILE__, __LINE__, #call, bench_status);                                                   \
  } while (0)

#endif
