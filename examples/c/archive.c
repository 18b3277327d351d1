/* Writes an archive of an account, and lists what it contains: a client that keeps its messages elsewhere can
 * so take over those of another.
 *
 *   archive FILE   writes a small archive to FILE, which must not exist, and reads it again */
#include <session-core/session-core.h>
#include <stdio.h>
#include <stdlib.h>

static const uint8_t seed[SC_ARCHIVE_SEED_BYTES] = {1, 2, 3};

static void stop_unless(sc_status status, const char *what) {
  if (status == SC_OK)
    return;
  fprintf(stderr, "%s: %s\n", what, sc_status_text(status));
  exit(EXIT_FAILURE);
}

static FILE *open_file(const char *path, const char *mode) {
  FILE *file = fopen(path, mode);
  if (file != NULL)
    return file;
  perror(path);
  exit(EXIT_FAILURE);
}

static sc_status write_piece(void *file, sc_bytes piece) {
  return fwrite(piece.ptr, 1, piece.len, file) == piece.len ? SC_OK : SC_ERR_SINK;
}

/* The seed of the account opens the archive: its recovery phrase gives it. */
static sc_archive_secret account_secret(void) {
  return (sc_archive_secret){.kind = SC_ARCHIVE_SLOT_ACCOUNT, .value = SC_BYTES(seed)};
}

static void write_contents(sc_archive_writer *writer) {
  char account[SC_ID_CHARS + 1];
  sc_keypair pair;
  sc_id id;
  sc_keypair_from_seed(&pair, seed);
  sc_id_make(&id, SC_ID_STANDARD, pair.x.public_key);
  sc_id_format(account, &id);
  sc_wipe(&pair, sizeof pair);

  const sc_bytes table = sc_bytes_text("thread");
  const sc_bytes columns[] = {sc_bytes_text("id"), sc_bytes_text("address")};
  const sc_archive_manifest manifest = {
      .account = sc_bytes_text(account),
      .name = sc_bytes_text("alice"),
      .network = sc_bytes_text("main"),
      .seed = seed,
      .program = sc_bytes_text("an example"),
      .schema = 1,
      .tables = &table,
      .table_count = 1,
      .files = SC_ARCHIVE_FILES_NONE,
      .all_conversations = true,
  };
  const sc_archive_value row[] = {{.kind = SC_ARCHIVE_INTEGER, .integer = 1},
                                  {.kind = SC_ARCHIVE_TEXT, .bytes = sc_bytes_text(account)}};
  stop_unless(sc_archive_writer_manifest(writer, &manifest), "writing the manifest");
  stop_unless(sc_archive_writer_table(writer, table, columns, 2), "beginning a table");
  stop_unless(sc_archive_writer_row(writer, row), "writing a row");
  stop_unless(sc_archive_writer_finish(writer), "ending the archive");
}

static void write_archive(const char *path) {
  const sc_archive_secret secret = account_secret();
  FILE *file = open_file(path, "wbx");
  const sc_sink sink = {.user = file, .write = write_piece};
  sc_archive_sealer *sealer;
  sc_archive_writer *writer;
  stop_unless(sc_archive_sealer_new(&sealer, NULL, sink, &secret, 1, SC_ARCHIVE_CHUNK_LOG2), "sealing");
  stop_unless(sc_archive_writer_new(&writer, NULL, sc_archive_sealer_sink(sealer), true), "writing");
  write_contents(writer);
  stop_unless(sc_archive_sealer_finish(sealer), "sealing the end");
  sc_archive_writer_free(writer);
  sc_archive_sealer_free(sealer);
  if (fclose(file) != 0)
    perror(path);
}

/* What a reader calls; `user` counts the rows. */
static sc_status print_manifest(void *user, const sc_archive_manifest *manifest) {
  (void)user;
  printf("archive of %.*s by %.*s\n", (int)manifest->name.len, (const char *)manifest->name.ptr,
         (int)manifest->program.len, (const char *)manifest->program.ptr);
  return SC_OK;
}

static sc_status print_table(void *user, sc_bytes table, const sc_bytes *columns, size_t count) {
  (void)user, (void)columns;
  printf("table %.*s with %zu columns\n", (int)table.len, (const char *)table.ptr, count);
  return SC_OK;
}

static sc_status count_row(void *user, const sc_archive_value *values, size_t count) {
  (void)values, (void)count;
  ++*(size_t *)user;
  return SC_OK;
}

static void read_archive(const char *path) {
  const char *const tables[] = {"thread"};
  const sc_archive_known known = {.schema = 1, .tables = tables, .table_count = 1};
  size_t rows = 0;
  const sc_archive_visitor visitor = {
      .user = &rows, .manifest = print_manifest, .table = print_table, .row = count_row};
  const sc_archive_secret secret = account_secret();
  sc_archive_reader *reader;
  sc_archive_opener *opener;
  stop_unless(sc_archive_reader_new(&reader, NULL, &visitor, &known), "reading");
  stop_unless(sc_archive_opener_new(&opener, NULL, sc_archive_reader_sink(reader), &secret, 1), "opening");

  FILE *file = open_file(path, "rb");
  uint8_t piece[4096];
  size_t len;
  while ((len = fread(piece, 1, sizeof piece, file)) > 0)
    stop_unless(sc_archive_opener_write(opener, sc_bytes_make(piece, len)), "opening");
  fclose(file);
  /* Only now it is known that nothing is missing. */
  stop_unless(sc_archive_opener_finish(opener), "opening the end");
  stop_unless(sc_archive_reader_finish(reader), "reading the end");
  printf("%zu row\n", rows);
  sc_archive_opener_free(opener);
  sc_archive_reader_free(reader);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: archive FILE\n");
    return 64;
  }
  stop_unless(sc_init(), "starting");
  write_archive(argv[1]);
  read_archive(argv[1]);
  return EXIT_SUCCESS;
}
