/* Padding with zeros at the end, for formats whose content cannot end in one. */
#ifndef SC_SRC_CRYPTO_ZERO_PADDING_H
#define SC_SRC_CRYPTO_ZERO_PADDING_H

#include <stdbool.h>

#include "../base/declassify.h"
#include "session-core/base/bytes.h"

/* Appends zeros until the length and `overhead` together are a multiple of `multiple`; 0 or 1 for none. */
SC_NODISCARD static inline sc_status zero_pad(sc_buffer *buffer, size_t overhead, size_t multiple) {
  size_t beyond = multiple <= 1 ? 0 : (buffer->len + overhead) % multiple;
  if (beyond == 0)
    return SC_OK;
  uint8_t *zeros;
  sc_status status = sc_buffer_extend(&zeros, buffer, multiple - beyond);
  if (status == SC_OK)
    memset(zeros, 0, multiple - beyond);
  return status;
}

static inline bool is_padding(uint8_t byte) {
  bool zero = byte == 0;
  sc_declassify(&zero, sizeof zero);
  return zero;
}

/* Returns the length without trailing zeros. The running time depends only on their number. */
static inline size_t zero_unpadded_len(sc_bytes padded) {
  size_t len = padded.len;
  while (len > 0 && is_padding(padded.ptr[len - 1]))
    len--;
  return len;
}

#endif
