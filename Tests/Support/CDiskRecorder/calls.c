/* The system's calls, as the program that links this makes them. A definition in the program itself goes
 * before that of a library, for the libraries that the program uses as well. */
#define _GNU_SOURCE
#include "recorder.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the next definition of a name is. Looking it up twice from two threads does no harm. */
#define REAL(result, name, ...)                                                                              \
  static result (*real_##name)(__VA_ARGS__);                                                                 \
  static void find_##name(void) {                                                                            \
    if (!real_##name)                                                                                        \
      *(void **)&real_##name = dlsym(RTLD_NEXT, #name);                                                      \
  }

REAL(int, open64, const char *, int, ...)
REAL(int, mkostemp64, char *, int)
REAL(ssize_t, read, int, void *, size_t)
REAL(ssize_t, pread64, int, void *, size_t, off64_t)
REAL(ssize_t, write, int, const void *, size_t)
REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t)
REAL(int, ftruncate64, int, off64_t)
REAL(int, fsync, int)
REAL(int, fdatasync, int)
REAL(int, renameat2, int, const char *, int, const char *, unsigned)
REAL(int, unlink, const char *)
REAL(ssize_t, sendfile64, int, int, off64_t *, size_t)

int disk_real_open(const char *path, int flags, mode_t mode) {
  find_open64();
  return real_open64(path, flags, mode);
}

ssize_t disk_real_pread(int descriptor, void *out, size_t count, off_t offset) {
  find_pread64();
  return real_pread64(descriptor, out, count, offset);
}

ssize_t disk_real_pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  find_pwrite64();
  return real_pwrite64(descriptor, bytes, count, offset);
}

static int failed(int number) {
  errno = number;
  return -1;
}

/* The recorder of a path that may not exist, by the folder that it would be in. */
static disk_recorder *find_target(const char *path, const char **name, char *buffer) {
  char folder[PATH_MAX];
  const char *cut = strrchr(path, '/');
  if (!cut || (size_t)(cut - path) >= sizeof folder)
    return NULL;
  snprintf(folder, sizeof folder, "%.*s", (int)(cut - path), path);
  if (!realpath(*folder ? folder : "/", buffer))
    return NULL;
  size_t length = strlen(buffer);
  snprintf(buffer + length, PATH_MAX - length, "%s", cut);
  return disk_find_path(buffer, name);
}

/* The file that is called so; false when there is none that was seen. */
static bool find_named(const char *path, size_t *file) {
  struct stat status;
  int descriptor = disk_real_open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW, 0);
  if (descriptor < 0 || fstat(descriptor, &status) != 0)
    return false;
  disk_recorder *found = disk_find_file(descriptor, file);
  close(descriptor);
  return found;
}

/* ---- making files ---- */

/* Writes down what opening a file has done to it. */
static void opened(disk_recorder *r, const char *name, int descriptor, int flags, bool was_there) {
  size_t length = strlen(name), file;
  if (length > 4 && strcmp(name + length - 4, "-shm") == 0)
    return;
  if (!was_there)
    disk_set_name(&disk_add_step(r, DISK_CREATE, disk_add_file(r, descriptor))->name, name);
  else if ((flags & O_TRUNC) && disk_find_file(descriptor, &file) == r)
    disk_add_step(r, DISK_TRUNCATE, file);
}

static int open_recorded(const char *path, int flags, mode_t mode) {
  /* Of files without a name nothing is left, but they cannot be made on a disk that is full either. */
  bool has_name = (flags & O_TMPFILE) != O_TMPFILE;
  if (!disk_is_recording() || (has_name && !(flags & (O_CREAT | O_TRUNC))))
    return disk_real_open(path, flags, mode);
  char buffer[PATH_MAX];
  const char *name;
  disk_lock();
  disk_recorder *r = find_target(path, &name, buffer);
  int descriptor;
  if (!r) {
    descriptor = disk_real_open(path, flags, mode);
  } else {
    bool was_there = has_name && access(path, F_OK) == 0;
    if (!was_there && (disk_fails(r, DISK_FULL) || disk_fails(r, DISK_BROKEN)))
      descriptor = failed(r->fault == DISK_FULL ? ENOSPC : EIO);
    else
      descriptor = disk_real_open(path, flags, mode);
    if (descriptor >= 0 && has_name)
      opened(r, name, descriptor, flags, was_there);
  }
  disk_unlock();
  return descriptor;
}

