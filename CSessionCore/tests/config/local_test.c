#include "session-core/config/local.h"

#include "stored_config.h"

static sc_status start(sc_local **out, const sc_test *t, sc_bytes data) {
  sc_buffer dump;
  sc_buffer_init(&dump, t->env);
  *out = NULL;
  sc_status status = saved_dump_of(&dump, data, "de");
  if (status == SC_OK)
    status = sc_local_new(out, t->env, sc_buffer_bytes(&dump));
  sc_buffer_free(&dump);
  return status;
}

static sc_status dump_and_load(sc_local **out, const sc_local *local, const sc_env *env) {
  sc_buffer dump;
  sc_buffer_init(&dump, env);
  *out = NULL;
  sc_status status = sc_config_dump(&dump, sc_local_config(local), 0);
  if (status == SC_OK)
    status = sc_local_new(out, env, sc_buffer_bytes(&dump));
  sc_buffer_free(&dump);
  return status;
}

static void new_settings_are_unset(sc_test *t) {
  sc_local *local = NULL;
  sc_config_choice choice = SC_CONFIG_YES;
  OK(sc_local_new(&local, t->env, sc_bytes_make(NULL, 0)));
  CHECK(sc_local_get_preview(local) == SC_LOCAL_PREVIEW_UNSET && sc_local_get_sound(local) == 0);
  CHECK(sc_local_get_theme(local) == SC_LOCAL_THEME_UNSET);
  CHECK(sc_local_get_colour(local) == SC_LOCAL_COLOUR_UNSET);
  OK(sc_local_get_setting(&choice, local, sc_bytes_text("x")));
  CHECK(choice == SC_CONFIG_UNDECIDED);
  SAME(sc_bytes_text("Local"), sc_config_domain(sc_local_config(local)));
done:
  sc_local_free(local);
}

static void an_invalid_dump_is_refused(sc_test *t) {
  sc_local *local;
  FAILS(SC_ERR_CONFIG_DUMP, sc_local_new(&local, t->env, sc_bytes_text("de")));
  CHECK(local == NULL);
done:
  sc_local_free(local);
}

static void settings_survive_a_dump(sc_test *t) {
  sc_local *local = NULL, *again = NULL;
  sc_config_choice choice;
  OK(sc_local_new(&local, t->env, sc_bytes_make(NULL, 0)));
  OK(sc_local_set_preview(local, SC_LOCAL_PREVIEW_NAME));
  OK(sc_local_set_sound(local, -7));
  OK(sc_local_set_theme(local, SC_LOCAL_THEME_OCEAN_LIGHT));
  OK(sc_local_set_colour(local, SC_LOCAL_COLOUR_RED));
  OK(sc_local_set_setting(local, sc_bytes_text("receipts"), SC_CONFIG_YES));
  OK(sc_local_set_setting(local, sc_bytes_text("typing"), SC_CONFIG_NO));
  CHECK(sc_config_needs_dump(sc_local_config(local)));
  OK(dump_and_load(&again, local, t->env));
  CHECK(sc_local_get_preview(again) == SC_LOCAL_PREVIEW_NAME && sc_local_get_sound(again) == -7);
  CHECK(sc_local_get_theme(again) == SC_LOCAL_THEME_OCEAN_LIGHT);
  CHECK(sc_local_get_colour(again) == SC_LOCAL_COLOUR_RED);
  OK(sc_local_get_setting(&choice, again, sc_bytes_text("receipts")));
  CHECK(choice == SC_CONFIG_YES);
  OK(sc_local_get_setting(&choice, again, sc_bytes_text("typing")));
  CHECK(choice == SC_CONFIG_NO);
done:
  sc_local_free(local);
  sc_local_free(again);
}

static void settings_can_be_unset(sc_test *t) {
  sc_local *local = NULL;
  sc_buffer data;
  sc_buffer_init(&data, t->env);
  OK(sc_local_new(&local, t->env, sc_bytes_make(NULL, 0)));
  OK(sc_local_set_preview(local, SC_LOCAL_PREVIEW_NAME));
  OK(sc_local_set_sound(local, 7));
  OK(sc_local_set_theme(local, SC_LOCAL_THEME_CLASSIC_DARK));
  OK(sc_local_set_colour(local, SC_LOCAL_COLOUR_GREEN));
  OK(sc_local_set_setting(local, sc_bytes_text("typing"), SC_CONFIG_NO));
  OK(sc_local_set_preview(local, SC_LOCAL_PREVIEW_UNSET));
  OK(sc_local_set_sound(local, 0));
  OK(sc_local_set_theme(local, SC_LOCAL_THEME_UNSET));
  OK(sc_local_set_colour(local, SC_LOCAL_COLOUR_UNSET));
  OK(sc_local_set_setting(local, sc_bytes_text("typing"), SC_CONFIG_UNDECIDED));
  OK(device_data(&data, sc_local_config(local)));
  SAME(sc_bytes_text("de"), sc_buffer_bytes(&data));
done:
  sc_buffer_free(&data);
  sc_local_free(local);
}

static void local_settings_are_never_pushed(sc_test *t) {
  sc_local *local = NULL;
  sc_config_outgoing outgoing;
  sc_config_outgoing_init(&outgoing, t->env);
  OK(sc_local_new(&local, t->env, sc_bytes_make(NULL, 0)));
  OK(sc_local_set_sound(local, 7));
  CHECK(!sc_config_needs_push(sc_local_config(local)));
  OK(sc_config_push(&outgoing, sc_local_config(local), 0));
  CHECK(outgoing.seqno == 0 && sc_config_stored_count(&outgoing.messages) == 0 &&
        outgoing.obsolete.count == 0);
done:
  sc_config_outgoing_free(&outgoing);
  sc_local_free(local);
}

