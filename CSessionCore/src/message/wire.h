/* The protobuf wire: records, each a field's number, a wire type and a value. */
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
  uint64_t varint; /* of SC_WIRE_VARINT */
  sc_bytes body;   /* of the other types: what follows the tag, and the length if there is one */
  sc_bytes raw;    /* the whole record */
} sc_wire_record;

/* Takes the first record off `left`, which must not be empty. SC_ERR_PROTO_TAG for field number 0, a group or
 * an unknown wire type; SC_ERR_CONTENT when it is cut off, or a varint is too long. */
SC_NODISCARD sc_status sc_wire_next(sc_wire_record *out, sc_bytes *left);

/* Takes a varint off `left`. SC_ERR_CONTENT when there is none. */
SC_NODISCARD sc_status sc_wire_take_varint(uint64_t *out, sc_bytes *left);

SC_NODISCARD sc_status sc_wire_append_varint(sc_buffer *out, uint64_t value);
SC_NODISCARD sc_status sc_wire_append_tag(sc_buffer *out, uint32_t number, sc_wire_type type);

/* Begins a record whose body is then appended; `*body_at` says where that starts. Its length takes five
 * bytes, as readers allow, so that nothing moves when sc_wire_end_body fills it in. */
SC_NODISCARD sc_status sc_wire_begin_body(size_t *body_at, sc_buffer *out, uint32_t number);
void sc_wire_end_body(sc_buffer *out, size_t body_at);

#endif
