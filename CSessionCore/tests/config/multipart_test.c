#include "session-core/config/multipart.h"

#include "config/part.h"
#include "support/test.h"
#include "support/test_env.h"

#define DAY_MS ((uint64_t)24 * 60 * 60 * 1000)

enum { now = 1000 };

/* What a config has of others' parts, and the part that comes next. */
typedef struct scene {
  sc_config_parts *parts;
  sc_config_arrival arrival;
  sc_buffer message;
  sc_buffer plain;
  sc_buffer saved;
} scene;

SC_NODISCARD static sc_status set_scene(scene *out, const sc_env *env) {
  *out = (scene){0};
  sc_buffer_init(&out->message, env);
  sc_buffer_init(&out->plain, env);
  sc_buffer_init(&out->saved, env);
  return sc_config_parts_new(&out->parts, env);
}

static void leave_scene(scene *scene) {
  sc_config_parts_free(scene->parts);
  sc_buffer_free(&scene->message);
  sc_buffer_free(&scene->plain);
  sc_buffer_free(&scene->saved);
}

SC_NODISCARD static sc_status accept_as(scene *s, const sc_config_part *part, const char *hash,
                                        uint64_t now_ms) {
  sc_buffer_clear(&s->plain);
  sc_status status = sc_config_part_append(&s->plain, part);
  return status == SC_OK ? sc_config_parts_accept(&s->message, &s->arrival, s->parts,
                                                  sc_buffer_bytes(&s->plain), sc_bytes_text(hash), now_ms)
                         : status;
}

/* A message in parts that have one byte each. */
typedef struct letters {
  sc_bytes text;
  uint8_t set[SC_CONFIG_SET_BYTES];
} letters;

SC_NODISCARD static sc_status spell(letters *out, const char *text) {
  out->text = sc_bytes_text(text);
  return sc_blake2b(out->set, sizeof out->set, sc_bytes_make(NULL, 0), out->text);
}

SC_NODISCARD static sc_status accept_letter(scene *s, const letters *from, size_t index, const char *hash,
                                            uint64_t now_ms) {
  const sc_config_part part = {from->set, (uint8_t)index, (uint8_t)from->text.len,
                               sc_bytes_make(from->text.ptr + index, 1)};
  return accept_as(s, &part, hash, now_ms);
}

/* Whether a letter of such a set was kept, and its set is neither complete nor done. */
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

static size_t count_hashes(const scene *s, uint64_t now_ms) {
  sc_config_hash_cursor cursor = {0};
  sc_bytes hash;
  size_t count = 0;
  while (sc_config_parts_next_hash(&hash, &cursor, s->parts, now_ms))
    count++;
  return count;
}

static void parts_in_any_order_make_the_message(sc_test *t) {
  scene s;
  letters dic;
  OK(set_scene(&s, t->env));
  OK(spell(&dic, "dic"));
  KEEPS(&dic, 2, "third", now);
  KEEPS(&dic, 0, "first", now);
  COMPLETES(&dic, 1, "second", now);
  CHECK(s.arrival.hash_count == 3);
  SAME(sc_bytes_text("first"), s.arrival.hashes[0]);
  SAME(sc_bytes_text("second"), s.arrival.hashes[1]);
  SAME(sc_bytes_text("third"), s.arrival.hashes[2]);
  CHECK(count_hashes(&s, now) == 0);
done:
  leave_scene(&s);
}

static void a_part_counts_once(sc_test *t) {
  scene s;
  letters dic;
  OK(set_scene(&s, t->env));
  OK(spell(&dic, "dic"));
  KEEPS(&dic, 1, "a", now);
  KNOWS(&dic, 1, "b", now);
  KEEPS(&dic, 2, "c", now);
  KNOWS(&dic, 2, "c", now);
  COMPLETES(&dic, 0, "d", now);
  SAME(sc_bytes_text("a"), s.arrival.hashes[1]);
done:
  leave_scene(&s);
}

static void what_is_done_is_not_read_again(sc_test *t) {
  scene s;
  letters dic, den;
  OK(set_scene(&s, t->env));
  OK(spell(&dic, "dic"));
  OK(spell(&den, "den"));
  KEEPS(&dic, 0, "a", now);
  KEEPS(&dic, 1, "b", now);
  COMPLETES(&dic, 2, "c", now);
  KNOWS(&dic, 0, "a", now);
  KNOWS(&dic, 2, "c", now);

  OK(sc_config_parts_mark_done(s.parts, den.set, now));
  KNOWS(&den, 0, "a", now);
  CHECK(count_hashes(&s, now) == 0);
done:
  leave_scene(&s);
}

