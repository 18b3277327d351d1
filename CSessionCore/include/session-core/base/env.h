/* The environment: memory, randomness and log, provided by the program.
 *
 * Functions that allocate or draw random bytes take a `const sc_env *`. NULL selects the default
 * environment: malloc, the system's random generator, no log. An environment must outlive all objects
 * created with it. Its functions are called on the caller's thread, during a call of the caller. */
#ifndef SC_BASE_ENV_H
#define SC_BASE_ENV_H

#include <stddef.h>
#include <stdint.h>

#include "api.h"
#include "status.h"

SC_API_BEGIN

typedef enum sc_log_level {
  SC_LOG_DEBUG = 0,
  SC_LOG_INFO = 1,
  SC_LOG_WARNING = 2,
  SC_LOG_ERROR = 3,
} sc_log_level;

typedef struct sc_env {
  void *user;
  /* Returns memory aligned for any type, or NULL if there is none. `size` is never 0. */
  void *(*allocate)(void *user, size_t size);
  /* Releases memory returned by `allocate`. `ptr` is never NULL. */
  void (*release)(void *user, void *ptr);
  /* Fills `out` with unpredictable bytes. It cannot fail: a generator without randomness must end the
   * process. */
  void (*random)(void *user, uint8_t *out, size_t len);
  /* May be NULL. No line contains a secret; only lines at SC_LOG_DEBUG contain ids or text. */
  void (*log)(void *user, sc_log_level level, const char *line);
} sc_env;

/* Prepares the process: selects the fastest primitives for this CPU and opens the random generator. Call it
 * first; more calls, from any thread, are harmless. SC_ERR_NO_RANDOM if the system has no randomness. */
SC_API SC_NODISCARD sc_status sc_init(void);

SC_API const sc_env *sc_env_default(void);

/* These call the functions of an environment. NULL selects the default environment. */
SC_API void *sc_allocate(const sc_env *env, size_t size);
SC_API void sc_release(const sc_env *env, void *ptr);
SC_API void sc_random(const sc_env *env, uint8_t *out, size_t len);
SC_API void sc_log(const sc_env *env, sc_log_level level, const char *line);

SC_API_END

#endif
