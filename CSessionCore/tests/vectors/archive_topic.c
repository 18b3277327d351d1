#include <stdio.h>
#include <stdlib.h>

#include "topics.h"

enum { content_most = 256 }; /* bytes of a file that are recorded */

/* What a case is read into, and how far its recorded results were compared. */
typedef struct archive_case {
  known_case *c;
  const sc_json *result;
  const sc_json *rows; /* recorded, of the current table */
  size_t tables, row, files, problems;
  sc_bytes last_table;
  sc_archive_file file;
  sc_buffer *content;
} archive_case;

static const sc_json *member(const sc_json *object, const char *key) {
  const sc_json *value = NULL;
  return sc_json_member(&value, object, key) == SC_OK ? value : NULL;
}

static const sc_json *element(const sc_json *list, size_t index) {
  const sc_json *value = NULL;
  return sc_json_element(&value, list, index) == SC_OK ? value : NULL;
}

static void same_text(archive_case *a, const sc_json *recorded, sc_bytes actual, const char *what) {
  sc_bytes text;
  if (a->c->accepts && (sc_json_string(&text, recorded) != SC_OK || !sc_bytes_same(text, actual)))
    known_differs(a->c, "another %s", what);
}

static void same_number(archive_case *a, const sc_json *recorded, int64_t actual, const char *what) {
  int64_t number;
  if (a->c->accepts && (sc_json_i64(&number, recorded) != SC_OK || number != actual))
    known_differs(a->c, "another %s", what);
}

static sc_status on_manifest(void *user, const sc_archive_manifest *manifest) {
  archive_case *a = user;
  static const char *const files[] = {"all", "pictures", "none"};
  const sc_json *recorded = member(a->result, "manifest"), *account = member(recorded, "account");
  same_text(a, member(account, "id"), manifest->account, "account");
  same_text(a, member(account, "network"), manifest->network, "network");
  same_number(a, member(recorded, "schema"), manifest->schema, "schema");
  same_number(a, member(recorded, "created"), manifest->created, "time");
  same_text(a, member(recorded, "program"), manifest->program, "program");
  same_text(a, member(member(recorded, "contents"), "files"), sc_bytes_text(files[manifest->files]), "files");
  const sc_json *tables = member(recorded, "tables");
  if (a->c->accepts && sc_json_count(tables) != manifest->table_count)
    known_differs(a->c, "other tables");
  for (size_t i = 0; i < manifest->table_count; i++)
    same_text(a, element(tables, i), manifest->tables[i], "table");
  const sc_json *seed = member(account, "seed");
  if (a->c->accepts && (seed != NULL) != (manifest->seed != NULL))
    known_differs(a->c, "a seed where none is, or the other way round");
  if (seed != NULL && manifest->seed != NULL &&
      !sc_bytes_same(known_hex_of(a->c, seed), sc_bytes_make(manifest->seed, SC_ARCHIVE_SEED_BYTES)))
    known_differs(a->c, "another seed");
  const sc_json *sequences = member(recorded, "sequences");
  if (a->c->accepts && sc_json_count(sequences) != manifest->sequence_count)
    known_differs(a->c, "other sequences");
  return SC_OK;
}

static sc_status on_table(void *user, sc_bytes table, const sc_bytes *columns, size_t count) {
  archive_case *a = user;
  char name[64];
  if (a->last_table.ptr != NULL && sc_bytes_same(a->last_table, table))
    return SC_OK;
  snprintf(name, sizeof name, "%.*s", (int)table.len, (const char *)table.ptr);
  const sc_json *recorded = member(member(a->result, "tables"), name);
  const sc_json *names = member(recorded, "columns");
  if (a->rows != NULL && a->c->accepts && a->row != sc_json_count(a->rows))
    known_differs(a->c, "fewer rows");
  if (a->c->accepts && (recorded == NULL || sc_json_count(names) != count))
    known_differs(a->c, "another table");
  for (size_t i = 0; i < count; i++)
    same_text(a, element(names, i), columns[i], "column");
  a->rows = member(recorded, "rows");
  a->row = 0;
  a->tables++;
  sc_buffer *kept = known_buffer(a->c);
  sc_status status = sc_buffer_append(kept, table);
  a->last_table = sc_buffer_bytes(kept);
  return status;
}

