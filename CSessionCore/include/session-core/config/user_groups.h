/* The UserGroups config: the groups and communities an account is in. Namespace 5.
 *
 * Three kinds of them: groups; communities; and legacy groups, of which the network makes no more, and which
 * are only read and kept. Erasing one means to leave it, on all devices.
 *
 * What is read is borrowed until the config is edited, merged or freed; what is set is copied, and may be
 * what was just read. Setters do nothing when nothing would change. One thread at a time. */
#ifndef SC_CONFIG_USER_GROUPS_H
#define SC_CONFIG_USER_GROUPS_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/id.h"
#include "../crypto/subaccount.h"
#include "community_url.h"
#include "object.h"
#include "values.h"

SC_API_BEGIN

typedef struct sc_user_groups sc_user_groups;

/* The account's groups, none or from a dump. SC_ERR_CONFIG_DUMP. */
SC_API SC_NODISCARD sc_status sc_user_groups_new(sc_user_groups **out, const sc_env *env,
                                                 const sc_keypair *account, sc_bytes dump);

/* NULL is allowed. */
SC_API void sc_user_groups_free(sc_user_groups *groups);

/* To push, merge and dump; lives as long as the groups. */
SC_API sc_config *sc_user_groups_config(const sc_user_groups *groups);

/* What is known of groups of every kind. Times are in seconds, 0 for none, and for what is set before 1970.
 */
typedef struct sc_membership {
  sc_config_notify notify;
  int64_t mute_until_s;
  int64_t joined_s;
  int32_t priority; /* SC_CONFIG_PRIORITY_HIDDEN, 0, or more for a pinned conversation */
  bool invited;     /* and not accepted yet */
} sc_membership;

/* In the order in which they are gone through. */
typedef enum sc_group_kind {
  SC_GROUP_CURRENT = 0,
  SC_GROUP_COMMUNITY = 1,
  SC_GROUP_LEGACY = 2,
} sc_group_kind;

/* How many entries of a kind there are, with those that are nothing we could read. SC_ERR_ARGUMENT for what
 * is no kind. */
SC_API SC_NODISCARD sc_status sc_user_groups_count(size_t *out, const sc_user_groups *groups,
                                                   sc_group_kind kind);

/* Groups */

typedef enum sc_group_standing {
  SC_GROUP_PRESENT = 0,
  SC_GROUP_KICKED = 1,    /* the account was removed from it */
  SC_GROUP_DESTROYED = 2, /* it is no more */
} sc_group_standing;

typedef struct sc_user_group {
  sc_id id;
  sc_membership membership;
  sc_bytes name;    /* as it was when the account joined; to be shown while nothing better is known */
  sc_bytes seed;    /* 32 bytes, of the group's key, which makes the account an admin; or empty. Secret */
  sc_bytes access;  /* to the group's swarm, SC_SUBACCOUNT_ACCESS_BYTES, or empty. Secret */
  int32_t standing; /* one of sc_group_standing, or what newer clients say */
} sc_user_group;

/* SC_ERR_NOT_FOUND; SC_ERR_ID_KIND unless the id begins with 03. A seed that is not the group's is none. */
SC_API SC_NODISCARD sc_status sc_user_groups_get_group(sc_user_group *out, const sc_user_groups *groups,
                                                       const sc_id *id);

/* The same, or a blank one when there is none; nothing is stored. */
SC_API SC_NODISCARD sc_status sc_user_groups_get_or_make_group(sc_user_group *out,
                                                               const sc_user_groups *groups, const sc_id *id);

/* Goes through the groups in ascending order of their ids. `next` replaces a group by the one that comes
 * after it, whether it is still there or not: edits in between are welcome. SC_ERR_NOT_FOUND at the end. */
SC_API SC_NODISCARD sc_status sc_user_groups_first_group(sc_user_group *out, const sc_user_groups *groups);
SC_API SC_NODISCARD sc_status sc_user_groups_next_group(sc_user_group *group, const sc_user_groups *groups);

/* Stores a whole group. A seed that is not the group's is none; with one, what is stored of `access` stays as
 * it is. What does not fit into SC_CONFIG_MAX_NAME_BYTES of the name is cut off. SC_ERR_ID_KIND, SC_ERR_UTF8
 * for a name that was not stored before, SC_ERR_ARGUMENT for what is not among the choices. */
SC_API SC_NODISCARD sc_status sc_user_groups_set_group(sc_user_groups *groups, const sc_user_group *group);

/* Whether there was one goes to `*erased`. SC_ERR_ID_KIND. */
SC_API SC_NODISCARD sc_status sc_user_groups_erase_group(bool *erased, sc_user_groups *groups,
                                                         const sc_id *id);

/* What happened to a group, for sc_user_groups_set_group to store. Who was kicked, or whose group was
 * destroyed, has no more secrets of it; who is invited again after having been kicked is in again; and what
 * was destroyed stays so. */
