/* Setting one field of a contact: all of the contact is stored again, as it was read, unless there is one and
 * the field is what it should be. */
#include "contacts.h"

#include "session-core/config/text.h"

typedef struct field_edit {
  sc_contacts *contacts;
  sc_contact before; /* blank when there is none */
  sc_contact contact;
  bool exists;
  bool same; /* the field is what it is set to */
  sc_status status;
} field_edit;

static field_edit begin(sc_contacts *contacts, const sc_id *id) {
  field_edit edit = {.contacts = contacts};
  edit.status = sc_contacts_get(&edit.before, contacts, id);
  edit.exists = edit.status == SC_OK;
  if (edit.status == SC_ERR_NOT_FOUND)
    edit.status = sc_contacts_get_or_make(&edit.before, contacts, id);
  edit.contact = edit.before;
  return edit;
}

static sc_status end(const field_edit *edit) {
  if (edit->status != SC_OK || (edit->exists && edit->same))
    return edit->status;
  return sc_contact_replace(edit->contacts, &edit->contact);
}

/* Texts and pictures */

static sc_status end_name(field_edit *edit, sc_bytes *field, sc_bytes name) {
  if (edit->status == SC_OK)
    edit->status = sc_config_check_name(name);
  edit->same = sc_bytes_same(*field, name);
  *field = name;
  return end(edit);
}

static sc_status end_name_cut(field_edit *edit, sc_bytes *field, sc_bytes name) {
  if (edit->status == SC_OK)
    edit->status = sc_config_check_text(name, SIZE_MAX, SC_OK);
  return end_name(edit, field, sc_config_cut(name, SC_CONFIG_MAX_NAME_BYTES));
}

sc_status sc_contacts_set_name(sc_contacts *contacts, const sc_id *id, sc_bytes name) {
  field_edit edit = begin(contacts, id);
  return end_name(&edit, &edit.contact.name, name);
}

sc_status sc_contacts_set_name_cut(sc_contacts *contacts, const sc_id *id, sc_bytes name) {
  field_edit edit = begin(contacts, id);
  return end_name_cut(&edit, &edit.contact.name, name);
}

sc_status sc_contacts_set_nickname(sc_contacts *contacts, const sc_id *id, sc_bytes nickname) {
  field_edit edit = begin(contacts, id);
  return end_name(&edit, &edit.contact.nickname, nickname);
}

sc_status sc_contacts_set_nickname_cut(sc_contacts *contacts, const sc_id *id, sc_bytes nickname) {
  field_edit edit = begin(contacts, id);
  return end_name_cut(&edit, &edit.contact.nickname, nickname);
}

sc_status sc_contacts_set_picture(sc_contacts *contacts, const sc_id *id, const sc_config_picture *picture) {
  static const sc_config_picture none;
  if (picture->key.len != 0 && picture->key.len != SC_CONFIG_PICTURE_KEY_BYTES)
    return SC_ERR_KEY_SIZE;
  field_edit edit = begin(contacts, id);
  if (edit.status == SC_OK)
    edit.status = sc_config_check_picture(picture);
  const sc_config_picture *stored = sc_config_picture_is_set(picture) ? picture : &none;
  edit.same = sc_bytes_same(edit.contact.picture.url, stored->url) &&
              sc_bytes_same(edit.contact.picture.key, stored->key);
  edit.contact.picture = *stored;
  return end(&edit);
}

/* Flags */

static sc_status end_flag(field_edit *edit, bool *field, bool flag) {
  edit->same = *field == flag;
  *field = flag;
  return end(edit);
}

sc_status sc_contacts_set_approved(sc_contacts *contacts, const sc_id *id, bool approved) {
  field_edit edit = begin(contacts, id);
  return end_flag(&edit, &edit.contact.approved, approved);
}

sc_status sc_contacts_set_approved_me(sc_contacts *contacts, const sc_id *id, bool approved_me) {
  field_edit edit = begin(contacts, id);
  return end_flag(&edit, &edit.contact.approved_me, approved_me);
}

sc_status sc_contacts_set_blocked(sc_contacts *contacts, const sc_id *id, bool blocked) {
  field_edit edit = begin(contacts, id);
  return end_flag(&edit, &edit.contact.blocked, blocked);
}

/* Numbers */

static sc_status end_time(field_edit *edit, int64_t *field, int64_t time) {
  edit->same = *field == time;
  *field = time;
  return end(edit);
}

sc_status sc_contacts_set_profile_updated(sc_contacts *contacts, const sc_id *id, int64_t when_s) {
  field_edit edit = begin(contacts, id);
  return end_time(&edit, &edit.contact.profile_updated_s, sc_config_clamp(when_s, 0, SC_CONFIG_MAX_SECONDS));
}

sc_status sc_contacts_set_mute_until(sc_contacts *contacts, const sc_id *id, int64_t until_s) {
  field_edit edit = begin(contacts, id);
  return end_time(&edit, &edit.contact.mute_until_s, until_s);
}

sc_status sc_contacts_set_created(sc_contacts *contacts, const sc_id *id, int64_t when_s) {
  field_edit edit = begin(contacts, id);
  return end_time(&edit, &edit.contact.created_s, when_s);
}

sc_status sc_contacts_set_priority(sc_contacts *contacts, const sc_id *id, int32_t priority) {
  field_edit edit = begin(contacts, id);
  edit.same = edit.contact.priority == priority;
  edit.contact.priority = priority;
  return end(&edit);
}

sc_status sc_contacts_set_notify(sc_contacts *contacts, const sc_id *id, sc_config_notify notify) {
  field_edit edit = begin(contacts, id);
  sc_config_notify stored = notify == SC_CONFIG_NOTIFY_MENTIONS ? SC_CONFIG_NOTIFY_ALL : notify;
  edit.same = edit.contact.notify == stored;
  edit.contact.notify = stored;
  return end(&edit);
}

sc_status sc_contacts_set_expiry(sc_contacts *contacts, const sc_id *id, sc_config_expiry expiry,
                                 int32_t seconds) {
  field_edit edit = begin(contacts, id);
  bool disappears = expiry != SC_CONFIG_EXPIRE_NEVER && seconds > 0;
  edit.same = disappears ? edit.contact.expiry == expiry && edit.contact.expiry_s == seconds
                         : edit.contact.expiry == SC_CONFIG_EXPIRE_NEVER;
  edit.contact.expiry = expiry;
  edit.contact.expiry_s = seconds;
  return end(&edit);
}

sc_status sc_contacts_set_features(sc_contacts *contacts, const sc_id *id, uint64_t features) {
  sc_config_section_path keys;
  sc_config_change change;
  field_edit edit = begin(contacts, id);
  if (edit.status != SC_OK)
    return edit.status;
  uint64_t before = edit.contact.features;
  sc_config_change_begin(&change, contacts->config);
  if (!edit.exists)
    sc_contact_write(&change, &edit.contact);
  sc_config_path record = sc_contact_path(&keys, id);
  const sc_bytes path[] = {record.keys[0], record.keys[1], sc_bytes_text("f")};
  sc_config_change_bits(&change, (sc_config_path){path, 3}, features & ~before, before & ~features);
  return sc_config_change_end(&change);
}
