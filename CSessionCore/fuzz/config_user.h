/* An account's profile, its contacts, and the settings of one device: read, set to what was read, and edited.
 */
#ifndef SC_FUZZ_CONFIG_USER_H
#define SC_FUZZ_CONFIG_USER_H

#include "config_types.h"

enum { fuzz_most_contacts = 32 };

/* A copy that outlives edits. */
static inline sc_bytes fuzz_keep(sc_buffer *out, sc_bytes text) {
  sc_buffer_init(out, fuzz_env());
  REQUIRE(sc_buffer_append(out, text) == SC_OK);
  return sc_buffer_bytes(out);
}

/* A picture has both or, unless its url may stand alone, neither. */
static inline void fuzz_require_picture(const sc_config_picture *picture, bool url_may_be_alone) {
  REQUIRE(picture->key.len == 0 || picture->key.len == SC_CONFIG_PICTURE_KEY_BYTES);
  REQUIRE(url_may_be_alone || (picture->url.len == 0) == (picture->key.len == 0));
}

/* The profile */

static inline void fuzz_read_profile(const sc_user_profile *profile, sc_profile *read) {
  sc_profile_pro pro;
  sc_user_profile_get(read, profile);
  fuzz_require_picture(&read->picture, true);
  REQUIRE(read->note_expiry_s >= 0 && read->updated_s >= 0 && read->updated_s <= SC_CONFIG_MAX_SECONDS);
  REQUIRE(read->blinded_requests <= SC_CONFIG_YES);
  sc_user_profile_get_pro(&pro, profile, UINT64_C(1750000000000));
  REQUIRE(pro.access_expiry_s >= 0 && pro.grace_s >= 0 && pro.refund_requested_s >= 0);
  REQUIRE(pro.purchase_begun_s >= 0);
  REQUIRE(!pro.has_credential || sc_pro_credential_expiry_s(&pro.credential) > 0);
  sc_profile_pro_wipe(&pro);
}

/* A credential that was read can be stored, and is then the same. */
static inline void fuzz_store_credential(sc_user_profile *profile) {
  sc_profile_pro pro, again;
  sc_user_profile_get_pro(&pro, profile, 0);
  if (pro.has_credential) {
    REQUIRE(sc_user_profile_set_credential(profile, &pro.credential, 0) == SC_OK);
    REQUIRE(sc_user_profile_remove_credential(profile) == SC_OK);
    REQUIRE(sc_user_profile_set_credential(profile, &pro.credential, 0) == SC_OK);
    sc_user_profile_get_pro(&again, profile, 0);
    REQUIRE(again.has_credential);
    REQUIRE(memcmp(again.credential.seed, pro.credential.seed, sizeof pro.credential.seed) == 0);
    REQUIRE(again.credential.proof.expiry == pro.credential.proof.expiry);
    REQUIRE(again.credential.proof.generation == pro.credential.proof.generation);
    sc_profile_pro_wipe(&again);
  }
  sc_profile_pro_wipe(&pro);
}

/* Each edit that is made twice changes nothing the second time. */
static inline void fuzz_edit_profile(sc_user_profile *profile, sc_bytes text, uint64_t wall_ms) {
  static const uint8_t key[SC_CONFIG_PICTURE_KEY_BYTES] = {1};
  sc_config_picture picture = {.url = text, .key = SC_BYTES(key)};
  sc_status named = sc_user_profile_set_name(profile, text, wall_ms);
  REQUIRE(named == SC_OK || named == SC_ERR_UTF8 || named == SC_ERR_CONFIG_NAME);
  sc_status pictured = sc_user_profile_set_picture(profile, &picture, wall_ms);
  REQUIRE(pictured == SC_OK || pictured == SC_ERR_UTF8 || pictured == SC_ERR_CONFIG_PICTURE);
  REQUIRE(sc_user_profile_set_blinded_requests(profile, SC_CONFIG_YES, wall_ms) == SC_OK);
  REQUIRE(sc_user_profile_set_feature(profile, SC_PRO_PROFILE_BADGE, true, wall_ms) == SC_OK);
  REQUIRE(sc_user_profile_set_note_priority(profile, 1) == SC_OK);
  REQUIRE(sc_user_profile_set_note_expiry(profile, 60) == SC_OK);
}

