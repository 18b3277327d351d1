/* The sections where the records of groups have ids. */
#include "user_groups.h"

sc_status sc_group_check_id(const sc_group_section *section, const sc_id *id) {
  return sc_id_kind_of(id) == section->id_kind ? SC_OK : SC_ERR_ID_KIND;
}

sc_status sc_group_find(sc_config_fields *out, const sc_user_groups *groups, const sc_group_section *section,
                        const sc_id *id) {
  sc_config_section_path keys;
  sc_status status = sc_group_check_id(section, id);
  if (status == SC_OK)
    status = sc_config_fields_find(out, groups->env, sc_config_data(groups->config),
                                   sc_config_record_path(&keys, section->name, id));
  return status;
}

sc_status sc_group_find_next(sc_id *id, sc_config_fields *out, const sc_user_groups *groups,
                             const sc_group_section *section, const sc_id *after) {
  sc_config_section walk;
  sc_status status = sc_config_section_begin_after(&walk, groups->env, sc_config_data(groups->config),
                                                   section->name, section->id_kind, after);
  if (status == SC_OK && !sc_config_section_next(id, out, &walk))
    status = SC_ERR_NOT_FOUND;
  return status;
}

sc_status sc_group_erase(bool *erased, sc_user_groups *groups, const sc_group_section *section,
                         const sc_id *id) {
  sc_config_fields fields;
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
