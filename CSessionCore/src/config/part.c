/* m | bt list of: name of the set 32, index 1, count 1, chunk | zeros
 *
 * The zeros make up for the digits that a short chunk's length does not have. Index and count are single
 * bytes, not digits. */
#include "part.h"

#include "../crypto/blake2b.h"
#include "encryption.h"
#include "envelope.h"
#include "form.h"
#include "multipart.h"

enum { most_zeros = 4 };

_Static_assert(SC_CONFIG_MAX_PADDED_BYTES <= SC_CONFIG_MAX_PARTS * SC_CONFIG_CHUNK_BYTES,
               "one byte counts the parts");

static bool is_zeros(sc_bytes bytes) {
  return sc_config_unpadded(bytes).len == 0;
}

static sc_status read_sized(sc_bytes *out, sc_bt_reader *reader, size_t len) {
  sc_status status = sc_bt_read_string(out, reader);
  return status == SC_OK && out->len != len ? SC_ERR_CONFIG_PART : status;
}

static sc_status read_list(sc_config_part *out, sc_bt_reader *reader) {
  sc_bytes set, index, count;
  sc_status status = sc_bt_enter_list(reader);
  if (status == SC_OK)
    status = read_sized(&set, reader, SC_CONFIG_SET_BYTES);
  if (status == SC_OK)
    status = read_sized(&index, reader, 1);
  if (status == SC_OK)
    status = read_sized(&count, reader, 1);
  if (status == SC_OK)
    status = sc_bt_read_string(&out->chunk, reader);
  if (status == SC_OK && sc_bt_peek(reader) != SC_BT_END)
    status = SC_ERR_CONFIG_PART;
  if (status == SC_OK)
    status = sc_bt_leave(reader);
  if (status != SC_OK)
    return status;
  out->set = set.ptr;
  out->index = index.ptr[0];
  out->count = count.ptr[0];
  return SC_OK;
}

sc_status sc_config_part_read(sc_config_part *out, sc_bytes plain) {
  if (plain.len > SC_STORED_MAX_BYTES)
    return SC_ERR_TOO_LARGE;
  if (plain.len == 0 || plain.ptr[0] != SC_FORM_PART)
    return SC_ERR_CONFIG_PART;
  sc_bytes list = sc_bytes_make(plain.ptr + 1, plain.len - 1);
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, list);
  if (read_list(out, &reader) != SC_OK)
    return SC_ERR_CONFIG_PART;
  size_t end = sc_bt_position(&reader);
  sc_bytes rest = sc_bytes_make(list.ptr + end, list.len - end);
  bool filled = rest.len <= most_zeros && is_zeros(rest);
  bool sensible = out->count >= 2 && out->index < out->count && out->chunk.len > 0;
  return filled && sensible ? SC_OK : SC_ERR_CONFIG_PART;
}

static void write_list(sc_bt_writer *writer, const sc_config_part *part) {
  sc_bt_begin_list(writer);
  sc_bt_write_string(writer, sc_bytes_make(part->set, SC_CONFIG_SET_BYTES));
  sc_bt_write_string(writer, sc_bytes_make(&part->index, 1));
  sc_bt_write_string(writer, sc_bytes_make(&part->count, 1));
  sc_bt_write_string(writer, part->chunk);
  sc_bt_end(writer);
}

sc_status sc_config_part_append(sc_buffer *out, const sc_config_part *part) {
  size_t end = out->len + part->chunk.len + SC_CONFIG_PART_OVERHEAD;
  sc_status status = sc_buffer_append_byte(out, SC_FORM_PART);
  if (status != SC_OK)
    return status;
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, out);
  write_list(&writer, part);
  status = sc_bt_writer_finish(&writer);
  while (status == SC_OK && out->len < end)
    status = sc_buffer_append_byte(out, 0);
  return status;
}

static sc_status append_encrypted(sc_buffer *out, const sc_config_part *part, sc_bytes key, sc_bytes domain) {
  size_t begin = out->len;
  sc_status status = sc_config_part_append(out, part);
  size_t len = out->len - begin;
  uint8_t *added;
  if (status == SC_OK)
    status = sc_buffer_extend(&added, out, SC_CONFIG_ENCRYPT_OVERHEAD);
  if (status == SC_OK)
    sc_config_encrypt_in_place(out->ptr + begin, len, key, domain);
  return status;
}

static sc_bytes chunk_at(sc_bytes padded, size_t index) {
  size_t at = index * SC_CONFIG_CHUNK_BYTES;
  size_t left = padded.len - at;
  return sc_bytes_make(padded.ptr + at, left < SC_CONFIG_CHUNK_BYTES ? left : SC_CONFIG_CHUNK_BYTES);
}

static sc_status append_parts(sc_config_stored *out, sc_bytes key, sc_bytes domain, sc_bytes padded) {
  size_t count = (padded.len + SC_CONFIG_CHUNK_BYTES - 1) / SC_CONFIG_CHUNK_BYTES;
  sc_config_part part = {.set = out->set, .count = (uint8_t)count};
  sc_status status = sc_buffer_reserve(
      &out->bytes, padded.len + count * (SC_CONFIG_PART_OVERHEAD + SC_CONFIG_ENCRYPT_OVERHEAD));
  for (size_t i = 0; i < count && status == SC_OK; i++) {
    part.index = (uint8_t)i;
    part.chunk = chunk_at(padded, i);
    status = append_encrypted(&out->bytes, &part, key, domain);
  }
  return status;
}

sc_status sc_config_split(sc_config_stored *out, sc_bytes key, sc_bytes domain, sc_bytes padded) {
  sc_buffer_clear(&out->bytes);
  memset(out->set, 0, sizeof out->set);
  if (padded.len <= SC_CONFIG_CHUNK_BYTES)
    return SC_ERR_ARGUMENT;
  if (padded.len > SC_CONFIG_MAX_PADDED_BYTES)
    return SC_ERR_TOO_LARGE;
  sc_status status = sc_config_check_key(key, domain);
  if (status != SC_OK)
    return status;
  sc_blake2b_pieces(out->set, sizeof out->set, sc_bytes_make(NULL, 0), NULL, &padded, 1);
  status = append_parts(out, key, domain, padded);
  if (status != SC_OK) {
    sc_buffer_clear(&out->bytes);
    memset(out->set, 0, sizeof out->set);
  }
  return status;
}
