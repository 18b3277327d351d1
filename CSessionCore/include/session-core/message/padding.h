/* The padding of messages to contacts and communities: 0x80, then zeros up to a multiple of 160. */
#ifndef SC_MESSAGE_PADDING_H
#define SC_MESSAGE_PADDING_H

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

#define SC_MESSAGE_PADDING 160

/* The padded size of `len` bytes; where len + 1 is a multiple already, a whole further one is added. */
SC_API size_t sc_padded_len(size_t len);

/* Replaces `out` with the padded message. */
SC_API SC_NODISCARD sc_status sc_pad(sc_buffer *out, sc_bytes message);

/* What is left without padding: the zeros at the end and one 0x80 before them. There is no wrong padding.
 * Look at a message once only: a second time would take bytes of its own. Takes the same time for messages of
 * one size, whatever they say. */
SC_API sc_bytes sc_unpadded(sc_bytes padded);

SC_API_END

#endif
