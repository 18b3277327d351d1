/* The base room: bt, JSON and zstd, on data of the size of a large config message. */
#include <json-c/json.h>
#include <stdio.h>
#include <zstd.h>

#include "base/compression.h"
#include "bench.h"

enum { data_size = 64 * 1024, compression_level = 1 };

typedef struct entry {
  char key[9]; /* 8 characters */
  uint64_t number;
} entry;

typedef struct work {
  entry entries[data_size / 16];
  size_t count;
  sc_buffer dict;
  sc_buffer json;
  sc_buffer frame; /* of dict */
  sc_buffer out;
} work;

/* Values are by turns an integer and a short string. */
static void write_entry(sc_bt_writer *writer, const entry *entry) {
  sc_bt_write_key(writer, sc_bytes_make(entry->key, 8));
  if (entry->number % 2 == 0)
    sc_bt_write_u64(writer, entry->number);
  else
    sc_bt_write_string(writer, sc_bytes_make(entry->key, 1 + entry->number % 8));
}

static void make_dict(work *w) {
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, &w->dict);
  sc_bt_begin_dict(&writer);
  for (w->count = 0; w->dict.len < data_size; w->count++) {
    entry *entry = &w->entries[w->count];
    entry->number = w->count * 31;
    snprintf(entry->key, sizeof entry->key, "%08zu", w->count * 7919);
    write_entry(&writer, entry);
  }
  sc_bt_end(&writer);
  BENCH_OK(sc_bt_writer_finish(&writer));
}

static void append_text(sc_buffer *out, const char *text) {
  BENCH_OK(sc_buffer_append(out, sc_bytes_text(text)));
}

/* An array of objects, as a node's answer is. */
static void make_json(work *w) {
  append_text(&w->json, "[");
  for (size_t i = 0; w->json.len < data_size; i++) {
    char object[160];
    snprintf(object, sizeof object,
             "%s{\"hash\":\"%032zx\",\"timestamp\":%zu,\"expiration\":%zu,\"data\":\"CAESvwEKAB\\/%08zu\"}",
             i == 0 ? "" : ",", i * 7919, 1700000000000 + i, 1701000000000 + i, i);
    append_text(&w->json, object);
  }
  append_text(&w->json, "]");
}

static void read_dict(void *user) {
  work *w = user;
  sc_bt_reader reader;
  sc_bytes key, string;
  uint64_t number, sum = 0;
  sc_bt_reader_init(&reader, sc_buffer_bytes(&w->dict));
  BENCH_OK(sc_bt_enter_dict(&reader));
  while (sc_bt_next_key(&key, &reader) == SC_OK) {
    if (sc_bt_peek(&reader) == SC_BT_INTEGER) {
      BENCH_OK(sc_bt_read_u64(&number, &reader));
      sum += number;
    } else {
      BENCH_OK(sc_bt_read_string(&string, &reader));
      sum += string.len;
    }
  }
  BENCH_OK(sc_bt_leave(&reader));
  BENCH_OK(sc_bt_finish(&reader));
  bench_keep(&sum);
}

static void validate_dict(void *user) {
  work *w = user;
  BENCH_OK(sc_bt_validate(sc_buffer_bytes(&w->dict)));
}

static void scan_dict(void *user) {
  work *w = user;
  const void *found = memchr(w->dict.ptr, 0xff, w->dict.len);
  bench_keep(&found);
}

static void finish_dict(work *w, sc_bt_writer *writer) {
  sc_bt_end(writer);
  BENCH_OK(sc_bt_writer_finish(writer));
  bench_keep(w->out.ptr);
  sc_buffer_free(&w->out);
}

static void write_dict(void *user) {
  work *w = user;
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, &w->out);
  sc_bt_begin_dict(&writer);
  for (size_t i = 0; i < w->count; i++)
    write_entry(&writer, &w->entries[i]);
  finish_dict(w, &writer);
}

static void write_dict_backwards(void *user) {
  work *w = user;
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, &w->out);
  sc_bt_begin_dict(&writer);
  for (size_t i = w->count; i > 0; i--)
    write_entry(&writer, &w->entries[i - 1]);
  finish_dict(w, &writer);
}

static void append_dict(void *user) {
  work *w = user;
  BENCH_OK(sc_buffer_append(&w->out, sc_buffer_bytes(&w->dict)));
  bench_keep(w->out.ptr);
  sc_buffer_free(&w->out);
}