SC_API void sc_user_group_mark_kicked(sc_user_group *group);
SC_API void sc_user_group_mark_invited(sc_user_group *group);
SC_API void sc_user_group_mark_destroyed(sc_user_group *group);

/* Communities */

typedef struct sc_user_community {
  sc_community community;
  char spelling[SC_COMMUNITY_MAX_ROOM_CHARS + 1]; /* of the room: the same in upper and lower case */
  bool other_key; /* of one that was made: its server is known, under another key than the one given */
  sc_membership membership;
} sc_user_community;

/* SC_ERR_NOT_FOUND, SC_ERR_COMMUNITY_URL, SC_ERR_COMMUNITY_ROOM. */
SC_API SC_NODISCARD sc_status sc_user_groups_get_community(sc_user_community *out,
                                                           const sc_user_groups *groups, sc_bytes url,
                                                           sc_bytes room);

/* The same, or a blank one when there is none, with the room's spelling; nothing is stored. A server that is
 * known keeps its key, and `other_key` says when that is not `key`: there is one key for all rooms of a
 * server, so ask the person before replacing it. */
SC_API SC_NODISCARD sc_status sc_user_groups_get_or_make_community(sc_user_community *out,
                                                                   const sc_user_groups *groups, sc_bytes url,
                                                                   sc_bytes room,
                                                                   const uint8_t key[SC_AT_LEAST(32)]);

/* Goes through the communities in ascending order of their urls, and then of their rooms; otherwise as
 * through groups. */
SC_API SC_NODISCARD sc_status sc_user_groups_first_community(sc_user_community *out,
                                                             const sc_user_groups *groups);
SC_API SC_NODISCARD sc_status sc_user_groups_next_community(sc_user_community *community,
                                                            const sc_user_groups *groups);

/* Stores a whole community; its key becomes that of all rooms of the server. SC_ERR_COMMUNITY_URL;
 * SC_ERR_COMMUNITY_ROOM also for the spelling of another room; SC_ERR_ARGUMENT. */
SC_API SC_NODISCARD sc_status sc_user_groups_set_community(sc_user_groups *groups,
                                                           const sc_user_community *community);

/* Whether there was one goes to `*erased`. SC_ERR_COMMUNITY_URL, SC_ERR_COMMUNITY_ROOM. */
SC_API SC_NODISCARD sc_status sc_user_groups_erase_community(bool *erased, sc_user_groups *groups,
                                                             sc_bytes url, sc_bytes room);

/* Legacy groups */

typedef struct sc_legacy_group {
  sc_id id;
  sc_membership membership;
  sc_bytes name;
  sc_bytes public_key; /* X25519, and its secret: 32 bytes, or both are empty */
  sc_bytes secret_key;
  int32_t expiry_s; /* after which messages disappear; 0 for never */
} sc_legacy_group;

/* As for groups; their ids begin with 05. */
SC_API SC_NODISCARD sc_status sc_user_groups_get_legacy_group(sc_legacy_group *out,
                                                              const sc_user_groups *groups, const sc_id *id);
SC_API SC_NODISCARD sc_status sc_user_groups_first_legacy_group(sc_legacy_group *out,
                                                                const sc_user_groups *groups);
SC_API SC_NODISCARD sc_status sc_user_groups_next_legacy_group(sc_legacy_group *group,
                                                               const sc_user_groups *groups);

SC_API SC_NODISCARD sc_status sc_user_groups_erase_legacy_group(bool *erased, sc_user_groups *groups,
                                                                const sc_id *id);

typedef struct sc_legacy_member {
  sc_id id;
  bool admin;
} sc_legacy_member;

/* Goes through the members of a legacy group in ascending order of their ids. SC_ERR_NOT_FOUND at the end,
 * and when there is no such group. */
SC_API SC_NODISCARD sc_status sc_user_groups_first_legacy_member(sc_legacy_member *out,
                                                                 const sc_user_groups *groups,
                                                                 const sc_id *group);
SC_API SC_NODISCARD sc_status sc_user_groups_next_legacy_member(sc_legacy_member *member,
                                                                const sc_user_groups *groups,
                                                                const sc_id *group);

/* All of them */

typedef struct sc_any_group {
  sc_group_kind kind;
  union {
    sc_user_group group;
    sc_user_community community;
    sc_legacy_group legacy;
  } of;
} sc_any_group;

/* Goes through all of them, kind by kind. SC_ERR_NOT_FOUND at the end. */
SC_API SC_NODISCARD sc_status sc_user_groups_first(sc_any_group *out, const sc_user_groups *groups);
SC_API SC_NODISCARD sc_status sc_user_groups_next(sc_any_group *any, const sc_user_groups *groups);

SC_API_END

#endif
