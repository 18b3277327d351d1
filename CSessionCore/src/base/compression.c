/* zstd takes its memory from the environment of `out`, and gives it back wiped: it held the data. */
#define ZSTD_STATIC_LINKING_ONLY /* custom memory */

#include "compression.h"

#include <stdalign.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "session-core/base/secret.h"

enum { fastest_level = 1, smallest_level = 19 };

/* In front of each block, so that it can be wiped whole. */
typedef struct block {
  alignas(max_align_t) size_t size;
} block;

static void *allocate_block(void *env, size_t size) {
  if (size > SIZE_MAX - sizeof(block))
    return NULL;
  block *made = sc_allocate(env, sizeof *made + size);
  if (made == NULL)
    return NULL;
  made->size = size;
  return made + 1;
}

static void release_block(void *env, void *ptr) {
  if (ptr == NULL)
    return;
  block *made = (block *)ptr - 1;
  sc_wipe(ptr, made->size);
  sc_release(env, made);
}

static ZSTD_customMem memory_of(const sc_buffer *out) {
  return (ZSTD_customMem){
      .customAlloc = allocate_block,
      .customFree = release_block,
      .opaque = (void *)(uintptr_t)out->env,
  };
}

static sc_status status_of(size_t result) {
  if (!ZSTD_isError(result))
    return SC_OK;
  return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation ? SC_ERR_NO_MEMORY : SC_ERR_COMPRESSION;
}

/* Appends one frame, the same bytes that ZSTD_compress makes. */
static sc_status append_frame(sc_buffer *out, ZSTD_CCtx *context, sc_bytes data, int level) {
  size_t bound = ZSTD_compressBound(data.len);
  if (ZSTD_isError(bound))
    return SC_ERR_TOO_LARGE;
  sc_status status = sc_buffer_reserve(out, bound);
  if (status != SC_OK)
    return status;
  size_t len = ZSTD_compressCCtx(context, out->ptr + out->len, bound, data.ptr, data.len, level);
  status = status_of(len);
  if (status == SC_OK)
    out->len += len;
  return status;
}

sc_status sc_zstd_compress(sc_buffer *out, sc_bytes prefix, sc_bytes data, int level) {
  sc_buffer_clear(out);
  if (level < fastest_level || level > smallest_level)
    return SC_ERR_ARGUMENT;
  ZSTD_CCtx *context = ZSTD_createCCtx_advanced(memory_of(out));
  if (context == NULL)
    return SC_ERR_NO_MEMORY;
  sc_status status = sc_buffer_append(out, prefix);
  if (status == SC_OK)
    status = append_frame(out, context, data, level);
  ZSTD_freeCCtx(context);
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}

/* zstd would also take frames to be skipped, and larger windows where it happens not to need them. */
static bool acceptable_frame_begins(const ZSTD_inBuffer *in) {
  ZSTD_frameHeader header;
  return in->pos < in->size &&
         ZSTD_getFrameHeader(&header, (const uint8_t *)in->src + in->pos, in->size - in->pos) == 0 &&
         header.frameType == ZSTD_frame && header.windowSize <= 1U << SC_ZSTD_WINDOW_LOG_MAX;
}

/* Offers the decompressor its next output space: room in the buffer up to `max_len`, then the single byte
 * `beyond`, which is only written if the output is too long. */
static sc_status next_space(ZSTD_outBuffer *out, sc_buffer *buffer, size_t max_len, uint8_t *beyond) {
  enum { smallest_growth = 4096 };
  *out = (ZSTD_outBuffer){.dst = beyond, .size = 1};
  if (buffer->len >= max_len)
    return SC_OK;
  size_t left = max_len - buffer->len;
  if (buffer->len == buffer->capacity) {
    sc_status status = sc_buffer_reserve(buffer, left < smallest_growth ? left : smallest_growth);
    if (status != SC_OK)
      return status;
  }
  size_t spare = buffer->capacity - buffer->len;
  *out = (ZSTD_outBuffer){.dst = buffer->ptr + buffer->len, .size = spare < left ? spare : left};
  return SC_OK;
}

static sc_status append_content(sc_buffer *out, ZSTD_DCtx *context, ZSTD_inBuffer *in, size_t max_len) {
  size_t due;
  do {
    uint8_t beyond;
    ZSTD_outBuffer space;
    sc_status status = next_space(&space, out, max_len, &beyond);
    if (status != SC_OK)
      return status;
    due = ZSTD_decompressStream(context, &space, in);
    if (ZSTD_isError(due))
      return status_of(due);
    if (space.dst == &beyond && space.pos > 0)
      return SC_ERR_TOO_LARGE;
    out->len += space.pos;
    bool starved = in->pos == in->size && space.pos < space.size;
    if (due > 0 && starved)
      return SC_ERR_COMPRESSION;
  } while (due > 0);
  return SC_OK;
}

/* Makes room for content that is not compressed unusually well: zstd is fastest when it can write a frame's
 * whole content in place. The size that a frame claims is ignored. */
static sc_status reserve_usual_room(sc_buffer *out, sc_bytes frames, size_t max_len) {
  enum { usual_ratio = 4 };
  return sc_buffer_reserve(out, frames.len < max_len / usual_ratio ? frames.len * usual_ratio : max_len);
}

sc_status sc_zstd_decompress(sc_buffer *out, sc_bytes frames, size_t max_len) {
  sc_buffer_clear(out);
  ZSTD_DCtx *context = ZSTD_createDCtx_advanced(memory_of(out));
  if (context == NULL)
    return SC_ERR_NO_MEMORY;
  sc_status status = reserve_usual_room(out, frames, max_len);
  ZSTD_inBuffer in = {.src = frames.ptr, .size = frames.len};
  do {
    if (status == SC_OK && !acceptable_frame_begins(&in))
      status = SC_ERR_COMPRESSION;
    if (status == SC_OK)
      status = append_content(out, context, &in, max_len);
  } while (status == SC_OK && in.pos < in.size);
  ZSTD_freeDCtx(context);
  if (status != SC_OK)
    sc_buffer_clear(out);
  /* zstd may write beyond the reported length, and reports nothing after a failure. */
  if (out->capacity > out->len)
    sc_wipe(out->ptr + out->len, out->capacity - out->len);
  return status;
}

sc_status sc_zstd_decompress_one(sc_buffer *out, sc_bytes frame, size_t max_len) {
  size_t len = ZSTD_findFrameCompressedSize(frame.ptr, frame.len);
  if (!ZSTD_isError(len) && len == frame.len)
    return sc_zstd_decompress(out, frame, max_len);
  sc_buffer_clear(out);
  return SC_ERR_COMPRESSION;
}

sc_status sc_zstd_decompress_stated(sc_buffer *out, sc_bytes frame, size_t max_len, unsigned window_log) {
  ZSTD_frameHeader header;
  bool acceptable = ZSTD_getFrameHeader(&header, frame.ptr, frame.len) == 0 &&
                    header.frameType == ZSTD_frame && header.windowSize <= 1U << window_log &&
                    header.frameContentSize != ZSTD_CONTENTSIZE_UNKNOWN;
  if (acceptable)
    return header.frameContentSize <= max_len ? sc_zstd_decompress_one(out, frame, max_len)
                                              : SC_ERR_TOO_LARGE;
  sc_buffer_clear(out);
  return SC_ERR_COMPRESSION;
}
