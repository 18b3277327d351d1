/* Names and times as they come from other devices: longer than they may be, no UTF-8 at all, in other units.
 * Getters of configs give what is stored; these make of it what is stored next or what people see. */
#ifndef SC_CONFIG_TEXT_H
#define SC_CONFIG_TEXT_H

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

/* The latest time that can be told to be in seconds. */
#define SC_CONFIG_MAX_SECONDS ((int64_t)9000000000)

/* As much of a text as fits into `limit` bytes without its last character being split; part of `text`. */
SC_API sc_bytes sc_config_cut(sc_bytes text, size_t limit);

/* Replaces `out` with a text as people may see it: up to the first NUL, cut to `limit` bytes, and with U+FFFD
 * in the place of each byte that is no part of a well-formed character, for which there is always room. */
SC_API SC_NODISCARD sc_status sc_config_shown(sc_buffer *out, sc_bytes text, size_t limit);

/* A time in seconds, which some clients have written in milliseconds or microseconds. */
SC_API int64_t sc_config_seconds(int64_t time);

SC_API_END

#endif
