#define _XOPEN_SOURCE 700 /* mkdtemp */

#include "runtime/file_lock.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/test.h"

static void one_at_a_time_has_the_lock(sc_test *t) {
  char folder[] = P_tmpdir "/sc-file-lock-XXXXXX", path[64] = "";
  int lock, other;
  bool made = mkdtemp(folder) != NULL;
  CHECK(made);
  snprintf(path, sizeof path, "%s/lock", folder);
  OK(sc_file_lock_take(&lock, path));
  FAILS(SC_ERR_RUNTIME_BUSY, sc_file_lock_take(&other, path));
  sc_file_lock_release(lock);
  OK(sc_file_lock_take(&lock, path));
  sc_file_lock_release(lock);
done:
  if (made) {
    unlink(path);
    rmdir(folder);
  }
}

static void a_folder_that_is_missing_has_no_lock(sc_test *t) {
  int lock;
  FAILS(SC_ERR_SYSTEM, sc_file_lock_take(&lock, "/nonexistent/lock"));
done:;
}

SUITE(runtime_file_lock, "runtime/file_lock", {"one at a time has the lock", one_at_a_time_has_the_lock},
      {"a folder that is missing has no lock", a_folder_that_is_missing_has_no_lock});
