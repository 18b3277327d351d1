#include "base/draws.h"

#include "support/test.h"
#include "support/test_env.h"

static void every_number_below_the_bound_is_drawn(sc_test *t) {
  enum { rounds = 6000, bound = 6 };
  size_t seen[bound] = {0};
  sc_draws draws;
  sc_draws_init(&draws, t->env, rounds);
  for (size_t i = 0; i < rounds; i++) {
    uint32_t number = sc_draws_below(&draws, bound);
    CHECK(number < bound);
    seen[number]++;
  }
  for (size_t i = 0; i < bound; i++)
    CHECK(seen[i] > rounds / bound * 8 / 10 && seen[i] < rounds / bound * 12 / 10);
  CHECK(sc_draws_below(&draws, 1) == 0);
done:;
}

/* With a bound of 3 × 2^30, words whose product leaves less than 2^30 would make some numbers come twice. */
static void biased_words_are_skipped(sc_test *t) {
  const uint32_t bound = 3u << 30, words[] = {7, 0x80000000};
  sc_test_env env;
  sc_draws draws;
  sc_test_env_init(&env, 1);
  sc_test_env_script(&env, sc_bytes_make(words, sizeof words));
  sc_draws_init(&draws, &env.env, 2);
  /* Words are used from the last on: 2^31 × 3 × 2^30 leaves 0, then 7 × 3 × 2^30 leaves 2^30. */
  CHECK(sc_draws_below(&draws, bound) == 5);
  CHECK(draws.left == 0 && env.random_calls == 0);
done:;
}

static void one_call_to_the_random_source_fetches_many_words(sc_test *t) {
  enum { wanted = 1000 };
  sc_test_env env;
  sc_draws draws;
  sc_test_env_init(&env, 1);
  sc_draws_init(&draws, &env.env, wanted);
  for (size_t i = 0; i < wanted; i++)
    CHECK(sc_draws_below(&draws, 256) < 256);
  CHECK(env.random_calls == 4);
  sc_draws_init(&draws, &env.env, 0);
  CHECK(sc_draws_below(&draws, 256) < 256 && draws.batch == 1);
done:;
}

SUITE(base_draws, "base/draws",
      {"every number below the bound is drawn", every_number_below_the_bound_is_drawn},
      {"biased words are skipped", biased_words_are_skipped},
      {"one call to the random source fetches many words", one_call_to_the_random_source_fetches_many_words});
