/* What is written down: the files of a folder, and the steps that changed them. Everything here needs the
 * lock. */
#pragma once

#include "disk-recorder.h"

#include <sys/types.h>

enum disk_kind {
  DISK_CREATE,
  DISK_WRITE,
  DISK_TRUNCATE,
  DISK_SYNC,
  DISK_RENAME,
  DISK_UNLINK,
  DISK_SYNC_FOLDER,
};

typedef struct disk_step {
  enum disk_kind kind;
  size_t file;   /* which one, but for DISK_SYNC_FOLDER */
  char *name;    /* DISK_CREATE, _RENAME, _UNLINK: what it is called; DISK_SYNC_FOLDER: the folder */
  char *target;  /* DISK_RENAME: what it is called from then on */
  size_t offset; /* DISK_WRITE; DISK_TRUNCATE: the size */
  size_t count;
  unsigned char *bytes;
} disk_step;

/* A file as it was found, or made. */
typedef struct disk_file {
  dev_t device;
  ino_t inode;   /* reused by another file after this one is unlinked and closed */
  bool has_name; /* now */
  char *name;    /* at the beginning; NULL for one that was made later */
  size_t count;
  unsigned char *bytes;
} disk_file;

struct disk_recorder {
  disk_recorder *next;
  char *folder;
  bool is_stopped;
  disk_file *files;
  size_t file_count;
  disk_step *steps;
  size_t step_count;
  enum disk_fault fault;
  bool is_failing;
  size_t calls; /* since it was told to fail */
  size_t first_failure;
  size_t failure_count;
  size_t failures; /* that there were */
};

void disk_lock(void);
void disk_unlock(void);

/* Whether anything is recorded at all. Needs no lock. */
bool disk_is_recording(void);

/* The recorder of what is at an absolute path, and the name of that inside of its folder. */
disk_recorder *disk_find_path(const char *path, const char **name);

/* The recorder of an open file, and its number; that of an open folder, and its name. NULL for others. */
disk_recorder *disk_find_file(int descriptor, size_t *file);
disk_recorder *disk_find_folder(int descriptor, const char **name, char *buffer, size_t capacity);

/* Its name is gone, or that of another file. */
void disk_unname(disk_recorder *recorder, size_t file);

/* Adds a file that was just made. */
size_t disk_add_file(disk_recorder *recorder, int descriptor);

/* Adds a step. The texts and bytes are copied. */
disk_step *disk_add_step(disk_recorder *recorder, enum disk_kind kind, size_t file);
void disk_set_name(char **slot, const char *name);
void disk_set_bytes(disk_step *step, size_t offset, const void *bytes, size_t count);

/* Whether a call that is about to be made is to fail. */
bool disk_fails(disk_recorder *recorder, enum disk_fault fault);

/* Of the system, unrecorded. */
int disk_real_open(const char *path, int flags, mode_t mode);
ssize_t disk_real_pread(int descriptor, void *out, size_t count, off_t offset);
ssize_t disk_real_pwrite(int descriptor, const void *bytes, size_t count, off_t offset);
