#include "session-core/config/group_info.h"

#include <stddef.h>

#include "field_table.h"

struct sc_group_info {
  const sc_env *env;
  sc_config *config;
};

typedef struct content {
  int64_t created_s;
  int64_t expiry_s;
  int64_t delete_s;
  int64_t delete_attachments_s;
  sc_bytes name;
  sc_bytes description;
  sc_config_picture picture;
  bool destroyed;
} content;

#define AT(member) .offset = offsetof(content, member)

static const sc_field_row rows[] = {
    {"!", SC_FIELD_FLAG, AT(destroyed)},
    {"D", SC_FIELD_SECONDS, AT(delete_attachments_s)},
    {"E", SC_FIELD_POSITIVE, AT(expiry_s)},
    {"c", SC_FIELD_SECONDS, AT(created_s)},
    {"d", SC_FIELD_SECONDS, AT(delete_s)},
    {"n", SC_FIELD_TEXT, AT(name), .too_long = SC_ERR_CONFIG_NAME},
    {"o", SC_FIELD_TEXT, AT(description), .limit = SC_GROUP_MAX_DESCRIPTION_BYTES,
     .too_long = SC_ERR_CONFIG_DESCRIPTION},
    {"p", SC_FIELD_PICTURE, AT(picture), .second = "q"},
};

/* False for the members of a group, which the same key signs: they have a dict "m", but no name or time. */
static bool accepts(const sc_config_node *data) {
  const sc_config_entry *members = sc_config_tree_find(data, sc_config_string(sc_bytes_text("m")));
  if (members == NULL || sc_config_entry_kind(members) != SC_CONFIG_DICT)
    return true;
  return sc_config_tree_find(data, sc_config_string(sc_bytes_text("n"))) != NULL ||
         sc_config_tree_find(data, sc_config_string(sc_bytes_text("c"))) != NULL;
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

static content content_of(const sc_group_info *info) {
  content read;
  sc_config_fields fields;
  sc_config_fields_of_data(&fields, sc_config_data(info->config));
  sc_field_table_read(&read, SC_FIELD_TABLE(rows), &fields);
  return read;
}

sc_bytes sc_group_info_name(const sc_group_info *info) {
  return content_of(info).name;
}

sc_bytes sc_group_info_description(const sc_group_info *info) {
  return content_of(info).description;
}

sc_config_picture sc_group_info_picture(const sc_group_info *info) {
  return content_of(info).picture;
}

int64_t sc_group_info_created(const sc_group_info *info) {
  return content_of(info).created_s;
}

int64_t sc_group_info_expiry(const sc_group_info *info) {
  return content_of(info).expiry_s;
}

int64_t sc_group_info_delete_before(const sc_group_info *info) {
  return content_of(info).delete_s;
}

int64_t sc_group_info_delete_attachments_before(const sc_group_info *info) {
  return content_of(info).delete_attachments_s;
}

bool sc_group_info_is_destroyed(const sc_group_info *info) {
  return content_of(info).destroyed;
}

/* Editing */

static sc_status set(sc_group_info *info, const char *key, const void *member) {
  sc_config_change change;
  sc_config_record record;
  sc_config_change_begin(&change, info->config);
  sc_config_record_begin(&record, &change, (sc_config_path){NULL, 0});
  sc_field_table_write_one(&record, SC_FIELD_TABLE(rows), key, member);
  sc_config_record_end(&record);
  return sc_config_change_end(&change);
}

sc_status sc_group_info_set_name(sc_group_info *info, sc_bytes name) {
  return set(info, "n", &name);
}

sc_status sc_group_info_set_description(sc_group_info *info, sc_bytes description) {
  return set(info, "o", &description);
}

sc_status sc_group_info_set_picture(sc_group_info *info, const sc_config_picture *picture) {
  return set(info, "p", picture);
}

sc_status sc_group_info_set_created(sc_group_info *info, int64_t time) {
  return set(info, "c", &time);
}

sc_status sc_group_info_set_expiry(sc_group_info *info, int64_t seconds) {
  return set(info, "E", &seconds);
}

sc_status sc_group_info_set_delete_before(sc_group_info *info, int64_t time) {
  return set(info, "d", &time);
}

sc_status sc_group_info_set_delete_attachments_before(sc_group_info *info, int64_t time) {
  return set(info, "D", &time);
}

sc_status sc_group_info_destroy(sc_group_info *info) {
  const bool destroyed = true;
  return set(info, "!", &destroyed);
}
