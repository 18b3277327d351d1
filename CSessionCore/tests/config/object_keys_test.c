#include "config/object.h"
#include "device.h"

/* Keys are named by their first byte. */
static const uint8_t a[32] = {'a'}, b[32] = {'b'}, c[32] = {'c'};

static void keys_are(sc_test *t, const char *expected, const sc_config *config) {
  CHECK(sc_config_key_count(config) == strlen(expected));
  for (size_t i = 0; i < strlen(expected); i++) {
    CHECK(sc_config_key(config, i).len == 32);
    CHECK(sc_config_key(config, i).ptr[0] == (uint8_t)expected[i]);
  }
done:;
}

#define KEYS_ARE(expected)                                                                                   \
  keys_are(t, expected, config);                                                                             \
  STOP_IF_FAILED

static sc_status begin_without_keys(sc_config **out, const sc_env *env) {
  sc_status status = device_group_new(out, env, true, (sc_bytes){0});
  return status == SC_OK ? sc_config_replace_keys(*out, NULL, 0, false) : status;
}

static void keys_are_added_at_either_end(sc_test *t) {
  sc_config *config = NULL;
  OK(begin_without_keys(&config, t->env));
  OK(sc_config_add_key(config, SC_BYTES(a), false, false));
  KEYS_ARE("a");
  OK(sc_config_add_key(config, SC_BYTES(b), true, false));
  KEYS_ARE("ba");
  OK(sc_config_add_key(config, SC_BYTES(c), false, false));
  KEYS_ARE("bac");
  OK(sc_config_add_key(config, SC_BYTES(b), false, false));
  KEYS_ARE("bac");
  OK(sc_config_add_key(config, SC_BYTES(c), true, false));
  KEYS_ARE("cba");
  FAILS(SC_ERR_KEY_SIZE, sc_config_add_key(config, sc_bytes_make(a, 31), true, false));
  KEYS_ARE("cba");
  CHECK(sc_config_state_of(config) == SC_CONFIG_CLEAN);
done:
  sc_config_free(config);
}

static void keys_are_removed(sc_test *t) {
  const sc_bytes keys[] = {SC_BYTES(a), SC_BYTES(b), SC_BYTES(a), SC_BYTES(c)};
  sc_config *config = NULL;
  bool removed = false;
  OK(begin_without_keys(&config, t->env));
  OK(sc_config_replace_keys(config, keys, 4, false));
  KEYS_ARE("abac");
  OK(sc_config_remove_key(&removed, config, SC_BYTES(a), 1, false));
  CHECK(removed);
  KEYS_ARE("abc");
  OK(sc_config_remove_key(&removed, config, SC_BYTES(a), 1, false));
  CHECK(!removed);
  OK(sc_config_remove_key(&removed, config, SC_BYTES(a), 0, false));
  CHECK(removed);
  KEYS_ARE("bc");
  OK(sc_config_remove_key(&removed, config, SC_BYTES(a), 9, false));
  CHECK(!removed);
  FAILS(SC_ERR_KEY_SIZE, sc_config_remove_key(&removed, config, sc_bytes_text(""), 0, false));
done:
  sc_config_free(config);
}

static void a_new_first_key_needs_another_push(sc_test *t) {
  const sc_bytes keys[] = {SC_BYTES(a), SC_BYTES(b)};
  const sc_bytes swapped[] = {SC_BYTES(b), SC_BYTES(a)};
  sc_config *config = NULL;
  sc_config_outgoing out;
  bool removed;
  sc_config_outgoing_init(&out, t->env);
  OK(begin_without_keys(&config, t->env));
  OK(sc_config_add_key(config, SC_BYTES(a), true, true));
  CHECK(sc_config_state_of(config) == SC_CONFIG_DIRTY && sc_config_seqno(config) == 1);
  OK(device_publish(&out, config, "h1"));
  OK(sc_config_add_key(config, SC_BYTES(a), true, true));
  OK(sc_config_add_key(config, SC_BYTES(b), false, true));
  OK(sc_config_remove_key(&removed, config, SC_BYTES(b), 0, true));
  OK(sc_config_replace_keys(config, keys, 2, true));
  CHECK(sc_config_state_of(config) == SC_CONFIG_CLEAN);
  OK(sc_config_replace_keys(config, swapped, 2, false));
  CHECK(sc_config_state_of(config) == SC_CONFIG_CLEAN);
  OK(sc_config_replace_keys(config, keys, 2, true));
  CHECK(sc_config_state_of(config) == SC_CONFIG_DIRTY && sc_config_seqno(config) == 2);
  OK(device_publish(&out, config, "h2"));
  HASHES_ARE(&out.obsolete, "h1");
  OK(sc_config_remove_key(&removed, config, SC_BYTES(a), 0, true));
  CHECK(sc_config_state_of(config) == SC_CONFIG_DIRTY);
done:
  sc_config_outgoing_free(&out);
  sc_config_free(config);
}

static void members_add_keys_without_pushing(sc_test *t) {
  sc_config *config = NULL;
  OK(device_group_new(&config, t->env, false, (sc_bytes){0}));
  OK(sc_config_add_key(config, SC_BYTES(a), true, true));
  CHECK(sc_config_state_of(config) == SC_CONFIG_CLEAN && sc_config_key_count(config) == 2);
done:
  sc_config_free(config);
}

static void the_number_of_keys_is_limited(sc_test *t) {
  static sc_bytes keys[SC_CONFIG_MAX_KEYS + 1];
  sc_config *config = NULL;
  OK(begin_without_keys(&config, t->env));
  for (size_t i = 0; i <= SC_CONFIG_MAX_KEYS; i++)
    keys[i] = SC_BYTES(a);
  FAILS(SC_ERR_TOO_LARGE, sc_config_replace_keys(config, keys, SC_CONFIG_MAX_KEYS + 1, false));
  CHECK(sc_config_key_count(config) == 0);
  OK(sc_config_replace_keys(config, keys, SC_CONFIG_MAX_KEYS, false));
  FAILS(SC_ERR_TOO_LARGE, sc_config_add_key(config, SC_BYTES(b), false, false));
  FAILS(SC_ERR_TOO_LARGE, sc_config_add_key(config, SC_BYTES(b), true, false));
  CHECK(sc_config_key_count(config) == SC_CONFIG_MAX_KEYS);
done:
  sc_config_free(config);
}

SUITE(config_object_keys, "config/object_keys",
      {"keys are added at either end", keys_are_added_at_either_end}, {"keys are removed", keys_are_removed},
      {"a new first key needs another push", a_new_first_key_needs_another_push},
      {"members add keys without pushing", members_add_keys_without_pushing},
      {"the number of keys is limited", the_number_of_keys_is_limited});
