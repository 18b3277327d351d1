#include "shared.h"

#include "session-core/base/secret.h"

/* Returns the bytes behind the header, unless they were taken from elsewhere. */
static uint8_t *behind(sc_shared *shared) {
  return (uint8_t *)(shared + 1);
}

sc_shared *sc_shared_new(const sc_env *env, size_t len) {
  if (len > SIZE_MAX - sizeof(sc_shared))
    return NULL;
  sc_shared *shared = sc_allocate(env, sizeof *shared + len);
  if (shared == NULL)
    return NULL;
  *shared = (sc_shared){.owners = 1, .len = len, .bytes = behind(shared)};
  return shared;
}

sc_shared *sc_shared_keep(sc_shared *shared) {
  if (shared != NULL)
    shared->owners++;
  return shared;
}

void sc_shared_drop(const sc_env *env, sc_shared *shared) {
  if (shared == NULL || --shared->owners > 0)
    return;
  sc_wipe(shared->bytes, shared->len);
  if (shared->bytes != behind(shared))
    sc_release(env, shared->bytes);
  sc_release(env, shared);
}

sc_status sc_slice_copy(sc_slice *out, const sc_env *env, sc_bytes bytes) {
  sc_shared *shared = sc_shared_new(env, bytes.len);
  if (shared == NULL)
    return SC_ERR_NO_MEMORY;
  if (bytes.len > 0)
    memcpy(shared->bytes, bytes.ptr, bytes.len);
  *out = (sc_slice){shared, sc_bytes_make(shared->bytes, bytes.len)};
  return SC_OK;
}

sc_status sc_slice_take(sc_slice *out, sc_buffer *buffer) {
  const sc_env *env = buffer->env;
  if (buffer->len < buffer->capacity / 2)
    return sc_slice_copy(out, env, sc_buffer_bytes(buffer));
  sc_shared *shared = sc_shared_new(env, 0);
  if (shared == NULL)
    return SC_ERR_NO_MEMORY;
  shared->bytes = buffer->ptr;
  shared->len = buffer->len;
  *out = (sc_slice){shared, sc_buffer_bytes(buffer)};
  sc_buffer_init(buffer, env);
  return SC_OK;
}
