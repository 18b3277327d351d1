/* Files of vectors that are no list of cases with a kind: each is known by its form, and run as a whole. */
#ifndef SC_TESTS_VECTORS_DOCUMENTS_H
#define SC_TESTS_VECTORS_DOCUMENTS_H

#include "support/known_case.h"
#include "support/known_files.h"

typedef struct vector_report {
  const char *path;
  known_tally tally;
} vector_report;

typedef struct vector_document {
  const char *name;
  bool (*recognises)(const sc_json *document);
  void (*run)(vector_report *report, const sc_json *document);
} vector_document;

/* Settles a case that ended with `status`, counts it, and prints its part of the file and its name if it
 * failed. Ends the case. */
void vector_report_case(vector_report *report, const char *part, known_case *c, sc_status status);

/* The member of an object; NULL if there is none. */
const sc_json *vector_member(const sc_json *object, const char *key);

/* The element of a list; NULL if there is none. */
const sc_json *vector_element(const sc_json *list, size_t index);

/* True if the member is this text. */
bool vector_says(const sc_json *object, const char *key, const char *text);

extern const vector_document mlkem768_document;
extern const vector_document ratchet_document;

#endif
