/* The contacts config: whom an account knows, under what names, and how the conversations with them behave.
 * Namespace 3. Contacts whose account id is not known yet are in blinded_contacts.h.
 *
 * What is read is borrowed until the config is edited, merged or freed; what is set is copied, and may be
 * what was just read. Setters make the contact when there is none, and do nothing when nothing would change.
 * Their failures: SC_ERR_ID_KIND unless the id begins with 05, SC_ERR_CONFIG_OWN_ID for the account's own.
 * One thread at a time. */
#ifndef SC_CONFIG_CONTACTS_H
#define SC_CONFIG_CONTACTS_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/id.h"
#include "object.h"
#include "values.h"

SC_API_BEGIN

typedef struct sc_contacts sc_contacts;

/* The account's contacts, none or from a dump. SC_ERR_CONFIG_DUMP. */
SC_API SC_NODISCARD sc_status sc_contacts_new(sc_contacts **out, const sc_env *env, const sc_keypair *account,
                                              sc_bytes dump);

/* NULL is allowed. */
SC_API void sc_contacts_free(sc_contacts *contacts);

/* To push, merge and dump; lives as long as the contacts. */
SC_API sc_config *sc_contacts_config(const sc_contacts *contacts);

typedef struct sc_contact {
  sc_id id;
  sc_bytes name;             /* their own, as stored; see sc_config_shown */
  sc_bytes nickname;         /* the one we gave them, or empty */
  sc_config_picture picture; /* theirs */
  int64_t profile_updated_s; /* when name and picture changed; 0 if unknown, as below */
  int64_t created_s;
  int64_t mute_until_s;
  int32_t priority; /* SC_CONFIG_PRIORITY_HIDDEN, 0, or more for a pinned conversation */
  int32_t expiry_s; /* 0 exactly when messages do not disappear */
  sc_config_expiry expiry;
  sc_config_notify notify; /* never SC_CONFIG_NOTIFY_MENTIONS */
  bool approved;           /* by us */
  bool approved_me;        /* us, by them */
  bool blocked;
  uint64_t features; /* Pro features of their profile, SC_PRO_PROFILE_…; sc_contacts_set leaves them alone */
} sc_contact;

/* SC_ERR_NOT_FOUND, also for the account itself; SC_ERR_ID_KIND. */
SC_API SC_NODISCARD sc_status sc_contacts_get(sc_contact *out, const sc_contacts *contacts, const sc_id *id);

/* The same, or a blank one when there is none; nothing is stored. SC_ERR_ID_KIND, SC_ERR_CONFIG_OWN_ID. */
SC_API SC_NODISCARD sc_status sc_contacts_get_or_make(sc_contact *out, const sc_contacts *contacts,
                                                      const sc_id *id);

/* Goes through the contacts in ascending order of their ids. `next` replaces a contact by the one that comes
 * after it, whether it is still there or not: edits in between are welcome. SC_ERR_NOT_FOUND at the end. */
SC_API SC_NODISCARD sc_status sc_contacts_first(sc_contact *out, const sc_contacts *contacts);
SC_API SC_NODISCARD sc_status sc_contacts_next(sc_contact *contact, const sc_contacts *contacts);

/* How many entries there are, with those that are no contacts we could read. */
SC_API SC_NODISCARD sc_status sc_contacts_count(size_t *out, const sc_contacts *contacts);

/* Stores a whole contact. What does not fit into 100 bytes of its names is cut off; one that notifies of
 * mentions notifies of everything; times before 1970, and seconds to disappear in that are none, are unset.
 * SC_ERR_UTF8 and SC_ERR_CONFIG_PICTURE for what was not stored before, SC_ERR_ARGUMENT for what is not among
 * the choices. */
SC_API SC_NODISCARD sc_status sc_contacts_set(sc_contacts *contacts, const sc_contact *contact);

/* Removes a contact with everything that newer clients know of it, on all devices: the conversation is gone.
 * Whether there was one goes to `*erased`. SC_ERR_ID_KIND. */
SC_API SC_NODISCARD sc_status sc_contacts_erase(bool *erased, sc_contacts *contacts, const sc_id *id);

/* Sets the Pro features of a contact, which sc_contacts_set leaves alone. Creates the contact if there is
 * none. */
SC_API SC_NODISCARD sc_status sc_contacts_set_features(sc_contacts *contacts, const sc_id *id,
                                                       uint64_t features);

SC_API_END

#endif
