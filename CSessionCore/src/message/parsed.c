/* Reading happens in two steps. The first rewrites the bytes so that protobuf-c and the reference library
 * read the same from them:
 *
 *   - what the reference rejects is rejected: field number 0, records cut off, varints too long;
 *   - known fields of another wire type and enums of unknown number are left out, where protobuf-c would
 * reject the first and store the second;
 *   - a singular message that occurs several times becomes one whose body is all of theirs, one after the
 * other, which is what merging means; protobuf-c would ask each of them for the required fields;
 *   - U+0000 is left out of strings, which protobuf-c ends there.
 *
 * The second step hands the result to protobuf-c, which then fails only for a missing required field or for
 * want of memory. Nesting is bounded by the schema: no message contains itself, and unknown fields are not
 * looked into. */
#include "parsed.h"

#include <assert.h>

#include "../base/utf8.h"
#include "wire.h"

enum {
  most_fields = 16,    /* of one message of the schema */
  usual_growth = 64,   /* of a message that is rewritten */
  memory_per_byte = 2, /* of a parsed message beside a rewritten one: a guess that saves allocations */
};

/* The occurrences of a singular message among the records of its parent. */
typedef struct meeting {
  size_t count;
  sc_bytes first;
} meeting;

static sc_status rewrite(sc_buffer *out, const ProtobufCMessageDescriptor *type, sc_bytes bytes);

static sc_wire_type wire_type_of(const ProtobufCFieldDescriptor *field) {
  switch (field->type) {
  case PROTOBUF_C_TYPE_STRING:
  case PROTOBUF_C_TYPE_BYTES:
  case PROTOBUF_C_TYPE_MESSAGE:
    return SC_WIRE_BYTES;
  case PROTOBUF_C_TYPE_FIXED64:
  case PROTOBUF_C_TYPE_SFIXED64:
  case PROTOBUF_C_TYPE_DOUBLE:
    return SC_WIRE_64BIT;
  case PROTOBUF_C_TYPE_FIXED32:
  case PROTOBUF_C_TYPE_SFIXED32:
  case PROTOBUF_C_TYPE_FLOAT:
    return SC_WIRE_32BIT;
  default:
    return SC_WIRE_VARINT;
  }
}

static bool is_singular_message(const ProtobufCFieldDescriptor *field) {
  return field->type == PROTOBUF_C_TYPE_MESSAGE && field->label != PROTOBUF_C_LABEL_REPEATED;
}

/* A record may hold many repeated numbers, even if the schema says otherwise. */
static bool is_packed(const sc_wire_record *record, const ProtobufCFieldDescriptor *field) {
  return record->type == SC_WIRE_BYTES && field->label == PROTOBUF_C_LABEL_REPEATED &&
         wire_type_of(field) == SC_WIRE_VARINT;
}

static bool is_unknown_number(const ProtobufCFieldDescriptor *field, uint64_t varint) {
  return field->type == PROTOBUF_C_TYPE_ENUM &&
         protobuf_c_enum_descriptor_get_value(field->descriptor, (int)(int32_t)(uint32_t)varint) == NULL;
}

static sc_status write_number(sc_buffer *out, const ProtobufCFieldDescriptor *field, uint64_t varint) {
  if (is_unknown_number(field, varint))
    return SC_OK;
  sc_status status = sc_wire_append_tag(out, field->id, SC_WIRE_VARINT);
  return status == SC_OK ? sc_wire_append_varint(out, varint) : status;
}

static sc_status write_packed(sc_buffer *out, const ProtobufCFieldDescriptor *field, sc_bytes numbers) {
  sc_status status = SC_OK;
  while (status == SC_OK && numbers.len > 0) {
    uint64_t number;
    status = sc_wire_take_varint(&number, &numbers);
    if (status == SC_OK)
      status = write_number(out, field, number);
  }
  return status;
}

static sc_status append_text(sc_buffer *out, sc_bytes text) {
  sc_status status = sc_buffer_reserve(out, text.len);
  while (status == SC_OK && text.len > 0) {
    const uint8_t *zero = memchr(text.ptr, 0, text.len);
    size_t len = zero == NULL ? text.len : (size_t)(zero - text.ptr);
    status = sc_buffer_append(out, sc_bytes_make(text.ptr, len));
    len += zero != NULL;
    text = sc_bytes_make(text.ptr + len, text.len - len);
  }
  return status;
}

