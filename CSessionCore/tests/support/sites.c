#include "sites.h"

#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>

/* The functions above an allocation that tell its place. */
enum { depth = 12 };

static void *require(void *ptr) {
  if (ptr == NULL) {
    fprintf(stderr, "the tests themselves ran out of memory\n");
    abort();
  }
  return ptr;
}

void sc_test_sites_add(sc_test_sites *sites) {
  void *callers[depth];
  int count = backtrace(callers, depth);
  /* FNV-1a over the addresses. */
  uint64_t hash = 0xcbf29ce484222325;
  for (int i = 0; i < count; i++)
    hash = (hash ^ (uint64_t)(uintptr_t)callers[i]) * 0x100000001b3;
  if (sites->count == sites->capacity) {
    sites->capacity = sites->capacity == 0 ? 1024 : 2 * sites->capacity;
    sites->sites = require(realloc(sites->sites, sites->capacity * sizeof *sites->sites));
  }
  sites->sites[sites->count++] = hash;
}

typedef struct allocation {
  uint64_t site;
  size_t number;
} allocation;

static int by_site(const void *a, const void *b) {
  const allocation *x = a, *y = b;
  if (x->site != y->site)
    return x->site < y->site ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

bool *sc_test_sites_choose(const sc_test_sites *sites) {
  bool *chosen = require(calloc(sites->count + 1, sizeof *chosen));
  allocation *sorted = require(calloc(sites->count + 1, sizeof *sorted));
  for (size_t i = 0; i < sites->count; i++)
    sorted[i] = (allocation){sites->sites[i], i};
  qsort(sorted, sites->count, sizeof *sorted, by_site);
  for (size_t first = 0, end; first < sites->count; first = end) {
    for (end = first + 1; end < sites->count && sorted[end].site == sorted[first].site;)
      end++;
    chosen[sorted[first].number] = true;
    chosen[sorted[first + (end - first) / 2].number] = true;
    chosen[sorted[end - 1].number] = true;
  }
  free(sorted);
  return chosen;
}

void sc_test_sites_free(sc_test_sites *sites) {
  free(sites->sites);
  *sites = (sc_test_sites){0};
}
