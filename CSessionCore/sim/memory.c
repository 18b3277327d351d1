#include "memory.h"

#include <stdio.h>
#include <stdlib.h>

static void *must(void *ptr) {
  if (ptr == NULL) {
    fputs("sc-sim: no memory\n", stderr);
    abort();
  }
  return ptr;
}

void *memory_new(size_t count, size_t each) {
  return must(calloc(count > 0 ? count : 1, each));
}

void *memory_grow(void *list, size_t count, size_t *capacity, size_t each) {
  enum { first_capacity = 16 };
  if (count < *capacity)
    return list;
  *capacity = *capacity == 0 ? first_capacity : 2 * *capacity;
  return must(realloc(list, *capacity * each));
}

static void *allocate(void *user, size_t size) {
  (void)user;
  return malloc(size);
}

static void release(void *user, void *ptr) {
  (void)user;
  free(ptr);
}

static void fill(void *user, uint8_t *out, size_t len) {
  draws_fill(user, out, len);
}

sc_env memory_env(draws *from) {
  return (sc_env){.user = from, .allocate = allocate, .release = release, .random = fill};
}
