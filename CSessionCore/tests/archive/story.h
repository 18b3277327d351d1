/* Shared by the tests of contents: a manifest, a record of what a reader saw, and frames made by hand. */
#ifndef SC_TESTS_ARCHIVE_STORY_H
#define SC_TESTS_ARCHIVE_STORY_H

#include <stdio.h>

#include "support/pieces.h"

static const uint8_t story_seed[SC_ARCHIVE_SEED_BYTES] = {1, 2, 3};
static const char *const story_tables[] = {"file", "thread", "interaction"};
static const sc_archive_known story_known = {3, story_tables, 3};

/* A visitor that writes down what it is given. */
typedef struct story_log {
  sc_buffer text;
  sc_buffer data; /* of files */
  sc_buffer last_value;
  sc_status refuse; /* what the visitor returns for a row */
} story_log;

static inline void story_log_init(story_log *log, const sc_env *env) {
  sc_buffer_init(&log->text, env);
  sc_buffer_init(&log->data, env);
  sc_buffer_init(&log->last_value, env);
  log->refuse = SC_OK;
}

static inline void story_log_free(story_log *log) {
  sc_buffer_free(&log->text);
  sc_buffer_free(&log->data);
  sc_buffer_free(&log->last_value);
}

static inline sc_status story_say(story_log *log, const char *what, sc_bytes text) {
  sc_status status = sc_buffer_append(&log->text, sc_bytes_text(what));
  if (status == SC_OK)
    status = sc_buffer_append(&log->text, text);
  return status == SC_OK ? sc_buffer_append(&log->text, sc_bytes_text(" ")) : status;
}

static inline sc_status story_number(story_log *log, const char *what, int64_t number) {
  char text[24];
  snprintf(text, sizeof text, "%lld", (long long)number);
  return story_say(log, what, sc_bytes_text(text));
}

static inline sc_status story_manifest(void *user, const sc_archive_manifest *manifest) {
  return story_say(user, "manifest ", manifest->name);
}

static inline sc_status story_table(void *user, sc_bytes table, const sc_bytes *columns, size_t count) {
  sc_status status = story_say(user, "table ", table);
  for (size_t i = 0; i < count && status == SC_OK; i++)
    status = story_say(user, "column ", columns[i]);
  return status;
}

static inline sc_status story_value(story_log *log, const sc_archive_value *value) {
  char real[32];
  sc_buffer_clear(&log->last_value);
  sc_status status = sc_buffer_append(&log->last_value, value->bytes);
  if (status != SC_OK)
    return status;
  switch (value->kind) {
  case SC_ARCHIVE_NULL:
    return story_say(log, "null", sc_bytes_text(""));
  case SC_ARCHIVE_INTEGER:
    return story_number(log, "i", value->integer);
  case SC_ARCHIVE_REAL:
    snprintf(real, sizeof real, "%.17g", value->real);
    return story_say(log, "r", sc_bytes_text(real));
  case SC_ARCHIVE_TEXT:
    return value->bytes.len > 100 ? story_number(log, "text of ", (int64_t)value->bytes.len)
                                  : story_say(log, "t", value->bytes);
  case SC_ARCHIVE_BLOB:
    return story_number(log, "blob of ", (int64_t)value->bytes.len);
  case SC_ARCHIVE_INVALID:
    break;
  }
  return story_say(log, "invalid", sc_bytes_text(""));
}

static inline sc_status story_row(void *user, const sc_archive_value *values, size_t count) {
  story_log *log = user;
  sc_status status = story_say(log, "row", sc_bytes_text(""));
  for (size_t i = 0; i < count && status == SC_OK; i++)
    status = story_value(log, &values[i]);
  return status == SC_OK ? log->refuse : status;
}

static inline sc_status story_file(void *user, const sc_archive_file *file) {
  sc_status status = story_number(user, "file ", file->id);
  return status == SC_OK ? story_number(user, "of ", file->size) : status;
}

static inline sc_status story_file_data(void *user, sc_bytes data) {
  return sc_buffer_append(&((story_log *)user)->data, data);
}

static inline sc_status story_file_end(void *user, sc_bytes error) {
  return story_say(user, "end ", error);
}

static inline sc_status story_problem(void *user, const sc_archive_problem *problem) {
  return story_say(user, "problem ", problem->detail);
}

static inline sc_archive_visitor story_visitor(story_log *log) {
  return (sc_archive_visitor){log,        story_manifest,  story_table,    story_row,
                              story_file, story_file_data, story_file_end, story_problem};
}

static inline sc_status story_feed(void *reader, sc_bytes piece) {
  return sc_archive_reader_write(reader, piece);
}

/* Reads frames in pieces of sizes that follow from `sizes`. */
static inline sc_status story_read(story_log *log, const sc_env *env, sc_bytes frames, uint64_t sizes) {
  const sc_archive_visitor visitor = story_visitor(log);
  sc_archive_reader *reader;
  sc_buffer_clear(&log->text);
  sc_buffer_clear(&log->data);
  sc_status status = sc_archive_reader_new(&reader, env, &visitor, &story_known);
  if (status != SC_OK)
    return status;
  status = sc_test_in_pieces(story_feed, reader, frames, sizes);
  if (status == SC_OK)
    status = sc_archive_reader_finish(reader);
  sc_archive_reader_free(reader);
  return status;
}

/* Appends a frame. */
static inline sc_status story_frame(sc_buffer *out, uint8_t type, sc_bytes payload) {
  uint8_t head[8] = {type,
                     0,
                     0,
                     0,
                     (uint8_t)(payload.len >> 24),
                     (uint8_t)(payload.len >> 16),
                     (uint8_t)(payload.len >> 8),
                     (uint8_t)payload.len};
  sc_status status = sc_buffer_append(out, SC_BYTES(head));
  return status == SC_OK ? sc_buffer_append(out, payload) : status;
}

/* Writes the id of the account with story_seed. */
static inline void story_account(char out[static SC_ID_CHARS + 1]) {
  sc_keypair pair;
  sc_id id;
  sc_keypair_from_seed(&pair, story_seed);
  sc_id_make(&id, SC_ID_STANDARD, pair.x.public_key);
  sc_id_format(out, &id);
}

/* The text of a manifest; `%s` in it are the id and the other members of the account. */
static inline sc_status story_manifest_frame(sc_buffer *out) {
  char id[SC_ID_CHARS + 1], text[600];
  story_account(id);
  snprintf(text, sizeof text,
           "{\"format\":\"session-archive\",\"version\":1,\"account\":{\"id\":\"%s\",\"name\":\"alice\","
           "\"network\":\"main\"},\"applicationID\":1397052243,\"schema\":3,\"tables\":[\"file\",\"thread\","
           "\"interaction\"],\"contents\":{\"files\":\"all\"}}",
           id);
  return story_frame(out, 1, sc_bytes_text(text));
}

#endif
