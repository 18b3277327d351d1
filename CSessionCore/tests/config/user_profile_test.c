#include "session-core/config/user_profile.h"

#include "session-core/config/text.h"
#include "stored_config.h"

/* A profile, and its data as it was last looked at. */
typedef struct work {
  sc_user_profile *profile;
  sc_profile read;
  sc_buffer bytes;
} work;

static sc_status start(work *w, const sc_test *t, sc_bytes data) {
  *w = (work){0};
  sc_buffer_init(&w->bytes, t->env);
  sc_keypair keys = own_keys();
  sc_status status = saved_dump_of(&w->bytes, data, "de");
  if (status == SC_OK)
    status = sc_user_profile_new(&w->profile, t->env, &keys, sc_buffer_bytes(&w->bytes));
  if (status == SC_OK)
    sc_user_profile_get(&w->read, w->profile);
  return status;
}

static void finish(work *w) {
  sc_user_profile_free(w->profile);
  w->profile = NULL;
  sc_buffer_free(&w->bytes);
}

/* The test starts with a profile of this data. */
#define START(text) OK(start(&w, t, TEXT_BYTES(text)))

/* The profile now holds this. */
#define HOLDS(text)                                                                                          \
  do {                                                                                                       \
    HOLDS_DATA(w.bytes, sc_user_profile_config(w.profile), text);                                            \
    sc_user_profile_get(&w.read, w.profile);                                                                 \
  } while (0)

#define UNTOUCHED() CHECK(is_untouched(sc_user_profile_config(w.profile)))

#define PICTURE(text) (&(sc_config_picture){sc_bytes_text(text), TEXT_BYTES(KEY)})
#define NO_PICTURE (&(sc_config_picture){0})

/* 2025-06-15, in milliseconds and in seconds. */
#define NOW_MS UINT64_C(1750000000999)
#define NOW "i1750000000e"

static void a_new_profile_is_empty(sc_test *t) {
  sc_user_profile *profile = NULL;
  sc_profile read;
  sc_keypair keys = own_keys();
  OK(sc_user_profile_new(&profile, t->env, &keys, sc_bytes_make(NULL, 0)));
  sc_user_profile_get(&read, profile);
  CHECK(read.name.len == 0 && read.picture.url.len == 0 && read.picture.key.len == 0);
  CHECK(read.updated_s == 0 && read.note_priority == 0 && read.note_expiry_s == 0 && read.features == 0);
  CHECK(read.blinded_requests == SC_CONFIG_UNDECIDED);
  const sc_config *config = sc_user_profile_config(profile);
  SAME(sc_bytes_text("UserProfile"), sc_config_domain(config));
  CHECK(sc_config_namespace(config) == 2);
  CHECK(is_untouched(config));
done:
  sc_user_profile_free(profile);
}

static void an_invalid_dump_is_refused(sc_test *t) {
  sc_user_profile *profile;
  sc_keypair keys = own_keys();
  FAILS(SC_ERR_CONFIG_DUMP, sc_user_profile_new(&profile, t->env, &keys, sc_bytes_text("de")));
  CHECK(profile == NULL);
done:
  sc_user_profile_free(profile);
}

static void every_field_is_read(sc_test *t) {
  work w;
  START("d1:+i-1e1:Mi0e1:ei86400e1:fli0ei1ei63ee1:n3:Zoe1:p8:http://x1:q32:" KEY "1:ti1700000000ee");
  SAME(NAME("Zoe"), w.read.name);
  SAME(NAME("http://x"), w.read.picture.url);
  SAME(NAME(KEY), w.read.picture.key);
  CHECK(w.read.note_priority == SC_CONFIG_PRIORITY_HIDDEN);
  CHECK(w.read.note_expiry_s == 86400);
  CHECK(w.read.blinded_requests == SC_CONFIG_NO);
  CHECK(w.read.features == ((uint64_t)1 << 63 | 3));
  CHECK(w.read.updated_s == 1700000000);
done:
  finish(&w);
}

