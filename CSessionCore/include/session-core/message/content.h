/* Contents: the protobuf message at the heart of everything people send each other.
 *
 * A content is parsed from bytes as strictly as the peers parse it, and owns what it points to.
 * sc_content_body reads its values. One thread at a time. */
#ifndef SC_MESSAGE_CONTENT_H
#define SC_MESSAGE_CONTENT_H

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

/* Bytes of a content, at most: the most that a group message can hold. */
#define SC_CONTENT_MAX_BYTES 1000000
/* Values in a content, those of unknown fields included, at most: far more than any client writes. An empty
 * one takes two bytes, and a hundred times as many in memory. */
#define SC_CONTENT_MAX_VALUES 8192

typedef struct sc_content sc_content;

/* Parses: unknown fields are kept; a known field of another wire type, or an enum with an unknown number,
 * counts as absent; a message that occurs several times is merged into one. Strings end with a NUL, so any
 * other is left out of them. SC_ERR_TOO_LARGE, also for more than SC_CONTENT_MAX_VALUES; SC_ERR_UTF8 for a
 * string that is no UTF-8; SC_ERR_PROTO_TAG for field number 0, a group or an unknown wire type;
 * SC_ERR_CONTENT for anything else that is no content, a missing required field among it. */
SC_API SC_NODISCARD sc_status sc_content_parse(sc_content **out, const sc_env *env, sc_bytes bytes);

/* NULL is allowed. */
SC_API void sc_content_free(sc_content *content);

/* Replaces `out` with the content of a message that is a text and nothing more; sc_message_body_write says
 * more. SC_ERR_UTF8 for what is no text, a NUL in it among it. `sent_ms` is when, in milliseconds since 1970.
 */
SC_API SC_NODISCARD sc_status sc_content_write_text(sc_buffer *out, sc_bytes text, uint64_t sent_ms);

SC_API_END

#endif