static sc_status write_body(sc_buffer *out, const ProtobufCFieldDescriptor *field, sc_bytes body) {
  size_t body_at;
  sc_status status = sc_wire_begin_body(&body_at, out, field->id);
  if (status != SC_OK)
    return status;
  if (field->type == PROTOBUF_C_TYPE_MESSAGE)
    status = rewrite(out, field->descriptor, body);
  else if (field->type == PROTOBUF_C_TYPE_STRING)
    status = append_text(out, body);
  else
    status = sc_buffer_append(out, body);
  if (status == SC_OK)
    sc_wire_end_body(out, body_at);
  return status;
}

static sc_status write_fixed(sc_buffer *out, const sc_wire_record *record) {
  sc_status status = sc_wire_append_tag(out, record->number, record->type);
  return status == SC_OK ? sc_buffer_append(out, record->body) : status;
}

/* Writes a record of a known field; a singular message is only remembered. */
static sc_status write_known(sc_buffer *out, const ProtobufCFieldDescriptor *field,
                             const sc_wire_record *record, meeting *met) {
  if (is_packed(record, field))
    return write_packed(out, field, record->body);
  if (record->type != wire_type_of(field))
    return SC_OK;
  if (is_singular_message(field)) {
    if (met->count++ == 0)
      met->first = record->body;
    return SC_OK;
  }
  if (record->type == SC_WIRE_VARINT)
    return write_number(out, field, record->varint);
  return record->type == SC_WIRE_BYTES ? write_body(out, field, record->body) : write_fixed(out, record);
}

static sc_status write_records(sc_buffer *out, const ProtobufCMessageDescriptor *type, sc_bytes bytes,
                               meeting met[static most_fields]) {
  sc_status status = SC_OK;
  while (status == SC_OK && bytes.len > 0) {
    sc_wire_record record;
    status = sc_wire_next(&record, &bytes);
    if (status != SC_OK)
      return status;
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(type, record.number);
    if (field == NULL)
      status = sc_buffer_append(out, record.raw);
    else
      status = write_known(out, field, &record, &met[field - type->fields]);
  }
  return status;
}

/* A truncated message must not be completed by another occurrence. */
static sc_status check_whole(sc_bytes body) {
  sc_status status = SC_OK;
  while (status == SC_OK && body.len > 0) {
    sc_wire_record record;
    status = sc_wire_next(&record, &body);
  }
  return status;
}

static sc_status append_whole(sc_buffer *out, sc_bytes body) {
  sc_status status = check_whole(body);
  return status == SC_OK ? sc_buffer_append(out, body) : status;
}

/* Appends the bodies of all records of `field`. */
static sc_status join_bodies(sc_buffer *out, const ProtobufCFieldDescriptor *field, sc_bytes bytes) {
  sc_status status = SC_OK;
  while (status == SC_OK && bytes.len > 0) {
    sc_wire_record record;
    status = sc_wire_next(&record, &bytes);
    if (status == SC_OK && record.number == field->id && record.type == SC_WIRE_BYTES)
      status = append_whole(out, record.body);
  }
  return status;
}

static sc_status write_merged(sc_buffer *out, const ProtobufCFieldDescriptor *field, sc_bytes parent) {
  sc_buffer joined;
  sc_buffer_init(&joined, out->env);
  sc_status status = join_bodies(&joined, field, parent);
  if (status == SC_OK)
    status = write_body(out, field, sc_buffer_bytes(&joined));
  sc_buffer_free(&joined);
  return status;
}

/* Checks before anything is allocated: the number of values, and UTF-8. Unreadable parts are left to the
 * parser. */
static sc_status check_values(size_t *count, const ProtobufCMessageDescriptor *type, sc_bytes bytes);

static sc_status count_value(size_t *count) {
  return ++*count > SC_CONTENT_MAX_VALUES ? SC_ERR_TOO_LARGE : SC_OK;
}

