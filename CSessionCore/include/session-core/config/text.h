/* Names and times from other devices, which may be too long, invalid UTF-8 or in other units. Getters of
 * configs return stored values; these functions turn them into values to store or to show. */
#ifndef SC_CONFIG_TEXT_H
#define SC_CONFIG_TEXT_H

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

/* The latest time recognised as seconds. */
#define SC_CONFIG_MAX_SECONDS ((int64_t)9000000000)

/* Returns as much of a text as fits into `limit` bytes without splitting a character; part of `text`. */
SC_API sc_bytes sc_config_cut(sc_bytes text, size_t limit);

/* Replaces `out` with a text for people: up to the first NUL, cut to `limit` bytes, with U+FFFD for each
 * byte that is not part of a valid character. */
SC_API SC_NODISCARD sc_status sc_config_shown(sc_buffer *out, sc_bytes text, size_t limit);

/* Converts a time that some clients store in milliseconds or microseconds to seconds. */
SC_API int64_t sc_config_seconds(int64_t time);

SC_API_END

#endif
