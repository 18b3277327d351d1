#include "shared.h"

#include "session-core/base/secret.h"

sc_shared *sc_shared_new(const sc_env *env, size_t len) {
  if (len > SIZE_MAX - sizeof(sc_shared))
    return NULL;
  sc_shared *shared = sc_allocate(env, sizeof *shared + len);
  if (shared == NULL)
    return NULL;
  shared->owners = 1;
  shared->len = len;
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
