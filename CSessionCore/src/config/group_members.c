#include "session-core/config/group_members.h"

#include <stddef.h>

#include "field_table.h"
#include "hashes.h"
#include "section.h"
#include "session-core/base/encoding.h"

static const char section_members[] = "m";
static const char key_pending[] = "pending_send_ids"; /* of the dump */

#define AT(member) .offset = offsetof(sc_group_member, member)

/* When the profile was updated is left to others to write: whether under that key is not certain. */
static const sc_field_row rows[] = {
    {"A", SC_FIELD_FLAG, AT(admin)},
    {"I", SC_FIELD_AMOUNT, AT(invite)},
    {"P", SC_FIELD_AMOUNT, AT(promotion)},
    {"R", SC_FIELD_AMOUNT, AT(removal)},
    {"n", SC_FIELD_TEXT, AT(name), .is_kept_empty = true},
    {"p", SC_FIELD_PICTURE, AT(picture), .second = "q"},
    {"s", SC_FIELD_FLAG, AT(supplement)},
    {"t", SC_FIELD_POSITIVE, AT(profile_updated), .is_read_only = true},
};

struct sc_group_members {
  const sc_env *env;
  sc_config *config;
  sc_config_hashes pending; /* ids */
};

_Static_assert(SC_GROUP_MAX_PENDING == SC_CONFIG_MAX_HASHES, "the set they are kept in");

/* Pending members, known only to this device */

static sc_bytes key_of(const sc_id *id) {
  return SC_BYTES(id->bytes);
}

static void write_pending(const void *object, sc_bt_writer *writer) {
  const sc_group_members *members = object;
  sc_bt_begin_dict(writer);
  if (members->pending.count > 0) {
    sc_bt_write_key(writer, sc_bytes_text(key_pending));
    sc_bt_begin_list(writer);
  }
  for (size_t i = 0; i < members->pending.count; i++) {
    char text[SC_ID_CHARS + 1];
    sc_hex_encode(text, members->pending.items[i]);
    sc_bt_write_string(writer, sc_bytes_text(text));
  }
  if (members->pending.count > 0)
    sc_bt_end(writer);
  sc_bt_end(writer);
}

/* Skips text that is not an id. */
static sc_status read_pending_id(sc_group_members *members, sc_bt_reader *reader) {
  sc_bytes text;
  sc_id id;
  sc_status status = sc_bt_read_string(&text, reader);
  if (status != SC_OK || sc_id_parse(&id, text) != SC_OK)
    return status;
  return sc_config_hashes_add(&members->pending, key_of(&id));
}

static sc_status read_pending(void *object, sc_bt_reader *reader) {
  sc_group_members *members = object;
  sc_status status = sc_bt_enter_dict(reader);
  if (status == SC_OK)
    status = sc_bt_find_key(reader, sc_bytes_text(key_pending));
  if (status == SC_ERR_NOT_FOUND)
    return sc_bt_leave(reader);
  if (status == SC_OK)
    status = sc_bt_enter_list(reader);
  while (status == SC_OK && sc_bt_peek(reader) != SC_BT_END)
    status = read_pending_id(members, reader);
  if (status == SC_OK)
    status = sc_bt_leave(reader);
  return status == SC_OK ? sc_bt_leave(reader) : status;
}

bool sc_group_members_is_pending(const sc_group_members *members, const sc_id *id) {
  return sc_config_hashes_contain(&members->pending, key_of(id));
}

sc_status sc_group_members_set_pending(sc_group_members *members, const sc_id *id, bool pending) {
  if (sc_group_members_is_pending(members, id) == pending)
    return SC_OK;
  sc_status status = SC_OK;
  if (pending)
    status = sc_config_hashes_add(&members->pending, key_of(id));
  else
    sc_config_hashes_remove(&members->pending, key_of(id));
  if (status == SC_OK)
    sc_config_want_dump(members->config);
  return status;
}

/* For savepoints */

static void drop_pending(const sc_env *env, void *kept) {
  sc_config_hashes *pending = kept;
  sc_config_hashes_free(pending);
  sc_release(env, pending);
}

static sc_status keep_pending(void **out, const void *object) {
  const sc_group_members *members = object;
  sc_config_hashes *copy = sc_allocate(members->env, sizeof *copy);
  if (copy == NULL)
    return SC_ERR_NO_MEMORY;
  sc_config_hashes_init(copy, members->env);
  sc_status status = sc_config_hashes_copy(copy, &members->pending);
  if (status == SC_OK)
    *out = copy;
  else
    drop_pending(members->env, copy);
  return status;
}

static void put_back_pending(void *object, void *kept) {
  sc_group_members *members = object;
  sc_config_hashes *pending = kept;
  sc_config_hashes_free(&members->pending);
  members->pending = *pending;
  sc_release(members->env, pending);
}

/* Making */

static bool has(const sc_config_node *data, const char *key) {
  return sc_config_tree_find(data, sc_config_string(sc_bytes_text(key))) != NULL;
}

/* Not the group's info, which has no dict of members, and some of these. */
static bool accepts(const sc_config_node *data) {
  static const char *const of_info[] = {"n", "o", "p", "q", "c", "E", "d", "D", "!"};
  const sc_config_entry *members =
      sc_config_tree_find(data, sc_config_string(sc_bytes_text(section_members)));
  if (members != NULL && sc_config_entry_kind(members) == SC_CONFIG_DICT)
    return true;
  for (size_t i = 0; i < sizeof of_info / sizeof of_info[0]; i++)
    if (has(data, of_info[i]))
      return false;
  return true;
}

