/* zstd with limits: decompression never produces more bytes than the caller allows, even if the input claims
 * more. */
#ifndef SC_SRC_BASE_COMPRESSION_H
#define SC_SRC_BASE_COMPRESSION_H

#include "session-core/base/api.h"
#include "session-core/base/bytes.h"

/* The largest window of a frame, as a power of two: 8 MiB. */
#define SC_ZSTD_WINDOW_LOG_MAX 23

/* Replaces `out` with `prefix` followed by one zstd frame of `data`, which states its size. `level` is 1
 * (fast) to 19: SC_ERR_ARGUMENT. */
SC_NODISCARD sc_status sc_zstd_compress(sc_buffer *out, sc_bytes prefix, sc_bytes data, int level);

/* Replaces `out` with the content of one or more whole frames, `max_len` bytes at most.
 * SC_ERR_TOO_LARGE over that; SC_ERR_COMPRESSION for anything that is not whole zstd frames, for skippable
 * frames, and for a window over the limit. */
SC_NODISCARD sc_status sc_zstd_decompress(sc_buffer *out, sc_bytes frames, size_t max_len);

/* The same for exactly one frame; SC_ERR_COMPRESSION if anything follows it. */
SC_NODISCARD sc_status sc_zstd_decompress_one(sc_buffer *out, sc_bytes frame, size_t max_len);

/* The same for a frame that states its size, and whose window is at most 2^window_log bytes. */
SC_NODISCARD sc_status sc_zstd_decompress_stated(sc_buffer *out, sc_bytes frame, size_t max_len,
                                                 unsigned window_log);

#endif
