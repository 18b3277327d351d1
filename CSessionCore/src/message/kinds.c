#include "session-core/message/kinds.h"

#include <stddef.h>

enum {
  to_contact = SC_PLACE_CONTACT,
  to_group = SC_PLACE_GROUP,
  to_people = SC_PLACE_CONTACT | SC_PLACE_OWN_DEVICES,
  to_swarms = to_people | SC_PLACE_GROUP,
  to_all = to_swarms | SC_PLACE_COMMUNITY | SC_PLACE_INBOX,
  two_weeks_s = 14 * 24 * 60 * 60, /* the longest that swarms keep messages */
  call_s = 5 * 60,
  typing_s = 20,
  milliseconds = 1000,
};

/* Columns: destinations, lifetime, then yes or no for: synced, valid from oneself, accepted from blocked
 * contacts, counts as visible, ended by the deletion of its conversation; then row and disappearing. */
static const sc_message_traits table[] = {
    [SC_MESSAGE_VISIBLE] = {to_all, 0, 1, 1, 0, 1, 1, SC_ROW_MESSAGE, SC_DISAPPEARS_AS_SET},
    [SC_MESSAGE_REACTION] = {to_swarms, 0, 1, 1, 0, 0, 1, SC_ROW_ATTACHED, SC_DISAPPEARS_AS_SET},
    [SC_MESSAGE_TIMER_UPDATE] = {to_people, 0, 1, 1, 0, 0, 1, SC_ROW_CONTROL, SC_DISAPPEARS_AS_SET},
    [SC_MESSAGE_READ_RECEIPT] = {to_contact, two_weeks_s, 0, 0, 0, 0, 0, SC_ROW_NONE, SC_DISAPPEARS_NEVER},
    [SC_MESSAGE_TYPING] = {to_contact, typing_s, 0, 0, 0, 0, 1, SC_ROW_NONE, SC_DISAPPEARS_NEVER},
    [SC_MESSAGE_UNSEND] = {to_people, two_weeks_s, 1, 1, 0, 0, 0, SC_ROW_NONE, SC_DISAPPEARS_NEVER},
    [SC_MESSAGE_DATA_EXTRACTION] = {to_contact, 0, 0, 0, 0, 0, 1, SC_ROW_CONTROL, SC_DISAPPEARS_AFTER_READ},
    [SC_MESSAGE_REQUEST_RESPONSE] = {to_contact, two_weeks_s, 0, 0, 0, 0, 1, SC_ROW_CONTROL,
                                     SC_DISAPPEARS_NEVER},
    [SC_MESSAGE_CALL_PRE_OFFER] = {to_contact, call_s, 0, 0, 0, 0, 1, SC_ROW_CONTROL,
                                   SC_DISAPPEARS_AFTER_READ},
    [SC_MESSAGE_CALL_OFFER] = {to_contact, call_s, 0, 0, 0, 0, 1, SC_ROW_NONE, SC_DISAPPEARS_NEVER},
    [SC_MESSAGE_CALL_ANSWER] = {to_contact, call_s, 1, 1, 0, 0, 1, SC_ROW_NONE, SC_DISAPPEARS_NEVER},
    [SC_MESSAGE_CALL_PROVISIONAL_ANSWER] = {to_contact, call_s, 0, 0, 0, 0, 1, SC_ROW_NONE,
                                            SC_DISAPPEARS_NEVER},
    [SC_MESSAGE_CALL_CANDIDATES] = {to_contact, call_s, 0, 0, 0, 0, 1, SC_ROW_NONE, SC_DISAPPEARS_NEVER},
    [SC_MESSAGE_CALL_END] = {to_contact, call_s, 1, 1, 0, 0, 1, SC_ROW_NONE, SC_DISAPPEARS_NEVER},
    [SC_MESSAGE_GROUP_INVITE] = {to_contact, two_weeks_s, 0, 0, 0, 1, 0, SC_ROW_CONTROL, SC_DISAPPEARS_NEVER},
    [SC_MESSAGE_GROUP_PROMOTION] = {to_contact, two_weeks_s, 0, 0, 1, 0, 0, SC_ROW_CONTROL,
                                    SC_DISAPPEARS_NEVER},
    [SC_MESSAGE_GROUP_INFO_CHANGE] = {to_group, 0, 0, 1, 1, 0, 1, SC_ROW_CONTROL, SC_DISAPPEARS_AS_SET},
    [SC_MESSAGE_GROUP_MEMBER_CHANGE] = {to_group, 0, 0, 1, 1, 0, 1, SC_ROW_CONTROL, SC_DISAPPEARS_AS_SET},
    [SC_MESSAGE_GROUP_MEMBER_LEFT] = {to_group, two_weeks_s, 0, 1, 1, 0, 0, SC_ROW_NONE, SC_DISAPPEARS_NEVER},
    [SC_MESSAGE_GROUP_MEMBER_LEFT_NOTIFICATION] = {to_group, 0, 0, 1, 1, 0, 1, SC_ROW_CONTROL,
                                                   SC_DISAPPEARS_AS_SET},
    [SC_MESSAGE_GROUP_INVITE_RESPONSE] = {to_group, two_weeks_s, 0, 0, 1, 0, 0, SC_ROW_NONE,
                                          SC_DISAPPEARS_NEVER},
    [SC_MESSAGE_GROUP_CONTENT_DELETION] = {to_group, two_weeks_s, 0, 1, 1, 0, 0, SC_ROW_NONE,
                                           SC_DISAPPEARS_NEVER},
    [SC_MESSAGE_LEGACY_CONFIG] = {0, two_weeks_s, 0, 1, 0, 0, 1, SC_ROW_NONE, SC_DISAPPEARS_NEVER},
};

