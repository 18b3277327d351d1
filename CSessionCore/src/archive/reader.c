#include "../base/big.h"
#include "../base/compression.h"
#include "pieces.h"
#include "reader_state.h"
#include "session-core/base/secret.h"

enum { window_log = 20 };

sc_status sc_archive_reader_new(sc_archive_reader **out, const sc_env *env, const sc_archive_visitor *visitor,
                                const sc_archive_known *known) {
  *out = NULL;
  sc_archive_reader *reader = sc_allocate(env, sizeof *reader);
  if (reader == NULL)
    return SC_ERR_NO_MEMORY;
  memset(reader, 0, sizeof *reader);
  reader->env = env;
  reader->visitor = *visitor;
  reader->known = known;
  reader->last_file = INT64_MIN;
  sc_buffer_init(&reader->frame, env);
  sc_buffer_init(&reader->unpacked, env);
  sc_arena_init(&reader->arena, env, 4096);
  sc_arena_init(&reader->scratch, env, 4096);
  sc_arena_init(&reader->columns_arena, env, 1024);
  sc_rows_init(&reader->current, env);
  sc_long_values_init(&reader->long_values, env);
  *out = reader;
  return SC_OK;
}

void sc_archive_reader_free(sc_archive_reader *reader) {
  if (reader == NULL)
    return;
  const sc_env *env = reader->env;
  sc_buffer_free(&reader->frame);
  sc_buffer_free(&reader->unpacked);
  sc_arena_free(&reader->arena);
  sc_arena_free(&reader->scratch);
  sc_arena_free(&reader->columns_arena);
  sc_rows_free(&reader->current);
  sc_long_values_free(&reader->long_values);
  sc_wipe(reader, sizeof *reader);
  sc_release(env, reader);
}

sc_status sc_reader_object(sc_archive_reader *reader, void *into, sc_bytes payload,
                           const sc_object_member *members, size_t count) {
  sc_object_place place = {.into = into, .arena = &reader->scratch};
  sc_buffer_init(&place.text, reader->env);
  sc_status status = sc_object_document(&place, payload, members, count);
  sc_buffer_free(&place.text);
  return status == SC_OK || status == SC_ERR_NO_MEMORY ? status : SC_ERR_ARCHIVE_FRAME;
}

static sc_status read_long(sc_archive_reader *reader, sc_bytes payload) {
  return reader->phase == READER_IN_ROWS ? sc_long_values_add(&reader->long_values, payload)
                                         : SC_ERR_ARCHIVE_ORDER;
}

static sc_status read_problem_kind(sc_object_place *place, sc_json_cursor *cursor) {
  return sc_object_text(&((sc_archive_problem *)place->into)->kind, place, cursor);
}

static sc_status read_problem_item(sc_object_place *place, sc_json_cursor *cursor) {
  return sc_object_text(&((sc_archive_problem *)place->into)->item, place, cursor);
}

static sc_status read_problem_detail(sc_object_place *place, sc_json_cursor *cursor) {
  return sc_object_text(&((sc_archive_problem *)place->into)->detail, place, cursor);
}

static sc_status read_problem(sc_archive_reader *reader, sc_bytes payload) {
  static const sc_object_member members[] = {{"kind", read_problem_kind, false},
                                             {"item", read_problem_item, false},
                                             {"detail", read_problem_detail, false}};
  sc_archive_problem problem = {.kind = {NULL, 0}};
  if (reader->phase == READER_IN_FILE)
    return SC_ERR_ARCHIVE_ORDER;
  sc_status status = SC_READER_OBJECT(reader, &problem, payload, members);
  if (status != SC_OK)
    return status;
  reader->problems++;
  return reader->visitor.problem == NULL ? SC_OK : reader->visitor.problem(reader->visitor.user, &problem);
}

static sc_status read_payload(sc_archive_reader *reader, uint8_t type, sc_bytes payload) {
  switch ((sc_frame_type)type) {
  case SC_FRAME_MANIFEST:
    return sc_reader_manifest(reader, payload);
  case SC_FRAME_ROWS:
    return sc_reader_rows(reader, payload);
  case SC_FRAME_FILE:
    return sc_reader_file(reader, payload);
  case SC_FRAME_FILE_DATA:
    return sc_reader_file_data(reader, payload);
  case SC_FRAME_FILE_END:
    return sc_reader_file_end(reader, payload);
  case SC_FRAME_PROBLEM:
    return read_problem(reader, payload);
  case SC_FRAME_END:
    return sc_reader_end(reader, payload);
  case SC_FRAME_LONG:
    return read_long(reader, payload);
  case SC_FRAME_FIRST_UNKNOWN:
  case SC_FRAME_FIRST_IGNORED:
    break;
  }
  return SC_ERR_ARCHIVE_FRAME;
}

