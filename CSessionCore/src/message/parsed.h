/* Protobuf messages, parsed as strictly as by the library that other clients use, and written in the same
 * order.
 *
 * protobuf-c alone is more lenient in some points and stricter in others, so a reader of our own normalises
 * the bytes first. A parsed message and everything it points to live in an arena, which wipes them. */
#ifndef SC_MESSAGE_PARSED_H
#define SC_MESSAGE_PARSED_H

#include <protobuf-c/protobuf-c.h>

#include "../base/arena.h"
#include "session-core/base/bytes.h"
#include "session-core/message/content.h"

/* The size limit of a message: that of a content, plus its wrappers. */
#define SC_PARSED_MAX_BYTES (SC_CONTENT_MAX_BYTES + 4096)

typedef struct sc_parsed {
  sc_arena arena;
  ProtobufCMessage *message;
} sc_parsed;

/* Free `out` even after a failure. Fields are last-one-wins; repeated occurrences of one message are merged;
 * a known field of another wire type, or an enum with an unknown number, counts as absent; strings lose their
 * U+0000, which terminates them here. SC_ERR_TOO_LARGE, also for more values than SC_CONTENT_MAX_VALUES;
 * SC_ERR_UTF8 for a string that is not UTF-8; SC_ERR_PROTO_TAG, SC_ERR_CONTENT. */
SC_NODISCARD sc_status sc_parsed_read(sc_parsed *out, const sc_env *env,
                                      const ProtobufCMessageDescriptor *type, sc_bytes bytes);
void sc_parsed_free(sc_parsed *parsed);

/* Appends the bytes of a message: fields in ascending order, unknown ones last. SC_ERR_CONTENT if a required
 * field is missing. */
SC_NODISCARD sc_status sc_parsed_append(sc_buffer *out, const ProtobufCMessage *message);

#endif
