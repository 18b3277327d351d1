#include "manifest.h"
#include "object.h"
#include "session-core/base/encoding.h"

enum { most_conversations = 10000 };

static sc_archive_manifest *manifest_of(sc_object_place *place) {
  return place->into;
}

/* The text must be this one. */
static sc_status read_word(sc_object_place *place, sc_json_cursor *cursor, const char *word) {
  sc_bytes text;
  sc_status status = sc_object_text(&text, place, cursor);
  return status == SC_OK && !sc_bytes_same(text, sc_bytes_text(word)) ? SC_ERR_ARCHIVE_MANIFEST : status;
}

static sc_status read_number(sc_json_cursor *cursor, int64_t expected) {
  int64_t number;
  sc_status status = sc_json_cursor_i64(&number, cursor);
  return status == SC_OK && number != expected ? SC_ERR_ARCHIVE_MANIFEST : status;
}

static sc_status read_format(sc_object_place *place, sc_json_cursor *cursor) {
  return read_word(place, cursor, "session-archive");
}

static sc_status read_version(sc_object_place *place, sc_json_cursor *cursor) {
  (void)place;
  return read_number(cursor, 1);
}

static sc_status read_application(sc_object_place *place, sc_json_cursor *cursor) {
  (void)place;
  return read_number(cursor, SC_ARCHIVE_APPLICATION_ID);
}

static sc_status read_created(sc_object_place *place, sc_json_cursor *cursor) {
  return sc_object_count(&manifest_of(place)->created, cursor);
}

static sc_status read_program(sc_object_place *place, sc_json_cursor *cursor) {
  return sc_object_text(&manifest_of(place)->program, place, cursor);
}

static sc_status read_schema(sc_object_place *place, sc_json_cursor *cursor) {
  return sc_object_count(&manifest_of(place)->schema, cursor);
}

static sc_status read_id(sc_object_place *place, sc_json_cursor *cursor) {
  return sc_object_text(&manifest_of(place)->account, place, cursor);
}

static sc_status read_name(sc_object_place *place, sc_json_cursor *cursor) {
  return sc_object_text(&manifest_of(place)->name, place, cursor);
}

static sc_status read_network(sc_object_place *place, sc_json_cursor *cursor) {
  return sc_object_text(&manifest_of(place)->network, place, cursor);
}

static sc_status read_seed(sc_object_place *place, sc_json_cursor *cursor) {
  sc_buffer_clear(&place->text);
  uint8_t *seed = sc_arena_take(place->arena, SC_ARCHIVE_SEED_BYTES);
  sc_status status = seed == NULL ? SC_ERR_NO_MEMORY : sc_json_cursor_string(&place->text, cursor);
  if (status == SC_OK)
    status = sc_hex_decode(seed, SC_ARCHIVE_SEED_BYTES, sc_buffer_bytes(&place->text));
  if (status == SC_OK)
    manifest_of(place)->seed = seed;
  return status;
}

static sc_status read_account(sc_object_place *place, sc_json_cursor *cursor) {
  static const sc_object_member members[] = {{"id", read_id, false},
                                             {"name", read_name, true},
                                             {"network", read_network, false},
                                             {"seed", read_seed, true}};
  return sc_object_read(place, cursor, members, sizeof members / sizeof members[0]);
}

static sc_status read_tables(sc_object_place *place, sc_json_cursor *cursor) {
  sc_bytes *tables;
  sc_status status =
      sc_object_list(&tables, &manifest_of(place)->table_count, place, cursor, SC_ARCHIVE_MAX_TABLES);
  if (status == SC_OK)
    manifest_of(place)->tables = tables;
  return status;
}

static sc_status read_sequence(sc_archive_sequence *out, sc_object_place *place, sc_json_cursor *cursor) {
  sc_status status = sc_json_cursor_key(&place->text, cursor);
  if (status != SC_OK)
    return status;
  uint8_t *table = sc_arena_take(place->arena, place->text.len + 1);
  if (table == NULL)
    return SC_ERR_NO_MEMORY;
  if (place->text.len > 0)
    memcpy(table, place->text.ptr, place->text.len);
  out->table = sc_bytes_make(table, place->text.len);
  return sc_object_count(&out->number, cursor);
}

static sc_status read_sequences(sc_object_place *place, sc_json_cursor *cursor) {
  sc_archive_sequence *sequences = sc_arena_take(place->arena, SC_ARCHIVE_MAX_TABLES * sizeof *sequences);
  sc_status status = sequences == NULL ? SC_ERR_NO_MEMORY : sc_json_cursor_enter(cursor, SC_JSON_OBJECT);
  size_t count = 0;
  while (status == SC_OK && sc_json_cursor_more(cursor))
    status =
        count == SC_ARCHIVE_MAX_TABLES ? SC_ERR_TOO_LARGE : read_sequence(&sequences[count++], place, cursor);
  if (status == SC_OK) {
    manifest_of(place)->sequences = sequences;
    manifest_of(place)->sequence_count = count;
  }
  return status;
}