static void what_was_stored_here_is_done_though_parts_came(sc_test *t) {
  scene s;
  letters dic;
  OK(set_scene(&s, t->env));
  OK(spell(&dic, "dic"));
  KEEPS(&dic, 0, "a", now);
  OK(sc_config_parts_mark_done(s.parts, dic.set, now));
  OK(sc_config_parts_mark_done(s.parts, dic.set, now));
  CHECK(count_hashes(&s, now) == 0);
  KNOWS(&dic, 1, "b", now);
done:
  leave_scene(&s);
}

static void padding_and_compression_come_off(sc_test *t) {
  static const uint8_t packed[] = {0, 0, 0x7a, 0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x02, 0x11, 0, 0, 'd', 'e'};
  scene s;
  sc_config_part part = {.count = 2};
  uint8_t set[SC_CONFIG_SET_BYTES];
  OK(set_scene(&s, t->env));
  OK(sc_blake2b(set, sizeof set, sc_bytes_make(NULL, 0), SC_BYTES(packed)));
  part.set = set;
  part.chunk = sc_bytes_make(packed, 5);
  OK(accept_as(&s, &part, "a", now));
  part.index = 1;
  part.chunk = sc_bytes_make(packed + 5, sizeof packed - 5);
  OK(accept_as(&s, &part, "b", now));
  CHECK(s.arrival.news == SC_CONFIG_SET_COMPLETE);
  SAME(sc_bytes_text("de"), sc_buffer_bytes(&s.message));
done:
  leave_scene(&s);
}

static void what_is_no_part_is_refused(sc_test *t) {
  static const uint8_t large[SC_STORED_MAX_BYTES + 1] = {'m'};
  scene s;
  const sc_bytes hash = sc_bytes_text("a");
  OK(set_scene(&s, t->env));
  FAILS(SC_ERR_CONFIG_PART,
        sc_config_parts_accept(&s.message, &s.arrival, s.parts, sc_bytes_text("mle"), hash, now));
  FAILS(SC_ERR_TOO_LARGE,
        sc_config_parts_accept(&s.message, &s.arrival, s.parts, SC_BYTES(large), hash, now));
  CHECK(count_hashes(&s, now) == 0);
done:
  leave_scene(&s);
}

static void hashes_have_their_lengths(sc_test *t) {
  static char longest[SC_CONFIG_MAX_HASH_BYTES + 2];
  scene s;
  letters dic;
  OK(set_scene(&s, t->env));
  OK(spell(&dic, "dic"));
  memset(longest, 'a', sizeof longest - 1);
  FAILS(SC_ERR_ARGUMENT, accept_letter(&s, &dic, 0, "", now));
  FAILS(SC_ERR_ARGUMENT, accept_letter(&s, &dic, 0, longest, now));
  longest[SC_CONFIG_MAX_HASH_BYTES] = '\0';
  KEEPS(&dic, 0, longest, now);
done:
  leave_scene(&s);
}

static void all_parts_of_a_set_tell_the_same_number(sc_test *t) {
  scene s;
  letters dic;
  OK(set_scene(&s, t->env));
  OK(spell(&dic, "dic"));
  KEEPS(&dic, 0, "a", now);
  const sc_config_part fewer = {dic.set, 1, 2, sc_bytes_text("i")},
                       more = {dic.set, 9, 255, sc_bytes_text("i")};
  FAILS(SC_ERR_CONFIG_PART, accept_as(&s, &fewer, "b", now));
  FAILS(SC_ERR_CONFIG_PART, accept_as(&s, &more, "b", now));
  KEEPS(&dic, 1, "b", now);
  COMPLETES(&dic, 2, "c", now);
done:
  leave_scene(&s);
}

