#include "config/change.h"
#include "config/user_groups.h"
#include "config_script.h"
#include "session-core/config/text.h"

static sc_status create(void **out, script *s, sc_bytes dump) {
  sc_keypair account = script_account(s);
  sc_user_groups *groups;
  sc_status status = sc_user_groups_new(&groups, known_env(s->c), &account, dump);
  *out = groups;
  return status;
}

static void destroy(void *object) {
  sc_user_groups_free(object);
}

static sc_config *config(void *object) {
  return sc_user_groups_config(object);
}

/* Records and their fields in a step */

static int32_t number(script *s, const char *field) {
  return (int32_t)known_integer(s->c, field);
}

static void change_membership(script *s, sc_membership *membership) {
  if (known_has(s->c, "priority"))
    membership->priority = number(s, "priority");
  if (known_has(s->c, "joined_at"))
    membership->joined_s = known_integer(s->c, "joined_at");
  if (known_has(s->c, "notifications"))
    membership->notify = (sc_config_notify)known_integer(s->c, "notifications");
  if (known_has(s->c, "mute_until"))
    membership->mute_until_s = known_integer(s->c, "mute_until");
  if (known_has(s->c, "invited"))
    membership->invited = known_flag(s->c, "invited");
}

/* The reference truncates names even within a character; we neither do that nor accept such a name. */
static bool splits_a_character(sc_bytes name) {
  return sc_config_cut(name, SC_CONFIG_MAX_NAME_BYTES).len < SC_CONFIG_MAX_NAME_BYTES &&
         name.len > SC_CONFIG_MAX_NAME_BYTES;
}

/* Then the step continues with the name the reference stored, written as a newer client might. */
static sc_status set_raw_name(script *s, sc_user_groups *groups, const char *section, const sc_id *id) {
  sc_config_change change;
  sc_bytes name = known_text(s->c, "name");
  const sc_bytes keys[] = {sc_bytes_text(section), SC_BYTES(id->bytes), sc_bytes_text("n")};
  sc_config_change_begin(&change, sc_user_groups_config(groups));
  sc_config_change_set(&change, (sc_config_path){keys, sizeof keys / sizeof keys[0]},
                       sc_config_string(sc_bytes_make(name.ptr, SC_CONFIG_MAX_NAME_BYTES)));
  return sc_config_change_end(&change);
}

static sc_status after_set(script *s, sc_user_groups *groups, sc_status status, const char *section,
                           const sc_id *id) {
  bool raw = known_has(s->c, "name") && splits_a_character(known_text(s->c, "name"));
  return status == SC_OK && raw ? set_raw_name(s, groups, section, id) : status;
}

static void mark(script *s, sc_user_group *group) {
  sc_bytes how = known_text(s->c, "mark");
  if (sc_bytes_same(how, sc_bytes_text("kicked")))
    sc_user_group_mark_kicked(group);
  else if (sc_bytes_same(how, sc_bytes_text("invited")))
    sc_user_group_mark_invited(group);
  else if (sc_bytes_same(how, sc_bytes_text("destroyed")))
    sc_user_group_mark_destroyed(group);
  else
    known_differs(s->c, "a mark that is not known");
}

static sc_status set_group(script *s, void *object) {
  sc_id id;
  sc_user_group group;
  sc_status status = script_id(&id, s, "id");
  if (status == SC_OK)
    status = sc_user_groups_get_or_make_group(&group, object, &id);
  if (status != SC_OK)
    return status;
  change_membership(s, &group.membership);
  if (known_has(s->c, "name"))
    group.name = known_text(s->c, "name");
  if (known_has(s->c, "secretkey"))
    group.seed = sc_bytes_make(known_hex(s->c, "secretkey").ptr, SC_ED25519_SEED_BYTES);
  if (known_has(s->c, "auth_data"))
    group.access = known_hex(s->c, "auth_data");
  if (known_has(s->c, "removed_status"))
    group.standing = number(s, "removed_status");
  if (known_has(s->c, "mark"))
    mark(s, &group);
  return after_set(s, object, sc_user_groups_set_group(object, &group), "g", &id);
}

