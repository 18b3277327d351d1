/* Cases where we deliberately differ from the reference that recorded them. */
#ifndef SC_TESTS_VECTORS_DECISIONS_H
#define SC_TESTS_VECTORS_DECISIONS_H

#include "support/known_case.h"

typedef struct vector_decision {
  const char *topic;
  const char *kind;
  const char *which; /* the affected cases, in words */
  bool (*applies)(known_case *c);
  sc_status (*run)(known_case *c); /* NULL: every case of the kind */
  bool (*is_ours)(sc_status status);
  const char *outcome; /* the same in words */
  const char *why;
} vector_decision;

/* The decision about a case of this topic and kind; NULL if its recorded answer is valid. */
const vector_decision *vector_decision_for(const char *topic, const char *kind, known_case *c);

void vector_decisions_print(void);

#endif
