#include "session-core/config/blinded_contacts.h"

#include "stored_config.h"

/* Contacts, and their data as they were last looked at. */
typedef struct work {
  sc_contacts *contacts;
  sc_blinded_contact read;
  sc_id alice, bob; /* of the second kind and of the first */
  sc_buffer bytes;
} work;

/* The digits of Alice's key and of Bob's. */
#define ALICE_ROOM "616c696365616c696365616c696365616c696365616c696365616c6963653132"
#define BOB_ROOM "626f62626f62626f62626f62626f62626f62626f62626f62626f62626f623132"

#define URL "http://example.org"
#define OTHER_URL "https://other.example:8080"
#define SERVER "serverserverserverserverserver12"
#define OTHER_SERVER "otherotherotherotherotherothero1"

static sc_status start(work *w, const sc_test *t, sc_bytes data) {
  *w = (work){.alice = id_of(ALICE), .bob = id_of(BOB)};
  w->alice.bytes[0] = SC_ID_BLINDED_25;
  w->bob.bytes[0] = SC_ID_BLINDED_15;
  sc_buffer_init(&w->bytes, t->env);
  sc_keypair keys = own_keys();
  sc_status status = saved_dump_of(&w->bytes, data, "de");
  return status == SC_OK ? sc_contacts_new(&w->contacts, t->env, &keys, sc_buffer_bytes(&w->bytes)) : status;
}

static void finish(work *w) {
  sc_contacts_free(w->contacts);
  w->contacts = NULL;
  sc_buffer_free(&w->bytes);
}

#define START(text) OK(start(&w, t, TEXT_BYTES(text)))

/* One server with these rooms. */
#define ROOMS(rooms) "d1:bd18:" URL "d1:#32:" SERVER "1:Rd" rooms "eeee"
#define ALICE_HAS(fields) "64:" ALICE_ROOM "d" fields "e"
#define BOB_HAS(fields) "64:" BOB_ROOM "d" fields "e"

#define HOLDS(text) HOLDS_DATA(w.bytes, sc_contacts_config(w.contacts), text)

#define READ(id) OK(sc_blinded_contacts_get(&w.read, w.contacts, NAME(URL), &(id)))
#define MAKE(id)                                                                                             \
  OK(sc_blinded_contacts_get_or_make(&w.read, w.contacts, NAME(URL), (const uint8_t *)SERVER, &(id)))

#define UNTOUCHED() CHECK(is_untouched(sc_contacts_config(w.contacts)))

static bool is_at(const work *w, const sc_id *id, const char *url) {
  return memcmp(w->read.id.bytes, id->bytes, SC_ID_BYTES) == 0 && strcmp(w->read.url, url) == 0 &&
         w->read.url_len == strlen(url);
}

static void a_new_config_has_no_blinded_contacts(sc_test *t) {
  work w;
  START("de");
  FAILS(SC_ERR_NOT_FOUND, sc_blinded_contacts_get(&w.read, w.contacts, NAME(URL), &w.alice));
  FAILS(SC_ERR_NOT_FOUND, sc_blinded_contacts_first(&w.read, w.contacts));
done:
  finish(&w);
}

#define ALL_FIELDS "1:+i3e1:fli1ei5ee1:ji1680064059e1:n5:Alice1:p8:http://x1:q32:" KEY "1:ti1700000000e"

static void every_field_is_read(sc_test *t) {
  work w;
  START(ROOMS(ALICE_HAS(ALL_FIELDS) BOB_HAS("1:n3:Bob1:yi1e")));
  READ(w.alice);
  CHECK(is_at(&w, &w.alice, URL));
  CHECK(memcmp(w.read.server_key, SERVER, sizeof w.read.server_key) == 0);
  SAME(NAME("Alice"), w.read.name);
  SAME(NAME("http://x"), w.read.picture.url);
  SAME(NAME(KEY), w.read.picture.key);
  CHECK(w.read.profile_updated_s == 1700000000 && w.read.created_s == 1680064059);
  CHECK(w.read.priority == 3 && w.read.features == 0x22);
  READ(w.bob);
  CHECK(is_at(&w, &w.bob, URL));
  SAME(NAME("Bob"), w.read.name);
done:
  finish(&w);
}

