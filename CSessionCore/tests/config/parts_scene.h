/* Shared by the tests of parts: the sets of a config, and messages in one-letter parts. */
#ifndef SC_TESTS_CONFIG_PARTS_SCENE_H
#define SC_TESTS_CONFIG_PARTS_SCENE_H

#include "config/multipart.h"
#include "config/part.h"
#include "support/test.h"

#define DAY_MS ((uint64_t)24 * 60 * 60 * 1000)

enum { now = 1000 };

/* The parts a config holds, and the next one to arrive. */
typedef struct scene {
  sc_config_parts *parts;
  sc_config_arrival arrival;
  sc_buffer message;
  sc_buffer plain;
  sc_buffer saved;
} scene;

SC_NODISCARD static inline sc_status set_scene(scene *out, const sc_env *env) {
  *out = (scene){0};
  sc_buffer_init(&out->message, env);
  sc_buffer_init(&out->plain, env);
  sc_buffer_init(&out->saved, env);
  return sc_config_parts_new(&out->parts, env);
}

static inline void leave_scene(scene *scene) {
  sc_config_parts_free(scene->parts);
  sc_buffer_free(&scene->message);
  sc_buffer_free(&scene->plain);
  sc_buffer_free(&scene->saved);
}

SC_NODISCARD static inline sc_status accept_as(scene *s, const sc_config_part *part, const char *hash,
                                               uint64_t now_ms) {
  sc_buffer_clear(&s->plain);
  sc_status status = sc_config_part_append(&s->plain, part);
  return status == SC_OK ? sc_config_parts_accept(&s->message, &s->arrival, s->parts,
                                                  sc_buffer_bytes(&s->plain), sc_bytes_text(hash), now_ms)
                         : status;
}

SC_NODISCARD static inline sc_status save(scene *s, uint64_t now_ms) {
  sc_bt_writer writer;
  sc_buffer_clear(&s->saved);
  sc_bt_writer_init(&writer, &s->saved);
  sc_config_parts_save(s->parts, &writer, now_ms);
  return sc_bt_writer_finish(&writer);
}

SC_NODISCARD static inline sc_status load(scene *s, const sc_env *env) {
  sc_bt_reader reader;
  sc_config_parts_free(s->parts);
  sc_bt_reader_init(&reader, sc_buffer_bytes(&s->saved));
  sc_status status = sc_config_parts_load(&s->parts, env, &reader);
  return status == SC_OK ? sc_bt_finish(&reader) : status;
}

/* A message in parts of one byte each. */
typedef struct letters {
  sc_bytes text;
  uint8_t set[SC_CONFIG_SET_BYTES];
} letters;

SC_NODISCARD static inline sc_status spell(letters *out, const char *text) {
  out->text = sc_bytes_text(text);
  return sc_blake2b(out->set, sizeof out->set, sc_bytes_make(NULL, 0), out->text);
}

SC_NODISCARD static inline sc_status accept_letter(scene *s, const letters *from, size_t index,
                                                   const char *hash, uint64_t now_ms) {
  const sc_config_part part = {from->set, (uint8_t)index, (uint8_t)from->text.len,
                               sc_bytes_make(from->text.ptr + index, 1)};
  return accept_as(s, &part, hash, now_ms);
}

/* True if a letter of such a set was kept and its set is neither complete nor done. */
#define KEEPS(from, index, hash, now_ms)                                                                     \
  do {                                                                                                       \
    OK(accept_letter(&s, (from), (index), (hash), (now_ms)));                                                \
    CHECK(s.arrival.news == SC_CONFIG_PART_KEPT && s.message.len == 0);                                      \
  } while (0)

#define KNOWS(from, index, hash, now_ms)                                                                     \
  do {                                                                                                       \
    OK(accept_letter(&s, (from), (index), (hash), (now_ms)));                                                \
    CHECK(s.arrival.news == SC_CONFIG_NOTHING_NEW && s.message.len == 0);                                    \
  } while (0)

#define COMPLETES(from, index, hash, now_ms)                                                                 \
  do {                                                                                                       \
    OK(accept_letter(&s, (from), (index), (hash), (now_ms)));                                                \
    CHECK(s.arrival.news == SC_CONFIG_SET_COMPLETE);                                                         \
    SAME((from)->text, sc_buffer_bytes(&s.message));                                                         \
  } while (0)

static inline size_t count_hashes(const scene *s, uint64_t now_ms) {
  sc_config_part_cursor cursor = {0};
  sc_bytes hash;
  size_t count = 0;
  while (sc_config_parts_next_hash(&hash, &cursor, s->parts, now_ms))
    count++;
  return count;
}

static inline bool arrival_has(const scene *s, size_t index, const char *hash) {
  return index < s->arrival.hash_count && sc_bytes_same(s->arrival.hashes[index], sc_bytes_text(hash));
}

#endif
