#include "contacts.h"

#include "session-core/config/text.h"

static const sc_config_type type = {
    .domain = "Contacts",
    .name_space = 3,
    .kind = SC_LEGACY_CONFIG_CONTACTS,
};

static const char section_key[] = "c";

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

/* A conversation of two has no mentions to choose. */
static sc_config_notify notify_of_two(int64_t notify) {
  return notify == SC_CONFIG_NOTIFY_MENTIONS ? SC_CONFIG_NOTIFY_ALL : (sc_config_notify)notify;
}

/* Without a time messages do not disappear. */
static void join_expiry(sc_contact *contact) {
  bool disappears = contact->expiry != SC_CONFIG_EXPIRE_NEVER && contact->expiry_s > 0;
  contact->expiry = disappears ? contact->expiry : SC_CONFIG_EXPIRE_NEVER;
  contact->expiry_s = disappears ? contact->expiry_s : 0;
}

static int64_t read_seconds(sc_config_fields *fields, const char *key) {
  return sc_config_seconds(sc_config_read_positive(fields, key));
}

/* In the order of the keys. */
static void read_contact(sc_contact *out, sc_config_fields *fields) {
  out->mute_until_s = read_seconds(fields, "!");
  out->priority = (int32_t)sc_config_clamp(sc_config_read_integer(fields, "+"), INT32_MIN, INT32_MAX);
  out->notify = notify_of_two(sc_config_read_choice(fields, "@", SC_CONFIG_NOTIFY_MENTIONS));
  out->approved_me = sc_config_read_flag(fields, "A");
  out->expiry_s = (int32_t)sc_config_clamp(sc_config_read_integer(fields, "E"), 0, INT32_MAX);
  out->nickname = sc_config_read_string(fields, "N");
  out->approved = sc_config_read_flag(fields, "a");
  out->blocked = sc_config_read_flag(fields, "b");
  out->expiry = (sc_config_expiry)sc_config_read_choice(fields, "e", SC_CONFIG_EXPIRE_AFTER_READ);
  out->features = sc_config_read_bits(fields, "f");
  out->created_s = read_seconds(fields, "j");
  out->name = sc_config_read_string(fields, "n");
  out->picture = sc_config_read_picture(fields, "p", "q");
  out->profile_updated_s = sc_config_clamp(sc_config_read_integer(fields, "t"), 0, SC_CONFIG_MAX_SECONDS);
  join_expiry(out);
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

static bool among(int64_t choice, int64_t most) {
  return choice >= 0 && choice <= most;
}

sc_status sc_contact_check_text(sc_bytes text, sc_bytes before) {
  return sc_bytes_same(text, before) ? SC_OK : sc_config_check_text(text, SIZE_MAX, SC_OK);
}

sc_status sc_contact_check_picture(const sc_config_picture *picture, const sc_config_picture *before) {
  return sc_bytes_same(picture->url, before->url) ? SC_OK : sc_config_check_picture(picture);
}

static sc_status check_contact(const sc_contact *contact, const sc_contact *before) {
  if (!among(contact->notify, SC_CONFIG_NOTIFY_MENTIONS) ||
      !among(contact->expiry, SC_CONFIG_EXPIRE_AFTER_READ))
    return SC_ERR_ARGUMENT;
  sc_status status = sc_contact_check_text(contact->name, before->name);
  if (status == SC_OK)
    status = sc_contact_check_text(contact->nickname, before->nickname);
  return status == SC_OK ? sc_contact_check_picture(&contact->picture, &before->picture) : status;
}

/* Everything but the features, and what newer clients know. */
static void write_fields(sc_config_record *record, const sc_contact *contact) {
  sc_contact joined = *contact;
  join_expiry(&joined);
  sc_config_write_positive(record, "!", sc_config_seconds(contact->mute_until_s));
  sc_config_write_nonzero(record, "+", contact->priority);
  sc_config_write_positive(record, "@", notify_of_two(contact->notify));
  sc_config_write_flag(record, "A", contact->approved_me);
  sc_config_write_positive(record, "E", joined.expiry_s);
  sc_config_write_string(record, "N", sc_config_cut(contact->nickname, SC_CONFIG_MAX_NAME_BYTES));
  sc_config_write_flag(record, "a", contact->approved);
  sc_config_write_flag(record, "b", contact->blocked);
  sc_config_write_positive(record, "e", joined.expiry);
  sc_config_write_positive(record, "j", sc_config_seconds(contact->created_s));
  sc_config_write_always(record, "n", sc_config_cut(contact->name, SC_CONFIG_MAX_NAME_BYTES));
  sc_config_write_picture(record, "p", "q", &contact->picture);
  sc_config_write_positive(record, "t",
                           sc_config_clamp(contact->profile_updated_s, 0, SC_CONFIG_MAX_SECONDS));
}

void sc_contact_write(sc_config_change *change, const sc_contact *contact) {
  sc_config_section_path keys;
  sc_config_record record;
  sc_config_record_begin(&record, change, sc_contact_path(&keys, &contact->id));
  write_fields(&record, contact);
  sc_config_record_end(&record);
}

sc_status sc_contact_replace(sc_contacts *contacts, const sc_contact *before, const sc_contact *contact) {
  sc_config_change change;
  sc_status status = check_contact(contact, before);
  if (status != SC_OK)
    return status;
  sc_config_change_begin(&change, contacts->config);
  sc_contact_write(&change, contact);
  return sc_config_change_end(&change);
}

sc_status sc_contacts_set(sc_contacts *contacts, const sc_contact *contact) {
  sc_contact before;
  sc_status status = sc_contacts_get_or_make(&before, contacts, &contact->id);
  return status == SC_OK ? sc_contact_replace(contacts, &before, contact) : status;
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
