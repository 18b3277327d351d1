#include "wire.h"

#include <stdbool.h>

enum {
  type_bits = 3,
  varint_bytes = 10, /* of 64 bits, at most */
  length_bytes = 5,
  more = 0x80, /* another byte of the varint follows */
};

static void advance(sc_bytes *bytes, size_t len) {
  *bytes = sc_bytes_make(bytes->ptr + len, bytes->len - len);
}

/* A varint of at most `longest` bytes. */
static sc_status take_varint(uint64_t *out, sc_bytes *left, size_t longest) {
  uint64_t value = 0;
  for (size_t i = 0; i < longest && i < left->len; i++) {
    value |= (uint64_t)(left->ptr[i] & (more - 1)) << (7 * i);
    if ((left->ptr[i] & more) == 0) {
      advance(left, i + 1);
      *out = value;
      return SC_OK;
    }
  }
  return SC_ERR_CONTENT;
}

sc_status sc_wire_take_varint(uint64_t *out, sc_bytes *left) {
  return take_varint(out, left, varint_bytes);
}

static sc_status take_tag(sc_wire_record *out, sc_bytes *left) {
  uint64_t tag;
  sc_status status = take_varint(&tag, left, length_bytes);
  if (status != SC_OK)
    return status;
  if (tag > UINT32_MAX)
    return SC_ERR_CONTENT;
  out->number = (uint32_t)tag >> type_bits;
  unsigned type = (unsigned)tag & ((1U << type_bits) - 1);
  bool known =
      type == SC_WIRE_VARINT || type == SC_WIRE_64BIT || type == SC_WIRE_BYTES || type == SC_WIRE_32BIT;
  if (out->number == 0 || !known)
    return SC_ERR_PROTO_TAG;
  out->type = (sc_wire_type)type;
  return SC_OK;
}

static sc_status take_body(sc_bytes *out, sc_bytes *left, uint64_t len) {
  if (len > left->len)
    return SC_ERR_CONTENT;
  *out = sc_bytes_make(left->ptr, (size_t)len);
  advance(left, (size_t)len);
  return SC_OK;
}

static sc_status take_value(sc_wire_record *out, sc_bytes *left) {
  uint64_t len = 0;
  sc_status status = SC_OK;
  switch (out->type) {
  case SC_WIRE_VARINT:
    return sc_wire_take_varint(&out->varint, left);
  case SC_WIRE_64BIT:
    len = sizeof(uint64_t);
    break;
  case SC_WIRE_32BIT:
    len = sizeof(uint32_t);
    break;
  case SC_WIRE_BYTES:
    status = take_varint(&len, left, length_bytes);
    break;
  }
  return status == SC_OK ? take_body(&out->body, left, len) : status;
}

sc_status sc_wire_next(sc_wire_record *out, sc_bytes *left) {
  const uint8_t *begin = left->ptr;
  *out = (sc_wire_record){0};
  sc_status status = take_tag(out, left);
  if (status == SC_OK)
    status = take_value(out, left);
  out->raw = sc_bytes_make(begin, (size_t)(left->ptr - begin));
  return status;
}

sc_status sc_wire_append_varint(sc_buffer *out, uint64_t value) {
  uint8_t bytes[varint_bytes];
  size_t len = 0;
  for (; value >= more; value >>= 7)
    bytes[len++] = (uint8_t)(value | more);
  bytes[len++] = (uint8_t)value;
  return sc_buffer_append(out, sc_bytes_make(bytes, len));
}

sc_status sc_wire_append_tag(sc_buffer *out, uint32_t number, sc_wire_type type) {
  return sc_wire_append_varint(out, (uint64_t)number << type_bits | type);
}

sc_status sc_wire_begin_body(size_t *body_at, sc_buffer *out, uint32_t number) {
  static const uint8_t length[length_bytes] = {0};
  sc_status status = sc_wire_append_tag(out, number, SC_WIRE_BYTES);
  if (status == SC_OK)
    status = sc_buffer_append(out, SC_BYTES(length));
  *body_at = out->len;
  return status;
}

void sc_wire_end_body(sc_buffer *out, size_t body_at) {
  size_t len = out->len - body_at;
  uint8_t *length = out->ptr + body_at - length_bytes;
  for (size_t i = 0; i < length_bytes; i++)
    length[i] = (uint8_t)((len >> (7 * i) & (more - 1)) | (i + 1 < length_bytes ? more : 0));
}
