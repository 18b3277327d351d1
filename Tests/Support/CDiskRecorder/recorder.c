#define _GNU_SOURCE
#include "recorder.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static disk_recorder *recorders;
static atomic_int recording_count;

void disk_lock(void) {
  pthread_mutex_lock(&lock);
}
void disk_unlock(void) {
  pthread_mutex_unlock(&lock);
}
bool disk_is_recording(void) {
  return atomic_load_explicit(&recording_count, memory_order_relaxed) > 0;
}

/* A test has no use for going on without memory. */
static void *needed(void *memory) {
  if (!memory)
    abort();
  return memory;
}

/* Room for one more, twice as much each time that is a power of two. */
static void *grown(void *array, size_t count, size_t size) {
  if ((count & (count - 1)) != 0)
    return array;
  return needed(realloc(array, (count ? 2 * count : 1) * size));
}

/* ---- finding ---- */

disk_recorder *disk_find_path(const char *path, const char **name) {
  for (disk_recorder *r = recorders; r; r = r->next) {
    size_t length = strlen(r->folder);
    if (r->is_stopped || strncmp(path, r->folder, length) != 0 || (path[length] != '/' && path[length] != 0))
      continue;
    *name = path[length] ? path + length + 1 : "";
    return r;
  }
  return NULL;
}

disk_recorder *disk_find_file(int descriptor, size_t *file) {
  struct stat status;
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
    return NULL;
  for (disk_recorder *r = recorders; r; r = r->next)
    for (size_t i = r->file_count; i-- > 0 && !r->is_stopped;)
      if (r->files[i].inode == status.st_ino && r->files[i].device == status.st_dev &&
          r->files[i].has_name == (status.st_nlink > 0)) {
        *file = i;
        return r;
      }
  return NULL;
}

disk_recorder *disk_find_folder(int descriptor, const char **name, char *buffer, size_t capacity) {
  struct stat status;
  if (fstat(descriptor, &status) != 0 || !S_ISDIR(status.st_mode))
    return NULL;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, buffer, capacity - 1);
  if (length < 0)
    return NULL;
  buffer[length] = 0;
  return disk_find_path(buffer, name);
}

/* ---- adding ---- */

/* The index of the engine's log is mapped, and never trusted. */
static bool is_index(const char *name) {
  size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, "-shm") == 0;
}

static size_t add_file(disk_recorder *r, const struct stat *status) {
  r->files = grown(r->files, r->file_count, sizeof *r->files);
  r->files[r->file_count] = (disk_file){.device = status->st_dev, .inode = status->st_ino, .has_name = true};
  return r->file_count++;
}

size_t disk_add_file(disk_recorder *recorder, int descriptor) {
  struct stat status;
  if (fstat(descriptor, &status) != 0)
    abort();
  return add_file(recorder, &status);
}

void disk_unname(disk_recorder *recorder, size_t file) {
  recorder->files[file].has_name = false;
}

disk_step *disk_add_step(disk_recorder *recorder, enum disk_kind kind, size_t file) {
  recorder->steps = grown(recorder->steps, recorder->step_count, sizeof *recorder->steps);
  disk_step *step = &recorder->steps[recorder->step_count++];
  *step = (disk_step){.kind = kind, .file = file};
  return step;
}

void disk_set_name(char **slot, const char *name) {
  *slot = needed(strdup(name));
}

void disk_set_bytes(disk_step *step, size_t offset, const void *bytes, size_t count) {
  step->offset = offset;
  step->count = count;
  step->bytes = needed(malloc(count + 1));
  memcpy(step->bytes, bytes, count);
}

/* ---- failing ---- */

bool disk_fails(disk_recorder *recorder, enum disk_fault fault) {
  if (!recorder->is_failing || recorder->fault != fault)
    return false;
  size_t call = recorder->calls++;
  if (call < recorder->first_failure || call - recorder->first_failure >= recorder->failure_count)
    return false;
  recorder->failures++;
  return true;
}

void disk_recorder_fail(disk_recorder *recorder, enum disk_fault fault, size_t first, size_t count) {
  disk_lock();
  recorder->fault = fault;
  recorder->is_failing = true;
  recorder->calls = recorder->failures = 0;
  recorder->first_failure = first;
  recorder->failure_count = count;
  disk_unlock();
}

