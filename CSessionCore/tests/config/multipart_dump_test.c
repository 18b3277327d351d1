#include "config/multipart.h"
#include "parts_scene.h"

#define NAME_A "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
#define NAME_B "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB"
#define NAME_C "CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC"

static void the_state_is_saved_in_the_known_form(sc_test *t) {
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

static void competing_parts_and_sets_of_the_same_name_are_saved(sc_test *t) {
  static const char whole[] = "d32:" NAME_B "d1:#i2e1:Ti604801000e1:pld1:#i0e1:M1:a1:d1:dee"
                              "1:rld1:#i3e1:Ti604801000e1:p"
                              "ld1:#i0e1:M1:b1:d1:ded1:#i1e1:M1:d1:d1:ied1:#i0e1:M1:c1:d1:xeeeeee";
  scene s;
  OK(set_scene(&s, t->env));
  const sc_config_part of_two = {(const uint8_t *)NAME_B, 0, 2, sc_bytes_text("d")},
                       of_three = {(const uint8_t *)NAME_B, 0, 3, sc_bytes_text("d")},
                       rival = {(const uint8_t *)NAME_B, 0, 3, sc_bytes_text("x")},
                       second = {(const uint8_t *)NAME_B, 1, 3, sc_bytes_text("i")};
  OK(accept_as(&s, &of_three, "b", now));
  OK(accept_as(&s, &rival, "c", now));
  OK(accept_as(&s, &second, "d", now));
  OK(accept_as(&s, &of_two, "a", now));
  for (int round = 0; round < 2; round++) {
    OK(save(&s, now));
    SAME(sc_bytes_text(whole), sc_buffer_bytes(&s.saved));
    OK(load(&s, t->env));
  }
  OK(sc_config_parts_mark_done(s.parts, (const uint8_t *)NAME_B, now));
  OK(save(&s, now));
  SAME(sc_bytes_text("d32:" NAME_B "d1:#i0e1:Ti1209601000eee"), sc_buffer_bytes(&s.saved));
done:
  leave_scene(&s);
}

static void parts_can_be_stored_separately(sc_test *t) {
  scene s;
  sc_config_parts *apart = NULL;
  sc_config_part_cursor cursor = {0};
  sc_config_held_part part;
  size_t count = 0;
  OK(set_scene(&s, t->env));
  const sc_config_part first = {(const uint8_t *)NAME_B, 0, 3, sc_bytes_text("d")},
                       rival = {(const uint8_t *)NAME_B, 0, 3, sc_bytes_text("x")},
                       last = {(const uint8_t *)NAME_B, 2, 3, sc_bytes_text("yz")},
                       over = {(const uint8_t *)NAME_C, 1, 2, sc_bytes_text("o")};
  OK(accept_as(&s, &over, "o", now));
  OK(accept_as(&s, &last, "l", now + DAY_MS));
  OK(accept_as(&s, &first, "f", now + DAY_MS));
  OK(accept_as(&s, &rival, "r", now + DAY_MS));
  OK(sc_config_parts_mark_done(s.parts, (const uint8_t *)NAME_A, now));
  const uint64_t later = now + 7 * DAY_MS; /* `over` has expired by then */
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, &s.saved);
  sc_config_parts_save_done(s.parts, &writer, later);
  OK(sc_bt_writer_finish(&writer));
  SAME(sc_bytes_text("d32:" NAME_A "d1:#i0e1:Ti1209601000eee"), sc_buffer_bytes(&s.saved));
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, sc_buffer_bytes(&s.saved));
  OK(sc_config_parts_load(&apart, t->env, &reader));
  static const char hashes[] = "flr";
  for (; sc_config_parts_next(&part, &cursor, s.parts, later); count++) {
    CHECK(count < 3 && sc_bytes_same(part.hash, sc_bytes_make(hashes + count, 1)));
    OK(sc_config_parts_hold(apart, &part));
    OK(sc_config_parts_hold(apart, &part));
  }
  CHECK(count == 3);
  OK(save(&s, later));
  sc_config_parts_free(s.parts);
  s.parts = apart;
  apart = NULL;
  sc_buffer_clear(&s.plain);
  OK(sc_buffer_append(&s.plain, sc_buffer_bytes(&s.saved)));
  OK(save(&s, later));
  SAME(sc_buffer_bytes(&s.plain), sc_buffer_bytes(&s.saved));
done:
  sc_config_parts_free(apart);
  leave_scene(&s);
}

