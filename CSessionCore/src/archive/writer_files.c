#include "../base/json_text.h"
#include "pieces.h"
#include "value_text.h"
#include "writer_state.h"

static sc_status begin_file(sc_archive_writer *writer, const sc_archive_file *file) {
  static const char *const folders[] = {"attachments", "avatars"};
  if (writer->phase != WRITER_IN_ROWS && writer->phase != WRITER_BETWEEN_FILES)
    return SC_ERR_STATE;
  if (file->id <= writer->last_file || file->size < 0 || file->folder > SC_ARCHIVE_AVATARS)
    return SC_ERR_ARGUMENT;
  sc_status status = sc_writer_flush(writer);
  if (status == SC_OK)
    status = sc_text_raw(&writer->row, "{\"file\":");
  if (status == SC_OK)
    status = sc_text_integer(&writer->row, file->id);
  if (status == SC_OK)
    status = sc_text_raw(&writer->row, ",\"size\":");
  if (status == SC_OK)
    status = sc_text_integer(&writer->row, file->size);
  if (status == SC_OK)
    status = sc_text_raw(&writer->row, ",\"folder\":");
  if (status == SC_OK)
    status = sc_json_text_append(&writer->row, sc_bytes_text(folders[file->folder]));
  if (status == SC_OK)
    status = sc_text_raw(&writer->row, "}");
  if (status == SC_OK)
    status = sc_writer_json(writer, SC_FRAME_FILE);
  writer->file = *file;
  writer->file_bytes = 0;
  writer->last_file = file->id;
  crypto_generichash_blake2b_init(&writer->hash, NULL, 0, sc_archive_hash_bytes);
  writer->phase = WRITER_IN_FILE;
  return status;
}

sc_status sc_archive_writer_file(sc_archive_writer *writer, const sc_archive_file *file) {
  return sc_writer_fail(writer, begin_file(writer, file));
}

/* More than stated is left out, and told at the end. */
sc_status sc_archive_writer_file_data(sc_archive_writer *writer, sc_bytes data) {
  if (writer->phase != WRITER_IN_FILE)
    return sc_writer_fail(writer, SC_ERR_STATE);
  sc_status status = SC_OK;
  while (data.len > 0 && status == SC_OK) {
    sc_bytes piece = sc_pieces_take(&data, sc_frame_max_payload);
    bool fits = (uint64_t)piece.len <= (uint64_t)(writer->file.size - writer->file_bytes);
    writer->file_bytes = fits ? writer->file_bytes + (int64_t)piece.len : INT64_MAX;
    if (!fits)
      break;
    crypto_generichash_blake2b_update(&writer->hash, piece.ptr, piece.len);
    status = sc_writer_frame(writer, SC_FRAME_FILE_DATA, 0, piece);
  }
  return sc_writer_fail(writer, status);
}

static sc_status end_file(sc_archive_writer *writer, const char *result, sc_bytes detail, bool hex) {
  sc_status status = sc_text_raw(&writer->row, "{\"file\":");
  if (status == SC_OK)
    status = sc_text_integer(&writer->row, writer->file.id);
  if (status == SC_OK)
    status = sc_text_raw(&writer->row, result);
  if (status == SC_OK && hex)
    status = sc_text_raw(&writer->row, "\"");
  if (status == SC_OK)
    status = hex ? sc_text_hex(&writer->row, detail) : sc_json_text_append(&writer->row, detail);
  if (status == SC_OK)
    status = sc_text_raw(&writer->row, hex ? "\"}" : "}");
  if (status == SC_OK)
    status = sc_writer_json(writer, SC_FRAME_FILE_END);
  writer->phase = WRITER_BETWEEN_FILES;
  return status;
}

sc_status sc_archive_writer_file_broken(sc_archive_writer *writer, sc_bytes kind) {
  if (writer->phase != WRITER_IN_FILE)
    return sc_writer_fail(writer, SC_ERR_STATE);
  return sc_writer_fail(writer, end_file(writer, ",\"complete\":false,\"error\":", kind, false));
}

sc_status sc_archive_writer_file_end(sc_archive_writer *writer) {
  uint8_t hash[sc_archive_hash_bytes];
  if (writer->phase != WRITER_IN_FILE)
    return sc_writer_fail(writer, SC_ERR_STATE);
  if (writer->file_bytes != writer->file.size) {
    sc_status status = sc_archive_writer_file_broken(writer, sc_bytes_text("fileSize"));
    return status == SC_OK ? SC_ERR_FILE_SIZE : status;
  }
  crypto_generichash_blake2b_final(&writer->hash, hash, sizeof hash);
  writer->files++;
  writer->bytes += writer->file.size;
  return sc_writer_fail(writer, end_file(writer, ",\"complete\":true,\"blake2b\":", SC_BYTES(hash), true));
}
