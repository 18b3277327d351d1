#include "frame.h"

#include <assert.h>
#include <stdbool.h>

enum {
  smallest_kept = 512,
  growth = 4, /* a peer that announces much and sends little is given little */
  growth_unknown = 2,
  slack = 4, /* a spare block may be larger than it had to be by so small a part */
  unknown = 0,
};

static bool is_digit(uint8_t byte) {
  return byte >= '0' && byte <= '9';
}

static bool take(uint8_t *out, sc_bytes *rest) {
  if (rest->len == 0)
    return false;
  *out = *rest->ptr;
  *rest = sc_bytes_make(rest->ptr + 1, rest->len - 1);
  return true;
}

/* An integer whose 'i' was taken. */
static bool read_id(int64_t *out, sc_bytes *rest) {
  uint8_t byte;
  bool negative = rest->len > 0 && rest->ptr[0] == '-' && take(&byte, rest);
  uint64_t most = (uint64_t)INT64_MAX + (negative ? 1 : 0);
  uint64_t number = 0;
  size_t digits = 0;
  for (; take(&byte, rest) && is_digit(byte); digits++) {
    uint64_t digit = (uint64_t)(byte - '0');
    if (number > (most - digit) / 10)
      return false;
    number = number * 10 + digit;
  }
  if (digits == 0 || byte != 'e')
    return false;
  *out = negative ? (int64_t)(0 - number) : (int64_t)number;
  return true;
}

static bool read_string(sc_bytes *out, sc_bytes *rest) {
  uint8_t byte;
  size_t len = 0;
  size_t digits = 0;
  for (; take(&byte, rest) && is_digit(byte) && digits < sc_quic_most_length_digits; digits++) {
    if (digits == 1 && len == 0)
      return false; /* a spare zero */
    len = len * 10 + (size_t)(byte - '0');
  }
  if (digits == 0 || byte != ':' || len > rest->len)
    return false;
  *out = sc_bytes_make(rest->ptr, len);
  *rest = sc_bytes_make(rest->ptr + len, rest->len - len);
  return true;
}

static bool begins(sc_bytes *rest, uint8_t expected) {
  uint8_t byte;
  return take(&byte, rest) && byte == expected;
}

sc_status sc_quic_frame_parse(sc_quic_frame *out, sc_bytes list) {
  sc_quic_frame frame = {.kind = SC_QUIC_FRAME_COMMAND};
  sc_bytes rest = list;
  sc_bytes type;
  if (!begins(&rest, 'l') || !read_string(&type, &rest) || !begins(&rest, 'i') || !read_id(&frame.id, &rest))
    return SC_ERR_REQUEST_FRAME;
  uint8_t letter = type.len == 1 ? type.ptr[0] : 0;
  if (letter == 'R')
    frame.kind = SC_QUIC_FRAME_REPLY;
  else if (letter == 'E')
    frame.kind = SC_QUIC_FRAME_ERROR;
  else if (letter == 'C' && !read_string(&frame.name, &rest))
    return SC_ERR_REQUEST_FRAME;
  if (!read_string(&frame.body, &rest) || rest.len == 0 || rest.ptr[rest.len - 1] != 'e')
    return SC_ERR_REQUEST_FRAME;
  *out = frame;
  return SC_OK;
}

static size_t count_digits(uint64_t number) {
  size_t digits = 1;
  for (; number >= 10; number /= 10)
    digits++;
  return digits;
}

static uint8_t *write_number(uint8_t *out, uint64_t number) {
  size_t digits = count_digits(number);
  for (size_t i = digits; i-- > 0; number /= 10)
    out[i] = (uint8_t)('0' + number % 10);
  return out + digits;
}

static uint8_t *write_bytes(uint8_t *out, sc_bytes bytes) {
  if (bytes.len > 0)
    memcpy(out, bytes.ptr, bytes.len);
  return out + bytes.len;
}

static uint64_t magnitude(int64_t number) {
  return number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
}

