/* What a disk may hold after the power was cut.
 *
 * The steps are done again on files in memory. Each has the bytes that were synchronised, and behind them a
 * list of steps that were not; so have the names of the folder. When the power goes, the loss that was asked
 * for decides for each of those what becomes of it: a write is done sector by sector, and any may be missing,
 * whatever came after it; names change in order, so only the last changes can be missing, but they wait for
 * no bytes. */
#define _GNU_SOURCE
#include "recorder.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECTOR = 512, INDEX_SIZE = 32768 };

typedef struct image_file {
  unsigned char *bytes;
  size_t count, capacity;
  size_t *waiting; /* steps that were not synchronised */
  size_t waiting_count;
} image_file;

typedef struct image_name {
  const char *name; /* NULL: none any more */
  size_t file;
} image_name;

typedef struct image {
  const disk_recorder *recorder;
  image_file *files;
  image_name *names;
  size_t name_count;
  size_t *waiting;
  size_t waiting_count;
  uint64_t random;
  unsigned kept; /* of 16 */
} image;

static uint64_t mixed(uint64_t x) {
  x += UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return x ^ (x >> 31);
}

static uint64_t drawn(image *m) {
  return m->random = mixed(m->random);
}
static bool is_kept(image *m) {
  return drawn(m) % 16 < m->kept;
}

static void *needed(void *memory) {
  if (!memory)
    abort();
  return memory;
}

/* ---- bytes ---- */

static void set_size(image_file *f, size_t size) {
  if (size > f->capacity) {
    f->capacity = size + size / 2;
    f->bytes = needed(realloc(f->bytes, f->capacity));
  }
  if (size > f->count)
    memset(f->bytes + f->count, 0, size - f->count);
  f->count = size;
}

static void put(image_file *f, const disk_step *step, size_t from, size_t count) {
  if (step->offset + from + count > f->count)
    set_size(f, step->offset + from + count);
  memcpy(f->bytes + step->offset + from, step->bytes + from, count);
}

static void do_step(image_file *f, const disk_step *step) {
  if (step->kind == DISK_TRUNCATE)
    set_size(f, step->offset);
  else
    put(f, step, 0, step->count);
}

/* The end of the sector that a place of a write is in, counted from the beginning of the write. */
static size_t sector_end(const disk_step *step, size_t from) {
  size_t end = ((step->offset + from) / SECTOR + 1) * SECTOR - step->offset;
  return end < step->count ? end : step->count;
}

static void do_some(image *m, image_file *f, const disk_step *step) {
  if (step->kind == DISK_TRUNCATE) {
    if (is_kept(m))
      set_size(f, step->offset);
    return;
  }
  /* The size of the file may be known before its bytes are. */
  if (step->offset + step->count > f->count && is_kept(m))
    set_size(f, step->offset + step->count);
  for (size_t from = 0, end; from < step->count; from = end) {
    end = sector_end(step, from);
    if (is_kept(m))
      put(f, step, from, end - from);
  }
}

static void synchronise(image *m, image_file *f) {
  for (size_t i = 0; i < f->waiting_count; i++)
    do_step(f, &m->recorder->steps[f->waiting[i]]);
  f->waiting_count = 0;
}

/* ---- names ---- */

static void set_file(image *m, const char *name, size_t file, bool is_there) {
  size_t i = 0;
  while (i < m->name_count && (!m->names[i].name || strcmp(m->names[i].name, name) != 0))
    i++;
  if (i == m->name_count) {
    if (!is_there)
      return;
    m->name_count++;
  }
  m->names[i] = (image_name){.name = is_there ? name : NULL, .file = file};
}

static void do_name(image *m, const disk_step *step) {
  set_file(m, step->name, step->file, step->kind == DISK_CREATE);
  if (step->kind == DISK_RENAME)
    set_file(m, step->target, step->file, true);
}

static bool is_in(const char *name, const char *folder) {
  const char *cut = strrchr(name, '/');
  size_t length = cut ? (size_t)(cut - name) : 0;
  return strlen(folder) == length && strncmp(name, folder, length) == 0;
}

static void synchronise_folder(image *m, const char *folder) {
  size_t left = 0;
  for (size_t i = 0; i < m->waiting_count; i++) {
    const disk_step *step = &m->recorder->steps[m->waiting[i]];
    if (is_in(step->target ? step->target : step->name, folder))
      do_name(m, step);
    else
      m->waiting[left++] = m->waiting[i];
  }
  m->waiting_count = left;
}

/* ---- the steps again ---- */

static void begin(image *m, size_t steps) {
  const disk_recorder *r = m->recorder;
  m->files = needed(calloc(r->file_count + 1, sizeof *m->files));
  m->names = needed(calloc(r->file_count + 2 * steps + 1, sizeof *m->names));
  m->waiting = needed(calloc(steps + 1, sizeof *m->waiting));
  for (size_t i = 0; i < r->file_count; i++) {
    m->files[i].waiting = needed(calloc(steps + 1, sizeof(size_t)));
    if (!r->files[i].name)
      continue;
    set_size(&m->files[i], r->files[i].count);
    memcpy(m->files[i].bytes, r->files[i].bytes, r->files[i].count);
    set_file(m, r->files[i].name, i, true);
  }
}