static bool same_blob(const sc_json *recorded, sc_bytes actual) {
  sc_bytes text;
  if (sc_json_member_string(&text, recorded, "b") != SC_OK)
    return false;
  char *encoded = malloc(SC_BASE64_CHARS(actual.len) + 1);
  size_t len = sc_base64_encode(encoded, actual, SC_BASE64_STANDARD);
  bool same = sc_bytes_same(text, sc_bytes_make(encoded, len));
  free(encoded);
  return same;
}

static bool same_value(const sc_json *recorded, const sc_archive_value *value) {
  int64_t number;
  double real;
  sc_bytes text;
  switch (value->kind) {
  case SC_ARCHIVE_NULL:
    return sc_json_type_of(recorded) == SC_JSON_NULL;
  case SC_ARCHIVE_INTEGER:
    return sc_json_i64(&number, recorded) == SC_OK && number == value->integer;
  case SC_ARCHIVE_REAL:
    return sc_json_type_of(recorded) == SC_JSON_DOUBLE && sc_json_double(&real, recorded) == SC_OK &&
           memcmp(&real, &value->real, sizeof real) == 0;
  case SC_ARCHIVE_TEXT:
    return sc_json_string(&text, recorded) == SC_OK && sc_bytes_same(text, value->bytes);
  case SC_ARCHIVE_BLOB:
    return same_blob(recorded, value->bytes);
  case SC_ARCHIVE_INVALID:
    break;
  }
  return false;
}

static sc_status on_row(void *user, const sc_archive_value *values, size_t count) {
  archive_case *a = user;
  const sc_json *recorded = element(a->rows, a->row++);
  bool same = sc_json_count(recorded) == count;
  for (size_t i = 0; i < count && same; i++)
    same = same_value(element(recorded, i), &values[i]);
  if (!same && a->c->accepts)
    known_differs(a->c, "row %zu of table %zu differs", a->row, a->tables);
  return SC_OK;
}

static sc_status on_file(void *user, const sc_archive_file *file) {
  archive_case *a = user;
  static const char *const folders[] = {"attachments", "avatars"};
  const sc_json *recorded = element(member(a->result, "files"), a->files);
  a->file = *file;
  a->content = known_buffer(a->c);
  same_number(a, member(recorded, "file"), file->id, "file");
  same_number(a, member(recorded, "size"), file->size, "size");
  same_text(a, member(recorded, "folder"), sc_bytes_text(folders[file->folder]), "folder");
  return SC_OK;
}

static sc_status on_file_data(void *user, sc_bytes data) {
  return sc_buffer_append(((archive_case *)user)->content, data);
}

static sc_status on_file_end(void *user, sc_bytes error) {
  archive_case *a = user;
  const sc_json *recorded = element(member(a->result, "files"), a->files++);
  sc_bytes content = sc_buffer_bytes(a->content);
  uint8_t hash[32];
  bool complete = false;
  sc_status status = sc_blake2b(hash, sizeof hash, sc_bytes_text(""), content);
  if (status != SC_OK || !a->c->accepts)
    return status;
  if (sc_json_member_bool(&complete, recorded, "complete") != SC_OK || complete != (error.len == 0))
    known_differs(a->c, "file %zu: complete or not", a->files);
  if (!sc_bytes_same(known_hex_of(a->c, member(recorded, "blake2b")), SC_BYTES(hash)))
    known_differs(a->c, "file %zu: another hash", a->files);
  if (content.len <= content_most && !sc_bytes_same(known_hex_of(a->c, member(recorded, "content")), content))
    known_differs(a->c, "file %zu: another content", a->files);
  return SC_OK;
}

static sc_status on_problem(void *user, const sc_archive_problem *problem) {
  archive_case *a = user;
  const sc_json *recorded = element(member(a->result, "problems"), a->problems++);
  same_text(a, member(recorded, "kind"), problem->kind, "kind of problem");
  same_text(a, member(recorded, "item"), problem->item, "item of a problem");
  same_text(a, member(recorded, "detail"), problem->detail, "detail of a problem");
  return SC_OK;
}

