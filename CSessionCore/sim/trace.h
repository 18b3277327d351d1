/* The latest events as text: kept to explain a broken invariant, and printed at once on request. All of it
 * also goes into a digest, to compare two runs. */
#ifndef SC_SIM_TRACE_H
#define SC_SIM_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { trace_most_lines = 400, trace_line_chars = 160 };

typedef struct trace_line {
  uint64_t at;
  char text[trace_line_chars];
} trace_line;

typedef struct trace {
  const uint64_t *now; /* the clock of the world */
  bool loud;
  uint64_t digest;
  uint64_t said;
  trace_line *lines;
} trace;

/* `now` outlives the trace. */
void trace_init(trace *t, const uint64_t *now, bool loud);
void trace_free(trace *t);

__attribute__((format(printf, 2, 3))) void trace_say(trace *t, const char *format, ...);

/* The last lines, oldest first. */
void trace_print(const trace *t, FILE *to);

#endif