static void a_part_that_could_never_be_held_cannot_be_restored(sc_test *t) {
  scene s;
  OK(set_scene(&s, t->env));
  const sc_config_held_part good = {.set = sc_bytes_text(NAME_B),
                                    .count = 3,
                                    .index = 2,
                                    .hash = sc_bytes_text("h"),
                                    .chunk = sc_bytes_text("c"),
                                    .expires_ms = DAY_MS};
  sc_config_held_part odd[8];
  for (size_t i = 0; i < 8; i++)
    odd[i] = good;
  odd[0].set = sc_bytes_text("short");
  odd[1].count = 1;
  odd[2].count = 256;
  odd[3].index = 3;
  odd[4].hash = sc_bytes_text("");
  odd[5].chunk = sc_bytes_text("");
  odd[6].chunk.len = SC_STORED_MAX_BYTES + 1;
  odd[7].count = 0;
  for (size_t i = 0; i < 8; i++)
    CHECK(sc_config_parts_hold(s.parts, &odd[i]) == SC_ERR_CONFIG_PART);
  CHECK(count_hashes(&s, now) == 0);
  OK(sc_config_parts_hold(s.parts, &good));
  CHECK(count_hashes(&s, now) == 1);
  OK(sc_config_parts_mark_done(s.parts, (const uint8_t *)NAME_B, now));
  OK(sc_config_parts_hold(s.parts, &good));
  CHECK(count_hashes(&s, now) == 0);
done:
  leave_scene(&s);
}

static void restored_sets_can_be_completed(sc_test *t) {
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

#define ONE_AT_0(chunk) "d1:#i0e1:M1:a1:d1:" chunk "e"

static void of_two_saved_sets_with_one_number_the_first_is_loaded(sc_test *t) {
  static const char first[] = "d32:" NAME_A "d1:#i3e1:Ti9e1:pld1:#i0e1:M1:a1:d1:deee";
  scene s;
  OK(set_scene(&s, t->env));
  OK(sc_buffer_append(&s.saved, sc_bytes_text(first)));
  OK(sc_buffer_append(&s.saved, sc_bytes_text("32:" NAME_A "d1:#i3e1:Ti8e1:pld1:#i1e1:M1:a1:d1:eeeee")));
  OK(load(&s, t->env));
  OK(save(&s, 0));
  sc_buffer_truncate(&s.saved, s.saved.len - 1);
  SAME(sc_bytes_text(first), sc_buffer_bytes(&s.saved));
done:
  leave_scene(&s);
}

static void malformed_sets_are_left_out(sc_test *t) {
  static const char *const odd[] = {
      "3:ABCd1:#i0e1:Ti9ee",
      "3:ABCi5e",
      "0:le",
      "0:d1:#i3e1:Ti9e1:pld1:#i0e1:M1:a1:d1:deee",
      "32:" NAME_A "d1:#i0e1:Ti9ee32:" NAME_A "d1:#i0e1:Ti8ee", /* the second set of a name */
      "32:" NAME_B "d1:#i1e1:Ti9e1:plee",
      "32:" NAME_B "d1:#i256e1:Ti9e1:plee",
      "32:" NAME_B "d1:#i18446744073709551615e1:Ti9e1:plee",
      "32:" NAME_B "d1:#i2e1:Ti9e1:plee",                                         /* no parts */
      "32:" NAME_B "d1:#i3e1:Ti9e1:pld1:#i0e1:M1:a1:d1:ded1:#i0e1:M1:b1:d1:deee", /* a part twice */
      "32:" NAME_B "d1:#i3e1:Ti9e1:pl" ONE_AT_0("0") ONE_AT_0("1") ONE_AT_0("2") ONE_AT_0("3") ONE_AT_0("4")
          ONE_AT_0("5") "ee",                                 /* too many competing parts */
      "32:" NAME_B "d1:#i3e1:Ti9e1:pld1:#i3e1:M1:a1:d1:deee", /* index out of range */
      "32:" NAME_B "d1:#i3e1:Ti9e1:pld1:#i0e1:M0:1:d1:deee",  /* no hash */
      "32:" NAME_B "d1:#i3e1:Ti9e1:pld1:#i0e1:M1:a1:d0:eee",  /* no chunk */
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

static void the_oldest_saved_sets_over_the_limit_are_left_out(sc_test *t) {
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

static void invalid_saved_state_is_refused(sc_test *t) {
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
      {"d32:" NAME_A "d1:#i0e1:Ti0e1:rli0eeee", SC_ERR_BT_TYPE},
      {"d32:" NAME_A "d1:#i0e1:Ti0e1:rldeeee", SC_ERR_FORMAT},
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

SUITE(config_multipart_dump, "config/multipart_dump",
      {"the state is saved in the known form", the_state_is_saved_in_the_known_form},
      {"competing parts and sets of the same name are saved",
       competing_parts_and_sets_of_the_same_name_are_saved},
      {"parts can be stored separately", parts_can_be_stored_separately},
      {"a part that could never be held cannot be restored",
       a_part_that_could_never_be_held_cannot_be_restored},
      {"restored sets can be completed", restored_sets_can_be_completed},
      {"saved sets may be in any order", saved_sets_may_be_in_any_order},
      {"of two saved sets with one number the first is loaded",
       of_two_saved_sets_with_one_number_the_first_is_loaded},
      {"malformed sets are left out", malformed_sets_are_left_out},
      {"the oldest saved sets over the limit are left out",
       the_oldest_saved_sets_over_the_limit_are_left_out},
      {"invalid saved state is refused", invalid_saved_state_is_refused});
