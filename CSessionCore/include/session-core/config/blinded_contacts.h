/* Blinded contacts: the part of the contacts config for people from communities, known by a blinded id until
 * their account id is known. A person may occur several times, once for each community.
 *
 * The rules of contacts.h about borrowing and editing apply. SC_ERR_COMMUNITY_URL for an invalid community
 * URL, SC_ERR_ID_KIND unless the id begins with 15 or 25. Store blinded contacts only if the account's other
 * clients do too: older clients cannot show them. */
#ifndef SC_CONFIG_BLINDED_CONTACTS_H
#define SC_CONFIG_BLINDED_CONTACTS_H

#include "community_url.h"
#include "contacts.h"

SC_API_BEGIN

typedef struct sc_blinded_contact {
  sc_id id;
  char url[SC_COMMUNITY_MAX_URL_CHARS + 1]; /* normalised URL of the community's server */
  size_t url_len;
  uint8_t server_key[SC_KEY_BYTES];
  sc_bytes name; /* as stored; see sc_config_shown */
  sc_config_picture picture;
  int64_t profile_updated_s; /* when name and picture changed; 0 if unknown, like the times below */
  int64_t created_s;
  int32_t priority;  /* SC_CONFIG_PRIORITY_HIDDEN, 0, or more for a pinned conversation */
  uint64_t features; /* Pro features of their profile, SC_PRO_PROFILE_…; sc_blinded_contacts_set leaves them
                        alone */
} sc_blinded_contact;

/* Reads a contact. SC_ERR_NOT_FOUND. */
SC_API SC_NODISCARD sc_status sc_blinded_contacts_get(sc_blinded_contact *out, const sc_contacts *contacts,
                                                      sc_bytes url, const sc_id *id);

/* Reads a contact, or returns a blank one on a server with this key; stores nothing. */
SC_API SC_NODISCARD sc_status sc_blinded_contacts_get_or_make(sc_blinded_contact *out,
                                                              const sc_contacts *contacts, sc_bytes url,
                                                              const uint8_t server_key[SC_AT_LEAST(32)],
                                                              const sc_id *id);

/* Iterate in the order of servers, then keys. `next` replaces a contact with its successor, even if it was
 * erased. SC_ERR_NOT_FOUND at the end. */
SC_API SC_NODISCARD sc_status sc_blinded_contacts_first(sc_blinded_contact *out, const sc_contacts *contacts);
SC_API SC_NODISCARD sc_status sc_blinded_contacts_next(sc_blinded_contact *contact,
                                                       const sc_contacts *contacts);

/* Stores a whole contact, and the key for the whole server. Cuts and refuses values like sc_contacts_set. */
SC_API SC_NODISCARD sc_status sc_blinded_contacts_set(sc_contacts *contacts,
                                                      const sc_blinded_contact *contact);

/* Sets the Pro features of a contact. SC_ERR_NOT_FOUND. */
SC_API SC_NODISCARD sc_status sc_blinded_contacts_set_features(sc_contacts *contacts, sc_bytes url,
                                                               const sc_id *id, uint64_t features);

/* Erases a contact; `*erased` is true if there was one. The server's key remains. */
SC_API SC_NODISCARD sc_status sc_blinded_contacts_erase(bool *erased, sc_contacts *contacts, sc_bytes url,
                                                        const sc_id *id);

SC_API_END

#endif
