#include "support/test.h"
#include "support/test_env.h"

static void null_selects_the_default_environment(sc_test *t) {
  void *ptr = sc_allocate(NULL, 16);
  CHECK(ptr != NULL);
  uint8_t a[32] = {0}, b[32] = {0};
  sc_random(NULL, a, sizeof a);
  sc_random(sc_env_default(), b, sizeof b);
  CHECK(memcmp(a, b, sizeof a) != 0);
  sc_log(NULL, SC_LOG_ERROR, "a log without a reader");
done:
  sc_release(NULL, ptr);
  sc_release(NULL, NULL);
}

static void initialising_twice_is_harmless(sc_test *t) {
  OK(sc_init());
  OK(sc_init());
done:;
}

static void seeded_random_bytes_repeat(sc_test *t) {
  sc_test_env one, two, other;
  sc_test_env_init(&one, 7);
  sc_test_env_init(&two, 7);
  sc_test_env_init(&other, 8);
  uint8_t a[48], b[48], c[48];
  for (int i = 0; i < 3; i++) {
    sc_random(&one.env, a, sizeof a);
    sc_random(&two.env, b, sizeof b);
    sc_random(&other.env, c, sizeof c);
    CHECK(memcmp(a, b, sizeof a) == 0 && memcmp(a, c, sizeof a) != 0);
  }
done:;
}

static void scripted_random_bytes_come_first(sc_test *t) {
  sc_test_env env;
  sc_test_env_init(&env, 7);
  sc_test_env_script(&env, sc_bytes_text("abcdef"));
  uint8_t out[4];
  sc_random(&env.env, out, 4);
  CHECK(memcmp(out, "abcd", 4) == 0 && env.script_shortage == 0);
  sc_random(&env.env, out, 4);
  CHECK(memcmp(out, "ef", 2) == 0 && env.script_shortage == 2);
done:;
}

static void the_chosen_allocation_is_refused(sc_test *t) {
  sc_test_env env;
  sc_test_env_init(&env, 7);
  env.fail_at = 2;
  void *first = sc_allocate(&env.env, 8);
  void *second = sc_allocate(&env.env, 8);
  CHECK(first != NULL && second == NULL && env.refused && env.live == 1);
done:
  sc_release(&env.env, first);
}

SUITE(base_env, "base/env", {"NULL selects the default environment", null_selects_the_default_environment},
      {"initialising twice is harmless", initialising_twice_is_harmless},
      {"seeded random bytes repeat", seeded_random_bytes_repeat},
      {"scripted random bytes come first", scripted_random_bytes_come_first},
      {"the chosen allocation is refused", the_chosen_allocation_is_refused});
