/* Contents: the protobuf message inside every message.
 *
 * A content is parsed from bytes, as strictly as other clients do, and owns what it points to.
 * sc_content_body reads its values. One thread at a time. */
#ifndef SC_MESSAGE_CONTENT_H
#define SC_MESSAGE_CONTENT_H

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

/* The size limit of a content, from group messages. */
#define SC_CONTENT_MAX_BYTES 1000000
/* The number of values in a content, including unknown fields: far more than any client writes. An empty
 * value takes two bytes, and a hundred times as many in memory. */
#define SC_CONTENT_MAX_VALUES 8192

typedef struct sc_content sc_content;

/* Parses a content. Unknown fields are kept. A known field of another wire type, or an enum with an unknown
 * number, counts as absent. A message that occurs several times is merged. Strings end at the first NUL.
 * SC_ERR_TOO_LARGE, also for more than SC_CONTENT_MAX_VALUES; SC_ERR_UTF8 for a string that is not UTF-8;
 * SC_ERR_PROTO_TAG for field number 0, a group or an unknown wire type; SC_ERR_CONTENT for other faults,
 * such as a missing required field. */
SC_API SC_NODISCARD sc_status sc_content_parse(sc_content **out, const sc_env *env, sc_bytes bytes);

/* NULL is allowed. */
SC_API void sc_content_free(sc_content *content);

/* Replaces `out` with the content of a plain text message; sc_message_body_write writes all other kinds.
 * SC_ERR_UTF8 for invalid text or text with a NUL. `sent_ms` is the time in milliseconds since 1970. */
SC_API SC_NODISCARD sc_status sc_content_write_text(sc_buffer *out, sc_bytes text, uint64_t sent_ms);

SC_API_END

#endif
