/* The profile config of an account: name, picture, and the settings of Note to Self. Namespace 2.
 *
 * The config has the time when the user last changed the profile and, separately, the time when a device
 * last uploaded the picture again, because uploads expire; the later one decides which picture is shown.
 * Setters therefore take `wall_ms`, the wall clock in milliseconds; with 0 both times are kept. Storing
 * equal values changes nothing.
 *
 * Values that are read are borrowed until the config is edited, merged or freed. profile_pro.h has the
 * Session Pro data. One thread at a time. */
#ifndef SC_CONFIG_USER_PROFILE_H
#define SC_CONFIG_USER_PROFILE_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "object.h"
#include "values.h"

SC_API_BEGIN

typedef struct sc_user_profile sc_user_profile;

/* Creates the profile config of an account, empty or from a dump. SC_ERR_CONFIG_DUMP. */
SC_API SC_NODISCARD sc_status sc_user_profile_new(sc_user_profile **out, const sc_env *env,
                                                  const sc_keypair *account, sc_bytes dump);

/* NULL is allowed. */
SC_API void sc_user_profile_free(sc_user_profile *profile);

/* Returns the config, to push, merge and dump; it lives as long as the profile. */
SC_API sc_config *sc_user_profile_config(const sc_user_profile *profile);

typedef struct sc_profile {
  sc_bytes name;                     /* as stored, empty for none; see sc_config_shown */
  sc_config_picture picture;         /* the picture to show; empty if it has no valid key */
  int64_t updated_s;                 /* the profile's timestamp in messages; 0 if unknown */
  int32_t note_priority;             /* of Note to Self */
  int32_t note_expiry_s;             /* timer of Note to Self, from sending; 0 for never */
  sc_config_choice blinded_requests; /* strangers in communities may send message requests */
  uint64_t features;                 /* SC_PRO_PROFILE_…, and bits from newer clients */
} sc_profile;

SC_API void sc_user_profile_get(sc_profile *out, const sc_user_profile *profile);

/* Sets the name; empty removes it. SC_ERR_UTF8, SC_ERR_CONFIG_NAME: cut a long name with sc_config_cut. */
SC_API SC_NODISCARD sc_status sc_user_profile_set_name(sc_user_profile *profile, sc_bytes name,
                                                       uint64_t wall_ms);

/* Sets a picture that the user chose; one without a URL or a 32-byte key removes it. SC_ERR_UTF8,
 * SC_ERR_CONFIG_PICTURE. */
SC_API SC_NODISCARD sc_status sc_user_profile_set_picture(sc_user_profile *profile,
                                                          const sc_config_picture *picture, uint64_t wall_ms);
/* Sets the new location of the same picture after another upload. As above. */
SC_API SC_NODISCARD sc_status sc_user_profile_set_reuploaded(sc_user_profile *profile,
                                                             const sc_config_picture *picture,
                                                             uint64_t wall_ms);

/* Sets the choice. SC_ERR_ARGUMENT for an unknown one. */
SC_API SC_NODISCARD sc_status sc_user_profile_set_blinded_requests(sc_user_profile *profile,
                                                                   sc_config_choice choice, uint64_t wall_ms);

/* Set the settings of Note to Self, which do not count as a change of the profile. 0 seconds or less means
 * never. */
SC_API SC_NODISCARD sc_status sc_user_profile_set_note_priority(sc_user_profile *profile, int32_t priority);
SC_API SC_NODISCARD sc_status sc_user_profile_set_note_expiry(sc_user_profile *profile, int32_t seconds);

SC_API_END

#endif
