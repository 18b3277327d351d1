#include "user_profile.h"

#include <stddef.h>

#include "field_table.h"
#include "object.h"
#include "session-core/config/text.h"

enum { milliseconds = 1000 };

static const sc_config_type type = {
    .domain = "UserProfile",
    .name_space = 2,
    .kind = SC_LEGACY_CONFIG_USER_PROFILE,
};

sc_status sc_user_profile_new(sc_user_profile **out, const sc_env *env, const sc_keypair *account,
                              sc_bytes dump) {
  *out = NULL;
  sc_user_profile *profile = sc_allocate(env, sizeof *profile);
  if (profile == NULL)
    return SC_ERR_NO_MEMORY;
  profile->env = env;
  sc_config_setup setup = {.type = &type, .object = profile, .account = account, .dump = dump};
  sc_status status = sc_config_new(&profile->config, env, &setup);
  if (status == SC_OK)
    *out = profile;
  else
    sc_release(env, profile);
  return status;
}

void sc_user_profile_free(sc_user_profile *profile) {
  if (profile == NULL)
    return;
  sc_config_free(profile->config);
  sc_release(profile->env, profile);
}

sc_config *sc_user_profile_config(const sc_user_profile *profile) {
  return profile->config;
}

/* Reading */

void sc_user_profile_fields(sc_config_fields *out, const sc_user_profile *profile) {
  sc_config_fields_of_data(out, sc_config_data(profile->config));
}

/* All there is but Session Pro. */
typedef struct content {
  int64_t reuploaded_s;
  int64_t updated_s;
  uint64_t features;
  sc_config_picture reuploaded;
  sc_config_picture picture;
  sc_bytes name;
  sc_config_choice blinded_requests;
  int32_t priority;
  int32_t expiry_s;
} content;

#define AT(member) .offset = offsetof(content, member)

/* Address and key of a picture are fields of their own: an address without its key counts, too. */
static const sc_field_row rows[] = {
    {"+", SC_FIELD_NUMBER, AT(priority)},
    {"M", SC_FIELD_ANSWER, AT(blinded_requests)},
    {"P", SC_FIELD_TEXT, AT(reuploaded.url), .is_read_only = true},
    {"Q", SC_FIELD_FIXED, AT(reuploaded.key), .limit = SC_CONFIG_PICTURE_KEY_BYTES, .is_read_only = true},
    {"T", SC_FIELD_POSITIVE, AT(reuploaded_s)},
    {"e", SC_FIELD_AMOUNT, AT(expiry_s)},
    {"f", SC_FIELD_BITS, AT(features)},
    {"n", SC_FIELD_TEXT, AT(name), .too_long = SC_ERR_CONFIG_NAME},
    {"p", SC_FIELD_TEXT, AT(picture.url), .is_read_only = true},
    {"q", SC_FIELD_FIXED, AT(picture.key), .limit = SC_CONFIG_PICTURE_KEY_BYTES, .is_read_only = true},
    {"t", SC_FIELD_POSITIVE, AT(updated_s)},
};

static void read_content(content *out, const sc_user_profile *profile) {
  sc_config_fields fields;
  sc_user_profile_fields(&fields, profile);
  sc_field_table_read(out, SC_FIELD_TABLE(rows), &fields);
}

/* True if the user's own change is the later one. */
static bool own_change_counts(const content *c) {
  return c->updated_s >= c->reuploaded_s;
}

static int64_t age_to_tell(const content *c) {
  int64_t later = own_change_counts(c) ? c->updated_s : c->reuploaded_s;
  return c->updated_s == 0 ? 0 : sc_config_clamp(later, 0, SC_CONFIG_MAX_SECONDS);
}

void sc_user_profile_get(sc_profile *out, const sc_user_profile *profile) {
  content c;
  read_content(&c, profile);
  *out = (sc_profile){
      .name = c.name,
      .picture = own_change_counts(&c) ? c.picture : c.reuploaded,
      .updated_s = age_to_tell(&c),
      .note_priority = c.priority,
      .note_expiry_s = c.expiry_s,
      .blinded_requests = c.blinded_requests,
      .features = c.features,
  };
}

/* Editing */

void sc_user_profile_begin(sc_user_profile_edit *out, sc_user_profile *profile, uint64_t wall_ms) {
  content c;
  read_content(&c, profile);
  out->stamp = own_change_counts(&c) ? "t" : "T";
  out->now_s = (int64_t)(wall_ms / milliseconds);
  sc_config_change_begin(&out->change, profile->config);
  sc_config_record_begin(&out->record, &out->change, (sc_config_path){0});
}

static void write_one(sc_user_profile_edit *edit, const char *key, const void *member) {
  sc_field_table_write_one(&edit->record, SC_FIELD_TABLE(rows), key, member);
}

static void stamp_as(sc_user_profile_edit *edit, const char *key) {
  if (edit->now_s > 0)
    sc_config_write_integer(&edit->record, key, edit->now_s);
}