static void a_set_that_is_not_what_it_says_is_dropped(sc_test *t) {
  scene s;
  letters dic;
  OK(set_scene(&s, t->env));
  OK(spell(&dic, "dic"));
  const sc_config_part forged = {dic.set, 2, 3, sc_bytes_text("x")};
  KEEPS(&dic, 0, "a", now);
  KEEPS(&dic, 1, "b", now);
  FAILS(SC_ERR_CONFIG_SET, accept_as(&s, &forged, "c", now));
  CHECK(s.message.len == 0 && s.arrival.hash_count == 0);
  CHECK(count_hashes(&s, now) == 0);
  KEEPS(&dic, 0, "a", now);
  KEEPS(&dic, 1, "b", now);
  COMPLETES(&dic, 2, "c", now);
done:
  leave_scene(&s);
}

static void a_set_that_is_no_message_is_done(sc_test *t) {
  scene s;
  letters new_form, part, zeros;
  OK(set_scene(&s, t->env));
  OK(spell(&new_form, "new"));
  KEEPS(&new_form, 0, "a", now);
  KEEPS(&new_form, 1, "b", now);
  FAILS(SC_ERR_VERSION, accept_letter(&s, &new_form, 2, "c", now));
  CHECK(s.message.len == 0 && s.arrival.hash_count == 0);
  KNOWS(&new_form, 2, "c", now);

  OK(spell(&part, "me"));
  KEEPS(&part, 0, "a", now);
  FAILS(SC_ERR_FORMAT, accept_letter(&s, &part, 1, "b", now));
  KNOWS(&part, 1, "b", now);

  zeros.text = sc_bytes_make("\0\0", 2);
  OK(sc_blake2b(zeros.set, sizeof zeros.set, sc_bytes_make(NULL, 0), zeros.text));
  KEEPS(&zeros, 0, "a", now);
  FAILS(SC_ERR_FORMAT, accept_letter(&s, &zeros, 1, "b", now));
  CHECK(count_hashes(&s, now) == 0);
done:
  leave_scene(&s);
}

static void a_set_holds_no_more_than_a_message_can_have(sc_test *t) {
  enum { whole_parts = SC_CONFIG_MAX_PADDED_BYTES / SC_CONFIG_CHUNK_BYTES };
  static const uint8_t chunk[SC_CONFIG_CHUNK_BYTES] = {1}, set[SC_CONFIG_SET_BYTES] = {1};
  scene s;
  OK(set_scene(&s, t->env));
  sc_config_part part = {set, 0, 255, SC_BYTES(chunk)};
  for (; part.index < whole_parts; part.index++)
    OK(accept_as(&s, &part, "a", now));
  FAILS(SC_ERR_TOO_LARGE, accept_as(&s, &part, "a", now));
  part.chunk.len = SC_CONFIG_MAX_PADDED_BYTES % SC_CONFIG_CHUNK_BYTES;
  OK(accept_as(&s, &part, "a", now));
  part.index++;
  part.chunk.len = 1;
  FAILS(SC_ERR_TOO_LARGE, accept_as(&s, &part, "a", now));
  CHECK(count_hashes(&s, now) == whole_parts + 1);
done:
  leave_scene(&s);
}

static void a_ninth_set_takes_the_place_of_the_oldest(sc_test *t) {
  enum { most = SC_CONFIG_MAX_INCOMPLETE_SETS };
  scene s;
  letters sets[most + 1];
  OK(set_scene(&s, t->env));
  for (size_t i = 0; i <= most; i++) {
    static const char *const texts[most + 1] = {"d0e", "d1e", "d2e", "d3e", "d4e",
                                                "d5e", "d6e", "d7e", "d8e"};
    OK(spell(&sets[i], texts[i]));
  }
  OK(sc_config_parts_mark_done(s.parts, (const uint8_t[SC_CONFIG_SET_BYTES]){1}, 0));
  for (size_t i = 0; i < most; i++)
    KEEPS(&sets[i], 0, "a", now + i);
  KEEPS(&sets[0], 1, "b", now + most); /* which makes the next one the oldest */
  CHECK(count_hashes(&s, now) == most + 1);
  KEEPS(&sets[most], 0, "a", now + most);
  CHECK(count_hashes(&s, now) == most + 1);
  COMPLETES(&sets[0], 2, "c", now);
  KEEPS(&sets[1], 1, "b", now + most); /* as the first of its set */
  KEEPS(&sets[1], 2, "c", now + most);
  COMPLETES(&sets[1], 0, "a", now + most);
done:
  leave_scene(&s);
}

