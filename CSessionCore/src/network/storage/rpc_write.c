#include <inttypes.h>
#include <stdio.h>

#include "../../base/json_text.h"
#include "rpc.h"
#include "session-core/base/encoding.h"

void sc_rpc_writer_init(sc_rpc_writer *writer, sc_buffer *out, sc_storage_form form) {
  writer->form = form;
  writer->out = out;
  writer->start = out->len;
  writer->status = SC_OK;
  sc_bt_writer_init(&writer->bt, out);
}

void sc_rpc_fail(sc_rpc_writer *writer, sc_status status) {
  if (writer->status == SC_OK)
    writer->status = status;
}

static void append(sc_rpc_writer *writer, sc_bytes bytes) {
  if (writer->status == SC_OK)
    writer->status = sc_buffer_append(writer->out, bytes);
}

/* Writes a comma, except for the first value of a container and the value after a key. */
static void separate(sc_rpc_writer *writer) {
  size_t len = writer->out->len;
  if (len > writer->start && strchr("{[:", writer->out->ptr[len - 1]) == NULL)
    append(writer, sc_bytes_text(","));
}

static void open_json(sc_rpc_writer *writer, const char *bracket) {
  separate(writer);
  append(writer, sc_bytes_text(bracket));
}

void sc_rpc_begin_dict(sc_rpc_writer *writer) {
  if (writer->form == SC_STORAGE_BT)
    sc_bt_begin_dict(&writer->bt);
  else
    open_json(writer, "{");
}

void sc_rpc_begin_list(sc_rpc_writer *writer) {
  if (writer->form == SC_STORAGE_BT)
    sc_bt_begin_list(&writer->bt);
  else
    open_json(writer, "[");
}

void sc_rpc_end_dict(sc_rpc_writer *writer) {
  if (writer->form == SC_STORAGE_BT)
    sc_bt_end(&writer->bt);
  else
    append(writer, sc_bytes_text("}"));
}

void sc_rpc_end_list(sc_rpc_writer *writer) {
  if (writer->form == SC_STORAGE_BT)
    sc_bt_end(&writer->bt);
  else
    append(writer, sc_bytes_text("]"));
}

void sc_rpc_put_key_bytes(sc_rpc_writer *writer, sc_bytes key) {
  if (writer->form == SC_STORAGE_BT) {
    sc_bt_write_key(&writer->bt, key);
    return;
  }
  sc_rpc_put_text(writer, key);
  append(writer, sc_bytes_text(":"));
}

void sc_rpc_put_key(sc_rpc_writer *writer, const char *key) {
  sc_rpc_put_key_bytes(writer, sc_bytes_text(key));
}

static void put_number(sc_rpc_writer *writer, const char *digits) {
  separate(writer);
  append(writer, sc_bytes_text(digits));
}

void sc_rpc_put_u64(sc_rpc_writer *writer, uint64_t value) {
  char digits[24];
  if (writer->form == SC_STORAGE_BT) {
    sc_bt_write_u64(&writer->bt, value);
    return;
  }
  snprintf(digits, sizeof digits, "%" PRIu64, value);
  put_number(writer, digits);
}

void sc_rpc_put_i64(sc_rpc_writer *writer, int64_t value) {
  char digits[24];
  if (writer->form == SC_STORAGE_BT) {
    sc_bt_write_i64(&writer->bt, value);
    return;
  }
  snprintf(digits, sizeof digits, "%" PRId64, value);
  put_number(writer, digits);
}

void sc_rpc_put_bool(sc_rpc_writer *writer, bool value) {
  if (writer->form == SC_STORAGE_BT)
    sc_bt_write_u64(&writer->bt, value);
  else
    put_number(writer, value ? "true" : "false");
}

void sc_rpc_put_text(sc_rpc_writer *writer, sc_bytes text) {
  if (writer->form == SC_STORAGE_BT) {
    sc_bt_write_string(&writer->bt, text);
    return;
  }
  separate(writer);
  if (writer->status == SC_OK)
    writer->status = sc_json_text_append(writer->out, text);
}

/* Room for a text of `chars` between quotes, and the NUL that encoders write. */
static char *quoted_room(sc_rpc_writer *writer, size_t chars) {
  uint8_t *room;
  separate(writer);
  append(writer, sc_bytes_text("\""));
  if (writer->status == SC_OK)
    writer->status = sc_buffer_extend(&room, writer->out, chars + 1);
  return writer->status == SC_OK ? (char *)room : NULL;
}

/* Puts the quote where the NUL is. */
static void close_quote(sc_rpc_writer *writer) {
  writer->out->ptr[writer->out->len - 1] = '"';
}

void sc_rpc_put_binary(sc_rpc_writer *writer, sc_bytes bytes) {
  if (writer->form == SC_STORAGE_BT) {
    sc_bt_write_string(&writer->bt, bytes);
    return;
  }
  char *room = quoted_room(writer, SC_BASE64_CHARS(bytes.len));
  if (room == NULL)
    return;
  sc_base64_encode(room, bytes, SC_BASE64_STANDARD);
  close_quote(writer);
}

static void put_json_hex(sc_rpc_writer *writer, sc_bytes bytes) {
  char *room = quoted_room(writer, SC_HEX_CHARS(bytes.len));
  if (room == NULL)
    return;
  sc_hex_encode(room, bytes);
  close_quote(writer);
}

void sc_rpc_put_hex(sc_rpc_writer *writer, sc_bytes bytes) {
  enum { most_bytes = 64 };
  char digits[SC_HEX_CHARS(most_bytes) + 1];
  if (writer->form == SC_STORAGE_JSON) {
    put_json_hex(writer, bytes);
    return;
  }
  if (bytes.len > most_bytes) {
    sc_rpc_fail(writer, SC_ERR_ARGUMENT);
    return;
  }
  sc_hex_encode(digits, bytes);
  sc_bt_write_string(&writer->bt, sc_bytes_text(digits));
}

void sc_rpc_put_raw_key(sc_rpc_writer *writer, sc_bytes bytes) {
  if (writer->form == SC_STORAGE_BT)
    sc_bt_write_string(&writer->bt, bytes);
  else
    put_json_hex(writer, bytes);
}

void sc_rpc_put_json(sc_rpc_writer *writer, sc_bytes json) {
  if (writer->form == SC_STORAGE_BT) {
    sc_bt_write_string(&writer->bt, json);
    return;
  }
  separate(writer);
  append(writer, json);
}

sc_status sc_rpc_writer_finish(sc_rpc_writer *writer) {
  if (writer->form == SC_STORAGE_BT)
    sc_rpc_fail(writer, sc_bt_writer_finish(&writer->bt));
  if (writer->status != SC_OK)
    sc_buffer_truncate(writer->out, writer->start);
  return writer->status;
}