static size_t string_len(size_t len) {
  return count_digits(len) + 1 + len;
}

size_t sc_quic_frame_head(uint8_t out[static sc_quic_largest_head], size_t *frame_len,
                          const sc_quic_frame *frame) {
  static const char *const types[] = {"1:Ci", "1:Ri", "1:Ei"};
  bool named = frame->kind == SC_QUIC_FRAME_COMMAND;
  size_t list = (frame->id < 0 ? 6U : 5U) + count_digits(magnitude(frame->id)) + 1 +
                (named ? string_len(frame->name.len) : 0) + string_len(frame->body.len) + 1;
  uint8_t *at = write_number(out, list);
  *at++ = ':';
  *frame_len = (size_t)(at - out) + list;
  *at++ = 'l';
  at = write_bytes(at, sc_bytes_make(types[frame->kind], 4));
  if (frame->id < 0)
    *at++ = '-';
  at = write_number(at, magnitude(frame->id));
  *at++ = 'e';
  if (named) {
    at = write_number(at, frame->name.len);
    *at++ = ':';
    at = write_bytes(at, frame->name);
  }
  at = write_number(at, frame->body.len);
  *at++ = ':';
  assert((size_t)(at - out) + frame->body.len + 1 == *frame_len);
  return (size_t)(at - out);
}

void sc_quic_frame_reader_init(sc_quic_frame_reader *reader, sc_quic_blocks *blocks, size_t largest_list) {
  *reader = (sc_quic_frame_reader){.blocks = blocks, .largest = largest_list};
}

static void give_back(sc_quic_frame_reader *reader) {
  sc_quic_blocks_give_back(reader->blocks, (sc_quic_block){reader->kept, reader->capacity});
}

/* Bytes from the network are no secrets of this side, so they are not wiped. */
void sc_quic_frame_reader_free(sc_quic_frame_reader *reader) {
  give_back(reader);
  sc_quic_frame_reader_init(reader, reader->blocks, reader->largest);
}

/* Allocates for `needed` of `wanted` bytes: in proportion to the bytes received so far, unless a cached
 * block is larger. */
static sc_quic_block take_block(sc_quic_frame_reader *reader, size_t needed, size_t wanted) {
  size_t capacity = needed * (wanted != unknown ? growth : growth_unknown);
  if (wanted != unknown && capacity > wanted)
    capacity = wanted > needed ? wanted : needed;
  capacity = capacity > smallest_kept ? capacity : smallest_kept;
  size_t most = wanted != unknown && wanted > capacity ? wanted : capacity;
  return sc_quic_blocks_take(reader->blocks, needed, most + most / slack, capacity);
}

static void move_to(sc_quic_frame_reader *reader, sc_quic_block block) {
  size_t kept = sc_quic_frame_kept(reader);
  if (kept > 0)
    memcpy(block.bytes, reader->kept + reader->begin, kept);
  give_back(reader);
  reader->kept = block.bytes;
  reader->capacity = block.capacity;
  reader->begin = 0;
  reader->end = kept;
}

/* Room for `extra` bytes, of a frame of `wanted` bytes in all. */
static sc_status reserve(sc_quic_frame_reader *reader, size_t extra, size_t wanted) {
  size_t kept = sc_quic_frame_kept(reader);
  if (extra <= reader->capacity - reader->end)
    return SC_OK;
  if (extra <= reader->capacity - kept) {
    memmove(reader->kept, reader->kept + reader->begin, kept);
    reader->begin = 0;
    reader->end = kept;
    return SC_OK;
  }
  sc_quic_block block = take_block(reader, kept + extra, wanted);
  if (block.bytes == NULL)
    return SC_ERR_NO_MEMORY;
  move_to(reader, block);
  return SC_OK;
}

