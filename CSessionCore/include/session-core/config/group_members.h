/* Group members: the members and admins of a group, and the progress of inviting, promoting and removing
 * them.
 *
 * All members have it; admins edit it. Its messages are encrypted with the group's keys: pass them to its
 * config with sc_group_keys_hand_on. One thread at a time. */
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

/* The number of members whose invitation or promotion this device is sending. */
#define SC_GROUP_MAX_PENDING 4096

typedef struct sc_group_members sc_group_members;

/* Creates the members of a group, empty or from a dump. `admin` is the group's key pair, NULL for members
 * who only read. SC_ERR_ID_KIND unless the id begins with 03, SC_ERR_KEY_MISMATCH for the pair of another
 * group, SC_ERR_CONFIG_DUMP. */
SC_API SC_NODISCARD sc_status sc_group_members_new(sc_group_members **out, const sc_env *env,
                                                   const sc_id *group, const sc_ed25519_pair *admin,
                                                   sc_bytes dump);
/* NULL is allowed. */
SC_API void sc_group_members_free(sc_group_members *members);

/* Returns the config, to push, merge and dump; it lives as long as the members. */
SC_API sc_config *sc_group_members_config(sc_group_members *members);

/* The progress of sending something to a member. Newer clients may store other numbers. */
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

/* A member as stored. Texts that are read are borrowed until the members are edited, merged or freed. */
typedef struct sc_group_member {
  sc_id id;      /* 05 */
  sc_bytes name; /* may be too long or invalid UTF-8: see sc_config_shown */
  sc_config_picture picture;
  int64_t profile_updated; /* seconds; of name and picture. Read only: the stored value is kept */
  bool admin;
  bool supplement;   /* the invitation shares the history of messages */
  int32_t invite;    /* one of sc_group_sending */
  int32_t promotion; /* one of sc_group_sending */
  int32_t removal;   /* one of sc_group_removal */
} sc_group_member;

/* Initialises a member who is to be invited. */
SC_API void sc_group_member_init(sc_group_member *out, const sc_id *id);

/* Events of a member; they also make a member an admin or not. */
typedef enum sc_group_event {
  SC_GROUP_INVITE_NOT_SENT,
  SC_GROUP_INVITE_SENT,
  SC_GROUP_INVITE_FAILED,
  SC_GROUP_INVITE_ACCEPTED,
  SC_GROUP_PROMOTE, /* the promotion has not been sent yet */
  SC_GROUP_PROMOTION_NOT_SENT,
  SC_GROUP_PROMOTION_SENT,
  SC_GROUP_PROMOTION_FAILED,
  SC_GROUP_PROMOTION_ACCEPTED,
  SC_GROUP_REMOVE,
  SC_GROUP_REMOVE_WITH_MESSAGES,
} sc_group_event;

/* Changes the fields for an event; store them with sc_group_members_set. */
SC_API void sc_group_member_apply(sc_group_member *member, sc_group_event event);

/* Reads a member. SC_ERR_ID_KIND unless the id begins with 05, SC_ERR_NOT_FOUND. */
SC_API SC_NODISCARD sc_status sc_group_members_get(sc_group_member *out, const sc_group_members *members,
                                                   const sc_id *id);

/* Reads the member with the smallest id greater than `after`, or the first if that is NULL. Edits are
 * allowed in between. SC_ERR_NOT_FOUND at the end. */
SC_API SC_NODISCARD sc_status sc_group_members_next(sc_group_member *out, const sc_group_members *members,
                                                    const sc_id *after);

/* Counts the members, including those marked for removal. */
SC_API SC_NODISCARD sc_status sc_group_members_count(size_t *out, const sc_group_members *members);

/* Stores a member. If its invitation or promotion has not been sent, it becomes pending. A name that is too
 * long is cut. SC_ERR_ID_KIND unless the id begins with 05; SC_ERR_UTF8 and SC_ERR_CONFIG_PICTURE for an
 * invalid name or picture, unless already stored; SC_ERR_TOO_LARGE for more than SC_GROUP_MAX_PENDING;
 * SC_ERR_CONFIG_READ_ONLY. */
SC_API SC_NODISCARD sc_status sc_group_members_set(sc_group_members *members, const sc_group_member *member);

/* Erases a member; `*erased`, which may be NULL, is true if there was one. SC_ERR_ID_KIND,
 * SC_ERR_CONFIG_READ_ONLY. */
SC_API SC_NODISCARD sc_status sc_group_members_erase(bool *erased, sc_group_members *members,
                                                     const sc_id *id);

/* True if this device is about to send the member an invitation or a promotion. Other devices do not know
 * this. */
SC_API bool sc_group_members_is_pending(const sc_group_members *members, const sc_id *id);
/* Changes that. SC_ERR_TOO_LARGE. */
SC_API SC_NODISCARD sc_status sc_group_members_set_pending(sc_group_members *members, const sc_id *id,
                                                           bool pending);

/* The state of a member in one word. */
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
