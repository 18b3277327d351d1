/* Padding: requests and replies get one of few sizes, because hops and watchers of the line see how large
 * they are. */
#ifndef SC_SRC_NETWORK_PADDING_H
#define SC_SRC_NETWORK_PADDING_H

#include "session-core/base/bytes.h"

/* The size that so many bytes are padded to: multiples of 512 up to 4 KiB, then of an eighth of the largest
 * power of two that is not above the size. */
size_t sc_padded_size(size_t size);

/* Appends spaces to a JSON text, unless it would be larger than `most`. */
SC_NODISCARD sc_status sc_pad_json(sc_buffer *text, size_t most);

/* Replaces `out` with a payload for a server with spaces behind the JSON of its head, or as it is if it would
 * be too large. SC_ERR_ONION_REQUEST for bytes that are no such payload. */
SC_NODISCARD sc_status sc_pad_server_payload(sc_buffer *out, sc_bytes payload);

#endif