size_t disk_recorder_heal(disk_recorder *recorder) {
  disk_lock();
  recorder->is_failing = false;
  size_t failures = recorder->failures;
  disk_unlock();
  return failures;
}

/* ---- recorders ---- */

static bool take_file(disk_recorder *r, const char *path, const char *name, const struct stat *status) {
  int descriptor = disk_real_open(path, O_RDONLY | O_CLOEXEC, 0);
  if (descriptor < 0)
    return false;
  size_t number = add_file(r, status);
  disk_file *file = &r->files[number];
  disk_set_name(&file->name, name);
  file->count = (size_t)status->st_size;
  file->bytes = needed(malloc(file->count + 1));
  bool is_whole = disk_real_pread(descriptor, file->bytes, file->count, 0) == (ssize_t)file->count;
  close(descriptor);
  return is_whole;
}

/* What is in a folder, and in those inside of it. */
static bool take_folder(disk_recorder *r, const char *folder) {
  DIR *entries = opendir(folder);
  if (!entries)
    return false;
  bool is_whole = true;
  for (struct dirent *entry; is_whole && (entry = readdir(entries));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
      continue;
    char path[4096];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (lstat(path, &status) != 0)
      is_whole = false;
    else if (S_ISDIR(status.st_mode))
      is_whole = take_folder(r, path);
    else if (S_ISREG(status.st_mode) && !is_index(path))
      is_whole = take_file(r, path, path + strlen(r->folder) + 1, &status);
  }
  closedir(entries);
  return is_whole;
}

disk_recorder *disk_recorder_new(const char *folder) {
  disk_recorder *r = calloc(1, sizeof *r);
  if (!r)
    return NULL;
  r->folder = realpath(folder, NULL);
  disk_lock();
  bool is_whole = r->folder && take_folder(r, r->folder);
  if (is_whole) {
    r->next = recorders;
    recorders = r;
    atomic_fetch_add(&recording_count, 1);
  }
  disk_unlock();
  if (is_whole)
    return r;
  disk_recorder_free(r);
  return NULL;
}

void disk_recorder_stop(disk_recorder *recorder) {
  disk_lock();
  for (disk_recorder **place = &recorders; *place; place = &(*place)->next)
    if (*place == recorder) {
      *place = recorder->next;
      recorder->is_stopped = true;
      atomic_fetch_sub(&recording_count, 1);
      break;
    }
  disk_unlock();
}

void disk_recorder_free(disk_recorder *recorder) {
  if (!recorder)
    return;
  disk_recorder_stop(recorder);
  for (size_t i = 0; i < recorder->file_count; i++) {
    free(recorder->files[i].name);
    free(recorder->files[i].bytes);
  }
  for (size_t i = 0; i < recorder->step_count; i++) {
    free(recorder->steps[i].name);
    free(recorder->steps[i].target);
    free(recorder->steps[i].bytes);
  }
  free(recorder->files);
  free(recorder->steps);
  free(recorder->folder);
  free(recorder);
}

size_t disk_recorder_count(const disk_recorder *recorder) {
  disk_lock();
  size_t count = recorder->step_count;
  disk_unlock();
  return count;
}

bool disk_recorder_has_written(const disk_recorder *recorder, const void *bytes, size_t count) {
  bool has = false;
  disk_lock();
  for (size_t i = 0; i < recorder->step_count && !has; i++)
    has =
        recorder->steps[i].bytes && memmem(recorder->steps[i].bytes, recorder->steps[i].count, bytes, count);
  disk_unlock();
  return has;
}

void disk_recorder_describe(const disk_recorder *recorder, size_t number, char *out, size_t capacity) {
  static const char *const verbs[] = {"create", "write",  "truncate",   "sync",
                                      "rename", "unlink", "sync folder"};
  disk_lock();
  if (number < recorder->step_count) {
    const disk_step *step = &recorder->steps[number];
    snprintf(out, capacity, "%s file %zu %s%s%s, %zu bytes at %zu", verbs[step->kind], step->file,
             step->name ? step->name : "", step->target ? " to " : "", step->target ? step->target : "",
             step->count, step->offset);
  } else {
    snprintf(out, capacity, "the end");
  }
  disk_unlock();
}