static sc_status check_head(const sc_archive_reader *reader, const uint8_t *head) {
  if (head[1] > sc_frame_compressed || sc_load_big(head + 2, 2) != 0 ||
      sc_load_big(head + 4, 4) > sc_frame_max_payload || head[0] == 0)
    return SC_ERR_ARCHIVE_FRAME;
  if (head[0] >= SC_FRAME_FIRST_IGNORED)
    return SC_OK;
  if (head[0] >= SC_FRAME_FIRST_UNKNOWN)
    return SC_ERR_ARCHIVE_VERSION;
  bool before = reader->phase == READER_BEFORE_MANIFEST;
  return before && head[0] != SC_FRAME_MANIFEST ? SC_ERR_ARCHIVE_ORDER : SC_OK;
}

/* One frame that states its size and needs little memory. */
static sc_status unpack(sc_buffer *out, sc_bytes packed) {
  sc_status status = sc_zstd_decompress_stated(out, packed, sc_frame_max_payload, window_log);
  return status == SC_OK || status == SC_ERR_NO_MEMORY ? status : SC_ERR_ARCHIVE_FRAME;
}

static sc_status take_frame(sc_archive_reader *reader) {
  uint8_t type = reader->frame.ptr[0], flags = reader->frame.ptr[1];
  sc_bytes payload =
      sc_bytes_make(reader->frame.ptr + sc_frame_head_bytes, reader->frame.len - sc_frame_head_bytes);
  sc_status status = SC_OK;
  bool ignored = type >= SC_FRAME_FIRST_IGNORED;
  if (!ignored && flags == sc_frame_compressed) {
    status = unpack(&reader->unpacked, payload);
    payload = sc_buffer_bytes(&reader->unpacked);
  }
  if (!ignored && status == SC_OK)
    status = read_payload(reader, type, payload);
  sc_arena_free(&reader->scratch);
  sc_buffer_clear(&reader->unpacked);
  sc_buffer_clear(&reader->frame);
  return status;
}

static sc_status read_frames(sc_archive_reader *reader, sc_bytes bytes) {
  sc_status status = SC_OK;
  while (bytes.len > 0 && status == SC_OK) {
    if (reader->phase == READER_ENDED)
      return SC_ERR_ARCHIVE_ORDER;
    bool in_head = reader->frame.len < sc_frame_head_bytes;
    size_t wanted = sc_frame_head_bytes;
    if (!in_head)
      wanted += (size_t)sc_load_big(reader->frame.ptr + 4, 4);
    status = sc_buffer_append(&reader->frame, sc_pieces_take(&bytes, wanted - reader->frame.len));
    if (status != SC_OK || reader->frame.len < wanted)
      continue;
    if (in_head)
      status = check_head(reader, reader->frame.ptr);
    bool whole = !in_head || sc_load_big(reader->frame.ptr + 4, 4) == 0;
    if (status == SC_OK && whole)
      status = take_frame(reader);
  }
  return status;
}

sc_status sc_archive_reader_write(sc_archive_reader *reader, sc_bytes frames) {
  sc_status status = reader->phase == READER_OVER ? SC_ERR_STATE : read_frames(reader, frames);
  if (status != SC_OK)
    reader->phase = READER_OVER;
  return status;
}

sc_status sc_archive_reader_finish(sc_archive_reader *reader) {
  sc_status status = reader->phase == READER_OVER ? SC_ERR_STATE : SC_OK;
  if (status == SC_OK && reader->phase != READER_ENDED)
    status = SC_ERR_ARCHIVE_TRUNCATED;
  reader->phase = READER_OVER;
  return status;
}

static sc_status write_piece(void *reader, sc_bytes piece) {
  return sc_archive_reader_write(reader, piece);
}

sc_sink sc_archive_reader_sink(sc_archive_reader *reader) {
  return (sc_sink){.user = reader, .write = write_piece};
}
