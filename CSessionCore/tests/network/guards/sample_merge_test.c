#include "network/guards/sample_merge.h"

#include "support/test.h"

/* A sample of guards whose keys begin with these letters. */
static sc_sample sample_of(const char *letters) {
  sc_sample out = {.count = strlen(letters)};
  for (size_t i = 0; i < out.count; i++)
    out.guards[i] = (sc_guard){.key = {(uint8_t)letters[i]}, .sampled = 20000, .ends = 20120};
  return out;
}

static bool is_of(const sc_sample *sample, const char *letters) {
  bool same = sample->count == strlen(letters);
  for (size_t i = 0; same && i < sample->count; i++)
    same = sample->guards[i].key[0] == letters[i];
  return same;
}

static void the_first_sample_in_the_file_is_taken(sc_test *t) {
  sc_sample own = sample_of("abc");
  const sc_sample base = {0}, file = sample_of("xyz");
  sc_sample_merge(&own, &base, &file);
  CHECK(is_of(&own, "xyz"));
done:;
}

static void without_a_file_the_own_sample_stays(sc_test *t) {
  sc_sample own = sample_of("abc");
  const sc_sample base = sample_of("abc"), file = {0};
  sc_sample_merge(&own, &base, &file);
  CHECK(is_of(&own, "abc"));
done:;
}

static void guards_that_either_side_ended_are_ended(sc_test *t) {
  sc_sample own = sample_of("bcd");
  const sc_sample base = sample_of("abcd"), file = sample_of("abc");
  sc_sample_merge(&own, &base, &file);
  CHECK(is_of(&own, "bc"));
done:;
}

static void guards_that_either_side_added_are_added(sc_test *t) {
  sc_sample own = sample_of("abx");
  const sc_sample base = sample_of("ab"), file = sample_of("aby");
  sc_sample_merge(&own, &base, &file);
  CHECK(is_of(&own, "abyx"));
done:;
}

static void no_more_than_nine_are_kept(sc_test *t) {
  sc_sample own = sample_of("abcdefvw");
  const sc_sample base = sample_of("abcdef"), file = sample_of("abcdefxy");
  sc_sample_merge(&own, &base, &file);
  CHECK(is_of(&own, "abcdefxyv"));
done:;
}

static void the_earlier_confirmation_counts(sc_test *t) {
  const sc_sample base = sample_of("abc");
  sc_sample own = base, file = base;
  own.guards[0].confirmed = 20010;
  own.guards[0].number = 1;
  own.guards[0].ends = 20090;
  own.guards[1].confirmed = 20011;
  own.guards[1].number = 2;
  file.guards[0].confirmed = 20009;
  file.guards[0].number = 2;
  file.guards[0].ends = 20080;
  file.guards[2].confirmed = 20008;
  file.guards[2].number = 1;
  sc_sample_merge(&own, &base, &file);
  CHECK(own.guards[0].confirmed == 20009 && own.guards[0].ends == 20080);
  CHECK(own.guards[1].confirmed == 20011 && own.guards[2].confirmed == 20008);
  /* The numbers differ, and the earlier of two with the same number comes first. */
  CHECK(own.guards[2].number == 1 && own.guards[0].number == 2 && own.guards[1].number == 3);
done:;
}

static void the_later_setback_counts(sc_test *t) {
  const sc_sample base = sample_of("ab");
  sc_sample own = base, file = base;
  own.guards[0].back_until = 20010;
  file.guards[0].back_until = 20005;
  file.guards[1].back_until = 20006;
  own.setback = 20003;
  file.setback = 19999;
  sc_sample_merge(&own, &base, &file);
  CHECK(own.guards[0].back_until == 20010 && own.guards[1].back_until == 20006 && own.setback == 20003);
done:;
}

static void the_newest_growths_of_both_count(sc_test *t) {
  const sc_sample base = sample_of("ab");
  sc_sample own = base, file = base;
  own.growths[0] = 20010;
  own.growths[1] = 20005;
  file.growths[0] = 20010;
  file.growths[1] = 20008;
  file.growths[2] = 20001;
  sc_sample_merge(&own, &base, &file);
  CHECK(own.growths[0] == 20010 && own.growths[1] == 20008 && own.growths[2] == 20005);
done:;
}

/* The longer walk counts, but a walk that ended here does not come back from the file. */
static void walks_are_merged(sc_test *t) {
  static const uint64_t cases[][4] = {/* own, base, file, merged */
                                      {100, 50, 200, 200},
                                      {300, 50, 200, 300},
                                      {0, 200, 200, 0},
                                      {70, 50, 0, 70},
                                      {0, 50, 200, 200}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sc_sample own = sample_of("ab"), base = own, file = own;
    own.walked = cases[i][0];
    base.walked = cases[i][1];
    file.walked = cases[i][2];
    sc_sample_merge(&own, &base, &file);
    CHECK(own.walked == cases[i][3]);
  }
done:;
}

static void news_about_lists_is_taken_from_either_side(sc_test *t) {
  sc_sample base = sample_of("abc");
  base.guards[2].unlisted = 20001;
  sc_sample own = base, file = base;
  own.guards[0].unlisted = 20005;
  file.guards[1].unlisted = 20006;
  file.guards[2].unlisted = 0;
  sc_sample_merge(&own, &base, &file);
  CHECK(own.guards[0].unlisted == 20005 && own.guards[1].unlisted == 20006 && own.guards[2].unlisted == 0);
done:;
}

/* Middles whose keys begin with these letters. */
static void put_middles(sc_sample *sample, const char *letters) {
  sample->middle_count = strlen(letters);
  for (size_t i = 0; i < sample->middle_count; i++)
    sample->middles[i] = (sc_middle){.key = {(uint8_t)letters[i]}, .ends = 20005};
}

static bool are_middles(const sc_sample *sample, const char *letters) {
  bool same = sample->middle_count == strlen(letters);
  for (size_t i = 0; same && i < sample->middle_count; i++)
    same = sample->middles[i].key[0] == letters[i];
  return same;
}

/* A middle that either side replaced is gone, and so is one that is a guard by now. */
static void middles_are_merged(sc_test *t) {
  sc_sample base = sample_of("abc"), own = base, file = sample_of("abcq");
  put_middles(&base, "mnop");
  put_middles(&own, "mnoq");
  put_middles(&file, "mnpx");
  sc_sample_merge(&own, &base, &file);
  CHECK(is_of(&own, "abcq") && are_middles(&own, "mnx"));
done:;
}

SUITE(network_guards_sample_merge, "network/guards/sample_merge",
      {"the first sample in the file is taken", the_first_sample_in_the_file_is_taken},
      {"without a file the own sample stays", without_a_file_the_own_sample_stays},
      {"guards that either side ended are ended", guards_that_either_side_ended_are_ended},
      {"guards that either side added are added", guards_that_either_side_added_are_added},
      {"no more than nine are kept", no_more_than_nine_are_kept},
      {"the earlier confirmation counts", the_earlier_confirmation_counts},
      {"the later setback counts", the_later_setback_counts},
      {"the newest growths of both count", the_newest_growths_of_both_count},
      {"walks are merged", walks_are_merged}, {"middles are merged", middles_are_merged},
      {"news about lists is taken from either side", news_about_lists_is_taken_from_either_side});
