#include "config_script.h"

static sc_status create(void **out, script *s, sc_bytes dump) {
  sc_contacts *contacts;
  sc_keypair account = script_account(s);
  sc_status status = sc_contacts_new(&contacts, known_env(s->c), &account, dump);
  *out = contacts;
  return status;
}

static void destroy(void *object) {
  sc_contacts_free(object);
}

static sc_config *config(void *object) {
  return sc_contacts_config(object);
}

/* The contact of a step. */
static sc_status subject(sc_id *out, script *s) {
  return script_id(out, s, "session_id");
}

/* Whole contacts */

static void take_name(script *s, const char *field, sc_bytes *out) {
  if (known_has(s->c, field))
    *out = script_uncut_name(s, field);
}

static void take_time(script *s, const char *field, int64_t *out) {
  if (known_has(s->c, field))
    *out = known_integer(s->c, field);
}

static void take_flag(script *s, const char *field, bool *out) {
  if (known_has(s->c, field))
    *out = known_flag(s->c, field);
}

static void take_picture(script *s, sc_config_picture *out) {
  if (!known_has(s->c, "profile_pic"))
    return;
  const sc_json *back = script_enter(s, "profile_pic");
  *out = script_picture(s);
  script_leave(s, back);
}

static int32_t number_or(script *s, const char *field, int32_t otherwise) {
  return known_has(s->c, field) ? (int32_t)known_integer(s->c, field) : otherwise;
}

static void take_fields(script *s, sc_contact *out) {
  const sc_json *back = script_enter(s, "contact");
  take_name(s, "name", &out->name);
  take_name(s, "nickname", &out->nickname);
  take_picture(s, &out->picture);
  take_flag(s, "approved", &out->approved);
  take_flag(s, "approved_me", &out->approved_me);
  take_flag(s, "blocked", &out->blocked);
  take_time(s, "created", &out->created_s);
  take_time(s, "mute_until", &out->mute_until_s);
  out->priority = number_or(s, "priority", out->priority);
  out->notify = (sc_config_notify)number_or(s, "notifications", (int32_t)out->notify);
  out->expiry = (sc_config_expiry)number_or(s, "expiry_mode", (int32_t)out->expiry);
  out->expiry_s = number_or(s, "expiry_seconds", out->expiry_s);
  script_leave(s, back);
}

static sc_status set(script *s, void *object) {
  sc_id id;
  sc_contact contact;
  sc_status status = subject(&id, s);
  if (status == SC_OK)
    status = sc_contacts_get_or_make(&contact, object, &id);
  if (status != SC_OK)
    return status;
  take_fields(s, &contact);
  return sc_contacts_set(object, &contact);
}

static sc_status erase(script *s, void *object) {
  sc_id id;
  bool erased = false;
  sc_status status = subject(&id, s);
  if (status == SC_OK)
    status = sc_contacts_erase(&erased, object, &id);
  return script_told_erased(s, status, erased);
}

/* Single fields: the reference library has a setter for each. */

typedef struct field_edit {
  sc_contacts *contacts;
  sc_contact contact;
  sc_status status;
} field_edit;

static field_edit begin(script *s, void *object) {
  field_edit edit = {.contacts = object};
  sc_id id;
  edit.status = subject(&id, s);
  if (edit.status == SC_OK)
    edit.status = sc_contacts_get_or_make(&edit.contact, object, &id);
  return edit;
}

static sc_status end(const field_edit *edit) {
  return edit->status == SC_OK ? sc_contacts_set(edit->contacts, &edit->contact) : edit->status;
}

static sc_status set_name(script *s, void *object) {
  field_edit edit = begin(s, object);
  edit.contact.name = known_text(s->c, "name");
  return end(&edit);
}

static sc_status set_nickname_truncated(script *s, void *object) {
  field_edit edit = begin(s, object);
  edit.contact.nickname = known_text(s->c, "nickname");
  return end(&edit);
}

static sc_status set_nickname(script *s, void *object) {
  if (known_text(s->c, "nickname").len > SC_CONFIG_MAX_NAME_BYTES)
    return SC_ERR_CONFIG_NAME;
  return set_nickname_truncated(s, object);
}

static sc_status set_profile_pic(script *s, void *object) {
  sc_config_picture picture = script_picture(s);
  if (picture.key.len != 0 && picture.key.len != SC_CONFIG_PICTURE_KEY_BYTES)
    return SC_ERR_KEY_SIZE;
  field_edit edit = begin(s, object);
  edit.contact.picture = picture;
  return end(&edit);
}

static sc_status set_approved(script *s, void *object) {
  field_edit edit = begin(s, object);
  edit.contact.approved = known_flag(s->c, "value");
  return end(&edit);
}

static sc_status set_approved_me(script *s, void *object) {
  field_edit edit = begin(s, object);
  edit.contact.approved_me = known_flag(s->c, "value");
  return end(&edit);
}

