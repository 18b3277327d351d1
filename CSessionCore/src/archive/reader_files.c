#include "reader_state.h"
#include "session-core/base/encoding.h"

static sc_status read_file_id(sc_object_place *place, sc_json_cursor *cursor) {
  return sc_json_cursor_i64(&((sc_archive_file *)place->into)->id, cursor);
}

static sc_status read_file_size(sc_object_place *place, sc_json_cursor *cursor) {
  return sc_object_count(&((sc_archive_file *)place->into)->size, cursor);
}

static sc_status read_folder(sc_object_place *place, sc_json_cursor *cursor) {
  sc_bytes text;
  sc_archive_file *file = place->into;
  sc_status status = sc_object_text(&text, place, cursor);
  if (status != SC_OK)
    return status;
  bool avatars = sc_bytes_same(text, sc_bytes_text("avatars"));
  file->folder = avatars ? SC_ARCHIVE_AVATARS : SC_ARCHIVE_ATTACHMENTS;
  return avatars || sc_bytes_same(text, sc_bytes_text("attachments")) ? SC_OK : SC_ERR_ARCHIVE_FRAME;
}

sc_status sc_reader_file(sc_archive_reader *reader, sc_bytes payload) {
  static const sc_object_member members[] = {
      {"file", read_file_id, false}, {"size", read_file_size, false}, {"folder", read_folder, false}};
  if (reader->phase != READER_IN_ROWS && reader->phase != READER_BETWEEN_FILES)
    return SC_ERR_ARCHIVE_ORDER;
  sc_status status = SC_READER_OBJECT(reader, &reader->file, payload, members);
  if (status != SC_OK)
    return status;
  if (reader->file.id <= reader->last_file)
    return SC_ERR_ARCHIVE_ORDER;
  reader->last_file = reader->file.id;
  reader->file_bytes = 0;
  crypto_generichash_blake2b_init(&reader->hash, NULL, 0, sc_archive_hash_bytes);
  reader->phase = READER_IN_FILE;
  return reader->visitor.file == NULL ? SC_OK : reader->visitor.file(reader->visitor.user, &reader->file);
}

sc_status sc_reader_file_data(sc_archive_reader *reader, sc_bytes payload) {
  if (reader->phase != READER_IN_FILE)
    return SC_ERR_ARCHIVE_ORDER;
  if ((uint64_t)payload.len > (uint64_t)(reader->file.size - reader->file_bytes))
    return SC_ERR_ARCHIVE_FILE;
  reader->file_bytes += (int64_t)payload.len;
  crypto_generichash_blake2b_update(&reader->hash, payload.ptr, payload.len);
  if (reader->visitor.file_data == NULL || payload.len == 0)
    return SC_OK;
  return reader->visitor.file_data(reader->visitor.user, payload);
}

typedef struct file_end {
  int64_t id;
  bool complete;
  bool has_hash;
  uint8_t hash[sc_archive_hash_bytes];
  sc_bytes error;
} file_end;

static sc_status read_end_id(sc_object_place *place, sc_json_cursor *cursor) {
  return sc_json_cursor_i64(&((file_end *)place->into)->id, cursor);
}

static sc_status read_complete(sc_object_place *place, sc_json_cursor *cursor) {
  return sc_json_cursor_bool(&((file_end *)place->into)->complete, cursor);
}

static sc_status read_hash(sc_object_place *place, sc_json_cursor *cursor) {
  file_end *end = place->into;
  sc_bytes text;
  sc_status status = sc_object_text(&text, place, cursor);
  if (status == SC_OK)
    status = sc_hex_decode(end->hash, sizeof end->hash, text);
  end->has_hash = status == SC_OK;
  return status;
}

static sc_status read_error(sc_object_place *place, sc_json_cursor *cursor) {
  return sc_object_text(&((file_end *)place->into)->error, place, cursor);
}

static sc_status check_file(sc_archive_reader *reader, const file_end *end) {
  uint8_t hash[sc_archive_hash_bytes];
  if (end->id != reader->file.id)
    return SC_ERR_ARCHIVE_ORDER;
  if (end->complete ? !end->has_hash : end->error.len == 0)
    return SC_ERR_ARCHIVE_FRAME;
  if (!end->complete)
    return SC_OK;
  crypto_generichash_blake2b_final(&reader->hash, hash, sizeof hash);
  bool same = reader->file_bytes == reader->file.size && memcmp(hash, end->hash, sizeof hash) == 0;
  return same ? SC_OK : SC_ERR_ARCHIVE_FILE;
}

sc_status sc_reader_file_end(sc_archive_reader *reader, sc_bytes payload) {
  static const sc_object_member members[] = {{"file", read_end_id, false},
                                             {"complete", read_complete, false},
                                             {"blake2b", read_hash, true},
                                             {"error", read_error, true}};
  file_end end = {.complete = false};
  if (reader->phase != READER_IN_FILE)
    return SC_ERR_ARCHIVE_ORDER;
  sc_status status = SC_READER_OBJECT(reader, &end, payload, members);
  if (status == SC_OK)
    status = check_file(reader, &end);
  if (status != SC_OK)
    return status;
  reader->phase = READER_BETWEEN_FILES;
  if (end.complete) {
    reader->files++;
    reader->bytes += reader->file.size;
    end.error = sc_bytes_make(NULL, 0);
  }
  return reader->visitor.file_end == NULL ? SC_OK : reader->visitor.file_end(reader->visitor.user, end.error);
}
