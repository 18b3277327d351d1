/* The content of messages as plain values: one body of one kind, with its time, timer, profile and Pro data.
 *
 * To send, fill in a sc_message_body and write it. To receive, read one from a parsed content. Both check
 * every rule that can be checked from the message alone. Reading is lenient where a message would otherwise
 * be lost: it leaves out unusable attachments, quotes, previews and pictures, and cuts long names.
 *
 * Texts are UTF-8 without NUL; an absent text has a NULL pointer. A body borrows everything it points to: a
 * body that was read lives as long as its content. `broken` may be NULL; otherwise it is set to the rule
 * that SC_ERR_MESSAGE_RULE refers to, or to SC_RULE_NONE. */
#ifndef SC_MESSAGE_BODY_H
#define SC_MESSAGE_BODY_H

#include "../crypto/id.h"
#include "content.h"
#include "decode.h"
#include "file_url.h"
#include "group_update.h"
#include "kinds.h"
#include "pro.h"
#include "rules.h"

SC_API_BEGIN

#define SC_MESSAGE_MAX_ATTACHMENTS 32
#define SC_MESSAGE_MAX_RECEIPTS 1000
#define SC_MESSAGE_MAX_NAME_BYTES 100

/* The identity of a message: the time of sending and the author. */
typedef struct sc_message_target {
  uint64_t sent_ms;
  sc_id author;
} sc_message_target;

typedef struct sc_message_profile {
  sc_bytes name;
  bool has_picture;
  sc_file_url picture;
  sc_bytes picture_key; /* secret, 32 bytes */
  uint64_t updated_s;   /* when the sender last changed it; 0 if not stated */
} sc_message_profile;

typedef struct sc_message_attachment {
  sc_file_url url;
  sc_bytes content_type, file_name, caption;
  sc_bytes key;    /* secret: 32 bytes for a stream, 64 for the older format; empty if it is not encrypted */
  sc_bytes digest; /* in the older format, 32 bytes */
  bool has_size, has_width, has_height, is_voice_message;
  uint32_t size; /* size of the plaintext, according to the sender */
  uint32_t width, height;
} sc_message_attachment;

typedef struct sc_link_preview {
  sc_bytes url, title;
  bool has_image;
  sc_message_attachment image;
} sc_link_preview;

typedef struct sc_visible_body {
  sc_bytes text;
  const sc_message_attachment *attachments;
  size_t attachment_count;
  bool has_quote, has_preview, has_invitation;
  sc_message_target quote;
  sc_link_preview preview;
  sc_bytes invitation_name, invitation_url;     /* any text: only sc_community_link_parse_full validates it */
  bool says_requests_blocked, requests_blocked; /* used by members of communities */
} sc_visible_body;

typedef struct sc_reaction_body {
  sc_message_target target;
  sc_bytes emoji;
  bool is_removal;
} sc_reaction_body;

typedef struct sc_receipt_body {
  const uint64_t *sent_ms; /* the times of the messages that were read */
  size_t count;
} sc_receipt_body;

typedef struct sc_typing_body {
  bool is_typing;
  uint64_t sent_ms; /* the time of the call message */
} sc_typing_body;

typedef struct sc_call_candidate {
  sc_bytes description, media_id;
  uint32_t line_index;
} sc_call_candidate;

typedef struct sc_call_body {
  sc_bytes id;
  sc_bytes description; /* for SC_MESSAGE_CALL_OFFER and _ANSWER */
  const sc_call_candidate *candidates;
  size_t candidate_count;
} sc_call_body;

typedef struct sc_legacy_config_body {
  sc_legacy_config_kind kind;
  int64_t sequence;
  sc_bytes data;
} sc_legacy_config_body;

typedef struct sc_message_body {
  sc_message_kind kind;
  uint64_t sent_ms; /* 0 in messages of old clients */
  sc_message_timer timer;
  bool has_pro;
  sc_message_pro pro; /* its status is not used here */
  bool has_profile;   /* for visible messages, reactions, timer updates, responses and group updates */
  sc_message_profile profile;
  bool has_sync_target; /* true for a copy for the account's own devices: it names the conversation */
  sc_id sync_target;
  union {
    sc_visible_body visible;
    sc_reaction_body reaction;
    sc_receipt_body receipt;
    sc_typing_body typing;
    sc_message_target unsend;
    uint64_t saved_ms; /* time of the message whose media was saved; 0 if not stated */
    sc_call_body call;
    sc_group_update group;
    sc_legacy_config_body legacy_config;
  } of;
} sc_message_body;

/* Reads the body of a content. SC_ERR_MESSAGE_RULE. */
SC_API SC_NODISCARD sc_status sc_content_body(const sc_message_body **out, sc_content *content,
                                              sc_message_rule *broken);

/* Reads the body of a decoded message, without unverified Pro data. SC_ERR_MESSAGE_RULE. */
SC_API SC_NODISCARD sc_status sc_message_body_of(const sc_message_body **out, sc_message *message,
                                                 sc_message_rule *broken);

/* Replaces `out` with the bytes of a content with this body. SC_ERR_MESSAGE_RULE, SC_ERR_TOO_LARGE. */
SC_API SC_NODISCARD sc_status sc_message_body_write(sc_buffer *out, const sc_message_body *body,
                                                    sc_message_rule *broken);

/* Returns the first rule that a body breaks wherever it is sent, or SC_RULE_NONE. */
SC_API sc_message_rule sc_message_body_check(const sc_message_body *body);

/* Check parts of a body in the same way. */
SC_API sc_message_rule sc_message_profile_check(const sc_message_profile *profile);
SC_API sc_message_rule sc_link_preview_check(const sc_link_preview *preview);

/* Returns the name of a person or group as it is sent: without surrounding white space. */
SC_API sc_bytes sc_message_name(sc_bytes name);

/* Returns the first rule that sending the body to this place would break, or SC_RULE_NONE. `pro` is the
 * signing pair, NULL without Pro; features that need Pro require it. */
SC_API sc_message_rule sc_message_body_check_sending(const sc_message_body *body, sc_message_place to,
                                                     const sc_ed25519_pair *pro);

/* Returns the first rule that the body breaks as a message from `sender` to `reader` at this time and place,
 * or SC_RULE_NONE. Duplicates, blocked senders and deleted conversations are left to the caller. */
SC_API sc_message_rule sc_message_body_check_received(const sc_message_body *body, sc_message_place place,
                                                      const sc_id *sender, const sc_id *reader,
                                                      uint64_t sent_ms);

/* Turns a body into the copy for the account's own devices: it names the conversation and has no profile.
 * False for kinds that are not synchronised. */
SC_API bool sc_message_body_copy_for_own_devices(sc_message_body *body, const sc_id *conversation);

/* Returns the displayed part of a text: all of it, or as many characters as are allowed without Pro. */
SC_API sc_bytes sc_message_shown_text(sc_bytes text, bool is_whole);

/* Finds the next mention in `*rest`: an `@` and an id. `*place` is the mention; `*rest` continues after it.
 * False if there is none. */
SC_API bool sc_message_next_mention(sc_id *out, sc_bytes *place, sc_bytes *rest);

SC_API_END

#endif
