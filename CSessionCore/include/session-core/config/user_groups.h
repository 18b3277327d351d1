/* The UserGroups config: the groups and communities of an account. Namespace 5.
 *
 * There are three kinds: groups, communities, and legacy groups, which no longer exist in the network and
 * are only kept. Erasing one means leaving it on all devices.
 *
 * Values that are read are borrowed until the config is edited, merged or freed; values that are set are
 * copied, and may be borrowed from the config. Storing equal values changes nothing. One thread at a time. */
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

/* Creates the groups of an account, empty or from a dump. SC_ERR_CONFIG_DUMP. */
SC_API SC_NODISCARD sc_status sc_user_groups_new(sc_user_groups **out, const sc_env *env,
                                                 const sc_keypair *account, sc_bytes dump);

/* NULL is allowed. */
SC_API void sc_user_groups_free(sc_user_groups *groups);

/* Returns the config, to push, merge and dump; it lives as long as the groups. */
SC_API sc_config *sc_user_groups_config(const sc_user_groups *groups);

/* The fields of all kinds of groups. Times are in seconds; 0 for none and for times before 1970. */
typedef struct sc_membership {
  sc_config_notify notify;
  int64_t mute_until_s;
  int64_t joined_s;
  int32_t priority; /* SC_CONFIG_PRIORITY_HIDDEN, 0, or more for a pinned conversation */
  bool invited;     /* true until the invitation is accepted */
} sc_membership;

/* In the order of iteration. */
typedef enum sc_group_kind {
  SC_GROUP_CURRENT = 0,
  SC_GROUP_COMMUNITY = 1,
  SC_GROUP_LEGACY = 2,
} sc_group_kind;

/* Counts the entries of a kind, including unreadable ones. SC_ERR_ARGUMENT for an unknown kind. */
SC_API SC_NODISCARD sc_status sc_user_groups_count(size_t *out, const sc_user_groups *groups,
                                                   sc_group_kind kind);

/* Groups */

typedef enum sc_group_standing {
  SC_GROUP_PRESENT = 0,
  SC_GROUP_KICKED = 1,    /* the account was removed from it */
  SC_GROUP_DESTROYED = 2, /* the group was destroyed */
} sc_group_standing;

typedef struct sc_user_group {
  sc_id id;
  sc_membership membership;
  sc_bytes name; /* the name when the account joined, shown until the group info is known */
  sc_bytes
      seed; /* secret: the seed of the group's key, 32 bytes, which makes the account an admin; or empty */
  sc_bytes access;  /* secret: the access to the group's swarm, SC_SUBACCOUNT_ACCESS_BYTES; or empty */
  int32_t standing; /* one of sc_group_standing, or a number from newer clients */
} sc_user_group;

/* Reads a group. SC_ERR_NOT_FOUND; SC_ERR_ID_KIND unless the id begins with 03. A seed of another group is
 * left out. */
SC_API SC_NODISCARD sc_status sc_user_groups_get_group(sc_user_group *out, const sc_user_groups *groups,
                                                       const sc_id *id);

/* Reads a group, or returns a blank one; stores nothing. */
SC_API SC_NODISCARD sc_status sc_user_groups_get_or_make_group(sc_user_group *out,
                                                               const sc_user_groups *groups, const sc_id *id);

/* Iterate in ascending order of ids. `next` replaces a group with its successor, even if it was erased, so
 * edits are allowed in between. SC_ERR_NOT_FOUND at the end. */
SC_API SC_NODISCARD sc_status sc_user_groups_first_group(sc_user_group *out, const sc_user_groups *groups);
SC_API SC_NODISCARD sc_status sc_user_groups_next_group(sc_user_group *group, const sc_user_groups *groups);

/* Stores a whole group. A seed of another group is not stored; with a seed, the stored `access` is kept. The
 * name is cut to SC_CONFIG_MAX_NAME_BYTES. SC_ERR_ID_KIND, SC_ERR_UTF8 for a name that was not already
 * stored, SC_ERR_ARGUMENT for an unknown choice. */
SC_API SC_NODISCARD sc_status sc_user_groups_set_group(sc_user_groups *groups, const sc_user_group *group);

/* Erases a group; `*erased` is true if there was one. SC_ERR_ID_KIND. */
SC_API SC_NODISCARD sc_status sc_user_groups_erase_group(bool *erased, sc_user_groups *groups,
                                                         const sc_id *id);

