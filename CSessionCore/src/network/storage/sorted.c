#include "sorted.h"

#include <stdbool.h>

#include "../../base/bt_reader.h"

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Joins two runs; of equal ones, the left run's come first. */
static void join(sc_sorted *out, const sc_sorted *left, const sc_sorted *middle, const sc_sorted *end) {
  const sc_sorted *right = middle;
  while (left < middle || right < end) {
    bool take_left = right == end || (left < middle && sc_bt_compare_keys(left->key, right->key) <= 0);
    *out++ = take_left ? *left++ : *right++;
  }
}

void sc_sort(sc_sorted *list, sc_sorted *spare, size_t count) {
  for (size_t run = 1; run < count; run *= 2) {
    for (size_t start = 0; start < count; start += 2 * run)
      join(spare + start, list + start, list + smaller(start + run, count),
           list + smaller(start + 2 * run, count));
    memcpy(list, spare, count * sizeof *list);
  }
}