static void every_field_is_written(sc_test *t) {
  work w;
  START("de");
  MAKE(w.alice);
  UNTOUCHED();
  w.read.name = NAME("Alice");
  w.read.picture = (sc_config_picture){NAME("http://x"), TEXT_BYTES(KEY)};
  w.read.profile_updated_s = 1700000000;
  w.read.created_s = 1680064059123;
  w.read.priority = 3;
  w.read.features = 1;
  OK(sc_blinded_contacts_set(w.contacts, &w.read));
  HOLDS(ROOMS(ALICE_HAS("1:+i3e1:ji1680064059e1:n5:Alice1:p8:http://x1:q32:" KEY "1:ti1700000000e")));
done:
  finish(&w);
}

static void the_kind_of_the_id_is_stored_as_a_field(sc_test *t) {
  work w;
  START("de");
  MAKE(w.bob);
  OK(sc_blinded_contacts_set(w.contacts, &w.read));
  HOLDS(ROOMS(BOB_HAS("1:n0:1:yi1e")));
  READ(w.bob);
  sc_id other = w.bob;
  other.bytes[0] = SC_ID_BLINDED_25;
  FAILS(SC_ERR_NOT_FOUND, sc_blinded_contacts_get(&w.read, w.contacts, NAME(URL), &other));
  MAKE(other);
  OK(sc_blinded_contacts_set(w.contacts, &w.read));
  HOLDS(ROOMS(BOB_HAS("1:n0:")));
done:
  finish(&w);
}

static void writing_back_an_unchanged_record_leaves_the_config_clean(sc_test *t) {
  work w;
  START(ROOMS(ALICE_HAS(ALL_FIELDS "2:zz3:new")));
  READ(w.alice);
  OK(sc_blinded_contacts_set(w.contacts, &w.read));
  UNTOUCHED();
done:
  finish(&w);
}

static void setting_a_blank_record_keeps_unknown_fields(sc_test *t) {
  work w;
  START(ROOMS(ALICE_HAS(ALL_FIELDS "2:zz3:new")));
  sc_blinded_contact blank = {.id = w.alice, .url = URL, .url_len = strlen(URL)};
  memcpy(blank.server_key, OTHER_SERVER, sizeof blank.server_key);
  OK(sc_blinded_contacts_set(w.contacts, &blank));
  HOLDS("d1:bd18:" URL "d1:#32:" OTHER_SERVER "1:Rd" ALICE_HAS("1:fli1ei5ee1:n0:2:zz3:new") "eeee");
done:
  finish(&w);
}

static void a_url_is_stored_in_normal_form(sc_test *t) {
  work w;
  START(ROOMS(ALICE_HAS("1:n5:Alice")));
  OK(sc_blinded_contacts_get(&w.read, w.contacts, NAME("HTTP://Example.ORG:80/"), &w.alice));
  CHECK(is_at(&w, &w.alice, URL));
  OK(sc_blinded_contacts_get_or_make(&w.read, w.contacts, NAME("HTTP://Example.ORG:80/"),
                                     (const uint8_t *)SERVER, &w.bob));
  CHECK(is_at(&w, &w.bob, URL));
done:
  finish(&w);
}

static void a_bad_id_or_url_is_refused(sc_test *t) {
  work w;
  bool erased = true;
  START("de");
  sc_id standard = w.alice;
  standard.bytes[0] = SC_ID_STANDARD;
  sc_blinded_contact contact = {.id = standard, .url = URL, .url_len = strlen(URL)};
  FAILS(SC_ERR_ID_KIND, sc_blinded_contacts_get(&w.read, w.contacts, NAME(URL), &standard));
  FAILS(SC_ERR_ID_KIND,
        sc_blinded_contacts_get_or_make(&w.read, w.contacts, NAME(URL), (const uint8_t *)SERVER, &standard));
  FAILS(SC_ERR_ID_KIND, sc_blinded_contacts_set(w.contacts, &contact));
  FAILS(SC_ERR_ID_KIND, sc_blinded_contacts_erase(&erased, w.contacts, NAME(URL), &standard));
  FAILS(SC_ERR_ID_KIND, sc_blinded_contacts_set_features(w.contacts, NAME(URL), &standard, 1));
  FAILS(SC_ERR_COMMUNITY_URL, sc_blinded_contacts_get(&w.read, w.contacts, NAME("nowhere"), &w.alice));
  FAILS(SC_ERR_COMMUNITY_URL, sc_blinded_contacts_erase(&erased, w.contacts, NAME("nowhere"), &w.alice));
  contact = (sc_blinded_contact){.id = w.alice};
  FAILS(SC_ERR_COMMUNITY_URL, sc_blinded_contacts_set(w.contacts, &contact));
  CHECK(!erased);
  UNTOUCHED();
done:
  finish(&w);
}

