#include "network/storage/sorted.h"

#include "support/test.h"

static void any_order_is_sorted_and_equal_items_keep_their_order(sc_test *t) {
  enum { most = 40 };
  static const char letters[] = "kqbxaaazmnbkfabczyxabmkqponmabba";
  sc_sorted list[most], spare[most];
  for (size_t count = 0; count < sizeof letters; count++) {
    for (size_t i = 0; i < count; i++)
      list[i] = (sc_sorted){sc_bytes_make(letters + i, 1), i};
    sc_sort(list, spare, count);
    for (size_t i = 1; i < count; i++) {
      uint8_t before = list[i - 1].key.ptr[0], here = list[i].key.ptr[0];
      CHECK(before < here || (before == here && list[i - 1].index < list[i].index));
    }
  }
done:;
}

static void a_prefix_sorts_first(sc_test *t) {
  sc_sorted spare[3];
  sc_sorted list[3] = {{sc_bytes_text("ab"), 0}, {sc_bytes_text("a"), 1}, {sc_bytes_text("B"), 2}};
  sc_sort(list, spare, 3);
  CHECK(list[0].index == 2 && list[1].index == 1 && list[2].index == 0);
done:;
}

SUITE(network_storage_sorted, "network/storage/sorted",
      {"any order is sorted, and equal items keep their order",
       any_order_is_sorted_and_equal_items_keep_their_order},
      {"a prefix sorts first", a_prefix_sorts_first});