/* The tables of the program whose archives were recorded, and the number of its schema. */
static const char *const tables[] = {"file",        "attachment",
                                     "linkPreview", "thread",
                                     "interaction", "interactionAttachment",
                                     "quote",       "reaction",
                                     "profile",     "contact",
                                     "blindedID",   "closedGroup",
                                     "groupMember", "communityServer",
                                     "community",   "capability",
                                     "configDump",  "obsoleteHash",
                                     "seenMessage", "pendingReadReceipt",
                                     "draft",       "draftAttachment",
                                     "setting"};
static const sc_archive_known known = {2, tables, sizeof tables / sizeof tables[0]};

static sc_archive_secret secret_of(known_case *c, const sc_json *open) {
  sc_archive_secret secret = {.kind = SC_ARCHIVE_SLOT_PASSPHRASE};
  if (sc_json_member_string(&secret.value, open, "passphrase") == SC_OK)
    return secret;
  bool seed = member(open, "seed") != NULL;
  secret.kind = seed ? SC_ARCHIVE_SLOT_ACCOUNT : SC_ARCHIVE_SLOT_KEY_FILE;
  secret.value = known_hex_of(c, member(open, seed ? "seed" : "key"));
  return secret;
}

static sc_status open_through(sc_archive_opener *opener, sc_archive_reader *reader, sc_bytes archive) {
  sc_status status = sc_archive_opener_write(opener, archive);
  if (status == SC_OK)
    status = sc_archive_opener_finish(opener);
  return status == SC_OK ? sc_archive_reader_finish(reader) : status;
}

static sc_status read_archive(archive_case *a, sc_bytes archive) {
  const sc_archive_visitor visitor = {a,       on_manifest,  on_table,    on_row,
                                      on_file, on_file_data, on_file_end, on_problem};
  sc_archive_secret secret = secret_of(a->c, member(a->c->json, "open"));
  sc_archive_reader *reader;
  sc_archive_opener *opener = NULL;
  sc_status status = sc_archive_reader_new(&reader, known_env(a->c), &visitor, &known);
  if (status == SC_OK)
    status = sc_archive_opener_new(&opener, known_env(a->c), sc_archive_reader_sink(reader), &secret, 1);
  if (status == SC_OK)
    status = open_through(opener, reader, archive);
  if (status == SC_OK)
    same_number(a, member(a->result, "chunks"), (int64_t)sc_archive_opener_chunks(opener),
                "number of chunks");
  sc_archive_opener_free(opener);
  sc_archive_reader_free(reader);
  return status;
}

static void same_amounts(archive_case *a) {
  bool rows = a->rows == NULL || a->row == sc_json_count(a->rows);
  if (!rows || a->tables != sc_json_count(member(a->result, "tables")) ||
      a->files != sc_json_count(member(a->result, "files")) ||
      a->problems != sc_json_count(member(a->result, "problems")))
    known_differs(a->c, "fewer tables, rows, files or problems");
}

static size_t read_slots(sc_archive_secret *out, known_case *c, const sc_json *slots, sc_buffer *draws) {
  size_t count = sc_json_count(slots) < SC_ARCHIVE_MAX_SLOTS ? sc_json_count(slots) : SC_ARCHIVE_MAX_SLOTS;
  for (size_t i = 0; i < count; i++) {
    const sc_json *slot = element(slots, i);
    uint64_t passes = 0, memory = 0;
    out[i] = secret_of(c, slot);
    if (sc_json_member_u64(&passes, slot, "passes") == SC_OK &&
        sc_json_member_u64(&memory, slot, "memory") == SC_OK)
      out[i].cost = (sc_passphrase_cost){(uint32_t)passes, (size_t)memory};
    if (sc_buffer_append(draws, known_hex_of(c, member(slot, "salt"))) != SC_OK ||
        sc_buffer_append(draws, known_hex_of(c, member(slot, "nonce"))) != SC_OK)
      known_differs(c, "out of memory");
  }
  return count;
}