static void as_many_sets_are_remembered_as_done(sc_test *t) {
  scene s;
  letters dic;
  OK(set_scene(&s, t->env));
  OK(spell(&dic, "dic"));
  OK(sc_config_parts_mark_done(s.parts, dic.set, now));
  uint8_t name[SC_CONFIG_SET_BYTES] = {0};
  for (size_t i = 1; i < SC_CONFIG_MAX_DONE_SETS; i++) {
    name[0] = (uint8_t)i;
    OK(sc_config_parts_mark_done(s.parts, name, now + 1));
  }
  KNOWS(&dic, 0, "a", now);
  name[1] = 1;
  OK(sc_config_parts_mark_done(s.parts, name, now + 1));
  KEEPS(&dic, 0, "a", now);
done:
  leave_scene(&s);
}

static void what_waits_too_long_is_dropped(sc_test *t) {
  scene s;
  letters dic, den;
  OK(set_scene(&s, t->env));
  OK(spell(&dic, "dic"));
  OK(spell(&den, "den"));
  KEEPS(&dic, 0, "a", now);
  KEEPS(&den, 0, "b", now);
  CHECK(!sc_config_parts_expire(s.parts, now + 7 * DAY_MS - 1));
  KEEPS(&den, 1, "c", now + 1);
  CHECK(count_hashes(&s, now + 7 * DAY_MS - 1) == 3);
  CHECK(count_hashes(&s, now + 7 * DAY_MS) == 2);
  CHECK(sc_config_parts_expire(s.parts, now + 7 * DAY_MS));
  CHECK(count_hashes(&s, now) == 2);
  KEEPS(&dic, 1, "d", now);
  COMPLETES(&den, 2, "e", now);
done:
  leave_scene(&s);
}

static void what_is_done_is_forgotten_later(sc_test *t) {
  scene s;
  letters dic, de;
  OK(set_scene(&s, t->env));
  OK(spell(&dic, "dic"));
  OK(spell(&de, "de"));
  OK(sc_config_parts_mark_done(s.parts, dic.set, now));
  KEEPS(&de, 0, "a", now);
  COMPLETES(&de, 1, "b", now);
  CHECK(!sc_config_parts_expire(s.parts, now + 14 * DAY_MS - 1));
  KNOWS(&dic, 0, "a", now);
  KNOWS(&de, 0, "a", now);
  CHECK(sc_config_parts_expire(s.parts, now + 14 * DAY_MS));
  KEEPS(&dic, 0, "a", now);
  KEEPS(&de, 0, "a", now);
done:
  leave_scene(&s);
}

static void time_does_not_begin_again(sc_test *t) {
  scene s;
  letters dic, den;
  OK(set_scene(&s, t->env));
  OK(spell(&dic, "dic"));
  OK(spell(&den, "den"));
  KEEPS(&dic, 0, "a", UINT64_MAX);
  OK(sc_config_parts_mark_done(s.parts, den.set, UINT64_MAX));
  CHECK(!sc_config_parts_expire(s.parts, UINT64_MAX - 1));
done:
  leave_scene(&s);
}

static void the_hashes_of_what_waits_are_told(sc_test *t) {
  scene s;
  letters dic, den;
  sc_config_hash_cursor cursor = {0};
  sc_bytes hash;
  OK(set_scene(&s, t->env));
  OK(spell(&dic, "dic"));
  OK(spell(&den, "den"));
  CHECK(!sc_config_parts_next_hash(&hash, &cursor, s.parts, now));
  OK(sc_config_parts_mark_done(s.parts, den.set, now));
  KEEPS(&dic, 2, "third", now);
  KEEPS(&dic, 0, "first", now);
  cursor = (sc_config_hash_cursor){0};
  CHECK(sc_config_parts_next_hash(&hash, &cursor, s.parts, now));
  SAME(sc_bytes_text("first"), hash);
  CHECK(sc_config_parts_next_hash(&hash, &cursor, s.parts, now));
  SAME(sc_bytes_text("third"), hash);
  CHECK(!sc_config_parts_next_hash(&hash, &cursor, s.parts, now));
  CHECK(!sc_config_parts_next_hash(&hash, &cursor, s.parts, now));
done:
  leave_scene(&s);
}

