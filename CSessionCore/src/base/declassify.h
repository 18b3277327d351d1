/* Marks what a contract makes public about secret data: if a text was well formed, if a shared secret was
 * zero, how long the padding was. It compiles to nothing, except in the build that sc-constant-time checks
 * under valgrind, where every other branch on a secret, or index with one, is an error. */
#ifndef SC_SRC_BASE_DECLASSIFY_H
#define SC_SRC_BASE_DECLASSIFY_H

#include <stddef.h>

#ifdef SC_CONSTANT_TIME_CHECK
#include <valgrind/memcheck.h>
#endif

static inline void sc_declassify(const void *ptr, size_t len) {
#ifdef SC_CONSTANT_TIME_CHECK
  VALGRIND_MAKE_MEM_DEFINED(ptr, len);
#else
  (void)ptr;
  (void)len;
#endif
}

#endif
