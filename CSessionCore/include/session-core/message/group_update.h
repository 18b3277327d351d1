/* What admins and members of a group tell each other about it.
 *
 * An update that was read is a claim until sc_group_update_verify has proven it: an admin's update carries a
 * signature by the group, and a member speaks for themselves alone. */
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
  sc_bytes auth_data; /* secret: what sc_subaccount_grant gave for the member */
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

/* To be shown alone: the group's config decides. */
typedef struct sc_group_info_change {
  sc_group_info_kind what;
  sc_bytes name;           /* the new one, where the sender told it */
  uint32_t disappearing_s; /* 0: messages no longer disappear */
} sc_group_info_change;

typedef enum sc_group_membership {
  SC_GROUP_MEMBERS_ADDED = 1,
  SC_GROUP_MEMBERS_REMOVED,
  SC_GROUP_MEMBERS_PROMOTED,
} sc_group_membership;

/* To be shown alone: the group's config decides. */
typedef struct sc_group_member_change {
  sc_group_membership what;
  const sc_id *members;
  size_t member_count;
  bool is_history_shared; /* new members can read what was written before */
} sc_group_member_change;

/* Messages of these hashes, and everything these members wrote until then. */
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

/* Whether an admin signs updates of a kind, always or where they speak for others. */
SC_API bool sc_group_update_is_signed(sc_message_kind kind);

/* The first rule that an update breaks, its signature left aside. */
SC_API sc_message_rule sc_group_update_check(const sc_group_update *update);

/* Signs an update for the message that is sent at this time. `invitee` is the account that an invitation is
 * for, NULL for other kinds. SC_ERR_ARGUMENT for kinds that are not signed, SC_ERR_MESSAGE_RULE. */
SC_API SC_NODISCARD sc_status sc_group_update_sign(uint8_t out[SC_AT_LEAST(64)], const sc_env *env,
                                                   const sc_group_update *update,
                                                   const sc_ed25519_pair *group, uint64_t sent_ms,
                                                   const sc_id *invitee, sc_message_rule *broken);

/* Where a message with an update was found. */
typedef struct sc_group_evidence {
  sc_message_place place;
  const sc_id *group; /* whose swarm it was in; NULL in the own swarm */
  const sc_id *sender;
  uint64_t sent_ms;
} sc_group_evidence;

/* An update that is proven to come from somebody who may tell it. */
typedef struct sc_verified_group_update {
  sc_id group;
  bool is_by_admin;       /* otherwise by its sender, about themselves */
  sc_group_update update; /* a member's deletion is reduced to what they wrote */
} sc_verified_group_update;

/* Proves an update that `reader` received. `out` borrows from the update and the evidence.
 * SC_ERR_MESSAGE_RULE. */
SC_API SC_NODISCARD sc_status sc_group_update_verify(sc_verified_group_update *out, const sc_env *env,
                                                     const sc_group_update *update,
                                                     const sc_group_evidence *found, const sc_keypair *reader,
                                                     sc_message_rule *broken);

SC_API_END

#endif
