#include "config/shared.h"

#include "support/test.h"

static void bytes_live_until_the_last_owner_lets_go(sc_test *t) {
  sc_slice slice = {0};
  OK(sc_slice_copy(&slice, t->env, sc_bytes_text("bytes")));
  sc_slice other = sc_slice_keep(slice);
  sc_shared_drop(t->env, slice.owner);
  SAME(sc_bytes_text("bytes"), other.bytes);
done:
  sc_shared_drop(t->env, slice.owner);
}

static void no_bytes_need_no_owner(sc_test *t) {
  CHECK(sc_shared_keep(NULL) == NULL);
  sc_shared_drop(t->env, NULL);
done:;
}

static void more_bytes_than_memory_are_refused(sc_test *t) {
  CHECK(sc_shared_new(t->env, SIZE_MAX) == NULL);
done:;
}

SUITE(config_shared, "config/shared",
      {"bytes live until the last owner lets go", bytes_live_until_the_last_owner_lets_go},
      {"no bytes need no owner", no_bytes_need_no_owner},
      {"more bytes than memory are refused", more_bytes_than_memory_are_refused});
