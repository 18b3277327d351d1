#define _DEFAULT_SOURCE /* flock: unlike fcntl's, its locks also keep hosts of one process apart */

#include "file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

sc_status sc_file_lock_take(int *out, const char *path) {
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0)
    return SC_ERR_SYSTEM;
  if (flock(file, LOCK_EX | LOCK_NB) == 0) {
    *out = file;
    return SC_OK;
  }
  sc_status status = errno == EWOULDBLOCK ? SC_ERR_RUNTIME_BUSY : SC_ERR_SYSTEM;
  close(file);
  return status;
}

void sc_file_lock_release(int lock) {
  close(lock);
}
