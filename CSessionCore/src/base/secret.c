#include "session-core/base/secret.h"

#include <sodium.h>

struct sc_secret {
  const sc_env *env;
  uint8_t *ptr;
  size_t len;
};

void sc_wipe(void *ptr, size_t len) {
  if (len > 0)
    sodium_memzero(ptr, len);
}

bool sc_equal(const void *a, const void *b, size_t len) {
  return len == 0 || sodium_memcmp(a, b, len) == 0;
}

sc_status sc_secret_new(sc_secret **out, const sc_env *env, sc_bytes value) {
  *out = NULL;
  if (value.len == 0)
    return SC_ERR_ARGUMENT;
  sc_secret *secret = sc_allocate(env, sizeof *secret);
  if (secret == NULL)
    return SC_ERR_NO_MEMORY;
  uint8_t *ptr = sodium_malloc(value.len);
  if (ptr == NULL) {
    sc_release(env, secret);
    return SC_ERR_NO_MEMORY;
  }
  /* sodium_malloc locks too, but does not tell whether it could; locking twice does no harm. */
  if (sodium_mlock(ptr, value.len) != 0)
    sc_log(env, SC_LOG_WARNING, "secret memory is not locked: it could be swapped to disk");
  memcpy(ptr, value.ptr, value.len);
  (void)sodium_mprotect_readonly(ptr);
  *secret = (sc_secret){.env = env, .ptr = ptr, .len = value.len};
  *out = secret;
  return SC_OK;
}

sc_bytes sc_secret_bytes(const sc_secret *secret) {
  return sc_bytes_make(secret->ptr, secret->len);
}

void sc_secret_free(sc_secret *secret) {
  if (secret == NULL)
    return;
  sodium_free(secret->ptr);
  sc_release(secret->env, secret);
}
