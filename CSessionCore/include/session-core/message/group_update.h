/* Updates that admins and members of a group send to each other.
 *
 * A received update is unverified until sc_group_update_verify has checked it: an admin's update has a
 * signature by the group, and a member's update can only concern the member. */
#ifndef SC_MESSAGE_GROUP_UPDATE_H
#define SC_MESSAGE_GROUP_UPDATE_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/id.h"
#include "../crypto/keys.h"
#include "kinds.h"
#include "rules.h"

SC_API_BEGIN

typedef struct sc_group_invite {
  sc_id group;
  sc_bytes name;
  sc_bytes auth_data; /* secret: the result of sc_subaccount_grant for the member */
} sc_group_invite;

typedef struct sc_group_promotion {
  sc_bytes seed; /* secret: the group's, 32 bytes */
  sc_bytes name;
} sc_group_promotion;

typedef enum sc_group_info_kind {
  SC_GROUP_INFO_NAME = 1,
  SC_GROUP_INFO_PICTURE,
  SC_GROUP_INFO_DISAPPEARING,
} sc_group_info_kind;

/* For display only: the group's config decides. */
typedef struct sc_group_info_change {
  sc_group_info_kind what;
  sc_bytes name;           /* the new name, if the sender stated it */
  uint32_t disappearing_s; /* 0: messages no longer disappear */
} sc_group_info_change;

typedef enum sc_group_membership {
  SC_GROUP_MEMBERS_ADDED = 1,
  SC_GROUP_MEMBERS_REMOVED,
  SC_GROUP_MEMBERS_PROMOTED,
} sc_group_membership;

/* For display only: the group's config decides. */
typedef struct sc_group_member_change {
  sc_group_membership what;
  const sc_id *members;
  size_t member_count;
  bool is_history_shared; /* new members can read earlier messages */
} sc_group_member_change;

/* Deletes messages with these hashes, and all messages that these members wrote until then. */
typedef struct sc_group_deletion {
  const sc_id *members;
  size_t member_count;
  const sc_bytes *hashes;
  size_t hash_count;
} sc_group_deletion;

typedef struct sc_group_update {
  sc_message_kind kind; /* one of SC_MESSAGE_GROUP_… */
  sc_bytes signature;   /* by the group, 64 bytes; empty if there is none */
  union {
    sc_group_invite invite;
    sc_group_promotion promotion;
    sc_group_info_change info;
    sc_group_member_change members;
    sc_group_deletion deletion;
  } of;
} sc_group_update;

/* True if an admin signs updates of this kind, always or if they concern others. */
SC_API bool sc_group_update_is_signed(sc_message_kind kind);

/* Returns the first rule that an update breaks, apart from its signature. */
SC_API sc_message_rule sc_group_update_check(const sc_group_update *update);

/* Signs an update for the message sent at this time. `invitee` is the invited account, NULL for other kinds.
 * SC_ERR_ARGUMENT for kinds without a signature, SC_ERR_MESSAGE_RULE. */
SC_API SC_NODISCARD sc_status sc_group_update_sign(uint8_t out[SC_AT_LEAST(64)], const sc_env *env,
                                                   const sc_group_update *update,
                                                   const sc_ed25519_pair *group, uint64_t sent_ms,
                                                   const sc_id *invitee, sc_message_rule *broken);

/* The place where a message with an update was found. */
typedef struct sc_group_evidence {
  sc_message_place place;
  const sc_id *group; /* the group whose swarm it was in; NULL for the own swarm */
  const sc_id *sender;
  uint64_t sent_ms;
} sc_group_evidence;

/* An update whose sender is allowed to send it. */
typedef struct sc_verified_group_update {
  sc_id group;
  bool is_by_admin;       /* otherwise it is from its sender and concerns only the sender */
  sc_group_update update; /* a member's deletion is reduced to that member's messages */
} sc_verified_group_update;

/* Verifies an update that `reader` received. `out` borrows from the update and the evidence.
 * SC_ERR_MESSAGE_RULE. */
SC_API SC_NODISCARD sc_status sc_group_update_verify(sc_verified_group_update *out, const sc_env *env,
                                                     const sc_group_update *update,
                                                     const sc_group_evidence *found, const sc_keypair *reader,
                                                     sc_message_rule *broken);

SC_API_END

#endif
