#include "device.h"

static bool is_stored(const worked_message *expected, const sc_config_outgoing *out) {
  return out->seqno == expected->seqno && sc_config_stored_count(&out->messages) == 1 &&
         is_hashed(expected->wrapped_hash, device_message(out));
}

static void the_worked_example_is_pushed(sc_test *t) {
  sc_config *config = NULL;
  sc_config_outgoing out;
  sc_config_outgoing_init(&out, t->env);
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(sc_config_push(&out, config, device_now_ms));
  CHECK(sc_config_state_of(config) == SC_CONFIG_CLEAN);
  CHECK(is_stored(&worked_messages[0], &out));
  OK(device_worked_first(config));
  OK(device_publish(&out, config, "h1"));
  CHECK(is_stored(&worked_messages[1], &out));
  OK(device_set(config, PATH1("n"), TEXT("Nibbler")));
  OK(sc_config_push(&out, config, device_now_ms));
  CHECK(is_stored(&worked_messages[2], &out));
  HASHES_ARE(&out.obsolete, "h1");
done:
  sc_config_outgoing_free(&out);
  sc_config_free(config);
}

static void a_push_is_repeated_until_it_is_confirmed(sc_test *t) {
  static const sc_bytes none = {0};
  const sc_bytes hash = sc_bytes_text("h1");
  sc_config *config = NULL;
  sc_config_outgoing first, again;
  sc_config_outgoing_init(&first, t->env);
  sc_config_outgoing_init(&again, t->env);
  OK(device_new(&config, t->env, none));
  OK(device_worked_first(config));
  OK(sc_config_push(&first, config, device_now_ms));
  CHECK(sc_config_state_of(config) == SC_CONFIG_WAITING && sc_config_needs_push(config));
  OK(sc_config_push(&again, config, device_now_ms));
  SAME(device_message(&first), device_message(&again));
  OK(sc_config_confirm(config, 2, &hash, 1));
  CHECK(sc_config_state_of(config) == SC_CONFIG_WAITING);
  FAILS(SC_ERR_ARGUMENT, sc_config_confirm(config, 1, &none, 1));
  FAILS(SC_ERR_ARGUMENT, sc_config_confirm(config, 1, NULL, 0));
  OK(sc_config_confirm(config, 1, &hash, 1));
  CHECK(sc_config_state_of(config) == SC_CONFIG_CLEAN && !sc_config_needs_push(config));
  OK(sc_config_push(&again, config, device_now_ms));
  SAME(device_message(&first), device_message(&again));
  CHECK(sc_config_state_of(config) == SC_CONFIG_CLEAN && again.obsolete.count == 0);
done:
  sc_config_outgoing_free(&first);
  sc_config_outgoing_free(&again);
  sc_config_free(config);
}

static void a_config_without_a_key_is_not_pushed(sc_test *t) {
  sc_config *config = NULL;
  sc_config_outgoing out;
  sc_config_outgoing_init(&out, t->env);
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(device_worked_first(config));
  OK(sc_config_replace_keys(config, NULL, 0, false));
  FAILS(SC_ERR_CONFIG_KEYLESS, sc_config_push(&out, config, device_now_ms));
  CHECK(sc_config_state_of(config) == SC_CONFIG_DIRTY);
done:
  sc_config_outgoing_free(&out);
  sc_config_free(config);
}

SUITE(config_object_push, "config/object_push",
      {"the worked example is pushed", the_worked_example_is_pushed},
      {"a push is repeated until it is confirmed", a_push_is_repeated_until_it_is_confirmed},
      {"a config without a key is not pushed", a_config_without_a_key_is_not_pushed});
