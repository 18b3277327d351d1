#include "trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "memory.h"

void trace_init(trace *t, const uint64_t *now, bool loud) {
  *t = (trace){.now = now, .loud = loud, .digest = UINT64_C(0xcbf29ce484222325)};
  t->lines = memory_new(trace_most_lines, sizeof *t->lines);
}

void trace_free(trace *t) {
  free(t->lines);
  t->lines = NULL;
}

static void digest(trace *t, uint8_t byte) {
  t->digest = (t->digest ^ byte) * UINT64_C(0x100000001b3);
}

static void print_line(const trace_line *line, FILE *to) {
  fprintf(to, "%6" PRIu64 ".%06" PRIu64 "  %s\n", line->at / 1000000000, line->at / 1000 % 1000000,
          line->text);
}

void trace_say(trace *t, const char *format, ...) {
  trace_line *line = &t->lines[t->said++ % trace_most_lines];
  line->at = *t->now;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line->text, sizeof line->text, format, arguments);
  va_end(arguments);
  for (unsigned i = 0; i < 64; i += 8)
    digest(t, (uint8_t)(line->at >> i));
  for (const char *c = line->text; *c != '\0'; c++)
    digest(t, (uint8_t)*c);
  if (t->loud)
    print_line(line, stdout);
}

void trace_print(const trace *t, FILE *to) {
  uint64_t first = t->said > trace_most_lines ? t->said - trace_most_lines : 0;
  for (uint64_t i = first; i < t->said; i++)
    print_line(&t->lines[i % trace_most_lines], to);
}
