/* Secrets: wiping, constant-time comparison, and memory that is guarded, locked and read-only.
 *
 * An sc_secret is for what lives long (an account's seed, a database key): its pages are kept out of swap and
 * core dumps, fenced by guard pages and made read-only. Short-lived secrets stay on the stack and are wiped
 * with sc_wipe on every way out. A secret is immutable, so several threads may read one. */
#ifndef SC_BASE_SECRET_H
#define SC_BASE_SECRET_H

#include <stdbool.h>

#include "api.h"
#include "bytes.h"

SC_API_BEGIN

/* Overwrites with zeros in a way no compiler removes. */
SC_API void sc_wipe(void *ptr, size_t len);

/* Whether two secrets of `len` bytes are equal, in time that depends on `len` alone. */
SC_API bool sc_equal(const void *a, const void *b, size_t len);

typedef struct sc_secret sc_secret;

/* Copies `value` (at least one byte) into guarded memory. Where the system refuses to lock the pages the
 * secret is made all the same and a warning is logged. */
SC_API SC_NODISCARD sc_status sc_secret_new(sc_secret **out, const sc_env *env, sc_bytes value);

/* The value, until the secret is freed. */
SC_API sc_bytes sc_secret_bytes(const sc_secret *secret);

/* Wipes and releases. NULL is allowed. */
SC_API void sc_secret_free(sc_secret *secret);

SC_API_END

#endif
