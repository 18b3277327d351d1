#include "sort.h"

#include "bt_reader.h"

static void swap(uint8_t *a, uint8_t *b, size_t size) {
  uint8_t kept[64];
  for (size_t part; size > 0; size -= part, a += part, b += part) {
    part = size < sizeof kept ? size : sizeof kept;
    memcpy(kept, a, part);
    memcpy(a, b, part);
    memcpy(b, kept, part);
  }
}

/* Moves an item of the heap down until none below it comes after it. */
static void sift(uint8_t *items, size_t at, size_t count, size_t size, sc_order *order) {
  for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && order(items + child * size, items + (child + 1) * size) < 0)
      child++;
    if (order(items + at * size, items + child * size) >= 0)
      return;
    swap(items + at * size, items + child * size, size);
    at = child;
  }
}

void sc_sort(void *items, size_t count, size_t size, sc_order *order) {
  uint8_t *first = items;
  for (size_t at = count / 2; at > 0; at--)
    sift(first, at - 1, count, size, order);
  for (size_t end = count; end > 1; end--) {
    swap(first, first + (end - 1) * size, size);
    sift(first, 0, end - 1, size, order);
  }
}

static int order_keys(const void *left, const void *right) {
  const sc_sorted *a = left, *b = right;
  int order = sc_bt_compare_keys(a->key, b->key);
  return order != 0 ? order : sc_order_numbers(a->index, b->index);
}

void sc_sort_keys(sc_sorted *list, size_t count) {
  sc_sort(list, count, sizeof *list, order_keys);
}
