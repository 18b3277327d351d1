/* Files of known answers: finding them, reading them, and counting the cases that passed. */
#ifndef SC_TESTS_KNOWN_FILES_H
#define SC_TESTS_KNOWN_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "session-core/base/json.h"

typedef struct known_tally {
  size_t passed;
  size_t failed;
  size_t skipped;
} known_tally;

/* Prints "name: N passed, N failed, N skipped". */
void known_tally_print(const char *name, known_tally tally);

void known_tally_add(known_tally *sum, known_tally part);

typedef struct known_paths {
  char **items;
  size_t count;
} known_paths;

/* Appends `path`, or every *.json in it, sorted by name, when it is a folder. Says what is wrong, and returns
 * false, when there is nothing there. */
bool known_paths_add(known_paths *paths, const char *path);
void known_paths_free(known_paths *paths);

/* The part of a path after its last slash. */
const char *known_file_name(const char *path);

/* Runs and counts the cases of one file; prints the error and returns false if it cannot. */
typedef bool known_file_runner(known_tally *total, const char *path);

/* The parts a program of known answers supplies: `choices` is the option that prints its decisions, `usage`
 * several lines. */
typedef struct known_program {
  const char *name;
  const char *usage;
  const char *choices;
  void (*print_choices)(void);
  known_file_runner *run_file;
} known_program;

/* The whole of main: options, then the files and folders named, then the totals. Ends with 0 when no case
 * failed, 1 when one did, 2 when something cannot be read. */
int known_main(const known_program *program, int argc, char **argv);

/* Reads a JSON object; prints the error and returns NULL if it cannot. The caller frees it. */
sc_json *known_document(const char *path);

#endif