static void every_field_is_written(sc_test *t) {
  work w;
  START("de");
  OK(sc_user_profile_set_name(w.profile, NAME("Zoë"), 0));
  HOLDS("d1:n4:Zoëe");
  OK(sc_user_profile_set_picture(w.profile, PICTURE("http://x"), 0));
  OK(sc_user_profile_set_reuploaded(w.profile, PICTURE("http://y"), 0));
  HOLDS("d1:P8:http://y1:Q32:" KEY "1:n4:Zoë1:p8:http://x1:q32:" KEY "e");
  OK(sc_user_profile_set_note_priority(w.profile, 9));
  OK(sc_user_profile_set_note_expiry(w.profile, 60));
  OK(sc_user_profile_set_blinded_requests(w.profile, SC_CONFIG_YES, 0));
  HOLDS("d1:+i9e1:Mi1e1:P8:http://y1:Q32:" KEY "1:ei60e1:n4:Zoë1:p8:http://x1:q32:" KEY "e");
done:
  finish(&w);
}

static void every_field_is_cleared(sc_test *t) {
  work w;
  START("d1:+i9e1:Mi1e1:P8:http://y1:Q32:" KEY "1:ei60e1:n3:Zoe1:p8:http://x1:q32:" KEY "e");
  OK(sc_user_profile_set_name(w.profile, NAME(""), 0));
  OK(sc_user_profile_set_picture(w.profile, NO_PICTURE, 0));
  OK(sc_user_profile_set_note_priority(w.profile, 0));
  OK(sc_user_profile_set_note_expiry(w.profile, 0));
  OK(sc_user_profile_set_blinded_requests(w.profile, SC_CONFIG_UNDECIDED, 0));
  HOLDS("de");
done:
  finish(&w);
}

static void setting_the_current_value_leaves_the_config_clean(sc_test *t) {
  work w;
  START("d1:+i9e1:Mi0e1:P8:http://y1:Q32:" KEY "1:ei60e1:n3:Zoe1:p8:http://x1:q32:" KEY "e");
  OK(sc_user_profile_set_name(w.profile, NAME("Zoe"), NOW_MS));
  OK(sc_user_profile_set_picture(w.profile, PICTURE("http://x"), NOW_MS));
  OK(sc_user_profile_set_reuploaded(w.profile, PICTURE("http://y"), NOW_MS));
  OK(sc_user_profile_set_note_priority(w.profile, 9));
  OK(sc_user_profile_set_note_expiry(w.profile, 60));
  OK(sc_user_profile_set_blinded_requests(w.profile, SC_CONFIG_NO, NOW_MS));
  UNTOUCHED();
done:
  finish(&w);
}

static void clearing_an_unset_field_leaves_the_config_clean(sc_test *t) {
  work w;
  START("de");
  OK(sc_user_profile_set_name(w.profile, NAME(""), NOW_MS));
  OK(sc_user_profile_set_picture(w.profile, NO_PICTURE, NOW_MS));
  OK(sc_user_profile_set_reuploaded(w.profile, NO_PICTURE, NOW_MS));
  OK(sc_user_profile_set_blinded_requests(w.profile, SC_CONFIG_UNDECIDED, NOW_MS));
  OK(sc_user_profile_set_note_expiry(w.profile, -1));
  UNTOUCHED();
done:
  finish(&w);
}

/* Times */

static void a_users_edits_update_the_profile_time(sc_test *t) {
  work w;
  START("de");
  OK(sc_user_profile_set_name(w.profile, NAME("Zoe"), NOW_MS));
  HOLDS("d1:n3:Zoe1:t" NOW "e");
  CHECK(w.read.updated_s == 1750000000);
  finish(&w);
  START("de");
  OK(sc_user_profile_set_picture(w.profile, PICTURE("http://x"), NOW_MS));
  HOLDS("d1:p8:http://x1:q32:" KEY "1:t" NOW "e");
  finish(&w);
  START("de");
  OK(sc_user_profile_set_blinded_requests(w.profile, SC_CONFIG_YES, NOW_MS));
  HOLDS("d1:Mi1e1:t" NOW "e");
done:
  finish(&w);
}

static void note_to_self_settings_do_not_change_the_profile_time(sc_test *t) {
  work w;
  START("d1:ti5ee");
  OK(sc_user_profile_set_note_priority(w.profile, 1));
  OK(sc_user_profile_set_note_expiry(w.profile, 2));
  HOLDS("d1:+i1e1:ei2e1:ti5ee");
done:
  finish(&w);
}

