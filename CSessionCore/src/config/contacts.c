#include "contacts.h"

#include <stddef.h>

#include "field_table.h"

static const sc_config_type type = {
    .domain = "Contacts",
    .name_space = 3,
    .kind = SC_LEGACY_CONFIG_CONTACTS,
};

static const char section_key[] = "c";

#define AT(member) .offset = offsetof(sc_contact, member)

static const sc_field_row rows[] = {
    {"!", SC_FIELD_SECONDS, AT(mute_until_s)},
    {"+", SC_FIELD_NUMBER, AT(priority)},
    {"@", SC_FIELD_CHOICE, AT(notify), .limit = SC_CONFIG_NOTIFY_MENTIONS},
    {"A", SC_FIELD_FLAG, AT(approved_me)},
    {"E", SC_FIELD_AMOUNT, AT(expiry_s)},
    {"N", SC_FIELD_TEXT, AT(nickname)},
    {"a", SC_FIELD_FLAG, AT(approved)},
    {"b", SC_FIELD_FLAG, AT(blocked)},
    {"e", SC_FIELD_CHOICE, AT(expiry), .limit = SC_CONFIG_EXPIRE_AFTER_READ},
    {"f", SC_FIELD_BITS, AT(features)},
    {"j", SC_FIELD_SECONDS, AT(created_s)},
    {"n", SC_FIELD_TEXT, AT(name), .is_kept_empty = true},
    {"p", SC_FIELD_PICTURE, AT(picture), .second = "q"},
    {"t", SC_FIELD_TIME, AT(profile_updated_s)},
};

sc_config_path sc_contact_path(sc_config_section_path *keys, const sc_id *id) {
  return sc_config_record_path(keys, section_key, id);
}

sc_status sc_contacts_new(sc_contacts **out, const sc_env *env, const sc_keypair *account, sc_bytes dump) {
  *out = NULL;
  sc_contacts *contacts = sc_allocate(env, sizeof *contacts);
  if (contacts == NULL)
    return SC_ERR_NO_MEMORY;
  contacts->env = env;
  sc_id_make(&contacts->own, SC_ID_STANDARD, account->x.public_key);
  sc_config_setup setup = {.type = &type, .object = contacts, .account = account, .dump = dump};
  sc_status status = sc_config_new(&contacts->config, env, &setup);
  if (status == SC_OK)
    *out = contacts;
  else
    sc_release(env, contacts);
  return status;
}

void sc_contacts_free(sc_contacts *contacts) {
  if (contacts == NULL)
    return;
  sc_config_free(contacts->config);
  sc_release(contacts->env, contacts);
}

sc_config *sc_contacts_config(const sc_contacts *contacts) {
  return contacts->config;
}

/* Reading */

/* A conversation of two has no mentions to choose, and messages without a time do not disappear. */
static void keep_rules(sc_contact *contact) {
  if (contact->notify == SC_CONFIG_NOTIFY_MENTIONS)
    contact->notify = SC_CONFIG_NOTIFY_ALL;
  bool disappears = contact->expiry != SC_CONFIG_EXPIRE_NEVER && contact->expiry_s > 0;
  contact->expiry = disappears ? contact->expiry : SC_CONFIG_EXPIRE_NEVER;
  contact->expiry_s = disappears ? contact->expiry_s : 0;
}

static void read_contact(sc_contact *out, sc_config_fields *fields) {
  sc_field_table_read(out, SC_FIELD_TABLE(rows), fields);
  keep_rules(out);
}

static bool is_own(const sc_contacts *contacts, const sc_id *id) {
  return memcmp(id->bytes, contacts->own.bytes, sizeof id->bytes) == 0;
}

sc_status sc_contacts_get(sc_contact *out, const sc_contacts *contacts, const sc_id *id) {
  sc_config_section_path keys;
  sc_config_fields fields;
  if (sc_id_kind_of(id) != SC_ID_STANDARD)
    return SC_ERR_ID_KIND;
  if (is_own(contacts, id))
    return SC_ERR_NOT_FOUND;
  sc_status status = sc_config_fields_find(&fields, contacts->env, sc_config_data(contacts->config),
                                           sc_contact_path(&keys, id));
  if (status != SC_OK)
    return status;
  out->id = *id;
  read_contact(out, &fields);
  return SC_OK;
}

