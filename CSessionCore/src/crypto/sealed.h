/* Room for a sealed message: where every format that adds a fixed number of bytes to a message begins. */
#ifndef SC_CRYPTO_SEALED_H
#define SC_CRYPTO_SEALED_H

#include "session-core/base/bytes.h"

/* Replaces `out` by message.len + `overhead` bytes for the caller to fill, with one allocation at most. */
SC_NODISCARD static inline sc_status sc_sealed_room(uint8_t **room, sc_buffer *out, sc_bytes message,
                                                    size_t overhead) {
  sc_buffer_clear(out);
  if (message.len > SIZE_MAX - overhead)
    return SC_ERR_NO_MEMORY;
  return sc_buffer_extend(room, out, message.len + overhead);
}

#endif