/* A part that could not be taken in for want of memory may come again. */
static void a_part_is_taken_whole_or_not_at_all(sc_test *t) {
  sc_test_env scarce;
  scene s;
  letters dic;
  sc_test_env_init(&scarce, 1);
  OK(set_scene(&s, &scarce.env));
  OK(spell(&dic, "dic"));
  for (size_t i = 0; i < 3; i++) {
    size_t refusals = 0;
    for (sc_status status = SC_ERR_NO_MEMORY; status != SC_OK; refusals++) {
      scarce.fail_at = scarce.allocations + 1 + refusals;
      status = accept_letter(&s, &dic, i, "a", now);
      CHECK(status == SC_OK || status == SC_ERR_NO_MEMORY);
      CHECK(status == SC_OK || (count_hashes(&s, now) == i && s.message.len == 0));
    }
    CHECK(refusals > 1);
  }
  CHECK(s.arrival.news == SC_CONFIG_SET_COMPLETE);
  SAME(sc_bytes_text("dic"), sc_buffer_bytes(&s.message));
done:
  leave_scene(&s);
  if (scarce.live > 0)
    sc_test_fail(t, __FILE__, __LINE__, "all memory was given back");
}

SC_NODISCARD static sc_status save(scene *s, uint64_t now_ms) {
  sc_bt_writer writer;
  sc_buffer_clear(&s->saved);
  sc_bt_writer_init(&writer, &s->saved);
  sc_config_parts_save(s->parts, &writer, now_ms);
  return sc_bt_writer_finish(&writer);
}

SC_NODISCARD static sc_status load(scene *s, const sc_env *env) {
  sc_bt_reader reader;
  sc_config_parts_free(s->parts);
  sc_bt_reader_init(&reader, sc_buffer_bytes(&s->saved));
  sc_status status = sc_config_parts_load(&s->parts, env, &reader);
  return status == SC_OK ? sc_bt_finish(&reader) : status;
}

#define NAME_A "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
#define NAME_B "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB"
#define NAME_C "CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC"

static void the_state_is_saved_as_known(sc_test *t) {
  scene s;
  OK(set_scene(&s, t->env));
  OK(save(&s, now));
  SAME(sc_bytes_text("de"), sc_buffer_bytes(&s.saved));
  const sc_config_part last = {(const uint8_t *)NAME_B, 2, 3, sc_bytes_text("xyz")},
                       first = {(const uint8_t *)NAME_B, 0, 3, sc_bytes_text("d")};
  OK(accept_as(&s, &last, "hash2", now));
  OK(accept_as(&s, &first, "hash0", now));
  OK(sc_config_parts_mark_done(s.parts, (const uint8_t *)NAME_A, now));
  OK(sc_config_parts_mark_done(s.parts, (const uint8_t *)NAME_C, 0));
  OK(save(&s, 14 * DAY_MS));
  SAME(sc_bytes_text("d32:" NAME_A "d1:#i0e1:Ti1209601000eee"), sc_buffer_bytes(&s.saved));
  OK(save(&s, now));
  static const char whole[] = "d32:" NAME_A "d1:#i0e1:Ti1209601000ee"
                              "32:" NAME_B "d1:#i3e1:Ti604801000e"
                              "1:pld1:#i0e1:M5:hash01:d1:ded1:#i2e1:M5:hash21:d3:xyzeee"
                              "32:" NAME_C "d1:#i0e1:Ti1209600000eee";
  SAME(sc_bytes_text(whole), sc_buffer_bytes(&s.saved));
  OK(load(&s, t->env));
  OK(save(&s, now));
  SAME(sc_bytes_text(whole), sc_buffer_bytes(&s.saved));
done:
  leave_scene(&s);
}

static void what_was_saved_goes_on(sc_test *t) {
  scene s;
  letters dic, den;
  OK(set_scene(&s, t->env));
  OK(spell(&dic, "dic"));
  OK(spell(&den, "den"));
  KEEPS(&dic, 0, "a", now);
  KEEPS(&dic, 1, "b", now);
  OK(sc_config_parts_mark_done(s.parts, den.set, now));
  OK(save(&s, now));
  OK(load(&s, t->env));
  CHECK(count_hashes(&s, now) == 2);
  KNOWS(&den, 0, "d", now);
  KNOWS(&dic, 0, "d", now);
  COMPLETES(&dic, 2, "c", now);
  SAME(sc_bytes_text("a"), s.arrival.hashes[0]);
done:
  leave_scene(&s);
}