static sc_status check_packed(size_t *count, sc_bytes numbers) {
  uint64_t number;
  sc_status status = SC_OK;
  while (status == SC_OK && numbers.len > 0 && sc_wire_take_varint(&number, &numbers) == SC_OK)
    status = count_value(count);
  return status;
}

static sc_status check_body(size_t *count, const ProtobufCFieldDescriptor *field,
                            const sc_wire_record *record) {
  if (is_packed(record, field))
    return check_packed(count, record->body);
  if (record->type != wire_type_of(field))
    return SC_OK;
  if (field->type == PROTOBUF_C_TYPE_STRING)
    return sc_utf8_is_valid(record->body) ? SC_OK : SC_ERR_UTF8;
  return field->type == PROTOBUF_C_TYPE_MESSAGE ? check_values(count, field->descriptor, record->body)
                                                : SC_OK;
}

static sc_status check_values(size_t *count, const ProtobufCMessageDescriptor *type, sc_bytes bytes) {
  sc_wire_record record;
  sc_status status = SC_OK;
  while (status == SC_OK && bytes.len > 0 && sc_wire_next(&record, &bytes) == SC_OK) {
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(type, record.number);
    status = count_value(count);
    if (status == SC_OK && field != NULL)
      status = check_body(count, field, &record);
  }
  return status;
}

/* Appends what protobuf-c is to read instead of `bytes`. */
static sc_status rewrite(sc_buffer *out, const ProtobufCMessageDescriptor *type, sc_bytes bytes) {
  assert(type->n_fields <= most_fields);
  meeting met[most_fields] = {0};
  sc_status status = write_records(out, type, bytes, met);
  for (unsigned i = 0; status == SC_OK && i < type->n_fields; i++) {
    if (met[i].count == 1)
      status = write_body(out, &type->fields[i], met[i].first);
    else if (met[i].count > 1)
      status = write_merged(out, &type->fields[i], bytes);
  }
  return status;
}

typedef struct memory {
  sc_arena *arena;
  bool refused;
} memory;

static void *take(void *user, size_t size) {
  memory *from = user;
  void *ptr = sc_arena_take(from->arena, size);
  from->refused |= ptr == NULL;
  return ptr;
}

static void keep_until_the_end(void *user, void *ptr) {
  (void)user;
  (void)ptr;
}

static sc_status unpack(sc_parsed *out, const ProtobufCMessageDescriptor *type, sc_bytes bytes) {
  memory from = {.arena = &out->arena};
  ProtobufCAllocator allocator = {.alloc = take, .free = keep_until_the_end, .allocator_data = &from};
  out->message = protobuf_c_message_unpack(type, &allocator, bytes.len, bytes.ptr);
  if (out->message != NULL)
    return SC_OK;
  return from.refused ? SC_ERR_NO_MEMORY : SC_ERR_CONTENT;
}

sc_status sc_parsed_read(sc_parsed *out, const sc_env *env, const ProtobufCMessageDescriptor *type,
                         sc_bytes bytes) {
  out->message = NULL;
  sc_arena_init(&out->arena, env, memory_per_byte * bytes.len);
  if (bytes.len > SC_PARSED_MAX_BYTES)
    return SC_ERR_TOO_LARGE;
  size_t values = 0;
  sc_buffer rewritten;
  sc_buffer_init(&rewritten, env);
  sc_status status = check_values(&values, type, bytes);
  if (status == SC_OK)
    status = sc_buffer_reserve(&rewritten, bytes.len + usual_growth);
  if (status == SC_OK)
    status = rewrite(&rewritten, type, bytes);
  if (status == SC_OK)
    status = unpack(out, type, sc_buffer_bytes(&rewritten));
  sc_buffer_free(&rewritten);
  return status;
}

void sc_parsed_free(sc_parsed *parsed) {
  sc_arena_free(&parsed->arena);
  parsed->message = NULL;
}

sc_status sc_parsed_append(sc_buffer *out, const ProtobufCMessage *message) {
  if (!protobuf_c_message_check(message))
    return SC_ERR_CONTENT;
  uint8_t *room;
  size_t len = protobuf_c_message_get_packed_size(message);
  sc_status status = sc_buffer_extend(&room, out, len);
  if (status == SC_OK && len > 0)
    protobuf_c_message_pack(message, room);
  return status;
}
