/* The other half of the contacts config: people met in communities, known by the id they are blinded with
 * there until they say who they are. A person may be here several times, once for each community.
 *
 * For what is borrowed, copied and left alone see contacts.h. SC_ERR_COMMUNITY_URL for what is no url of a
 * community, SC_ERR_ID_KIND unless the id begins with 15 or 25. Store them only if the account's other
 * clients do as well: older ones cannot see them. */
#ifndef SC_CONFIG_BLINDED_CONTACTS_H
#define SC_CONFIG_BLINDED_CONTACTS_H

#include "community_url.h"
#include "contacts.h"

SC_API_BEGIN

typedef struct sc_blinded_contact {
  sc_id id;
  char url[SC_COMMUNITY_MAX_URL_CHARS + 1]; /* of the community's server, in its normal form */
  size_t url_len;
  uint8_t server_key[SC_KEY_BYTES];
  sc_bytes name; /* as stored; see sc_config_shown */
  sc_config_picture picture;
  int64_t profile_updated_s; /* when name and picture changed; 0 if unknown, as below */
  int64_t created_s;
  int32_t priority;  /* SC_CONFIG_PRIORITY_HIDDEN, 0, or more for a pinned conversation */
  uint64_t features; /* Pro features of their profile, SC_PRO_PROFILE_…; setting leaves them alone */
} sc_blinded_contact;

/* SC_ERR_NOT_FOUND. */
SC_API SC_NODISCARD sc_status sc_blinded_contacts_get(sc_blinded_contact *out, const sc_contacts *contacts,
                                                      sc_bytes url, const sc_id *id);

/* The same, or a blank one on a server with this key when there is none; nothing is stored. */
SC_API SC_NODISCARD sc_status sc_blinded_contacts_get_or_make(sc_blinded_contact *out,
                                                              const sc_contacts *contacts, sc_bytes url,
                                                              const uint8_t server_key[SC_AT_LEAST(32)],
                                                              const sc_id *id);

/* Goes through them by server and then by key. `next` replaces one by the one that comes after it, whether it
 * is still there or not. SC_ERR_NOT_FOUND at the end. */
SC_API SC_NODISCARD sc_status sc_blinded_contacts_first(sc_blinded_contact *out, const sc_contacts *contacts);
SC_API SC_NODISCARD sc_status sc_blinded_contacts_next(sc_blinded_contact *contact,
                                                       const sc_contacts *contacts);

/* Stores a whole contact, and the server's key for all of that server. Cuts and refuses as sc_contacts_set
 * does. */
SC_API SC_NODISCARD sc_status sc_blinded_contacts_set(sc_contacts *contacts,
                                                      const sc_blinded_contact *contact);

/* For clients that implement Pro. SC_ERR_NOT_FOUND. */
SC_API SC_NODISCARD sc_status sc_blinded_contacts_set_features(sc_contacts *contacts, sc_bytes url,
                                                               const sc_id *id, uint64_t features);

/* Whether there was one goes to `*erased`. The server's key stays. */
SC_API SC_NODISCARD sc_status sc_blinded_contacts_erase(bool *erased, sc_contacts *contacts, sc_bytes url,
                                                        const sc_id *id);

SC_API_END

#endif
