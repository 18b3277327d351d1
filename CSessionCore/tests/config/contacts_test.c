#include "session-core/config/contacts.h"

#include "session-core/config/text.h"
#include "stored_config.h"

/* Contacts, and their data as they were last looked at. */
typedef struct work {
  sc_contacts *contacts;
  sc_contact read;
  sc_id alice, bob;
  sc_buffer bytes;
} work;

static sc_status start(work *w, const sc_test *t, sc_bytes data) {
  *w = (work){.alice = id_of(ALICE), .bob = id_of(BOB)};
  sc_buffer_init(&w->bytes, t->env);
  sc_keypair keys = own_keys();
  sc_status status = dump_with(&w->bytes, t->env, data);
  return status == SC_OK ? sc_contacts_new(&w->contacts, t->env, &keys, sc_buffer_bytes(&w->bytes)) : status;
}

static void finish(work *w) {
  sc_contacts_free(w->contacts);
  w->contacts = NULL;
  sc_buffer_free(&w->bytes);
}

#define START(text) OK(start(&w, t, TEXT_BYTES(text)))

/* Contacts of whom Alice has these fields. */
#define START_ALICE(fields) START("d1:cd33:" ALICE "d" fields "eee")

#define HOLDS(text) HOLDS_DATA(w.bytes, sc_contacts_config(w.contacts), text)

#define HOLDS_ALICE(fields) HOLDS("d1:cd33:" ALICE "d" fields "eee")

#define READ() OK(sc_contacts_get(&w.read, w.contacts, &w.alice))

#define UNTOUCHED() CHECK(is_untouched(sc_contacts_config(w.contacts)))

#define PICTURE(text) ((sc_config_picture){sc_bytes_text(text), TEXT_BYTES(KEY)})

static void there_are_no_contacts_at_first(sc_test *t) {
  sc_contacts *contacts = NULL;
  sc_contact read;
  sc_id alice = id_of(ALICE);
  sc_keypair keys = own_keys();
  size_t count = 1;
  OK(sc_contacts_new(&contacts, t->env, &keys, sc_bytes_make(NULL, 0)));
  FAILS(SC_ERR_NOT_FOUND, sc_contacts_get(&read, contacts, &alice));
  FAILS(SC_ERR_NOT_FOUND, sc_contacts_first(&read, contacts));
  OK(sc_contacts_count(&count, contacts));
  CHECK(count == 0);
  SAME(NAME("Contacts"), sc_config_domain(sc_contacts_config(contacts)));
  CHECK(sc_config_namespace(sc_contacts_config(contacts)) == 3);
done:
  sc_contacts_free(contacts);
}

static void what_is_no_dump_makes_no_contacts(sc_test *t) {
  sc_contacts *contacts;
  sc_keypair keys = own_keys();
  FAILS(SC_ERR_CONFIG_DUMP, sc_contacts_new(&contacts, t->env, &keys, NAME("de")));
  CHECK(contacts == NULL);
done:
  sc_contacts_free(contacts);
}

#define ALL_FIELDS                                                                                           \
  "1:!i1900000000e1:+i3e1:@i2e1:Ai1e1:Ei300e1:N2:Al1:ai1e1:bi1e1:ei2e1:fli1ei5ee1:ji1680064059e1:n5:Alice"   \
  "1:p8:http://x1:q32:" KEY "1:ti1700000000e"

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

static sc_contact everything(const sc_id *id) {
  return (sc_contact){
      .id = *id,
      .name = NAME("Alice"),
      .nickname = NAME("Al"),
      .picture = PICTURE("http://x"),
      .profile_updated_s = 1700000000,
      .created_s = 1680064059,
      .mute_until_s = 1900000000,
      .priority = 3,
      .expiry_s = 300,
      .expiry = SC_CONFIG_EXPIRE_AFTER_READ,
      .notify = SC_CONFIG_NOTIFY_NONE,
      .approved = true,
      .approved_me = true,
      .blocked = true,
      .features = 0x22,
  };
}

static void a_whole_contact_is_written(sc_test *t) {
  work w;
  START("de");
  sc_contact contact = everything(&w.alice);
  OK(sc_contacts_set(w.contacts, &contact));
  HOLDS_ALICE("1:!i1900000000e1:+i3e1:@i2e1:Ai1e1:Ei300e1:N2:Al1:ai1e1:bi1e1:ei2e1:ji1680064059e1:n5:Alice"
              "1:p8:http://x1:q32:" KEY "1:ti1700000000e");
done:
  finish(&w);
}

