#include "contact_scene.h"

static void every_field_is_read(sc_test *t) {
  work w;
  START_ALICE(ALL_FIELDS);
  READ();
  CHECK(memcmp(w.read.id.bytes, ALICE, SC_ID_BYTES) == 0);
  SAME(NAME("Alice"), w.read.name);
  SAME(NAME("Al"), w.read.nickname);
  SAME(NAME("http://x"), w.read.picture.url);
  SAME(NAME(KEY), w.read.picture.key);
  CHECK(w.read.profile_updated_s == 1700000000);
  CHECK(w.read.created_s == 1680064059);
  CHECK(w.read.mute_until_s == 1900000000);
  CHECK(w.read.priority == 3);
  CHECK(w.read.expiry == SC_CONFIG_EXPIRE_AFTER_READ && w.read.expiry_s == 300);
  CHECK(w.read.notify == SC_CONFIG_NOTIFY_NONE);
  CHECK(w.read.approved && w.read.approved_me && w.read.blocked);
  CHECK(w.read.features == 0x22);
done:
  finish(&w);
}

static void each_flag_is_its_own(sc_test *t) {
  work w;
  START_ALICE("1:Ai1e");
  READ();
  CHECK(w.read.approved_me && !w.read.approved && !w.read.blocked);
  finish(&w);
  START_ALICE("1:ai1e");
  READ();
  CHECK(!w.read.approved_me && w.read.approved && !w.read.blocked);
  finish(&w);
  START_ALICE("1:bi1e");
  READ();
  CHECK(!w.read.approved_me && !w.read.approved && w.read.blocked);
done:
  finish(&w);
}

/* One field at a time */

#define SETS(call, fields)                                                                                   \
  do {                                                                                                       \
    finish(&w);                                                                                              \
    START("de");                                                                                             \
    OK(call);                                                                                                \
    HOLDS_ALICE(fields);                                                                                     \
  } while (0)

static void each_field_is_set_alone(sc_test *t) {
  work w;
  START("de");
  SETS(sc_contacts_set_name(w.contacts, &w.alice, NAME("Alice")), "1:n5:Alice");
  SETS(sc_contacts_set_name_cut(w.contacts, &w.alice, NAME("Alice")), "1:n5:Alice");
  SETS(sc_contacts_set_nickname(w.contacts, &w.alice, NAME("Al")), "1:N2:Al1:n0:");
  SETS(sc_contacts_set_nickname_cut(w.contacts, &w.alice, NAME("Al")), "1:N2:Al1:n0:");
  SETS(sc_contacts_set_picture(w.contacts, &w.alice, &PICTURE("u")), "1:n0:1:p1:u1:q32:" KEY);
  SETS(sc_contacts_set_profile_updated(w.contacts, &w.alice, 5), "1:n0:1:ti5e");
  SETS(sc_contacts_set_approved(w.contacts, &w.alice, true), "1:ai1e1:n0:");
  SETS(sc_contacts_set_approved_me(w.contacts, &w.alice, true), "1:Ai1e1:n0:");
  SETS(sc_contacts_set_blocked(w.contacts, &w.alice, true), "1:bi1e1:n0:");
  SETS(sc_contacts_set_priority(w.contacts, &w.alice, -1), "1:+i-1e1:n0:");
  SETS(sc_contacts_set_notify(w.contacts, &w.alice, SC_CONFIG_NOTIFY_NONE), "1:@i2e1:n0:");
  SETS(sc_contacts_set_mute_until(w.contacts, &w.alice, 6), "1:!i6e1:n0:");
  SETS(sc_contacts_set_expiry(w.contacts, &w.alice, SC_CONFIG_EXPIRE_AFTER_SEND, 60), "1:Ei60e1:ei1e1:n0:");
  SETS(sc_contacts_set_created(w.contacts, &w.alice, 7), "1:ji7e1:n0:");
  SETS(sc_contacts_set_features(w.contacts, &w.alice, 5), "1:fli0ei2ee1:n0:");
  SETS(sc_contacts_set_approved(w.contacts, &w.alice, false), "1:n0:");
done:
  finish(&w);
}

