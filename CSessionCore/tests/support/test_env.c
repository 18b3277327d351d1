#include "test_env.h"

#include <sodium.h>
#include <stdlib.h>

#include "sites.h"

static void *allocate(void *user, size_t size) {
  sc_test_env *env = user;
  if (env->sites != NULL)
    sc_test_sites_add(env->sites);
  if (++env->allocations == env->fail_at) {
    env->refused = true;
    return NULL;
  }
  void *ptr = malloc(size);
  if (ptr != NULL)
    env->live++;
  return ptr;
}

static void release(void *user, void *ptr) {
  sc_test_env *env = user;
  env->live--;
  free(ptr);
}

static void seeded_random(sc_test_env *env, uint8_t *out, size_t len) {
  uint8_t seed[randombytes_SEEDBYTES];
  memcpy(seed, env->random_seed, sizeof seed);
  uint64_t call = env->random_calls++;
  for (size_t i = 0; i < sizeof call; i++)
    seed[i] ^= (uint8_t)(call >> (8 * i));
  randombytes_buf_deterministic(out, len, seed);
}

static void scripted_random(void *user, uint8_t *out, size_t len) {
  sc_test_env *env = user;
  size_t from_script = len < env->script.len ? len : env->script.len;
  if (from_script > 0) {
    memcpy(out, env->script.ptr, from_script);
    env->script = sc_bytes_make(env->script.ptr + from_script, env->script.len - from_script);
  }
  if (from_script < len) {
    env->script_shortage += len - from_script;
    seeded_random(env, out + from_script, len - from_script);
  }
}

static void count_line(void *user, sc_log_level level, const char *line) {
  (void)level;
  (void)line;
  sc_test_env *env = user;
  env->log_lines++;
}

void sc_test_env_init(sc_test_env *out, uint64_t seed) {
  *out = (sc_test_env){
      .env = {.user = out,
              .allocate = allocate,
              .release = release,
              .random = scripted_random,
              .log = count_line},
  };
  for (size_t i = 0; i < sizeof seed; i++)
    out->random_seed[8 + i] = (uint8_t)(seed >> (8 * i));
}

void sc_test_env_script(sc_test_env *env, sc_bytes script) {
  env->script = script;
  env->script_shortage = 0;
}
