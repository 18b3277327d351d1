#include "crypto/keccak.h"
#include "session-core/crypto/mlkem.h"
#include "support/known_bytes.h"
#include "support/test_env.h"

/* Instrumented code is slow. */
#ifdef SC_INSTRUMENTED
enum { round_trips = 200 };
#else
enum { round_trips = 10000 };
#endif

typedef struct scene {
  uint8_t seed[SC_MLKEM768_SEED_BYTES];
  uint8_t public_key[SC_MLKEM768_PUBLIC_BYTES];
  uint8_t secret[SC_MLKEM768_SECRET_BYTES];
  uint8_t ciphertext[SC_MLKEM768_CIPHERTEXT_BYTES];
  uint8_t shared[SC_MLKEM768_SHARED_BYTES];
  uint8_t received[SC_MLKEM768_SHARED_BYTES];
} scene;

static const uint8_t zeros[SC_MLKEM768_SECRET_BYTES];

static bool is_zero(const uint8_t *bytes, size_t len) {
  return memcmp(bytes, zeros, len) == 0;
}

static sc_status make_scene(scene *s, const sc_env *env) {
  sc_status status = sc_mlkem768_generate(s->seed, s->public_key, s->secret, env);
  return status != SC_OK ? status
                         : sc_mlkem768_encapsulate(s->ciphertext, s->shared, env, SC_BYTES(s->public_key));
}

static void the_zero_seed_gives_the_known_key_and_secret(sc_test *t) {
  scene s;
  uint8_t hash[32];
  KNOWN(hash_start, "07f81a8b0e266a3e");
  KNOWN(shared, "b4d29cd55bab43e16554b74b9098cdfce583996c968bcd2cfd1ad9455e351fbf");
  sc_mlkem768_from_seed(s.public_key, s.secret, zeros);
  sc_keccak_hash(hash, sizeof hash, SC_SHA3_256, SC_BYTES(s.public_key), sc_bytes_make(NULL, 0));
  SAME(SC_BYTES(hash_start), sc_bytes_make(hash, 8));
  OK(sc_mlkem768_encapsulate_with(s.ciphertext, s.shared, SC_BYTES(s.public_key), zeros));
  SAME(SC_BYTES(shared), SC_BYTES(s.shared));
done:;
}

static void both_sides_hold_the_same_secret(sc_test *t) {
  scene s;
  for (int i = 0; i < round_trips; i++) {
    OK(make_scene(&s, t->env));
    OK(sc_mlkem768_check_public(SC_BYTES(s.public_key)));
    OK(sc_mlkem768_check_secret(SC_BYTES(s.secret)));
    OK(sc_mlkem768_decapsulate(s.received, SC_BYTES(s.secret), SC_BYTES(s.ciphertext)));
    SAME(SC_BYTES(s.shared), SC_BYTES(s.received));
  }
done:;
}