static sc_status keep(sc_quic_frame_reader *reader, sc_bytes *input, size_t len, size_t wanted) {
  len = len < input->len ? len : input->len;
  if (len == 0)
    return SC_OK;
  sc_status status = reserve(reader, len, wanted);
  if (status != SC_OK)
    return status;
  memcpy(reader->kept + reader->end, input->ptr, len);
  reader->end += len;
  *input = sc_bytes_make(input->ptr + len, input->len - len);
  return SC_OK;
}

/* Reads the length of a list and finds its first byte. SC_ERR_TRUNCATED if the length has no end yet. */
static sc_status read_length(size_t *begin, size_t *len, const sc_quic_frame_reader *reader, sc_bytes bytes) {
  size_t number = 0;
  size_t at = 0;
  for (; at < bytes.len && is_digit(bytes.ptr[at]); at++) {
    if (at == sc_quic_most_length_digits)
      return SC_ERR_REQUEST_FRAME;
    number = number * 10 + (size_t)(bytes.ptr[at] - '0');
  }
  if (at == bytes.len)
    return SC_ERR_TRUNCATED;
  if (bytes.ptr[at] != ':' || at == 0 || number == 0)
    return SC_ERR_REQUEST_FRAME;
  if (number > reader->largest)
    return SC_ERR_REQUEST_TOO_LARGE;
  *begin = at + 1;
  *len = number;
  return SC_OK;
}

/* Reads a frame at the beginning of `bytes`; `*len` is its length, as far as known. */
static sc_status read_frame(sc_quic_frame *out, size_t *len, const sc_quic_frame_reader *reader,
                            sc_bytes bytes) {
  size_t begin, list;
  *len = bytes.len + 1;
  sc_status status = read_length(&begin, &list, reader, bytes);
  if (status != SC_OK)
    return status;
  *len = begin + list;
  if (bytes.len < *len)
    return SC_ERR_TRUNCATED;
  return sc_quic_frame_parse(out, sc_bytes_make(bytes.ptr + begin, list));
}

static sc_status next_in_place(sc_quic_frame *out, sc_quic_frame_reader *reader, sc_bytes *input) {
  size_t len;
  if (reader->kept != NULL)
    sc_quic_frame_reader_free(reader);
  if (input->len == 0)
    return SC_ERR_TRUNCATED;
  sc_status status = read_frame(out, &len, reader, *input);
  if (status == SC_OK) {
    *input = sc_bytes_make(input->ptr + len, input->len - len);
  } else if (status == SC_ERR_TRUNCATED) {
    sc_status kept = keep(reader, input, input->len, len);
    return kept == SC_OK ? status : kept;
  }
  return status;
}

/* Much was held, and little of it is left: the rest moves to a block of its size, if there is one. */
static void shrink(sc_quic_frame_reader *reader, size_t wanted) {
  size_t kept = sc_quic_frame_kept(reader);
  size_t most = wanted > smallest_kept ? wanted : smallest_kept;
  if (reader->capacity <= most + most / slack)
    return;
  sc_quic_block block = take_block(reader, kept, kept);
  if (block.bytes == NULL)
    return;
  move_to(reader, block);
}

sc_status sc_quic_frame_next(sc_quic_frame *out, sc_quic_frame_reader *reader, sc_bytes *input) {
  if (sc_quic_frame_kept(reader) == 0)
    return next_in_place(out, reader, input);
  for (;;) {
    size_t len;
    sc_bytes kept = sc_bytes_make(reader->kept + reader->begin, sc_quic_frame_kept(reader));
    sc_status status = read_frame(out, &len, reader, kept);
    if (status == SC_OK)
      reader->begin += len;
    if (status == SC_ERR_TRUNCATED)
      shrink(reader, len);
    if (status != SC_ERR_TRUNCATED || input->len == 0)
      return status;
    status = keep(reader, input, len - kept.len, len);
    if (status != SC_OK)
      return status;
  }
}

sc_status sc_quic_frame_hold(sc_quic_frame_reader *reader, sc_bytes input) {
  return keep(reader, &input, input.len, unknown);
}
