/* ML-KEM-768. The floor is the time of the Keccak permutations that each operation needs. */
#include <nettle/sha3.h>

#include "bench.h"

/* Of the matrix 27, of the noise 6 or 7, of the hashes of keys and ciphertexts 9 each, and G. */
enum { keys_permutations = 43, encapsulate_permutations = 44, decapsulate_permutations = 44 };

static const double at_most_us = 60;

static struct {
  uint8_t seed[SC_MLKEM768_SEED_BYTES];
  uint8_t public_key[SC_MLKEM768_PUBLIC_BYTES];
  uint8_t secret[SC_MLKEM768_SECRET_BYTES];
  uint8_t ciphertext[SC_MLKEM768_CIPHERTEXT_BYTES];
  uint8_t shared[SC_MLKEM768_SHARED_BYTES];
  int permutations;
} world;

static void make_keys(void *user) {
  (void)user;
  sc_mlkem768_from_seed(world.public_key, world.secret, world.seed);
  bench_keep(world.secret);
}

static void encapsulate(void *user) {
  (void)user;
  BENCH_OK(sc_mlkem768_encapsulate(world.ciphertext, world.shared, bench_env(), SC_BYTES(world.public_key)));
  bench_keep(world.shared);
}

static void decapsulate(void *user) {
  (void)user;
  BENCH_OK(sc_mlkem768_decapsulate(world.shared, SC_BYTES(world.secret), SC_BYTES(world.ciphertext)));
  bench_keep(world.shared);
}

static void permute(void *user) {
  (void)user;
  struct sha3_state state = {{1}};
  for (int i = 0; i < world.permutations; i++)
    sha3_permute(&state);
  bench_keep(&state);
}

static void run(const char *name, bench_body ours, int permutations) {
  world.permutations = permutations;
  const bench_case figure = {
      .name = name,
      .ours = ours,
      .floor = permute,
      .floor_name = "its permutations of Keccak",
      .amount = 1,
      .measure = BENCH_US_PER_OP,
      .goal = BENCH_FIGURE_AT_MOST,
      .target = at_most_us,
      .count_allocations = true,
  };
  bench_run(&figure);
}

int main(int argc, char **argv) {
  bench_begin(argc, argv);
  make_keys(NULL);
  encapsulate(NULL);
  run("mlkem/keys from seed", make_keys, keys_permutations);
  run("mlkem/encapsulate", encapsulate, encapsulate_permutations);
  run("mlkem/decapsulate", decapsulate, decapsulate_permutations);
  return 0;
}
