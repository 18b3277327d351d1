#include <inttypes.h>
#include <pthread.h>
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

/* Makes a secret of `len` bytes that follow from `number`. */
static sc_status make(sc_secret **out, const sc_env *env, size_t number, size_t len) {
  uint8_t value[400];
  for (size_t i = 0; i < len; i++)
    value[i] = (uint8_t)(number * 7 + i);
  return sc_secret_new(out, env, sc_bytes_make(value, len));
}

static bool is_as_made(const sc_secret *secret, size_t number, size_t len) {
  sc_bytes bytes = sc_secret_bytes(secret);
  bool same = bytes.len == len;
  for (size_t i = 0; same && i < len; i++)
    same = bytes.ptr[i] == (uint8_t)(number * 7 + i);
  return same;
}

static void many_secrets_share_pages_and_keep_their_values(sc_test *t) {
  enum { count = 150 };
  sc_secret *secrets[count] = {NULL};
  for (size_t i = 0; i < count; i++)
    OK(make(&secrets[i], t->env, i, 1 + i * 2));
  /* Every third goes, and another takes its place. */
  for (size_t i = 0; i < count; i += 3) {
    sc_secret_free(secrets[i]);
    secrets[i] = NULL;
    OK(make(&secrets[i], t->env, i + 1000, 33));
  }
  for (size_t i = 0; i < count; i++)
    CHECK(i % 3 == 0 ? is_as_made(secrets[i], i + 1000, 33) : is_as_made(secrets[i], i, 1 + i * 2));
done:
  for (size_t i = 0; i < count; i++)
    sc_secret_free(secrets[i]);
}

static void a_small_secret_is_wiped_when_it_is_freed(sc_test *t) {
  sc_secret *first = NULL, *second = NULL;
  OK(make(&first, t->env, 1, 32));
  OK(make(&second, t->env, 2, 32));
  const uint8_t *ptr = sc_secret_bytes(second).ptr;
  uintptr_t distance = (uintptr_t)ptr > (uintptr_t)sc_secret_bytes(first).ptr
                           ? (uintptr_t)ptr - (uintptr_t)sc_secret_bytes(first).ptr
                           : (uintptr_t)sc_secret_bytes(first).ptr - (uintptr_t)ptr;
  sc_secret_free(second);
  second = NULL;
  /* The memory is still there if the first secret is on the same page. */
  if (distance >= 4096 - 32)
    SKIP("the secrets are on two pages");
  for (size_t i = 0; i < 32; i++)
    CHECK(ptr[i] == 0);
done:
  sc_secret_free(first);
  sc_secret_free(second);
}

typedef struct sc_secret_worker {
  pthread_t thread;
  size_t number;
  bool failed;
} sc_secret_worker;

static void *make_and_free(void *user) {
  enum { held = 40, rounds = 2000 };
  sc_secret_worker *worker = user;
  sc_secret *secrets[held] = {NULL};
  for (size_t round = 0; round < rounds && !worker->failed; round++) {
    sc_secret **secret = &secrets[round * 13 % held];
    if (*secret != NULL)
      worker->failed = !is_as_made(*secret, worker->number, 64);
    sc_secret_free(*secret);
    *secret = NULL;
    worker->failed |= make(secret, NULL, worker->number, 64) != SC_OK;
  }
  for (size_t i = 0; i < held; i++)
    sc_secret_free(secrets[i]);
  return NULL;
}

static void threads_make_secrets_at_once(sc_test *t) {
  enum { count = 4 };
  sc_secret_worker workers[count];
  size_t started = 0;
  bool failed = false;
  for (; started < count; started++) {
    workers[started] = (sc_secret_worker){.number = started};
    if (pthread_create(&workers[started].thread, NULL, make_and_free, &workers[started]) != 0)
      break;
  }
  for (size_t i = 0; i < started; i++) {
    pthread_join(workers[i].thread, NULL);
    failed |= workers[i].failed;
  }
  CHECK(started == count && !failed);
done:;
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
      {"many secrets share pages and keep their values", many_secrets_share_pages_and_keep_their_values},
      {"a small secret is wiped when it is freed", a_small_secret_is_wiped_when_it_is_freed},
      {"threads make secrets at once", threads_make_secrets_at_once},
      {"wiping leaves zeros", wiping_leaves_zeros},
      {"comparison covers every bit", comparison_covers_every_bit});
