#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* The more there are, the surer one of them is left in peace by what else runs on the machine. */
enum { fewest_repetitions = 15, most_repetitions = 60 };
static const double enough_seconds = 1;

/* Long enough for the clock's resolution not to matter, short enough to fit between two interruptions. */
static const double shortest_repetition = 0.005;

static const char *name_part = "";
static size_t allocations;

static void *counting_allocate(void *user, size_t size) {
  (void)user;
  allocations++;
  return malloc(size);
}

static void plain_release(void *user, void *ptr) {
  (void)user;
  free(ptr);
}

static void library_random(void *user, uint8_t *out, size_t len) {
  (void)user;
  sc_random(NULL, out, len);
}

const sc_env *bench_env(void) {
  static const sc_env env = {
      .allocate = counting_allocate,
      .release = plain_release,
      .random = library_random,
  };
  return &env;
}

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double bench_seconds(void) {
  return seconds_of(CLOCK_MONOTONIC);
}

void bench_adopt(void) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* CPU time of this process, without the time other programs take on a busy machine. */
static double own_seconds(void) {
  return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

void bench_keep(const void *ptr) {
  __asm__ volatile("" : : "r"(ptr) : "memory");
}

void bench_stop(const char *file, int line, const char *call, sc_status status) {
  fprintf(stderr, "%s:%d: %s\n  returned %s (%s)\n", file, line, call, sc_status_name(status),
          sc_status_text(status));
  exit(1);
}

/* Memory that goes back to the system between two calls, or does not, as luck has it, would be timed too. */
static void keep_memory(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 * 1024 * 1024);
  mallopt(M_TRIM_THRESHOLD, 512 * 1024 * 1024);
#endif
}

void bench_begin(int argc, char **argv) {
  if (argc > 2) {
    fprintf(stderr, "usage: %s [PART-OF-A-NAME]\n", argv[0]);
    exit(2);
  }
  if (argc == 2)
    name_part = argv[1];
  setvbuf(stdout, NULL, _IOLBF, 0);
  keep_memory();
  BENCH_OK(sc_init());
}

typedef double (*bench_clock)(void);

static double time_calls(bench_body body, void *user, size_t calls, bench_clock clock) {
  double start = clock();
  for (size_t i = 0; i < calls; i++)
    body(user);
  return clock() - start;
}

/* Calls that fill one repetition; finding out also warms the caches. */
static size_t calls_to_fill_repetition(bench_body body, void *user, bench_clock clock) {
  size_t calls = 1;
  while (time_calls(body, user, calls, clock) < shortest_repetition)
    calls *= 2;
  return calls;
}

typedef struct bench_timing {
  bench_body body;
  bench_clock clock;
  size_t calls;
  double times[most_repetitions]; /* seconds of one call */
} bench_timing;

static void prepare(bench_timing *timing, const bench_case *figure, bench_body body) {
  timing->body = body;
  timing->clock = figure->elapsed ? bench_seconds : own_seconds;
  timing->calls = body == NULL ? 0 : calls_to_fill_repetition(body, figure->user, timing->clock);
}

static void repeat(bench_timing *timing, int repetition, void *user) {
  if (timing->body != NULL)
    timing->times[repetition] =
        time_calls(timing->body, user, timing->calls, timing->clock) / (double)timing->calls;
}

static int compare_times(const void *a, const void *b) {
  double left = *(const double *)a;
  double right = *(const double *)b;
  return (left > right) - (left < right);
}

static void sort_times(bench_timing *timing, int repetitions) {
  qsort(timing->times, (size_t)repetitions, sizeof timing->times[0], compare_times);
}

static double figure_of(const bench_case *figure, double seconds) {
  switch (figure->measure) {
  case BENCH_MB_PER_S:
    return figure->amount / seconds / 1e6;
  case BENCH_KOPS_PER_S:
    return figure->amount / seconds / 1e3;
  case BENCH_US_PER_OP:
    break;
  }
  return seconds / figure->amount * 1e6;
}

static const char *unit_of(bench_measure measure) {
  switch (measure) {
  case BENCH_MB_PER_S:
    return "MB/s";
  case BENCH_KOPS_PER_S:
    return "kop/s";
  case BENCH_US_PER_OP:
    break;
  }
  return "us/op";
}

static void print_goal(const bench_case *figure, double ours, double time_ratio) {
  const char *unit = unit_of(figure->measure);
  bool met = false;
  switch (figure->goal) {
  case BENCH_NO_GOAL:
    printf("no target\n");
    return;
  case BENCH_FIGURE_AT_LEAST:
    met = ours >= figure->target;
    printf("target >= %.4g %s", figure->target, unit);
    break;
  case BENCH_FIGURE_AT_MOST:
    met = ours <= figure->target;
    printf("target <= %.4g %s", figure->target, unit);
    break;
  case BENCH_RATE_RATIO_AT_LEAST:
    met = 1 / time_ratio >= figure->target;
    printf("target rate >= %.4g of the floor", figure->target);
    break;
  case BENCH_TIME_RATIO_AT_MOST:
    met = time_ratio <= figure->target;
    printf("target time <= %.4g of the floor", figure->target);
    break;
  }
  printf(": %s\n", met ? "met" : "MISSED");
}

/* As times when that is what is measured or asked for, as rates otherwise. */
static void print_floor(const bench_case *figure, double seconds, double time_ratio) {
  bool as_times = figure->measure == BENCH_US_PER_OP || figure->goal == BENCH_TIME_RATIO_AT_MOST;
  printf("; floor %.5g %s (%s); %s ratio %.3g", figure_of(figure, seconds), unit_of(figure->measure),
         figure->floor_name, as_times ? "time" : "rate", as_times ? time_ratio : 1 / time_ratio);
}

static void print_line(const bench_case *figure, const bench_timing *ours, const bench_timing *floor,
                       int repetitions, size_t allocated) {
  double best = figure_of(figure, ours->times[0]);
  double median = figure_of(figure, ours->times[repetitions / 2]);
  printf("%s: %.5g %s (median %.5g)", figure->name, best, unit_of(figure->measure), median);
  double time_ratio = 0;
  if (floor->body != NULL) {
    time_ratio = ours->times[0] / floor->times[0];
    print_floor(figure, floor->times[0], time_ratio);
  }
  if (figure->count_allocations)
    printf("; %zu allocations", allocated);
  printf("; ");
  print_goal(figure, best, time_ratio);
}

void bench_run(const bench_case *figure) {
  if (strstr(figure->name, name_part) == NULL)
    return;
  bench_timing ours, floor;
  prepare(&ours, figure, figure->ours);
  prepare(&floor, figure, figure->floor);
  size_t before = allocations;
  figure->ours(figure->user);
  size_t allocated = allocations - before;
  double start = bench_seconds();
  int done = 0;
  while (done < most_repetitions && (done < fewest_repetitions || bench_seconds() - start < enough_seconds)) {
    repeat(&ours, done, figure->user);
    repeat(&floor, done, figure->user);
    done++;
  }
  sort_times(&ours, done);
  if (floor.body != NULL)
    sort_times(&floor, done);
  print_line(figure, &ours, &floor, done, allocated);
}
