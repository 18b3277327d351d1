/* The contacts config: the people an account knows, their names, and the settings of the conversations with
 * them. Namespace 3. blinded_contacts.h has contacts whose account id is not known yet.
 *
 * To edit a contact, get it, change its fields and set it. Values that are read are borrowed until the
 * config is edited, merged or freed; values that are set are copied, and may be borrowed from the config.
 * Storing equal values changes nothing. SC_ERR_ID_KIND unless the id begins with 05, SC_ERR_CONFIG_OWN_ID
 * for the account's own id. One thread at a time. */
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

/* Creates the contacts of an account, empty or from a dump. SC_ERR_CONFIG_DUMP. */
SC_API SC_NODISCARD sc_status sc_contacts_new(sc_contacts **out, const sc_env *env, const sc_keypair *account,
                                              sc_bytes dump);

/* NULL is allowed. */
SC_API void sc_contacts_free(sc_contacts *contacts);

/* Returns the config, to push, merge and dump; it lives as long as the contacts. */
SC_API sc_config *sc_contacts_config(const sc_contacts *contacts);

typedef struct sc_contact {
  sc_id id;
  sc_bytes name;             /* the name they chose, as stored; see sc_config_shown */
  sc_bytes nickname;         /* the nickname that the account chose for them, or empty */
  sc_config_picture picture; /* the picture they chose */
  int64_t profile_updated_s; /* when name and picture changed; 0 if unknown, like the times below */
  int64_t created_s;
  int64_t mute_until_s;
  int32_t priority; /* SC_CONFIG_PRIORITY_HIDDEN, 0, or more for a pinned conversation */
  int32_t expiry_s; /* 0 if and only if messages do not disappear */
  sc_config_expiry expiry;
  sc_config_notify notify; /* never SC_CONFIG_NOTIFY_MENTIONS */
  bool approved;           /* by the account */
  bool approved_me;        /* the account, by them */
  bool blocked;
  uint64_t features; /* Pro features of their profile, SC_PRO_PROFILE_…; unchanged by sc_contacts_set */
} sc_contact;

/* Reads a contact. SC_ERR_NOT_FOUND, also for the account itself; SC_ERR_ID_KIND. */
SC_API SC_NODISCARD sc_status sc_contacts_get(sc_contact *out, const sc_contacts *contacts, const sc_id *id);

/* Reads a contact, or returns a blank one; stores nothing. SC_ERR_ID_KIND, SC_ERR_CONFIG_OWN_ID. */
SC_API SC_NODISCARD sc_status sc_contacts_get_or_make(sc_contact *out, const sc_contacts *contacts,
                                                      const sc_id *id);

/* Iterate in ascending order of ids. `next` replaces a contact with its successor, even if it was erased, so
 * edits are allowed in between. SC_ERR_NOT_FOUND at the end. */
SC_API SC_NODISCARD sc_status sc_contacts_first(sc_contact *out, const sc_contacts *contacts);
SC_API SC_NODISCARD sc_status sc_contacts_next(sc_contact *contact, const sc_contacts *contacts);

/* Counts the entries, including unreadable ones. */
SC_API SC_NODISCARD sc_status sc_contacts_count(size_t *out, const sc_contacts *contacts);

/* Stores a whole contact. Names are cut to 100 bytes; SC_CONFIG_NOTIFY_MENTIONS becomes
 * SC_CONFIG_NOTIFY_ALL; times before 1970 become 0, and so does a timer without seconds. SC_ERR_UTF8 and
 * SC_ERR_CONFIG_PICTURE for values that were not already stored, SC_ERR_ARGUMENT for an unknown choice. */
SC_API SC_NODISCARD sc_status sc_contacts_set(sc_contacts *contacts, const sc_contact *contact);

/* Erases a contact with all fields, including unknown ones, on all devices: the conversation is deleted.
 * `*erased` is true if there was a contact. SC_ERR_ID_KIND. */
SC_API SC_NODISCARD sc_status sc_contacts_erase(bool *erased, sc_contacts *contacts, const sc_id *id);

/* Sets the Pro features of a contact, which sc_contacts_set leaves alone. Creates the contact if there is
 * none. */
SC_API SC_NODISCARD sc_status sc_contacts_set_features(sc_contacts *contacts, const sc_id *id,
                                                       uint64_t features);

SC_API_END

#endif
