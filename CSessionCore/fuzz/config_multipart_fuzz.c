/* Putting parts together. The first byte of the input chooses: a saved state, bytes as they come from a
 * swarm, or a life: parts of a few messages come in any order, some of them wrong, time passes, and now and
 * then everything is saved and loaded. */
#include <stdbool.h>

#include "config/multipart.h"
#include "fuzz.h"

/* A message that is cut into pieces of one or two bytes. */
typedef struct spelled {
  const char *text;
  uint8_t set[SC_CONFIG_SET_BYTES];
} spelled;

typedef struct life {
  sc_config_parts *parts;
  sc_config_arrival arrival;
  sc_buffer message;
  sc_buffer part;
  uint64_t now_ms;
} life;

/* No more than ten texts, so that more sets than are held come up; some are no messages. */
static spelled texts[] = {{"d1:#i1ee", {0}}, {"de", {0}},  {"dle", {0}}, {"xyz", {0}}, {"zzz", {0}},
                          {"d1e", {0}},      {"d2e", {0}}, {"d3e", {0}}, {"d4e", {0}}, {"d5e", {0}}};
enum { text_count = sizeof texts / sizeof texts[0] };

static void prepare(void) {
  static bool ready;
  if (ready)
    return;
  REQUIRE(sc_init() == SC_OK);
  for (size_t i = 0; i < text_count; i++)
    REQUIRE(sc_blake2b(texts[i].set, SC_CONFIG_SET_BYTES, sc_bytes_make(NULL, 0),
                       sc_bytes_text(texts[i].text)) == SC_OK);
  ready = true;
}

static void begin(life *out) {
  *out = (life){.now_ms = 1};
  sc_buffer_init(&out->message, fuzz_env());
  sc_buffer_init(&out->part, fuzz_env());
  REQUIRE(sc_config_parts_new(&out->parts, fuzz_env()) == SC_OK);
}

static void end(life *life) {
  sc_config_parts_free(life->parts);
  sc_buffer_free(&life->message);
  sc_buffer_free(&life->part);
}

typedef void save_parts(const sc_config_parts *parts, sc_bt_writer *writer, uint64_t now_ms);

static void save_with(save_parts *save, sc_buffer *out, const sc_config_parts *parts, uint64_t now_ms) {
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, out);
  save(parts, &writer, now_ms);
  REQUIRE(sc_bt_writer_finish(&writer) == SC_OK);
  REQUIRE(sc_bt_validate(sc_buffer_bytes(out)) == SC_OK);
}

static void save(sc_buffer *out, const sc_config_parts *parts, uint64_t now_ms) {
  save_with(sc_config_parts_save, out, parts, now_ms);
}

static sc_status load(sc_config_parts **out, sc_bytes saved) {
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, saved);
  sc_status status = sc_config_parts_load(out, fuzz_env(), &reader);
  REQUIRE((status == SC_OK) == (*out != NULL));
  return status;
}

static size_t count_hashes(const sc_config_parts *parts, uint64_t now_ms) {
  sc_config_part_cursor cursor = {0};
  sc_bytes hash;
  size_t count = 0;
  for (; sc_config_parts_next_hash(&hash, &cursor, parts, now_ms); count++)
    REQUIRE(hash.len > 0 && hash.len <= SC_CONFIG_MAX_HASH_BYTES);
  REQUIRE(count <= SC_CONFIG_MAX_INCOMPLETE_SETS * 254);
  return count;
}

/* The same state, with its parts kept apart. */
static sc_config_parts *put_together(const sc_config_parts *parts, uint64_t now_ms) {
  sc_buffer done;
  sc_config_parts *out;
  sc_config_part_cursor cursor = {0};
  sc_config_held_part part;
  sc_buffer_init(&done, fuzz_env());
  save_with(sc_config_parts_save_done, &done, parts, now_ms);
  REQUIRE(load(&out, sc_buffer_bytes(&done)) == SC_OK);
  while (sc_config_parts_next(&part, &cursor, parts, now_ms))
    REQUIRE(sc_config_parts_hold(out, &part) == SC_OK);
  sc_buffer_free(&done);
  return out;
}

static void keep_apart(sc_bytes saved, const sc_config_parts *parts, uint64_t now_ms) {
  sc_buffer again;
  sc_buffer_init(&again, fuzz_env());
  sc_config_parts *same = put_together(parts, now_ms);
  save(&again, same, now_ms);
  REQUIRE(sc_bytes_same(saved, sc_buffer_bytes(&again)));
  sc_buffer_free(&again);
  sc_config_parts_free(same);
}

