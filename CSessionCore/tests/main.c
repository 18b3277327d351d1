/* sc-tests [--list] [--torture] [SUITE…]: runs the named suites, or all. */
#include <stdio.h>
#include <stdlib.h>

#include "suites.h"
#include "support/test.h"
#include "support/test_env.h"

#define DECLARE_SUITE(identifier) extern const sc_test_suite identifier##_suite;
SUITE_LIST(DECLARE_SUITE)
#define SUITE_ADDRESS(identifier) &identifier##_suite,
static const sc_test_suite *const suites[] = {SUITE_LIST(SUITE_ADDRESS)};
enum { suite_count = sizeof suites / sizeof suites[0] };

enum { random_seed = 1 };

/* A test with more allocations than this should do less when `t->torture` is set. */
enum { most_torture_runs = 20000 };

typedef struct totals {
  size_t passed;
  size_t failed;
  size_t skipped;
} totals;

/* Runs a test once, refusing allocation `fail_at`. Sets `*refused` to true if that allocation was reached. */
static sc_test run_once(const sc_test_case *test, size_t fail_at, bool torture, bool *refused) {
  sc_test_env env;
  sc_test_env_init(&env, random_seed);
  env.fail_at = fail_at;
  sc_test t = {.env = &env.env, .torture = torture};
  test->run(&t);
  if (env.live != 0) {
    t.failed = true;
    fprintf(stderr, "%zu allocations were not given back\n", env.live);
  }
  if (env.refused && !t.out_of_memory && !t.failed) {
    t.failed = true;
    fprintf(stderr, "the test went on as if allocation %zu had not failed\n", fail_at);
  }
  *refused = env.refused;
  return t;
}

static void count(totals *sum, const sc_test_suite *suite, const sc_test_case *test, sc_test result) {
  if (result.failed)
    printf("FAILED %s: %s\n", suite->name, test->name);
  if (result.skipped && !result.torture)
    printf("skipped %s: %s\n", suite->name, test->name);
  sum->failed += result.failed;
  sum->skipped += !result.failed && result.skipped;
  sum->passed += !result.failed && !result.skipped;
}

static sc_test torture(const sc_test_case *test) {
  for (size_t k = 1; k <= most_torture_runs; k++) {
    bool refused;
    sc_test result = run_once(test, k, true, &refused);
    if (result.failed) {
      fprintf(stderr, "with allocation %zu failing\n", k);
      return result;
    }
    if (!refused)
      return result;
  }
  fprintf(stderr, "more than %d allocations: too many to fail one by one\n", most_torture_runs);
  return (sc_test){.failed = true};
}

static totals run_suite(const sc_test_suite *suite, bool with_torture) {
  totals sum = {0};
  for (size_t i = 0; i < suite->count; i++) {
    bool refused;
    sc_test result =
        with_torture ? torture(&suite->cases[i]) : run_once(&suite->cases[i], 0, false, &refused);
    count(&sum, suite, &suite->cases[i], result);
  }
  printf("%s%s: %zu passed, %zu failed, %zu skipped\n", with_torture ? "torture/" : "", suite->name,
         sum.passed, sum.failed, sum.skipped);
  return sum;
}

static const sc_test_suite *find_suite(const char *name) {
  for (size_t i = 0; i < suite_count; i++)
    if (strcmp(suites[i]->name, name) == 0)
      return suites[i];
  return NULL;
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (sc_init() != SC_OK) {
    fprintf(stderr, "sc-tests: %s\n", sc_status_text(SC_ERR_NO_RANDOM));
    return EXIT_FAILURE;
  }
  bool with_torture = false;
  const sc_test_suite *chosen[suite_count];
  size_t chosen_count = 0;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--torture") == 0) {
      with_torture = true;
    } else if (strcmp(argv[i], "--list") == 0) {
      for (size_t s = 0; s < suite_count; s++)
        puts(suites[s]->name);
      return EXIT_SUCCESS;
    } else {
      const sc_test_suite *suite = find_suite(argv[i]);
      if (suite == NULL || chosen_count == suite_count) {
        fprintf(stderr, "sc-tests: no suite is named %s; --list shows them\n", argv[i]);
        return 2;
      }
      chosen[chosen_count++] = suite;
    }
  }
  if (chosen_count == 0)
    for (; chosen_count < suite_count; chosen_count++)
      chosen[chosen_count] = suites[chosen_count];
  size_t failed = 0;
  for (size_t i = 0; i < chosen_count; i++)
    failed += run_suite(chosen[i], with_torture).failed;
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