static void saved_sets_may_be_in_any_order(sc_test *t) {
  scene s;
  OK(set_scene(&s, t->env));
  OK(sc_buffer_append(&s.saved, sc_bytes_text("d32:" NAME_C "d1:#i0e1:Ti9ee32:" NAME_A "d1:#i0e1:Ti8ee"
                                              "32:" NAME_B "d1:#i0e1:Ti7eee")));
  OK(load(&s, t->env));
  OK(save(&s, 0));
  SAME(sc_bytes_text("d32:" NAME_A "d1:#i0e1:Ti8ee32:" NAME_B "d1:#i0e1:Ti7ee32:" NAME_C "d1:#i0e1:Ti9eee"),
       sc_buffer_bytes(&s.saved));
done:
  leave_scene(&s);
}

static void odd_sets_are_left_out(sc_test *t) {
  static const char *const odd[] = {
      "3:ABCd1:#i0e1:Ti9ee",
      "0:d1:#i3e1:Ti9e1:pld1:#i0e1:M1:a1:d1:deee",
      "32:" NAME_A "d1:#i0e1:Ti9ee32:" NAME_A "d1:#i0e1:Ti8ee", /* the second of a name */
      "32:" NAME_B "d1:#i1e1:Ti9e1:plee",
      "32:" NAME_B "d1:#i256e1:Ti9e1:plee",
      "32:" NAME_B "d1:#i18446744073709551615e1:Ti9e1:plee",
      "32:" NAME_B "d1:#i2e1:Ti9e1:plee",                                         /* no part */
      "32:" NAME_B "d1:#i2e1:Ti9e1:pld1:#i0e1:M1:a1:d1:ded1:#i1e1:M1:b1:d1:eeee", /* all parts */
      "32:" NAME_B "d1:#i3e1:Ti9e1:pld1:#i0e1:M1:a1:d1:ded1:#i0e1:M1:b1:d1:eeee", /* one twice */
      "32:" NAME_B "d1:#i3e1:Ti9e1:pld1:#i3e1:M1:a1:d1:deee",                     /* beyond the last */
      "32:" NAME_B "d1:#i3e1:Ti9e1:pld1:#i0e1:M0:1:d1:deee",                      /* no hash */
      "32:" NAME_B "d1:#i3e1:Ti9e1:pld1:#i0e1:M1:a1:d0:eee",                      /* no chunk */
  };
  scene s;
  OK(set_scene(&s, t->env));
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
    bool named_a = strncmp(odd[i], "32:" NAME_A, 35) == 0;
    sc_buffer_clear(&s.saved);
    OK(sc_buffer_append_byte(&s.saved, 'd'));
    OK(sc_buffer_append(&s.saved, sc_bytes_text(odd[i])));
    OK(sc_buffer_append(&s.saved, sc_bytes_text("32:" NAME_C "d1:#i0e1:Ti9e1:zleee")));
    OK(load(&s, t->env));
    OK(save(&s, 0));
    SAME(sc_bytes_text(named_a ? "d32:" NAME_A "d1:#i0e1:Ti9ee32:" NAME_C "d1:#i0e1:Ti9eee"
                               : "d32:" NAME_C "d1:#i0e1:Ti9eee"),
         sc_buffer_bytes(&s.saved));
  }
done:
  leave_scene(&s);
}

static void the_oldest_of_too_many_saved_sets_are_left_out(sc_test *t) {
  scene s;
  OK(set_scene(&s, t->env));
  OK(sc_buffer_append_byte(&s.saved, 'd'));
  for (unsigned i = 0; i <= SC_CONFIG_MAX_INCOMPLETE_SETS; i++) {
    uint8_t name[SC_CONFIG_SET_BYTES] = {(uint8_t)(i + 1)};
    OK(sc_buffer_append(&s.saved, sc_bytes_text("32:")));
    OK(sc_buffer_append(&s.saved, SC_BYTES(name)));
    OK(sc_buffer_append(&s.saved, sc_bytes_text(i == 3 || i == SC_CONFIG_MAX_INCOMPLETE_SETS
                                                    ? "d1:#i3e1:Ti5e1:pld1:#i0e1:M3:old1:d1:deee"
                                                    : "d1:#i3e1:Ti6e1:pld1:#i0e1:M1:a1:d1:deee")));
  }
  OK(sc_buffer_append_byte(&s.saved, 'e'));
  OK(load(&s, t->env));
  CHECK(count_hashes(&s, 0) == SC_CONFIG_MAX_INCOMPLETE_SETS);
  CHECK(count_hashes(&s, 5) == SC_CONFIG_MAX_INCOMPLETE_SETS - 1);
done:
  leave_scene(&s);
}

