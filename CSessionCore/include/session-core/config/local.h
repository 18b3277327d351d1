/* Settings of one device: how it notifies and what it looks like. They are kept as configs are, and never
 * leave the device: there is nothing to push. One thread at a time.
 *
 * Setters that would change nothing do nothing. What newer versions store under numbers that are not known
 * here reads as unset and is kept. */
#ifndef SC_CONFIG_LOCAL_H
#define SC_CONFIG_LOCAL_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "object.h"
#include "values.h"

SC_API_BEGIN

/* Bytes of the name of a setting; it has one at least. */
#define SC_LOCAL_MAX_SETTING_BYTES 128
/* Settings that are stored at most. */
#define SC_LOCAL_MAX_SETTINGS 1024

typedef struct sc_local sc_local;

/* Nothing set, or from a dump. SC_ERR_CONFIG_DUMP. */
SC_API SC_NODISCARD sc_status sc_local_new(sc_local **out, const sc_env *env, sc_bytes dump);

/* NULL is allowed. */
SC_API void sc_local_free(sc_local *local);

/* To dump; lives as long as the settings. */
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

/* What a notification shows of a message, which sound it makes (a number of the platform, 0 when unset), and
 * the colours of the windows. */
SC_API sc_local_preview sc_local_get_preview(const sc_local *local);
SC_API int64_t sc_local_get_sound(const sc_local *local);
SC_API sc_local_theme sc_local_get_theme(const sc_local *local);
SC_API sc_local_colour sc_local_get_colour(const sc_local *local);

/* SC_ERR_ARGUMENT for what is not among the choices. */
SC_API SC_NODISCARD sc_status sc_local_set_preview(sc_local *local, sc_local_preview preview);
SC_API SC_NODISCARD sc_status sc_local_set_sound(sc_local *local, int64_t sound);
SC_API SC_NODISCARD sc_status sc_local_set_theme(sc_local *local, sc_local_theme theme);
SC_API SC_NODISCARD sc_status sc_local_set_colour(sc_local *local, sc_local_colour colour);

/* A setting with a name, of whatever meaning: yes, no, or never decided. SC_ERR_ARGUMENT for the length of
 * the name, or for what is no choice; SC_ERR_TOO_LARGE for one more than SC_LOCAL_MAX_SETTINGS. */
SC_API SC_NODISCARD sc_status sc_local_get_setting(sc_config_choice *out, const sc_local *local,
                                                   sc_bytes name);
SC_API SC_NODISCARD sc_status sc_local_set_setting(sc_local *local, sc_bytes name, sc_config_choice choice);

SC_API_END

#endif