#define OPEN_BODY                                                                                            \
  mode_t mode = 0;                                                                                           \
  if (flags & (O_CREAT | O_TMPFILE)) {                                                                       \
    va_list rest;                                                                                            \
    va_start(rest, flags);                                                                                   \
    mode = va_arg(rest, mode_t);                                                                             \
    va_end(rest);                                                                                            \
  }                                                                                                          \
  return open_recorded(path, flags, mode);

int open64(const char *path, int flags, ...) {
  OPEN_BODY
}
int open(const char *path, int flags, ...) {
  OPEN_BODY
}

int mkostemp64(char *template, int flags) {
  find_mkostemp64();
  if (!disk_is_recording())
    return real_mkostemp64(template, flags);
  char buffer[PATH_MAX];
  const char *name;
  disk_lock();
  disk_recorder *r = find_target(template, &name, buffer);
  int descriptor;
  if (r && (disk_fails(r, DISK_FULL) || disk_fails(r, DISK_BROKEN)))
    descriptor = failed(r->fault == DISK_FULL ? ENOSPC : EIO);
  else
    descriptor = real_mkostemp64(template, flags);
  if (r && descriptor >= 0 && find_target(template, &name, buffer))
    opened(r, name, descriptor, 0, false);
  disk_unlock();
  return descriptor;
}

int mkostemp(char *template, int flags) {
  return mkostemp64(template, flags);
}

/* ---- bytes ---- */

/* How much of a write is to be done: less than all of it, or -1, when it is to fail. */
static ssize_t allowed(disk_recorder *r, size_t count) {
  if (disk_fails(r, DISK_BROKEN))
    return failed(EIO);
  if (!disk_fails(r, DISK_FULL))
    return (ssize_t)count;
  /* The first that does not fit may fit in part. */
  return r->failures == 1 && count > 512 ? 512 : failed(ENOSPC);
}

