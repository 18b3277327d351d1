#include "base/sort.h"

#include "support/test.h"

static void any_order_is_sorted_and_equal_items_keep_their_order(sc_test *t) {
  enum { most = 40 };
  static const char letters[] = "kqbxaaazmnbkfabczyxabmkqponmabba";
  sc_sorted list[most];
  for (size_t count = 0; count < sizeof letters; count++) {
    for (size_t i = 0; i < count; i++)
      list[i] = (sc_sorted){sc_bytes_make(letters + i, 1), i};
    sc_sort_keys(list, count);
    for (size_t i = 1; i < count; i++) {
      uint8_t before = list[i - 1].key.ptr[0], here = list[i].key.ptr[0];
      CHECK(before < here || (before == here && list[i - 1].index < list[i].index));
    }
  }
done:;
}

static void a_prefix_sorts_first(sc_test *t) {
  sc_sorted list[3] = {{sc_bytes_text("ab"), 0}, {sc_bytes_text("a"), 1}, {sc_bytes_text("B"), 2}};
  sc_sort_keys(list, 3);
  CHECK(list[0].index == 2 && list[1].index == 1 && list[2].index == 0);
done:;
}

typedef struct large_item {
  uint64_t number;
  uint8_t rest[100];
} large_item;

static int order_large(const void *left, const void *right) {
  const large_item *a = left, *b = right;
  return sc_order_numbers(a->number, b->number);
}

static void items_of_any_size_move_whole(sc_test *t) {
  enum { count = 23 };
  large_item items[count];
  for (size_t i = 0; i < count; i++) {
    items[i].number = i * 7 % count;
    memset(items[i].rest, (int)items[i].number, sizeof items[i].rest);
  }
  sc_sort(items, count, sizeof *items, order_large);
  for (size_t i = 0; i < count; i++)
    CHECK(items[i].number == i && items[i].rest[0] == i && items[i].rest[99] == i);
done:;
}

SUITE(base_sort, "base/sort",
      {"any order is sorted, and equal items keep their order",
       any_order_is_sorted_and_equal_items_keep_their_order},
      {"a prefix sorts first", a_prefix_sorts_first},
      {"items of any size move whole", items_of_any_size_move_whole});