static void setting_a_field_to_what_it_is_leaves_the_config_clean(sc_test *t) {
  work w;
  START_ALICE(ALL_FIELDS);
  OK(sc_contacts_set_name(w.contacts, &w.alice, NAME("Alice")));
  OK(sc_contacts_set_name_cut(w.contacts, &w.alice, NAME("Alice")));
  OK(sc_contacts_set_nickname(w.contacts, &w.alice, NAME("Al")));
  OK(sc_contacts_set_nickname_cut(w.contacts, &w.alice, NAME("Al")));
  OK(sc_contacts_set_picture(w.contacts, &w.alice, &PICTURE("http://x")));
  OK(sc_contacts_set_profile_updated(w.contacts, &w.alice, 1700000000));
  OK(sc_contacts_set_approved(w.contacts, &w.alice, true));
  OK(sc_contacts_set_approved_me(w.contacts, &w.alice, true));
  OK(sc_contacts_set_blocked(w.contacts, &w.alice, true));
  OK(sc_contacts_set_priority(w.contacts, &w.alice, 3));
  OK(sc_contacts_set_notify(w.contacts, &w.alice, SC_CONFIG_NOTIFY_NONE));
  OK(sc_contacts_set_mute_until(w.contacts, &w.alice, 1900000000123));
  OK(sc_contacts_set_expiry(w.contacts, &w.alice, SC_CONFIG_EXPIRE_AFTER_READ, 300));
  OK(sc_contacts_set_created(w.contacts, &w.alice, 1680064059));
  OK(sc_contacts_set_features(w.contacts, &w.alice, 0x22));
  UNTOUCHED();
done:
  finish(&w);
}

static void setting_a_field_that_is_right_leaves_odd_ones_alone(sc_test *t) {
  work w;
  START_ALICE("1:@i9e1:ai5e1:n0:");
  OK(sc_contacts_set_approved(w.contacts, &w.alice, true));
  UNTOUCHED();
  OK(sc_contacts_set_blocked(w.contacts, &w.alice, true));
  HOLDS_ALICE("1:ai1e1:bi1e1:n0:");
done:
  finish(&w);
}

static void features_that_we_cannot_count_stay(sc_test *t) {
  work w;
  START_ALICE("1:fli1ei70e1:?e1:n0:");
  OK(sc_contacts_set_features(w.contacts, &w.alice, 1));
  HOLDS_ALICE("1:fli0ei70e1:?e1:n0:");
done:
  finish(&w);
}

/* Rules of writing */

static void a_name_alone_has_a_limit(sc_test *t) {
  work w;
  START("de");
  FAILS(SC_ERR_CONFIG_NAME, sc_contacts_set_name(w.contacts, &w.alice, NAME(HUNDRED "x")));
  FAILS(SC_ERR_CONFIG_NAME, sc_contacts_set_nickname(w.contacts, &w.alice, NAME(HUNDRED "x")));
  FAILS(SC_ERR_UTF8, sc_contacts_set_name(w.contacts, &w.alice, NAME("\xff")));
  FAILS(SC_ERR_UTF8, sc_contacts_set_nickname_cut(w.contacts, &w.alice, NAME(HUNDRED "\xff")));
  UNTOUCHED();
  OK(sc_contacts_set_name(w.contacts, &w.alice, NAME(HUNDRED)));
  OK(sc_contacts_set_nickname_cut(w.contacts, &w.alice, NAME(HUNDRED "x")));
  HOLDS_ALICE("1:N100:" HUNDRED "1:n100:" HUNDRED);
done:
  finish(&w);
}

static void a_picture_has_a_url_that_others_can_hold(sc_test *t) {
  work w;
  START("de");
  sc_contact contact = {.id = w.alice, .picture = PICTURE(HUNDRED HUNDRED TEN TEN "abcd")};
  FAILS(SC_ERR_CONFIG_PICTURE, sc_contacts_set(w.contacts, &contact));
  FAILS(SC_ERR_CONFIG_PICTURE, sc_contacts_set_picture(w.contacts, &w.alice, &contact.picture));
  UNTOUCHED();
  contact.picture.url.len--;
  OK(sc_contacts_set(w.contacts, &contact));
  HOLDS_ALICE("1:n0:1:p223:" HUNDRED HUNDRED TEN TEN "abc1:q32:" KEY);
done:
  finish(&w);
}

static void a_long_url_that_is_there_hinders_nobody(sc_test *t) {
  work w;
  START_ALICE("1:n0:1:p224:" HUNDRED HUNDRED TEN TEN "abcd1:q32:" KEY);
  OK(sc_contacts_set_blocked(w.contacts, &w.alice, true));
  HOLDS_ALICE("1:bi1e1:n0:1:p224:" HUNDRED HUNDRED TEN TEN "abcd1:q32:" KEY);
done:
  finish(&w);
}

