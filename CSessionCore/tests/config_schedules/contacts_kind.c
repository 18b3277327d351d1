#include "kind.h"
#include "values.h"

enum { records = 4 };

KIND_OF_ACCOUNT(sc_contacts)

static sc_status edit_blinded(sc_contacts *contacts, draws *from) {
  sc_blinded_contact contact;
  sc_id id;
  bool erased;
  bool legacy = draw_one_in(from, 2);
  value_id(&id, legacy ? SC_ID_BLINDED_15 : SC_ID_BLINDED_25, draw_below(from, 2));
  sc_bytes url = draw_url(from);
  if (draw_one_in(from, 3))
    return sc_blinded_contacts_erase(&erased, contacts, url, &id);
  sc_status status = sc_blinded_contacts_get_or_make(&contact, contacts, url, draw_server_key(from), &id);
  contact.name = draw_name(from);
  contact.priority = draw_number(from);
  return status == SC_OK ? sc_blinded_contacts_set(contacts, &contact) : status;
}

static sc_status set_whole(sc_contacts *contacts, const sc_id *id, draws *from) {
  sc_contact contact;
  sc_status status = sc_contacts_get_or_make(&contact, contacts, id);
  contact.name = draw_name(from);
  contact.nickname = draw_name(from);
  contact.picture = draw_picture(from);
  contact.created_s = draw_time(from);
  contact.expiry = SC_CONFIG_EXPIRE_AFTER_SEND;
  contact.expiry_s = draw_number(from);
  return status == SC_OK ? sc_contacts_set(contacts, &contact) : status;
}

static void change_flag(sc_contact *contact, draws *from) {
  bool on = draw_one_in(from, 2);
  switch (draw_below(from, 3)) {
  case 0:
    contact->approved = on;
    break;
  case 1:
    contact->approved_me = on;
    break;
  default:
    contact->blocked = on;
  }
}

static void change_field(sc_contact *contact, draws *from) {
  switch (draw_below(from, 8)) {
  case 0:
    contact->name = draw_name(from);
    break;
  case 1:
    contact->nickname = draw_name(from);
    break;
  case 2:
    contact->picture = draw_picture(from);
    break;
  case 3:
    contact->priority = draw_number(from);
    break;
  case 4:
    contact->notify = (sc_config_notify)draw_below(from, 3);
    break;
  case 5:
    contact->expiry = (sc_config_expiry)draw_below(from, 3);
    contact->expiry_s = draw_number(from);
    break;
  case 6:
    contact->mute_until_s = draw_time(from);
    break;
  default:
    change_flag(contact, from);
  }
}

static sc_status edit_field(sc_contacts *contacts, const sc_id *id, draws *from) {
  sc_contact contact;
  if (draw_one_in(from, 9))
    return sc_contacts_set_features(contacts, id, draw_below(from, 8));
  sc_status status = sc_contacts_get_or_make(&contact, contacts, id);
  if (status != SC_OK)
    return status;
  change_field(&contact, from);
  return sc_contacts_set(contacts, &contact);
}

static sc_status edit(void *object, draws *from, uint64_t wall_ms) {
  (void)wall_ms;
  sc_id id;
  bool erased;
  value_id(&id, SC_ID_STANDARD, draw_below(from, records));
  switch (draw_below(from, 6)) {
  case 0:
    return edit_blinded(object, from);
  case 1:
    return sc_contacts_erase(&erased, object, &id);
  case 2:
    return set_whole(object, &id, from);
  default:
    return edit_field(object, &id, from);
  }
}

static sc_status set_own(void *object, unsigned owner, uint32_t value, uint64_t wall_ms) {
  (void)wall_ms;
  sc_id id;
  value_id(&id, SC_ID_STANDARD, first_own_record + owner);
  sc_contact contact;
  sc_status status = sc_contacts_get_or_make(&contact, object, &id);
  contact.priority = (int32_t)value;
  return status == SC_OK ? sc_contacts_set(object, &contact) : status;
}

static bool has_own(const void *object, unsigned owner, uint32_t value) {
  sc_contact contact;
  sc_id id;
  value_id(&id, SC_ID_STANDARD, first_own_record + owner);
  return sc_contacts_get(&contact, object, &id) == SC_OK && contact.priority == (int32_t)value;
}

static void describe_contact(description *to, const sc_contact *contact) {
  describe_id(to, &contact->id);
  describe_bytes(to, contact->name);
  describe_bytes(to, contact->nickname);
  describe_picture(to, &contact->picture);
  describe_number(to, contact->profile_updated_s);
  describe_number(to, contact->created_s);
  describe_number(to, contact->mute_until_s);
  describe_number(to, contact->priority);
  describe_number(to, contact->expiry_s);
  describe_number(to, contact->expiry);
  describe_number(to, contact->notify);
  describe_number(to, contact->approved);
  describe_number(to, contact->approved_me);
  describe_number(to, contact->blocked);
  describe_number(to, (int64_t)contact->features);
}

static void describe_blinded(description *to, const sc_blinded_contact *contact) {
  describe_id(to, &contact->id);
  describe_text(to, contact->url);
  describe_bytes(to, SC_BYTES(contact->server_key));
  describe_bytes(to, contact->name);
  describe_number(to, contact->priority);
}

static sc_status describe(sc_buffer *out, const void *object) {
  description to = {out, SC_OK};
  sc_contact contact;
  sc_blinded_contact blinded;
  sc_status status = sc_contacts_first(&contact, object);
  for (; status == SC_OK; status = sc_contacts_next(&contact, object))
    describe_contact(&to, &contact);
  if (status == SC_ERR_NOT_FOUND)
    status = sc_blinded_contacts_first(&blinded, object);
  for (; status == SC_OK; status = sc_blinded_contacts_next(&blinded, object))
    describe_blinded(&to, &blinded);
  return description_end(&to, status);
}

static sc_status grow(void *object, draws *from, uint64_t wall_ms) {
  enum { strangers = 400 };
  (void)wall_ms;
  sc_status status = SC_OK;
  for (unsigned i = 0; i < strangers && status == SC_OK; i++) {
    char name[80], nickname[80], url[200];
    uint8_t key[SC_KEY_BYTES] = {200, (uint8_t)i, (uint8_t)(i / 256)};
    sc_contact contact = {0};
    sc_id_make(&contact.id, SC_ID_STANDARD, key);
    draw_letters(name, sizeof name, from);
    draw_letters(nickname, sizeof nickname, from);
    draw_letters(url, sizeof url, from);
    contact.name = sc_bytes_make(name, sizeof name);
    contact.nickname = sc_bytes_make(nickname, sizeof nickname);
    contact.picture = (sc_config_picture){sc_bytes_make(url, sizeof url), SC_BYTES(key)};
    status = sc_contacts_set(object, &contact);
  }
  return status;
}

const kind contacts_kind = {.name = "contacts", KIND_PARTS, .grow = grow};
