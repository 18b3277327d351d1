/* The environment a program gives the core: memory, randomness and a place for log lines.
 *
 * Everything that allocates or draws random bytes takes a `const sc_env *`, NULL meaning the default: malloc,
 * the system's random generator, no log. An environment must outlive the objects made with it. Its functions
 * are called on the caller's thread, inside a call the caller made. */
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
  /* Returns memory aligned for any type, or NULL when there is none. `size` is never 0. */
  void *(*allocate)(void *user, size_t size);
  /* Takes back what `allocate` gave. `ptr` is never NULL. */
  void (*release)(void *user, void *ptr);
  /* Fills `out` with unpredictable bytes. It cannot fail: a generator that can must end the process. */
  void (*random)(void *user, uint8_t *out, size_t len);
  /* May be NULL. Lines carry no secret, and no id or text above SC_LOG_DEBUG. */
  void (*log)(void *user, sc_log_level level, const char *line);
} sc_env;

/* Prepares the process: picks the fastest primitives of this CPU and opens the random generator. Call it
 * first; calling again, from any thread, is harmless. SC_ERR_NO_RANDOM when the system has no randomness to
 * give. */
SC_API SC_NODISCARD sc_status sc_init(void);

SC_API const sc_env *sc_env_default(void);

/* The functions below use an environment's functions; NULL selects the default environment. */
SC_API void *sc_allocate(const sc_env *env, size_t size);
SC_API void sc_release(const sc_env *env, void *ptr);
SC_API void sc_random(const sc_env *env, uint8_t *out, size_t len);
SC_API void sc_log(const sc_env *env, sc_log_level level, const char *line);

SC_API_END

#endif
