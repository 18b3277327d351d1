#include "user_groups.h"

#include "community_rooms.h"
#include "data.h"
#include "session-core/base/secret.h"
#include "session-core/config/text.h"

static const sc_group_section current = {"g", SC_ID_GROUP};

/* The object */

static const sc_config_type type = {
    .domain = "UserGroups", .name_space = 5, .kind = SC__SHARED_CONFIG_MESSAGE__KIND__USER_GROUPS};

sc_status sc_user_groups_new(sc_user_groups **out, const sc_env *env, const sc_keypair *account,
                             sc_bytes dump) {
  *out = NULL;
  sc_user_groups *groups = sc_allocate(env, sizeof *groups);
  if (groups == NULL)
    return SC_ERR_NO_MEMORY;
  *groups = (sc_user_groups){.env = env};
  const sc_config_setup setup = {.type = &type, .object = groups, .account = account, .dump = dump};
  sc_status status = sc_config_new(&groups->config, env, &setup);
  if (status == SC_OK)
    *out = groups;
  else
    sc_user_groups_free(groups);
  return status;
}

void sc_user_groups_free(sc_user_groups *groups) {
  if (groups == NULL)
    return;
  sc_config_free(groups->config);
  sc_release(groups->env, groups);
}

sc_config *sc_user_groups_config(const sc_user_groups *groups) {
  return groups->config;
}

/* Of every kind */

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
  out->expiry_s = sc_config_read_positive(fields, "E");
  out->upper_k = sc_config_read_fixed(fields, "K", SC_KEY_BYTES);
  out->membership.invited = sc_config_read_flag(fields, "i");
  out->membership.joined_s = read_time(fields, "j");
  out->lower_k = sc_config_read_fixed(fields, "k", SC_KEY_BYTES);
  out->name = sc_config_read_string(fields, "n");
  out->standing = sc_config_read_positive(fields, "r");
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
  sc_config_fields_of_data(&fields, record->before);
  bool known = sc_bytes_same(name, sc_config_read_string(&fields, "n"));
  sc_status status = known ? SC_OK : sc_config_check_text(name, SIZE_MAX, SC_ERR_CONFIG_NAME);
  *out = sc_config_cut(name, SC_CONFIG_MAX_NAME_BYTES);
  return status;
}

/* Sections with ids */

static sc_status check_id(const sc_group_section *section, const sc_id *id) {
  return sc_id_kind_of(id) == section->id_kind ? SC_OK : SC_ERR_ID_KIND;
}

sc_status sc_group_find(sc_group_fields *out, const sc_user_groups *groups, const sc_group_section *section,
                        const sc_id *id) {
  sc_config_section_path keys;
  sc_config_fields fields;
  sc_status status = check_id(section, id);
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

/* Groups */

static bool is_seed_of(sc_bytes seed, const sc_id *id) {
  if (seed.len != SC_ED25519_SEED_BYTES)
    return false;
  sc_ed25519_pair pair;
  sc_ed25519_pair_from_seed(&pair, seed.ptr);
  bool same = memcmp(pair.public_key, sc_id_key(id), sizeof pair.public_key) == 0;
  sc_ed25519_pair_wipe(&pair);
  return same;
}

/* The id may be that of the group itself. */
static void fill(sc_user_group *out, const sc_id *id, const sc_group_fields *fields) {
  sc_user_group group = {.id = *id,
                         .membership = fields->membership,
                         .name = fields->name,
                         .access = fields->access,
                         .standing = narrow(fields->standing)};
  if (is_seed_of(fields->upper_k, id))
    group.seed = fields->upper_k;
  *out = group;
}

sc_status sc_user_groups_get_group(sc_user_group *out, const sc_user_groups *groups, const sc_id *id) {
  sc_group_fields fields;
  sc_status status = sc_group_find(&fields, groups, &current, id);
  if (status == SC_OK)
    fill(out, id, &fields);
  return status;
}

sc_status sc_user_groups_get_or_make_group(sc_user_group *out, const sc_user_groups *groups,
                                           const sc_id *id) {
  sc_status status = sc_user_groups_get_group(out, groups, id);
  if (status != SC_ERR_NOT_FOUND)
    return status;
  *out = (sc_user_group){.id = *id};
  return SC_OK;
}

static sc_status next_group(sc_user_group *out, const sc_user_groups *groups, const sc_id *after) {
  sc_group_fields fields;
  sc_id id;
  sc_status status = sc_group_find_next(&id, &fields, groups, &current, after);
  if (status == SC_OK)
    fill(out, &id, &fields);
  return status;
}

sc_status sc_user_groups_first_group(sc_user_group *out, const sc_user_groups *groups) {
  return next_group(out, groups, NULL);
}

sc_status sc_user_groups_next_group(sc_user_group *group, const sc_user_groups *groups) {
  return next_group(group, groups, &group->id);
}

/* The seed, even if it is none, is what keeps a group from being nothing. */
static void write_secrets(sc_config_record *record, const sc_user_group *group) {
  static const sc_bytes nothing;
  bool admin = is_seed_of(group->seed, &group->id);
  sc_config_write_always(record, "K", admin ? group->seed : nothing);
  if (!admin)
    sc_config_write_string(record, "s",
                           group->access.len == SC_SUBACCOUNT_ACCESS_BYTES ? group->access : nothing);
}

static void write_group(sc_config_change *change, const sc_user_group *group) {
  sc_config_section_path keys;
  sc_config_record record;
  sc_bytes name;
  sc_config_record_begin(&record, change, sc_config_record_path(&keys, current.name, &group->id));
  sc_config_change_fail(change, sc_group_name(&name, &record, group->name));
  sc_config_write_string(&record, "n", name);
  sc_membership_write(&record, &group->membership);
  write_secrets(&record, group);
  sc_config_write_positive(&record, "r", group->standing);
  sc_config_record_end(&record);
}

sc_status sc_user_groups_set_group(sc_user_groups *groups, const sc_user_group *group) {
  sc_config_change change;
  sc_status status = check_id(&current, &group->id);
  if (status == SC_OK)
    status = sc_membership_check(&group->membership);
  if (status != SC_OK)
    return status;
  sc_config_change_begin(&change, groups->config);
  write_group(&change, group);
  return sc_config_change_end(&change);
}

sc_status sc_user_groups_erase_group(bool *erased, sc_user_groups *groups, const sc_id *id) {
  return sc_group_erase(erased, groups, &current, id);
}

static void forget_secrets(sc_user_group *group) {
  group->seed = group->access = sc_bytes_make(NULL, 0);
}

void sc_user_group_mark_kicked(sc_user_group *group) {
  forget_secrets(group);
  if (group->standing != SC_GROUP_DESTROYED)
    group->standing = SC_GROUP_KICKED;
}

void sc_user_group_mark_invited(sc_user_group *group) {
  if (group->standing == SC_GROUP_KICKED)
    group->standing = SC_GROUP_PRESENT;
}

void sc_user_group_mark_destroyed(sc_user_group *group) {
  forget_secrets(group);
  group->standing = SC_GROUP_DESTROYED;
}

/* All of them */

sc_status sc_user_groups_count(size_t *out, const sc_user_groups *groups, sc_group_kind kind) {
  static const char *const names[] = {"g", "o", "C"};
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