static void an_automatic_upload_has_its_own_time(sc_test *t) {
  work w;
  START("d1:p8:http://x1:q32:" KEY "1:ti5ee");
  OK(sc_user_profile_set_reuploaded(w.profile, PICTURE("http://y"), NOW_MS));
  HOLDS("d1:P8:http://y1:Q32:" KEY "1:T" NOW "1:p8:http://x1:q32:" KEY "1:ti5ee");
  SAME(NAME("http://y"), w.read.picture.url);
  CHECK(w.read.updated_s == 1750000000);
done:
  finish(&w);
}

static void the_later_picture_is_shown(sc_test *t) {
  work w;
  START("d1:P8:http://y1:Q32:" KEY "1:Ti5e1:p8:http://x1:q32:" KEY "1:ti5ee");
  SAME(NAME("http://x"), w.read.picture.url);
  finish(&w);
  START("d1:P8:http://y1:Q32:" KEY "1:Ti6e1:p8:http://x1:q32:" KEY "1:ti5ee");
  SAME(NAME("http://y"), w.read.picture.url);
  CHECK(w.read.updated_s == 6);
  finish(&w);
  START("d1:P8:http://y1:Q32:" KEY "1:p8:http://x1:q32:" KEY "e");
  SAME(NAME("http://x"), w.read.picture.url);
done:
  finish(&w);
}

static void edits_after_an_upload_update_the_uploads_time(sc_test *t) {
  work w;
  START("d1:Ti6e1:ti5ee");
  OK(sc_user_profile_set_name(w.profile, NAME("Zoe"), NOW_MS));
  HOLDS("d1:T" NOW "1:n3:Zoe1:ti5ee");
  CHECK(w.read.updated_s == 1750000000);
done:
  finish(&w);
}

static void a_profile_without_its_own_time_has_no_age(sc_test *t) {
  work w;
  START("d1:Ti6ee");
  CHECK(w.read.updated_s == 0);
done:
  finish(&w);
}

static void a_new_picture_wins_over_an_earlier_upload(sc_test *t) {
  work w;
  START("d1:P8:http://y1:Q32:" KEY "1:Ti6e1:p8:http://x1:q32:" KEY "1:ti5ee");
  OK(sc_user_profile_set_picture(w.profile, PICTURE("http://z"), NOW_MS));
  HOLDS("d1:P8:http://y1:Q32:" KEY "1:Ti6e1:p8:http://z1:q32:" KEY "1:t" NOW "e");
  SAME(NAME("http://z"), w.read.picture.url);
done:
  finish(&w);
}

static void clearing_the_picture_clears_its_upload(sc_test *t) {
  work w;
  START("d1:P8:http://y1:Q32:" KEY "1:Ti6e1:p8:http://x1:q32:" KEY "1:ti5ee");
  OK(sc_user_profile_set_picture(w.profile, NO_PICTURE, NOW_MS));
  HOLDS("d1:T" NOW "1:t" NOW "e");
  finish(&w);
  START("d1:Ti6e1:p8:http://x1:q32:" KEY "1:ti5ee");
  OK(sc_user_profile_set_picture(w.profile, NO_PICTURE, NOW_MS));
  HOLDS("d1:Ti6e1:t" NOW "e");
  finish(&w);
  START("d1:P8:http://y1:Q32:" KEY "e");
  OK(sc_user_profile_set_picture(w.profile, NO_PICTURE, NOW_MS));
  HOLDS("d1:T" NOW "1:t" NOW "e");
done:
  finish(&w);
}

/* Refusals */

static void a_name_has_a_limit(sc_test *t) {
  work w;
  START("de");
  OK(sc_user_profile_set_name(w.profile, NAME(HUNDRED), 0));
  HOLDS("d1:n100:" HUNDRED "e");
  FAILS(SC_ERR_CONFIG_NAME, sc_user_profile_set_name(w.profile, NAME(HUNDRED "x"), 0));
  HOLDS("d1:n100:" HUNDRED "e");
done:
  finish(&w);
}