static void a_picture_is_whole_or_none(sc_test *t) {
  work w;
  START_ALICE("1:n0:1:p1:u1:q32:" KEY);
  sc_config_picture without_key = {.url = NAME("v")};
  sc_config_picture without_url = {.key = TEXT_BYTES(KEY)};
  sc_config_picture odd_key = {.url = NAME("v"), .key = NAME("short")};
  FAILS(SC_ERR_KEY_SIZE, sc_contacts_set_picture(w.contacts, &w.alice, &odd_key));
  UNTOUCHED();
  OK(sc_contacts_set_picture(w.contacts, &w.alice, &without_key));
  HOLDS_ALICE("1:n0:");
  OK(sc_contacts_set_picture(w.contacts, &w.alice, &PICTURE("u")));
  OK(sc_contacts_set_picture(w.contacts, &w.alice, &without_url));
  HOLDS_ALICE("1:n0:");
  sc_contact contact = {.id = w.alice, .picture = odd_key};
  OK(sc_contacts_set(w.contacts, &contact));
  HOLDS_ALICE("1:n0:");
done:
  finish(&w);
}

static void notifying_of_mentions_is_notifying_of_all(sc_test *t) {
  work w;
  START("de");
  OK(sc_contacts_set_notify(w.contacts, &w.alice, SC_CONFIG_NOTIFY_MENTIONS));
  HOLDS_ALICE("1:@i1e1:n0:");
  sc_contact contact = {.id = w.alice, .notify = SC_CONFIG_NOTIFY_MENTIONS};
  OK(sc_contacts_set(w.contacts, &contact));
  HOLDS_ALICE("1:@i1e1:n0:");
  finish(&w);
  START_ALICE("1:@i3e");
  READ();
  CHECK(w.read.notify == SC_CONFIG_NOTIFY_ALL);
done:
  finish(&w);
}

static void messages_disappear_after_some_time_or_not_at_all(sc_test *t) {
  work w;
  START("de");
  OK(sc_contacts_set_expiry(w.contacts, &w.alice, SC_CONFIG_EXPIRE_AFTER_READ, 30));
  OK(sc_contacts_set_expiry(w.contacts, &w.alice, SC_CONFIG_EXPIRE_AFTER_READ, 60));
  HOLDS_ALICE("1:Ei60e1:ei2e1:n0:");
  OK(sc_contacts_set_expiry(w.contacts, &w.alice, SC_CONFIG_EXPIRE_AFTER_SEND, 0));
  HOLDS_ALICE("1:n0:");
  OK(sc_contacts_set_expiry(w.contacts, &w.alice, SC_CONFIG_EXPIRE_NEVER, 60));
  HOLDS_ALICE("1:n0:");
  OK(sc_contacts_set_expiry(w.contacts, &w.alice, SC_CONFIG_EXPIRE_AFTER_SEND, -60));
  HOLDS_ALICE("1:n0:");
done:
  finish(&w);
}

static void what_is_no_choice_is_refused(sc_test *t) {
  work w;
  START("de");
  FAILS(SC_ERR_ARGUMENT, sc_contacts_set_notify(w.contacts, &w.alice, (sc_config_notify)4));
  FAILS(SC_ERR_ARGUMENT, sc_contacts_set_expiry(w.contacts, &w.alice, (sc_config_expiry)3, 60));
  UNTOUCHED();
done:
  finish(&w);
}

static void times_are_kept_in_seconds(sc_test *t) {
  work w;
  START("de");
  OK(sc_contacts_set_created(w.contacts, &w.alice, 1680064059123));
  OK(sc_contacts_set_mute_until(w.contacts, &w.alice, 1900000000123456));
  HOLDS_ALICE("1:!i1900000000e1:ji1680064059e1:n0:");
  OK(sc_contacts_set_created(w.contacts, &w.alice, -5));
  OK(sc_contacts_set_mute_until(w.contacts, &w.alice, INT64_MIN));
  OK(sc_contacts_set_profile_updated(w.contacts, &w.alice, -1));
  HOLDS_ALICE("1:n0:");
  sc_contact contact = {
      .id = w.alice, .created_s = 1680064059123, .mute_until_s = -1, .profile_updated_s = -1};
  OK(sc_contacts_set(w.contacts, &contact));
  HOLDS_ALICE("1:ji1680064059e1:n0:");
done:
  finish(&w);
}

/* Bad data */

static void values_of_the_wrong_kind_are_missing(sc_test *t) {
  work w;
  START_ALICE("1:!1:x1:+1:11:@1:21:A1:11:E1:91:Ni1e1:ad1:xi1ee1:bli1ee1:e1:11:f1:x1:j1:11:ni5e1:pi1e1:qi1e"
              "1:t1:1");
  READ();
  CHECK(w.read.name.len == 0 && w.read.nickname.len == 0 && w.read.picture.url.len == 0);
  CHECK(w.read.created_s == 0 && w.read.mute_until_s == 0 && w.read.profile_updated_s == 0);
  CHECK(w.read.priority == 0 && w.read.notify == SC_CONFIG_NOTIFY_DEFAULT && w.read.features == 0);
  CHECK(w.read.expiry == SC_CONFIG_EXPIRE_NEVER && w.read.expiry_s == 0);
  CHECK(!w.read.approved && !w.read.approved_me && !w.read.blocked);
done:
  finish(&w);
}