static sc_status store_community(script *s, sc_user_groups *groups, sc_bytes url, sc_bytes room,
                                 const uint8_t *key) {
  sc_user_community community;
  sc_status status = sc_user_groups_get_or_make_community(&community, groups, url, room, key);
  if (status != SC_OK)
    return status;
  memcpy(community.community.key, key, sizeof community.community.key);
  change_membership(s, &community.membership);
  if (known_has(s->c, "set_room")) {
    sc_bytes spelling = known_text(s->c, "set_room");
    if (spelling.len > SC_COMMUNITY_MAX_ROOM_CHARS)
      return SC_ERR_COMMUNITY_ROOM;
    memcpy(community.spelling, spelling.ptr, spelling.len);
    community.spelling[spelling.len] = '\0';
  }
  return sc_user_groups_set_community(groups, &community);
}

static sc_status set_community(script *s, void *object) {
  const uint8_t *key = known_key(s->c, "pubkey");
  if (s->c->refusal != SC_OK)
    return s->c->refusal;
  return store_community(s, object, known_text(s->c, "base_url"), known_text(s->c, "room"), key);
}

static sc_status set_community_url(script *s, void *object) {
  sc_community_link link;
  sc_status status = sc_community_link_parse_full(&link, known_text(s->c, "url"));
  return status == SC_OK
             ? store_community(s, object, sc_bytes_make(link.url, link.url_len), link.room, link.key)
             : status;
}

/* Members: an object of their ids with their admin flags. Without a group only their validity is checked. */
typedef struct insertion {
  sc_user_groups *groups;
  const sc_id *group;
} insertion;

static sc_status insert_member(void *user, sc_bytes key, const sc_json *value) {
  const insertion *to = user;
  sc_legacy_member member;
  sc_status status = sc_json_bool(&member.admin, value);
  if (status == SC_OK)
    status = sc_id_parse(&member.id, key);
  if (status == SC_OK && sc_id_kind_of(&member.id) != SC_ID_STANDARD)
    status = SC_ERR_ID_KIND;
  return status == SC_OK && to->group != NULL
             ? sc_user_groups_put_legacy_member(to->groups, to->group, &member)
             : status;
}

static sc_status insert_members(script *s, sc_user_groups *groups, const sc_id *group) {
  insertion to = {groups, group};
  return known_has(s->c, "insert") ? sc_json_each(known_field(s->c, "insert"), insert_member, &to) : SC_OK;
}

static sc_status remove_members(script *s, sc_user_groups *groups, const sc_id *group) {
  sc_status status = SC_OK;
  if (!known_has(s->c, "remove"))
    return SC_OK;
  const sc_json *members = known_field(s->c, "remove");
  for (size_t i = 0; i < sc_json_count(members) && status == SC_OK; i++) {
    const sc_json *text;
    sc_bytes id_text;
    sc_id id;
    status = sc_json_element(&text, members, i);
    if (status == SC_OK)
      status = sc_json_string(&id_text, text);
    if (status == SC_OK)
      status = sc_id_parse(&id, id_text);
    if (status == SC_OK)
      status = sc_user_groups_remove_legacy_member(groups, group, &id);
  }
  return status;
}

static void change_legacy_group(script *s, sc_legacy_group *group) {
  change_membership(s, &group->membership);
  if (known_has(s->c, "name"))
    group->name = known_text(s->c, "name");
  if (known_has(s->c, "enc_pubkey"))
    group->public_key = known_hex(s->c, "enc_pubkey");
  if (known_has(s->c, "enc_seckey"))
    group->secret_key = known_hex(s->c, "enc_seckey");
  if (known_has(s->c, "disappearing_timer"))
    group->expiry_s = number(s, "disappearing_timer");
}

static sc_status set_legacy_group(script *s, void *object) {
  sc_id id;
  sc_legacy_group group;
  sc_status status = script_id(&id, s, "id");
  if (status == SC_OK)
    status = sc_user_groups_get_or_make_legacy_group(&group, object, &id);
  if (status == SC_OK)
    status = insert_members(s, object, NULL);
  if (status != SC_OK)
    return status;
  change_legacy_group(s, &group);
  status = after_set(s, object, sc_user_groups_set_legacy_group(object, &group), "C", &id);
  if (status == SC_OK)
    status = insert_members(s, object, &id);
  return status == SC_OK ? remove_members(s, object, &id) : status;
}

/* Erasing */

