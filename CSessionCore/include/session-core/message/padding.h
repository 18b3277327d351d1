/* The padding of messages to contacts and communities: 0x80, then zeros up to a multiple of 160. */
#ifndef SC_MESSAGE_PADDING_H
#define SC_MESSAGE_PADDING_H

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

#define SC_MESSAGE_PADDING 160

/* Returns the padded size of `len` bytes; if len + 1 is already a multiple, another whole block is added. */
SC_API size_t sc_padded_len(size_t len);

/* Replaces `out` with the padded message. */
SC_API SC_NODISCARD sc_status sc_pad(sc_buffer *out, sc_bytes message);

/* Returns the message without the zeros at the end and the 0x80 before them. All padding is valid. Do not
 * remove padding twice: that could remove bytes of the message. Running time depends only on the size of the
 * message. */
SC_API sc_bytes sc_unpadded(sc_bytes padded);

SC_API_END

#endif
