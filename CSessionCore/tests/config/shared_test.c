#include "config/shared.h"

#include "support/test.h"

static void bytes_live_until_the_last_owner_releases_them(sc_test *t) {
  sc_slice slice = {0};
  OK(sc_slice_copy(&slice, t->env, sc_bytes_text("bytes")));
  sc_slice other = sc_slice_keep(slice);
  sc_shared_drop(t->env, slice.owner);
  SAME(sc_bytes_text("bytes"), other.bytes);
done:
  sc_shared_drop(t->env, slice.owner);
}

static void empty_bytes_need_no_owner(sc_test *t) {
  CHECK(sc_shared_keep(NULL) == NULL);
  sc_shared_drop(t->env, NULL);
done:;
}

/* If much of the capacity is unused, the bytes are copied and the capacity is freed with the buffer. */
static void a_full_buffer_is_adopted_without_a_copy(sc_test *t) {
  static const char text[] = "more than half of what is the least room of a buffer";
  sc_buffer buffer;
  sc_slice slice = {0};
  sc_buffer_init(&buffer, t->env);
  for (int spare = 0; spare < 2; spare++) {
    OK(sc_buffer_append(&buffer, sc_bytes_text(text)));
    if (spare)
      OK(sc_buffer_reserve(&buffer, 1000));
    const uint8_t *at = buffer.ptr;
    OK(sc_slice_take(&slice, &buffer));
    SAME(sc_bytes_text(text), slice.bytes);
    CHECK((slice.bytes.ptr == at) == !spare && (buffer.len == 0) == !spare);
    sc_shared_drop(t->env, slice.owner);
    slice.owner = NULL;
    sc_buffer_free(&buffer);
  }
done:
  sc_shared_drop(t->env, slice.owner);
  sc_buffer_free(&buffer);
}

static void an_impossible_size_is_refused(sc_test *t) {
  CHECK(sc_shared_new(t->env, SIZE_MAX) == NULL);
done:;
}

SUITE(config_shared, "config/shared",
      {"bytes live until the last owner releases them", bytes_live_until_the_last_owner_releases_them},
      {"empty bytes need no owner", empty_bytes_need_no_owner},
      {"a full buffer is adopted without a copy", a_full_buffer_is_adopted_without_a_copy},
      {"an impossible size is refused", an_impossible_size_is_refused});
