/* Cases that are stories: steps in their order, in which a few actors do something one after the other. A
 * step has a name under "do", its arguments, and a "result" with what is expected of it. */
#ifndef SC_TESTS_VECTORS_STORY_H
#define SC_TESTS_VECTORS_STORY_H

#include "support/known_case.h"

typedef struct story_step {
  const char *name;
  /* Does the step. Inputs of `c` are its arguments; after story_results they are its results. */
  sc_status (*run)(void *story, known_case *c);
} story_step;

typedef struct story_script {
  const char *topic; /* whose decisions count */
  const story_step *steps;
  size_t step_count;
  /* Compares with the "after" of the results what is true when the step is done. */
  void (*after)(void *story, known_case *c);
} story_script;

/* Runs the steps of a case to the end, or to the first that goes otherwise than recorded or decided. */
sc_status story_run(const story_script *script, void *story, known_case *c);

/* From here on fields of the case are those of the step's result. */
void story_results(known_case *c);

/* The bytes that an earlier step left under the label that this argument names, as they are recorded; or
 * those that stand in the argument `inline_field` itself. */
sc_bytes story_bytes(known_case *c, const char *label_field, const char *inline_field);

/* The earlier step with this label; NULL when there is none. */
const sc_json *story_step_labelled(known_case *c, sc_bytes label);

#endif
