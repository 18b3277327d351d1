/* The kinds of message and their rules: destinations, lifetime, effect on the conversation. */
#ifndef SC_MESSAGE_KINDS_H
#define SC_MESSAGE_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/api.h"

SC_API_BEGIN

typedef enum sc_message_kind {
  SC_MESSAGE_VISIBLE, /* a text, files or an invitation */
  SC_MESSAGE_REACTION,
  SC_MESSAGE_TIMER_UPDATE,
  SC_MESSAGE_READ_RECEIPT,
  SC_MESSAGE_TYPING,
  SC_MESSAGE_UNSEND,
  SC_MESSAGE_DATA_EXTRACTION,
  SC_MESSAGE_REQUEST_RESPONSE,
  SC_MESSAGE_CALL_PRE_OFFER,
  SC_MESSAGE_CALL_OFFER,
  SC_MESSAGE_CALL_ANSWER,
  SC_MESSAGE_CALL_PROVISIONAL_ANSWER,
  SC_MESSAGE_CALL_CANDIDATES,
  SC_MESSAGE_CALL_END,
  SC_MESSAGE_GROUP_INVITE,
  SC_MESSAGE_GROUP_PROMOTION,
  SC_MESSAGE_GROUP_INFO_CHANGE,
  SC_MESSAGE_GROUP_MEMBER_CHANGE,
  SC_MESSAGE_GROUP_MEMBER_LEFT,
  SC_MESSAGE_GROUP_MEMBER_LEFT_NOTIFICATION,
  SC_MESSAGE_GROUP_INVITE_RESPONSE,
  SC_MESSAGE_GROUP_CONTENT_DELETION,
  SC_MESSAGE_LEGACY_CONFIG, /* read, but no longer sent */
} sc_message_kind;
enum { SC_MESSAGE_KINDS = SC_MESSAGE_LEGACY_CONFIG + 1 };

/* The place where a message goes or was found. Bits, so that the table can name several. */
typedef enum sc_message_place {
  SC_PLACE_CONTACT = 1, /* a contact's swarm; for received messages the own swarm */
  SC_PLACE_OWN_DEVICES = 2,
  SC_PLACE_GROUP = 4,
  SC_PLACE_COMMUNITY = 8,
  SC_PLACE_INBOX = 16, /* the inbox or outbox of a community */
} sc_message_place;

/* The effect of a message on its conversation. */
typedef enum sc_message_row {
  SC_ROW_NONE,
  SC_ROW_MESSAGE,  /* a message */
  SC_ROW_CONTROL,  /* a note about an event */
  SC_ROW_ATTACHED, /* an attachment to another message */
} sc_message_row;

/* The rule by which the effect of a message disappears. */
typedef enum sc_message_disappearing {
  SC_DISAPPEARS_NEVER,
  SC_DISAPPEARS_AS_SET,     /* as the message says */
  SC_DISAPPEARS_AFTER_READ, /* after reading, regardless of the message's own setting */
} sc_message_disappearing;

typedef struct sc_message_traits {
  unsigned destinations; /* bits of sc_message_place */
  uint32_t lifetime_s;   /* lifetime in the swarm; 0: two weeks, or until it disappears if that is sooner */
  bool is_synced;        /* the account's own devices get a copy */
  bool is_valid_from_self;
  bool is_accepted_from_blocked;
  bool counts_as_visible;    /* creates a conversation, moves it to the top of the list and notifies */
  bool is_ended_by_deletion; /* dropped if its conversation was deleted after the message was sent */
  sc_message_row row;
  sc_message_disappearing disappearing;
} sc_message_traits;

/* Returns the row for a kind; NULL for unknown numbers. */
SC_API const sc_message_traits *sc_message_traits_of(sc_message_kind kind);

/* Returns the name of a kind for logs and tables; NULL for unknown numbers. */
SC_API const char *sc_message_kind_name(sc_message_kind kind);

/* The kinds of configs in old clients, which wrapped configs like messages. */
typedef enum sc_legacy_config_kind {
  SC_LEGACY_CONFIG_USER_PROFILE = 1,
  SC_LEGACY_CONFIG_CONTACTS,
  SC_LEGACY_CONFIG_CONVERSATIONS,
  SC_LEGACY_CONFIG_GROUPS,
} sc_legacy_config_kind;

typedef enum sc_timer_mode {
  SC_TIMER_OFF = 0,
  SC_TIMER_AFTER_READ,
  SC_TIMER_AFTER_SEND,
  SC_TIMER_UNSPECIFIED, /* not stated by the sender; the place decides */
} sc_timer_mode;

/* The timer of disappearing messages in a message. */
typedef struct sc_message_timer {
  sc_timer_mode mode;
  uint32_t seconds; /* 0 if and only if the mode is SC_TIMER_OFF */
} sc_message_timer;

/* Returns when the timer starts in a place. Only in a conversation with a contact can it start when the
 * message is read; in communities it is off. */
SC_API sc_timer_mode sc_message_timer_mode(sc_message_timer timer, sc_message_place place);

/* Returns the lifetime to request from the swarm, in milliseconds. */
SC_API uint64_t sc_message_lifetime_ms(sc_message_kind kind, sc_message_timer timer, sc_message_place place);

SC_API_END

#endif
