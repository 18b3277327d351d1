#include "session-core/crypto/passphrase.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/known_bytes.h"

static const uint8_t salt[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const sc_passphrase_cost cheapest = {1, SC_PASSPHRASE_MIN_MEMORY};

/* Computed with OpenSSL's Argon2id, one lane, and again with the reference library libargon2. */
static void a_passphrase_gives_the_known_key(sc_test *t) {
  static const struct {
    const char *passphrase;
    sc_passphrase_cost cost;
    const char *key;
  } known[] = {
      {"correct horse battery staple",
       {1, 8 * 1024},
       "d17ea6341ca93da6079ea2f64dc4aa31dd1aaf9caa67fb42ac4afd0714706f26"},
      {"", {3, 16 * 1024}, "d1c37bc8546eaa2cbfe71f2acfc93549"},
      {"password",
       {2, 64 * 1024},
       "7f990f97ce28b46974d0bb003c36161e9eb19100e6f58f6e571cdd722e733837"
       "512b422160bc524639cd9f1d06051f916cbfdf9b3e323142d923d0b469e98133"},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    uint8_t expected[64];
    uint8_t key[64];
    size_t len = strlen(known[i].key) / 2;
    sc_test_hex_into(expected, len, known[i].key);
    OK(sc_passphrase_key(key, len, sc_bytes_text(known[i].passphrase), salt, known[i].cost));
    SAME(sc_bytes_make(expected, len), sc_bytes_make(key, len));
  }
done:;
}

static void no_bytes_mean_the_empty_passphrase(sc_test *t) {
  uint8_t of_text[16];
  uint8_t of_nothing[16];
  OK(sc_passphrase_key(of_text, 16, sc_bytes_text(""), salt, cheapest));
  OK(sc_passphrase_key(of_nothing, 16, sc_bytes_make(NULL, 0), salt, cheapest));
  SAME(SC_BYTES(of_text), SC_BYTES(of_nothing));
done:;
}

static void salt_and_cost_change_the_key(sc_test *t) {
  static const uint8_t other_salt[16] = {9};
  const sc_passphrase_cost slower = {2, SC_PASSPHRASE_MIN_MEMORY};
  const sc_passphrase_cost larger = {1, 2 * SC_PASSPHRASE_MIN_MEMORY};
  uint8_t keys[4][16];
  OK(sc_passphrase_key(keys[0], 16, sc_bytes_text("pass"), salt, cheapest));
  OK(sc_passphrase_key(keys[1], 16, sc_bytes_text("pass"), other_salt, cheapest));
  OK(sc_passphrase_key(keys[2], 16, sc_bytes_text("pass"), salt, slower));
  OK(sc_passphrase_key(keys[3], 16, sc_bytes_text("pass"), salt, larger));
  for (size_t i = 0; i < 4; i++)
    for (size_t j = 0; j < i; j++)
      CHECK(memcmp(keys[i], keys[j], 16) != 0);
done:;
}

static void a_cost_outside_the_limits_is_refused(sc_test *t) {
  static const sc_passphrase_cost refused[] = {
      {0, SC_PASSPHRASE_MIN_MEMORY},
      {SC_PASSPHRASE_MAX_PASSES + 1, SC_PASSPHRASE_MIN_MEMORY},
      {UINT32_MAX, SC_PASSPHRASE_MIN_MEMORY},
      {1, SC_PASSPHRASE_MIN_MEMORY - 1},
      {1, 0},
      {1, SC_PASSPHRASE_MAX_MEMORY + 1},
      {1, SIZE_MAX},
  };
  uint8_t key[32];
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
    FAILS(SC_ERR_PASSPHRASE_COST,
          sc_passphrase_key(key, sizeof key, sc_bytes_text("pass"), salt, refused[i]));
  const sc_passphrase_cost slowest = {SC_PASSPHRASE_MAX_PASSES, SC_PASSPHRASE_MIN_MEMORY};
  OK(sc_passphrase_key(key, sizeof key, sc_bytes_text("pass"), salt, slowest));
done:;
}

static void a_key_has_16_to_64_bytes(sc_test *t) {
  uint8_t key[66];
  for (size_t len = 0; len <= sizeof key; len++) {
    sc_status expected = len >= 16 && len <= 64 ? SC_OK : SC_ERR_HASH_SIZE;
    FAILS(expected, sc_passphrase_key(key, len, sc_bytes_text("pass"), salt, cheapest));
  }
done:;
}

static void the_passphrase_length_is_limited(sc_test *t) {
  static const uint8_t text[SC_PASSPHRASE_MAX_BYTES + 1];
  uint8_t key[32];
  OK(sc_passphrase_key(key, sizeof key, sc_bytes_make(text, sizeof text - 1), salt, cheapest));
  FAILS(SC_ERR_TOO_LARGE, sc_passphrase_key(key, sizeof key, SC_BYTES(text), salt, cheapest));
done:;
}

/* Bytes of address space this process uses; 0 if the system does not report it. */
static size_t address_space_taken(void) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL)
    return 0;
  if (fscanf(file, "%lu", &pages) != 1)
    pages = 0;
  fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Limits the address space so that the cost's memory cannot be allocated. */
static void running_out_of_memory_is_reported(sc_test *t) {
  const sc_passphrase_cost largest = {1, SC_PASSPHRASE_MAX_MEMORY};
  uint8_t key[32];
  struct rlimit before;
  const size_t taken = address_space_taken();
  if (taken == 0)
    SKIP("the system does not tell how much memory a process has");
  CHECK(getrlimit(RLIMIT_AS, &before) == 0);
  const struct rlimit closed = {.rlim_cur = taken + SC_PASSPHRASE_MAX_MEMORY / 2,
                                .rlim_max = before.rlim_max};
  CHECK(setrlimit(RLIMIT_AS, &closed) == 0);
  sc_status status = sc_passphrase_key(key, sizeof key, sc_bytes_text("pass"), salt, largest);
  CHECK(setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(status == SC_ERR_NO_MEMORY);
done:;
}

SUITE(crypto_passphrase, "crypto/passphrase",
      {"a passphrase gives the known key", a_passphrase_gives_the_known_key},
      {"no bytes mean the empty passphrase", no_bytes_mean_the_empty_passphrase},
      {"salt and cost change the key", salt_and_cost_change_the_key},
      {"a cost outside the limits is refused", a_cost_outside_the_limits_is_refused},
      {"a key has 16 to 64 bytes", a_key_has_16_to_64_bytes},
      {"the passphrase length is limited", the_passphrase_length_is_limited},
      {"running out of memory is reported", running_out_of_memory_is_reported});
