/* sc-wycheproof FOLDER|FILE…: runs Wycheproof's tests of the algorithms we have through the public API. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "acceptable.h"
#include "algorithms.h"
#include "support/known_files.h"

enum { exit_failed = 1, exit_unusable = 2, exit_skipped = 77 };

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
    known_differs(c, "nobody decided what the answer must be");
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
  const wycheproof_algorithm *algorithm = wycheproof_find(algorithm_name);
  if (algorithm == NULL || !says(group, "type", algorithm->type)) {
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

static int run_files(const known_paths *paths) {
  known_tally total = {0};
  bool all_read = true;
  for (size_t i = 0; i < paths->count; i++)
    all_read = run_file(&total, paths->items[i]) && all_read;
  known_tally_print("total", total);
  if (!all_read)
    return exit_unusable;
  return total.failed == 0 ? EXIT_SUCCESS : exit_failed;
}

static void print_usage(FILE *stream) {
  fputs(
      "usage: sc-wycheproof FILE|FOLDER…  runs the tests in these files, or in every .json file of a folder\n"
      "       sc-wycheproof --choices     prints our answers to acceptable tests, and why\n"
      "Ends with 0 when no test failed, 1 when one did, 2 when a file cannot be read, 77 when the first is "
      "not there.\n",
      stream);
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc == 2 && strcmp(argv[1], "--help") == 0) {
    print_usage(stdout);
    return EXIT_SUCCESS;
  }
  if (argc == 2 && strcmp(argv[1], "--choices") == 0) {
    wycheproof_choices_print();
    return EXIT_SUCCESS;
  }
  if (argc < 2 || argv[1][0] == '-') {
    print_usage(stderr);
    return exit_unusable;
  }
  struct stat found;
  if (stat(argv[1], &found) != 0) {
    printf("skipped: there is no %s\n", argv[1]);
    return exit_skipped;
  }
  sc_status ready = sc_init();
  if (ready != SC_OK) {
    fprintf(stderr, "sc-wycheproof: %s\n", sc_status_text(ready));
    return exit_unusable;
  }
  known_paths paths = {0};
  bool all_there = true;
  for (int i = 1; i < argc; i++)
    all_there = known_paths_add(&paths, argv[i]) && all_there;
  int result = run_files(&paths);
  known_paths_free(&paths);
  return all_there ? result : exit_unusable;
}
