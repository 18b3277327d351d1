/* Access to the protobuf-c fields of contents, for the other rooms of the core. */
#ifndef SC_MESSAGE_FIELDS_H
#define SC_MESSAGE_FIELDS_H

#include "parsed.h"
#include "session-core/message/body.h"
#include "session.pb-c.h"

/* Return the fields, valid as long as the content or message. */
const Sc__Content *sc_content_fields(const sc_content *content);
const Sc__Content *sc_message_fields(const sc_message *message);

/* Replaces `out` with the bytes of a content: fields in ascending order, as peers sign them. SC_ERR_CONTENT
 * if a required field is missing, SC_ERR_TOO_LARGE. */
SC_NODISCARD sc_status sc_content_write(sc_buffer *out, const Sc__Content *fields);

/* Reads a body from the fields of a content and checks its rules. It points into the fields and `arena`.
 * SC_ERR_MESSAGE_RULE. */
SC_NODISCARD sc_status sc_body_read(sc_message_body *out, sc_arena *arena, const Sc__Content *fields,
                                    bool with_pro, sc_message_rule *broken);

/* The same for a parsed content, kept as long as it lives. */
SC_NODISCARD sc_status sc_content_read_body(const sc_message_body **out, sc_content *content, bool with_pro,
                                            sc_message_rule *broken);

/* The same for the group update in a data message; without its rules. */
SC_NODISCARD sc_status sc_group_update_read(sc_group_update *out, sc_arena *arena,
                                            const Sc__GroupUpdateMessage *fields, sc_message_rule *broken);

/* Returns the first rule that the size of an update's signature breaks. */
sc_message_rule sc_group_signature_check(const sc_group_update *update);

/* Makes the protobuf-c form of a group update in `arena`; `*out` is NULL after a failure. */
SC_NODISCARD sc_status sc_group_update_fields(Sc__GroupUpdateMessage **out, sc_arena *arena,
                                              const sc_group_update *update);

/* Makes a C string of the text, without its NULs, in `arena`; NULL for an absent text. SC_ERR_UTF8. */
SC_NODISCARD sc_status sc_field_text(char **out, sc_arena *arena, sc_bytes text);

/* Returns a received name as it is stored: without surrounding white space, cut at a code point. */
sc_bytes sc_received_name(sc_bytes name);
bool sc_is_usable_name(sc_bytes name);

/* True if a preview may have this URL. */
bool sc_is_usable_preview(sc_bytes url);
bool sc_text_contains(sc_bytes text, sc_bytes part);

/* True if the parts form a URL. */
bool sc_file_url_is_possible(const sc_file_url *url);

/* Sets `*broken`, unless that is NULL, and returns the matching status. */
static inline sc_status sc_judged(sc_message_rule *broken, sc_message_rule rule) {
  if (broken != NULL)
    *broken = rule;
  return rule == SC_RULE_NONE ? SC_OK : SC_ERR_MESSAGE_RULE;
}

#endif
