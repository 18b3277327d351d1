#include "session-core/config/group_info.h"

#include "fields.h"
#include "record.h"

struct sc_group_info {
  const sc_env *env;
  sc_config *config;
};

static const char key_destroyed[] = "!";
static const char key_delete_attachments[] = "D";
static const char key_expiry[] = "E";
static const char key_created[] = "c";
static const char key_delete[] = "d";
static const char key_name[] = "n";
static const char key_description[] = "o";
static const char key_picture_url[] = "p";
static const char key_picture_key[] = "q";

/* Not the members of the group, which are in a dict, beside which every info has one of these. */
static bool accepts(const sc_config_node *data) {
  const sc_config_entry *members = sc_config_tree_find(data, sc_config_string(sc_bytes_text("m")));
  if (members == NULL || sc_config_entry_kind(members) != SC_CONFIG_DICT)
    return true;
  return sc_config_tree_find(data, sc_config_string(sc_bytes_text(key_name))) != NULL ||
         sc_config_tree_find(data, sc_config_string(sc_bytes_text(key_created))) != NULL;
}

static const sc_config_type type = {.domain = "groups::Info", .name_space = 13, .accepts = accepts};

sc_status sc_group_info_new(sc_group_info **out, const sc_env *env, const sc_id *group,
                            const sc_ed25519_pair *admin, sc_bytes dump) {
  *out = NULL;
  if (sc_id_kind_of(group) != SC_ID_GROUP)
    return SC_ERR_ID_KIND;
  sc_group_info *info = sc_allocate(env, sizeof *info);
  if (info == NULL)
    return SC_ERR_NO_MEMORY;
  *info = (sc_group_info){.env = env};
  sc_status status = sc_config_new(
      &info->config, env,
      &(sc_config_setup){
          .type = &type, .object = info, .verifier = sc_id_key(group), .signer = admin, .dump = dump});
  if (status == SC_OK)
    *out = info;
  else
    sc_group_info_free(info);
  return status;
}

void sc_group_info_free(sc_group_info *info) {
  if (info == NULL)
    return;
  sc_config_free(info->config);
  sc_release(info->env, info);
}

sc_config *sc_group_info_config(sc_group_info *info) {
  return info->config;
}

static sc_config_fields fields_of(const sc_group_info *info) {
  sc_config_fields fields;
  sc_config_fields_of_data(&fields, sc_config_data(info->config));
  return fields;
}

sc_bytes sc_group_info_name(const sc_group_info *info) {
  sc_config_fields fields = fields_of(info);
  return sc_config_read_string(&fields, key_name);
}

sc_bytes sc_group_info_description(const sc_group_info *info) {
  sc_config_fields fields = fields_of(info);
  return sc_config_read_string(&fields, key_description);
}

sc_config_picture sc_group_info_picture(const sc_group_info *info) {
  sc_config_fields fields = fields_of(info);
  return sc_config_read_picture(&fields, key_picture_url, key_picture_key);
}

static int64_t read_positive(const sc_group_info *info, const char *key) {
  sc_config_fields fields = fields_of(info);
  return sc_config_read_positive(&fields, key);
}

int64_t sc_group_info_created(const sc_group_info *info) {
  return sc_config_seconds(read_positive(info, key_created));
}

int64_t sc_group_info_expiry(const sc_group_info *info) {
  return read_positive(info, key_expiry);
}

int64_t sc_group_info_delete_before(const sc_group_info *info) {
  return sc_config_seconds(read_positive(info, key_delete));
}

int64_t sc_group_info_delete_attachments_before(const sc_group_info *info) {
  return sc_config_seconds(read_positive(info, key_delete_attachments));
}

bool sc_group_info_is_destroyed(const sc_group_info *info) {
  sc_config_fields fields = fields_of(info);
  return sc_config_read_flag(&fields, key_destroyed);
}

/* Editing */

/* An edit of the info, with its one record open. */
typedef struct edit {
  sc_config_change change;
  sc_config_record record;
} edit;

static void begin(edit *out, sc_group_info *info) {
  sc_config_change_begin(&out->change, info->config);
  sc_config_record_begin(&out->record, &out->change, (sc_config_path){NULL, 0});
}

static sc_status end(edit *e) {
  sc_config_record_end(&e->record);
  return sc_config_change_end(&e->change);
}

static sc_status set_text(sc_group_info *info, const char *key, sc_bytes text, size_t most,
                          sc_status too_long) {
  edit e;
  begin(&e, info);
  sc_config_change_fail(&e.change, sc_config_check_text(text, most, too_long));
  sc_config_write_string(&e.record, key, text);
  return end(&e);
}

sc_status sc_group_info_set_name(sc_group_info *info, sc_bytes name) {
  return set_text(info, key_name, name, SC_CONFIG_MAX_NAME_BYTES, SC_ERR_CONFIG_NAME);
}

sc_status sc_group_info_set_description(sc_group_info *info, sc_bytes description) {
  return set_text(info, key_description, description, SC_GROUP_MAX_DESCRIPTION_BYTES,
                  SC_ERR_CONFIG_DESCRIPTION);
}

sc_status sc_group_info_set_picture(sc_group_info *info, const sc_config_picture *picture) {
  edit e;
  begin(&e, info);
  sc_config_change_fail(&e.change, sc_config_check_picture(picture));
  sc_config_write_picture(&e.record, key_picture_url, key_picture_key, picture);
  return end(&e);
}

static sc_status set_positive(sc_group_info *info, const char *key, int64_t number) {
  edit e;
  begin(&e, info);
  sc_config_write_positive(&e.record, key, number);
  return end(&e);
}

sc_status sc_group_info_set_created(sc_group_info *info, int64_t time) {
  return set_positive(info, key_created, sc_config_seconds(time));
}

sc_status sc_group_info_set_expiry(sc_group_info *info, int64_t seconds) {
  return set_positive(info, key_expiry, seconds);
}

sc_status sc_group_info_set_delete_before(sc_group_info *info, int64_t time) {
  return set_positive(info, key_delete, sc_config_seconds(time));
}

sc_status sc_group_info_set_delete_attachments_before(sc_group_info *info, int64_t time) {
  return set_positive(info, key_delete_attachments, sc_config_seconds(time));
}

sc_status sc_group_info_destroy(sc_group_info *info) {
  return set_positive(info, key_destroyed, 1);
}