static void only_new_texts_are_checked(sc_test *t) {
  work w;
  START(ROOMS(ALICE_HAS("1:n1:\xff")));
  READ(w.alice);
  w.read.priority = 1;
  OK(sc_blinded_contacts_set(w.contacts, &w.read));
  w.read.name = NAME("\xfe");
  FAILS(SC_ERR_UTF8, sc_blinded_contacts_set(w.contacts, &w.read));
  w.read.name = NAME("x" HUNDRED);
  w.read.picture = (sc_config_picture){NAME(HUNDRED HUNDRED TEN TEN "abcd"), TEXT_BYTES(KEY)};
  FAILS(SC_ERR_CONFIG_PICTURE, sc_blinded_contacts_set(w.contacts, &w.read));
  w.read.picture.key.len = 31;
  w.read.picture.url.len = 223;
  OK(sc_blinded_contacts_set(w.contacts, &w.read));
  HOLDS(ROOMS(ALICE_HAS("1:+i1e1:n100:x" TEN TEN TEN TEN TEN TEN TEN TEN TEN "abcdefghi")));
done:
  finish(&w);
}

static void features_are_set_on_their_own(sc_test *t) {
  work w;
  START(ROOMS(ALICE_HAS("1:fli0ei70ee1:n0:")));
  OK(sc_blinded_contacts_set_features(w.contacts, NAME(URL), &w.alice, 1));
  UNTOUCHED();
  OK(sc_blinded_contacts_set_features(w.contacts, NAME(URL), &w.alice, 2));
  HOLDS(ROOMS(ALICE_HAS("1:fli1ei70ee1:n0:")));
  FAILS(SC_ERR_NOT_FOUND, sc_blinded_contacts_set_features(w.contacts, NAME(URL), &w.bob, 2));
done:
  finish(&w);
}

static void erasing_a_contact_keeps_its_server(sc_test *t) {
  work w;
  bool erased = false;
  START(ROOMS(ALICE_HAS("1:n0:2:zzi1e")));
  OK(sc_blinded_contacts_erase(&erased, w.contacts, NAME(URL), &w.bob));
  CHECK(!erased);
  UNTOUCHED();
  OK(sc_blinded_contacts_erase(&erased, w.contacts, NAME(URL), &w.alice));
  CHECK(erased);
  HOLDS("d1:bd18:" URL "d1:#32:" SERVER "eee");
done:
  finish(&w);
}

static void contacts_are_listed_by_server_and_key(sc_test *t) {
  work w;
  START("d1:bd18:" URL "d1:#32:" SERVER "1:Rd" ALICE_HAS("1:n1:a")
            BOB_HAS("1:n1:b1:yi1e") "ee"
                                    "26:" OTHER_URL "d1:#32:" OTHER_SERVER "1:Rd" ALICE_HAS("1:n1:c") "eeee");
  OK(sc_blinded_contacts_first(&w.read, w.contacts));
  CHECK(is_at(&w, &w.alice, URL));
  OK(sc_blinded_contacts_next(&w.read, w.contacts));
  CHECK(is_at(&w, &w.bob, URL));
  OK(sc_blinded_contacts_next(&w.read, w.contacts));
  CHECK(is_at(&w, &w.alice, OTHER_URL));
  CHECK(memcmp(w.read.server_key, OTHER_SERVER, sizeof w.read.server_key) == 0);
  SAME(NAME("c"), w.read.name);
  FAILS(SC_ERR_NOT_FOUND, sc_blinded_contacts_next(&w.read, w.contacts));
done:
  finish(&w);
}

/* Servers with a url not in normal form, a short key or no rooms; and rooms with an invalid id or that are no
 * dict. */
#define ODD_URL "18:http://Example.orgd1:#32:" SERVER "1:Rd" ALICE_HAS("1:n0:") "ee"
#define ODD_KEY "18:http://a.example.ad1:#5:short1:Rd" ALICE_HAS("1:n0:") "ee"
#define NO_ROOMS "18:http://b.example.bd1:#32:" SERVER "e"
#define ODD_ROOM "64:616C696365616C696365616C696365616C696365616C696365616C6963653132d1:n0:e"
#define NO_RECORD "64:" BOB_ROOM "i1e"
#define SHORT_ROOM "5:shortd1:n0:e"

