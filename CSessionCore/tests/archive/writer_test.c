#include <math.h>

#include "archive/story.h"

/* Contents that are written, and what was read of them. */
typedef struct example {
  const sc_env *env;
  sc_buffer frames;
  sc_archive_writer *writer;
  story_log log;
  char account[SC_ID_CHARS + 1];
} example;

static sc_bytes words(const char *text) {
  return sc_bytes_text(text);
}

static void example_init(example *e, const sc_env *env) {
  *e = (example){.env = env};
  sc_buffer_init(&e->frames, env);
  story_log_init(&e->log, env);
  story_account(e->account);
}

static void example_free(example *e) {
  sc_archive_writer_free(e->writer);
  sc_buffer_free(&e->frames);
  story_log_free(&e->log);
}

static sc_archive_manifest manifest_of(const example *e, const sc_bytes *tables) {
  return (sc_archive_manifest){.account = words(e->account),
                               .name = words("alice"),
                               .network = words("main"),
                               .seed = story_seed,
                               .created = 1764000000000,
                               .program = words("session 1"),
                               .schema = 3,
                               .tables = tables,
                               .table_count = 3,
                               .all_conversations = true};
}

/* A new writer, behind its manifest. */
static sc_status example_begin(example *e, bool compress) {
  const sc_bytes tables[] = {words("file"), words("thread"), words("interaction")};
  sc_archive_manifest manifest = manifest_of(e, tables);
  sc_archive_writer_free(e->writer);
  sc_buffer_clear(&e->frames);
  sc_status status = sc_archive_writer_new(&e->writer, e->env, sc_sink_to_buffer(&e->frames), compress);
  return status == SC_OK ? sc_archive_writer_manifest(e->writer, &manifest) : status;
}

static sc_status example_table(example *e, const char *table, size_t columns) {
  const sc_bytes names[] = {words("id"), words("value"), words("more")};
  return sc_archive_writer_table(e->writer, words(table), names, columns);
}

static sc_status example_read(example *e) {
  sc_status status = sc_archive_writer_finish(e->writer);
  return status == SC_OK ? story_read(&e->log, e->env, sc_buffer_bytes(&e->frames), 0) : status;
}

static bool says(const example *e, const char *text) {
  return sc_bytes_same(words(text), sc_buffer_bytes(&e->log.text));
}

static sc_archive_value integer(int64_t number) {
  return (sc_archive_value){.kind = SC_ARCHIVE_INTEGER, .integer = number};
}

static sc_archive_value real(double number) {
  return (sc_archive_value){.kind = SC_ARCHIVE_REAL, .real = number};
}

static sc_archive_value text(sc_bytes bytes) {
  return (sc_archive_value){.kind = SC_ARCHIVE_TEXT, .bytes = bytes};
}

static sc_archive_value blob(sc_bytes bytes) {
  return (sc_archive_value){.kind = SC_ARCHIVE_BLOB, .bytes = bytes};
}

