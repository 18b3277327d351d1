/* The rules for messages, each with a permanent id.
 *
 * Clients agree on what a message may contain, where it may go and who may send it. A message that breaks a
 * rule is neither sent nor accepted, and checking functions return the rule. */
#ifndef SC_MESSAGE_RULES_H
#define SC_MESSAGE_RULES_H

#include "../base/api.h"

SC_API_BEGIN

/* X(NAME, id, sentence without a full stop) */
#define SC_MESSAGE_RULE_MAP(X)                                                                               \
  X(CONTENT_EMPTY, "content.empty", "a message has some content")                                            \
  X(TEXT_ENCODING, "text.encoding", "texts are valid UTF-8")                                                 \
  X(TIME_MISSING, "time.missing", "a sent message states its time")                                          \
  X(TIME_ZERO, "time.zero", "times are after the start of 1970")                                             \
  X(TIME_RANGE, "time.range", "times fit 63 bits")                                                           \
  X(TIMER_ZERO, "timer.zero", "a disappearing timer is at least one second")                                 \
  X(DATA_FLAGS, "data.flags", "a data message has no flags, or only that of a timer update")                 \
  X(VISIBLE_EMPTY, "visible.empty", "a message has a text, an attachment or an invitation")                  \
  X(VISIBLE_LENGTH, "visible.length", "a text has up to 10000 characters")                                   \
  X(VISIBLE_ATTACHMENTS, "visible.attachments", "a message has up to 32 attachments")                        \
  X(VISIBLE_PREVIEW, "visible.preview", "the address of a preview occurs in the text")                       \
  X(FILE_URL, "file.url",                                                                                    \
    "the address of a file is that of a file server or community, with the id of a file")                    \
  X(PREVIEW_URL, "preview.url", "the address of a preview begins with https://")                             \
  X(INVITATION_URL, "invitation.url", "an invitation has the address of a community with its key")           \
  X(PROFILE_NAME, "profile.name", "the name in a profile has up to 100 bytes")                               \
  X(PROFILE_PICTURE_KEY, "profile.pictureKey", "the key of a profile picture has 32 bytes")                  \
  X(SYNC_TARGET, "sync.target", "a copy for own devices names the id of its conversation")                   \
  X(SYNC_SENDER, "sync.sender", "messages for own devices only come from one of them")                       \
  X(SYNC_KIND, "sync.kind", "group updates have no copies for own devices")                                  \
  X(SYNC_DESTINATION, "sync.destination", "copies for own devices go only to them")                          \
  X(REACTION_AUTHOR, "reaction.author", "a reaction names the id of an author")                              \
  X(REACTION_EMOJI, "reaction.emoji", "a reaction is one emoji")                                             \
  X(RECEIPT_TYPE, "receipt.type", "receipts are for messages that were read")                                \
  X(RECEIPT_EMPTY, "receipt.empty", "a receipt names a message")                                             \
  X(RECEIPT_LENGTH, "receipt.length", "a receipt names up to 1000 messages")                                 \
  X(TYPING_TIME, "typing.time", "the time of a typing indicator is that of its message")                     \
  X(UNSEND_AUTHOR, "unsend.author", "an unsend request names the id of an author")                           \
  X(UNSEND_SENDER, "unsend.sender", "people can unsend only their own messages")                             \
  X(EXTRACTION_TYPE, "extraction.type", "a data extraction notice reports only saved media")                 \
  X(RESPONSE_REFUSAL, "response.refusal", "a response to a message request approves it")                     \
  X(CALL_ID, "call.id", "a call has an id")                                                                  \
  X(CALL_DESCRIPTION, "call.description", "an offer or answer describes a session")                          \
  X(CALL_CANDIDATES, "call.candidates", "every call candidate has a line index and a media id")              \
  X(GROUP_EMPTY, "group.empty", "a group update says what changed")                                          \
  X(GROUP_PLACE, "group.place",                                                                              \
    "invitations and promotions go to the account, all other updates to the group")                          \
  X(GROUP_SIGNATURE_MISSING, "group.signatureMissing", "an admin must sign this group update")               \
  X(GROUP_SIGNATURE_SIZE, "group.signatureSize", "the signature of a group update has 64 bytes")             \
  X(GROUP_SIGNATURE, "group.signature", "the group's signature matches this update and its message")         \
  X(GROUP_ID, "group.id", "a group has a group id")                                                          \
  X(GROUP_NAME, "group.name", "a group has a name of up to 100 bytes")                                       \
  X(GROUP_AUTH_DATA, "group.authData", "the authorisation of a member has 100 bytes")                        \
  X(GROUP_ACCESS, "group.access", "the group granted the authorisation in an invitation to its reader")      \
  X(GROUP_SEED, "group.seed", "the secret of a group has 32 bytes")                                          \
  X(GROUP_INVITEE, "group.invitee", "an invitation is signed for one account id")                            \
  X(GROUP_MEMBERS, "group.members", "a change of members names account ids")                                 \
  X(GROUP_REFUSAL, "group.refusal", "a response to an invitation accepts it")                                \
  X(DELETION_EMPTY, "deletion.empty", "a deletion names messages or members")                                \
  X(DELETION_MEMBERS, "deletion.members", "a signed deletion names only account ids")                        \
  X(DELETION_AMBIGUOUS, "deletion.ambiguous", "no hash in a deletion looks like an account id")              \
  X(DELETION_OTHERS, "deletion.others", "members who are not admins delete only their own messages")         \
  X(PRO_PROOF, "pro.proof", "a Pro proof has all its fields, in their sizes")                                \
  X(PRO_LENGTH, "pro.length", "a text of over 2000 characters needs Pro")                                    \
  X(PRO_KEY, "pro.key", "Pro data is sent with the key that its proof names")                                \
  X(DESTINATION, "send.destination", "this kind of message is not for this destination")                     \
  X(PLACE, "receive.place", "this kind of message is not allowed where it was found")                        \
  X(OWN_MESSAGE, "receive.own", "this kind of message is not accepted from the account itself")

typedef enum sc_message_rule {
  SC_RULE_NONE = 0, /* no rule is broken */
#define SC_MESSAGE_RULE_ENTRY(name, id, text) SC_RULE_##name,
  SC_MESSAGE_RULE_MAP(SC_MESSAGE_RULE_ENTRY)
#undef SC_MESSAGE_RULE_ENTRY
} sc_message_rule;

/* Returns the permanent id, such as "visible.empty"; "" for SC_RULE_NONE and unknown numbers. */
SC_API const char *sc_message_rule_id(sc_message_rule rule);

/* Returns the rule as a sentence without a full stop; "" if there is none. */
SC_API const char *sc_message_rule_text(sc_message_rule rule);

SC_API_END

#endif
