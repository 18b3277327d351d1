#include "session-core/config/blinded_contacts.h"

#include <stddef.h>

#include "community_rooms.h"
#include "contacts.h"
#include "field_table.h"
#include "session-core/base/encoding.h"

static const char section_key[] = "b";
static const char key_is_15[] = "y"; /* otherwise the id is of kind 25 */

#define AT(member) .offset = offsetof(sc_blinded_contact, member)

static const sc_field_row rows[] = {
    {"+", SC_FIELD_NUMBER, AT(priority)},
    {"f", SC_FIELD_BITS, AT(features)},
    {"j", SC_FIELD_SECONDS, AT(created_s)},
    {"n", SC_FIELD_TEXT, AT(name), .is_kept_empty = true},
    {"p", SC_FIELD_PICTURE, AT(picture), .second = "q"},
    {"t", SC_FIELD_TIME, AT(profile_updated_s)},
};

/* The room that represents an id: its key in digits. A field has the kind of id. */
static sc_status room_of(sc_community *out, sc_bytes url, const sc_id *id) {
  char digits[SC_HEX_CHARS(SC_KEY_BYTES) + 1];
  sc_id_kind kind = sc_id_kind_of(id);
  if (kind != SC_ID_BLINDED_15 && kind != SC_ID_BLINDED_25)
    return SC_ERR_ID_KIND;
  sc_hex_encode(digits, sc_bytes_make(sc_id_key(id), SC_KEY_BYTES));
  return sc_community_make(out, url, sc_bytes_text(digits), NULL);
}

static sc_bytes url_of(const sc_blinded_contact *contact) {
  return sc_bytes_make(contact->url, contact->url_len);
}

static void set_server(sc_blinded_contact *out, const sc_community *community) {
  memcpy(out->url, community->url, sizeof out->url);
  out->url_len = community->url_len;
  memcpy(out->server_key, community->key, sizeof out->server_key);
}

/* Reading */

/* True if the room represents an id. */
static bool read_contact(sc_blinded_contact *out, const sc_community *community, sc_config_fields *fields) {
  uint8_t key[SC_KEY_BYTES];
  if (sc_hex_decode(key, sizeof key, sc_community_room(community)) != SC_OK)
    return false;
  set_server(out, community);
  sc_field_table_read(out, SC_FIELD_TABLE(rows), fields);
  sc_id_make(&out->id, sc_config_read_flag(fields, key_is_15) ? SC_ID_BLINDED_15 : SC_ID_BLINDED_25, key);
  return true;
}

/* The entry of an id, of either kind. */
static sc_status find(sc_blinded_contact *out, sc_community *community, const sc_contacts *contacts) {
  sc_config_fields fields;
  sc_status status =
      sc_config_rooms_find(community, &fields, contacts->env, sc_config_data(contacts->config), section_key);
  if (status != SC_OK)
    return status;
  return read_contact(out, community, &fields) ? SC_OK : SC_ERR_NOT_FOUND;
}

sc_status sc_blinded_contacts_get(sc_blinded_contact *out, const sc_contacts *contacts, sc_bytes url,
                                  const sc_id *id) {
  sc_community community;
  sc_blinded_contact found;
  sc_status status = room_of(&community, url, id);
  if (status == SC_OK)
    status = find(&found, &community, contacts);
  if (status == SC_OK && sc_id_kind_of(&found.id) != sc_id_kind_of(id))
    status = SC_ERR_NOT_FOUND;
  if (status == SC_OK)
    *out = found;
  return status;
}

sc_status sc_blinded_contacts_get_or_make(sc_blinded_contact *out, const sc_contacts *contacts, sc_bytes url,
                                          const uint8_t server_key[SC_AT_LEAST(32)], const sc_id *id) {
  sc_community community;
  sc_status status = sc_blinded_contacts_get(out, contacts, url, id);
  if (status != SC_ERR_NOT_FOUND)
    return status;
  status = room_of(&community, url, id);
  if (status != SC_OK)
    return status;
  memcpy(community.key, server_key, sizeof community.key);
  *out = (sc_blinded_contact){.id = *id};
  set_server(out, &community);
  return SC_OK;
}

static sc_status read_next(sc_blinded_contact *out, sc_config_rooms *rooms) {
  sc_community community;
  sc_config_fields fields;
  while (sc_config_rooms_next(&community, &fields, rooms)) {
    if (read_contact(out, &community, &fields))
      return SC_OK;
  }
  return SC_ERR_NOT_FOUND;
}

sc_status sc_blinded_contacts_first(sc_blinded_contact *out, const sc_contacts *contacts) {
  sc_config_rooms rooms;
  sc_config_rooms_begin(&rooms, sc_config_data(contacts->config), section_key);
  return read_next(out, &rooms);
}

sc_status sc_blinded_contacts_next(sc_blinded_contact *contact, const sc_contacts *contacts) {
  sc_config_rooms rooms;
  sc_community after;
  sc_status status = room_of(&after, url_of(contact), &contact->id);
  if (status == SC_OK)
    status = sc_config_rooms_begin_after(&rooms, contacts->env, sc_config_data(contacts->config), section_key,
                                         &after);
  return status == SC_OK ? read_next(contact, &rooms) : status;
}

/* Editing */

sc_status sc_blinded_contacts_set(sc_contacts *contacts, const sc_blinded_contact *contact) {
  sc_bytes keys[sc_config_room_keys];
  sc_config_change change;
  sc_config_record record;
  sc_community community;
  sc_status status = room_of(&community, url_of(contact), &contact->id);
  if (status != SC_OK)
    return status;
  memcpy(community.key, contact->server_key, sizeof community.key);
  sc_config_change_begin(&change, contacts->config);
  sc_config_room_begin(&record, keys, &change, section_key, &community);
  sc_field_table_write(&record, SC_FIELD_TABLE(rows), contact);
  sc_config_write_flag(&record, key_is_15, sc_id_kind_of(&contact->id) == SC_ID_BLINDED_15);
  sc_config_record_end(&record);
  return sc_config_change_end(&change);
}

sc_status sc_blinded_contacts_set_features(sc_contacts *contacts, sc_bytes url, const sc_id *id,
                                           uint64_t features) {
  sc_bytes path[sc_config_room_keys + 1];
  sc_config_change change;
  sc_community community;
  sc_blinded_contact before;
  sc_status status = sc_blinded_contacts_get(&before, contacts, url, id);
  if (status == SC_OK)
    status = room_of(&community, url, id);
  if (status != SC_OK)
    return status;
  sc_config_room_path(path, section_key, &community);
  path[sc_config_room_keys] = sc_bytes_text("f");
  sc_config_change_begin(&change, contacts->config);
  sc_config_change_bits(&change, (sc_config_path){path, sc_config_room_keys + 1}, features & ~before.features,
                        before.features & ~features);
  return sc_config_change_end(&change);
}

sc_status sc_blinded_contacts_erase(bool *erased, sc_contacts *contacts, sc_bytes url, const sc_id *id) {
  sc_bytes keys[sc_config_room_keys];
  sc_community community;
  *erased = false;
  sc_status status = room_of(&community, url, id);
  if (status != SC_OK)
    return status;
  return sc_contact_erase(erased, contacts, sc_config_room_path(keys, section_key, &community));
}