void sc_user_profile_stamp(sc_user_profile_edit *edit) {
  stamp_as(edit, edit->stamp);
}

sc_status sc_user_profile_end(sc_user_profile_edit *edit) {
  sc_config_record_end(&edit->record);
  return sc_config_change_end(&edit->change);
}

sc_status sc_user_profile_set_name(sc_user_profile *profile, sc_bytes name, uint64_t wall_ms) {
  sc_user_profile_edit edit;
  content c;
  sc_status status = sc_config_check_name(name);
  read_content(&c, profile);
  if (status != SC_OK || sc_bytes_same(c.name, name))
    return status;
  sc_user_profile_begin(&edit, profile, wall_ms);
  write_one(&edit, "n", &name);
  sc_user_profile_stamp(&edit);
  return sc_user_profile_end(&edit);
}

static bool same_picture(const sc_config_picture *a, const sc_config_picture *b) {
  return sc_bytes_same(a->url, b->url) && sc_bytes_same(a->key, b->key);
}

/* True if a picture is stored, valid or not. */
static bool has_picture(const sc_user_profile *profile, const char *url_key, const char *key_key) {
  sc_config_fields fields;
  sc_user_profile_fields(&fields, profile);
  bool has_url = sc_config_fields_at(&fields, url_key) != NULL;
  return sc_config_fields_at(&fields, key_key) != NULL || has_url;
}

/* Without a picture there is nothing that was uploaded again. */
static sc_status clear_pictures(sc_user_profile *profile, uint64_t wall_ms) {
  sc_user_profile_edit edit;
  bool has_own = has_picture(profile, "p", "q");
  bool has_reuploaded = has_picture(profile, "P", "Q");
  if (!has_own && !has_reuploaded)
    return SC_OK;
  sc_user_profile_begin(&edit, profile, wall_ms);
  sc_config_write_picture(&edit.record, "p", "q", &(sc_config_picture){0});
  sc_config_write_picture(&edit.record, "P", "Q", &(sc_config_picture){0});
  stamp_as(&edit, "t");
  if (has_reuploaded)
    stamp_as(&edit, "T");
  return sc_user_profile_end(&edit);
}

sc_status sc_user_profile_set_picture(sc_user_profile *profile, const sc_config_picture *picture,
                                      uint64_t wall_ms) {
  sc_user_profile_edit edit;
  content c;
  sc_status status = sc_config_check_picture(picture);
  if (status != SC_OK)
    return status;
  if (!sc_config_picture_is_set(picture))
    return clear_pictures(profile, wall_ms);
  read_content(&c, profile);
  if (same_picture(&c.picture, picture))
    return SC_OK;
  sc_user_profile_begin(&edit, profile, wall_ms);
  sc_config_write_picture(&edit.record, "p", "q", picture);
  stamp_as(&edit, "t");
  return sc_user_profile_end(&edit);
}

sc_status sc_user_profile_set_reuploaded(sc_user_profile *profile, const sc_config_picture *picture,
                                         uint64_t wall_ms) {
  sc_user_profile_edit edit;
  content c;
  sc_status status = sc_config_check_picture(picture);
  read_content(&c, profile);
  bool stays = sc_config_picture_is_set(picture) ? same_picture(&c.reuploaded, picture)
                                                 : !has_picture(profile, "P", "Q");
  if (status != SC_OK || stays)
    return status;
  sc_user_profile_begin(&edit, profile, wall_ms);
  sc_config_write_picture(&edit.record, "P", "Q", picture);
  stamp_as(&edit, "T");
  return sc_user_profile_end(&edit);
}

sc_status sc_user_profile_set_blinded_requests(sc_user_profile *profile, sc_config_choice choice,
                                               uint64_t wall_ms) {
  sc_user_profile_edit edit;
  content c;
  if (choice != SC_CONFIG_UNDECIDED && choice != SC_CONFIG_NO && choice != SC_CONFIG_YES)
    return SC_ERR_ARGUMENT;
  read_content(&c, profile);
  if (c.blinded_requests == choice)
    return SC_OK;
  sc_user_profile_begin(&edit, profile, wall_ms);
  write_one(&edit, "M", &choice);
  sc_user_profile_stamp(&edit);
  return sc_user_profile_end(&edit);
}

sc_status sc_user_profile_set_note_priority(sc_user_profile *profile, int32_t priority) {
  sc_user_profile_edit edit;
  sc_user_profile_begin(&edit, profile, 0);
  write_one(&edit, "+", &priority);
  return sc_user_profile_end(&edit);
}

sc_status sc_user_profile_set_note_expiry(sc_user_profile *profile, int32_t seconds) {
  sc_user_profile_edit edit;
  sc_user_profile_begin(&edit, profile, 0);
  write_one(&edit, "e", &seconds);
  return sc_user_profile_end(&edit);
}