static const sc_config_type type = {.domain = "groups::Members",
                                    .name_space = 14,
                                    .accepts = accepts,
                                    .write_extra = write_pending,
                                    .read_extra = read_pending,
                                    .keep_extra = keep_pending,
                                    .put_back_extra = put_back_pending,
                                    .drop_extra = drop_pending};

sc_status sc_group_members_new(sc_group_members **out, const sc_env *env, const sc_id *group,
                               const sc_ed25519_pair *admin, sc_bytes dump) {
  *out = NULL;
  if (sc_id_kind_of(group) != SC_ID_GROUP)
    return SC_ERR_ID_KIND;
  sc_group_members *members = sc_allocate(env, sizeof *members);
  if (members == NULL)
    return SC_ERR_NO_MEMORY;
  *members = (sc_group_members){.env = env};
  sc_config_hashes_init(&members->pending, env);
  sc_status status = sc_config_new(
      &members->config, env,
      &(sc_config_setup){
          .type = &type, .object = members, .verifier = sc_id_key(group), .signer = admin, .dump = dump});
  if (status == SC_OK)
    *out = members;
  else
    sc_group_members_free(members);
  return status;
}

void sc_group_members_free(sc_group_members *members) {
  if (members == NULL)
    return;
  sc_config_hashes_free(&members->pending);
  sc_config_free(members->config);
  sc_release(members->env, members);
}

sc_config *sc_group_members_config(sc_group_members *members) {
  return members->config;
}

/* Reading */

static void read_member(sc_group_member *out, const sc_id *id, sc_config_fields *fields) {
  *out = (sc_group_member){.id = *id};
  sc_field_table_read(out, SC_FIELD_TABLE(rows), fields);
  if (out->admin)
    out->invite = SC_GROUP_ACCEPTED;
  out->supplement = out->supplement && out->invite > 0 && !out->admin && out->promotion == 0;
}

static sc_status check_id(const sc_id *id) {
  return sc_id_kind_of(id) == SC_ID_STANDARD ? SC_OK : SC_ERR_ID_KIND;
}

sc_status sc_group_members_get(sc_group_member *out, const sc_group_members *members, const sc_id *id) {
  sc_config_section_path keys;
  sc_config_fields fields;
  sc_status status = check_id(id);
  if (status == SC_OK)
    status = sc_config_fields_find(&fields, members->env, sc_config_data(members->config),
                                   sc_config_record_path(&keys, section_members, id));
  if (status == SC_OK)
    read_member(out, id, &fields);
  return status;
}

sc_status sc_group_members_next(sc_group_member *out, const sc_group_members *members, const sc_id *after) {
  sc_config_section section;
  sc_config_fields fields;
  sc_id id;
  sc_status status = sc_config_section_begin_after(&section, members->env, sc_config_data(members->config),
                                                   section_members, SC_ID_STANDARD, after);
  if (status != SC_OK)
    return status;
  if (!sc_config_section_next(&id, &fields, &section))
    return SC_ERR_NOT_FOUND;
  read_member(out, &id, &fields);
  return SC_OK;
}

sc_status sc_group_members_count(size_t *out, const sc_group_members *members) {
  sc_bytes section = sc_bytes_text(section_members);
  return sc_config_section_size(out, members->env, sc_config_data(members->config),
                                (sc_config_path){&section, 1});
}

/* Editing */

static sc_status change_member(sc_group_members *members, const sc_group_member *member) {
  sc_config_section_path keys;
  sc_config_change change;
  sc_config_record record;
  sc_group_member written = *member;
  if (member->admin)
    written.invite = SC_GROUP_ACCEPTED;
  sc_config_change_begin(&change, members->config);
  sc_config_record_begin(&record, &change, sc_config_record_path(&keys, section_members, &member->id));
  sc_field_table_write(&record, SC_FIELD_TABLE(rows), &written);
  sc_config_record_end(&record);
  return sc_config_change_end(&change);
}

static bool is_to_be_sent(const sc_group_member *member) {
  return (member->admin ? member->promotion : member->invite) == SC_GROUP_NOT_SENT;
}

/* Do the steps that may fail first; removing an id cannot fail. */
sc_status sc_group_members_set(sc_group_members *members, const sc_group_member *member) {
  bool was_pending = sc_group_members_is_pending(members, &member->id);
  bool pending = is_to_be_sent(member);
  sc_status status = check_id(&member->id);
  if (status == SC_OK && sc_config_is_read_only(members->config))
    status = SC_ERR_CONFIG_READ_ONLY;
  if (status == SC_OK && pending)
    status = sc_config_hashes_add(&members->pending, key_of(&member->id));
  if (status != SC_OK)
    return status;
  status = change_member(members, member);
  if (status == SC_OK ? !pending : !was_pending)
    sc_config_hashes_remove(&members->pending, key_of(&member->id));
  if (status == SC_OK && pending != was_pending)
    sc_config_want_dump(members->config);
  return status;
}

sc_status sc_group_members_erase(bool *erased, sc_group_members *members, const sc_id *id) {
  sc_config_section_path keys;
  sc_config_change change;
  sc_status status = check_id(id);
  if (status != SC_OK)
    return status;
  sc_config_change_begin(&change, members->config);
  const sc_config_node *before = change.data;
  sc_config_change_erase(&change, sc_config_record_path(&keys, section_members, id));
  bool found = change.data != before;
  status = sc_config_change_end(&change);
  if (status == SC_OK)
    status = sc_group_members_set_pending(members, id, false);
  if (status == SC_OK && erased != NULL)
    *erased = found;
  return status;
}
