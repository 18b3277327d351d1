/* The records of groups: the fields that all kinds have, and the sections where records have ids. */
#include "session-core/config/text.h"
#include "user_groups.h"

/* Fields */

static int32_t narrow(int64_t number) {
  return (int32_t)sc_config_clamp(number, INT32_MIN, INT32_MAX);
}

/* What is negative was never meant. */
static int64_t read_time(sc_config_fields *fields, const char *key) {
  return sc_config_seconds(sc_config_read_positive(fields, key));
}

void sc_group_read(sc_group_fields *out, sc_config_fields *fields) {
  out->membership.mute_until_s = read_time(fields, "!");
  out->membership.priority = narrow(sc_config_read_integer(fields, "+"));
  out->membership.notify = (sc_config_notify)sc_config_read_choice(fields, "@", SC_CONFIG_NOTIFY_MENTIONS);
  out->expiry_s = narrow(sc_config_read_positive(fields, "E"));
  out->upper_k = sc_config_read_fixed(fields, "K", SC_KEY_BYTES);
  out->membership.invited = sc_config_read_flag(fields, "i");
  out->membership.joined_s = read_time(fields, "j");
  out->lower_k = sc_config_read_fixed(fields, "k", SC_KEY_BYTES);
  out->name = sc_config_read_string(fields, "n");
  out->standing = narrow(sc_config_read_positive(fields, "r"));
  out->access = sc_config_read_fixed(fields, "s", SC_SUBACCOUNT_ACCESS_BYTES);
}

sc_status sc_membership_check(const sc_membership *membership) {
  switch (membership->notify) {
  case SC_CONFIG_NOTIFY_DEFAULT:
  case SC_CONFIG_NOTIFY_ALL:
  case SC_CONFIG_NOTIFY_NONE:
  case SC_CONFIG_NOTIFY_MENTIONS:
    return SC_OK;
  default:
    return SC_ERR_ARGUMENT;
  }
}

void sc_membership_write(sc_config_record *record, const sc_membership *membership) {
  sc_config_write_positive(record, "!", sc_config_seconds(membership->mute_until_s));
  sc_config_write_nonzero(record, "+", membership->priority);
  sc_config_write_positive(record, "@", membership->notify);
  sc_config_write_flag(record, "i", membership->invited);
  sc_config_write_positive(record, "j", sc_config_seconds(membership->joined_s));
}

sc_status sc_group_name(sc_bytes *out, const sc_config_record *record, sc_bytes name) {
  sc_config_fields fields;
  sc_config_record_before(&fields, record);
  bool known = sc_bytes_same(name, sc_config_read_string(&fields, "n"));
  sc_status status = known ? SC_OK : sc_config_check_text(name, SIZE_MAX, SC_ERR_CONFIG_NAME);
  *out = sc_config_cut(name, SC_CONFIG_MAX_NAME_BYTES);
  return status;
}

/* Sections with ids */

sc_status sc_group_check_id(const sc_group_section *section, const sc_id *id) {
  return sc_id_kind_of(id) == section->id_kind ? SC_OK : SC_ERR_ID_KIND;
}

sc_status sc_group_find(sc_group_fields *out, const sc_user_groups *groups, const sc_group_section *section,
                        const sc_id *id) {
  sc_config_section_path keys;
  sc_config_fields fields;
  sc_status status = sc_group_check_id(section, id);
  if (status == SC_OK)
    status = sc_config_fields_find(&fields, groups->env, sc_config_data(groups->config),
                                   sc_config_record_path(&keys, section->name, id));
  if (status == SC_OK)
    sc_group_read(out, &fields);
  return status;
}

sc_status sc_group_find_next(sc_id *id, sc_group_fields *out, const sc_user_groups *groups,
                             const sc_group_section *section, const sc_id *after) {
  sc_config_section walk;
  sc_config_fields fields;
  sc_status status = sc_config_section_begin_after(&walk, groups->env, sc_config_data(groups->config),
                                                   section->name, section->id_kind, after);
  if (status == SC_OK && !sc_config_section_next(id, &fields, &walk))
    status = SC_ERR_NOT_FOUND;
  if (status == SC_OK)
    sc_group_read(out, &fields);
  return status;
}

sc_status sc_group_erase(bool *erased, sc_user_groups *groups, const sc_group_section *section,
                         const sc_id *id) {
  sc_group_fields fields;
  sc_config_section_path keys;
  sc_config_change change;
  *erased = false;
  sc_status status = sc_group_find(&fields, groups, section, id);
  if (status != SC_OK)
    return status == SC_ERR_NOT_FOUND ? SC_OK : status;
  sc_config_change_begin(&change, groups->config);
  sc_config_change_erase(&change, sc_config_record_path(&keys, section->name, id));
  status = sc_config_change_end(&change);
  *erased = status == SC_OK;
  return status;
}
