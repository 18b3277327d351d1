/* The state of the contacts config, for the files that implement it. */
#ifndef SC_SRC_CONFIG_CONTACTS_H
#define SC_SRC_CONFIG_CONTACTS_H

#include "record.h"
#include "section.h"
#include "session-core/config/contacts.h"

struct sc_contacts {
  const sc_env *env;
  sc_config *config;
  sc_id own;
};

/* Returns the path at which a contact is stored; the keys live as long as `id`. */
sc_config_path sc_contact_path(sc_config_section_path *keys, const sc_id *id);

/* Erases the entry at the end of a path; `*erased` is true if there was one. */
SC_NODISCARD sc_status sc_contact_erase(bool *erased, sc_contacts *contacts, sc_config_path path);

#endif
