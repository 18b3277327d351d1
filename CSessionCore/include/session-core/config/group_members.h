/* Group members: who is in a group, who leads it, and how far inviting, promoting and removing them has come.
 *
 * All members have it; admins edit it. Its messages are encrypted with the keys of the group: give them to
 * its config, sc_config_replace_keys. One thread at a time. */
#ifndef SC_CONFIG_GROUP_MEMBERS_H
#define SC_CONFIG_GROUP_MEMBERS_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/id.h"
#include "../crypto/keys.h"
#include "object.h"
#include "values.h"

SC_API_BEGIN

/* Members whose invitation or promotion this device is sending, at most. */
#define SC_GROUP_MAX_PENDING 4096

typedef struct sc_group_members sc_group_members;

/* The members of the group with this id: from a dump, or none when that is empty. `admin` is the group's key
 * pair, NULL for those who only read. SC_ERR_ID_KIND unless 03, SC_ERR_KEY_MISMATCH for the pair of another
 * group, SC_ERR_CONFIG_DUMP. */
SC_API SC_NODISCARD sc_status sc_group_members_new(sc_group_members **out, const sc_env *env,
                                                   const sc_id *group, const sc_ed25519_pair *admin,
                                                   sc_bytes dump);
/* NULL is allowed. */
SC_API void sc_group_members_free(sc_group_members *members);

/* What keeps them in step; it belongs to them. */
SC_API sc_config *sc_group_members_config(sc_group_members *members);

/* How far sending something to a member has come. Other numbers are of clients that are yet to come. */
typedef enum sc_group_sending {
  SC_GROUP_ACCEPTED = 0,
  SC_GROUP_SENT = 1,
  SC_GROUP_FAILED = 2,
  SC_GROUP_NOT_SENT = 3,
} sc_group_sending;

typedef enum sc_group_removal {
  SC_GROUP_STAYS = 0,
  SC_GROUP_REMOVED = 1,
  SC_GROUP_REMOVED_WITH_MESSAGES = 2,
} sc_group_removal;

/* A member as it is stored. What was got borrows its texts until the members are edited, merged or freed. */
typedef struct sc_group_member {
  sc_id id;      /* 05 */
  sc_bytes name; /* may be longer than it should be, and of any bytes: see sc_config_shown */
  sc_config_picture picture;
  int64_t profile_updated; /* seconds; of the name and the picture. Read only: what others wrote stays */
  bool admin;
  bool supplement;   /* the invitation shares the history of messages */
  int32_t invite;    /* sc_group_sending */
  int32_t promotion; /* the same */
  int32_t removal;   /* sc_group_removal */
} sc_group_member;

/* A member who is to be invited. */
SC_API void sc_group_member_init(sc_group_member *out, const sc_id *id);

/* What happens to a member; one that does becomes an admin or is none. */
typedef enum sc_group_event {
  SC_GROUP_INVITE_NOT_SENT,
  SC_GROUP_INVITE_SENT,
  SC_GROUP_INVITE_FAILED,
  SC_GROUP_INVITE_ACCEPTED,
  SC_GROUP_PROMOTE, /* the promotion is not sent yet */
  SC_GROUP_PROMOTION_NOT_SENT,
  SC_GROUP_PROMOTION_SENT,
  SC_GROUP_PROMOTION_FAILED,
  SC_GROUP_PROMOTION_ACCEPTED,
  SC_GROUP_REMOVE,
  SC_GROUP_REMOVE_WITH_MESSAGES,
} sc_group_event;

/* Changes the fields accordingly; sc_group_members_set stores them. */
SC_API void sc_group_member_apply(sc_group_member *member, sc_group_event event);

/* SC_ERR_ID_KIND unless 05, SC_ERR_NOT_FOUND. */
SC_API SC_NODISCARD sc_status sc_group_members_get(sc_group_member *out, const sc_group_members *members,
                                                   const sc_id *id);

/* The member of the least id that is greater than `after`, or of all when that is NULL; SC_ERR_NOT_FOUND at
 * the end. So members may be edited between one and the next. */
SC_API SC_NODISCARD sc_status sc_group_members_next(sc_group_member *out, const sc_group_members *members,
                                                    const sc_id *after);

/* How many there are, with those who are to be removed. */
SC_API SC_NODISCARD sc_status sc_group_members_count(size_t *out, const sc_group_members *members);

/* Stores a member, new or not; one whose invitation or promotion is not sent is then pending. A name that is
 * too long is cut. SC_ERR_ID_KIND unless 05; SC_ERR_UTF8 and SC_ERR_CONFIG_PICTURE for an invalid name or
 * picture, unless it is stored already; SC_ERR_TOO_LARGE for more than SC_GROUP_MAX_PENDING;
 * SC_ERR_CONFIG_READ_ONLY. */
SC_API SC_NODISCARD sc_status sc_group_members_set(sc_group_members *members, const sc_group_member *member);

/* Whether the member was there goes to `*erased`, which may be NULL. SC_ERR_ID_KIND,
 * SC_ERR_CONFIG_READ_ONLY. */
SC_API SC_NODISCARD sc_status sc_group_members_erase(bool *erased, sc_group_members *members,
                                                     const sc_id *id);

/* Whether this device is about to send an invitation or a promotion to the member. Other devices do not know.
 */
SC_API bool sc_group_members_is_pending(const sc_group_members *members, const sc_id *id);
/* SC_ERR_TOO_LARGE. */
SC_API SC_NODISCARD sc_status sc_group_members_set_pending(sc_group_members *members, const sc_id *id,
                                                           bool pending);

/* All of that in one word. */
typedef enum sc_group_member_status {
  SC_GROUP_MEMBER_INVITE_UNKNOWN = 0,
  SC_GROUP_MEMBER_INVITE_NOT_SENT = 1,
  SC_GROUP_MEMBER_INVITE_SENDING = 2,
  SC_GROUP_MEMBER_INVITE_FAILED = 3,
  SC_GROUP_MEMBER_INVITE_SENT = 4,
  SC_GROUP_MEMBER_INVITE_ACCEPTED = 5,
  SC_GROUP_MEMBER_PROMOTION_UNKNOWN = 6,
  SC_GROUP_MEMBER_PROMOTION_NOT_SENT = 7,
  SC_GROUP_MEMBER_PROMOTION_SENDING = 8,
  SC_GROUP_MEMBER_PROMOTION_FAILED = 9,
  SC_GROUP_MEMBER_PROMOTION_SENT = 10,
  SC_GROUP_MEMBER_PROMOTION_ACCEPTED = 11,
  SC_GROUP_MEMBER_REMOVED_UNKNOWN = 12,
  SC_GROUP_MEMBER_REMOVED = 13,
  SC_GROUP_MEMBER_REMOVED_WITH_MESSAGES = 14,
} sc_group_member_status;

SC_API sc_group_member_status sc_group_members_status(const sc_group_members *members,
                                                      const sc_group_member *member);

SC_API_END

#endif
