#include "config/multipart.h"
#include "parts_scene.h"
#include "support/test_env.h"

static void parts_in_any_order_complete_the_message(sc_test *t) {
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

static void a_completed_set_is_not_read_again(sc_test *t) {
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

static void a_set_stored_by_this_device_is_complete_despite_pending_parts(sc_test *t) {
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

static void padding_and_compression_are_removed(sc_test *t) {
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

static void an_invalid_part_is_refused(sc_test *t) {
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

static void hashes_have_a_length_limit(sc_test *t) {
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

/* Anyone with the key can store parts that claim to belong to another message. */
static void parts_with_another_part_count_form_another_set(sc_test *t) {
  scene s;
  letters dic;
  OK(set_scene(&s, t->env));
  OK(spell(&dic, "dic"));
  const sc_config_part fewer = {dic.set, 1, 2, sc_bytes_text("i")},
                       more = {dic.set, 9, 255, sc_bytes_text("i")};
  OK(accept_as(&s, &fewer, "x", now));
  KEEPS(&dic, 0, "a", now);
  OK(accept_as(&s, &more, "y", now));
  KEEPS(&dic, 1, "b", now);
  CHECK(count_hashes(&s, now) == 4);
  COMPLETES(&dic, 2, "c", now);
  CHECK(count_hashes(&s, now) == 0);
  OK(accept_as(&s, &more, "y", now));
  CHECK(s.arrival.news == SC_CONFIG_NOTHING_NEW);
done:
  leave_scene(&s);
}

static void a_wrong_part_does_not_block_the_right_one(sc_test *t) {
  scene s;
  letters dic;
  OK(set_scene(&s, t->env));
  OK(spell(&dic, "dic"));
  const sc_config_part wrong_first = {dic.set, 0, 3, sc_bytes_text("x")},
                       wrong_last = {dic.set, 2, 3, sc_bytes_text("y")};
  OK(accept_as(&s, &wrong_first, "x", now));
  KEEPS(&dic, 1, "b", now);
  KEEPS(&dic, 0, "a", now);
  FAILS(SC_ERR_CONFIG_SET, accept_as(&s, &wrong_last, "y", now));
  CHECK(s.message.len == 0 && s.arrival.hash_count == 4);
  CHECK(arrival_has(&s, 0, "x") && arrival_has(&s, 1, "b") && arrival_has(&s, 2, "y") &&
        arrival_has(&s, 3, "a"));
  KNOWS(&dic, 0, "a", now);
  CHECK(count_hashes(&s, now) == 0);
  OK(save(&s, now));
  OK(load(&s, t->env));
  COMPLETES(&dic, 2, "c", now);
  CHECK(s.arrival.hash_count == 3 && arrival_has(&s, 0, "a") && arrival_has(&s, 1, "b") &&
        arrival_has(&s, 2, "c"));
  KNOWS(&dic, 0, "a", now);
done:
  leave_scene(&s);
}

static void a_set_holds_a_limited_number_of_competing_parts(sc_test *t) {
  scene s;
  letters dic;
  OK(set_scene(&s, t->env));
  OK(spell(&dic, "dic"));
  KEEPS(&dic, 0, "a", now);
  for (uint8_t i = 0; i < SC_CONFIG_MAX_RIVALS; i++) {
    const sc_config_part wrong = {dic.set, 0, 3, sc_bytes_make((const uint8_t *)"1234" + i, 1)};
    OK(accept_as(&s, &wrong, "x", now));
    CHECK(s.arrival.news == SC_CONFIG_PART_KEPT);
  }
  const sc_config_part too_many = {dic.set, 0, 3, sc_bytes_text("5")},
                       wrong_last = {dic.set, 2, 3, sc_bytes_text("y")};
  FAILS(SC_ERR_CONFIG_PART, accept_as(&s, &too_many, "x", now));
  CHECK(s.arrival.hash_count == 0);
  KEEPS(&dic, 1, "b", now);
  FAILS(SC_ERR_CONFIG_SET, accept_as(&s, &wrong_last, "y", now));
  CHECK(s.arrival.hash_count == 3 + SC_CONFIG_MAX_RIVALS);
  /* The set is dropped, since it can no longer hold the right part. */
  KEEPS(&dic, 0, "a", now);
  KEEPS(&dic, 1, "b", now);
  COMPLETES(&dic, 2, "c", now);
done:
  leave_scene(&s);
}

static void a_set_that_is_not_a_message_is_not_tried_again(sc_test *t) {
  scene s;
  letters new_form, part, zeros;
  OK(set_scene(&s, t->env));
  OK(spell(&new_form, "new"));
  KEEPS(&new_form, 0, "a", now);
  KEEPS(&new_form, 1, "b", now);
  FAILS(SC_ERR_VERSION, accept_letter(&s, &new_form, 2, "c", now));
  CHECK(s.message.len == 0 && s.arrival.hash_count == 3 && arrival_has(&s, 2, "c"));
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

static void a_set_holds_at_most_one_messages_parts(sc_test *t) {
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

/* Each of eight sets could hold as much as the largest message, and every dump would write them all. */
static void all_sets_together_hold_little_more_than_one_message(sc_test *t) {
  enum { each = SC_CONFIG_MAX_PADDED_BYTES / SC_CONFIG_CHUNK_BYTES / 2, sets = 4 };
  static const uint8_t chunk[SC_CONFIG_CHUNK_BYTES] = {1};
  scene s;
  OK(set_scene(&s, t->env));
  for (uint8_t i = 0; i < sets; i++) {
    const uint8_t name[SC_CONFIG_SET_BYTES] = {i};
    sc_config_part part = {name, 0, 255, SC_BYTES(chunk)};
    for (; part.index < each; part.index++)
      OK(accept_as(&s, &part, "a", now + i));
  }
  CHECK(count_hashes(&s, now) <= SC_CONFIG_MAX_HELD_BYTES / SC_CONFIG_CHUNK_BYTES);
  CHECK(count_hashes(&s, now) >= (size_t)2 * each); /* the newest stay */
  OK(save(&s, now));
  CHECK(s.saved.len < SC_CONFIG_MAX_HELD_BYTES + 16384);
done:
  leave_scene(&s);
}

static void a_ninth_set_replaces_the_oldest(sc_test *t) {
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
  KEEPS(&sets[0], 1, "b", now + most); /* so that the next one is the oldest */
  CHECK(count_hashes(&s, now) == most + 1);
  KEEPS(&sets[most], 0, "a", now + most);
  CHECK(count_hashes(&s, now) == most + 1);
  COMPLETES(&sets[0], 2, "c", now);
  KEEPS(&sets[1], 1, "b", now + most); /* as the first part of its set */
  KEEPS(&sets[1], 2, "c", now + most);
  COMPLETES(&sets[1], 0, "a", now + most);
done:
  leave_scene(&s);
}

static void a_limited_number_of_completed_sets_is_remembered(sc_test *t) {
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

static void incomplete_sets_expire(sc_test *t) {
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

static void completed_sets_expire_later(sc_test *t) {
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

static void time_does_not_wrap_around(sc_test *t) {
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

static void the_hashes_of_pending_parts_are_listed(sc_test *t) {
  scene s;
  letters dic, den;
  sc_config_part_cursor cursor = {0};
  sc_bytes hash;
  OK(set_scene(&s, t->env));
  OK(spell(&dic, "dic"));
  OK(spell(&den, "den"));
  CHECK(!sc_config_parts_next_hash(&hash, &cursor, s.parts, now));
  OK(sc_config_parts_mark_done(s.parts, den.set, now));
  KEEPS(&dic, 2, "third", now);
  KEEPS(&dic, 0, "first", now);
  cursor = (sc_config_part_cursor){0};
  CHECK(sc_config_parts_next_hash(&hash, &cursor, s.parts, now));
  SAME(sc_bytes_text("first"), hash);
  CHECK(sc_config_parts_next_hash(&hash, &cursor, s.parts, now));
  SAME(sc_bytes_text("third"), hash);
  CHECK(!sc_config_parts_next_hash(&hash, &cursor, s.parts, now));
  CHECK(!sc_config_parts_next_hash(&hash, &cursor, s.parts, now));
done:
  leave_scene(&s);
}

/* A part dropped for lack of memory can be received again. */
static void a_part_is_accepted_completely_or_not_at_all(sc_test *t) {
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

SUITE(config_multipart, "config/multipart",
      {"parts in any order complete the message", parts_in_any_order_complete_the_message},
      {"a part counts once", a_part_counts_once},
      {"a completed set is not read again", a_completed_set_is_not_read_again},
      {"a set stored by this device is complete despite pending parts",
       a_set_stored_by_this_device_is_complete_despite_pending_parts},
      {"padding and compression are removed", padding_and_compression_are_removed},
      {"an invalid part is refused", an_invalid_part_is_refused},
      {"hashes have a length limit", hashes_have_a_length_limit},
      {"parts with another part count form another set", parts_with_another_part_count_form_another_set},
      {"a wrong part does not block the right one", a_wrong_part_does_not_block_the_right_one},
      {"a set holds a limited number of competing parts", a_set_holds_a_limited_number_of_competing_parts},
      {"a set that is not a message is not tried again", a_set_that_is_not_a_message_is_not_tried_again},
      {"a set holds at most one message's parts", a_set_holds_at_most_one_messages_parts},
      {"all sets together hold little more than one message",
       all_sets_together_hold_little_more_than_one_message},
      {"a ninth set replaces the oldest", a_ninth_set_replaces_the_oldest},
      {"a limited number of completed sets is remembered", a_limited_number_of_completed_sets_is_remembered},
      {"incomplete sets expire", incomplete_sets_expire},
      {"completed sets expire later", completed_sets_expire_later},
      {"time does not wrap around", time_does_not_wrap_around},
      {"the hashes of pending parts are listed", the_hashes_of_pending_parts_are_listed},
      {"a part is accepted completely or not at all", a_part_is_accepted_completely_or_not_at_all});
