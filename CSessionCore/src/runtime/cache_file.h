/* Small files that are read and written as a whole. */
#ifndef SC_SRC_RUNTIME_CACHE_FILE_H
#define SC_SRC_RUNTIME_CACHE_FILE_H

#include "session-core/base/bytes.h"

enum { sc_cache_path_bytes = 4096 };

#define SC_CACHE_FILE_MOST ((size_t)64 * 1024 * 1024)

/* "folder/name", with the terminator. SC_ERR_TOO_LARGE. */
SC_NODISCARD sc_status sc_cache_path(char out[static sc_cache_path_bytes], const char *folder,
                                     const char *name);

/* Replaces `out` with the content; `*written` is the time of writing in milliseconds since 1970.
 * SC_ERR_NOT_FOUND if there is no readable file; SC_ERR_TOO_LARGE, SC_ERR_NO_MEMORY. */
SC_NODISCARD sc_status sc_cache_read(sc_buffer *out, uint64_t *written, const char *path);

/* Writes a new file and renames it, so that there is always a complete one. SC_ERR_SYSTEM, SC_ERR_TOO_LARGE.
 */
SC_NODISCARD sc_status sc_cache_write(const char *path, sc_bytes bytes);

#endif
