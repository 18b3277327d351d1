#include "../base/big.h"
#include "../base/json_text.h"
#include "manifest.h"
#include "pieces.h"
#include "session-core/base/secret.h"
#include "value_text.h"
#include "writer_state.h"

sc_status sc_archive_writer_new(sc_archive_writer **out, const sc_env *env, sc_sink frames, bool compress) {
  *out = NULL;
  sc_archive_writer *writer = sc_allocate(env, sizeof *writer);
  if (writer == NULL)
    return SC_ERR_NO_MEMORY;
  *writer = (sc_archive_writer){.env = env, .frames = frames, .compress = compress, .last_file = INT64_MIN};
  sc_arena_init(&writer->arena, env, 1024);
  sc_buffer *buffers[] = {&writer->head, &writer->json, &writer->row, &writer->packed};
  for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
    sc_buffer_init(buffers[i], env);
  *out = writer;
  return SC_OK;
}

void sc_archive_writer_free(sc_archive_writer *writer) {
  if (writer == NULL)
    return;
  const sc_env *env = writer->env;
  sc_arena_free(&writer->arena);
  sc_buffer_free(&writer->head);
  sc_buffer_free(&writer->json);
  sc_buffer_free(&writer->row);
  sc_buffer_free(&writer->packed);
  sc_wipe(writer, sizeof *writer);
  sc_release(env, writer);
}

sc_status sc_writer_frame(sc_archive_writer *writer, sc_frame_type type, uint8_t flags, sc_bytes payload) {
  uint8_t head[sc_frame_head_bytes] = {(uint8_t)type, flags};
  sc_store_big(head + 4, payload.len, 4);
  sc_status status = sc_pieces_put(writer->frames, SC_BYTES(head));
  return status == SC_OK ? sc_pieces_put(writer->frames, payload) : status;
}

sc_status sc_writer_json(sc_archive_writer *writer, sc_frame_type type) {
  sc_status status = writer->row.len > sc_frame_max_payload
                         ? SC_ERR_TOO_LARGE
                         : sc_writer_frame(writer, type, 0, sc_buffer_bytes(&writer->row));
  sc_buffer_clear(&writer->row);
  return status;
}

sc_status sc_writer_fail(sc_archive_writer *writer, sc_status status) {
  if (status != SC_OK)
    writer->phase = WRITER_OVER;
  return status;
}

/* Keeps the names of the tables, which the caller owns. */
static sc_status keep_tables(sc_archive_writer *writer, const sc_archive_manifest *manifest) {
  size_t count = manifest->table_count;
  sc_bytes *tables = sc_arena_take(&writer->arena, (count + 1) * sizeof *tables);
  writer->rows = sc_arena_take(&writer->arena, (count + 1) * sizeof *writer->rows);
  if (tables == NULL || writer->rows == NULL)
    return SC_ERR_NO_MEMORY;
  for (size_t i = 0; i < count; i++) {
    uint8_t *name = sc_arena_take(&writer->arena, manifest->tables[i].len + 1);
    if (name == NULL)
      return SC_ERR_NO_MEMORY;
    if (manifest->tables[i].len > 0)
      memcpy(name, manifest->tables[i].ptr, manifest->tables[i].len);
    tables[i] = sc_bytes_make(name, manifest->tables[i].len);
    writer->rows[i] = -1;
  }
  writer->tables = tables;
  writer->table_count = writer->table = count;
  return SC_OK;
}

static sc_status write_manifest(sc_archive_writer *writer, const sc_archive_manifest *manifest) {
  if (writer->phase != WRITER_BEGINNING)
    return SC_ERR_STATE;
  if (sc_manifest_check(manifest) != SC_OK)
    return SC_ERR_ARGUMENT;
  sc_status status = keep_tables(writer, manifest);
  if (status == SC_OK)
    status = sc_manifest_write(&writer->row, manifest);
  if (status == SC_OK)
    status = sc_writer_json(writer, SC_FRAME_MANIFEST);
  writer->phase = WRITER_IN_ROWS;
  return status;
}

sc_status sc_archive_writer_manifest(sc_archive_writer *writer, const sc_archive_manifest *manifest) {
  return sc_writer_fail(writer, write_manifest(writer, manifest));
}

static sc_status text_member(sc_buffer *out, const char *key, sc_bytes text) {
  sc_status status = sc_text_raw(out, key);
  return status == SC_OK ? sc_json_text_append(out, text) : status;
}

static sc_status put_problem(sc_archive_writer *writer, const sc_archive_problem *problem) {
  if (writer->phase == WRITER_BEGINNING || writer->phase == WRITER_IN_FILE || writer->phase == WRITER_OVER)
    return SC_ERR_STATE;
  if (++writer->problems > sc_archive_most_problems)
    return SC_OK;
  sc_buffer_clear(&writer->row);
  sc_status status = text_member(&writer->row, "{\"kind\":", problem->kind);
  if (status == SC_OK)
    status = text_member(&writer->row, ",\"item\":", problem->item);
  if (status == SC_OK)
    status = text_member(&writer->row, ",\"detail\":", problem->detail);
  if (status == SC_OK)
    status = sc_text_raw(&writer->row, "}");
  return status == SC_OK ? sc_writer_json(writer, SC_FRAME_PROBLEM) : status;
}

sc_status sc_archive_writer_problem(sc_archive_writer *writer, const sc_archive_problem *problem) {
  return sc_writer_fail(writer, put_problem(writer, problem));
}

static sc_status write_counts(sc_archive_writer *writer) {
  sc_status status = sc_text_raw(&writer->row, "{\"rows\":{");
  bool first = true;
  for (size_t i = 0; i < writer->table_count && status == SC_OK; i++) {
    if (writer->rows[i] < 0)
      continue;
    if (!first)
      status = sc_text_raw(&writer->row, ",");
    first = false;
    if (status == SC_OK)
      status = text_member(&writer->row, "", writer->tables[i]);
    if (status == SC_OK)
      status = sc_text_raw(&writer->row, ":");
    if (status == SC_OK)
      status = sc_text_integer(&writer->row, writer->rows[i]);
  }
  return status == SC_OK ? sc_text_raw(&writer->row, "}") : status;
}

static sc_status write_end(sc_archive_writer *writer) {
  if (writer->phase != WRITER_IN_ROWS && writer->phase != WRITER_BETWEEN_FILES)
    return SC_ERR_STATE;
  const struct {
    const char *key;
    int64_t number;
  } totals[] = {{",\"files\":", writer->files},
                {",\"problems\":", writer->problems},
                {",\"fileBytes\":", writer->bytes}};
  sc_status status = sc_writer_flush(writer);
  if (status == SC_OK)
    status = write_counts(writer);
  for (size_t i = 0; i < sizeof totals / sizeof totals[0] && status == SC_OK; i++) {
    status = sc_text_raw(&writer->row, totals[i].key);
    if (status == SC_OK)
      status = sc_text_integer(&writer->row, totals[i].number);
  }
  if (status == SC_OK)
    status = sc_text_raw(&writer->row, "}");
  return status == SC_OK ? sc_writer_json(writer, SC_FRAME_END) : status;
}

sc_status sc_archive_writer_finish(sc_archive_writer *writer) {
  sc_status status = write_end(writer);
  writer->phase = WRITER_OVER;
  return status;
}
