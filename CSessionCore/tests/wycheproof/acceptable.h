/* Our decisions, with reasons, where Wycheproof leaves the answer to the implementation ("acceptable"). */
#ifndef SC_TESTS_WYCHEPROOF_ACCEPTABLE_H
#define SC_TESTS_WYCHEPROOF_ACCEPTABLE_H

#include "support/known_case.h"

typedef struct wycheproof_choice {
  const char *algorithm;
  const char *flag; /* one of the test's flags; the first matching row decides */
  bool accepts;
  const char *why;
} wycheproof_choice;

/* NULL if there is no decision. `test` is the test's JSON. */
const wycheproof_choice *wycheproof_choice_for(sc_bytes algorithm, const sc_json *test);

void wycheproof_choices_print(void);

#endif
