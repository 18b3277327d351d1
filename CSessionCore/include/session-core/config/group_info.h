/* Group info: the name, description and picture of a group, and rules for its messages.
 *
 * All members have it. Admins, who hold the group's key, edit it; others only read. Its messages are
 * encrypted with the group's keys: pass them to its config with sc_group_keys_hand_on. Texts are borrowed
 * until the info is edited, merged or freed. Times are in seconds. One thread at a time. */
#ifndef SC_CONFIG_GROUP_INFO_H
#define SC_CONFIG_GROUP_INFO_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/id.h"
#include "../crypto/keys.h"
#include "object.h"
#include "values.h"

SC_API_BEGIN

#define SC_GROUP_MAX_DESCRIPTION_BYTES 2000

typedef struct sc_group_info sc_group_info;

/* Creates the info of a group, empty or from a dump. `admin` is the group's key pair, NULL for members who
 * only read. SC_ERR_ID_KIND unless the id begins with 03, SC_ERR_KEY_MISMATCH for the pair of another group,
 * SC_ERR_CONFIG_DUMP. */
SC_API SC_NODISCARD sc_status sc_group_info_new(sc_group_info **out, const sc_env *env, const sc_id *group,
                                                const sc_ed25519_pair *admin, sc_bytes dump);
/* NULL is allowed. */
SC_API void sc_group_info_free(sc_group_info *info);

/* Returns the config, to push, merge and dump; it lives as long as the info. */
SC_API sc_config *sc_group_info_config(sc_group_info *info);

/* Return a value; empty or 0 if there is none. */
SC_API sc_bytes sc_group_info_name(const sc_group_info *info);
SC_API sc_bytes sc_group_info_description(const sc_group_info *info);
SC_API sc_config_picture sc_group_info_picture(const sc_group_info *info);
SC_API int64_t sc_group_info_created(const sc_group_info *info);
/* Returns the seconds after which messages disappear. */
SC_API int64_t sc_group_info_expiry(const sc_group_info *info);
/* Return the time before which messages, or their attachments, must be deleted. */
SC_API int64_t sc_group_info_delete_before(const sc_group_info *info);
SC_API int64_t sc_group_info_delete_attachments_before(const sc_group_info *info);
/* True if the group was destroyed. */
SC_API bool sc_group_info_is_destroyed(const sc_group_info *info);

/* Set a value. SC_ERR_CONFIG_READ_ONLY unless an admin; SC_ERR_UTF8; SC_ERR_CONFIG_NAME,
 * SC_ERR_CONFIG_DESCRIPTION or SC_ERR_CONFIG_PICTURE for a value that is too long; cut text with
 * sc_config_cut. An empty text or picture, and a time of 0 or less, removes the value. */
SC_API SC_NODISCARD sc_status sc_group_info_set_name(sc_group_info *info, sc_bytes name);
SC_API SC_NODISCARD sc_status sc_group_info_set_description(sc_group_info *info, sc_bytes description);
SC_API SC_NODISCARD sc_status sc_group_info_set_picture(sc_group_info *info,
                                                        const sc_config_picture *picture);
SC_API SC_NODISCARD sc_status sc_group_info_set_created(sc_group_info *info, int64_t time);
SC_API SC_NODISCARD sc_status sc_group_info_set_expiry(sc_group_info *info, int64_t seconds);
SC_API SC_NODISCARD sc_status sc_group_info_set_delete_before(sc_group_info *info, int64_t time);
SC_API SC_NODISCARD sc_status sc_group_info_set_delete_attachments_before(sc_group_info *info, int64_t time);
/* Destroys the group permanently. */
SC_API SC_NODISCARD sc_status sc_group_info_destroy(sc_group_info *info);

SC_API_END

#endif