static void a_name_is_utf_8(sc_test *t) {
  work w;
  START("de");
  FAILS(SC_ERR_UTF8, sc_user_profile_set_name(w.profile, NAME("\xff"), 0));
  UNTOUCHED();
done:
  finish(&w);
}

static void a_picture_url_has_at_most_223_bytes(sc_test *t) {
  work w;
  START("de");
  OK(sc_user_profile_set_picture(w.profile, PICTURE(HUNDRED HUNDRED TEN TEN "abc"), 0));
  CHECK(!is_untouched(sc_user_profile_config(w.profile)));
  FAILS(SC_ERR_CONFIG_PICTURE,
        sc_user_profile_set_picture(w.profile, PICTURE(HUNDRED HUNDRED TEN TEN "abcd"), 0));
  FAILS(SC_ERR_CONFIG_PICTURE,
        sc_user_profile_set_reuploaded(w.profile, PICTURE(HUNDRED HUNDRED TEN TEN "abcd"), 0));
  FAILS(SC_ERR_UTF8, sc_user_profile_set_picture(w.profile, PICTURE("\xff"), 0));
  HOLDS("d1:p223:" HUNDRED HUNDRED TEN TEN "abc1:q32:" KEY "e");
done:
  finish(&w);
}

static void a_picture_with_a_malformed_key_is_ignored(sc_test *t) {
  work w;
  START("d1:p8:http://x1:q32:" KEY "e");
  OK(sc_user_profile_set_picture(w.profile, &(sc_config_picture){NAME("http://y"), NAME("short")}, 0));
  HOLDS("de");
done:
  finish(&w);
}

static void an_invalid_choice_is_refused(sc_test *t) {
  work w;
  START("de");
  FAILS(SC_ERR_ARGUMENT, sc_user_profile_set_blinded_requests(w.profile, (sc_config_choice)3, 0));
  UNTOUCHED();
done:
  finish(&w);
}

/* Bad data */

static void values_of_the_wrong_kind_are_ignored(sc_test *t) {
  work w;
  START("d1:+1:91:M1:11:P1:p1:Qi1e1:T1:t1:ed1:xi1ee1:fi3e1:ni5e1:pli1ee1:qi7e1:t1:5e");
  CHECK(w.read.name.len == 0 && w.read.picture.url.len == 0 && w.read.picture.key.len == 0);
  CHECK(w.read.updated_s == 0 && w.read.note_priority == 0 && w.read.note_expiry_s == 0);
  CHECK(w.read.blinded_requests == SC_CONFIG_UNDECIDED && w.read.features == 0);
done:
  finish(&w);
}

static void a_url_without_a_valid_key_is_read_but_is_not_a_picture(sc_test *t) {
  work w;
  START("d1:p8:http://x1:q5:shorte");
  SAME(NAME("http://x"), w.read.picture.url);
  CHECK(w.read.picture.key.len == 0 && !sc_config_picture_is_set(&w.read.picture));
done:
  finish(&w);
}

static void out_of_range_numbers_are_clamped(sc_test *t) {
  work w;
  START("d1:+i9223372036854775807e1:ei-4e1:ti9223372036854775807ee");
  CHECK(w.read.note_priority == INT32_MAX);
  CHECK(w.read.note_expiry_s == 0);
  CHECK(w.read.updated_s == SC_CONFIG_MAX_SECONDS);
  finish(&w);
  START("d1:+i-9223372036854775808e1:ei9223372036854775807e1:ti-1ee");
  CHECK(w.read.note_priority == INT32_MIN);
  CHECK(w.read.note_expiry_s == INT32_MAX);
  CHECK(w.read.updated_s == 0);
done:
  finish(&w);
}

static void any_nonzero_number_accepts_blinded_requests(sc_test *t) {
  work w;
  START("d1:Mi7ee");
  CHECK(w.read.blinded_requests == SC_CONFIG_YES);
  finish(&w);
  START("d1:Mi-1ee");
  CHECK(w.read.blinded_requests == SC_CONFIG_YES);
done:
  finish(&w);
}

static void only_bit_numbers_count_as_features(sc_test *t) {
  work w;
  START("d1:fli-1ei1ei64e1:0ee");
  CHECK(w.read.features == 2);
done:
  finish(&w);
}

