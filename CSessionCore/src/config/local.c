#include "session-core/config/local.h"

#include <stddef.h>

#include "field_table.h"
#include "section.h"

struct sc_local {
  const sc_env *env;
  sc_config *config;
};

static const sc_config_type type = {.domain = "Local", .name_space = 9999, .local = true};

typedef struct choices {
  int64_t sound;
  sc_local_preview preview;
  sc_local_theme theme;
  sc_local_colour colour;
} choices;

#define AT(member) .offset = offsetof(choices, member)

/* Only this program reads these. */
static const sc_field_row rows[] = {
    {"c", SC_FIELD_CHOICE, AT(colour), .limit = SC_LOCAL_COLOUR_RED},
    {"p", SC_FIELD_CHOICE, AT(preview), .limit = SC_LOCAL_PREVIEW_NOTHING},
    {"s", SC_FIELD_INTEGER, AT(sound)},
    {"t", SC_FIELD_CHOICE, AT(theme), .limit = SC_LOCAL_THEME_OCEAN_LIGHT},
};

static const char settings_key[] = "x";

sc_status sc_local_new(sc_local **out, const sc_env *env, sc_bytes dump) {
  *out = NULL;
  sc_local *local = sc_allocate(env, sizeof *local);
  if (local == NULL)
    return SC_ERR_NO_MEMORY;
  local->env = env;
  sc_config_setup setup = {.type = &type, .object = local, .dump = dump};
  sc_status status = sc_config_new(&local->config, env, &setup);
  if (status == SC_OK)
    *out = local;
  else
    sc_release(env, local);
  return status;
}

void sc_local_free(sc_local *local) {
  if (local == NULL)
    return;
  sc_config_free(local->config);
  sc_release(local->env, local);
}

sc_config *sc_local_config(const sc_local *local) {
  return local->config;
}

/* Choices */

static choices choices_of(const sc_local *local) {
  choices read;
  sc_config_fields fields;
  sc_config_fields_of_data(&fields, sc_config_data(local->config));
  sc_field_table_read(&read, SC_FIELD_TABLE(rows), &fields);
  return read;
}

static sc_status set(sc_local *local, const char *key, const void *member) {
  sc_config_change change;
  sc_config_record record;
  sc_config_change_begin(&change, local->config);
  sc_config_record_begin(&record, &change, (sc_config_path){0});
  sc_field_table_write_one(&record, SC_FIELD_TABLE(rows), key, member);
  sc_config_record_end(&record);
  return sc_config_change_end(&change);
}

sc_local_preview sc_local_get_preview(const sc_local *local) {
  return choices_of(local).preview;
}

int64_t sc_local_get_sound(const sc_local *local) {
  return choices_of(local).sound;
}

sc_local_theme sc_local_get_theme(const sc_local *local) {
  return choices_of(local).theme;
}

sc_local_colour sc_local_get_colour(const sc_local *local) {
  return choices_of(local).colour;
}

sc_status sc_local_set_preview(sc_local *local, sc_local_preview preview) {
  return set(local, "p", &preview);
}

sc_status sc_local_set_sound(sc_local *local, int64_t sound) {
  return set(local, "s", &sound);
}

sc_status sc_local_set_theme(sc_local *local, sc_local_theme theme) {
  return set(local, "t", &theme);
}

sc_status sc_local_set_colour(sc_local *local, sc_local_colour colour) {
  return set(local, "c", &colour);
}

/* Settings by name: 0 or 1, so that a no is not the same as nothing. */

static bool is_name(sc_bytes name) {
  return name.len > 0 && name.len <= SC_LOCAL_MAX_SETTING_BYTES;
}

static sc_config_path path_of(sc_bytes keys[2], sc_bytes name) {
  keys[0] = sc_bytes_text(settings_key);
  keys[1] = name;
  return (sc_config_path){keys, 2};
}

sc_status sc_local_get_setting(sc_config_choice *out, const sc_local *local, sc_bytes name) {
  sc_bytes keys[2];
  sc_config_place place;
  *out = SC_CONFIG_UNDECIDED;
  if (!is_name(name))
    return SC_ERR_ARGUMENT;
  sc_status status =
      sc_config_data_find(&place, local->env, sc_config_data(local->config), path_of(keys, name));
  if (status != SC_OK || place.entry == NULL || sc_config_entry_kind(place.entry) != SC_CONFIG_INTEGER)
    return status;
  *out = sc_encoded_scalar(place.entry->value).integer == 0 ? SC_CONFIG_NO : SC_CONFIG_YES;
  return SC_OK;
}

/* Checks if there is room for another setting. */
static sc_status check_room(const sc_local *local) {
  sc_bytes section = sc_bytes_text(settings_key);
  size_t count;
  sc_status status = sc_config_section_size(&count, local->env, sc_config_data(local->config),
                                            (sc_config_path){&section, 1});
  return status == SC_OK && count >= SC_LOCAL_MAX_SETTINGS ? SC_ERR_TOO_LARGE : status;
}

sc_status sc_local_set_setting(sc_local *local, sc_bytes name, sc_config_choice choice) {
  sc_bytes keys[2];
  sc_config_choice before;
  sc_config_change change;
  if (choice != SC_CONFIG_UNDECIDED && choice != SC_CONFIG_NO && choice != SC_CONFIG_YES)
    return SC_ERR_ARGUMENT;
  sc_status status = sc_local_get_setting(&before, local, name);
  if (status == SC_OK && before == SC_CONFIG_UNDECIDED && choice != SC_CONFIG_UNDECIDED)
    status = check_room(local);
  if (status != SC_OK)
    return status;
  sc_config_change_begin(&change, local->config);
  if (choice == SC_CONFIG_UNDECIDED)
    sc_config_change_erase(&change, path_of(keys, name));
  else
    sc_config_change_set(&change, path_of(keys, name), sc_config_integer(choice == SC_CONFIG_YES));
  return sc_config_change_end(&change);
}