static inline void fuzz_user_profile(sc_bytes dump) {
  sc_user_profile *profile;
  sc_profile read;
  sc_buffer before, names;
  if (sc_user_profile_new(&profile, fuzz_env(), fuzz_config_account(), dump) != SC_OK)
    return;
  sc_config *config = sc_user_profile_config(profile);
  fuzz_read_profile(profile, &read);
  sc_bytes text = fuzz_keep(&names, read.name);
  fuzz_store_credential(profile);
  fuzz_edit_profile(profile, text, UINT64_C(1750000000000));
  fuzz_read_profile(profile, &read);
  REQUIRE(read.blinded_requests == SC_CONFIG_YES && (read.features & SC_PRO_PROFILE_BADGE) != 0);
  sc_buffer_init(&before, fuzz_env());
  fuzz_config_save(&before, config);
  fuzz_edit_profile(profile, text, UINT64_C(1750000001000));
  fuzz_config_unchanged(config, &before);
  sc_buffer_free(&before);
  sc_buffer_free(&names);
  sc_user_profile_free(profile);
}

/* Contacts */

static inline void fuzz_require_contact(const sc_contact *contact) {
  fuzz_require_picture(&contact->picture, false);
  REQUIRE(sc_id_kind_of(&contact->id) == SC_ID_STANDARD);
  REQUIRE(contact->profile_updated_s >= 0 && contact->created_s >= 0 && contact->mute_until_s >= 0);
  REQUIRE((contact->expiry == SC_CONFIG_EXPIRE_NEVER) == (contact->expiry_s == 0));
  REQUIRE(contact->expiry_s >= 0 && contact->notify != SC_CONFIG_NOTIFY_MENTIONS);
}

/* A contact that was read can be stored, and reads back as it was stored. */
static inline void fuzz_store_contact(sc_contacts *contacts, const sc_id *id) {
  sc_contact contact;
  sc_buffer before;
  REQUIRE(sc_contacts_get(&contact, contacts, id) == SC_OK);
  fuzz_require_contact(&contact);
  REQUIRE(sc_contacts_set(contacts, &contact) == SC_OK);
  REQUIRE(sc_contacts_get(&contact, contacts, id) == SC_OK);
  REQUIRE(contact.name.len <= SC_CONFIG_MAX_NAME_BYTES && contact.nickname.len <= SC_CONFIG_MAX_NAME_BYTES);
  sc_buffer_init(&before, fuzz_env());
  fuzz_config_save(&before, sc_contacts_config(contacts));
  REQUIRE(sc_contacts_set(contacts, &contact) == SC_OK);
  fuzz_config_unchanged(sc_contacts_config(contacts), &before);
  sc_buffer_free(&before);
  bool blocked = contact.blocked;
  contact.blocked = !blocked;
  REQUIRE(sc_contacts_set(contacts, &contact) == SC_OK);
  REQUIRE(sc_contacts_set_features(contacts, id, ~contact.features) == SC_OK);
  uint64_t features = contact.features;
  REQUIRE(sc_contacts_get(&contact, contacts, id) == SC_OK);
  REQUIRE(contact.blocked != blocked && contact.features == ~features);
}

/* Gives each name the other one's place. */
static inline void fuzz_edit_contact(sc_contacts *contacts, const sc_id *id) {
  sc_contact contact;
  sc_buffer names[2];
  REQUIRE(sc_contacts_get(&contact, contacts, id) == SC_OK);
  sc_bytes name = fuzz_keep(&names[0], contact.name);
  sc_bytes nickname = fuzz_keep(&names[1], contact.nickname);
  contact.name = nickname;
  contact.nickname = name;
  sc_status status = sc_contacts_set(contacts, &contact);
  REQUIRE(status == SC_OK || status == SC_ERR_UTF8);
  REQUIRE(sc_contacts_get(&contact, contacts, id) == SC_OK);
  REQUIRE(status != SC_OK || sc_bytes_same(contact.name, nickname));
  REQUIRE(status != SC_OK || sc_bytes_same(contact.nickname, name));
  sc_buffer_free(&names[0]);
  sc_buffer_free(&names[1]);
}

