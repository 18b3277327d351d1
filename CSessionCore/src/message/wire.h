/* The protobuf wire format: records of a field number, a wire type and a value. */
#ifndef SC_MESSAGE_WIRE_H
#define SC_MESSAGE_WIRE_H

#include "session-core/base/bytes.h"

typedef enum sc_wire_type {
  SC_WIRE_VARINT = 0,
  SC_WIRE_64BIT = 1,
  SC_WIRE_BYTES = 2,
  SC_WIRE_32BIT = 5,
} sc_wire_type;

typedef struct sc_wire_record {
  uint32_t number;
  sc_wire_type type;
  uint64_t varint; /* for SC_WIRE_VARINT */
  sc_bytes body;   /* for other types: the bytes after the tag and length */
  sc_bytes raw;    /* the whole record */
} sc_wire_record;

/* Removes the first record from `left`, which must not be empty. SC_ERR_PROTO_TAG for field number 0, a group
 * or an unknown wire type; SC_ERR_CONTENT if it is truncated or a varint is too long. */
SC_NODISCARD sc_status sc_wire_next(sc_wire_record *out, sc_bytes *left);

/* Removes a varint from `left`. SC_ERR_CONTENT if there is none. */
SC_NODISCARD sc_status sc_wire_take_varint(uint64_t *out, sc_bytes *left);

SC_NODISCARD sc_status sc_wire_append_varint(sc_buffer *out, uint64_t value);
SC_NODISCARD sc_status sc_wire_append_tag(sc_buffer *out, uint32_t number, sc_wire_type type);

/* Begins a record whose body is then appended; `*body_at` is its start. The length takes five bytes, which
 * readers allow, so that nothing moves when sc_wire_end_body fills it in. */
SC_NODISCARD sc_status sc_wire_begin_body(size_t *body_at, sc_buffer *out, uint32_t number);
void sc_wire_end_body(sc_buffer *out, size_t body_at);

#endif