static void setting_the_current_value_needs_no_dump(sc_test *t) {
  sc_local *local = NULL;
  OK(start(&local, t, sc_bytes_text("d1:ci1e1:pi2e1:si3e1:ti4e1:xd1:ai1e1:bi0eee")));
  OK(sc_local_set_colour(local, SC_LOCAL_COLOUR_GREEN));
  OK(sc_local_set_preview(local, SC_LOCAL_PREVIEW_NAME));
  OK(sc_local_set_sound(local, 3));
  OK(sc_local_set_theme(local, SC_LOCAL_THEME_OCEAN_LIGHT));
  OK(sc_local_set_setting(local, sc_bytes_text("a"), SC_CONFIG_YES));
  OK(sc_local_set_setting(local, sc_bytes_text("b"), SC_CONFIG_NO));
  OK(sc_local_set_setting(local, sc_bytes_text("c"), SC_CONFIG_UNDECIDED));
  CHECK(is_untouched(sc_local_config(local)));
done:
  sc_local_free(local);
}

static void unknown_numbers_read_as_unset_and_are_kept(sc_test *t) {
  sc_local *local = NULL;
  sc_buffer data;
  sc_config_choice choice;
  sc_buffer_init(&data, t->env);
  OK(start(&local, t, sc_bytes_text("d1:ci8e1:pi4e1:s1:x1:ti-1e1:xd1:a1:xee")));
  CHECK(sc_local_get_preview(local) == SC_LOCAL_PREVIEW_UNSET && sc_local_get_sound(local) == 0);
  CHECK(sc_local_get_theme(local) == SC_LOCAL_THEME_UNSET);
  CHECK(sc_local_get_colour(local) == SC_LOCAL_COLOUR_UNSET);
  OK(sc_local_get_setting(&choice, local, sc_bytes_text("a")));
  CHECK(choice == SC_CONFIG_UNDECIDED);
  OK(sc_local_set_sound(local, 5));
  OK(device_data(&data, sc_local_config(local)));
  SAME(sc_bytes_text("d1:ci8e1:pi4e1:si5e1:ti-1e1:xd1:a1:xee"), sc_buffer_bytes(&data));
done:
  sc_buffer_free(&data);
  sc_local_free(local);
}

static void an_invalid_choice_is_refused(sc_test *t) {
  sc_local *local = NULL;
  OK(sc_local_new(&local, t->env, sc_bytes_make(NULL, 0)));
  FAILS(SC_ERR_ARGUMENT, sc_local_set_preview(local, (sc_local_preview)4));
  FAILS(SC_ERR_ARGUMENT, sc_local_set_theme(local, (sc_local_theme)5));
  FAILS(SC_ERR_ARGUMENT, sc_local_set_colour(local, (sc_local_colour)8));
  FAILS(SC_ERR_ARGUMENT, sc_local_set_setting(local, sc_bytes_text("x"), (sc_config_choice)3));
  CHECK(is_untouched(sc_local_config(local)));
done:
  sc_local_free(local);
}

static void setting_names_have_a_length_limit(sc_test *t) {
  sc_local *local = NULL;
  uint8_t name[SC_LOCAL_MAX_SETTING_BYTES + 1] = {0};
  sc_config_choice choice;
  OK(sc_local_new(&local, t->env, sc_bytes_make(NULL, 0)));
  FAILS(SC_ERR_ARGUMENT, sc_local_set_setting(local, SC_BYTES(name), SC_CONFIG_YES));
  FAILS(SC_ERR_ARGUMENT, sc_local_set_setting(local, sc_bytes_make(name, 0), SC_CONFIG_YES));
  FAILS(SC_ERR_ARGUMENT, sc_local_get_setting(&choice, local, SC_BYTES(name)));
  OK(sc_local_set_setting(local, sc_bytes_make(name, sizeof name - 1), SC_CONFIG_YES));
done:
  sc_local_free(local);
}

static void the_number_of_settings_is_limited(sc_test *t) {
  sc_local *local = NULL;
  uint16_t number = 0;
  sc_bytes name = sc_bytes_make(&number, sizeof number);
  if (t->torture)
    SKIP("as every setting");
  OK(sc_local_new(&local, t->env, sc_bytes_make(NULL, 0)));
  for (; number < SC_LOCAL_MAX_SETTINGS; number++)
    OK(sc_local_set_setting(local, name, SC_CONFIG_NO));
  FAILS(SC_ERR_TOO_LARGE, sc_local_set_setting(local, name, SC_CONFIG_NO));
  number = 5;
  OK(sc_local_set_setting(local, name, SC_CONFIG_YES));
  OK(sc_local_set_setting(local, name, SC_CONFIG_UNDECIDED));
  OK(sc_local_set_setting(local, name, SC_CONFIG_YES));
done:
  sc_local_free(local);
}

SUITE(config_local, "config/local", {"new settings are unset", new_settings_are_unset},
      {"an invalid dump is refused", an_invalid_dump_is_refused},
      {"settings survive a dump", settings_survive_a_dump}, {"settings can be unset", settings_can_be_unset},
      {"local settings are never pushed", local_settings_are_never_pushed},
      {"setting the current value needs no dump", setting_the_current_value_needs_no_dump},
      {"unknown numbers read as unset and are kept", unknown_numbers_read_as_unset_and_are_kept},
      {"an invalid choice is refused", an_invalid_choice_is_refused},
      {"setting names have a length limit", setting_names_have_a_length_limit},
      {"the number of settings is limited", the_number_of_settings_is_limited});
