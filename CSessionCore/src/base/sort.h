/* In-place sorting in O(n log n) for any input. */
#ifndef SC_SRC_BASE_SORT_H
#define SC_SRC_BASE_SORT_H

#include "session-core/base/bytes.h"

/* Returns a negative number if `a` comes before `b`, a positive one if it comes after. */
typedef int sc_order(const void *a, const void *b);

/* Sorts `count` items of `size` bytes. The sort is not stable. */
void sc_sort(void *items, size_t count, size_t size, sc_order *order);

/* A byte string, such as a hash, and its index before sorting. */
typedef struct sc_sorted {
  sc_bytes key;
  size_t index;
} sc_sorted;

/* Sorts by the bytes of the keys; equal keys stay in the order of their indices. */
void sc_sort_keys(sc_sorted *list, size_t count);

static inline int sc_order_numbers(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

#endif
