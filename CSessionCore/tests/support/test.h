/* A small test runner whose every test can run again with the k-th allocation failing.
 *
 * A test is a function that takes the runner's state `t`, makes its objects with `t->env`, states what must
 * hold with OK, FAILS and CHECK, and cleans up behind the label `done`. The first claim that does not hold
 * ends it. Torture runs it again and again, each time with one allocation refused: the test then ends at the
 * claim that met SC_ERR_NO_MEMORY, and the runner checks that one did and that every allocation was given
 * back. */
#ifndef SC_TESTS_TEST_H
#define SC_TESTS_TEST_H

#include <stdbool.h>

#include "session-core/session-core.h"

typedef struct sc_test {
  const sc_env *env;  /* counts allocations; random bytes follow from a fixed seed */
  bool torture;       /* an allocation may fail: long loops may be short */
  bool failed;        /* a claim did not hold */
  bool out_of_memory; /* a claim met the refused allocation */
  bool skipped;
} sc_test;

typedef struct sc_test_case {
  const char *name;
  void (*run)(sc_test *t);
} sc_test_case;

typedef struct sc_test_suite {
  const char *name; /* the file under src/, without its ending */
  const sc_test_case *cases;
  size_t count;
} sc_test_suite;

/* At the end of a test file: SUITE(base_bytes, "base/bytes", {"name", function}, …) */
#define SUITE(identifier, path, ...)                                                                         \
  static const sc_test_case identifier##_cases[] = {__VA_ARGS__};                                            \
  const sc_test_suite identifier##_suite = {path, identifier##_cases,                                        \
                                            sizeof identifier##_cases / sizeof identifier##_cases[0]}

/* The condition holds. */
#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      sc_test_fail(t, __FILE__, __LINE__, #condition);                                                       \
      goto done;                                                                                             \
    }                                                                                                        \
  } while (0)

/* The call returns `expected`. */
#define FAILS(expected, call)                                                                                \
  do {                                                                                                       \
    if (!sc_test_status(t, __FILE__, __LINE__, #call, (expected), (call)))                                   \
      goto done;                                                                                             \
  } while (0)

/* The call returns SC_OK. */
#define OK(call) FAILS(SC_OK, call)

/* Two byte strings are equal. */
#define SAME(expected, actual)                                                                               \
  do {                                                                                                       \
    if (!sc_test_same(t, __FILE__, __LINE__, (expected), (actual)))                                          \
      goto done;                                                                                             \
  } while (0)

/* Ends the test as skipped; the reason is printed. */
#define SKIP(reason)                                                                                         \
  do {                                                                                                       \
    sc_test_skip(t, (reason));                                                                               \
    goto done;                                                                                               \
  } while (0)

void sc_test_fail(sc_test *t, const char *file, int line, const char *what);
bool sc_test_status(sc_test *t, const char *file, int line, const char *call, sc_status expected,
                    sc_status actual);
bool sc_test_same(sc_test *t, const char *file, int line, sc_bytes expected, sc_bytes actual);
void sc_test_skip(sc_test *t, const char *reason);

/* Appends the bytes of hexadecimal text; the text is part of the test and must be valid. */
SC_NODISCARD sc_status sc_test_hex(sc_buffer *out, const char *hex);

/* The same into an array of `len` bytes. */
void sc_test_hex_into(uint8_t *out, size_t len, const char *hex);

#endif