static void a_blank_contact_keeps_its_place(sc_test *t) {
  work w;
  START("de");
  OK(sc_contacts_get_or_make(&w.read, w.contacts, &w.alice));
  UNTOUCHED();
  CHECK(w.read.name.len == 0 && !w.read.approved && w.read.priority == 0);
  OK(sc_contacts_set(w.contacts, &w.read));
  HOLDS_ALICE("1:n0:");
  READ();
  CHECK(w.read.name.len == 0 && w.read.expiry == SC_CONFIG_EXPIRE_NEVER);
done:
  finish(&w);
}

static void setting_a_blank_contact_erases_fields_and_keeps_what_we_do_not_know(sc_test *t) {
  work w;
  START_ALICE(ALL_FIELDS "2:zz3:new");
  sc_contact blank = {.id = w.alice};
  OK(sc_contacts_set(w.contacts, &blank));
  HOLDS_ALICE("1:fli1ei5ee1:n0:2:zz3:new");
done:
  finish(&w);
}

static void setting_what_was_read_leaves_the_config_clean(sc_test *t) {
  work w;
  START_ALICE(ALL_FIELDS "2:zz3:new");
  READ();
  OK(sc_contacts_set(w.contacts, &w.read));
  UNTOUCHED();
done:
  finish(&w);
}

