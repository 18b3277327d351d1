/* Settings of one device: notifications and appearance. They are stored like configs but never leave the
 * device: there is nothing to push. One thread at a time.
 *
 * Storing equal values changes nothing. Values that newer versions store under unknown numbers read as unset
 * and are kept. */
#ifndef SC_CONFIG_LOCAL_H
#define SC_CONFIG_LOCAL_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "object.h"
#include "values.h"

SC_API_BEGIN

/* The length of a setting's name; at least 1. */
#define SC_LOCAL_MAX_SETTING_BYTES 128
/* The number of settings. */
#define SC_LOCAL_MAX_SETTINGS 1024

typedef struct sc_local sc_local;

/* Creates settings, empty or from a dump. SC_ERR_CONFIG_DUMP. */
SC_API SC_NODISCARD sc_status sc_local_new(sc_local **out, const sc_env *env, sc_bytes dump);

/* NULL is allowed. */
SC_API void sc_local_free(sc_local *local);

/* Returns the config, to dump; it lives as long as the settings. */
SC_API sc_config *sc_local_config(const sc_local *local);

typedef enum sc_local_preview {
  SC_LOCAL_PREVIEW_UNSET = 0,
  SC_LOCAL_PREVIEW_NAME_AND_TEXT = 1,
  SC_LOCAL_PREVIEW_NAME = 2,
  SC_LOCAL_PREVIEW_NOTHING = 3,
} sc_local_preview;

typedef enum sc_local_theme {
  SC_LOCAL_THEME_UNSET = 0,
  SC_LOCAL_THEME_CLASSIC_DARK = 1,
  SC_LOCAL_THEME_CLASSIC_LIGHT = 2,
  SC_LOCAL_THEME_OCEAN_DARK = 3,
  SC_LOCAL_THEME_OCEAN_LIGHT = 4,
} sc_local_theme;

typedef enum sc_local_colour {
  SC_LOCAL_COLOUR_UNSET = 0,
  SC_LOCAL_COLOUR_GREEN = 1,
  SC_LOCAL_COLOUR_BLUE = 2,
  SC_LOCAL_COLOUR_YELLOW = 3,
  SC_LOCAL_COLOUR_PINK = 4,
  SC_LOCAL_COLOUR_PURPLE = 5,
  SC_LOCAL_COLOUR_ORANGE = 6,
  SC_LOCAL_COLOUR_RED = 7,
} sc_local_colour;

/* Read a setting: the content of notifications, their sound (a number of the platform, 0 if unset), and the
 * colours of windows. */
SC_API sc_local_preview sc_local_get_preview(const sc_local *local);
SC_API int64_t sc_local_get_sound(const sc_local *local);
SC_API sc_local_theme sc_local_get_theme(const sc_local *local);
SC_API sc_local_colour sc_local_get_colour(const sc_local *local);

/* Store a setting. SC_ERR_ARGUMENT for an unknown choice. */
SC_API SC_NODISCARD sc_status sc_local_set_preview(sc_local *local, sc_local_preview preview);
SC_API SC_NODISCARD sc_status sc_local_set_sound(sc_local *local, int64_t sound);
SC_API SC_NODISCARD sc_status sc_local_set_theme(sc_local *local, sc_local_theme theme);
SC_API SC_NODISCARD sc_status sc_local_set_colour(sc_local *local, sc_local_colour colour);

/* Read and store a named setting: yes, no or undecided. SC_ERR_ARGUMENT for the length of the name or an
 * unknown choice; SC_ERR_TOO_LARGE for more than SC_LOCAL_MAX_SETTINGS. */
SC_API SC_NODISCARD sc_status sc_local_get_setting(sc_config_choice *out, const sc_local *local,
                                                   sc_bytes name);
SC_API SC_NODISCARD sc_status sc_local_set_setting(sc_local *local, sc_bytes name, sc_config_choice choice);

SC_API_END

#endif
