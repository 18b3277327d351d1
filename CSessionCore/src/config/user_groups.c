#include "user_groups.h"

const sc_group_section sc_group_current = {"g", SC_ID_GROUP};

/* The object */

static const sc_config_type type = {.domain = "UserGroups", .name_space = 5, .kind = SC_LEGACY_CONFIG_GROUPS};

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

static const sc_field_row rows[] = {
    SC_MEMBERSHIP_ROWS_FIRST(sc_user_group),
    /* The seed, even if it is none, is what keeps a group from being nothing. */
    {"K", SC_FIELD_FIXED, .offset = offsetof(sc_user_group, seed), .limit = SC_ED25519_SEED_BYTES,
     .is_kept_empty = true},
    SC_MEMBERSHIP_ROWS_THEN(sc_user_group),
    {"n", SC_FIELD_TEXT, .offset = offsetof(sc_user_group, name)},
    {"r", SC_FIELD_AMOUNT, .offset = offsetof(sc_user_group, standing)},
    {"s", SC_FIELD_FIXED, .offset = offsetof(sc_user_group, access), .limit = SC_SUBACCOUNT_ACCESS_BYTES},
};

static void keep_rules(sc_user_group *group) {
  if (!is_seed_of(group->seed, &group->id))
    group->seed = sc_bytes_make(NULL, 0);
}

void sc_user_group_read(sc_user_group *out, const sc_id *id, sc_config_fields *record) {
  *out = (sc_user_group){.id = *id};
  sc_field_table_read(out, SC_FIELD_TABLE(rows), record);
  keep_rules(out);
}

sc_status sc_user_groups_get_group(sc_user_group *out, const sc_user_groups *groups, const sc_id *id) {
  sc_config_fields fields;
  sc_status status = sc_group_find(&fields, groups, &sc_group_current, id);
  if (status == SC_OK)
    sc_user_group_read(out, id, &fields);
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
  sc_config_fields fields;
  sc_id id;
  sc_status status = sc_group_find_next(&id, &fields, groups, &sc_group_current, after);
  if (status == SC_OK)
    sc_user_group_read(out, &id, &fields);
  return status;
}

sc_status sc_user_groups_first_group(sc_user_group *out, const sc_user_groups *groups) {
  return next_group(out, groups, NULL);
}

sc_status sc_user_groups_next_group(sc_user_group *group, const sc_user_groups *groups) {
  return next_group(group, groups, &group->id);
}

/* An admin needs no access; a stored one is kept. */
static sc_field_table table_for(const sc_user_group *group) {
  sc_field_table table = SC_FIELD_TABLE(rows);
  table.count -= group->seed.len > 0;
  return table;
}

static void write_group(sc_config_change *change, const sc_user_group *group) {
  sc_config_section_path keys;
  sc_config_record record;
  sc_user_group written = *group;
  keep_rules(&written);
  sc_config_record_begin(&record, change, sc_config_record_path(&keys, sc_group_current.name, &group->id));
  sc_field_table_write(&record, table_for(&written), &written);
  sc_config_record_end(&record);
}

sc_status sc_user_groups_set_group(sc_user_groups *groups, const sc_user_group *group) {
  sc_config_change change;
  sc_status status = sc_group_check_id(&sc_group_current, &group->id);
  if (status != SC_OK)
    return status;
  sc_config_change_begin(&change, groups->config);
  write_group(&change, group);
  return sc_config_change_end(&change);
}

sc_status sc_user_groups_erase_group(bool *erased, sc_user_groups *groups, const sc_id *id) {
  return sc_group_erase(erased, groups, &sc_group_current, id);
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