static void parse_json(void *user) {
  work *w = user;
  sc_json *document;
  BENCH_OK(sc_json_parse(&document, sc_buffer_bytes(&w->json), SC_JSON_DEFAULT_DEPTH));
  sc_json_free(document);
}

static void parse_json_loosely(void *user) {
  work *w = user;
  json_tokener *tokener = json_tokener_new();
  json_object *document = json_tokener_parse_ex(tokener, (const char *)w->json.ptr, (int)w->json.len);
  BENCH_OK(document == NULL ? SC_ERR_JSON_SYNTAX : SC_OK);
  json_object_put(document);
  json_tokener_free(tokener);
}

static void compress(void *user) {
  work *w = user;
  BENCH_OK(sc_zstd_compress(&w->out, sc_bytes_make(NULL, 0), sc_buffer_bytes(&w->dict), compression_level));
  sc_buffer_free(&w->out);
}

static void compress_in_one_shot(void *user) {
  static uint8_t frame[2 * data_size];
  work *w = user;
  size_t len = ZSTD_compress(frame, sizeof frame, w->dict.ptr, w->dict.len, compression_level);
  BENCH_OK(ZSTD_isError(len) ? SC_ERR_COMPRESSION : SC_OK);
}

static void decompress(void *user) {
  work *w = user;
  BENCH_OK(sc_zstd_decompress(&w->out, sc_buffer_bytes(&w->frame), 2 * data_size));
  sc_buffer_free(&w->out);
}

static void decompress_in_one_shot(void *user) {
  static uint8_t content[2 * data_size];
  work *w = user;
  size_t len = ZSTD_decompress(content, sizeof content, w->frame.ptr, w->frame.len);
  BENCH_OK(ZSTD_isError(len) ? SC_ERR_COMPRESSION : SC_OK);
}

static void run_bt(work *w) {
  bench_case figure = {.user = w, .amount = (double)w->dict.len, .count_allocations = true};
  figure.floor = scan_dict;
  figure.floor_name = "memchr";
  figure.goal = BENCH_FIGURE_AT_LEAST;
  figure.target = 500;
  figure.name = "bt/read";
  figure.ours = read_dict;
  bench_run(&figure);
  figure.name = "bt/validate";
  figure.ours = validate_dict;
  bench_run(&figure);
  figure.floor = append_dict;
  figure.floor_name = "appending the result";
  figure.target = 250;
  figure.name = "bt/write";
  figure.ours = write_dict;
  bench_run(&figure);
  figure.target = 50;
  figure.name = "bt/write, keys descending";
  figure.ours = write_dict_backwards;
  bench_run(&figure);
}

static void run_json(work *w) {
  bench_run(&(bench_case){
      .name = "json/parse",
      .ours = parse_json,
      .floor = parse_json_loosely,
      .floor_name = "json-c alone",
      .user = w,
      .amount = (double)w->json.len,
      .goal = BENCH_TIME_RATIO_AT_MOST,
      .target = 1.5,
  });
}

static void run_zstd(work *w) {
  bench_case figure = {.user = w, .amount = (double)w->dict.len, .count_allocations = true};
  figure.goal = BENCH_TIME_RATIO_AT_MOST;
  figure.target = 1.25;
  figure.name = "zstd/compress";
  figure.ours = compress;
  figure.floor = compress_in_one_shot;
  figure.floor_name = "ZSTD_compress";
  bench_run(&figure);
  figure.name = "zstd/decompress";
  figure.ours = decompress;
  figure.floor = decompress_in_one_shot;
  figure.floor_name = "ZSTD_decompress";
  bench_run(&figure);
}

int main(int argc, char **argv) {
  static work w;
  bench_begin(argc, argv);
  sc_buffer_init(&w.dict, bench_env());
  sc_buffer_init(&w.json, bench_env());
  sc_buffer_init(&w.frame, bench_env());
  sc_buffer_init(&w.out, bench_env());
  make_dict(&w);
  make_json(&w);
  BENCH_OK(sc_zstd_compress(&w.frame, sc_bytes_make(NULL, 0), sc_buffer_bytes(&w.dict), compression_level));
  run_bt(&w);
  run_json(&w);
  run_zstd(&w);
  sc_buffer_free(&w.dict);
  sc_buffer_free(&w.json);
  sc_buffer_free(&w.frame);
  return 0;
}
