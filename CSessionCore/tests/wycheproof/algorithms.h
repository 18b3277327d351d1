/* The Wycheproof algorithms the library implements, each with the function that runs a test. */
#ifndef SC_TESTS_WYCHEPROOF_ALGORITHMS_H
#define SC_TESTS_WYCHEPROOF_ALGORITHMS_H

#include "support/known_case.h"

typedef struct wycheproof_algorithm {
  const char *name; /* as its files say */
  const char *type; /* of the test groups we can run */
  /* Returns how the operation ended. `group` holds the parameters its tests share. */
  sc_status (*run)(known_case *c, const sc_json *group);
} wycheproof_algorithm;

/* NULL if the library has no such algorithm, or cannot run tests of this type. */
const wycheproof_algorithm *wycheproof_find(sc_bytes name, sc_bytes type);

#endif