static inline void fuzz_probe_people(sc_contacts *contacts) {
  sc_contact contact;
  size_t listed = 0;
  size_t count;
  bool erased;
  REQUIRE(sc_contacts_count(&count, contacts) == SC_OK);
  sc_status status = sc_contacts_first(&contact, contacts);
  for (; status == SC_OK && listed < fuzz_most_contacts;
       status = sc_contacts_next(&contact, contacts), listed++) {
    fuzz_store_contact(contacts, &contact.id);
    fuzz_edit_contact(contacts, &contact.id);
    if (listed % 2 == 0) {
      REQUIRE(sc_contacts_erase(&erased, contacts, &contact.id) == SC_OK);
      REQUIRE(erased);
    }
  }
  REQUIRE(status == SC_OK || status == SC_ERR_NOT_FOUND);
  REQUIRE(listed <= count);
}

static inline void fuzz_probe_strangers(sc_contacts *contacts) {
  sc_blinded_contact contact;
  sc_buffer before;
  size_t listed = 0;
  bool erased;
  sc_status status = sc_blinded_contacts_first(&contact, contacts);
  for (; status == SC_OK && listed < fuzz_most_contacts;
       status = sc_blinded_contacts_next(&contact, contacts), listed++) {
    sc_bytes url = sc_bytes_make(contact.url, contact.url_len);
    sc_id id = contact.id;
    fuzz_require_picture(&contact.picture, false);
    REQUIRE(sc_blinded_contacts_set(contacts, &contact) == SC_OK);
    REQUIRE(sc_blinded_contacts_get(&contact, contacts, url, &id) == SC_OK);
    sc_buffer_init(&before, fuzz_env());
    fuzz_config_save(&before, sc_contacts_config(contacts));
    REQUIRE(sc_blinded_contacts_set(contacts, &contact) == SC_OK);
    fuzz_config_unchanged(sc_contacts_config(contacts), &before);
    sc_buffer_free(&before);
    REQUIRE(sc_blinded_contacts_set_features(contacts, url, &id, ~contact.features) == SC_OK);
    if (listed % 2 == 0) {
      REQUIRE(sc_blinded_contacts_erase(&erased, contacts, url, &id) == SC_OK);
      REQUIRE(erased);
    }
  }
  REQUIRE(status == SC_OK || status == SC_ERR_NOT_FOUND);
}

static inline void fuzz_contacts(sc_bytes dump) {
  sc_contacts *contacts;
  if (sc_contacts_new(&contacts, fuzz_env(), fuzz_config_account(), dump) != SC_OK)
    return;
  fuzz_probe_people(contacts);
  fuzz_probe_strangers(contacts);
  sc_contacts_free(contacts);
}

/* One device */

static inline void fuzz_local(sc_bytes dump) {
  sc_local *local;
  sc_config_choice choice;
  if (sc_local_new(&local, fuzz_env(), dump) != SC_OK)
    return;
  REQUIRE(sc_local_set_preview(local, sc_local_get_preview(local)) == SC_OK);
  REQUIRE(sc_local_set_theme(local, sc_local_get_theme(local)) == SC_OK);
  REQUIRE(sc_local_set_colour(local, sc_local_get_colour(local)) == SC_OK);
  REQUIRE(sc_local_set_sound(local, sc_local_get_sound(local)) == SC_OK);
  sc_bytes name = sc_bytes_text("a");
  REQUIRE(sc_local_set_setting(local, name, SC_CONFIG_NO) == SC_OK);
  REQUIRE(sc_local_get_setting(&choice, local, name) == SC_OK);
  REQUIRE(choice == SC_CONFIG_NO);
  sc_local_free(local);
}

#endif
