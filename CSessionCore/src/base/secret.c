#include "session-core/base/secret.h"

#include <sodium.h>

#include "secret_pages.h"

struct sc_secret {
  const sc_env *env;
  const uint8_t *ptr;
  size_t len;
  /* NULL if the memory is its own. */
  sc_secret_page *page;
};

void sc_wipe(void *ptr, size_t len) {
  if (len > 0)
    sodium_memzero(ptr, len);
}

bool sc_equal(const void *a, const void *b, size_t len) {
  return len == 0 || sodium_memcmp(a, b, len) == 0;
}

/* Copies a large secret into guarded memory of its own. */
static uint8_t *own_memory(sc_bytes value, bool *is_locked) {
  uint8_t *ptr = sodium_malloc(value.len);
  if (ptr == NULL)
    return NULL;
  /* sodium_malloc locks too, but does not tell whether it could; locking twice does no harm. */
  *is_locked = sodium_mlock(ptr, value.len) == 0;
  memcpy(ptr, value.ptr, value.len);
  (void)sodium_mprotect_readonly(ptr);
  return ptr;
}

sc_status sc_secret_new(sc_secret **out, const sc_env *env, sc_bytes value) {
  *out = NULL;
  if (value.len == 0)
    return SC_ERR_ARGUMENT;
  sc_secret *secret = sc_allocate(env, sizeof *secret);
  if (secret == NULL)
    return SC_ERR_NO_MEMORY;
  sc_secret_page *page = NULL;
  bool is_locked = false;
  const uint8_t *ptr = value.len <= SC_SECRET_SLOT_BYTES ? sc_secret_page_put(&page, value, &is_locked)
                                                         : own_memory(value, &is_locked);
  if (ptr == NULL) {
    sc_release(env, secret);
    return SC_ERR_NO_MEMORY;
  }
  if (!is_locked)
    sc_log(env, SC_LOG_WARNING, "secret memory is not locked: it could be swapped to disk");
  *secret = (sc_secret){.env = env, .ptr = ptr, .len = value.len, .page = page};
  *out = secret;
  return SC_OK;
}

sc_bytes sc_secret_bytes(const sc_secret *secret) {
  return sc_bytes_make(secret->ptr, secret->len);
}

void sc_secret_free(sc_secret *secret) {
  if (secret == NULL)
    return;
  if (secret->page != NULL)
    sc_secret_page_remove(secret->page, secret->ptr);
  else
    sodium_free((void *)(uintptr_t)secret->ptr);
  sc_release(secret->env, secret);
}
