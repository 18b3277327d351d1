/* Borrowed bytes (sc_bytes) and owned bytes (sc_buffer).
 *
 * The code that declares a buffer owns it and releases it with sc_buffer_free, which wipes it. Growing a
 * buffer wipes the memory it moves from. A zero-initialised buffer is empty and ready. One thread at a time.
 * Functions that take `sc_buffer *out` replace its content; after a failure it is empty. Their inputs must
 * not point into it. */
#ifndef SC_BASE_BYTES_H
#define SC_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "api.h"
#include "env.h"
#include "status.h"

SC_API_BEGIN

typedef struct sc_bytes {
  const uint8_t *ptr;
  size_t len;
} sc_bytes;

static inline sc_bytes sc_bytes_make(const void *ptr, size_t len) {
  sc_bytes bytes;
  bytes.ptr = (const uint8_t *)ptr;
  bytes.len = len;
  return bytes;
}

/* The characters of a C string, without its terminator. */
static inline sc_bytes sc_bytes_text(const char *text) {
  return sc_bytes_make(text, strlen(text));
}

/* The bytes of an array (not of a pointer). */
#define SC_BYTES(array) sc_bytes_make((array), sizeof(array))

/* Compares public data. For secrets use sc_equal. */
static inline int sc_bytes_same(sc_bytes a, sc_bytes b) {
  return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

typedef struct sc_buffer {
  uint8_t *ptr;
  size_t len;
  size_t capacity;
  const sc_env *env;
} sc_buffer;

/* Initialises an empty buffer that allocates from `env`. NULL selects the default environment. */
SC_API void sc_buffer_init(sc_buffer *buffer, const sc_env *env);

/* Wipes and releases the memory. The buffer is then empty and can be reused. */
SC_API void sc_buffer_free(sc_buffer *buffer);

/* Wipes the content but keeps the memory. */
SC_API void sc_buffer_clear(sc_buffer *buffer);

/* Reserves memory for `extra` more bytes, so that appending them cannot fail. */
SC_API SC_NODISCARD sc_status sc_buffer_reserve(sc_buffer *buffer, size_t extra);

SC_API SC_NODISCARD sc_status sc_buffer_append(sc_buffer *buffer, sc_bytes bytes);
SC_API SC_NODISCARD sc_status sc_buffer_append_byte(sc_buffer *buffer, uint8_t byte);

/* Appends `len` bytes for the caller to fill. `*out` points to them until the buffer changes again. */
SC_API SC_NODISCARD sc_status sc_buffer_extend(uint8_t **out, sc_buffer *buffer, size_t len);

/* Wipes and drops all bytes from `len` on. Does nothing if the buffer is not longer. */
SC_API void sc_buffer_truncate(sc_buffer *buffer, size_t len);

static inline sc_bytes sc_buffer_bytes(const sc_buffer *buffer) {
  return sc_bytes_make(buffer->ptr, buffer->len);
}

SC_API_END

#endif
