/* A disk that can be pulled out at any step.
 *
 * The calls by which a program changes files (open, write, fsync, rename…) are defined anew in the program
 * that links this. They do what they always did, and write down what was asked for inside of a folder that is
 * recorded: in order, from all threads, whether it came from the database engine or from anybody else. From
 * that record the folder can be made again as a disk would hold it if the power had been cut after any of the
 * steps: what was synchronised is there, and what was not may be there, in part, or not at all, names of
 * files as well as their bytes.
 *
 * The same calls can be made to fail at a step: a full disk, a broken one, a file that ends too early.
 *
 * Memory that is mapped is not recorded. The engine maps the index of its log alone, which nothing may rely
 * on after a crash: where it was there, the folder gets one of arbitrary bytes.
 *
 * Every function here may be called from any thread. A recorder must not be freed while it is in use. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct disk_recorder disk_recorder;

/* Begins to record a folder, which is there by an absolute path, with what is in it as on the disk. NULL for
 * want of memory, or when it cannot be read. */
disk_recorder *disk_recorder_new(const char *folder);

/* Ends the recording; what was recorded stays. */
void disk_recorder_stop(disk_recorder *recorder);
void disk_recorder_free(disk_recorder *recorder);

/* How many steps were recorded so far. */
size_t disk_recorder_count(const disk_recorder *recorder);

/* Writes what a step was into `out`, as text. */
void disk_recorder_describe(const disk_recorder *recorder, size_t step, char *out, size_t capacity);

/* Whether anything that was written has these bytes in it. */
bool disk_recorder_has_written(const disk_recorder *recorder, const void *bytes, size_t count);

/* What becomes of that which was not synchronised. */
enum disk_loss {
  DISK_LOSES_NOTHING = 0, /* the program was killed, not the machine */
  DISK_LOSES_ALL,         /* bytes and names */
  DISK_LOSES_BYTES,       /* names were kept before the bytes were */
  DISK_TEARS_LAST,        /* all is there but the end of the last write */
  DISK_LOSES_SOME,        /* every sector and name for itself, by the seed */
};

/* Makes the folder in another one, which is there and empty, as it was after so many steps; with NULL,
 * nowhere. Returns a number that is the same for the same content; 0 when it could not be written. */
uint64_t disk_recorder_restore(const disk_recorder *recorder, size_t steps, enum disk_loss loss,
                               uint64_t seed, const char *into);

/* What a call may come to. */
enum disk_fault {
  DISK_FULL = 0, /* what makes files or lets them grow fails, after a part of it */
  DISK_BROKEN,   /* whatever is done with a file fails */
  DISK_SHORT,    /* a file ends in the middle of what is read */
};

/* Has calls fail from the one with this number on, counted from zero and from now: so many of them. */
void disk_recorder_fail(disk_recorder *recorder, enum disk_fault fault, size_t first, size_t count);

/* Lets everything succeed again. Returns how many calls have failed. */
size_t disk_recorder_heal(disk_recorder *recorder);

#ifdef __cplusplus
}
#endif
