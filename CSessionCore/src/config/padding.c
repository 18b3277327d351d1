/* The longer a message, the coarser the steps in which its length may be seen to grow. */
#include "envelope.h"

typedef struct step {
  size_t below; /* lengths that this step is for */
  size_t len;
} step;

static const step steps[] = {{5120, 256}, {20480, 1024}, {40960, 2048}, {SIZE_MAX, 5120}};

enum { longest_step = 5120 };

static size_t step_for(size_t len) {
  const step *at = steps;
  while (len >= at->below && at->below < SIZE_MAX)
    at++;
  return at->len;
}

size_t sc_config_padded_len(size_t len, size_t overhead) {
  size_t total = len + overhead;
  size_t step = step_for(total);
  return (total + step - 1) / step * step - overhead;
}

sc_status sc_config_pad(sc_buffer *out, sc_bytes message, size_t overhead) {
  sc_buffer_clear(out);
  if (overhead > SIZE_MAX - longest_step || message.len > SIZE_MAX - longest_step - overhead)
    return SC_ERR_NO_MEMORY;
  uint8_t *room;
  size_t padded_len = sc_config_padded_len(message.len, overhead);
  size_t zeros = padded_len - message.len;
  sc_status status = sc_buffer_extend(&room, out, padded_len);
  if (status != SC_OK)
    return status;
  memset(room, 0, zeros);
  if (message.len > 0)
    memcpy(room + zeros, message.ptr, message.len);
  return SC_OK;
}

sc_bytes sc_config_unpadded(sc_bytes padded) {
  size_t zeros = 0;
  while (zeros < padded.len && padded.ptr[zeros] == 0)
    zeros++;
  return zeros == padded.len ? sc_bytes_make(NULL, 0) : sc_bytes_make(padded.ptr + zeros, padded.len - zeros);
}
