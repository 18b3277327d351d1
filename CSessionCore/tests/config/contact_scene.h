/* Shared by the contact tests: an account's contacts and their stored form. */
#ifndef SC_TESTS_CONFIG_CONTACT_SCENE_H
#define SC_TESTS_CONFIG_CONTACT_SCENE_H

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

static inline sc_status start(work *w, const sc_test *t, sc_bytes data) {
  *w = (work){.alice = id_of(ALICE), .bob = id_of(BOB)};
  sc_buffer_init(&w->bytes, t->env);
  sc_keypair keys = own_keys();
  sc_status status = saved_dump_of(&w->bytes, data, "de");
  return status == SC_OK ? sc_contacts_new(&w->contacts, t->env, &keys, sc_buffer_bytes(&w->bytes)) : status;
}

static inline void finish(work *w) {
  sc_contacts_free(w->contacts);
  w->contacts = NULL;
  sc_buffer_free(&w->bytes);
}

#define START(text) OK(start(&w, t, TEXT_BYTES(text)))

/* Contacts in which Alice has these fields. */
#define START_ALICE(fields) START("d1:cd33:" ALICE "d" fields "eee")

#define HOLDS(text) HOLDS_DATA(w.bytes, sc_contacts_config(w.contacts), text)

#define HOLDS_ALICE(fields) HOLDS("d1:cd33:" ALICE "d" fields "eee")

#define READ() OK(sc_contacts_get(&w.read, w.contacts, &w.alice))

#define UNTOUCHED() CHECK(is_untouched(sc_contacts_config(w.contacts)))

/* Edits a contact, or a blank one, and stores it. */
#define EDIT_OF(who, change)                                                                                 \
  do {                                                                                                       \
    sc_contact contact;                                                                                      \
    OK(sc_contacts_get_or_make(&contact, w.contacts, &(who)));                                               \
    change;                                                                                                  \
    OK(sc_contacts_set(w.contacts, &contact));                                                               \
  } while (0)
#define EDIT(change) EDIT_OF(w.alice, change)

#define PICTURE(text) ((sc_config_picture){sc_bytes_text(text), TEXT_BYTES(KEY)})

#define ALL_FIELDS                                                                                           \
  "1:!i1900000000e1:+i3e1:@i2e1:Ai1e1:Ei300e1:N2:Al1:ai1e1:bi1e1:ei2e1:fli1ei5ee1:ji1680064059e1:n5:Alice"   \
  "1:p8:http://x1:q32:" KEY "1:ti1700000000e"

#endif