sc_status sc_contacts_get_or_make(sc_contact *out, const sc_contacts *contacts, const sc_id *id) {
  sc_status status = sc_contacts_get(out, contacts, id);
  if (status != SC_ERR_NOT_FOUND)
    return status;
  if (is_own(contacts, id))
    return SC_ERR_CONFIG_OWN_ID;
  *out = (sc_contact){.id = *id};
  return SC_OK;
}

static sc_status find_after(sc_contact *out, const sc_contacts *contacts, const sc_id *after) {
  sc_config_section section;
  sc_config_fields fields;
  sc_id id;
  sc_status status = sc_config_section_begin_after(&section, contacts->env, sc_config_data(contacts->config),
                                                   section_key, SC_ID_STANDARD, after);
  if (status != SC_OK)
    return status;
  do {
    if (!sc_config_section_next(&id, &fields, &section))
      return SC_ERR_NOT_FOUND;
  } while (is_own(contacts, &id));
  out->id = id;
  read_contact(out, &fields);
  return SC_OK;
}

sc_status sc_contacts_first(sc_contact *out, const sc_contacts *contacts) {
  return find_after(out, contacts, NULL);
}

sc_status sc_contacts_next(sc_contact *contact, const sc_contacts *contacts) {
  sc_id after = contact->id;
  return find_after(contact, contacts, &after);
}

sc_status sc_contacts_count(size_t *out, const sc_contacts *contacts) {
  sc_bytes section = sc_bytes_text(section_key);
  return sc_config_section_size(out, contacts->env, sc_config_data(contacts->config),
                                (sc_config_path){&section, 1});
}

/* Editing */

static void write_contact(sc_config_change *change, const sc_contact *contact) {
  sc_config_section_path keys;
  sc_config_record record;
  sc_contact written = *contact;
  if ((unsigned)contact->expiry <= SC_CONFIG_EXPIRE_AFTER_READ)
    keep_rules(&written);
  sc_config_record_begin(&record, change, sc_contact_path(&keys, &contact->id));
  sc_field_table_write(&record, SC_FIELD_TABLE(rows), &written);
  sc_config_record_end(&record);
}

sc_status sc_contacts_set(sc_contacts *contacts, const sc_contact *contact) {
  sc_config_change change;
  sc_contact before;
  sc_status status = sc_contacts_get_or_make(&before, contacts, &contact->id);
  if (status != SC_OK)
    return status;
  sc_config_change_begin(&change, contacts->config);
  write_contact(&change, contact);
  return sc_config_change_end(&change);
}

sc_status sc_contacts_set_features(sc_contacts *contacts, const sc_id *id, uint64_t features) {
  sc_config_section_path keys;
  sc_config_change change;
  sc_contact contact;
  sc_status status = sc_contacts_get(&contact, contacts, id);
  bool exists = status == SC_OK;
  if (status == SC_ERR_NOT_FOUND)
    status = sc_contacts_get_or_make(&contact, contacts, id);
  if (status != SC_OK)
    return status;
  uint64_t before = contact.features;
  sc_config_change_begin(&change, contacts->config);
  if (!exists)
    write_contact(&change, &contact);
  sc_config_path record = sc_contact_path(&keys, id);
  const sc_bytes path[] = {record.keys[0], record.keys[1], sc_bytes_text("f")};
  sc_config_change_bits(&change, (sc_config_path){path, 3}, features & ~before, before & ~features);
  return sc_config_change_end(&change);
}

sc_status sc_contact_erase(bool *erased, sc_contacts *contacts, sc_config_path path) {
  sc_config_change change;
  sc_config_place place;
  sc_config_change_begin(&change, contacts->config);
  sc_status status = sc_config_data_find(&place, contacts->env, change.data, path);
  bool exists = status == SC_OK && place.entry != NULL;
  sc_config_change_fail(&change, status);
  sc_config_change_erase(&change, path);
  status = sc_config_change_end(&change);
  *erased = status == SC_OK && exists;
  return status;
}

sc_status sc_contacts_erase(bool *erased, sc_contacts *contacts, const sc_id *id) {
  sc_config_section_path keys;
  *erased = false;
  if (sc_id_kind_of(id) != SC_ID_STANDARD)
    return SC_ERR_ID_KIND;
  return sc_contact_erase(erased, contacts, sc_contact_path(&keys, id));
}
