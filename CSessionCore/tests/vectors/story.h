/* Cases that are stories: ordered steps in which a few actors act one after the other. A step has a name
 * under "do", its arguments, and a "result" with its expectations. */
#ifndef SC_TESTS_VECTORS_STORY_H
#define SC_TESTS_VECTORS_STORY_H

#include "support/known_case.h"

typedef struct story_step {
  const char *name;
  /* Runs the step. Inputs of `c` are its arguments; after story_results they are its results. */
  sc_status (*run)(void *story, known_case *c);
} story_step;

typedef struct story_script {
  const char *topic; /* the owner of the decisions */
  const story_step *steps;
  size_t step_count;
  /* Compares the "after" of the results with the state after the step. */
  void (*after)(void *story, known_case *c);
} story_script;

/* Runs the steps of a case to the end, or to the first that differs from the recording and the decisions. */
sc_status story_run(const story_script *script, void *story, known_case *c);

/* From here on fields of the case are those of the step's result. */
void story_results(known_case *c);

/* The bytes an earlier step left under the label in this argument, as recorded; or those in the argument
 * `inline_field` itself. */
sc_bytes story_bytes(known_case *c, const char *label_field, const char *inline_field);

/* The earlier step with this label; NULL if there is none. */
const sc_json *story_step_labelled(known_case *c, sc_bytes label);

#endif
