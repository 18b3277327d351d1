/* The legacy groups an account is in. */
#include "data.h"
#include "user_groups.h"

const sc_group_section sc_group_legacy = {"C", SC_ID_STANDARD};

static const sc_field_row rows[] = {
    SC_MEMBERSHIP_ROWS_FIRST(sc_legacy_group),
    {"E", SC_FIELD_AMOUNT, .offset = offsetof(sc_legacy_group, expiry_s)},
    {"K", SC_FIELD_FIXED, .offset = offsetof(sc_legacy_group, secret_key), .limit = SC_KEY_BYTES},
    SC_MEMBERSHIP_ROWS_THEN(sc_legacy_group),
    {"k", SC_FIELD_FIXED, .offset = offsetof(sc_legacy_group, public_key), .limit = SC_KEY_BYTES},
    {"n", SC_FIELD_TEXT, .offset = offsetof(sc_legacy_group, name), .is_kept_empty = true},
};

/* Half a pair of keys is none. */
static void keep_rules(sc_legacy_group *group) {
  if (group->public_key.len != SC_KEY_BYTES || group->secret_key.len != SC_KEY_BYTES)
    group->public_key = group->secret_key = sc_bytes_make(NULL, 0);
}

void sc_legacy_group_read(sc_legacy_group *out, const sc_id *id, sc_config_fields *record) {
  *out = (sc_legacy_group){.id = *id};
  sc_field_table_read(out, SC_FIELD_TABLE(rows), record);
  keep_rules(out);
}

sc_status sc_user_groups_get_legacy_group(sc_legacy_group *out, const sc_user_groups *groups,
                                          const sc_id *id) {
  sc_config_fields fields;
  sc_status status = sc_group_find(&fields, groups, &sc_group_legacy, id);
  if (status == SC_OK)
    sc_legacy_group_read(out, id, &fields);
  return status;
}

sc_status sc_user_groups_get_or_make_legacy_group(sc_legacy_group *out, const sc_user_groups *groups,
                                                  const sc_id *id) {
  sc_status status = sc_user_groups_get_legacy_group(out, groups, id);
  if (status != SC_ERR_NOT_FOUND)
    return status;
  *out = (sc_legacy_group){.id = *id};
  return SC_OK;
}

static sc_status next_group(sc_legacy_group *out, const sc_user_groups *groups, const sc_id *after) {
  sc_config_fields fields;
  sc_id id;
  sc_status status = sc_group_find_next(&id, &fields, groups, &sc_group_legacy, after);
  if (status == SC_OK)
    sc_legacy_group_read(out, &id, &fields);
  return status;
}

sc_status sc_user_groups_first_legacy_group(sc_legacy_group *out, const sc_user_groups *groups) {
  return next_group(out, groups, NULL);
}

sc_status sc_user_groups_next_legacy_group(sc_legacy_group *group, const sc_user_groups *groups) {
  return next_group(group, groups, &group->id);
}

static void write_group(sc_config_change *change, const sc_legacy_group *group) {
  sc_config_section_path keys;
  sc_config_record record;
  sc_legacy_group written = *group;
  keep_rules(&written);
  sc_config_record_begin(&record, change, sc_config_record_path(&keys, sc_group_legacy.name, &group->id));
  sc_field_table_write(&record, SC_FIELD_TABLE(rows), &written);
  sc_config_record_end(&record);
}

sc_status sc_user_groups_set_legacy_group(sc_user_groups *groups, const sc_legacy_group *group) {
  sc_config_change change;
  sc_status status = sc_group_check_id(&sc_group_legacy, &group->id);
  if (status != SC_OK)
    return status;
  sc_config_change_begin(&change, groups->config);
  write_group(&change, group);
  return sc_config_change_end(&change);
}

sc_status sc_user_groups_erase_legacy_group(bool *erased, sc_user_groups *groups, const sc_id *id) {
  return sc_group_erase(erased, groups, &sc_group_legacy, id);
}

/* Members, in two sets: of admins, and of the others */

static const char admins[] = "a";
static const char others[] = "m";

typedef struct set_path {
  sc_bytes keys[3];
} set_path;

static sc_config_path path_of(set_path *keys, const sc_id *group, const char *set) {
  keys->keys[0] = sc_bytes_text(sc_group_legacy.name);
  keys->keys[1] = SC_BYTES(group->bytes);
  keys->keys[2] = sc_bytes_text(set);
  return (sc_config_path){keys->keys, 3};
}