static void contacts_are_independent(sc_test *t) {
  work w;
  START("de");
  OK(sc_contacts_set_approved(w.contacts, &w.bob, true));
  OK(sc_contacts_set_blocked(w.contacts, &w.alice, true));
  HOLDS("d1:cd33:" ALICE "d1:bi1e1:n0:e33:" BOB "d1:ai1e1:n0:eee");
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

static void a_whole_contact_has_its_names_cut_between_characters(sc_test *t) {
  work w;
  START("de");
  sc_contact contact = {.id = w.alice, .name = NAME(NINETY "abcdefghiéx"), .nickname = NAME(HUNDRED "x")};
  OK(sc_contacts_set(w.contacts, &contact));
  HOLDS_ALICE("1:N100:" HUNDRED "1:n99:" NINETY "abcdefghi");
done:
  finish(&w);
}

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

static void names_of_a_whole_contact_are_utf8_unless_they_were_there(sc_test *t) {
  work w;
  START_ALICE("1:n1:\xff");
  sc_contact bad_name = {.id = w.bob, .name = NAME("\xff")};
  sc_contact bad_nickname = {.id = w.alice, .nickname = NAME("\xff")};
  FAILS(SC_ERR_UTF8, sc_contacts_set(w.contacts, &bad_name));
  FAILS(SC_ERR_UTF8, sc_contacts_set(w.contacts, &bad_nickname));
  UNTOUCHED();
  OK(sc_contacts_set_approved(w.contacts, &w.alice, true));
  HOLDS_ALICE("1:ai1e1:n1:\xff");
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

static void only_account_ids_are_contacts(sc_test *t) {
  work w;
  bool erased = true;
  START("de");
  sc_contact group = {.id = w.alice};
  group.id.bytes[0] = SC_ID_GROUP;
  sc_id blinded = w.alice;
  blinded.bytes[0] = SC_ID_BLINDED_25;
  FAILS(SC_ERR_ID_KIND, sc_contacts_get(&w.read, w.contacts, &group.id));
  FAILS(SC_ERR_ID_KIND, sc_contacts_get_or_make(&w.read, w.contacts, &blinded));
  FAILS(SC_ERR_ID_KIND, sc_contacts_set(w.contacts, &group));
  FAILS(SC_ERR_ID_KIND, sc_contacts_set_approved(w.contacts, &blinded, true));
  FAILS(SC_ERR_ID_KIND, sc_contacts_set_features(w.contacts, &blinded, 1));
  FAILS(SC_ERR_ID_KIND, sc_contacts_erase(&erased, w.contacts, &group.id));
  CHECK(!erased);
  UNTOUCHED();
done:
  finish(&w);
}

static void nobody_is_a_contact_of_themselves(sc_test *t) {
  work w;
  sc_keypair keys = own_keys();
  sc_buffer data;
  sc_buffer_init(&data, t->env);
  START("de");
  sc_contact own = {.approved = true};
  sc_id_make(&own.id, SC_ID_STANDARD, keys.x.public_key);
  FAILS(SC_ERR_CONFIG_OWN_ID, sc_contacts_set(w.contacts, &own));
  FAILS(SC_ERR_CONFIG_OWN_ID, sc_contacts_set_approved(w.contacts, &own.id, true));
  UNTOUCHED();
  finish(&w);
  OK(sc_buffer_append(&data, NAME("d1:cd33:")));
  OK(sc_buffer_append(&data, SC_BYTES(own.id.bytes)));
  OK(sc_buffer_append(&data, NAME("d1:n2:meeee")));
  OK(start(&w, t, sc_buffer_bytes(&data)));
  FAILS(SC_ERR_NOT_FOUND, sc_contacts_get(&w.read, w.contacts, &own.id));
  FAILS(SC_ERR_NOT_FOUND, sc_contacts_first(&w.read, w.contacts));
  bool erased = false;
  OK(sc_contacts_erase(&erased, w.contacts, &own.id));
  CHECK(erased);
done:
  sc_buffer_free(&data);
  finish(&w);
}

static void erasing_takes_all_of_a_contact(sc_test *t) {
  work w;
  bool erased = false;
  START("d1:cd33:" ALICE "d1:n0:2:zzi1ee33:" BOB "d1:n0:eee");
  OK(sc_contacts_erase(&erased, w.contacts, &w.alice));
  CHECK(erased);
  HOLDS("d1:cd33:" BOB "d1:n0:eee");
  OK(sc_contacts_erase(&erased, w.contacts, &w.bob));
  HOLDS("de");
  OK(sc_contacts_erase(&erased, w.contacts, &w.bob));
  CHECK(!erased);
done:
  finish(&w);
}

static void erasing_nobody_leaves_the_config_clean(sc_test *t) {
  work w;
  bool erased = true;
  START_ALICE("1:n0:");
  OK(sc_contacts_erase(&erased, w.contacts, &w.bob));
  CHECK(!erased);
  UNTOUCHED();
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

static void contacts_that_are_no_dict_are_none(sc_test *t) {
  work w;
  size_t count = 1;
  START("d1:ci1ee");
  FAILS(SC_ERR_NOT_FOUND, sc_contacts_get(&w.read, w.contacts, &w.alice));
  FAILS(SC_ERR_NOT_FOUND, sc_contacts_first(&w.read, w.contacts));
  OK(sc_contacts_count(&count, w.contacts));
  CHECK(count == 0);
  OK(sc_contacts_set_approved(w.contacts, &w.alice, true));
  HOLDS_ALICE("1:ai1e1:n0:");
done:
  finish(&w);
}

#define GROUP                                                                                                \
  "\x03"                                                                                                     \
  "groupgroupgroupgroupgroupgroup12"

static void what_is_no_contact_is_passed_over_and_stays(sc_test *t) {
  work w;
  size_t count = 0;
  START("d1:cd33:" GROUP "d1:n1:ge33:" ALICE "d1:n1:ae33:" BOB "i7e6:scalari1e7:shortidd1:n1:xeee");
  OK(sc_contacts_first(&w.read, w.contacts));
  CHECK(memcmp(w.read.id.bytes, ALICE, SC_ID_BYTES) == 0);
  FAILS(SC_ERR_NOT_FOUND, sc_contacts_next(&w.read, w.contacts));
  FAILS(SC_ERR_NOT_FOUND, sc_contacts_get(&w.read, w.contacts, &w.bob));
  OK(sc_contacts_count(&count, w.contacts));
  CHECK(count == 5);
  OK(sc_contacts_set_approved(w.contacts, &w.alice, true));
  HOLDS("d1:cd33:" GROUP "d1:n1:ge33:" ALICE "d1:ai1e1:n1:ae33:" BOB "i7e6:scalari1e7:shortidd1:n1:xeee");
done:
  finish(&w);
}

/* Going through */

static void contacts_come_in_the_order_of_their_ids(sc_test *t) {
  work w;
  START("d1:cd33:" ALICE "d1:n1:ae33:" BOB "d1:n1:beee");
  OK(sc_contacts_first(&w.read, w.contacts));
  SAME(NAME("a"), w.read.name);
  OK(sc_contacts_next(&w.read, w.contacts));
  SAME(NAME("b"), w.read.name);
  FAILS(SC_ERR_NOT_FOUND, sc_contacts_next(&w.read, w.contacts));
  SAME(NAME("b"), w.read.name);
done:
  finish(&w);
}

static sc_id numbered(size_t number) {
  sc_id id = {{SC_ID_STANDARD}};
  for (size_t i = 1; number > 0; i++, number >>= 8)
    id.bytes[4 - i] = (uint8_t)number;
  return id;
}

/* So many that they are kept in a tree. */
static sc_status add_many(work *w, size_t count) {
  sc_status status = SC_OK;
  for (size_t i = 1; i <= count && status == SC_OK; i++) {
    sc_contact contact = {.id = numbered(i), .name = NAME("somebody"), .created_s = (int64_t)i};
    status = sc_contacts_set(w->contacts, &contact);
  }
  return status;
}

static void many_contacts_are_gone_through(sc_test *t) {
  work w;
  size_t many = t->torture ? 40 : 1000;
  size_t seen = 0;
  START("de");
  OK(add_many(&w, many));
  sc_status status = sc_contacts_first(&w.read, w.contacts);
  for (; status == SC_OK; status = sc_contacts_next(&w.read, w.contacts))
    CHECK(w.read.created_s == (int64_t)++seen);
  FAILS(SC_ERR_NOT_FOUND, status);
  CHECK(seen == many);
done:
  finish(&w);
}

static void contacts_can_be_erased_on_the_way(sc_test *t) {
  work w;
  size_t many = t->torture ? 40 : 300;
  size_t seen = 0;
  bool erased;
  START("de");
  OK(add_many(&w, many));
  sc_status status = sc_contacts_first(&w.read, w.contacts);
  for (; status == SC_OK; status = sc_contacts_next(&w.read, w.contacts), seen++)
    OK(sc_contacts_erase(&erased, w.contacts, &w.read.id));
  FAILS(SC_ERR_NOT_FOUND, status);
  CHECK(seen == many);
  HOLDS("de");
done:
  finish(&w);
}

static void contacts_survive_their_dump(sc_test *t) {
  work w;
  sc_contacts *again = NULL;
  sc_keypair keys = own_keys();
  START("de");
  OK(sc_contacts_set_approved(w.contacts, &w.alice, true));
  OK(sc_config_dump(&w.bytes, sc_contacts_config(w.contacts), 0));
  OK(sc_contacts_new(&again, t->env, &keys, sc_buffer_bytes(&w.bytes)));
  OK(sc_contacts_get(&w.read, again, &w.alice));
  CHECK(w.read.approved);
done:
  sc_contacts_free(again);
  finish(&w);
}

SUITE(config_contacts, "config/contacts", {"there are no contacts at first", there_are_no_contacts_at_first},
      {"what is no dump makes no contacts", what_is_no_dump_makes_no_contacts},
      {"every field is read", every_field_is_read}, {"each flag is its own", each_flag_is_its_own},
      {"a whole contact is written", a_whole_contact_is_written},
      {"a blank contact keeps its place", a_blank_contact_keeps_its_place},
      {"setting a blank contact erases fields and keeps what we do not know",
       setting_a_blank_contact_erases_fields_and_keeps_what_we_do_not_know},
      {"setting what was read leaves the config clean", setting_what_was_read_leaves_the_config_clean},
      {"contacts are independent", contacts_are_independent},
      {"each field is set alone", each_field_is_set_alone},
      {"setting a field to what it is leaves the config clean",
       setting_a_field_to_what_it_is_leaves_the_config_clean},
      {"setting a field that is right leaves odd ones alone",
       setting_a_field_that_is_right_leaves_odd_ones_alone},
      {"features that we cannot count stay", features_that_we_cannot_count_stay},
      {"a whole contact has its names cut between characters",
       a_whole_contact_has_its_names_cut_between_characters},
      {"a name alone has a limit", a_name_alone_has_a_limit},
      {"names of a whole contact are utf8 unless they were there",
       names_of_a_whole_contact_are_utf8_unless_they_were_there},
      {"a picture has a url that others can hold", a_picture_has_a_url_that_others_can_hold},
      {"a long url that is there hinders nobody", a_long_url_that_is_there_hinders_nobody},
      {"a picture is whole or none", a_picture_is_whole_or_none},
      {"notifying of mentions is notifying of all", notifying_of_mentions_is_notifying_of_all},
      {"messages disappear after some time or not at all", messages_disappear_after_some_time_or_not_at_all},
      {"what is no choice is refused", what_is_no_choice_is_refused},
      {"times are kept in seconds", times_are_kept_in_seconds},
      {"only account ids are contacts", only_account_ids_are_contacts},
      {"nobody is a contact of themselves", nobody_is_a_contact_of_themselves},
      {"erasing takes all of a contact", erasing_takes_all_of_a_contact},
      {"erasing nobody leaves the config clean", erasing_nobody_leaves_the_config_clean},
      {"values of the wrong kind are missing", values_of_the_wrong_kind_are_missing},
      {"choices out of range are defaults", choices_out_of_range_are_defaults},
      {"numbers out of range are clamped", numbers_out_of_range_are_clamped},
      {"times in other units are read in seconds", times_in_other_units_are_read_in_seconds},
      {"a picture without one half is none", a_picture_without_one_half_is_none},
      {"only bits are features", only_bits_are_features},
      {"long and odd names are read as they are", long_and_odd_names_are_read_as_they_are},
      {"contacts that are no dict are none", contacts_that_are_no_dict_are_none},
      {"what is no contact is passed over and stays", what_is_no_contact_is_passed_over_and_stays},
      {"contacts come in the order of their ids", contacts_come_in_the_order_of_their_ids},
      {"many contacts are gone through", many_contacts_are_gone_through},
      {"contacts can be erased on the way", contacts_can_be_erased_on_the_way},
      {"contacts survive their dump", contacts_survive_their_dump});
