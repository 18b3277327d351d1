/* One member: the effect of events, and the resulting status. */
#include "session-core/config/group_members.h"

void sc_group_member_init(sc_group_member *out, const sc_id *id) {
  *out = (sc_group_member){.id = *id, .invite = SC_GROUP_NOT_SENT};
}

static void invite(sc_group_member *member, sc_group_sending sending) {
  member->invite = (int32_t)sending;
  if (sending == SC_GROUP_ACCEPTED)
    member->supplement = false;
}

static void promote(sc_group_member *member, sc_group_sending sending) {
  member->admin = true;
  member->promotion = (int32_t)sending;
  member->invite = SC_GROUP_ACCEPTED;
}

static void remove_member(sc_group_member *member, sc_group_removal removal) {
  member->invite = SC_GROUP_ACCEPTED;
  member->promotion = SC_GROUP_ACCEPTED;
  member->removal = (int32_t)removal;
}

void sc_group_member_apply(sc_group_member *member, sc_group_event event) {
  switch (event) {
  case SC_GROUP_INVITE_NOT_SENT:
    invite(member, SC_GROUP_NOT_SENT);
    return;
  case SC_GROUP_INVITE_SENT:
    invite(member, SC_GROUP_SENT);
    return;
  case SC_GROUP_INVITE_FAILED:
    invite(member, SC_GROUP_FAILED);
    return;
  case SC_GROUP_INVITE_ACCEPTED:
    invite(member, SC_GROUP_ACCEPTED);
    return;
  case SC_GROUP_PROMOTE:
  case SC_GROUP_PROMOTION_NOT_SENT:
    promote(member, SC_GROUP_NOT_SENT);
    return;
  case SC_GROUP_PROMOTION_SENT:
    promote(member, SC_GROUP_SENT);
    return;
  case SC_GROUP_PROMOTION_FAILED:
    promote(member, SC_GROUP_FAILED);
    return;
  case SC_GROUP_PROMOTION_ACCEPTED:
    promote(member, SC_GROUP_ACCEPTED);
    return;
  case SC_GROUP_REMOVE:
    remove_member(member, SC_GROUP_REMOVED);
    return;
  case SC_GROUP_REMOVE_WITH_MESSAGES:
    remove_member(member, SC_GROUP_REMOVED_WITH_MESSAGES);
    return;
  }
}

static sc_group_member_status removal_status(int32_t removal) {
  if (removal == SC_GROUP_REMOVED_WITH_MESSAGES)
    return SC_GROUP_MEMBER_REMOVED_WITH_MESSAGES;
  return removal == SC_GROUP_REMOVED ? SC_GROUP_MEMBER_REMOVED : SC_GROUP_MEMBER_REMOVED_UNKNOWN;
}

static sc_group_member_status invite_status(int32_t sending, bool pending) {
  switch (sending) {
  case SC_GROUP_ACCEPTED:
    return SC_GROUP_MEMBER_INVITE_ACCEPTED;
  case SC_GROUP_SENT:
    return SC_GROUP_MEMBER_INVITE_SENT;
  case SC_GROUP_FAILED:
    return SC_GROUP_MEMBER_INVITE_FAILED;
  case SC_GROUP_NOT_SENT:
    return pending ? SC_GROUP_MEMBER_INVITE_SENDING : SC_GROUP_MEMBER_INVITE_NOT_SENT;
  default:
    return SC_GROUP_MEMBER_INVITE_UNKNOWN;
  }
}

static sc_group_member_status promotion_status(int32_t sending, bool pending) {
  switch (sending) {
  case SC_GROUP_ACCEPTED:
    return SC_GROUP_MEMBER_PROMOTION_ACCEPTED;
  case SC_GROUP_SENT:
    return SC_GROUP_MEMBER_PROMOTION_SENT;
  case SC_GROUP_FAILED:
    return SC_GROUP_MEMBER_PROMOTION_FAILED;
  case SC_GROUP_NOT_SENT:
    return pending ? SC_GROUP_MEMBER_PROMOTION_SENDING : SC_GROUP_MEMBER_PROMOTION_NOT_SENT;
  default:
    return SC_GROUP_MEMBER_PROMOTION_UNKNOWN;
  }
}

sc_group_member_status sc_group_members_status(const sc_group_members *members,
                                               const sc_group_member *member) {
  bool pending = sc_group_members_is_pending(members, &member->id);
  if (member->removal > 0)
    return removal_status(member->removal);
  return member->admin ? promotion_status(member->promotion, pending)
                       : invite_status(member->invite, pending);
}
