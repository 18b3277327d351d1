#include <inttypes.h>
#include <stdio.h>

#include "support/test.h"

static void a_secret_keeps_its_value(sc_test *t) {
  sc_secret *secret = NULL;
  char text[] = "correct horse battery staple";
  OK(sc_secret_new(&secret, t->env, sc_bytes_text(text)));
  sc_wipe(text, sizeof text);
  SAME(sc_bytes_text("correct horse battery staple"), sc_secret_bytes(secret));
done:
  sc_secret_free(secret);
}

static void an_empty_secret_is_refused(sc_test *t) {
  sc_secret *secret = NULL;
  FAILS(SC_ERR_ARGUMENT, sc_secret_new(&secret, t->env, sc_bytes_make(NULL, 0)));
  CHECK(secret == NULL);
done:
  sc_secret_free(secret);
}

/* The permissions of the page that `ptr` points into, as Linux writes them: "rw-p". */
static bool permissions_of(char out[5], const void *ptr) {
  FILE *maps = fopen("/proc/self/maps", "r");
  if (maps == NULL)
    return false;
  char line[512];
  bool found = false;
  while (!found && fgets(line, sizeof line, maps) != NULL) {
    uintptr_t begin, end;
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &begin, &end, out) == 3)
      found = begin <= (uintptr_t)ptr && (uintptr_t)ptr < end;
  }
  fclose(maps);
  return found;
}

static void a_secret_has_guard_pages_and_is_read_only(sc_test *t) {
  enum { page_bytes = 4096 };
  sc_secret *secret = NULL;
  char permissions[5] = "";
  OK(sc_secret_new(&secret, t->env, sc_bytes_text("guarded")));
  const uint8_t *ptr = sc_secret_bytes(secret).ptr;
  if (!permissions_of(permissions, ptr))
    SKIP("the system does not tell what memory may be used for");
  CHECK(strncmp(permissions, "r--", 3) == 0);
  CHECK(permissions_of(permissions, ptr + page_bytes) && strncmp(permissions, "---", 3) == 0);
done:
  sc_secret_free(secret);
}

static void wiping_leaves_zeros(sc_test *t) {
  uint8_t bytes[40];
  memset(bytes, 0xa5, sizeof bytes);
  sc_wipe(bytes + 4, 32);
  for (size_t i = 0; i < sizeof bytes; i++)
    CHECK(bytes[i] == (i < 4 || i >= 36 ? 0xa5 : 0));
  sc_wipe(NULL, 0);
done:;
}

static void comparison_covers_every_bit(sc_test *t) {
  uint8_t a[33] = {1, 2, 3};
  uint8_t b[33] = {1, 2, 3};
  CHECK(sc_equal(a, b, sizeof a) && sc_equal(NULL, NULL, 0));
  for (size_t bit = 0; bit < 8 * sizeof b; bit++) {
    b[bit / 8] ^= (uint8_t)(1 << bit % 8);
    CHECK(!sc_equal(a, b, sizeof a));
    b[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
done:;
}

SUITE(base_secret, "base/secret", {"a secret keeps its value", a_secret_keeps_its_value},
      {"an empty secret is refused", an_empty_secret_is_refused},
      {"a secret has guard pages and is read-only", a_secret_has_guard_pages_and_is_read_only},
      {"wiping leaves zeros", wiping_leaves_zeros},
      {"comparison covers every bit", comparison_covers_every_bit});
