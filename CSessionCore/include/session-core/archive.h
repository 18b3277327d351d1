/* The archive room: an account's history, settings and files in one encrypted file, for another machine or
 * for the day when a disk fails.
 *
 * An archive is a header with up to three locks, each of which opens the file with another secret, and chunks
 * that are encrypted one by one (`sealed.h`). What they contain is a sequence of frames: a manifest, rows of
 * tables, files, and an end (`contents.h`). Writing is writer → sealer → file, reading is file → opener →
 * reader → visitor; everything streams in constant memory.
 *
 * The program decides which tables, rows and settings travel, and what it does with those it reads. */
#ifndef SC_ARCHIVE_H
#define SC_ARCHIVE_H

#include "archive/contents.h"
#include "archive/reader.h"
#include "archive/sealed.h"
#include "archive/writer.h"

#endif