static sc_status erase_by_id(script *s, sc_user_groups *groups,
                             sc_status (*erase)(bool *, sc_user_groups *, const sc_id *)) {
  sc_id id;
  bool erased = false;
  sc_status status = script_id(&id, s, "id");
  if (status == SC_OK)
    status = erase(&erased, groups, &id);
  return script_told_erased(s, status, erased);
}

static sc_status erase_group(script *s, void *object) {
  return erase_by_id(s, object, sc_user_groups_erase_group);
}

static sc_status erase_legacy_group(script *s, void *object) {
  return erase_by_id(s, object, sc_user_groups_erase_legacy_group);
}

static sc_status erase_community(script *s, void *object) {
  bool erased = false;
  sc_status status =
      sc_user_groups_erase_community(&erased, object, known_text(s->c, "base_url"), known_text(s->c, "room"));
  return script_told_erased(s, status, erased);
}

/* Results */

static void same_membership(script *s, const sc_membership *membership) {
  known_same_integer(s->c, "priority", membership->priority);
  known_same_integer(s->c, "joined_at", membership->joined_s);
  known_same_integer(s->c, "notifications", membership->notify);
  known_same_integer(s->c, "mute_until", membership->mute_until_s);
  known_same_flag(s->c, "invited", membership->invited);
}

static void same_group(script *s, const sc_user_group *group) {
  sc_keypair pair;
  known_same_text(s->c, "type", sc_bytes_text("group"));
  known_same_id(s->c, "id", &group->id);
  script_same_text(s, "name", group->name);
  same_membership(s, &group->membership);
  if (group->seed.len > 0)
    sc_keypair_from_seed(&pair, group->seed.ptr);
  known_same(s->c, "secretkey",
             sc_bytes_make(pair.ed.secret, group->seed.len > 0 ? sizeof pair.ed.secret : 0));
  known_same(s->c, "auth_data", group->access);
  known_same_integer(s->c, "removed_status", group->standing);
}

/* The reference accepts any text as the room's spelling; we accept one of the same room, else the room
 * itself. */
static void same_spelling(script *s, const sc_user_community *community) {
  char normal[SC_COMMUNITY_MAX_ROOM_CHARS + 1];
  size_t len;
  sc_bytes recorded = known_text(s->c, "room");
  bool other = sc_community_room_normalize(normal, &len, recorded) == SC_OK &&
               !sc_bytes_same(sc_bytes_make(normal, len), sc_community_room(&community->community));
  if (other && sc_bytes_same(sc_bytes_text(community->spelling), sc_community_room(&community->community)))
    return;
  known_same_text(s->c, "room", sc_bytes_text(community->spelling));
  known_same_text(s->c, "room_norm", sc_community_room(&community->community));
}

static void same_community(script *s, const sc_user_community *community) {
  known_same_text(s->c, "type", sc_bytes_text("community"));
  known_same_text(s->c, "base_url", sc_community_url(&community->community));
  same_spelling(s, community);
  known_same(s->c, "pubkey", SC_BYTES(community->community.key));
  same_membership(s, &community->membership);
}

static void same_members(script *s, const sc_user_groups *groups, const sc_id *group) {
  sc_legacy_member member;
  size_t count = 0;
  const sc_json *back = script_enter(s, "members");
  sc_status status = sc_user_groups_first_legacy_member(&member, groups, group);
  for (; status == SC_OK; status = sc_user_groups_next_legacy_member(&member, groups, group), count++) {
    char id[SC_ID_CHARS + 1];
    sc_id_format(id, &member.id);
    known_same_flag(s->c, id, member.admin);
  }
  if (count != sc_json_count(s->c->json))
    known_differs(s->c, "we have %zu members, recorded are %zu", count, sc_json_count(s->c->json));
  script_leave(s, back);
}

static void same_legacy_group(script *s, const sc_user_groups *groups, const sc_legacy_group *group) {
  known_same_text(s->c, "type", sc_bytes_text("legacy_group"));
  known_same_id(s->c, "id", &group->id);
  script_same_text(s, "name", group->name);
  same_membership(s, &group->membership);
  known_same(s->c, "enc_pubkey", group->public_key);
  known_same(s->c, "enc_seckey", group->secret_key);
  known_same_integer(s->c, "disappearing_timer", group->expiry_s);
  same_members(s, groups, &group->id);
}

