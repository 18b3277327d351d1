/* Frames of the fuzzer's, read at once and in pieces with the same outcome. What is valid is written again,
 * and that is read as the same. Input: mode 1, pieces 8, frames; with an odd mode a manifest comes before
 * them. */
#include "fuzz.h"
#include "fuzz_files.h"

static const char *const tables[] = {"file", "thread", "interaction"};
static const sc_archive_known known = {3, tables, 3};
static const char manifest[] =
    "{\"format\":\"session-archive\",\"version\":1,\"account\":{\"id\":"
    "\"0588672ccb97f40bb57238989226cf429b575ba355443f47bc76c5ab144a96c65b\",\"network\":\"main\"},"
    "\"applicationID\":1397052243,\"schema\":3,\"tables\":[\"file\",\"thread\",\"interaction\"],"
    "\"contents\":{\"files\":\"all\"}}";

/* Sums up what a reader gives, and writes it again. */
typedef struct copy {
  uint64_t sum;
  sc_archive_writer *writer; /* NULL: only sums up */
  bool complete;             /* everything could be written */
  bool in_table;
  sc_buffer table_name;
} copy;

static void mix(copy *c, const void *bytes, size_t len) {
  for (size_t i = 0; i < len; i++)
    c->sum = (c->sum ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
}

static void note(copy *c, bool written) {
  if (c->writer != NULL && !written) {
    sc_archive_writer_free(c->writer);
    c->writer = NULL;
    c->complete = false;
  }
}

static sc_status on_manifest(void *user, const sc_archive_manifest *m) {
  copy *c = user;
  mix(c, m->account.ptr, m->account.len);
  mix(c, &m->schema, sizeof m->schema);
  note(c, c->writer != NULL && sc_archive_writer_manifest(c->writer, m) == SC_OK);
  return SC_OK;
}

static sc_status on_table(void *user, sc_bytes table, const sc_bytes *columns, size_t count) {
  copy *c = user;
  if (c->in_table && sc_bytes_same(sc_buffer_bytes(&c->table_name), table))
    return SC_OK;
  c->in_table = true;
  sc_buffer_clear(&c->table_name);
  REQUIRE(sc_buffer_append(&c->table_name, table) == SC_OK);
  mix(c, table.ptr, table.len);
  for (size_t i = 0; i < count; i++)
    mix(c, columns[i].ptr, columns[i].len);
  note(c, c->writer != NULL && sc_archive_writer_table(c->writer, table, columns, count) == SC_OK);
  return SC_OK;
}

static sc_status on_row(void *user, const sc_archive_value *values, size_t count) {
  copy *c = user;
  for (size_t i = 0; i < count; i++) {
    mix(c, &values[i].kind, sizeof values[i].kind);
    mix(c, &values[i].integer, sizeof values[i].integer);
    mix(c, &values[i].real, sizeof values[i].real);
    mix(c, values[i].bytes.ptr, values[i].bytes.len);
  }
  note(c, c->writer != NULL && sc_archive_writer_row(c->writer, values) == SC_OK);
  return SC_OK;
}

static sc_status on_file(void *user, const sc_archive_file *file) {
  copy *c = user;
  mix(c, &file->id, sizeof file->id);
  mix(c, &file->size, sizeof file->size);
  note(c, c->writer != NULL && sc_archive_writer_file(c->writer, file) == SC_OK);
  return SC_OK;
}

static sc_status on_data(void *user, sc_bytes data) {
  copy *c = user;
  mix(c, data.ptr, data.len);
  note(c, c->writer != NULL && sc_archive_writer_file_data(c->writer, data) == SC_OK);
  return SC_OK;
}

static sc_status on_file_end(void *user, sc_bytes error) {
  copy *c = user;
  mix(c, error.ptr, error.len);
  if (c->writer != NULL)
    note(c, (error.len == 0 ? sc_archive_writer_file_end(c->writer)
                            : sc_archive_writer_file_broken(c->writer, error)) == SC_OK);
  return SC_OK;
}

static sc_status on_problem(void *user, const sc_archive_problem *problem) {
  copy *c = user;
  mix(c, problem->detail.ptr, problem->detail.len);
  note(c, c->writer != NULL && sc_archive_writer_problem(c->writer, problem) == SC_OK);
  return SC_OK;
}

static sc_status feed(void *reader, sc_bytes piece) {
  return sc_archive_reader_write(reader, piece);
}

static sc_status read_frames(copy *c, sc_bytes frames, sc_bytes sizes) {
  const sc_archive_visitor visitor = {c,       on_manifest, on_table,    on_row,
                                      on_file, on_data,     on_file_end, on_problem};
  sc_archive_reader *reader;
  sc_buffer_init(&c->table_name, NULL);
  REQUIRE(sc_archive_reader_new(&reader, fuzz_env(), &visitor, &known) == SC_OK);
  sc_status status = fuzz_in_pieces(feed, reader, frames, sizes);
  if (status == SC_OK)
    status = sc_archive_reader_finish(reader);
  REQUIRE(sc_archive_reader_finish(reader) == SC_ERR_STATE);
  sc_archive_reader_free(reader);
  sc_buffer_free(&c->table_name);
  return status;
}

static void append_manifest(sc_buffer *out) {
  const uint8_t head[8] = {1, 0, 0, 0, 0, 0, (sizeof manifest - 1) >> 8, (sizeof manifest - 1) & 0xff};
  REQUIRE(sc_buffer_append(out, SC_BYTES(head)) == SC_OK);
  REQUIRE(sc_buffer_append(out, sc_bytes_make(manifest, sizeof manifest - 1)) == SC_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_bytes input = sc_bytes_make(data, size), none = {NULL, 0};
  uint8_t mode = fuzz_take_byte(&input);
  sc_bytes sizes = fuzz_take(&input, 8);
  sc_buffer frames, again;
  sc_buffer_init(&frames, NULL);
  sc_buffer_init(&again, NULL);
  if (mode % 2 == 1)
    append_manifest(&frames);
  REQUIRE(sc_buffer_append(&frames, input) == SC_OK);

  copy at_once = {.complete = true}, in_pieces = {.complete = true}, second = {.complete = true};
  REQUIRE(sc_archive_writer_new(&at_once.writer, fuzz_env(), sc_sink_to_buffer(&again), mode / 2 % 2 == 1) ==
          SC_OK);
  sc_status status = read_frames(&at_once, sc_buffer_bytes(&frames), none);
  REQUIRE(read_frames(&in_pieces, sc_buffer_bytes(&frames), sizes) == status);
  if (status == SC_OK)
    REQUIRE(at_once.sum == in_pieces.sum);
  if (status == SC_OK && at_once.complete) {
    REQUIRE(sc_archive_writer_finish(at_once.writer) == SC_OK);
    REQUIRE(read_frames(&second, sc_buffer_bytes(&again), none) == SC_OK);
    REQUIRE(second.sum == at_once.sum);
  }
  sc_archive_writer_free(at_once.writer);
  sc_buffer_free(&frames);
  sc_buffer_free(&again);
  return 0;
}
