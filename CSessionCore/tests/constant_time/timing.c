/* sc-timing: measures whether the time of an operation tells what its secret input was.
 *
 * The method: two classes of inputs take turns at random, each operation is timed alone, and Welch's test
 * compares the means of both classes without their slowest tenth. A difference that shows in each of several
 * runs is a leak; one run alone may be the machine.
 *
 * valgrind proves that the code neither branches on secrets nor indexes with them (sc-constant-time). This
 * looks for what it cannot see: instructions whose time depends on their operands. It wants a quiet machine.
 *
 * `sc-timing --self-test` proves that the method works: it finds a comparison that ends at the first
 * difference. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "session-core/session-core.h"

enum { measurements = 20000, warm_up = 200, most_runs = 4, exit_failed = 1, buffer_bytes = 4096 };

/* What is called a difference: by chance it is as rare as one in 10^23. */
static const double most_t = 10;

typedef struct operation {
  const char *name;
  void (*prepare)(uint8_t *input, int class, uint64_t *state);
  void (*run)(const uint8_t *input);
} operation;

static struct {
  uint8_t public_key[SC_MLKEM768_PUBLIC_BYTES], secret[SC_MLKEM768_SECRET_BYTES];
  uint8_t ciphertext[SC_MLKEM768_CIPHERTEXT_BYTES], shared[SC_MLKEM768_SHARED_BYTES];
} mlkem;

static volatile uint8_t kept; /* so that no result is optimised away */

static uint64_t next(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

static void fill(uint8_t *out, size_t len, uint64_t *state) {
  for (size_t i = 0; i < len; i++)
    out[i] = (uint8_t)next(state);
}

static void succeeds(sc_status status) {
  if (status == SC_OK)
    return;
  fprintf(stderr, "sc-timing: %s\n", sc_status_text(status));
  exit(2);
}

/* A genuine ciphertext, or one that was changed in a random place. */
static void prepare_ciphertext(uint8_t *input, int class, uint64_t *state) {
  size_t place = (size_t)next(state) % sizeof mlkem.ciphertext;
  uint8_t change = (uint8_t)(1 + next(state) % 255);
  memcpy(input, mlkem.ciphertext, sizeof mlkem.ciphertext);
  input[place] ^= class == 0 ? 0 : change;
}

/* The same genuine ciphertext, or a random one. */
static void prepare_random_ciphertext(uint8_t *input, int class, uint64_t *state) {
  fill(input, sizeof mlkem.ciphertext, state);
  if (class == 0)
    memcpy(input, mlkem.ciphertext, sizeof mlkem.ciphertext);
}

static void decapsulate(const uint8_t *input) {
  uint8_t shared[SC_MLKEM768_SHARED_BYTES];
  succeeds(sc_mlkem768_decapsulate(shared, SC_BYTES(mlkem.secret),
                                   sc_bytes_make(input, SC_MLKEM768_CIPHERTEXT_BYTES)));
  kept = shared[0];
}

/* Two equal secrets, or two that differ in a random place. */
static void prepare_pair(uint8_t *input, int class, uint64_t *state) {
  fill(input, buffer_bytes / 2, state);
  memcpy(input + buffer_bytes / 2, input, buffer_bytes / 2);
  size_t place = (size_t)next(state) % (buffer_bytes / 2);
  input[place] ^= class == 0 ? 0 : 1;
}

static void compare(const uint8_t *input) {
  kept = sc_equal(input, input + buffer_bytes / 2, buffer_bytes / 2);
}

static void compare_carelessly(const uint8_t *input) {
  size_t i = 0;
  while (i < buffer_bytes / 2 && input[i] == input[buffer_bytes / 2 + i])
    i++;
  kept = i == buffer_bytes / 2;
}

static double now(void) {
  struct timespec time;
  timespec_get(&time, TIME_UTC);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

typedef struct sample {
  double time;
  int class;
} sample;

static int by_time(const void *a, const void *b) {
  double first = ((const sample *)a)->time, second = ((const sample *)b)->time;
  return (first > second) - (first < second);
}

static void measure(sample *samples, const operation *op, uint64_t *state) {
  static uint8_t input[buffer_bytes];
  for (int i = -warm_up; i < measurements; i++) {
    int class = (int)(next(state) % 2);
    op->prepare(input, class, state);
    double started = now();
    op->run(input);
    double time = now() - started;
    if (i >= 0)
      samples[i] = (sample){time, class};
  }
}

/* Welch's t of the two classes. */
static double difference(const sample *samples, size_t count) {
  double sum[2] = {0}, squares[2] = {0}, n[2] = {0};
  for (size_t i = 0; i < count; i++) {
    n[samples[i].class]++;
    sum[samples[i].class] += samples[i].time;
  }
  for (size_t i = 0; i < count; i++) {
    double off = samples[i].time - sum[samples[i].class] / n[samples[i].class];
    squares[samples[i].class] += off * off;
  }
  double variance = squares[0] / (n[0] - 1) / n[0] + squares[1] / (n[1] - 1) / n[1];
  return variance > 0 ? (sum[0] / n[0] - sum[1] / n[1]) / sqrt(variance) : 0;
}

/* True if each run shows a difference. */
static bool leaks(const operation *op) {
  static sample samples[measurements];
  uint64_t state = 1;
  double t = INFINITY;
  for (int run = 0; run < most_runs && fabs(t) > most_t; run++) {
    measure(samples, op, &state);
    qsort(samples, measurements, sizeof samples[0], by_time);
    t = difference(samples, measurements - measurements / 10);
    printf("%-46s t = %7.2f\n", op->name, t);
  }
  return fabs(t) > most_t;
}

static const operation operations[] = {
    {"ML-KEM, decapsulation: genuine or changed", prepare_ciphertext, decapsulate},
    {"ML-KEM, decapsulation: fixed or random", prepare_random_ciphertext, decapsulate},
    {"comparison of secrets: equal or not", prepare_pair, compare},
};

static const operation careless = {"careless comparison", prepare_pair, compare_carelessly};

int main(int argc, char **argv) {
  static const uint8_t seed[SC_MLKEM768_SEED_BYTES] = {1};
  succeeds(sc_init());
  if (argc == 2 && strcmp(argv[1], "--self-test") == 0) {
    bool found = leaks(&careless);
    printf("timing: %d passed, %d failed, 0 skipped\n", found, !found);
    return found ? 0 : exit_failed;
  }
  sc_mlkem768_from_seed(mlkem.public_key, mlkem.secret, seed);
  succeeds(sc_mlkem768_encapsulate(mlkem.ciphertext, mlkem.shared, NULL, SC_BYTES(mlkem.public_key)));
  int failed = 0;
  size_t count = sizeof operations / sizeof operations[0];
  for (size_t i = 0; i < count; i++)
    failed += leaks(&operations[i]);
  printf("timing: %d passed, %d failed, 0 skipped\n", (int)count - failed, failed);
  return failed == 0 ? 0 : exit_failed;
}