static ssize_t write_recorded(int descriptor, const void *bytes, size_t count, off64_t offset,
                              bool has_offset) {
  find_write();
  size_t file;
  disk_lock();
  disk_recorder *r = disk_find_file(descriptor, &file);
  ssize_t part = r ? allowed(r, count) : (ssize_t)count;
  if (part >= 0) {
    if (!has_offset)
      offset = (fcntl(descriptor, F_GETFL) & O_APPEND) ? lseek(descriptor, 0, SEEK_END)
                                                       : lseek(descriptor, 0, SEEK_CUR);
    part = has_offset ? disk_real_pwrite(descriptor, bytes, (size_t)part, offset)
                      : real_write(descriptor, bytes, (size_t)part);
    if (r && part >= 0)
      disk_set_bytes(disk_add_step(r, DISK_WRITE, file), (size_t)offset, bytes, (size_t)part);
  }
  disk_unlock();
  return part;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  find_write();
  return disk_is_recording() ? write_recorded(descriptor, bytes, count, 0, false)
                             : real_write(descriptor, bytes, count);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  return disk_is_recording() ? write_recorded(descriptor, bytes, count, offset, true)
                             : disk_real_pwrite(descriptor, bytes, count, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}

/* What was copied is read again from where it went. */
ssize_t sendfile64(int to, int from, off64_t *offset, size_t count) {
  find_sendfile64();
  if (!disk_is_recording())
    return real_sendfile64(to, from, offset, count);
  size_t file;
  disk_lock();
  disk_recorder *r = disk_find_file(to, &file);
  ssize_t part = r ? allowed(r, count) : (ssize_t)count;
  if (part >= 0) {
    off64_t place = lseek(to, 0, SEEK_CUR);
    part = real_sendfile64(to, from, offset, (size_t)part);
    if (r && part > 0) {
      char link[64];
      snprintf(link, sizeof link, "/proc/self/fd/%d", to);
      int descriptor = disk_real_open(link, O_RDONLY | O_CLOEXEC, 0);
      char *copy = malloc((size_t)part);
      if (descriptor < 0 || !copy || disk_real_pread(descriptor, copy, (size_t)part, place) != part)
        abort();
      disk_set_bytes(disk_add_step(r, DISK_WRITE, file), (size_t)place, copy, (size_t)part);
      free(copy);
      close(descriptor);
    }
  }
  disk_unlock();
  return part;
}

ssize_t sendfile(int to, int from, off_t *offset, size_t count) {
  return sendfile64(to, from, offset, count);
}

/* How much of a read is to be done, or -1. The first that is short has half of its bytes, others none: there
 * the file ends. */
static ssize_t readable(int descriptor, size_t count) {
  size_t file;
  disk_lock();
  disk_recorder *r = disk_find_file(descriptor, &file);
  ssize_t part = (ssize_t)count;
  if (r && disk_fails(r, DISK_BROKEN))
    part = failed(EIO);
  else if (r && disk_fails(r, DISK_SHORT))
    part = r->failures == 1 ? (ssize_t)(count / 2) : 0;
  disk_unlock();
  return part;
}

ssize_t read(int descriptor, void *out, size_t count) {
  find_read();
  ssize_t part = disk_is_recording() ? readable(descriptor, count) : (ssize_t)count;
  return part < 0 ? part : real_read(descriptor, out, (size_t)part);
}

ssize_t pread64(int descriptor, void *out, size_t count, off64_t offset) {
  ssize_t part = disk_is_recording() ? readable(descriptor, count) : (ssize_t)count;
  return part < 0 ? part : disk_real_pread(descriptor, out, (size_t)part, offset);
}

ssize_t pread(int descriptor, void *out, size_t count, off_t offset) {
  return pread64(descriptor, out, count, offset);
}

int ftruncate64(int descriptor, off64_t size) {
  find_ftruncate64();
  if (!disk_is_recording())
    return real_ftruncate64(descriptor, size);
  size_t file;
  disk_lock();
  disk_recorder *r = disk_find_file(descriptor, &file);
  int result = r && disk_fails(r, DISK_BROKEN) ? failed(EIO) : real_ftruncate64(descriptor, size);
  if (r && result == 0)
    disk_add_step(r, DISK_TRUNCATE, file)->offset = (size_t)size;
  disk_unlock();
  return result;
}

int ftruncate(int descriptor, off_t size) {
  return ftruncate64(descriptor, size);
}

/* ---- what is on the device ---- */

static int sync_recorded(int descriptor, int (*real)(int)) {
  char buffer[PATH_MAX];
  const char *name = NULL;
  size_t file = 0;
  disk_lock();
  disk_recorder *r = disk_find_file(descriptor, &file);
  if (!r)
    r = disk_find_folder(descriptor, &name, buffer, sizeof buffer);
  int result = 0;
  /* The device itself is not asked: it is the record that knows what would be there. */
  if (!r)
    result = real(descriptor);
  else if (disk_fails(r, DISK_BROKEN))
    result = failed(EIO);
  else if (name)
    disk_set_name(&disk_add_step(r, DISK_SYNC_FOLDER, 0)->name, name);
  else
    disk_add_step(r, DISK_SYNC, file);
  disk_unlock();
  return result;
}

int fsync(int descriptor) {
  find_fsync();
  return disk_is_recording() ? sync_recorded(descriptor, real_fsync) : real_fsync(descriptor);
}

int fdatasync(int descriptor) {
  find_fdatasync();
  return disk_is_recording() ? sync_recorded(descriptor, real_fdatasync) : real_fdatasync(descriptor);
}

/* ---- names ---- */

int renameat2(int old_folder, const char *old_path, int new_folder, const char *new_path, unsigned flags) {
  find_renameat2();
  if (!disk_is_recording())
    return real_renameat2(old_folder, old_path, new_folder, new_path, flags);
  char old_buffer[PATH_MAX], new_buffer[PATH_MAX];
  const char *old_name, *new_name;
  size_t file = 0, replaced;
  disk_lock();
  disk_recorder *r = find_target(old_path, &old_name, old_buffer);
  bool is_recorded = r && find_target(new_path, &new_name, new_buffer) == r && find_named(old_path, &file);
  bool has_replaced = is_recorded && find_named(new_path, &replaced);
  int result = is_recorded && disk_fails(r, DISK_BROKEN)
                   ? failed(EIO)
                   : real_renameat2(old_folder, old_path, new_folder, new_path, flags);
  if (is_recorded && result == 0) {
    disk_step *step = disk_add_step(r, DISK_RENAME, file);
    disk_set_name(&step->name, old_name);
    disk_set_name(&step->target, new_name);
    if (has_replaced)
      disk_unname(r, replaced);
  }
  disk_unlock();
  return result;
}

int rename(const char *old_path, const char *new_path) {
  return renameat2(AT_FDCWD, old_path, AT_FDCWD, new_path, 0);
}

int unlink(const char *path) {
  find_unlink();
  if (!disk_is_recording())
    return real_unlink(path);
  char buffer[PATH_MAX];
  const char *name;
  size_t file = 0;
  disk_lock();
  disk_recorder *r = find_target(path, &name, buffer);
  bool is_recorded = r && find_named(path, &file);
  int result = is_recorded && disk_fails(r, DISK_BROKEN) ? failed(EIO) : real_unlink(path);
  if (is_recorded && result == 0) {
    disk_set_name(&disk_add_step(r, DISK_UNLINK, file)->name, name);
    disk_unname(r, file);
  }
  disk_unlock();
  return result;
}
