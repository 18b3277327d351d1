/* The manifest as JSON. */
#ifndef SC_SRC_ARCHIVE_MANIFEST_H
#define SC_SRC_ARCHIVE_MANIFEST_H

#include "../base/arena.h"
#include "session-core/archive/contents.h"
#include "session-core/archive/reader.h"

/* The largest number of a sequence. */
#define SC_ARCHIVE_MAX_SEQUENCE ((int64_t)1 << 62)

/* The words for sc_archive_files. */
extern const char *const sc_manifest_files[SC_ARCHIVE_FILES_NONE + 1];

/* Checks the values, with SC_ERR_ARCHIVE_MANIFEST for those that the format does not allow. */
SC_NODISCARD sc_status sc_manifest_check(const sc_archive_manifest *manifest);

/* Appends the text. SC_ERR_UTF8. */
SC_NODISCARD sc_status sc_manifest_write(sc_buffer *out, const sc_archive_manifest *manifest);

/* Reads and checks; what the manifest points to is put into the arena. SC_ERR_ARCHIVE_FRAME for text that is
 * no JSON object, SC_ERR_ARCHIVE_MANIFEST, SC_ERR_ARCHIVE_DOWNGRADE. */
SC_NODISCARD sc_status sc_manifest_read(sc_archive_manifest *out, sc_arena *arena, sc_bytes text,
                                        const sc_archive_known *known);

#endif
