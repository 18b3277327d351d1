#include "session-core/base/env.h"

#include <sodium.h>
#include <stdlib.h>

static void *default_allocate(void *user, size_t size) {
  (void)user;
  return malloc(size);
}

static void default_release(void *user, void *ptr) {
  (void)user;
  free(ptr);
}

static void default_random(void *user, uint8_t *out, size_t len) {
  (void)user;
  randombytes_buf(out, len);
}

static const sc_env default_env = {
    .allocate = default_allocate,
    .release = default_release,
    .random = default_random,
};

static const sc_env *or_default(const sc_env *env) {
  return env != NULL ? env : &default_env;
}

sc_status sc_init(void) {
  return sodium_init() < 0 ? SC_ERR_NO_RANDOM : SC_OK;
}

const sc_env *sc_env_default(void) {
  return &default_env;
}

void *sc_allocate(const sc_env *env, size_t size) {
  env = or_default(env);
  return env->allocate(env->user, size);
}

void sc_release(const sc_env *env, void *ptr) {
  if (ptr == NULL)
    return;
  env = or_default(env);
  env->release(env->user, ptr);
}

void sc_random(const sc_env *env, uint8_t *out, size_t len) {
  env = or_default(env);
  env->random(env->user, out, len);
}

void sc_log(const sc_env *env, sc_log_level level, const char *line) {
  env = or_default(env);
  if (env->log != NULL)
    env->log(env->user, level, line);
}