/* Saving, loading and saving again changes nothing. */
static sc_config_parts *save_and_load(sc_config_parts *parts, uint64_t now_ms) {
  sc_buffer saved, again;
  sc_config_parts *loaded;
  sc_buffer_init(&saved, fuzz_env());
  sc_buffer_init(&again, fuzz_env());
  save(&saved, parts, now_ms);
  keep_apart(sc_buffer_bytes(&saved), parts, now_ms);
  REQUIRE(load(&loaded, sc_buffer_bytes(&saved)) == SC_OK);
  save(&again, loaded, now_ms);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&saved), sc_buffer_bytes(&again)));
  REQUIRE(count_hashes(parts, now_ms) == count_hashes(loaded, now_ms));
  sc_buffer_free(&saved);
  sc_buffer_free(&again);
  sc_config_parts_free(parts);
  return loaded;
}

static void saved_state(sc_bytes input) {
  sc_config_parts *parts;
  if (load(&parts, input) == SC_OK)
    sc_config_parts_free(save_and_load(parts, 0));
}

static sc_status accept(life *life, sc_bytes part, sc_bytes hash) {
  REQUIRE(sc_buffer_append(&life->message, sc_bytes_text("left over")) == SC_OK);
  sc_status status =
      sc_config_parts_accept(&life->message, &life->arrival, life->parts, part, hash, life->now_ms);
  bool complete = status == SC_OK && life->arrival.news == SC_CONFIG_SET_COMPLETE;
  REQUIRE(complete == (life->message.len > 0));
  REQUIRE(!complete || life->arrival.hash_count >= 2);
  REQUIRE(status != SC_ERR_CONFIG_SET || life->arrival.hash_count >= 2);
  REQUIRE(!complete || life->message.ptr[0] == 'd');
  return status;
}

static void from_a_swarm(sc_bytes input) {
  life life;
  begin(&life);
  sc_status status = accept(&life, input, sc_bytes_text("hash"));
  REQUIRE(status != SC_OK || life.arrival.news == SC_CONFIG_PART_KEPT);
  REQUIRE(count_hashes(life.parts, life.now_ms) == (status == SC_OK));
  REQUIRE(status != SC_OK || accept(&life, input, sc_bytes_text("hash")) == SC_OK);
  end(&life);
}

static void write_part(sc_buffer *out, const uint8_t *set, uint8_t index, uint8_t count, sc_bytes chunk) {
  sc_bt_writer writer;
  sc_buffer_clear(out);
  REQUIRE(sc_buffer_append_byte(out, 'm') == SC_OK);
  sc_bt_writer_init(&writer, out);
  sc_bt_begin_list(&writer);
  sc_bt_write_string(&writer, sc_bytes_make(set, SC_CONFIG_SET_BYTES));
  sc_bt_write_string(&writer, sc_bytes_make(&index, 1));
  sc_bt_write_string(&writer, sc_bytes_make(&count, 1));
  sc_bt_write_string(&writer, chunk);
  sc_bt_end(&writer);
  REQUIRE(sc_bt_writer_finish(&writer) == SC_OK);
}

/* A part of one of the texts; when `wrong` is not 0 something about it is. */
static void receive(life *life, const spelled *text, uint8_t place, uint8_t wrong) {
  sc_bytes whole = sc_bytes_text(text->text);
  size_t count = (whole.len + 1) / 2;
  size_t index = place % count;
  size_t at = 2 * index;
  uint8_t letters[2] = {whole.ptr[at], at + 1 < whole.len ? whole.ptr[at + 1] : 0};
  letters[0] = (uint8_t)(letters[0] ^ (wrong & 0x0f));
  count += (wrong >> 4) & 1;
  write_part(&life->part, text->set, (uint8_t)index, (uint8_t)count,
             sc_bytes_make(letters, at + 1 < whole.len ? 2 : 1));
  sc_status status = accept(life, sc_buffer_bytes(&life->part), sc_bytes_make(letters, 1));
  if (status == SC_OK && life->message.len > 0)
    REQUIRE(sc_bytes_same(sc_buffer_bytes(&life->message), whole));
}

static void a_life(sc_bytes input) {
  life life;
  begin(&life);
  while (input.len > 0) {
    uint8_t event = fuzz_take_byte(&input);
    uint8_t detail = fuzz_take_byte(&input);
    const spelled *text = &texts[detail % text_count];
    switch (event % 8) {
    case 0:
      life.parts = save_and_load(life.parts, life.now_ms);
      break;
    case 1:
      life.now_ms += detail * (uint64_t)3600 * 1000;
      break;
    case 2:
      REQUIRE(sc_config_parts_mark_done(life.parts, text->set, life.now_ms) == SC_OK);
      break;
    case 3:
      sc_config_parts_expire(life.parts, life.now_ms);
      REQUIRE(!sc_config_parts_expire(life.parts, life.now_ms));
      break;
    case 4:
      receive(&life, text, fuzz_take_byte(&input), event >> 3);
      break;
    default:
      receive(&life, text, event >> 3, 0);
    }
    count_hashes(life.parts, life.now_ms);
  }
  end(&life);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const ways[])(sc_bytes input) = {saved_state, from_a_swarm, a_life};
  prepare();
  sc_bytes input = sc_bytes_make(data, size);
  ways[fuzz_take_byte(&input) % 3](input);
  return 0;
}
