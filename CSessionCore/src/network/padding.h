/* Padding: requests and replies have one of few sizes, because hops and observers see their size. */
#ifndef SC_SRC_NETWORK_PADDING_H
#define SC_SRC_NETWORK_PADDING_H

#include "session-core/base/bytes.h"

/* Returns the padded size: a multiple of 512 up to 4 KiB, then of an eighth of the largest power of two not
 * above the size. */
size_t sc_padded_size(size_t size);

/* Appends spaces to a JSON text, unless it would be larger than `most`. */
SC_NODISCARD sc_status sc_pad_json(sc_buffer *text, size_t most);

/* Replaces `out` with a payload for a server with spaces after the JSON of its head, or unchanged if it would
 * be too large. SC_ERR_ONION_REQUEST for bytes that are not such a payload. */
SC_NODISCARD sc_status sc_pad_server_payload(sc_buffer *out, sc_bytes payload);

#endif