static void rows_are_read_as_they_were_written(sc_test *t) {
  example e;
  example_init(&e, t->env);
  for (int compress = 0; compress < 2; compress++) {
    OK(example_begin(&e, compress));
    OK(example_table(&e, "thread", 2));
    const sc_archive_value rows[][2] = {{integer(INT64_MIN), {.kind = SC_ARCHIVE_NULL}},
                                        {integer(INT64_MAX), text(words("a \"word\"\n"))},
                                        {real(2), real(0.1)},
                                        {text(words("")), blob(words("x"))},
                                        {real(-1e300), blob(words(""))}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
      OK(sc_archive_writer_row(e.writer, rows[i]));
    OK(example_read(&e));
    CHECK(says(&e, "manifest alice table thread column id column value row i-9223372036854775808 null "
                   "row i9223372036854775807 ta \"word\"\n row r2 r0.10000000000000001 row t blob of 1 "
                   "row r-1.0000000000000001e+300 blob of 0 "));
  }
done:
  example_free(&e);
}

static void many_rows_fill_several_frames(sc_test *t) {
  example e;
  sc_archive_value row[] = {integer(0), blob(words("0123456789012345678901234567890123456789"))};
  example_init(&e, t->env);
  OK(example_begin(&e, false));
  OK(example_table(&e, "interaction", 2));
  for (row[0].integer = 0; row[0].integer < 9000; row[0].integer++)
    OK(sc_archive_writer_row(e.writer, row));
  OK(example_read(&e));
  size_t tables = 0;
  for (size_t i = 0; i + 5 < e.log.text.len; i++)
    tables += memcmp(e.log.text.ptr + i, "table", 5) == 0;
  CHECK(tables == 3 && e.log.last_value.len == 40);
done:
  example_free(&e);
}

/* A value that does not fit into a frame travels in pieces. */
static void long_values_come_back_whole(sc_test *t) {
  static const size_t lens[] = {SC_ARCHIVE_LONG_FROM, SC_ARCHIVE_LONG_FROM + 1, 3 * 1024 * 1024};
  example e;
  sc_buffer content;
  example_init(&e, t->env);
  sc_buffer_init(&content, t->env);
  for (size_t i = 0; i < (t->torture ? 2 : sizeof lens / sizeof lens[0]); i++) {
    OK(sc_test_content(&content, lens[i]));
    OK(example_begin(&e, true));
    OK(example_table(&e, "interaction", 2));
    const sc_archive_value before[] = {integer(1), text(words("short"))};
    const sc_archive_value row[] = {integer(2), blob(sc_buffer_bytes(&content))};
    OK(sc_archive_writer_row(e.writer, before));
    OK(sc_archive_writer_row(e.writer, row));
    OK(example_read(&e));
    SAME(sc_buffer_bytes(&content), sc_buffer_bytes(&e.log.last_value));
    memset(content.ptr, 'x', content.len);
    OK(example_begin(&e, true));
    OK(example_table(&e, "interaction", 2));
    const sc_archive_value texts[] = {text(sc_buffer_bytes(&content)), text(sc_buffer_bytes(&content))};
    OK(sc_archive_writer_row(e.writer, texts));
    OK(example_read(&e));
    SAME(sc_buffer_bytes(&content), sc_buffer_bytes(&e.log.last_value));
  }
done:
  example_free(&e);
  sc_buffer_free(&content);
}

/* Control characters take six times their size as JSON. */
static void rows_of_many_escapes_fit(sc_test *t) {
  example e;
  sc_buffer content;
  uint8_t *room;
  example_init(&e, t->env);
  sc_buffer_init(&content, t->env);
  OK(sc_buffer_extend(&room, &content, 200 * 1024));
  memset(room, 1, content.len);
  OK(example_begin(&e, false));
  OK(example_table(&e, "interaction", 2));
  const sc_archive_value row[] = {text(sc_buffer_bytes(&content)), text(sc_buffer_bytes(&content))};
  OK(sc_archive_writer_row(e.writer, row));
  OK(example_read(&e));
  SAME(sc_buffer_bytes(&content), sc_buffer_bytes(&e.log.last_value));
done:
  example_free(&e);
  sc_buffer_free(&content);
}

static void a_row_that_cannot_travel_is_left_out(sc_test *t) {
  static const uint8_t not_utf8[] = {0xff};
  example e;
  example_init(&e, t->env);
  OK(example_begin(&e, false));
  OK(example_table(&e, "thread", 1));
  const sc_archive_value bad_text = text(SC_BYTES(not_utf8)), infinite = real(INFINITY), good = integer(5);
  const sc_archive_value enormous = blob(sc_bytes_make(not_utf8, SC_ARCHIVE_MAX_LONG + 1)); /* never read */
  FAILS(SC_ERR_UTF8, sc_archive_writer_row(e.writer, &bad_text));
  FAILS(SC_ERR_ARGUMENT, sc_archive_writer_row(e.writer, &infinite));
  FAILS(SC_ERR_TOO_LARGE, sc_archive_writer_row(e.writer, &enormous));
  OK(sc_archive_writer_row(e.writer, &good));
  OK(example_read(&e));
  CHECK(says(&e, "manifest alice table thread column id row i5 "));
done:
  example_free(&e);
}

static void tables_come_in_the_order_of_the_manifest(sc_test *t) {
  example e;
  example_init(&e, t->env);
  OK(example_begin(&e, false));
  OK(example_table(&e, "thread", 1));
  FAILS(SC_ERR_ARGUMENT, example_table(&e, "file", 1));
  OK(example_begin(&e, false));
  FAILS(SC_ERR_ARGUMENT, example_table(&e, "sqlite_master", 1));
  OK(example_begin(&e, false));
  OK(example_table(&e, "thread", 1));
  OK(example_table(&e, "interaction", 2));
  OK(example_read(&e));
  CHECK(says(&e, "manifest alice table thread column id table interaction column id column value "));
done:
  example_free(&e);
}

static void files_follow_the_rows(sc_test *t) {
  const sc_archive_file first = {4, 5, SC_ARCHIVE_ATTACHMENTS}, second = {9, 3, SC_ARCHIVE_AVATARS};
  const sc_archive_problem problem = {words("fileMissing"), words("file 9"), words("gone")};
  example e;
  example_init(&e, t->env);
  OK(example_begin(&e, false));
  OK(sc_archive_writer_file(e.writer, &first));
  OK(sc_archive_writer_file_data(e.writer, words("he")));
  OK(sc_archive_writer_file_data(e.writer, words("llo")));
  OK(sc_archive_writer_file_end(e.writer));
  OK(sc_archive_writer_file(e.writer, &second));
  OK(sc_archive_writer_file_broken(e.writer, words("fileMissing")));
  OK(sc_archive_writer_problem(e.writer, &problem));
  OK(example_read(&e));
  CHECK(says(&e, "manifest alice file 4 of 5 end  file 9 of 3 end fileMissing problem gone "));
  SAME(words("hello"), sc_buffer_bytes(&e.log.data));
done:
  example_free(&e);
}

static void a_file_of_another_size_is_incomplete(sc_test *t) {
  const sc_archive_file shorter = {1, 5, SC_ARCHIVE_ATTACHMENTS}, longer = {2, 1, SC_ARCHIVE_ATTACHMENTS};
  example e;
  example_init(&e, t->env);
  OK(example_begin(&e, false));
  OK(sc_archive_writer_file(e.writer, &shorter));
  OK(sc_archive_writer_file_data(e.writer, words("he")));
  FAILS(SC_ERR_FILE_SIZE, sc_archive_writer_file_end(e.writer));
  OK(sc_archive_writer_file(e.writer, &longer));
  OK(sc_archive_writer_file_data(e.writer, words("a")));
  OK(sc_archive_writer_file_data(e.writer, words("b")));
  FAILS(SC_ERR_FILE_SIZE, sc_archive_writer_file_end(e.writer));
  OK(example_read(&e));
  CHECK(says(&e, "manifest alice file 1 of 5 end fileSize file 2 of 1 end fileSize "));
done:
  example_free(&e);
}

static void problems_beyond_the_first_thousand_are_counted(sc_test *t) {
  const sc_archive_problem problem = {words("rowInvalid"), words("interaction 1"), words("")};
  example e;
  example_init(&e, t->env);
  OK(example_begin(&e, false));
  for (int i = 0; i < 1500; i++)
    OK(sc_archive_writer_problem(e.writer, &problem));
  OK(example_read(&e));
  CHECK(e.log.text.len == strlen("manifest alice ") + 1000 * strlen("problem  "));
done:
  example_free(&e);
}

static void calls_out_of_order_are_refused(sc_test *t) {
  const sc_archive_file file = {1, 0, SC_ARCHIVE_ATTACHMENTS};
  const sc_archive_value row = integer(1);
  example e;
  example_init(&e, t->env);
  OK(sc_archive_writer_new(&e.writer, t->env, sc_sink_to_buffer(&e.frames), false));
  FAILS(SC_ERR_STATE, example_table(&e, "thread", 1));
  OK(example_begin(&e, false));
  FAILS(SC_ERR_STATE, sc_archive_writer_row(e.writer, &row));
  OK(example_begin(&e, false));
  FAILS(SC_ERR_STATE, sc_archive_writer_file_end(e.writer));
  OK(example_begin(&e, false));
  OK(sc_archive_writer_file(e.writer, &file));
  FAILS(SC_ERR_STATE, sc_archive_writer_finish(e.writer));
  OK(example_begin(&e, false));
  OK(sc_archive_writer_file(e.writer, &file));
  OK(sc_archive_writer_file_end(e.writer));
  FAILS(SC_ERR_ARGUMENT, sc_archive_writer_file(e.writer, &file));
  FAILS(SC_ERR_STATE, sc_archive_writer_finish(e.writer));
done:
  example_free(&e);
}

static void a_manifest_that_no_reader_takes_is_refused(sc_test *t) {
  static const uint8_t other_seed[SC_ARCHIVE_SEED_BYTES] = {9};
  const sc_bytes twice[] = {words("thread"), words("file"), words("thread")};
  example e;
  example_init(&e, t->env);
  sc_archive_manifest manifest = manifest_of(&e, twice);
  OK(sc_archive_writer_new(&e.writer, t->env, sc_sink_to_buffer(&e.frames), false));
  FAILS(SC_ERR_ARGUMENT, sc_archive_writer_manifest(e.writer, &manifest));
  sc_archive_writer_free(e.writer);
  e.writer = NULL;
  manifest.table_count = 2;
  manifest.seed = other_seed;
  OK(sc_archive_writer_new(&e.writer, t->env, sc_sink_to_buffer(&e.frames), false));
  FAILS(SC_ERR_ARGUMENT, sc_archive_writer_manifest(e.writer, &manifest));
  CHECK(e.frames.len == 0);
done:
  example_free(&e);
}

SUITE(archive_writer, "archive/writer",
      {"rows are read as they were written", rows_are_read_as_they_were_written},
      {"many rows fill several frames", many_rows_fill_several_frames},
      {"long values come back whole", long_values_come_back_whole},
      {"rows of many escapes fit", rows_of_many_escapes_fit},
      {"a row that cannot travel is left out", a_row_that_cannot_travel_is_left_out},
      {"tables come in the order of the manifest", tables_come_in_the_order_of_the_manifest},
      {"files follow the rows", files_follow_the_rows},
      {"a file of another size is incomplete", a_file_of_another_size_is_incomplete},
      {"problems beyond the first thousand are counted", problems_beyond_the_first_thousand_are_counted},
      {"calls out of order are refused", calls_out_of_order_are_refused},
      {"a manifest that no reader takes is refused", a_manifest_that_no_reader_takes_is_refused});
