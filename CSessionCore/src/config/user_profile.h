/* The state of the profile config, for the files that edit it. */
#ifndef SC_SRC_CONFIG_USER_PROFILE_H
#define SC_SRC_CONFIG_USER_PROFILE_H

#include "fields.h"
#include "record.h"
#include "session-core/config/user_profile.h"

struct sc_user_profile {
  const sc_env *env;
  sc_config *config;
};

/* The fields of the profile. */
void sc_user_profile_fields(sc_config_fields *out, const sc_user_profile *profile);

/* One edit of the profile. */
typedef struct sc_user_profile_edit {
  sc_config_change change;
  sc_config_record record; /* all of the data */
  const char *stamp;       /* key of the timestamp that the edit sets */
  int64_t now_s;
} sc_user_profile_edit;

void sc_user_profile_begin(sc_user_profile_edit *out, sc_user_profile *profile, uint64_t wall_ms);

/* Sets the timestamp to now, unless the time is unknown. */
void sc_user_profile_stamp(sc_user_profile_edit *edit);

SC_NODISCARD sc_status sc_user_profile_end(sc_user_profile_edit *edit);

#endif
