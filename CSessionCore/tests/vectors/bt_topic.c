/* A value of these files is {"i": decimal}, {"s": hex}, {"l": [value…]} or {"d": [[key, value]…]}. */
#include <errno.h>
#include <stdlib.h>

#include "topics.h"

/* The longest decimal of 64 bits, with its sign. */
enum { decimal_chars = 20 };

/* Redundant characters in `text` are not checked: it comes from the file, not the wire. */
static void write_decimal(known_case *c, sc_bt_writer *writer, sc_bytes text) {
  char digits[decimal_chars + 1] = {0};
  char *end = digits;
  errno = 0;
  if (text.len > 0 && text.len <= decimal_chars)
    memcpy(digits, text.ptr, text.len);
  if (digits[0] == '-')
    sc_bt_write_i64(writer, strtoll(digits, &end, 10));
  else
    sc_bt_write_u64(writer, strtoull(digits, &end, 10));
  if (end == digits || *end != '\0' || errno != 0)
    known_differs(c, "not an integer of 64 bits: %.*s", (int)text.len, (const char *)text.ptr);
}

static const sc_json *element(const sc_json *list, size_t index) {
  const sc_json *value = NULL;
  return sc_json_element(&value, list, index) == SC_OK ? value : NULL;
}

/* As deep as the file goes, which known_document limits. */
static void write_value(known_case *c, sc_bt_writer *writer, const sc_json *value) {
  const sc_json *content;
  sc_bytes text;
  if (sc_json_member_string(&text, value, "i") == SC_OK) {
    write_decimal(c, writer, text);
  } else if (sc_json_member(&content, value, "s") == SC_OK) {
    sc_bt_write_string(writer, known_hex_of(c, content));
  } else if (sc_json_member(&content, value, "l") == SC_OK) {
    sc_bt_begin_list(writer);
    for (size_t i = 0; i < sc_json_count(content); i++)
      write_value(c, writer, element(content, i));
    sc_bt_end(writer);
  } else if (sc_json_member(&content, value, "d") == SC_OK) {
    sc_bt_begin_dict(writer);
    for (size_t i = 0; i < sc_json_count(content); i++) {
      sc_bt_write_key(writer, known_hex_of(c, element(element(content, i), 0)));
      write_value(c, writer, element(element(content, i), 1));
    }
    sc_bt_end(writer);
  } else {
    known_differs(c, "a value of the case is none of i, s, l and d");
  }
}

static sc_status encode_field(sc_buffer *out, known_case *c, const char *field) {
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, out);
  write_value(c, &writer, known_field(c, field));
  return sc_bt_writer_finish(&writer);
}

static sc_status encode(known_case *c) {
  sc_buffer *encoded = known_buffer(c);
  sc_status status = encode_field(encoded, c, "value");
  if (status == SC_OK)
    known_same(c, "encoded", sc_buffer_bytes(encoded));
  return status;
}

static sc_status copy_value(sc_bt_writer *writer, sc_bt_reader *reader);

static sc_status copy_integer(sc_bt_writer *writer, sc_bt_reader *reader) {
  int64_t number;
  sc_status status = sc_bt_read_i64(&number, reader);
  if (status == SC_OK) {
    sc_bt_write_i64(writer, number);
  } else if (status == SC_ERR_BT_RANGE) {
    uint64_t large;
    status = sc_bt_read_u64(&large, reader);
    if (status == SC_OK)
      sc_bt_write_u64(writer, large);
  }
  return status;
}

static sc_status copy_string(sc_bt_writer *writer, sc_bt_reader *reader) {
  sc_bytes string;
  sc_status status = sc_bt_read_string(&string, reader);
  if (status == SC_OK)
    sc_bt_write_string(writer, string);
  return status;
}

static sc_status copy_list(sc_bt_writer *writer, sc_bt_reader *reader) {
  sc_status status = sc_bt_enter_list(reader);
  sc_bt_begin_list(writer);
  while (status == SC_OK && sc_bt_peek(reader) != SC_BT_END)
    status = copy_value(writer, reader);
  sc_bt_end(writer);
  return status != SC_OK ? status : sc_bt_leave(reader);
}

static sc_status copy_dict(sc_bt_writer *writer, sc_bt_reader *reader) {
  sc_status status = sc_bt_enter_dict(reader);
  sc_bt_begin_dict(writer);
  while (status == SC_OK) {
    sc_bytes key;
    status = sc_bt_next_key(&key, reader);
    if (status != SC_OK)
      break;
    sc_bt_write_key(writer, key);
    status = copy_value(writer, reader);
  }
  sc_bt_end(writer);
  return status != SC_ERR_NOT_FOUND ? status : sc_bt_leave(reader);
}

/* Reads one value by its types and writes it again. */
static sc_status copy_value(sc_bt_writer *writer, sc_bt_reader *reader) {
  switch (sc_bt_peek(reader)) {
  case SC_BT_INTEGER:
    return copy_integer(writer, reader);
  case SC_BT_STRING:
    return copy_string(writer, reader);
  case SC_BT_LIST:
    return copy_list(writer, reader);
  case SC_BT_DICT:
    return copy_dict(writer, reader);
  default:
    return sc_bt_skip(reader);
  }
}

static sc_status copy_input(sc_buffer *out, size_t *consumed, sc_bytes input) {
  sc_bt_reader reader;
  sc_bt_writer writer;
  sc_bt_reader_init(&reader, input);
  sc_bt_writer_init(&writer, out);
  sc_status status = copy_value(&writer, &reader);
  *consumed = sc_bt_position(&reader);
  sc_status written = sc_bt_writer_finish(&writer);
  return status != SC_OK ? status : written;
}

/* Value by value and skipped as a whole, which must agree. */
static sc_status decode(known_case *c) {
  sc_bytes input = known_hex(c, "input");
  sc_buffer *reencoded = known_buffer(c);
  size_t consumed;
  sc_status status = copy_input(reencoded, &consumed, input);
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, input);
  sc_bytes raw;
  sc_status passed_over = sc_bt_read_raw(&raw, &reader);
  if (status != passed_over)
    known_differs(c, "%s when read by types, %s when passed over", sc_status_name(status),
                  sc_status_name(passed_over));
  if (status != SC_OK || passed_over != SC_OK)
    return status;
  known_same_integer(c, "consumed", (int64_t)consumed);
  known_same(c, "reencoded", sc_buffer_bytes(reencoded));
  known_same_flag(c, "canonical", sc_bytes_same(raw, sc_buffer_bytes(reencoded)));
  if (c->accepts) {
    sc_buffer *value = known_buffer(c);
    status = encode_field(value, c, "value");
    known_same(c, "reencoded", sc_buffer_bytes(value));
  }
  return status;
}

TOPIC(bt, {"encode", encode}, {"decode", decode});
