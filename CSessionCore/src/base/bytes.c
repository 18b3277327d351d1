#include "session-core/base/bytes.h"

#include <stdbool.h>

#include "session-core/base/secret.h"

enum { smallest_capacity = 64 };

void sc_buffer_init(sc_buffer *buffer, const sc_env *env) {
  *buffer = (sc_buffer){.env = env};
}

void sc_buffer_free(sc_buffer *buffer) {
  sc_buffer_clear(buffer);
  sc_release(buffer->env, buffer->ptr);
  sc_buffer_init(buffer, buffer->env);
}

void sc_buffer_clear(sc_buffer *buffer) {
  sc_buffer_truncate(buffer, 0);
}

void sc_buffer_truncate(sc_buffer *buffer, size_t len) {
  if (len >= buffer->len)
    return;
  sc_wipe(buffer->ptr + len, buffer->len - len);
  buffer->len = len;
}

static bool grown_capacity(size_t *out, const sc_buffer *buffer, size_t extra) {
  if (extra > SIZE_MAX - buffer->len)
    return false;
  size_t needed = buffer->len + extra;
  size_t doubled = buffer->capacity > SIZE_MAX / 2 ? SIZE_MAX : buffer->capacity * 2;
  size_t capacity = doubled > needed ? doubled : needed;
  *out = capacity > smallest_capacity ? capacity : smallest_capacity;
  return true;
}

sc_status sc_buffer_reserve(sc_buffer *buffer, size_t extra) {
  if (extra <= buffer->capacity - buffer->len)
    return SC_OK;
  size_t capacity;
  if (!grown_capacity(&capacity, buffer, extra))
    return SC_ERR_NO_MEMORY;
  uint8_t *ptr = sc_allocate(buffer->env, capacity);
  if (ptr == NULL)
    return SC_ERR_NO_MEMORY;
  if (buffer->len > 0) {
    memcpy(ptr, buffer->ptr, buffer->len);
    sc_wipe(buffer->ptr, buffer->len);
  }
  sc_release(buffer->env, buffer->ptr);
  buffer->ptr = ptr;
  buffer->capacity = capacity;
  return SC_OK;
}

sc_status sc_buffer_extend(uint8_t **out, sc_buffer *buffer, size_t len) {
  sc_status status = sc_buffer_reserve(buffer, len);
  if (status != SC_OK)
    return status;
  *out = buffer->ptr + buffer->len;
  buffer->len += len;
  return SC_OK;
}

sc_status sc_buffer_append(sc_buffer *buffer, sc_bytes bytes) {
  sc_status status = sc_buffer_reserve(buffer, bytes.len);
  if (status != SC_OK)
    return status;
  if (bytes.len > 0) {
    memcpy(buffer->ptr + buffer->len, bytes.ptr, bytes.len);
    buffer->len += bytes.len;
  }
  return SC_OK;
}

sc_status sc_buffer_append_byte(sc_buffer *buffer, uint8_t byte) {
  return sc_buffer_append(buffer, sc_bytes_make(&byte, 1));
}
