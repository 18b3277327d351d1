/* The two forms in which a layer travels: as a client posts it, and as one node hands it to the next. */
#include "onion_control.h"

#include "session-core/base/bt.h"

/* Everything beyond the limit is the same, and one more can always be added. */
static unsigned clamp_hop_number(int64_t number) {
  if (number < 0)
    return 0;
  return number > SC_ONION_MAX_HOP_NUMBER ? SC_ONION_MAX_HOP_NUMBER + 1 : (unsigned)number;
}

static sc_status read_hop_number(unsigned *out, const sc_json *control) {
  int64_t number = 0;
  sc_status status = sc_json_member_i64(&number, control, "hop_no");
  if (status == SC_ERR_JSON_RANGE)
    number = INT64_MAX;
  else if (status != SC_OK && status != SC_ERR_NOT_FOUND)
    return SC_ERR_ONION_CONTROL;
  *out = clamp_hop_number(number);
  return SC_OK;
}

sc_status sc_onion_block_parse(sc_onion_block *out, sc_onion_reader at, size_t max_len, sc_bytes bytes) {
  if (bytes.len > max_len)
    return SC_ERR_TOO_LARGE;
  sc_onion_block block = {0};
  sc_bytes control;
  sc_json *document = NULL;
  sc_status status = sc_onion_split(&block.sealed, &control, bytes);
  if (status == SC_OK)
    status = sc_onion_control_parse(&document, control);
  if (status == SC_OK)
    status = sc_onion_control_key(block.ephemeral_key, document, "ephemeral_key", at == SC_ONION_AT_SERVER);
  if (status == SC_OK)
    status = sc_onion_control_cipher(&block.cipher, document);
  if (status == SC_OK)
    status = read_hop_number(&block.hop_number, document);
  sc_json_free(document);
  if (status == SC_OK)
    *out = block;
  return status;
}

/* Keys of the dict, in ascending order. */
static const char data_key[] = "data";
static const char cipher_key[] = "enc_type";
static const char ephemeral_key[] = "ephemeral_key";
static const char hop_number_key[] = "hop_no";

static sc_status read_bt_cipher(sc_hop_cipher *out, sc_bt_reader *reader) {
  sc_bytes name;
  sc_status status = sc_bt_find_key(reader, sc_bytes_text(cipher_key));
  if (status == SC_ERR_NOT_FOUND) {
    *out = SC_HOP_AES_GCM;
    return SC_OK;
  }
  if (status == SC_OK)
    status = sc_bt_read_string(&name, reader);
  return status == SC_OK ? sc_hop_cipher_parse(out, name) : SC_ERR_ONION_CONTROL;
}

static sc_status read_bt_key(uint8_t out[static SC_KEY_BYTES], sc_bt_reader *reader) {
  sc_bytes key;
  if (sc_bt_find_key(reader, sc_bytes_text(ephemeral_key)) != SC_OK ||
      sc_bt_read_string(&key, reader) != SC_OK || key.len != SC_KEY_BYTES)
    return SC_ERR_ONION_CONTROL;
  memcpy(out, key.ptr, SC_KEY_BYTES);
  return SC_OK;
}

/* A node counts itself in before it hands on, so the first number there is is 1. */
static sc_status read_bt_hop_number(unsigned *out, sc_bt_reader *reader) {
  int64_t number = 1;
  sc_status status = sc_bt_find_key(reader, sc_bytes_text(hop_number_key));
  if (status == SC_OK)
    status = sc_bt_read_i64(&number, reader);
  if (status == SC_ERR_BT_RANGE)
    number = INT64_MAX;
  else if (status != SC_OK && status != SC_ERR_NOT_FOUND)
    return SC_ERR_ONION_CONTROL;
  *out = number < 1 ? 1 : clamp_hop_number(number);
  return SC_OK;
}

sc_status sc_onion_relay_parse(sc_onion_block *out, sc_bytes bytes) {
  if (bytes.len > SC_ONION_MAX_BYTES)
    return SC_ERR_TOO_LARGE;
  sc_bt_reader reader;
  sc_onion_block block = {0};
  sc_bt_reader_init(&reader, bytes);
  if (sc_bt_validate(bytes) != SC_OK || sc_bt_enter_dict(&reader) != SC_OK)
    return SC_ERR_ONION_BLOCK;
  if (sc_bt_find_key(&reader, sc_bytes_text(data_key)) != SC_OK ||
      sc_bt_read_string(&block.sealed, &reader) != SC_OK)
    return SC_ERR_ONION_CONTROL;
  sc_status status = read_bt_cipher(&block.cipher, &reader);
  if (status == SC_OK)
    status = read_bt_key(block.ephemeral_key, &reader);
  if (status == SC_OK)
    status = read_bt_hop_number(&block.hop_number, &reader);
  if (status == SC_OK && block.hop_number > SC_ONION_MAX_HOP_NUMBER)
    status = SC_ERR_ONION_HOPS;
  if (status == SC_OK)
    *out = block;
  return status;
}

static void write_relay(sc_bt_writer *writer, const sc_onion_block *block) {
  sc_bt_begin_dict(writer);
  sc_bt_write_key(writer, sc_bytes_text(data_key));
  sc_bt_write_string(writer, block->sealed);
  sc_bt_write_key(writer, sc_bytes_text(cipher_key));
  sc_bt_write_string(writer, sc_bytes_text(sc_hop_cipher_name(block->cipher)));
  sc_bt_write_key(writer, sc_bytes_text(ephemeral_key));
  sc_bt_write_string(writer, SC_BYTES(block->ephemeral_key));
  sc_bt_write_key(writer, sc_bytes_text(hop_number_key));
  sc_bt_write_u64(writer, block->hop_number);
  sc_bt_end(writer);
}

sc_status sc_onion_relay_write(sc_buffer *out, const sc_onion_block *block) {
  enum { around_the_data = 128 };
  sc_buffer_clear(out);
  if (block->hop_number > SC_ONION_MAX_HOP_NUMBER)
    return SC_ERR_ONION_HOPS;
  if (block->sealed.len > SC_ONION_MAX_BYTES - around_the_data)
    return SC_ERR_TOO_LARGE;
  sc_bt_writer writer;
  sc_status status = sc_buffer_reserve(out, block->sealed.len + around_the_data);
  if (status != SC_OK)
    return status;
  sc_bt_writer_init(&writer, out);
  write_relay(&writer, block);
  return sc_bt_writer_finish(&writer);
}