static void repeat(image *m, size_t number) {
  const disk_step *step = &m->recorder->steps[number];
  image_file *f = &m->files[step->file];
  switch (step->kind) {
  case DISK_WRITE:
  case DISK_TRUNCATE:
    f->waiting[f->waiting_count++] = number;
    break;
  case DISK_SYNC:
    synchronise(m, f);
    break;
  case DISK_SYNC_FOLDER:
    synchronise_folder(m, step->name);
    break;
  case DISK_CREATE:
  case DISK_RENAME:
  case DISK_UNLINK:
    m->waiting[m->waiting_count++] = number;
    break;
  }
}

static void lose_bytes(image *m, size_t steps, enum disk_loss loss) {
  for (size_t i = 0; i < m->recorder->file_count; i++) {
    image_file *f = &m->files[i];
    for (size_t w = 0; w < f->waiting_count; w++) {
      const disk_step *step = &m->recorder->steps[f->waiting[w]];
      bool is_torn = loss == DISK_TEARS_LAST && f->waiting[w] + 1 == steps && step->kind == DISK_WRITE;
      if (is_torn)
        put(f, step, 0, sector_end(step, (size_t)(drawn(m) % (step->count + 1))) / 2);
      else if (loss == DISK_LOSES_NOTHING || loss == DISK_TEARS_LAST)
        do_step(f, step);
      else if (loss == DISK_LOSES_SOME)
        do_some(m, f, step);
    }
  }
}

static void lose_names(image *m, enum disk_loss loss) {
  size_t kept = m->waiting_count;
  if (loss == DISK_LOSES_ALL)
    kept = 0;
  else if (loss == DISK_LOSES_SOME)
    kept = (size_t)(drawn(m) % (kept + 1));
  for (size_t i = 0; i < kept; i++)
    do_name(m, &m->recorder->steps[m->waiting[i]]);
}

/* ---- writing it down ---- */

static uint64_t hash(uint64_t state, const void *bytes, size_t count) {
  const unsigned char *at = bytes;
  for (; count >= 8; at += 8, count -= 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    state = (state ^ word) * UINT64_C(0xFF51AFD7ED558CCD);
    state ^= state >> 32;
  }
  for (; count > 0; at++, count--)
    state = (state ^ *at) * UINT64_C(0x100000001B3);
  return mixed(state);
}

static bool write_file(const char *folder, const char *name, const void *bytes, size_t count) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  for (char *cut = path + strlen(folder) + 1; (cut = strchr(cut, '/')); cut++) {
    *cut = 0;
    mkdir(path, 0700);
    *cut = '/';
  }
  int descriptor = disk_real_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  bool is_written = descriptor >= 0 && disk_real_pwrite(descriptor, bytes, count, 0) == (ssize_t)count;
  if (descriptor >= 0)
    close(descriptor);
  return is_written;
}

/* The index that a log had is nothing to rely on. */
static bool write_index(image *m, const char *folder, const char *log) {
  unsigned char bytes[INDEX_SIZE];
  for (size_t i = 0; i < sizeof bytes; i += 8) {
    uint64_t word = drawn(m);
    memcpy(bytes + i, &word, 8);
  }
  char name[PATH_MAX];
  snprintf(name, sizeof name, "%.*s-shm", (int)(strlen(log) - 4), log);
  return write_file(folder, name, bytes, sizeof bytes);
}

static bool is_log(const char *name) {
  size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, "-wal") == 0;
}

static uint64_t finish(image *m, const char *into) {
  uint64_t sum = 1;
  for (size_t i = 0; i < m->name_count; i++) {
    const image_name *n = &m->names[i];
    if (!n->name)
      continue;
    const image_file *f = &m->files[n->file];
    sum += hash(hash(f->count, n->name, strlen(n->name)), f->bytes, f->count);
    if (into && !write_file(into, n->name, f->count ? f->bytes : (const unsigned char *)"", f->count))
      return 0;
    if (into && is_log(n->name) && !write_index(m, into, n->name))
      return 0;
  }
  return sum ? sum : 1;
}

static void free_image(image *m) {
  for (size_t i = 0; i < m->recorder->file_count; i++) {
    free(m->files[i].bytes);
    free(m->files[i].waiting);
  }
  free(m->files);
  free(m->names);
  free(m->waiting);
}

uint64_t disk_recorder_restore(const disk_recorder *recorder, size_t steps, enum disk_loss loss,
                               uint64_t seed, const char *into) {
  static const unsigned chances[] = {2, 8, 14, 15};
  disk_lock();
  if (steps > recorder->step_count)
    steps = recorder->step_count;
  image m = {.recorder = recorder, .random = mixed(seed) ^ steps};
  m.kept = chances[drawn(&m) % 4];
  begin(&m, steps);
  for (size_t i = 0; i < steps; i++)
    repeat(&m, i);
  lose_bytes(&m, steps, loss);
  lose_names(&m, loss);
  uint64_t sum = finish(&m, into);
  free_image(&m);
  disk_unlock();
  return sum;
}