static const char *const names[] = {
    [SC_MESSAGE_VISIBLE] = "visible",
    [SC_MESSAGE_REACTION] = "reaction",
    [SC_MESSAGE_TIMER_UPDATE] = "timerUpdate",
    [SC_MESSAGE_READ_RECEIPT] = "readReceipt",
    [SC_MESSAGE_TYPING] = "typing",
    [SC_MESSAGE_UNSEND] = "unsend",
    [SC_MESSAGE_DATA_EXTRACTION] = "dataExtraction",
    [SC_MESSAGE_REQUEST_RESPONSE] = "messageRequestResponse",
    [SC_MESSAGE_CALL_PRE_OFFER] = "callPreOffer",
    [SC_MESSAGE_CALL_OFFER] = "callOffer",
    [SC_MESSAGE_CALL_ANSWER] = "callAnswer",
    [SC_MESSAGE_CALL_PROVISIONAL_ANSWER] = "callProvisionalAnswer",
    [SC_MESSAGE_CALL_CANDIDATES] = "callCandidates",
    [SC_MESSAGE_CALL_END] = "callEnd",
    [SC_MESSAGE_GROUP_INVITE] = "groupInvite",
    [SC_MESSAGE_GROUP_PROMOTION] = "groupPromotion",
    [SC_MESSAGE_GROUP_INFO_CHANGE] = "groupInfoChange",
    [SC_MESSAGE_GROUP_MEMBER_CHANGE] = "groupMemberChange",
    [SC_MESSAGE_GROUP_MEMBER_LEFT] = "groupMemberLeft",
    [SC_MESSAGE_GROUP_MEMBER_LEFT_NOTIFICATION] = "groupMemberLeftNotification",
    [SC_MESSAGE_GROUP_INVITE_RESPONSE] = "groupInviteResponse",
    [SC_MESSAGE_GROUP_CONTENT_DELETION] = "groupContentDeletion",
    [SC_MESSAGE_LEGACY_CONFIG] = "legacyConfig",
};

const sc_message_traits *sc_message_traits_of(sc_message_kind kind) {
  return (size_t)kind < SC_MESSAGE_KINDS ? &table[kind] : NULL;
}

const char *sc_message_kind_name(sc_message_kind kind) {
  return (size_t)kind < SC_MESSAGE_KINDS ? names[kind] : NULL;
}

sc_timer_mode sc_message_timer_mode(sc_message_timer timer, sc_message_place place) {
  if (timer.mode == SC_TIMER_OFF)
    return SC_TIMER_OFF;
  switch (place) {
  case SC_PLACE_CONTACT:
    return timer.mode == SC_TIMER_UNSPECIFIED ? SC_TIMER_AFTER_READ : timer.mode;
  case SC_PLACE_OWN_DEVICES:
  case SC_PLACE_GROUP:
    return SC_TIMER_AFTER_SEND;
  case SC_PLACE_COMMUNITY:
  case SC_PLACE_INBOX:
    break;
  }
  return SC_TIMER_OFF;
}

uint64_t sc_message_lifetime_ms(sc_message_kind kind, sc_message_timer timer, sc_message_place place) {
  const sc_message_traits *traits = sc_message_traits_of(kind);
  uint64_t lifetime_s = traits == NULL || traits->lifetime_s == 0 ? two_weeks_s : traits->lifetime_s;
  bool ends_with_timer =
      traits != NULL && traits->lifetime_s == 0 && sc_message_timer_mode(timer, place) == SC_TIMER_AFTER_SEND;
  if (ends_with_timer && timer.seconds < lifetime_s)
    lifetime_s = timer.seconds;
  return lifetime_s * milliseconds;
}
