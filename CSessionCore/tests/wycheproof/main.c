/* sc-wycheproof FOLDER|FILE…: runs Wycheproof's tests of our algorithms through the public API. */
#include <stdio.h>
#include <sys/stat.h>

#include "acceptable.h"
#include "algorithms.h"
#include "support/known_files.h"

enum { exit_skipped = 77 };

static sc_bytes text_of(const sc_json *object, const char *key) {
  sc_bytes text;
  return sc_json_member_string(&text, object, key) == SC_OK ? text : sc_bytes_text("");
}

static bool says(const sc_json *object, const char *key, const char *text) {
  return sc_bytes_same(text_of(object, key), sc_bytes_text(text));
}

static const sc_json *element(const sc_json *list, size_t index) {
  const sc_json *value = NULL;
  return sc_json_element(&value, list, index) == SC_OK ? value : NULL;
}

static const sc_json *member(const sc_json *object, const char *key) {
  const sc_json *value = NULL;
  return sc_json_member(&value, object, key) == SC_OK ? value : NULL;
}

static void print_failure(const char *file, const known_case *c) {
  int64_t id = 0;
  if (sc_json_member_i64(&id, c->json, "tcId") != SC_OK)
    id = 0;
  sc_bytes comment = text_of(c->json, "comment"), result = text_of(c->json, "result");
  printf("FAILED %s: test %lld, %.*s (%.*s): %s\n", file, (long long)id, (int)result.len,
         (const char *)result.ptr, (int)comment.len, (const char *)comment.ptr, c->flaw);
}

static void begin_test(known_case *c, const sc_json *test, sc_bytes algorithm) {
  known_case_begin(c, test, says(test, "result", "valid"));
  if (c->accepts || says(test, "result", "invalid"))
    return;
  const wycheproof_choice *choice = wycheproof_choice_for(algorithm, test);
  if (choice != NULL && says(test, "result", "acceptable"))
    c->accepts = choice->accepts;
  else
    known_differs(c, "the expected answer is undecided");
}

static bool run_test(const char *file, const sc_json *test, const sc_json *group, sc_bytes algorithm_name,
                     const wycheproof_algorithm *algorithm) {
  known_case c;
  begin_test(&c, test, algorithm_name);
  bool passed = known_case_verdict(&c, algorithm->run(&c, group));
  if (!passed)
    print_failure(file, &c);
  known_case_end(&c);
  return passed;
}

static known_tally run_group(const char *file, const sc_json *group, sc_bytes algorithm_name) {
  known_tally tally = {0};
  const sc_json *tests = member(group, "tests");
  const wycheproof_algorithm *algorithm = wycheproof_find(algorithm_name, text_of(group, "type"));
  if (algorithm == NULL) {
    tally.skipped = sc_json_count(tests);
    return tally;
  }
  for (size_t i = 0; i < sc_json_count(tests); i++) {
    if (run_test(file, element(tests, i), group, algorithm_name, algorithm))
      tally.passed++;
    else
      tally.failed++;
  }
  return tally;
}

static bool run_file(known_tally *total, const char *path) {
  sc_json *document = known_document(path);
  const sc_json *groups = member(document, "testGroups");
  const char *file = known_file_name(path);
  if (document != NULL && sc_json_type_of(groups) != SC_JSON_ARRAY) {
    fprintf(stderr, "%s: cannot be read: it has no groups of tests\n", path);
    sc_json_free(document);
    document = NULL;
  }
  if (document == NULL)
    return false;
  sc_bytes algorithm = text_of(document, "algorithm");
  known_tally tally = {0};
  for (size_t i = 0; i < sc_json_count(groups); i++)
    known_tally_add(&tally, run_group(file, element(groups, i), algorithm));
  if (tally.skipped > 0)
    printf("%s: %zu skipped, unknown algorithm or type of test: %.*s\n", file, tally.skipped,
           (int)algorithm.len, (const char *)algorithm.ptr);
  known_tally_print(file, tally);
  known_tally_add(total, tally);
  sc_json_free(document);
  return true;
}

static const known_program program = {
    .name = "sc-wycheproof",
    .usage =
        "usage: sc-wycheproof FILE|FOLDER…  runs the tests in these files, or in every .json file of a "
        "folder\n"
        "       sc-wycheproof --choices     prints our answers to acceptable tests, and why\n"
        "Ends with 0 when no test failed, 1 when one did, 2 when a file cannot be read, 77 when the first is "
        "not there.\n",
    .choices = "--choices",
    .print_choices = wycheproof_choices_print,
    .run_file = run_file,
};

int main(int argc, char **argv) {
  struct stat found;
  if (argc > 1 && argv[1][0] != '-' && stat(argv[1], &found) != 0) {
    printf("skipped: there is no %s\n", argv[1]);
    return exit_skipped;
  }
  return known_main(&program, argc, argv);
}
