/* Group info: what a group is called, what it looks like, and what its messages are to be like.
 *
 * All members have it; admins, who hold the group's key, edit it, and others read. Its messages are encrypted
 * with the keys of the group: give them to its config, sc_config_replace_keys. Texts that are given out are
 * borrowed until the info is edited, merged or freed. One thread at a time. Times are in seconds. */
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

/* The info of the group with this id: from a dump, or empty when that is. `admin` is the group's key pair,
 * NULL for those who only read. SC_ERR_ID_KIND unless 03, SC_ERR_KEY_MISMATCH for the pair of another group,
 * SC_ERR_CONFIG_DUMP. */
SC_API SC_NODISCARD sc_status sc_group_info_new(sc_group_info **out, const sc_env *env, const sc_id *group,
                                                const sc_ed25519_pair *admin, sc_bytes dump);
/* NULL is allowed. */
SC_API void sc_group_info_free(sc_group_info *info);

/* What keeps it in step; it belongs to the info. */
SC_API sc_config *sc_group_info_config(sc_group_info *info);

/* Empty, or 0, where there is none. */
SC_API sc_bytes sc_group_info_name(const sc_group_info *info);
SC_API sc_bytes sc_group_info_description(const sc_group_info *info);
SC_API sc_config_picture sc_group_info_picture(const sc_group_info *info);
SC_API int64_t sc_group_info_created(const sc_group_info *info);
/* After how many seconds messages disappear. */
SC_API int64_t sc_group_info_expiry(const sc_group_info *info);
/* Messages, or their attachments, that were sent earlier are to be deleted. */
SC_API int64_t sc_group_info_delete_before(const sc_group_info *info);
SC_API int64_t sc_group_info_delete_attachments_before(const sc_group_info *info);
/* The group is no more. */
SC_API bool sc_group_info_is_destroyed(const sc_group_info *info);

/* SC_ERR_CONFIG_READ_ONLY for those who are no admin; SC_ERR_UTF8, and SC_ERR_CONFIG_NAME,
 * SC_ERR_CONFIG_DESCRIPTION or SC_ERR_CONFIG_PICTURE for what is too long: sc_config_cut helps. An empty text
 * or picture is none, and so is a time that is not positive. */
SC_API SC_NODISCARD sc_status sc_group_info_set_name(sc_group_info *info, sc_bytes name);
SC_API SC_NODISCARD sc_status sc_group_info_set_description(sc_group_info *info, sc_bytes description);
SC_API SC_NODISCARD sc_status sc_group_info_set_picture(sc_group_info *info,
                                                        const sc_config_picture *picture);
SC_API SC_NODISCARD sc_status sc_group_info_set_created(sc_group_info *info, int64_t time);
SC_API SC_NODISCARD sc_status sc_group_info_set_expiry(sc_group_info *info, int64_t seconds);
SC_API SC_NODISCARD sc_status sc_group_info_set_delete_before(sc_group_info *info, int64_t time);
SC_API SC_NODISCARD sc_status sc_group_info_set_delete_attachments_before(sc_group_info *info, int64_t time);
/* For ever. */
SC_API SC_NODISCARD sc_status sc_group_info_destroy(sc_group_info *info);

SC_API_END

#endif