static sc_status read_files(sc_object_place *place, sc_json_cursor *cursor) {
  sc_bytes text;
  sc_status status = sc_object_text(&text, place, cursor);
  for (size_t i = 0; i <= SC_ARCHIVE_FILES_NONE && status == SC_OK; i++)
    if (sc_bytes_same(text, sc_bytes_text(sc_manifest_files[i]))) {
      manifest_of(place)->files = (sc_archive_files)i;
      return SC_OK;
    }
  return status == SC_OK ? SC_ERR_ARCHIVE_MANIFEST : status;
}

static sc_status read_disappearing(sc_object_place *place, sc_json_cursor *cursor) {
  return sc_json_cursor_bool(&manifest_of(place)->disappearing, cursor);
}

static sc_status read_conversations(sc_object_place *place, sc_json_cursor *cursor) {
  sc_archive_manifest *manifest = manifest_of(place);
  if (sc_json_cursor_type(cursor) == SC_JSON_NULL) {
    sc_json_cursor_skip(cursor);
    return SC_OK;
  }
  sc_bytes *conversations;
  sc_status status =
      sc_object_list(&conversations, &manifest->conversation_count, place, cursor, most_conversations);
  if (status == SC_OK) {
    manifest->conversations = conversations;
    manifest->all_conversations = false;
  }
  return status;
}

static sc_status read_contents(sc_object_place *place, sc_json_cursor *cursor) {
  static const sc_object_member members[] = {{"files", read_files, false},
                                             {"disappearing", read_disappearing, true},
                                             {"conversations", read_conversations, true}};
  return sc_object_read(place, cursor, members, sizeof members / sizeof members[0]);
}

/* Only shown as progress: whatever cannot be read counts as unknown. */
static sc_status guess(int64_t *out, sc_json_cursor *cursor) {
  if (sc_json_cursor_i64(out, cursor) != SC_OK)
    sc_json_cursor_skip(cursor);
  if (*out < 0)
    *out = 0;
  return SC_OK;
}

static sc_status read_estimated_rows(sc_object_place *place, sc_json_cursor *cursor) {
  return guess(&manifest_of(place)->estimated_rows, cursor);
}

static sc_status read_estimated_bytes(sc_object_place *place, sc_json_cursor *cursor) {
  return guess(&manifest_of(place)->estimated_file_bytes, cursor);
}

static sc_status read_estimate(sc_object_place *place, sc_json_cursor *cursor) {
  static const sc_object_member members[] = {{"rows", read_estimated_rows, true},
                                             {"fileBytes", read_estimated_bytes, true}};
  if (sc_json_cursor_type(cursor) == SC_JSON_OBJECT)
    return sc_object_read(place, cursor, members, sizeof members / sizeof members[0]);
  sc_json_cursor_skip(cursor);
  return SC_OK;
}

static const sc_object_member manifest_members[] = {
    {"format", read_format, false},      {"version", read_version, false},
    {"created", read_created, true},     {"program", read_program, true},
    {"account", read_account, false},    {"applicationID", read_application, false},
    {"schema", read_schema, false},      {"tables", read_tables, false},
    {"sequences", read_sequences, true}, {"contents", read_contents, false},
    {"estimate", read_estimate, true},
};

/* Tables that this program does not know can only come from a newer one. */
static sc_status check_tables(const sc_archive_manifest *manifest, const sc_archive_known *known) {
  for (size_t i = 0; i < manifest->table_count; i++) {
    bool found = false;
    for (size_t j = 0; j < known->table_count && !found; j++)
      found = sc_bytes_same(manifest->tables[i], sc_bytes_text(known->tables[j]));
    if (!found)
      return manifest->schema > known->schema ? SC_ERR_ARCHIVE_DOWNGRADE : SC_ERR_ARCHIVE_MANIFEST;
  }
  return SC_OK;
}

sc_status sc_manifest_read(sc_archive_manifest *out, sc_arena *arena, sc_bytes text,
                           const sc_archive_known *known) {
  *out = (sc_archive_manifest){.all_conversations = true};
  sc_object_place place = {.into = out, .arena = arena};
  sc_buffer_init(&place.text, arena->env);
  sc_json_cursor cursor;
  sc_status status = sc_json_cursor_init(&cursor, text, sc_object_depth);
  bool is_object = status == SC_OK && sc_json_cursor_type(&cursor) == SC_JSON_OBJECT;
  if (!is_object) {
    status = status == SC_ERR_NO_MEMORY ? status : SC_ERR_ARCHIVE_FRAME;
  } else {
    status = sc_object_read(&place, &cursor, manifest_members,
                            sizeof manifest_members / sizeof manifest_members[0]);
    if (status != SC_OK && status != SC_ERR_NO_MEMORY)
      status = SC_ERR_ARCHIVE_MANIFEST;
  }
  sc_buffer_free(&place.text);
  if (status == SC_OK)
    status = sc_manifest_check(out);
  return status == SC_OK ? check_tables(out, known) : status;
}
