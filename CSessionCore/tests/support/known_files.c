/* strdup */
#define _POSIX_C_SOURCE 200809L

#include "known_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "session-core/base/env.h"

enum { longest_path = 4096 };

enum { exit_failed = 1, exit_unusable = 2 };

void known_tally_print(const char *name, known_tally tally) {
  printf("%s: %zu passed, %zu failed, %zu skipped\n", name, tally.passed, tally.failed, tally.skipped);
}

void known_tally_add(known_tally *sum, known_tally part) {
  sum->passed += part.passed;
  sum->failed += part.failed;
  sum->skipped += part.skipped;
}

static bool append(known_paths *paths, const char *path) {
  char **items = realloc(paths->items, (paths->count + 1) * sizeof *items);
  if (items == NULL)
    return false;
  paths->items = items;
  items[paths->count] = strdup(path);
  return items[paths->count] != NULL && ++paths->count > 0;
}

static bool is_json_name(const char *name) {
  size_t len = strlen(name);
  return name[0] != '.' && len > 5 && strcmp(name + len - 5, ".json") == 0;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool append_folder(known_paths *paths, const char *path, DIR *folder) {
  size_t before = paths->count;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (!is_json_name(entry->d_name))
      continue;
    char full[longest_path];
    int len = snprintf(full, sizeof full, "%s/%s", path, entry->d_name);
    if (len < 0 || (size_t)len >= sizeof full || !append(paths, full)) {
      fprintf(stderr, "%s/%s: cannot be listed\n", path, entry->d_name);
      return false;
    }
  }
  if (paths->count == before) {
    fprintf(stderr, "%s: no .json file in it\n", path);
    return false;
  }
  qsort(paths->items + before, paths->count - before, sizeof *paths->items, by_name);
  return true;
}

bool known_paths_add(known_paths *paths, const char *path) {
  struct stat found;
  if (stat(path, &found) != 0) {
    perror(path);
    return false;
  }
  if (!S_ISDIR(found.st_mode))
    return append(paths, path);
  DIR *folder = opendir(path);
  if (folder == NULL) {
    perror(path);
    return false;
  }
  bool listed = append_folder(paths, path, folder);
  closedir(folder);
  return listed;
}

void known_paths_free(known_paths *paths) {
  for (size_t i = 0; i < paths->count; i++)
    free(paths->items[i]);
  free(paths->items);
  *paths = (known_paths){0};
}

const char *known_file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

static sc_status read_all(sc_buffer *out, FILE *file) {
  enum { piece = 64 * 1024 };
  for (;;) {
    uint8_t *space;
    sc_status status = out->len > SC_JSON_MAX_BYTES ? SC_ERR_TOO_LARGE : sc_buffer_extend(&space, out, piece);
    if (status != SC_OK)
      return status;
    size_t got = fread(space, 1, piece, file);
    sc_buffer_truncate(out, out->len - piece + got);
    if (got < piece)
      return ferror(file) ? SC_ERR_TRUNCATED : SC_OK;
  }
}

sc_json *known_document(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    return NULL;
  }
  sc_buffer text = {0};
  sc_json *document = NULL;
  sc_status status = read_all(&text, file);
  if (status == SC_OK)
    status = sc_json_parse(&document, sc_buffer_bytes(&text), SC_JSON_MAX_DEPTH);
  if (status == SC_OK && sc_json_type_of(document) != SC_JSON_OBJECT) {
    status = SC_ERR_JSON_TYPE;
    sc_json_free(document);
    document = NULL;
  }
  if (status != SC_OK)
    fprintf(stderr, "%s: cannot be read: %s\n", path, sc_status_text(status));
  sc_buffer_free(&text);
  fclose(file);
  return document;
}

static int run_files(const known_paths *paths, known_file_runner *run_file) {
  known_tally total = {0};
  bool all_read = true;
  for (size_t i = 0; i < paths->count; i++)
    all_read = run_file(&total, paths->items[i]) && all_read;
  known_tally_print("total", total);
  if (!all_read)
    return exit_unusable;
  return total.failed == 0 ? EXIT_SUCCESS : exit_failed;
}

static int run_named(const known_program *program, int count, char **names) {
  sc_status ready = sc_init();
  if (ready != SC_OK) {
    fprintf(stderr, "%s: %s\n", program->name, sc_status_text(ready));
    return exit_unusable;
  }
  known_paths paths = {0};
  bool all_there = true;
  for (int i = 0; i < count; i++)
    all_there = known_paths_add(&paths, names[i]) && all_there;
  int result = run_files(&paths, program->run_file);
  known_paths_free(&paths);
  return all_there ? result : exit_unusable;
}

int known_main(const known_program *program, int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc == 2 && strcmp(argv[1], "--help") == 0) {
    fputs(program->usage, stdout);
    return EXIT_SUCCESS;
  }
  if (argc == 2 && strcmp(argv[1], program->choices) == 0) {
    program->print_choices();
    return EXIT_SUCCESS;
  }
  if (argc < 2 || argv[1][0] == '-') {
    fputs(program->usage, stderr);
    return exit_unusable;
  }
  return run_named(program, argc - 1, argv + 1);
}
