/* sc-sim: see options_help. */
#include <stdlib.h>
#include <time.h>

#include "flaw.h"
#include "options.h"
#include "run.h"

enum { exit_broken = 1, exit_unusable = 2 };

static double seconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double cpu_seconds(void) {
  return (double)(clock() + 1) / CLOCKS_PER_SEC;
}

static plan plan_for(const options *o, uint64_t seed) {
  plan p = o->plan;
  p.seed = seed;
  plan_draw_faults(&p, o->level);
  if (o->hostile > 0)
    p.hostile = o->hostile;
  return p;
}

static void describe(const plan *p) {
  printf("seed %llu: %zu nodes, %zu clients, %zu requests; faults:", (unsigned long long)p->seed, p->nodes,
         p->clients, p->requests);
  for (unsigned i = 0; i < fault_count; i++)
    if (p->faults & 1U << i)
      printf(" %s,", plan_fault_name(i));
  printf(" %u of 1000 nodes in trouble, %u hostile\n", p->troubled, p->hostile);
}

static int run(const options *o) {
  report r = {0};
  uint64_t broken = 0;
  double began = seconds();
  for (uint64_t seed = o->first_seed; seed <= o->last_seed; seed++) {
    const plan p = plan_for(o, seed);
    run_result result;
    if (o->first_seed == o->last_seed)
      describe(&p);
    run_world(&result, &r, &p, p.loud ? NULL : stdout);
    if (!result.broken)
      continue;
    broken++;
    describe(&p);
    printf("BROKEN seed %llu: %s\n", (unsigned long long)seed, result.what);
  }
  report_print(&r, cpu_seconds(), seconds() - began, stdout);
  printf("simulator: %llu passed, %llu failed, 0 skipped\n", (unsigned long long)(r.worlds - broken),
         (unsigned long long)broken);
  report_free(&r);
  return broken == 0 ? EXIT_SUCCESS : exit_broken;
}

/* Guards and paths alone, for the first seed. A rule that is broken on purpose must be noticed. */
static int run_policy(const options *o) {
  policy_plan plan = o->policy_plan;
  policy_result result;
  char what[200];
  plan.seed = o->first_seed;
  plan.hostile = o->hostile;
  policy_run(&result, &plan);
  policy_print(&plan, &result, cpu_seconds(), stdout);
  const bool is_broken = policy_is_broken(what, sizeof what, &plan, &result);
  const bool is_flawed = plan.flaw != POLICY_SOUND;
  if (is_broken)
    printf("%s: %s\n", is_flawed ? "noticed" : "BROKEN", what);
  const bool passed = is_broken == is_flawed;
  printf("simulator/policy: %d passed, %d failed, 0 skipped\n", passed, !passed);
  return passed ? EXIT_SUCCESS : exit_broken;
}

/* Each flaw must be noticed, in a world without any other fault. */
static int test_self(const options *o) {
  unsigned missed = 0;
  for (unsigned i = 1; i < flaw_count; i++) {
    report r = {0};
    run_result result;
    plan p = o->plan;
    p.seed = o->first_seed;
    flaw_plan(&p, (flaw)i);
    run_world(&result, &r, &p, NULL);
    printf("%s %s: %s\n", result.broken ? "noticed" : "FAILED", flaw_name(p.flaw), result.what);
    missed += !result.broken;
    report_free(&r);
  }
  printf("simulator/self-test: %u passed, %u failed, 0 skipped\n", flaw_count - 1 - missed, missed);
  return missed == 0 ? EXIT_SUCCESS : exit_broken;
}

int main(int argc, char **argv) {
  options o;
  const char *wrong = "";
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (!options_parse(&o, &wrong, argc, argv)) {
    fprintf(stderr, "sc-sim: %s is not understood here; --help explains everything\n", wrong);
    return exit_unusable;
  }
  if (o.asks_for_help) {
    fputs(options_help, stdout);
    return EXIT_SUCCESS;
  }
  if (sc_init() != SC_OK)
    return EXIT_FAILURE;
  if (o.policy)
    return run_policy(&o);
  return o.self_test ? test_self(&o) : run(&o);
}
