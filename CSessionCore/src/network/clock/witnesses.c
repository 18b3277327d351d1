#include "witnesses.h"

#include "../../base/sort.h"

enum {
  tolerance = 5000, /* milliseconds, and half of the longer round trip */
  enough_of_many = 4,
  enough_with_us = 2,
};

static int order_offsets(const void *left, const void *right) {
  const int64_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

static int64_t median(int64_t *list, size_t count) {
  sc_sort(list, count, sizeof *list, order_offsets);
  size_t middle = count / 2;
  return count % 2 == 1 ? list[middle] : list[middle - 1] + (list[middle] - list[middle - 1]) / 2;
}

static uint64_t difference(int64_t a, int64_t b) {
  return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static bool agree(const sc_witness *a, const sc_witness *b) {
  uint64_t longer = a->round_trip > b->round_trip ? a->round_trip : b->round_trip;
  return difference(a->offset, b->offset) <= tolerance + longer / 2;
}

/* Those that are near to this machine's clock. */
static size_t take_near(int64_t *out, const sc_witness *list, size_t count) {
  size_t near = 0;
  for (size_t i = 0; i < count; i++)
    if (difference(list[i].offset, 0) <= sc_clock_most_unproved)
      out[near++] = list[i].offset;
  return near;
}

/* The most witnesses of which the first one is the earliest, and all of which agree with each other. */
static size_t take_agreeing(int64_t *out, const sc_witness *list, size_t count, size_t first) {
  size_t taken[sc_witnesses_most], kept = 0;
  for (size_t i = 0; i < count; i++) {
    bool fits = list[i].offset >= list[first].offset && agree(&list[i], &list[first]);
    for (size_t k = 0; k < kept && fits; k++)
      fits = agree(&list[i], &list[taken[k]]);
    if (!fits)
      continue;
    out[kept] = list[i].offset;
    taken[kept++] = i;
  }
  return kept;
}

bool sc_witnesses_decide(int64_t *offset, const sc_witness *list, size_t count, size_t called) {
  int64_t offsets[sc_witnesses_most];
  size_t near = take_near(offsets, list, count);
  size_t enough = called > sc_witnesses_first ? enough_of_many : called;
  if (called <= sc_witnesses_first && (near >= enough_with_us || (near == 1 && count == 1))) {
    *offset = median(offsets, near);
    return true;
  }
  for (size_t i = 0; i < count; i++) {
    size_t agreeing = take_agreeing(offsets, list, count, i);
    if (agreeing < enough)
      continue;
    *offset = median(offsets, agreeing);
    return true;
  }
  return false;
}
