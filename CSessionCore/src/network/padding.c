#include "padding.h"

#include "onion/server_headers.h"

enum { small_step = 512, small = 4096, steps = 8 };

size_t sc_padded_size(size_t size) {
  size_t step = small_step;
  for (size_t power = small; power <= size / 2; power *= 2)
    step *= 2;
  if (size > SIZE_MAX - step)
    return size;
  return (size + step - 1) / step * step;
}

static sc_status append_spaces(sc_buffer *out, size_t count) {
  uint8_t *spaces;
  sc_status status = sc_buffer_extend(&spaces, out, count);
  if (status == SC_OK)
    memset(spaces, ' ', count);
  return status;
}

sc_status sc_pad_json(sc_buffer *text, size_t most) {
  size_t size = sc_padded_size(text->len);
  return size > most ? SC_OK : append_spaces(text, size - text->len);
}

static size_t digits(size_t number) {
  size_t count = 1;
  for (; number >= 10; number /= 10)
    count++;
  return count;
}

/* The length of the head is written before it, and may get another digit by the padding. */
static size_t spaces_for(size_t payload, size_t head) {
  for (size_t size = sc_padded_size(payload);; size = sc_padded_size(size + 1)) {
    size_t spaces = size - payload;
    size_t more = digits(head + spaces) - digits(head);
    if (more == 0)
      return spaces;
    if (spaces > more && digits(head + spaces - more) - digits(head) == more)
      return spaces - more;
  }
}

sc_status sc_pad_server_payload(sc_buffer *out, sc_bytes payload) {
  sc_bytes json, body;
  bool has_body;
  sc_buffer head;
  sc_buffer_clear(out);
  if (!sc_onion_payload_split(&json, &has_body, &body, payload))
    return SC_ERR_ONION_REQUEST;
  size_t spaces = spaces_for(payload.len, json.len);
  if (json.len + spaces > SC_ONION_MAX_HEAD_BYTES || payload.len + spaces > SC_ONION_MAX_BYTES)
    return sc_buffer_append(out, payload);
  sc_buffer_init(&head, out->env);
  sc_status status = sc_buffer_append(&head, json);
  if (status == SC_OK)
    status = append_spaces(&head, spaces);
  if (status == SC_OK)
    status = sc_onion_payload_append(out, sc_buffer_bytes(&head), has_body, body);
  sc_buffer_free(&head);
  return status;
}
