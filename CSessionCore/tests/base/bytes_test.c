#include <stdalign.h>
#include <stddef.h>

#include "support/test.h"

static void appending_keeps_earlier_bytes(sc_test *t) {
  sc_buffer buffer;
  sc_buffer_init(&buffer, t->env);
  for (int i = 0; i < 1000; i++)
    OK(sc_buffer_append_byte(&buffer, (uint8_t)i));
  OK(sc_buffer_append(&buffer, sc_bytes_text("end")));
  OK(sc_buffer_append(&buffer, sc_bytes_make(NULL, 0)));
  CHECK(buffer.len == 1003);
  for (int i = 0; i < 1000; i++)
    CHECK(buffer.ptr[i] == (uint8_t)i);
  CHECK(memcmp(buffer.ptr + 1000, "end", 3) == 0);
done:
  sc_buffer_free(&buffer);
}

static void appending_within_reserved_space_does_not_allocate(sc_test *t) {
  sc_buffer buffer;
  sc_buffer_init(&buffer, t->env);
  OK(sc_buffer_reserve(&buffer, 500));
  const uint8_t *before = buffer.ptr;
  uint8_t *space;
  OK(sc_buffer_extend(&space, &buffer, 500));
  CHECK(buffer.ptr == before && space == before && buffer.len == 500);
done:
  sc_buffer_free(&buffer);
}

static void dropped_bytes_are_wiped(sc_test *t) {
  sc_buffer buffer;
  sc_buffer_init(&buffer, t->env);
  OK(sc_buffer_append(&buffer, sc_bytes_text("public secret")));
  sc_buffer_truncate(&buffer, 99);
  CHECK(buffer.len == 13);
  sc_buffer_truncate(&buffer, 6);
  SAME(sc_bytes_text("public"), sc_buffer_bytes(&buffer));
  for (size_t i = 6; i < 13; i++)
    CHECK(buffer.ptr[i] == 0);
  sc_buffer_clear(&buffer);
  CHECK(buffer.len == 0 && buffer.capacity > 0 && buffer.ptr[0] == 0);
done:
  sc_buffer_free(&buffer);
}

/* Memory that stays readable after its release. */
typedef struct arena {
  alignas(max_align_t) uint8_t bytes[4096];
  size_t used;
} arena;

static void *take_from_arena(void *user, size_t size) {
  arena *from = user;
  if (size > sizeof from->bytes - from->used)
    return NULL;
  void *taken = from->bytes + from->used;
  from->used += size;
  return taken;
}

static void leave_in_arena(void *user, void *ptr) {
  (void)user, (void)ptr;
}

static bool holds(const arena *memory, uint8_t byte) {
  return memchr(memory->bytes, byte, sizeof memory->bytes) != NULL;
}

static void released_memory_is_wiped(sc_test *t) {
  arena memory = {.used = 0};
  const sc_env env = {.user = &memory, .allocate = take_from_arena, .release = leave_in_arena};
  sc_buffer buffer;
  sc_buffer_init(&buffer, &env);
  OK(sc_buffer_append(&buffer, sc_bytes_text("ssss")));
  const uint8_t *before = buffer.ptr;
  OK(sc_buffer_reserve(&buffer, 1000));
  CHECK(buffer.ptr != before && before[0] == 0 && holds(&memory, 's'));
  sc_buffer_free(&buffer);
  CHECK(!holds(&memory, 's'));
done:
  sc_buffer_free(&buffer);
}

static void an_impossible_size_is_refused(sc_test *t) {
  sc_buffer buffer;
  sc_buffer_init(&buffer, t->env);
  OK(sc_buffer_append(&buffer, sc_bytes_text("x")));
  CHECK(sc_buffer_reserve(&buffer, SIZE_MAX) == SC_ERR_NO_MEMORY);
  SAME(sc_bytes_text("x"), sc_buffer_bytes(&buffer));
done:
  sc_buffer_free(&buffer);
}

static void a_zeroed_buffer_uses_the_default_environment(sc_test *t) {
  sc_buffer buffer = {0};
  OK(sc_buffer_append(&buffer, sc_bytes_text("ready")));
  SAME(sc_bytes_text("ready"), sc_buffer_bytes(&buffer));
done:
  sc_buffer_free(&buffer);
}

SUITE(base_bytes, "base/bytes", {"appending keeps earlier bytes", appending_keeps_earlier_bytes},
      {"appending within reserved space does not allocate",
       appending_within_reserved_space_does_not_allocate},
      {"dropped bytes are wiped", dropped_bytes_are_wiped},
      {"released memory is wiped", released_memory_is_wiped},
      {"an impossible size is refused", an_impossible_size_is_refused},
      {"a zeroed buffer uses the default environment", a_zeroed_buffer_uses_the_default_environment});
