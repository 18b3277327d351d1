#include "config_script.h"

static sc_status create(void **out, script *s, sc_bytes dump) {
  script_group group;
  sc_group_info *info;
  sc_status status = script_read_group(&group, s);
  if (status == SC_OK)
    status = sc_group_info_new(&info, known_env(s->c), &group.id, group.admin, dump);
  if (status != SC_OK)
    return status;
  *out = info;
  return sc_config_replace_keys(sc_group_info_config(info), group.keys.items, group.keys.count, false);
}

static void destroy(void *object) {
  sc_group_info_free(object);
}

static sc_config *config(void *object) {
  return sc_group_info_config(object);
}

static sc_status set_name(script *s, void *object) {
  return sc_group_info_set_name(object, known_text(s->c, "name"));
}

static sc_status set_name_truncated(script *s, void *object) {
  return sc_group_info_set_name(object, sc_config_cut(known_text(s->c, "name"), SC_CONFIG_MAX_NAME_BYTES));
}

static sc_status set_description(script *s, void *object) {
  return sc_group_info_set_description(object, known_text(s->c, "description"));
}

static sc_status set_description_truncated(script *s, void *object) {
  return sc_group_info_set_description(
      object, sc_config_cut(known_text(s->c, "description"), SC_GROUP_MAX_DESCRIPTION_BYTES));
}

static sc_status set_profile_pic(script *s, void *object) {
  sc_config_picture picture = script_picture(s);
  return sc_group_info_set_picture(object, &picture);
}

static sc_status set_expiry_timer(script *s, void *object) {
  return sc_group_info_set_expiry(object, known_integer(s->c, "seconds"));
}

static sc_status set_created(script *s, void *object) {
  return sc_group_info_set_created(object, known_integer(s->c, "timestamp"));
}

static sc_status set_delete_before(script *s, void *object) {
  return sc_group_info_set_delete_before(object, known_integer(s->c, "timestamp"));
}

static sc_status set_delete_attach_before(script *s, void *object) {
  return sc_group_info_set_delete_attachments_before(object, known_integer(s->c, "timestamp"));
}

static sc_status destroy_group(script *s, void *object) {
  (void)s;
  return sc_group_info_destroy(object);
}

static sc_status state(script *s, void *object) {
  const sc_group_info *info = object;
  const sc_json *step = script_enter(s, "result");
  script_enter(s, "state");
  sc_config_picture picture = sc_group_info_picture(info);
  script_same_text(s, "name", sc_group_info_name(info));
  script_same_text(s, "description", sc_group_info_description(info));
  script_same_picture(s, "profile_pic", &picture);
  script_same_integer(s, "expiry_seconds", sc_group_info_expiry(info));
  script_same_integer(s, "created", sc_group_info_created(info));
  script_same_integer(s, "delete_before", sc_group_info_delete_before(info));
  script_same_integer(s, "delete_attach_before", sc_group_info_delete_attachments_before(info));
  known_same_flag(s->c, "destroyed", sc_group_info_is_destroyed(info));
  script_leave(s, step);
  return SC_OK;
}

SCRIPT_TOPIC(config_group_info, create, destroy, config, {"set_name", set_name},
             {"set_name_truncated", set_name_truncated}, {"set_description", set_description},
             {"set_description_truncated", set_description_truncated}, {"set_profile_pic", set_profile_pic},
             {"set_expiry_timer", set_expiry_timer}, {"set_created", set_created},
             {"set_delete_before", set_delete_before}, {"set_delete_attach_before", set_delete_attach_before},
             {"destroy_group", destroy_group}, {"state", state});