static sc_status set_blocked(script *s, void *object) {
  field_edit edit = begin(s, object);
  edit.contact.blocked = known_flag(s->c, "value");
  return end(&edit);
}

static sc_status set_priority(script *s, void *object) {
  field_edit edit = begin(s, object);
  edit.contact.priority = (int32_t)known_integer(s->c, "priority");
  return end(&edit);
}

static sc_status set_notifications(script *s, void *object) {
  field_edit edit = begin(s, object);
  edit.contact.notify = (sc_config_notify)known_integer(s->c, "value");
  return end(&edit);
}

static sc_status set_expiry(script *s, void *object) {
  field_edit edit = begin(s, object);
  edit.contact.expiry = (sc_config_expiry)known_integer(s->c, "mode");
  edit.contact.expiry_s = (int32_t)known_integer(s->c, "seconds");
  return end(&edit);
}

static sc_status set_created(script *s, void *object) {
  field_edit edit = begin(s, object);
  edit.contact.created_s = known_integer(s->c, "timestamp");
  return end(&edit);
}

/* Reading */

static void same_contact(script *s, const sc_contact *contact) {
  script_same_text(s, "name", contact->name);
  script_same_text(s, "nickname", contact->nickname);
  script_same_picture(s, "profile_pic", &contact->picture);
  known_same_flag(s->c, "approved", contact->approved);
  known_same_flag(s->c, "approved_me", contact->approved_me);
  known_same_flag(s->c, "blocked", contact->blocked);
  known_same_integer(s->c, "priority", contact->priority);
  known_same_integer(s->c, "notifications", contact->notify);
  known_same_integer(s->c, "mute_until", contact->mute_until_s);
  known_same_integer(s->c, "expiry_mode", contact->expiry);
  known_same_integer(s->c, "expiry_seconds", contact->expiry_s);
  known_same_integer(s->c, "created", contact->created_s);
}

/* The requested contact, which is recorded as null if there is none. */
static void same_result(script *s, const sc_contact *contact) {
  const sc_json *step = script_enter(s, "result");
  if (known_has(s->c, "contact") != (contact != NULL))
    known_differs(s->c, contact == NULL ? "we have no such contact" : "we have such a contact");
  else if (contact != NULL) {
    script_enter(s, "contact");
    same_contact(s, contact);
  }
  script_leave(s, step);
}

static sc_status get(script *s, void *object) {
  sc_id id;
  sc_contact contact;
  sc_status status = subject(&id, s);
  if (status == SC_OK)
    status = sc_contacts_get(&contact, object, &id);
  if (status != SC_OK && status != SC_ERR_NOT_FOUND)
    return status;
  same_result(s, status == SC_OK ? &contact : NULL);
  return SC_OK;
}

static sc_status get_or_construct(script *s, void *object) {
  sc_id id;
  sc_contact contact;
  sc_status status = subject(&id, s);
  if (status == SC_OK)
    status = sc_contacts_get_or_make(&contact, object, &id);
  if (status == SC_OK)
    same_result(s, &contact);
  return status;
}

static sc_status same_contacts(script *s, const sc_contacts *contacts) {
  const sc_json *list = known_field(s->c, "contacts");
  sc_contact contact;
  size_t index = 0;
  sc_status status = sc_contacts_first(&contact, contacts);
  for (; status == SC_OK; status = sc_contacts_next(&contact, contacts), index++) {
    if (sc_json_element(&s->c->json, list, index) != SC_OK)
      break;
    known_same_id(s->c, "session_id", &contact.id);
    same_contact(s, &contact);
  }
  if (status == SC_OK || index != sc_json_count(list))
    known_differs(s->c, "we have %zu contacts or more, recorded are %zu", index, sc_json_count(list));
  return status == SC_ERR_NOT_FOUND ? SC_OK : status;
}

static sc_status state(script *s, void *object) {
  size_t count;
  sc_status status = sc_contacts_count(&count, object);
  if (status != SC_OK)
    return status;
  const sc_json *step = script_enter(s, "result");
  script_enter(s, "state");
  known_same_integer(s->c, "size", (int64_t)count);
  status = same_contacts(s, object);
  script_leave(s, step);
  return status;
}

SCRIPT_TOPIC(config_contacts, create, destroy, config, {"set", set}, {"erase", erase}, {"set_name", set_name},
             {"set_nickname", set_nickname}, {"set_nickname_truncated", set_nickname_truncated},
             {"set_profile_pic", set_profile_pic}, {"set_approved", set_approved},
             {"set_approved_me", set_approved_me}, {"set_blocked", set_blocked},
             {"set_priority", set_priority}, {"set_notifications", set_notifications},
             {"set_expiry", set_expiry}, {"set_created", set_created}, {"get", get},
             {"get_or_construct", get_or_construct}, {"state", state});
