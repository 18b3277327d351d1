#define _POSIX_C_SOURCE 200809L

#include "cache_file.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

sc_status sc_cache_path(char out[static sc_cache_path_bytes], const char *folder, const char *name) {
  int len = snprintf(out, sc_cache_path_bytes, "%s/%s", folder, name);
  return len > 0 && len < sc_cache_path_bytes ? SC_OK : SC_ERR_TOO_LARGE;
}

static sc_status read_all(sc_buffer *out, int file, size_t size) {
  uint8_t *at;
  sc_status status = sc_buffer_extend(&at, out, size);
  size_t done = 0;
  while (status == SC_OK && done < size) {
    ssize_t count = read(file, at + done, size - done);
    if (count <= 0)
      status = SC_ERR_NOT_FOUND;
    else
      done += (size_t)count;
  }
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}

sc_status sc_cache_read(sc_buffer *out, uint64_t *written, const char *path) {
  struct stat about;
  sc_buffer_clear(out);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return SC_ERR_NOT_FOUND;
  sc_status status = fstat(file, &about) == 0 && S_ISREG(about.st_mode) ? SC_OK : SC_ERR_NOT_FOUND;
  if (status == SC_OK && about.st_size > (off_t)SC_CACHE_FILE_MOST)
    status = SC_ERR_TOO_LARGE;
  if (status == SC_OK && about.st_size > 0)
    status = read_all(out, file, (size_t)about.st_size);
  if (status == SC_OK)
    *written = (uint64_t)about.st_mtim.tv_sec * 1000 + (uint64_t)about.st_mtim.tv_nsec / 1000000;
  close(file);
  return status;
}

static bool write_all(int file, sc_bytes bytes) {
  size_t done = 0;
  while (done < bytes.len) {
    ssize_t count = write(file, bytes.ptr + done, bytes.len - done);
    if (count <= 0)
      return false;
    done += (size_t)count;
  }
  return fsync(file) == 0;
}

sc_status sc_cache_write(const char *path, sc_bytes bytes) {
  char beside[sc_cache_path_bytes];
  int len = snprintf(beside, sizeof beside, "%s_new", path);
  if (len < 0 || (size_t)len >= sizeof beside)
    return SC_ERR_TOO_LARGE;
  int file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0)
    return SC_ERR_SYSTEM;
  bool good = write_all(file, bytes);
  good = close(file) == 0 && good;
  if (good && rename(beside, path) == 0)
    return SC_OK;
  unlink(beside);
  return SC_ERR_SYSTEM;
}