/* In each byte of the ciphertext, and in each bit of a byte. */
static void a_changed_bit_gives_the_secret_of_rejection(sc_test *t) {
  scene s;
  OK(make_scene(&s, t->env));
  for (size_t bit = 0; bit < (size_t)8 * sizeof s.ciphertext; bit += 7) {
    uint8_t expected[32];
    s.ciphertext[bit / 8] ^= (uint8_t)(1 << bit % 8);
    sc_keccak_hash(expected, sizeof expected, SC_SHAKE256, sc_bytes_make(s.secret + 2368, 32),
                   SC_BYTES(s.ciphertext));
    OK(sc_mlkem768_decapsulate(s.received, SC_BYTES(s.secret), SC_BYTES(s.ciphertext)));
    SAME(SC_BYTES(expected), SC_BYTES(s.received));
    s.ciphertext[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
done:;
}

static void unreduced_keys_give_nothing(sc_test *t) {
  scene s;
  OK(make_scene(&s, t->env));
  s.public_key[0] = 0xff;
  s.public_key[1] |= 0x0f;
  FAILS(SC_ERR_KEY_INVALID, sc_mlkem768_check_public(SC_BYTES(s.public_key)));
  FAILS(SC_ERR_KEY_INVALID, sc_mlkem768_encapsulate(s.ciphertext, s.shared, t->env, SC_BYTES(s.public_key)));
  CHECK(is_zero(s.ciphertext, sizeof s.ciphertext) && is_zero(s.shared, sizeof s.shared));
done:;
}

static void wrong_lengths_are_refused(sc_test *t) {
  scene s;
  OK(make_scene(&s, t->env));
  const sc_bytes public_key = SC_BYTES(s.public_key), secret = SC_BYTES(s.secret);
  const sc_bytes ciphertext = SC_BYTES(s.ciphertext);
  const sc_bytes short_key = {public_key.ptr, public_key.len - 1},
                 short_secret = {secret.ptr, secret.len - 1};
  const sc_bytes short_ciphertext = {ciphertext.ptr, ciphertext.len - 1};
  uint8_t other[SC_MLKEM768_CIPHERTEXT_BYTES];
  FAILS(SC_ERR_KEY_SIZE, sc_mlkem768_check_public(short_key));
  FAILS(SC_ERR_KEY_SIZE, sc_mlkem768_check_public(sc_bytes_make(NULL, 0)));
  FAILS(SC_ERR_KEY_SIZE, sc_mlkem768_check_secret(short_secret));
  FAILS(SC_ERR_KEY_SIZE, sc_mlkem768_encapsulate(other, s.shared, t->env, short_key));
  FAILS(SC_ERR_KEY_SIZE, sc_mlkem768_decapsulate(s.received, short_secret, ciphertext));
  memset(s.received, 1, sizeof s.received);
  FAILS(SC_ERR_DECRYPT, sc_mlkem768_decapsulate(s.received, secret, short_ciphertext));
  CHECK(is_zero(s.received, sizeof s.received));
done:;
}

static void a_key_with_the_hash_of_another_is_refused(sc_test *t) {
  static const size_t places[] = {1152, 2335, 2336, 2367};
  scene s;
  OK(make_scene(&s, t->env));
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    s.secret[places[i]] ^= 1;
    FAILS(SC_ERR_KEY_MISMATCH, sc_mlkem768_check_secret(SC_BYTES(s.secret)));
    OK(sc_mlkem768_decapsulate(s.received, SC_BYTES(s.secret), SC_BYTES(s.ciphertext)));
    CHECK(!sc_equal(s.received, s.shared, sizeof s.shared));
    s.secret[places[i]] ^= 1;
  }
done:;
}

static void a_key_of_unreduced_secrets_does_no_harm(sc_test *t) {
  scene s;
  OK(make_scene(&s, t->env));
  memset(s.secret, 0xff, 1152);
  OK(sc_mlkem768_decapsulate(s.received, SC_BYTES(s.secret), SC_BYTES(s.ciphertext)));
  memset(s.ciphertext, 0xff, sizeof s.ciphertext);
  OK(sc_mlkem768_decapsulate(s.received, SC_BYTES(s.secret), SC_BYTES(s.ciphertext)));
done:;
}

static void a_seed_of_zeros_is_not_drawn(sc_test *t) {
  scene s;
  sc_test_env_script(t->env->user, sc_bytes_make(zeros, SC_MLKEM768_SEED_BYTES));
  FAILS(SC_ERR_NO_RANDOM, sc_mlkem768_generate(s.seed, s.public_key, s.secret, t->env));
  CHECK(is_zero(s.public_key, sizeof s.public_key) && is_zero(s.secret, sizeof s.secret));
done:;
}

static void a_seed_makes_the_same_keys_again(sc_test *t) {
  scene s, again;
  OK(make_scene(&s, t->env));
  sc_mlkem768_from_seed(again.public_key, again.secret, s.seed);
  SAME(SC_BYTES(s.public_key), SC_BYTES(again.public_key));
  SAME(SC_BYTES(s.secret), SC_BYTES(again.secret));
done:;
}

SUITE(crypto_mlkem, "crypto/mlkem",
      {"the zero seed gives the known key and secret", the_zero_seed_gives_the_known_key_and_secret},
      {"both sides hold the same secret", both_sides_hold_the_same_secret},
      {"a changed bit gives the secret of rejection", a_changed_bit_gives_the_secret_of_rejection},
      {"unreduced keys give nothing", unreduced_keys_give_nothing},
      {"wrong lengths are refused", wrong_lengths_are_refused},
      {"a key with the hash of another is refused", a_key_with_the_hash_of_another_is_refused},
      {"a key of unreduced secrets does no harm", a_key_of_unreduced_secrets_does_no_harm},
      {"a seed of zeros is not drawn", a_seed_of_zeros_is_not_drawn},
      {"a seed makes the same keys again", a_seed_makes_the_same_keys_again});
