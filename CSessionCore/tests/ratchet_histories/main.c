/* sc-ratchet-histories: lets the devices of two accounts write to each other with forward secrecy, over a
 * network that loses, doubles and shuffles, and claims that
 *
 * - every message that was not lost is opened by each device, once,
 * - no key is used twice with one nonce,
 * - devices that have heard each other choose the same session,
 * - a thief who copies a device reads nothing that it had read before, and nothing from the third round trip
 * of a session on.
 *
 * `sc-ratchet-histories --self-test` proves that a flaw is found: devices forget what they opened. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "history.h"

enum { usual_steps = 200, exit_failed = 1, exit_unusable = 2 };

static const char usage[] =
    "usage: sc-ratchet-histories [--seed N] [--count N] [--steps N]\n"
    "       sc-ratchet-histories --self-test\n"
    "Ends with 0 when every claim held, 1 when one did not, 2 when it was called wrongly.\n";

static history the_history; /* too large for some stacks */

static int self_test(void) {
  history_sums sums = {0};
  the_history.planted = true;
  uint64_t seed = 1;
  while (seed < 20 && history_run(&the_history, seed, usual_steps, &sums))
    seed++;
  bool found = the_history.flaw[0] != '\0';
  printf("ratchet-histories/self-test: %d passed, %d failed, 0 skipped\n", found, !found);
  return found ? EXIT_SUCCESS : exit_failed;
}

static int run(uint64_t seed, uint64_t count, unsigned steps) {
  history_sums sums = {0};
  for (uint64_t i = 0; i < count; i++)
    if (!history_run(&the_history, seed + i, steps, &sums)) {
      printf("FAILED seed %" PRIu64 ", %u steps: %s\n", seed + i, steps, the_history.flaw);
      printf("ratchet-histories: %" PRIu64 " passed, 1 failed, 0 skipped\n", i);
      return exit_failed;
    }
  printf("%" PRIu64 " messages sealed, %" PRIu64 " opened, %" PRIu64 " lost, %" PRIu64 " doubled; %" PRIu64
         " sessions; %" PRIu64 " keys; a thief read %" PRIu64 " and not %" PRIu64 "\n",
         sums.sealed, sums.opened, sums.lost, sums.doubled, sums.started, sums.keys, sums.stolen,
         sums.closed);
  bool means_something =
      count < 20 || (sums.stolen > 0 && sums.closed > 0 && sums.lost > 0 && sums.doubled > 0);
  if (!means_something)
    printf("FAILED: the histories were too quiet to prove anything\n");
  printf("ratchet-histories: %" PRIu64 " passed, %d failed, 0 skipped\n", count, !means_something);
  return means_something ? EXIT_SUCCESS : exit_failed;
}

int main(int argc, char **argv) {
  uint64_t seed = 1, count = 20, steps = usual_steps;
  if (sc_init() != SC_OK)
    return exit_unusable;
  if (argc == 2 && strcmp(argv[1], "--self-test") == 0)
    return self_test();
  for (int i = 1; i < argc; i += 2) {
    uint64_t *number = strcmp(argv[i], "--seed") == 0    ? &seed
                       : strcmp(argv[i], "--count") == 0 ? &count
                       : strcmp(argv[i], "--steps") == 0 ? &steps
                                                         : NULL;
    char *behind = NULL;
    if (number != NULL && i + 1 < argc)
      *number = strtoull(argv[i + 1], &behind, 10);
    if (behind == NULL || *behind != '\0' || steps > 100000) {
      fputs(usage, stderr);
      return exit_unusable;
    }
  }
  return run(seed, count, (unsigned)steps);
}
