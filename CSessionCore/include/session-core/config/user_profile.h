/* The profile config of an account: name, picture, and how Note to Self behaves. Namespace 2.
 *
 * The config remembers when a person last changed their profile, and apart from that when a device only
 * uploaded the picture again, because uploads expire; whichever is later says which picture is shown. So the
 * setters take `wall_ms`, the wall clock in milliseconds; 0 leaves both times alone. Setters that would
 * change nothing do nothing.
 *
 * What is read is borrowed until the config is edited, merged or freed. One thread at a time. Session Pro is
 * in profile_pro.h. */
#ifndef SC_CONFIG_USER_PROFILE_H
#define SC_CONFIG_USER_PROFILE_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "object.h"
#include "values.h"

SC_API_BEGIN

typedef struct sc_user_profile sc_user_profile;

/* The account's profile config, empty or from a dump. SC_ERR_CONFIG_DUMP. */
SC_API SC_NODISCARD sc_status sc_user_profile_new(sc_user_profile **out, const sc_env *env,
                                                  const sc_keypair *account, sc_bytes dump);

/* NULL is allowed. */
SC_API void sc_user_profile_free(sc_user_profile *profile);

/* To push, merge and dump; lives as long as the profile. */
SC_API sc_config *sc_user_profile_config(const sc_user_profile *profile);

typedef struct sc_profile {
  sc_bytes name;                     /* as stored, empty for none; see sc_config_shown */
  sc_config_picture picture;         /* the one to show; a url without a good key is no picture */
  int64_t updated_s;                 /* the profile's timestamp in messages; 0 if unknown */
  int32_t note_priority;             /* of Note to Self */
  int32_t note_expiry_s;             /* after sending; 0 for never */
  sc_config_choice blinded_requests; /* whether strangers in communities may write */
  uint64_t features;                 /* SC_PRO_PROFILE_…, and whatever bits newer clients may have set */
} sc_profile;

SC_API void sc_user_profile_get(sc_profile *out, const sc_user_profile *profile);

/* SC_ERR_UTF8, SC_ERR_CONFIG_NAME. An empty name is none. */
SC_API SC_NODISCARD sc_status sc_user_profile_set_name(sc_user_profile *profile, sc_bytes name,
                                                       uint64_t wall_ms);

/* A picture the person has chosen, or none when it has no url or not a key of 32 bytes. SC_ERR_UTF8,
 * SC_ERR_CONFIG_PICTURE. */
SC_API SC_NODISCARD sc_status sc_user_profile_set_picture(sc_user_profile *profile,
                                                          const sc_config_picture *picture, uint64_t wall_ms);
/* The same picture where it was uploaded again. As above. */
SC_API SC_NODISCARD sc_status sc_user_profile_set_reuploaded(sc_user_profile *profile,
                                                             const sc_config_picture *picture,
                                                             uint64_t wall_ms);

/* SC_ERR_ARGUMENT for what is no choice. */
SC_API SC_NODISCARD sc_status sc_user_profile_set_blinded_requests(sc_user_profile *profile,
                                                                   sc_config_choice choice, uint64_t wall_ms);

/* Neither counts as a change of the profile. 0 seconds or less stand for never. */
SC_API SC_NODISCARD sc_status sc_user_profile_set_note_priority(sc_user_profile *profile, int32_t priority);
SC_API SC_NODISCARD sc_status sc_user_profile_set_note_expiry(sc_user_profile *profile, int32_t seconds);

SC_API_END

#endif