/* Change a group after an event; store it with sc_user_groups_set_group. Kicking and destroying remove the
 * secrets; an invitation after a kick makes the account a member again; a destroyed group stays destroyed. */
SC_API void sc_user_group_mark_kicked(sc_user_group *group);
SC_API void sc_user_group_mark_invited(sc_user_group *group);
SC_API void sc_user_group_mark_destroyed(sc_user_group *group);

/* Communities */

typedef struct sc_user_community {
  sc_community community;
  char spelling[SC_COMMUNITY_MAX_ROOM_CHARS + 1]; /* the spelling of the room, which may use upper case */
  bool other_key; /* set by sc_user_groups_get_or_make_community: the server is known with another key */
  sc_membership membership;
} sc_user_community;

/* Reads a community. SC_ERR_NOT_FOUND, SC_ERR_COMMUNITY_URL, SC_ERR_COMMUNITY_ROOM. */
SC_API SC_NODISCARD sc_status sc_user_groups_get_community(sc_user_community *out,
                                                           const sc_user_groups *groups, sc_bytes url,
                                                           sc_bytes room);

/* Reads a community, or returns a blank one with this spelling; stores nothing. A known server keeps its
 * key, and `other_key` is true if that differs from `key`: all rooms of a server share one key, so let the
 * user confirm a change. */
SC_API SC_NODISCARD sc_status sc_user_groups_get_or_make_community(sc_user_community *out,
                                                                   const sc_user_groups *groups, sc_bytes url,
                                                                   sc_bytes room,
                                                                   const uint8_t key[SC_AT_LEAST(32)]);

/* Iterate in ascending order of URLs, then rooms; otherwise as for groups. */
SC_API SC_NODISCARD sc_status sc_user_groups_first_community(sc_user_community *out,
                                                             const sc_user_groups *groups);
SC_API SC_NODISCARD sc_status sc_user_groups_next_community(sc_user_community *community,
                                                            const sc_user_groups *groups);

/* Stores a whole community; its key becomes the key of all rooms of the server. SC_ERR_COMMUNITY_URL;
 * SC_ERR_COMMUNITY_ROOM, also for a spelling of another room; SC_ERR_ARGUMENT. */
SC_API SC_NODISCARD sc_status sc_user_groups_set_community(sc_user_groups *groups,
                                                           const sc_user_community *community);

/* Erases a community; `*erased` is true if there was one. SC_ERR_COMMUNITY_URL, SC_ERR_COMMUNITY_ROOM. */
SC_API SC_NODISCARD sc_status sc_user_groups_erase_community(bool *erased, sc_user_groups *groups,
                                                             sc_bytes url, sc_bytes room);

/* Legacy groups */

typedef struct sc_legacy_group {
  sc_id id;
  sc_membership membership;
  sc_bytes name;
  sc_bytes public_key; /* X25519 public key, and its secret: 32 bytes each, or both empty */
  sc_bytes secret_key;
  int32_t expiry_s; /* seconds after which messages disappear; 0 for never */
} sc_legacy_group;

/* Read and erase legacy groups, as for groups; their ids begin with 05. */
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

/* Iterate over the members of a legacy group in ascending order of ids. SC_ERR_NOT_FOUND at the end, and if
 * there is no such group. */
SC_API SC_NODISCARD sc_status sc_user_groups_first_legacy_member(sc_legacy_member *out,
                                                                 const sc_user_groups *groups,
                                                                 const sc_id *group);
SC_API SC_NODISCARD sc_status sc_user_groups_next_legacy_member(sc_legacy_member *member,
                                                                const sc_user_groups *groups,
                                                                const sc_id *group);

/* All kinds */

typedef struct sc_any_group {
  sc_group_kind kind;
  union {
    sc_user_group group;
    sc_user_community community;
    sc_legacy_group legacy;
  } of;
} sc_any_group;

/* Iterate over all of them, kind by kind. SC_ERR_NOT_FOUND at the end. */
SC_API SC_NODISCARD sc_status sc_user_groups_first(sc_any_group *out, const sc_user_groups *groups);
SC_API SC_NODISCARD sc_status sc_user_groups_next(sc_any_group *any, const sc_user_groups *groups);

SC_API_END

#endif
