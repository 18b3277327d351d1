/* A device for the tests of the config object: a config of a kind without fields of its own, edited by path,
 * owned by an account or a group. */
#ifndef SC_TESTS_CONFIG_DEVICE_H
#define SC_TESTS_CONFIG_DEVICE_H

#include "config/change.h"
#include "config/object.h"
#include "revision.h"
#include "worked_example.h"

enum { device_now_ms = 1700000000 };

static const sc_config_type device_type = {
    .domain = "UserProfile", .name_space = 2, .kind = SC_LEGACY_CONFIG_USER_PROFILE};
static const sc_config_type device_group_type = {.domain = "groups::Info", .name_space = 13};

/* Of the account of the worked example. */
static inline sc_status device_new(sc_config **out, const sc_env *env, sc_bytes dump) {
  sc_keypair account;
  worked_account(&account);
  return sc_config_new(out, env, &(sc_config_setup){.type = &device_type, .account = &account, .dump = dump});
}

/* The key pair that signs the group's messages. */
static inline void device_group_pair(sc_ed25519_pair *out) {
  uint8_t seed[32];
  memset(seed, 0x11, sizeof seed);
  sc_ed25519_pair_from_seed(out, seed);
}

/* With one key; an admin signs, a member is read-only. */
static inline sc_status device_group_new(sc_config **out, const sc_env *env, bool admin, sc_bytes dump) {
  static const uint8_t key[32] = {7};
  sc_ed25519_pair pair;
  device_group_pair(&pair);
  sc_status status = sc_config_new(out, env,
                                   &(sc_config_setup){.type = &device_group_type,
                                                      .verifier = pair.public_key,
                                                      .signer = admin ? &pair : NULL,
                                                      .dump = dump});
  if (status != SC_OK)
    return status;
  status = sc_config_add_key(*out, SC_BYTES(key), true, false);
  if (status != SC_OK) {
    sc_config_free(*out);
    *out = NULL;
  }
  return status;
}

static inline sc_status device_set(sc_config *config, sc_config_path path, sc_config_value value) {
  sc_config_change change;
  sc_config_change_begin(&change, config);
  sc_config_change_set(&change, path, value);
  return sc_config_change_end(&change);
}

static inline sc_status device_erase(sc_config *config, sc_config_path path) {
  sc_config_change change;
  sc_config_change_begin(&change, config);
  sc_config_change_erase(&change, path);
  return sc_config_change_end(&change);
}

/* The edits of the first revision of the worked example. */
static inline sc_status device_worked_first(sc_config *config) {
  static const uint8_t key[] = "secret78901234567890123456789012";
  sc_config_change change;
  sc_config_change_begin(&change, config);
  sc_config_change_set(&change, PATH1("+"), sc_config_integer(9));
  sc_config_change_set(&change, PATH1("n"), TEXT("Kallie"));
  sc_config_change_set(&change, PATH1("p"), TEXT("http://example.org/omg-pic-123.bmp"));
  sc_config_change_set(&change, PATH1("q"), sc_config_string(sc_bytes_make(key, 32)));
  return sc_config_change_end(&change);
}

/* The bt encoding of the data. */
static inline sc_status device_data(sc_buffer *out, const sc_config *config) {
  uint8_t *at;
  sc_buffer_clear(out);
  sc_status status = sc_buffer_extend(&at, out, sc_config_tree_size(sc_config_data(config)));
  if (status == SC_OK)
    sc_config_tree_write(at, sc_config_data(config));
  return status;
}

static inline sc_status device_merge(sc_config_effect *effect, sc_status *understood, sc_config *config,
                                     const char *hash, sc_bytes stored) {
  return sc_config_merge(effect, understood, config, &(sc_config_incoming){sc_bytes_text(hash), stored}, 1,
                         device_now_ms);
}

/* Pushes and confirms. */
static inline sc_status device_publish(sc_config_outgoing *out, sc_config *config, const char *hash) {
  sc_bytes stored_as = sc_bytes_text(hash);
  sc_status status = sc_config_push(out, config, device_now_ms);
  return status == SC_OK ? sc_config_confirm(config, out->seqno, &stored_as, 1) : status;
}

/* The only message of a push. */
static inline sc_bytes device_message(const sc_config_outgoing *outgoing) {
  return sc_config_stored_message(&outgoing->messages, 0);
}

/* A failed claim in a helper also ends the test. */
#define STOP_IF_FAILED                                                                                       \
  if (t->failed || t->out_of_memory)                                                                         \
  goto done

static inline void device_data_is(sc_test *t, const char *expected, const sc_config *config) {
  sc_buffer data;
  sc_buffer_init(&data, t->env);
  OK(device_data(&data, config));
  SAME(sc_bytes_text(expected), sc_buffer_bytes(&data));
done:
  sc_buffer_free(&data);
}

static inline void device_dump_is(sc_test *t, const char *expected, sc_config *config) {
  sc_buffer dump;
  sc_buffer_init(&dump, t->env);
  OK(sc_config_dump(&dump, config, device_now_ms));
  SAME(sc_bytes_text(expected), sc_buffer_bytes(&dump));
done:
  sc_buffer_free(&dump);
}

static inline void hashes_are(sc_test *t, const char *const *expected, size_t count,
                              const sc_config_hashes *actual) {
  CHECK(actual->count == count);
  for (size_t i = 0; i < count; i++)
    SAME(sc_bytes_text(expected[i]), actual->items[i]);
done:;
}

#define HASHES_ARE(hashes, ...)                                                                              \
  do {                                                                                                       \
    const char *const expected_hashes[] = {__VA_ARGS__};                                                     \
    hashes_are(t, expected_hashes, sizeof expected_hashes / sizeof *expected_hashes, (hashes));              \
    STOP_IF_FAILED;                                                                                          \
  } while (0)

#endif
