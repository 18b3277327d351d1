/* What a message says, as plain values: one body of one kind, with its time, timer, profile and Pro data.
 *
 * A program that sends fills in a sc_message_body and writes it; a program that receives reads one from a
 * parsed content. Both check every rule that a message alone can keep. Reading is lenient where a message
 * would be lost otherwise: attachments, quotes, previews and pictures of no use are left out, names that are
 * too long are cut.
 *
 * Texts are UTF-8 without NUL; a text that is absent has a NULL pointer. A body borrows all it points to: one
 * that was read lives as long as its content. Where a function takes `broken`, it may be NULL; otherwise it
 * is set to the rule behind SC_ERR_MESSAGE_RULE, or to SC_RULE_NONE. */
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

/* What a message is known by: when it was sent, and its author. */
typedef struct sc_message_target {
  uint64_t sent_ms;
  sc_id author;
} sc_message_target;

typedef struct sc_message_profile {
  sc_bytes name;
  bool has_picture;
  sc_file_url picture;
  sc_bytes picture_key; /* secret, 32 bytes */
  uint64_t updated_s;   /* when the sender last changed it; 0 if they did not say */
} sc_message_profile;

typedef struct sc_message_attachment {
  sc_file_url url;
  sc_bytes content_type, file_name, caption;
  sc_bytes key;    /* secret: 32 bytes of a stream, 64 of the older format; empty if it is not encrypted */
  sc_bytes digest; /* of the older format, 32 bytes */
  bool has_size, has_width, has_height, is_voice_message;
  uint32_t size; /* of the file in the clear, as its sender says */
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
  sc_bytes invitation_name, invitation_url;     /* any text: only sc_community_link_parse_full tells */
  bool says_requests_blocked, requests_blocked; /* from members of communities */
} sc_visible_body;

typedef struct sc_reaction_body {
  sc_message_target target;
  sc_bytes emoji;
  bool is_removal;
} sc_reaction_body;

typedef struct sc_receipt_body {
  const uint64_t *sent_ms; /* of the messages that were read */
  size_t count;
} sc_receipt_body;

typedef struct sc_typing_body {
  bool is_typing;
  uint64_t sent_ms; /* the time of the message itself */
} sc_typing_body;

typedef struct sc_call_candidate {
  sc_bytes description, media_id;
  uint32_t line_index;
} sc_call_candidate;

typedef struct sc_call_body {
  sc_bytes id;
  sc_bytes description; /* of SC_MESSAGE_CALL_OFFER and _ANSWER */
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
  uint64_t sent_ms; /* 0 in what old clients sent */
  sc_message_timer timer;
  bool has_pro;
  sc_message_pro pro; /* the status says nothing here */
  bool has_profile;   /* of visible messages, reactions, timer updates, responses and group updates */
  sc_message_profile profile;
  bool has_sync_target; /* a copy for the own devices: whose conversation it belongs to */
  sc_id sync_target;
  union {
    sc_visible_body visible;
    sc_reaction_body reaction;
    sc_receipt_body receipt;
    sc_typing_body typing;
    sc_message_target unsend;
    uint64_t saved_ms; /* of the message whose media was saved; 0 if the sender did not say */
    sc_call_body call;
    sc_group_update group;
    sc_legacy_config_body legacy_config;
  } of;
} sc_message_body;

/* The body of a content. SC_ERR_MESSAGE_RULE. */
SC_API SC_NODISCARD sc_status sc_content_body(const sc_message_body **out, sc_content *content,
                                              sc_message_rule *broken);

/* The body of a message that was decoded; Pro data that was not judged is left out. SC_ERR_MESSAGE_RULE. */
SC_API SC_NODISCARD sc_status sc_message_body_of(const sc_message_body **out, sc_message *message,
                                                 sc_message_rule *broken);

/* Replaces `out` with the bytes of a content that says this. SC_ERR_MESSAGE_RULE, SC_ERR_TOO_LARGE. */
SC_API SC_NODISCARD sc_status sc_message_body_write(sc_buffer *out, const sc_message_body *body,
                                                    sc_message_rule *broken);

/* The first rule that a body breaks wherever it goes, SC_RULE_NONE if it breaks none. */
SC_API sc_message_rule sc_message_body_check(const sc_message_body *body);

/* The same for the parts of a body that stand alone. */
SC_API sc_message_rule sc_message_profile_check(const sc_message_profile *profile);
SC_API sc_message_rule sc_link_preview_check(const sc_link_preview *preview);

/* A name of a person or group as it is sent: without white space around it. */
SC_API sc_bytes sc_message_name(sc_bytes name);

/* The first rule against sending it to such a place. `pro` is the pair that will sign, NULL without Pro: what
 * needs Pro must have it. */
SC_API sc_message_rule sc_message_body_check_sending(const sc_message_body *body, sc_message_place to,
                                                     const sc_ed25519_pair *pro);

/* The first rule against believing that `sender` sent it to `reader` at that time, in the place where it was
 * found. Duplicates, blocked senders and deleted conversations are for the caller to know. */
SC_API sc_message_rule sc_message_body_check_received(const sc_message_body *body, sc_message_place place,
                                                      const sc_id *sender, const sc_id *reader,
                                                      uint64_t sent_ms);

/* Turns a body into the copy that tells the own devices about it: it names the conversation and has no
 * profile. False for kinds that are not synced. */
SC_API bool sc_message_body_copy_for_own_devices(sc_message_body *body, const sc_id *conversation);

/* What is shown of a text: all of it, or the characters that anybody may write without Pro. */
SC_API sc_bytes sc_message_shown_text(sc_bytes text, bool is_whole);

/* Finds the next mention in `*rest`: an `@` and an id, which `*place` covers. Takes it and what is before it
 * off the front. False when there is none. */
SC_API bool sc_message_next_mention(sc_id *out, sc_bytes *place, sc_bytes *rest);

SC_API_END

#endif