static void overlong_and_malformed_names_are_read_unchanged(sc_test *t) {
  work w;
  START("d1:n101:" HUNDRED "\xff"
        "e");
  CHECK(w.read.name.len == 101);
  finish(&w);
  START("d1:n3:a\0be");
  SAME(TEXT_BYTES("a\0b"), w.read.name);
done:
  finish(&w);
}

static void unknown_fields_survive_edits(sc_test *t) {
  work w;
  START("d1:Ai1e1:Ei9e1:Vi3e6:future1:x1:sd1:r1:?e2:zzd1:ai1eee");
  OK(sc_user_profile_set_name(w.profile, NAME("Zoe"), 0));
  OK(sc_user_profile_set_picture(w.profile, PICTURE("http://x"), 0));
  OK(sc_user_profile_set_picture(w.profile, NO_PICTURE, 0));
  HOLDS("d1:Ai1e1:Ei9e1:Vi3e6:future1:x1:n3:Zoe1:sd1:r1:?e2:zzd1:ai1eee");
done:
  finish(&w);
}

static void a_profile_survives_a_dump(sc_test *t) {
  work w;
  sc_user_profile *again = NULL;
  sc_profile read;
  sc_keypair keys = own_keys();
  START("de");
  OK(sc_user_profile_set_name(w.profile, NAME("Zoe"), NOW_MS));
  OK(sc_config_dump(&w.bytes, sc_user_profile_config(w.profile), NOW_MS));
  OK(sc_user_profile_new(&again, t->env, &keys, sc_buffer_bytes(&w.bytes)));
  sc_user_profile_get(&read, again);
  SAME(NAME("Zoe"), read.name);
  CHECK(sc_config_needs_push(sc_user_profile_config(again)));
done:
  sc_user_profile_free(again);
  finish(&w);
}

SUITE(config_user_profile, "config/user_profile", {"a new profile is empty", a_new_profile_is_empty},
      {"an invalid dump is refused", an_invalid_dump_is_refused},
      {"every field is read", every_field_is_read}, {"every field is written", every_field_is_written},
      {"every field is cleared", every_field_is_cleared},
      {"setting the current value leaves the config clean",
       setting_the_current_value_leaves_the_config_clean},
      {"clearing an unset field leaves the config clean", clearing_an_unset_field_leaves_the_config_clean},
      {"a user's edits update the profile time", a_users_edits_update_the_profile_time},
      {"note-to-self settings do not change the profile time",
       note_to_self_settings_do_not_change_the_profile_time},
      {"an automatic upload has its own time", an_automatic_upload_has_its_own_time},
      {"the later picture is shown", the_later_picture_is_shown},
      {"edits after an upload update the upload's time", edits_after_an_upload_update_the_uploads_time},
      {"a profile without its own time has no age", a_profile_without_its_own_time_has_no_age},
      {"a new picture wins over an earlier upload", a_new_picture_wins_over_an_earlier_upload},
      {"clearing the picture clears its upload", clearing_the_picture_clears_its_upload},
      {"a name has a limit", a_name_has_a_limit}, {"a name is UTF-8", a_name_is_utf_8},
      {"a picture url has at most 223 bytes", a_picture_url_has_at_most_223_bytes},
      {"a picture with a malformed key is ignored", a_picture_with_a_malformed_key_is_ignored},
      {"an invalid choice is refused", an_invalid_choice_is_refused},
      {"values of the wrong kind are ignored", values_of_the_wrong_kind_are_ignored},
      {"a url without a valid key is read but is not a picture",
       a_url_without_a_valid_key_is_read_but_is_not_a_picture},
      {"out-of-range numbers are clamped", out_of_range_numbers_are_clamped},
      {"any nonzero number accepts blinded requests", any_nonzero_number_accepts_blinded_requests},
      {"only bit numbers count as features", only_bit_numbers_count_as_features},
      {"overlong and malformed names are read unchanged", overlong_and_malformed_names_are_read_unchanged},
      {"unknown fields survive edits", unknown_fields_survive_edits},
      {"a profile survives a dump", a_profile_survives_a_dump});