/* We write no extensions, and the minor version 0. */
static bool can_write(const sc_json *write) {
  int64_t minor;
  sc_bytes extension;
  return sc_json_member_i64(&minor, write, "minor") == SC_OK && minor == 0 &&
         sc_json_member_string(&extension, write, "extension") == SC_OK && extension.len == 0;
}

static sc_status seal(sc_buffer *out, known_case *c, const sc_json *write, const sc_archive_secret *secrets,
                      size_t count, sc_bytes draws) {
  sc_archive_sealer *sealer;
  int64_t chunk_log2 = 0;
  sc_status status = sc_json_member_i64(&chunk_log2, write, "chunk_log2");
  if (status == SC_OK)
    status = sc_archive_sealer_new(&sealer, known_draws(c, draws), sc_sink_to_buffer(out), secrets, count,
                                   (unsigned)chunk_log2);
  if (status != SC_OK)
    return status;
  status = sc_archive_sealer_write(sealer, known_hex_of(c, member(write, "plaintext")));
  if (status == SC_OK)
    status = sc_archive_sealer_finish(sealer);
  sc_archive_sealer_free(sealer);
  return status;
}

static sc_status write_archive(known_case *c, const sc_json *write) {
  static const char *const drawn[] = {"key", "archive_id", "nonce_prefix"};
  sc_archive_secret secrets[SC_ARCHIVE_MAX_SLOTS];
  sc_buffer *draws = known_buffer(c), *sealed = known_buffer(c);
  sc_status status = SC_OK;
  for (size_t i = 0; i < sizeof drawn / sizeof drawn[0] && status == SC_OK; i++)
    status = sc_buffer_append(draws, known_hex_of(c, member(write, drawn[i])));
  size_t count = read_slots(secrets, c, member(write, "slots"), draws);
  if (status == SC_OK)
    status = seal(sealed, c, write, secrets, count, sc_buffer_bytes(draws));
  if (status == SC_OK)
    known_same(c, "archive", sc_buffer_bytes(sealed));
  return status;
}

/* The name of each failure in the recorded answers. */
static const struct {
  const char *name;
  sc_status status;
} errors[] = {{"notAnArchive", SC_ERR_ARCHIVE_MAGIC}, {"newerFormat", SC_ERR_ARCHIVE_VERSION},
              {"header", SC_ERR_ARCHIVE_HEADER},      {"cost", SC_ERR_PASSPHRASE_COST},
              {"noSlot", SC_ERR_ARCHIVE_NO_SLOT},     {"wrongKey", SC_ERR_ARCHIVE_WRONG_KEY},
              {"damaged", SC_ERR_ARCHIVE_DAMAGED},    {"truncated", SC_ERR_ARCHIVE_TRUNCATED},
              {"frame", SC_ERR_ARCHIVE_FRAME},        {"order", SC_ERR_ARCHIVE_ORDER},
              {"manifest", SC_ERR_ARCHIVE_MANIFEST},  {"counts", SC_ERR_ARCHIVE_COUNTS},
              {"fileMismatch", SC_ERR_ARCHIVE_FILE},  {"downgrade", SC_ERR_ARCHIVE_DOWNGRADE}};

static void same_error(known_case *c, sc_status status) {
  sc_bytes recorded = known_text(c, "error");
  const char *name = "none";
  for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
    if (errors[i].status == status)
      name = errors[i].name;
  if (!sc_bytes_same(recorded, sc_bytes_text(name)))
    known_differs(c, "it ended with %s instead of %.*s", name, (int)recorded.len, (const char *)recorded.ptr);
}

static sc_status archive(known_case *c) {
  archive_case a = {.c = c, .result = member(c->json, "result")};
  sc_status status = read_archive(&a, known_hex(c, "archive"));
  if (!c->accepts) {
    same_error(c, status);
    return status;
  }
  if (status == SC_OK)
    same_amounts(&a);
  const sc_json *write = member(c->json, "write");
  return status == SC_OK && write != NULL && can_write(write) ? write_archive(c, write) : status;
}

TOPIC(archive, {"archive", archive});
