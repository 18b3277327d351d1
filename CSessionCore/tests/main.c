/* sc-tests [--list] [--torture|--torture-all] [SUITE…]: runs the named suites, or all.
 *
 * --torture refuses three allocations of each place in the code that requests any, --torture-all refuses each
 * allocation. */
#include <stdio.h>
#include <stdlib.h>

#include "suites.h"
#include "support/sites.h"
#include "support/test.h"
#include "support/test_env.h"

#define DECLARE_SUITE(identifier) extern const sc_test_suite identifier##_suite;
SUITE_LIST(DECLARE_SUITE)
#define SUITE_ADDRESS(identifier) &identifier##_suite,
static const sc_test_suite *const suites[] = {SUITE_LIST(SUITE_ADDRESS)};
enum { suite_count = sizeof suites / sizeof suites[0] };

enum { random_seed = 1 };

/* A test with more allocations than this should do less when `t->torture` is set. */
enum { most_allocations = 20000 };

typedef enum torture_mode {
  NO_TORTURE,
  TORTURE_PLACES,
  TORTURE_ALL,
} torture_mode;

typedef struct totals {
  size_t passed;
  size_t failed;
  size_t skipped;
} totals;

/* Runs a test once, refusing allocation `fail_at`. Records where allocations are requested if `sites` is not
 * NULL. */
static sc_test run_once(const sc_test_case *test, size_t fail_at, bool torture, sc_test_sites *sites) {
  sc_test_env env;
  sc_test_env_init(&env, random_seed);
  env.fail_at = fail_at;
  env.sites = sites;
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

static sc_test torture(const sc_test_case *test, torture_mode mode) {
  sc_test_sites sites = {0};
  sc_test result = run_once(test, 0, true, &sites);
  if (sites.count > most_allocations) {
    fprintf(stderr, "%zu allocations: too many to refuse one by one\n", sites.count);
    result.failed = true;
  }
  bool *chosen = sc_test_sites_choose(&sites);
  for (size_t i = 0; i < sites.count && !result.failed; i++) {
    if (mode == TORTURE_PLACES && !chosen[i])
      continue;
    sc_test refused = run_once(test, i + 1, true, NULL);
    if (refused.failed) {
      fprintf(stderr, "with allocation %zu failing\n", i + 1);
      result = refused;
    }
  }
  free(chosen);
  sc_test_sites_free(&sites);
  return result;
}

static totals run_suite(const sc_test_suite *suite, torture_mode mode) {
  totals sum = {0};
  for (size_t i = 0; i < suite->count; i++) {
    const sc_test_case *test = &suite->cases[i];
    count(&sum, suite, test, mode == NO_TORTURE ? run_once(test, 0, false, NULL) : torture(test, mode));
  }
  printf("%s%s: %zu passed, %zu failed, %zu skipped\n", mode == NO_TORTURE ? "" : "torture/", suite->name,
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
  torture_mode mode = NO_TORTURE;
  const sc_test_suite *chosen[suite_count];
  size_t chosen_count = 0;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--torture") == 0) {
      mode = TORTURE_PLACES;
    } else if (strcmp(argv[i], "--torture-all") == 0) {
      mode = TORTURE_ALL;
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
    failed += run_suite(chosen[i], mode).failed;
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