static void same_any(script *s, const sc_user_groups *groups, const sc_any_group *any) {
  if (any->kind == SC_GROUP_CURRENT)
    same_group(s, &any->of.group);
  else if (any->kind == SC_GROUP_COMMUNITY)
    same_community(s, &any->of.community);
  else
    same_legacy_group(s, groups, &any->of.legacy);
}

/* The result of a get: a missing one is recorded as null. */
static sc_status told(script *s, sc_user_groups *groups, sc_status status, const sc_any_group *any) {
  if (status != SC_OK && status != SC_ERR_NOT_FOUND)
    return status;
  const sc_json *step = script_enter(s, "result");
  if (known_has(s->c, "group") != (status == SC_OK)) {
    known_differs(s->c, "a group is there for one of us alone");
  } else if (status == SC_OK) {
    script_enter(s, "group");
    same_any(s, groups, any);
  }
  script_leave(s, step);
  return SC_OK;
}

static sc_status get_group(script *s, void *object) {
  sc_id id;
  sc_any_group any = {.kind = SC_GROUP_CURRENT};
  sc_status status = script_id(&id, s, "id");
  if (status == SC_OK)
    status = sc_user_groups_get_group(&any.of.group, object, &id);
  return told(s, object, status, &any);
}

static sc_status get_legacy_group(script *s, void *object) {
  sc_id id;
  sc_any_group any = {.kind = SC_GROUP_LEGACY};
  sc_status status = script_id(&id, s, "id");
  if (status == SC_OK)
    status = sc_user_groups_get_legacy_group(&any.of.legacy, object, &id);
  return told(s, object, status, &any);
}

static sc_status get_community(script *s, void *object) {
  sc_any_group any = {.kind = SC_GROUP_COMMUNITY};
  sc_status status = sc_user_groups_get_community(&any.of.community, object, known_text(s->c, "base_url"),
                                                  known_text(s->c, "room"));
  return told(s, object, status, &any);
}

static sc_status get_community_by_url(script *s, void *object) {
  sc_any_group any = {.kind = SC_GROUP_COMMUNITY};
  sc_community_link link;
  sc_status status = sc_community_link_parse(&link, known_text(s->c, "url"));
  if (status == SC_OK)
    status = sc_user_groups_get_community(&any.of.community, object, sc_bytes_make(link.url, link.url_len),
                                          link.room);
  return told(s, object, status, &any);
}

static void same_counts(script *s, const sc_user_groups *groups) {
  static const char *const fields[] = {"size_groups", "size_communities", "size_legacy_groups"};
  size_t total = 0;
  for (sc_group_kind kind = SC_GROUP_CURRENT; kind <= SC_GROUP_LEGACY; kind++) {
    size_t count = 0;
    if (sc_user_groups_count(&count, groups, kind) != SC_OK)
      known_differs(s->c, "cannot be counted");
    known_same_integer(s->c, fields[kind], (int64_t)count);
    total += count;
  }
  known_same_integer(s->c, "size", (int64_t)total);
}

static sc_status state(script *s, void *object) {
  sc_any_group any;
  size_t count = 0;
  const sc_json *step = script_enter(s, "result");
  script_enter(s, "state");
  same_counts(s, object);
  const sc_json *list = known_field(s->c, "groups");
  sc_status status = sc_user_groups_first(&any, object);
  for (; status == SC_OK; status = sc_user_groups_next(&any, object), count++)
    if (sc_json_element(&s->c->json, list, count) == SC_OK)
      same_any(s, object, &any);
  if (count != sc_json_count(list))
    known_differs(s->c, "we have %zu groups, recorded are %zu", count, sc_json_count(list));
  script_leave(s, step);
  return status == SC_ERR_NOT_FOUND ? SC_OK : status;
}

SCRIPT_TOPIC(config_user_groups, create, destroy, config, {"set_group", set_group},
             {"set_community", set_community}, {"set_community_url", set_community_url},
             {"set_legacy_group", set_legacy_group}, {"erase_group", erase_group},
             {"erase_community", erase_community}, {"erase_legacy_group", erase_legacy_group},
             {"get_group", get_group}, {"get_community", get_community},
             {"get_community_by_url", get_community_by_url}, {"get_legacy_group", get_legacy_group},
             {"state", state});
