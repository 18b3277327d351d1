#include "contact_scene.h"

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

static void an_invalid_dump_is_refused(sc_test *t) {
  sc_contacts *contacts;
  sc_keypair keys = own_keys();
  FAILS(SC_ERR_CONFIG_DUMP, sc_contacts_new(&contacts, t->env, &keys, NAME("de")));
  CHECK(contacts == NULL);
done:
  sc_contacts_free(contacts);
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

static void a_blank_contact_is_stored(sc_test *t) {
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

static void setting_a_blank_contact_erases_known_fields_only(sc_test *t) {
  work w;
  START_ALICE(ALL_FIELDS "2:zz3:new");
  sc_contact blank = {.id = w.alice};
  OK(sc_contacts_set(w.contacts, &blank));
  HOLDS_ALICE("1:fli1ei5ee1:n0:2:zz3:new");
done:
  finish(&w);
}

static void writing_back_an_unchanged_contact_leaves_the_config_clean(sc_test *t) {
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
  EDIT_OF(w.bob, contact.approved = true);
  EDIT(contact.blocked = true);
  HOLDS("d1:cd33:" ALICE "d1:bi1e1:n0:e33:" BOB "d1:ai1e1:n0:eee");
done:
  finish(&w);
}

static void names_are_truncated_between_characters(sc_test *t) {
  work w;
  START("de");
  sc_contact contact = {.id = w.alice, .name = NAME(NINETY "abcdefghiéx"), .nickname = NAME(HUNDRED "x")};
  OK(sc_contacts_set(w.contacts, &contact));
  HOLDS_ALICE("1:N100:" HUNDRED "1:n99:" NINETY "abcdefghi");
done:
  finish(&w);
}

static void new_names_must_be_utf_8(sc_test *t) {
  work w;
  START_ALICE("1:n1:\xff");
  sc_contact bad_name = {.id = w.bob, .name = NAME("\xff")};
  sc_contact bad_nickname = {.id = w.alice, .nickname = NAME("\xff")};
  FAILS(SC_ERR_UTF8, sc_contacts_set(w.contacts, &bad_name));
  FAILS(SC_ERR_UTF8, sc_contacts_set(w.contacts, &bad_nickname));
  UNTOUCHED();
  EDIT(contact.approved = true);
  HOLDS_ALICE("1:ai1e1:n1:\xff");
done:
  finish(&w);
}

static void only_account_ids_can_be_contacts(sc_test *t) {
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
  FAILS(SC_ERR_ID_KIND, sc_contacts_set_features(w.contacts, &blinded, 1));
  FAILS(SC_ERR_ID_KIND, sc_contacts_erase(&erased, w.contacts, &group.id));
  CHECK(!erased);
  UNTOUCHED();
done:
  finish(&w);
}

static void the_own_account_cannot_be_a_contact(sc_test *t) {
  work w;
  sc_keypair keys = own_keys();
  sc_buffer data;
  sc_buffer_init(&data, t->env);
  START("de");
  sc_contact own = {.approved = true};
  sc_id_make(&own.id, SC_ID_STANDARD, keys.x.public_key);
  FAILS(SC_ERR_CONFIG_OWN_ID, sc_contacts_set(w.contacts, &own));
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

static void erasing_removes_the_whole_contact(sc_test *t) {
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

static void erasing_a_missing_contact_leaves_the_config_clean(sc_test *t) {
  work w;
  bool erased = true;
  START_ALICE("1:n0:");
  OK(sc_contacts_erase(&erased, w.contacts, &w.bob));
  CHECK(!erased);
  UNTOUCHED();
done:
  finish(&w);
}

static void a_contacts_value_that_is_not_a_dict_counts_as_empty(sc_test *t) {
  work w;
  size_t count = 1;
  START("d1:ci1ee");
  FAILS(SC_ERR_NOT_FOUND, sc_contacts_get(&w.read, w.contacts, &w.alice));
  FAILS(SC_ERR_NOT_FOUND, sc_contacts_first(&w.read, w.contacts));
  OK(sc_contacts_count(&count, w.contacts));
  CHECK(count == 0);
  EDIT(contact.approved = true);
  HOLDS_ALICE("1:ai1e1:n0:");
done:
  finish(&w);
}

#define GROUP                                                                                                \
  "\x03"                                                                                                     \
  "groupgroupgroupgroupgroupgroup12"

static void invalid_contacts_are_skipped_and_kept(sc_test *t) {
  work w;
  size_t count = 0;
  START("d1:cd33:" GROUP "d1:n1:ge33:" ALICE "d1:n1:ae33:" BOB "i7e6:scalari1e7:shortidd1:n1:xeee");
  OK(sc_contacts_first(&w.read, w.contacts));
  CHECK(memcmp(w.read.id.bytes, ALICE, SC_ID_BYTES) == 0);
  FAILS(SC_ERR_NOT_FOUND, sc_contacts_next(&w.read, w.contacts));
  FAILS(SC_ERR_NOT_FOUND, sc_contacts_get(&w.read, w.contacts, &w.bob));
  OK(sc_contacts_count(&count, w.contacts));
  CHECK(count == 5);
  EDIT(contact.approved = true);
  HOLDS("d1:cd33:" GROUP "d1:n1:ge33:" ALICE "d1:ai1e1:n1:ae33:" BOB "i7e6:scalari1e7:shortidd1:n1:xeee");
done:
  finish(&w);
}

/* Walking */

static void contacts_are_listed_in_order_of_their_ids(sc_test *t) {
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

/* Enough contacts to be kept in a tree. */
static sc_status add_many(work *w, size_t count) {
  sc_status status = SC_OK;
  for (size_t i = 1; i <= count && status == SC_OK; i++) {
    sc_contact contact = {.id = numbered(i), .name = NAME("somebody"), .created_s = (int64_t)i};
    status = sc_contacts_set(w->contacts, &contact);
  }
  return status;
}

static void a_walk_visits_many_contacts(sc_test *t) {
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

static void contacts_can_be_erased_during_a_walk(sc_test *t) {
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

static void contacts_survive_a_dump(sc_test *t) {
  work w;
  sc_contacts *again = NULL;
  sc_keypair keys = own_keys();
  START("de");
  EDIT(contact.approved = true);
  OK(sc_config_dump(&w.bytes, sc_contacts_config(w.contacts), 0));
  OK(sc_contacts_new(&again, t->env, &keys, sc_buffer_bytes(&w.bytes)));
  OK(sc_contacts_get(&w.read, again, &w.alice));
  CHECK(w.read.approved);
done:
  sc_contacts_free(again);
  finish(&w);
}

SUITE(config_contacts, "config/contacts", {"there are no contacts at first", there_are_no_contacts_at_first},
      {"an invalid dump is refused", an_invalid_dump_is_refused},
      {"a whole contact is written", a_whole_contact_is_written},
      {"a blank contact is stored", a_blank_contact_is_stored},
      {"setting a blank contact erases known fields only", setting_a_blank_contact_erases_known_fields_only},
      {"writing back an unchanged contact leaves the config clean",
       writing_back_an_unchanged_contact_leaves_the_config_clean},
      {"contacts are independent", contacts_are_independent},
      {"names are truncated between characters", names_are_truncated_between_characters},
      {"new names must be UTF-8", new_names_must_be_utf_8},
      {"only account ids can be contacts", only_account_ids_can_be_contacts},
      {"the own account cannot be a contact", the_own_account_cannot_be_a_contact},
      {"erasing removes the whole contact", erasing_removes_the_whole_contact},
      {"erasing a missing contact leaves the config clean",
       erasing_a_missing_contact_leaves_the_config_clean},
      {"a contacts value that is not a dict counts as empty",
       a_contacts_value_that_is_not_a_dict_counts_as_empty},
      {"invalid contacts are skipped and kept", invalid_contacts_are_skipped_and_kept},
      {"contacts are listed in order of their ids", contacts_are_listed_in_order_of_their_ids},
      {"a walk visits many contacts", a_walk_visits_many_contacts},
      {"contacts can be erased during a walk", contacts_can_be_erased_during_a_walk},
      {"contacts survive a dump", contacts_survive_a_dump});
