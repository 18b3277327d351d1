/* Secrets: wiping, constant-time comparison, and guarded memory.
 *
 * An sc_secret is for long-lived secrets (an account's seed, a database key): its pages, which small secrets
 * share, are excluded from swap and core dumps, surrounded by guard pages and read-only. Short-lived secrets
 * stay on the stack and are wiped with sc_wipe on every exit. A secret is immutable, so several threads may
 * read it. */
#ifndef SC_BASE_SECRET_H
#define SC_BASE_SECRET_H

#include <stdbool.h>

#include "api.h"
#include "bytes.h"

SC_API_BEGIN

/* Overwrites with zeros; compilers cannot remove it. */
SC_API void sc_wipe(void *ptr, size_t len);

/* True if two secrets of `len` bytes are equal. Running time depends only on `len`. */
SC_API bool sc_equal(const void *a, const void *b, size_t len);

typedef struct sc_secret sc_secret;

/* Copies `value` (at least one byte) into guarded memory. If the system refuses to lock the pages, the
 * secret is created anyway and a warning is logged. */
SC_API SC_NODISCARD sc_status sc_secret_new(sc_secret **out, const sc_env *env, sc_bytes value);

/* Returns the value, valid until the secret is freed. */
SC_API sc_bytes sc_secret_bytes(const sc_secret *secret);

/* Wipes and releases. NULL is allowed. */
SC_API void sc_secret_free(sc_secret *secret);

SC_API_END

#endif