static void choices_out_of_range_are_defaults(sc_test *t) {
  work w;
  START_ALICE("1:@i4e1:Ei60e1:ei3e");
  READ();
  CHECK(w.read.notify == SC_CONFIG_NOTIFY_DEFAULT);
  CHECK(w.read.expiry == SC_CONFIG_EXPIRE_NEVER && w.read.expiry_s == 0);
  finish(&w);
  START_ALICE("1:@i-1e1:Ei60e1:ei-1e");
  READ();
  CHECK(w.read.notify == SC_CONFIG_NOTIFY_DEFAULT && w.read.expiry == SC_CONFIG_EXPIRE_NEVER);
  finish(&w);
  START_ALICE("1:Ei-3e1:ei1e");
  READ();
  CHECK(w.read.expiry == SC_CONFIG_EXPIRE_NEVER && w.read.expiry_s == 0);
done:
  finish(&w);
}

static void numbers_out_of_range_are_clamped(sc_test *t) {
  work w;
  START_ALICE("1:!i-1e1:+i9223372036854775807e1:Ei9223372036854775807e1:ei1e1:ji-1e1:ti9223372036854775807e");
  READ();
  CHECK(w.read.priority == INT32_MAX && w.read.expiry_s == INT32_MAX);
  CHECK(w.read.mute_until_s == 0 && w.read.created_s == 0);
  CHECK(w.read.profile_updated_s == SC_CONFIG_MAX_SECONDS);
done:
  finish(&w);
}

static void times_in_other_units_are_read_in_seconds(sc_test *t) {
  work w;
  START_ALICE("1:!i1900000000123e1:ji1680064059123456e");
  READ();
  CHECK(w.read.mute_until_s == 1900000000);
  CHECK(w.read.created_s == 1680064059);
done:
  finish(&w);
}

static void a_picture_without_one_half_is_none(sc_test *t) {
  work w;
  START_ALICE("1:p8:http://x");
  READ();
  CHECK(w.read.picture.url.len == 0 && w.read.picture.key.len == 0);
  finish(&w);
  START_ALICE("1:p8:http://x1:q5:short");
  READ();
  CHECK(w.read.picture.url.len == 0 && w.read.picture.key.len == 0);
done:
  finish(&w);
}

static void only_bits_are_features(sc_test *t) {
  work w;
  START_ALICE("1:fli-1ei1ei64e1:0e");
  READ();
  CHECK(w.read.features == 2);
done:
  finish(&w);
}

static void long_and_odd_names_are_read_as_they_are(sc_test *t) {
  work w;
  START_ALICE("1:N3:a\0b1:n101:" HUNDRED "\xff");
  READ();
  CHECK(w.read.name.len == 101);
  SAME(TEXT_BYTES("a\0b"), w.read.nickname);
done:
  finish(&w);
}

SUITE(config_contact_fields, "config/contact_fields", {"every field is read", every_field_is_read},
      {"each flag is its own", each_flag_is_its_own}, {"each field is set alone", each_field_is_set_alone},
      {"setting a field to what it is leaves the config clean",
       setting_a_field_to_what_it_is_leaves_the_config_clean},
      {"setting a field that is right leaves odd ones alone",
       setting_a_field_that_is_right_leaves_odd_ones_alone},
      {"features that we cannot count stay", features_that_we_cannot_count_stay},
      {"a name alone has a limit", a_name_alone_has_a_limit},
      {"a picture has a url that others can hold", a_picture_has_a_url_that_others_can_hold},
      {"a long url that is there hinders nobody", a_long_url_that_is_there_hinders_nobody},
      {"a picture is whole or none", a_picture_is_whole_or_none},
      {"notifying of mentions is notifying of all", notifying_of_mentions_is_notifying_of_all},
      {"messages disappear after some time or not at all", messages_disappear_after_some_time_or_not_at_all},
      {"what is no choice is refused", what_is_no_choice_is_refused},
      {"times are kept in seconds", times_are_kept_in_seconds},
      {"values of the wrong kind are missing", values_of_the_wrong_kind_are_missing},
      {"choices out of range are defaults", choices_out_of_range_are_defaults},
      {"numbers out of range are clamped", numbers_out_of_range_are_clamped},
      {"times in other units are read in seconds", times_in_other_units_are_read_in_seconds},
      {"a picture without one half is none", a_picture_without_one_half_is_none},
      {"only bits are features", only_bits_are_features},
      {"long and odd names are read as they are", long_and_odd_names_are_read_as_they_are});