typedef struct bad_state {
  const char *text;
  sc_status status;
} bad_state;

static void what_was_not_saved_is_refused(sc_test *t) {
  static const bad_state cases[] = {
      {"", SC_ERR_TRUNCATED},
      {"d", SC_ERR_TRUNCATED},
      {"le", SC_ERR_BT_TYPE},
      {"d32:" NAME_A "i1ee", SC_ERR_BT_TYPE},
      {"d32:" NAME_A "de", SC_ERR_FORMAT},
      {"d32:" NAME_A "d1:#i0eee", SC_ERR_FORMAT},
      {"d32:" NAME_A "d1:Ti0eee", SC_ERR_FORMAT},
      {"d32:" NAME_A "d1:#i3e1:Ti0eee", SC_ERR_FORMAT},
      {"d32:" NAME_A "d1:#i3e1:Ti0e1:pi0eee", SC_ERR_BT_TYPE},
      {"d32:" NAME_A "d1:#i3e1:Ti0e1:pli0eeee", SC_ERR_BT_TYPE},
      {"d32:" NAME_A "d1:#i3e1:Ti0e1:pld1:#i0e1:M1:aeeee", SC_ERR_FORMAT},
      {"d32:" NAME_A "d1:#i-1e1:Ti0eee", SC_ERR_BT_RANGE},
      {"d32:" NAME_A "d1:#0:1:Ti0eee", SC_ERR_BT_TYPE},
      {"d32:" NAME_A "d1:#i3e1:Ti0e1:pl", SC_ERR_TRUNCATED},
      {"d32:" NAME_A "d1:#i0e1:Ti0e1:pxee", SC_ERR_BT_SYNTAX},
  };
  scene s;
  OK(set_scene(&s, t->env));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sc_buffer_clear(&s.saved);
    OK(sc_buffer_append(&s.saved, sc_bytes_text(cases[i].text)));
    FAILS(cases[i].status, load(&s, t->env));
    CHECK(s.parts == NULL);
  }
done:
  leave_scene(&s);
}

SUITE(config_multipart, "config/multipart",
      {"parts in any order make the message", parts_in_any_order_make_the_message},
      {"a part counts once", a_part_counts_once},
      {"what is done is not read again", what_is_done_is_not_read_again},
      {"what was stored here is done though parts came", what_was_stored_here_is_done_though_parts_came},
      {"padding and compression come off", padding_and_compression_come_off},
      {"what is no part is refused", what_is_no_part_is_refused},
      {"hashes have their lengths", hashes_have_their_lengths},
      {"all parts of a set tell the same number", all_parts_of_a_set_tell_the_same_number},
      {"a set that is not what it says is dropped", a_set_that_is_not_what_it_says_is_dropped},
      {"a set that is no message is done", a_set_that_is_no_message_is_done},
      {"a set holds no more than a message can have", a_set_holds_no_more_than_a_message_can_have},
      {"a ninth set takes the place of the oldest", a_ninth_set_takes_the_place_of_the_oldest},
      {"as many sets are remembered as done", as_many_sets_are_remembered_as_done},
      {"what waits too long is dropped", what_waits_too_long_is_dropped},
      {"what is done is forgotten later", what_is_done_is_forgotten_later},
      {"time does not begin again", time_does_not_begin_again},
      {"the hashes of what waits are told", the_hashes_of_what_waits_are_told},
      {"a part is taken whole or not at all", a_part_is_taken_whole_or_not_at_all},
      {"the state is saved as known", the_state_is_saved_as_known},
      {"what was saved goes on", what_was_saved_goes_on},
      {"saved sets may be in any order", saved_sets_may_be_in_any_order},
      {"odd sets are left out", odd_sets_are_left_out},
      {"the oldest of too many saved sets are left out", the_oldest_of_too_many_saved_sets_are_left_out},
      {"what was not saved is refused", what_was_not_saved_is_refused});
