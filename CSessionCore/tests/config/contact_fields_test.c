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

static void flags_are_independent(sc_test *t) {
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

/* Writing */

#define REFUSES(status, change)                                                                              \
  do {                                                                                                       \
    sc_contact contact;                                                                                      \
    OK(sc_contacts_get_or_make(&contact, w.contacts, &w.alice));                                             \
    change;                                                                                                  \
    FAILS(status, sc_contacts_set(w.contacts, &contact));                                                    \
  } while (0)

#define SETS(change, fields)                                                                                 \
  do {                                                                                                       \
    finish(&w);                                                                                              \
    START("de");                                                                                             \
    EDIT(change);                                                                                            \
    HOLDS_ALICE(fields);                                                                                     \
  } while (0)

static void set_expiry(sc_contact *contact, sc_config_expiry expiry, int32_t seconds) {
  contact->expiry = expiry;
  contact->expiry_s = seconds;
}

static void fields_are_set_independently(sc_test *t) {
  work w;
  START("de");
  SETS(contact.name = NAME("Alice"), "1:n5:Alice");
  SETS(contact.nickname = NAME("Al"), "1:N2:Al1:n0:");
  SETS(contact.picture = PICTURE("u"), "1:n0:1:p1:u1:q32:" KEY);
  SETS(contact.profile_updated_s = 5, "1:n0:1:ti5e");
  SETS(contact.approved = true, "1:ai1e1:n0:");
  SETS(contact.approved_me = true, "1:Ai1e1:n0:");
  SETS(contact.blocked = true, "1:bi1e1:n0:");
  SETS(contact.priority = -1, "1:+i-1e1:n0:");
  SETS(contact.notify = SC_CONFIG_NOTIFY_NONE, "1:@i2e1:n0:");
  SETS(contact.mute_until_s = 6, "1:!i6e1:n0:");
  SETS(set_expiry(&contact, SC_CONFIG_EXPIRE_AFTER_SEND, 60), "1:Ei60e1:ei1e1:n0:");
  SETS(contact.created_s = 7, "1:ji7e1:n0:");
  SETS(contact.approved = false, "1:n0:");
  finish(&w);
  START("de");
  OK(sc_contacts_set_features(w.contacts, &w.alice, 5));
  HOLDS_ALICE("1:fli0ei2ee1:n0:");
done:
  finish(&w);
}

static void storing_the_current_values_leaves_the_config_clean(sc_test *t) {
  work w;
  START_ALICE(ALL_FIELDS);
  EDIT((void)contact);
  EDIT(contact.mute_until_s = 1900000000123);
  OK(sc_contacts_set_features(w.contacts, &w.alice, 0x22));
  UNTOUCHED();
done:
  finish(&w);
}

static void storing_a_contact_removes_malformed_fields(sc_test *t) {
  work w;
  START_ALICE("1:@i9e1:ai5e1:n0:");
  EDIT(contact.blocked = true);
  HOLDS_ALICE("1:ai1e1:bi1e1:n0:");
done:
  finish(&w);
}

static void unknown_features_are_kept(sc_test *t) {
  work w;
  START_ALICE("1:fli1ei70e1:?e1:n0:");
  OK(sc_contacts_set_features(w.contacts, &w.alice, 1));
  HOLDS_ALICE("1:fli0ei70e1:?e1:n0:");
done:
  finish(&w);
}

/* Rules of writing */

static void names_are_cut_to_100_bytes(sc_test *t) {
  work w;
  START("de");
  REFUSES(SC_ERR_UTF8, contact.name = NAME("\xff"));
  REFUSES(SC_ERR_UTF8, contact.nickname = NAME(HUNDRED "\xff"));
  UNTOUCHED();
  EDIT(contact.name = NAME(HUNDRED));
  EDIT(contact.nickname = NAME(HUNDRED "x"));
  HOLDS_ALICE("1:N100:" HUNDRED "1:n100:" HUNDRED);
done:
  finish(&w);
}

static void a_picture_url_has_at_most_223_bytes(sc_test *t) {
  work w;
  START("de");
  sc_contact contact = {.id = w.alice, .picture = PICTURE(HUNDRED HUNDRED TEN TEN "abcd")};
  FAILS(SC_ERR_CONFIG_PICTURE, sc_contacts_set(w.contacts, &contact));
  UNTOUCHED();
  contact.picture.url.len--;
  OK(sc_contacts_set(w.contacts, &contact));
  HOLDS_ALICE("1:n0:1:p223:" HUNDRED HUNDRED TEN TEN "abc1:q32:" KEY);
done:
  finish(&w);
}

static void an_existing_overlong_url_does_not_block_other_edits(sc_test *t) {
  work w;
  START_ALICE("1:n0:1:p224:" HUNDRED HUNDRED TEN TEN "abcd1:q32:" KEY);
  EDIT(contact.blocked = true);
  HOLDS_ALICE("1:bi1e1:n0:1:p224:" HUNDRED HUNDRED TEN TEN "abcd1:q32:" KEY);
done:
  finish(&w);
}

static void a_picture_needs_both_url_and_key(sc_test *t) {
  work w;
  START_ALICE("1:n0:1:p1:u1:q32:" KEY);
  sc_config_picture without_key = {.url = NAME("v")};
  sc_config_picture without_url = {.key = TEXT_BYTES(KEY)};
  sc_config_picture odd_key = {.url = NAME("v"), .key = NAME("short")};
  EDIT(contact.picture = without_key);
  HOLDS_ALICE("1:n0:");
  EDIT(contact.picture = PICTURE("u"));
  EDIT(contact.picture = without_url);
  HOLDS_ALICE("1:n0:");
  EDIT(contact.picture = odd_key);
  HOLDS_ALICE("1:n0:");
done:
  finish(&w);
}

static void notifying_of_mentions_means_notifying_of_all_messages(sc_test *t) {
  work w;
  START("de");
  EDIT(contact.notify = SC_CONFIG_NOTIFY_MENTIONS);
  HOLDS_ALICE("1:@i1e1:n0:");
  finish(&w);
  START_ALICE("1:@i3e");
  READ();
  CHECK(w.read.notify == SC_CONFIG_NOTIFY_ALL);
done:
  finish(&w);
}

static void disappearing_messages_need_a_positive_time(sc_test *t) {
  work w;
  START("de");
  EDIT(set_expiry(&contact, SC_CONFIG_EXPIRE_AFTER_READ, 30));
  EDIT(set_expiry(&contact, SC_CONFIG_EXPIRE_AFTER_READ, 60));
  HOLDS_ALICE("1:Ei60e1:ei2e1:n0:");
  EDIT(set_expiry(&contact, SC_CONFIG_EXPIRE_AFTER_SEND, 0));
  HOLDS_ALICE("1:n0:");
  EDIT(set_expiry(&contact, SC_CONFIG_EXPIRE_NEVER, 60));
  HOLDS_ALICE("1:n0:");
  EDIT(set_expiry(&contact, SC_CONFIG_EXPIRE_AFTER_SEND, -60));
  HOLDS_ALICE("1:n0:");
done:
  finish(&w);
}

static void an_invalid_choice_is_refused(sc_test *t) {
  work w;
  START("de");
  REFUSES(SC_ERR_ARGUMENT, contact.notify = (sc_config_notify)4);
  REFUSES(SC_ERR_ARGUMENT, set_expiry(&contact, (sc_config_expiry)3, 60));
  UNTOUCHED();
done:
  finish(&w);
}

static void times_are_kept_in_seconds(sc_test *t) {
  work w;
  START("de");
  EDIT(contact.created_s = 1680064059123);
  EDIT(contact.mute_until_s = 1900000000123456);
  HOLDS_ALICE("1:!i1900000000e1:ji1680064059e1:n0:");
  EDIT(contact.created_s = -5);
  EDIT(contact.mute_until_s = INT64_MIN);
  EDIT(contact.profile_updated_s = -1);
  HOLDS_ALICE("1:n0:");
  sc_contact contact = {
      .id = w.alice, .created_s = 1680064059123, .mute_until_s = -1, .profile_updated_s = -1};
  OK(sc_contacts_set(w.contacts, &contact));
  HOLDS_ALICE("1:ji1680064059e1:n0:");
done:
  finish(&w);
}

/* Bad data */

static void values_of_the_wrong_kind_are_ignored(sc_test *t) {
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

static void out_of_range_choices_become_the_default(sc_test *t) {
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

static void out_of_range_numbers_are_clamped(sc_test *t) {
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

static void a_picture_missing_its_url_or_key_is_ignored(sc_test *t) {
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

static void only_bit_numbers_count_as_features(sc_test *t) {
  work w;
  START_ALICE("1:fli-1ei1ei64e1:0e");
  READ();
  CHECK(w.read.features == 2);
done:
  finish(&w);
}

static void overlong_and_malformed_names_are_read_unchanged(sc_test *t) {
  work w;
  START_ALICE("1:N3:a\0b1:n101:" HUNDRED "\xff");
  READ();
  CHECK(w.read.name.len == 101);
  SAME(TEXT_BYTES("a\0b"), w.read.nickname);
done:
  finish(&w);
}

SUITE(config_contact_fields, "config/contact_fields", {"every field is read", every_field_is_read},
      {"flags are independent", flags_are_independent},
      {"fields are set independently", fields_are_set_independently},
      {"storing the current values leaves the config clean",
       storing_the_current_values_leaves_the_config_clean},
      {"storing a contact removes malformed fields", storing_a_contact_removes_malformed_fields},
      {"unknown features are kept", unknown_features_are_kept},
      {"names are cut to 100 bytes", names_are_cut_to_100_bytes},
      {"a picture url has at most 223 bytes", a_picture_url_has_at_most_223_bytes},
      {"an existing overlong url does not block other edits",
       an_existing_overlong_url_does_not_block_other_edits},
      {"a picture needs both url and key", a_picture_needs_both_url_and_key},
      {"notifying of mentions means notifying of all messages",
       notifying_of_mentions_means_notifying_of_all_messages},
      {"disappearing messages need a positive time", disappearing_messages_need_a_positive_time},
      {"an invalid choice is refused", an_invalid_choice_is_refused},
      {"times are kept in seconds", times_are_kept_in_seconds},
      {"values of the wrong kind are ignored", values_of_the_wrong_kind_are_ignored},
      {"out-of-range choices become the default", out_of_range_choices_become_the_default},
      {"out-of-range numbers are clamped", out_of_range_numbers_are_clamped},
      {"times in other units are read in seconds", times_in_other_units_are_read_in_seconds},
      {"a picture missing its url or key is ignored", a_picture_missing_its_url_or_key_is_ignored},
      {"only bit numbers count as features", only_bit_numbers_count_as_features},
      {"overlong and malformed names are read unchanged", overlong_and_malformed_names_are_read_unchanged});
