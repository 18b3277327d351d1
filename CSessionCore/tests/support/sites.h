/* The places in the code that request allocations, each told by the functions that lead to it.
 *
 * A test may request thousands of allocations at the same few places. Refusing the first, the middle and the
 * last of each place meets the same code as refusing all of them, in a fraction of the time. */
#ifndef SC_TESTS_SITES_H
#define SC_TESTS_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sc_test_sites {
  uint64_t *sites; /* of each allocation, in order */
  size_t count;
  size_t capacity;
} sc_test_sites;

/* Records the place that requests an allocation. Ends the program if memory runs out. */
void sc_test_sites_add(sc_test_sites *sites);

/* Returns a flag for each allocation, true for those to refuse; `sites->count` of them. Free it. */
bool *sc_test_sites_choose(const sc_test_sites *sites);

void sc_test_sites_free(sc_test_sites *sites);

#endif