static bool is_account(sc_config_value member) {
  return member.kind == SC_CONFIG_STRING && member.string.len == SC_ID_BYTES &&
         member.string.ptr[0] == SC_ID_STANDARD;
}

/* The first account in a set whose id is greater than `after`, or the first one; empty when there is none. */
static sc_status first_in(sc_bytes *out, const sc_user_groups *groups, const sc_id *group, const char *set,
                          const sc_id *after) {
  set_path keys;
  sc_config_place place;
  sc_config_walk walk;
  const sc_config_entry *member;
  *out = sc_bytes_make(NULL, 0);
  sc_status status =
      sc_config_data_find(&place, groups->env, sc_config_data(groups->config), path_of(&keys, group, set));
  if (status != SC_OK || place.entry == NULL || sc_config_entry_kind(place.entry) != SC_CONFIG_SET)
    return status;
  sc_config_walk_entry(&walk, place.entry);
  if (after != NULL)
    sc_config_walk_past(&walk, sc_config_string(SC_BYTES(after->bytes)));
  while ((member = sc_config_walk_at(&walk)) != NULL && !is_account(sc_encoded_scalar(member->key)))
    sc_config_walk_next(&walk);
  if (member != NULL)
    *out = sc_encoded_scalar(member->key).string;
  return SC_OK;
}

static sc_status next_member(sc_legacy_member *out, const sc_user_groups *groups, const sc_id *group,
                             const sc_id *after) {
  sc_bytes admin, other;
  sc_config_fields fields;
  sc_status status = sc_group_find(&fields, groups, &sc_group_legacy, group);
  if (status == SC_OK)
    status = first_in(&admin, groups, group, admins, after);
  if (status == SC_OK)
    status = first_in(&other, groups, group, others, after);
  if (status != SC_OK)
    return status;
  if (admin.len == 0 && other.len == 0)
    return SC_ERR_NOT_FOUND;
  /* A member of both sets is not an admin. */
  bool is_admin = other.len == 0 || (admin.len > 0 && memcmp(admin.ptr, other.ptr, SC_ID_BYTES) < 0);
  memcpy(out->id.bytes, is_admin ? admin.ptr : other.ptr, SC_ID_BYTES);
  out->admin = is_admin;
  return SC_OK;
}

sc_status sc_user_groups_first_legacy_member(sc_legacy_member *out, const sc_user_groups *groups,
                                             const sc_id *group) {
  return next_member(out, groups, group, NULL);
}

sc_status sc_user_groups_next_legacy_member(sc_legacy_member *member, const sc_user_groups *groups,
                                            const sc_id *group) {
  const sc_id after = member->id;
  return next_member(member, groups, group, &after);
}

static sc_status check_member(const sc_user_groups *groups, const sc_id *group, const sc_id *member) {
  sc_config_fields fields;
  if (sc_id_kind_of(member) != SC_ID_STANDARD)
    return SC_ERR_ID_KIND;
  return sc_group_find(&fields, groups, &sc_group_legacy, group);
}

sc_status sc_user_groups_put_legacy_member(sc_user_groups *groups, const sc_id *group,
                                           const sc_legacy_member *member) {
  set_path keys;
  sc_config_change change;
  sc_config_value id = sc_config_string(SC_BYTES(member->id.bytes));
  sc_status status = check_member(groups, group, &member->id);
  if (status != SC_OK)
    return status;
  sc_config_change_begin(&change, groups->config);
  sc_config_change_add(&change, path_of(&keys, group, member->admin ? admins : others), id);
  sc_config_change_remove(&change, path_of(&keys, group, member->admin ? others : admins), id);
  return sc_config_change_end(&change);
}

sc_status sc_user_groups_remove_legacy_member(sc_user_groups *groups, const sc_id *group,
                                              const sc_id *member) {
  set_path keys;
  sc_config_change change;
  sc_config_value id = sc_config_string(SC_BYTES(member->bytes));
  sc_status status = check_member(groups, group, member);
  if (status != SC_OK)
    return status == SC_ERR_NOT_FOUND ? SC_OK : status;
  sc_config_change_begin(&change, groups->config);
  sc_config_change_remove(&change, path_of(&keys, group, admins), id);
  sc_config_change_remove(&change, path_of(&keys, group, others), id);
  return sc_config_change_end(&change);
}