static void invalid_records_are_skipped_and_kept(sc_test *t) {
  work w;
  START("d1:bd" ODD_URL ODD_KEY NO_ROOMS "18:" URL "d1:#32:" SERVER "1:Rd" ODD_ROOM ALICE_HAS("1:n2:ok")
            NO_RECORD SHORT_ROOM "eeee");
  OK(sc_blinded_contacts_first(&w.read, w.contacts));
  CHECK(is_at(&w, &w.alice, URL));
  SAME(NAME("ok"), w.read.name);
  FAILS(SC_ERR_NOT_FOUND, sc_blinded_contacts_next(&w.read, w.contacts));
  FAILS(SC_ERR_NOT_FOUND, sc_blinded_contacts_get(&w.read, w.contacts, NAME(URL), &w.bob));
  UNTOUCHED();
done:
  finish(&w);
}

static void values_of_the_wrong_kind_are_ignored(sc_test *t) {
  work w;
  START(ROOMS(ALICE_HAS("1:+1:11:fi1e1:j1:11:ni1e1:pi1e1:qi1e1:t1:11:y1:1")));
  READ(w.alice);
  CHECK(w.read.name.len == 0 && w.read.picture.url.len == 0 && w.read.priority == 0);
  CHECK(w.read.features == 0 && w.read.created_s == 0 && w.read.profile_updated_s == 0);
  finish(&w);
  START("d1:bi1ee");
  FAILS(SC_ERR_NOT_FOUND, sc_blinded_contacts_first(&w.read, w.contacts));
  MAKE(w.alice);
  OK(sc_blinded_contacts_set(w.contacts, &w.read));
  HOLDS(ROOMS(ALICE_HAS("1:n0:")));
done:
  finish(&w);
}

static void numbers_out_of_range_are_clamped(sc_test *t) {
  work w;
  START(ROOMS(ALICE_HAS("1:+i-9223372036854775808e1:ji-1e1:n0:1:ti9223372036854775807e")));
  READ(w.alice);
  CHECK(w.read.priority == INT32_MIN && w.read.created_s == 0);
  CHECK(w.read.profile_updated_s == INT64_C(9000000000));
done:
  finish(&w);
}

static void contacts_can_be_erased_during_a_walk(sc_test *t) {
  work w;
  size_t many = t->torture ? 25 : 300;
  size_t seen = 0;
  bool erased;
  START("de");
  for (size_t i = 0; i < many; i++) {
    sc_id id = w.alice;
    id.bytes[1] = (uint8_t)(i >> 8);
    id.bytes[2] = (uint8_t)i;
    MAKE(id);
    OK(sc_blinded_contacts_set(w.contacts, &w.read));
  }
  sc_status status = sc_blinded_contacts_first(&w.read, w.contacts);
  for (; status == SC_OK; status = sc_blinded_contacts_next(&w.read, w.contacts), seen++)
    OK(sc_blinded_contacts_erase(&erased, w.contacts, NAME(URL), &w.read.id));
  FAILS(SC_ERR_NOT_FOUND, status);
  CHECK(seen == many);
done:
  finish(&w);
}

SUITE(config_blinded_contacts, "config/blinded_contacts",
      {"a new config has no blinded contacts", a_new_config_has_no_blinded_contacts},
      {"every field is read", every_field_is_read}, {"every field is written", every_field_is_written},
      {"the kind of the id is stored as a field", the_kind_of_the_id_is_stored_as_a_field},
      {"writing back an unchanged record leaves the config clean",
       writing_back_an_unchanged_record_leaves_the_config_clean},
      {"setting a blank record keeps unknown fields", setting_a_blank_record_keeps_unknown_fields},
      {"a url is stored in normal form", a_url_is_stored_in_normal_form},
      {"a bad id or url is refused", a_bad_id_or_url_is_refused},
      {"only new texts are checked", only_new_texts_are_checked},
      {"features are set on their own", features_are_set_on_their_own},
      {"erasing a contact keeps its server", erasing_a_contact_keeps_its_server},
      {"contacts are listed by server and key", contacts_are_listed_by_server_and_key},
      {"invalid records are skipped and kept", invalid_records_are_skipped_and_kept},
      {"values of the wrong kind are ignored", values_of_the_wrong_kind_are_ignored},
      {"numbers out of range are clamped", numbers_out_of_range_are_clamped},
      {"contacts can be erased during a walk", contacts_can_be_erased_during_a_walk});
