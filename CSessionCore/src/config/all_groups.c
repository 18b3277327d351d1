/* The groups of all kinds, one kind after another. */
#include "community_rooms.h"
#include "user_groups.h"

sc_status sc_user_groups_count(size_t *out, const sc_user_groups *groups, sc_group_kind kind) {
  const char *const names[] = {sc_group_current.name, sc_group_communities, sc_group_legacy.name};
  const sc_config_node *data = sc_config_data(groups->config);
  if (kind != SC_GROUP_CURRENT && kind != SC_GROUP_COMMUNITY && kind != SC_GROUP_LEGACY)
    return SC_ERR_ARGUMENT;
  if (kind == SC_GROUP_COMMUNITY) {
    *out = sc_config_rooms_count(data, names[kind]);
    return SC_OK;
  }
  const sc_bytes name = sc_bytes_text(names[kind]);
  return sc_config_section_size(out, groups->env, data, (sc_config_path){&name, 1});
}

/* The first of a kind, or of the kinds behind. */
static sc_status first_of(sc_any_group *out, const sc_user_groups *groups, sc_group_kind kind) {
  sc_any_group any = {.kind = kind};
  sc_status status = SC_ERR_NOT_FOUND;
  switch (kind) {
  case SC_GROUP_CURRENT:
    status = sc_user_groups_first_group(&any.of.group, groups);
    break;
  case SC_GROUP_COMMUNITY:
    status = sc_user_groups_first_community(&any.of.community, groups);
    break;
  case SC_GROUP_LEGACY:
    status = sc_user_groups_first_legacy_group(&any.of.legacy, groups);
    break;
  }
  if (status == SC_ERR_NOT_FOUND && kind < SC_GROUP_LEGACY)
    return first_of(out, groups, (sc_group_kind)(kind + 1));
  if (status == SC_OK)
    *out = any;
  return status;
}

sc_status sc_user_groups_first(sc_any_group *out, const sc_user_groups *groups) {
  return first_of(out, groups, SC_GROUP_CURRENT);
}

sc_status sc_user_groups_next(sc_any_group *any, const sc_user_groups *groups) {
  sc_status status = SC_ERR_ARGUMENT;
  switch (any->kind) {
  case SC_GROUP_CURRENT:
    status = sc_user_groups_next_group(&any->of.group, groups);
    break;
  case SC_GROUP_COMMUNITY:
    status = sc_user_groups_next_community(&any->of.community, groups);
    break;
  case SC_GROUP_LEGACY:
    return sc_user_groups_next_legacy_group(&any->of.legacy, groups);
  }
  return status == SC_ERR_NOT_FOUND ? first_of(any, groups, (sc_group_kind)(any->kind + 1)) : status;
}

/* Giving them all */
