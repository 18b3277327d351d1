#include "base/arena.h"

#include <stdalign.h>

#include "support/test.h"
#include "support/test_env.h"

static void pieces_are_aligned_and_do_not_overlap(sc_test *t) {
  static const size_t sizes[] = {1, 0, 7, 16, 511, 5000, 3, 70000, 64};
  enum { count = sizeof sizes / sizeof sizes[0] };
  uint8_t *pieces[count];
  sc_arena arena;
  sc_arena_init(&arena, t->env, 100);
  for (size_t i = 0; i < count; i++) {
    pieces[i] = sc_arena_take(&arena, sizes[i]);
    FAILS(SC_OK, pieces[i] == NULL ? SC_ERR_NO_MEMORY : SC_OK);
    CHECK((uintptr_t)pieces[i] % alignof(max_align_t) == 0);
    memset(pieces[i], (int)i, sizes[i]);
  }
  for (size_t i = 0; i < count; i++)
    for (size_t byte = 0; byte < sizes[i]; byte++)
      CHECK(pieces[i][byte] == i);
done:
  sc_arena_free(&arena);
}

static void the_expected_size_takes_one_allocation(sc_test *t) {
  sc_test_env env;
  sc_test_env_init(&env, 1);
  sc_arena arena;
  sc_arena_init(&arena, &env.env, 10000);
  CHECK(env.allocations == 0);
  for (int i = 0; i < 625; i++)
    CHECK(sc_arena_take(&arena, 16) != NULL);
  CHECK(env.allocations == 1);
  sc_arena_free(&arena);
  CHECK(env.live == 0);
done:;
}

static void an_impossible_size_is_refused(sc_test *t) {
  sc_arena arena;
  sc_arena_init(&arena, t->env, 0);
  CHECK(sc_arena_take(&arena, SIZE_MAX) == NULL);
  CHECK(sc_arena_take(&arena, SIZE_MAX - 40) == NULL);
done:
  sc_arena_free(&arena);
}

SUITE(base_arena, "base/arena",
      {"pieces are aligned and do not overlap", pieces_are_aligned_and_do_not_overlap},
      {"the expected size takes one allocation", the_expected_size_takes_one_allocation},
      {"an impossible size is refused", an_impossible_size_is_refused});
