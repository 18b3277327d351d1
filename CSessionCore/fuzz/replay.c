/* sc-replay-NAME FOLDER: gives every file of a corpus to a fuzz target, as an ordinary test. */
#include <dirent.h>

#include "fuzz.h"

enum { largest_input = 4 * 1024 * 1024 };

static int replay_file(const char *path) {
  static uint8_t input[largest_input];
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    return -1;
  }
  size_t size = fread(input, 1, sizeof input, file);
  int failed = ferror(file) != 0 || !feof(file);
  fclose(file);
  if (failed) {
    fprintf(stderr, "%s: cannot be read, or is too large\n", path);
    return -1;
  }
  LLVMFuzzerTestOneInput(input, size);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  DIR *folder = opendir(argv[1]);
  if (folder == NULL) {
    perror(argv[1]);
    return 2;
  }
  size_t replayed = 0;
  size_t failed = 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] == '.')
      continue;
    char path[4096];
    int len = snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
    if (len < 0 || (size_t)len >= sizeof path || replay_file(path) != 0)
      failed++;
    else
      replayed++;
  }
  closedir(folder);
  if (replayed == 0) {
    fprintf(stderr, "%s: an empty corpus proves nothing\n", argv[1]);
    failed++;
  }
  printf("corpus: %zu passed, %zu failed, 0 skipped\n", replayed, failed);
  return failed == 0 ? 0 : 1;
}
