#include "config_script.h"

static sc_status create(void **out, script *s, sc_bytes dump) {
  script_group group;
  sc_group_members *members;
  sc_status status = script_read_group(&group, s);
  if (status == SC_OK)
    status = sc_group_members_new(&members, known_env(s->c), &group.id, group.admin, dump);
  if (status != SC_OK)
    return status;
  *out = members;
  return sc_config_replace_keys(sc_group_members_config(members), group.keys.items, group.keys.count, false);
}

static void destroy(void *object) {
  sc_group_members_free(object);
}

static sc_config *config(void *object) {
  return sc_group_members_config(object);
}

/* Members are copied, texts and all, before they are changed. */
static sc_status get_or_construct_member(sc_group_member *out, script *s, sc_group_members *members) {
  sc_id id;
  sc_status status = script_id(&id, s, "session_id");
  if (status == SC_OK)
    status = sc_group_members_get(out, members, &id);
  if (status == SC_ERR_NOT_FOUND) {
    sc_group_member_init(out, &id);
    status = SC_OK;
  }
  return status;
}

static sc_status read_mark(sc_group_member *member, script *s) {
  static const struct {
    const char *name;
    sc_group_event event;
  } marks[] = {
      {"invite_sent", SC_GROUP_INVITE_SENT},
      {"invite_failed", SC_GROUP_INVITE_FAILED},
      {"invite_not_sent", SC_GROUP_INVITE_NOT_SENT},
      {"invite_accepted", SC_GROUP_INVITE_ACCEPTED},
      {"promoted", SC_GROUP_PROMOTE},
      {"promotion_sent", SC_GROUP_PROMOTION_SENT},
      {"promotion_failed", SC_GROUP_PROMOTION_FAILED},
      {"promotion_accepted", SC_GROUP_PROMOTION_ACCEPTED},
      {"removed", SC_GROUP_REMOVE},
      {"removed_with_messages", SC_GROUP_REMOVE_WITH_MESSAGES},
  };
  sc_bytes mark = known_text(s->c, "mark");
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
    if (!sc_bytes_same(mark, sc_bytes_text(marks[i].name)))
      continue;
    sc_group_member_apply(member, marks[i].event);
    return SC_OK;
  }
  known_differs(s->c, "a mark that is not known: %.*s", (int)mark.len, (const char *)mark.ptr);
  return SC_ERR_ARGUMENT;
}

/* A name that may be too long, one that may not, and one that is to be cut. */
static sc_status read_names(sc_group_member *member, script *s) {
  if (known_has(s->c, "name"))
    member->name = script_uncut_name(s, "name");
  if (known_has(s->c, "set_name"))
    member->name = known_text(s->c, "set_name");
  if (known_has(s->c, "set_name") && member->name.len > SC_CONFIG_MAX_NAME_BYTES)
    return SC_ERR_CONFIG_NAME;
  if (known_has(s->c, "set_name_truncated"))
    member->name = sc_config_cut(known_text(s->c, "set_name_truncated"), SC_CONFIG_MAX_NAME_BYTES);
  return SC_OK;
}

static sc_status set(script *s, void *object) {
  sc_group_member member;
  sc_status status = get_or_construct_member(&member, s, object);
  if (status == SC_OK)
    status = read_names(&member, s);
  if (status != SC_OK)
    return status;
  if (known_has(s->c, "profile_pic")) {
    const sc_json *step = script_enter(s, "profile_pic");
    member.picture = script_picture(s);
    script_leave(s, step);
  }
  if (known_has(s->c, "admin"))
    member.admin = known_flag(s->c, "admin");
  if (known_has(s->c, "supplement"))
    member.supplement = known_flag(s->c, "supplement");
  if (known_has(s->c, "mark"))
    status = read_mark(&member, s);
  return status == SC_OK ? sc_group_members_set(object, &member) : status;
}

static sc_status erase(script *s, void *object) {
  sc_id id;
  bool erased = false;
  sc_status status = script_id(&id, s, "session_id");
  if (status == SC_OK)
    status = sc_group_members_erase(&erased, object, &id);
  return script_told_erased(s, status, erased);
}

static void compare_member(script *s, const sc_group_members *members, const sc_group_member *member) {
  known_same_id(s->c, "session_id", &member->id);
  script_same_text(s, "name", member->name);
  script_same_picture(s, "profile_pic", &member->picture);
  known_same_flag(s->c, "admin", member->admin);
  known_same_flag(s->c, "supplement", member->supplement);
  known_same_integer(s->c, "invite_status", member->invite);
  known_same_integer(s->c, "promotion_status", member->promotion);
  known_same_integer(s->c, "removed_status", member->removal);
  known_same_integer(s->c, "status", sc_group_members_status(members, member));
  known_same_flag(s->c, "pending_send", sc_group_members_is_pending(members, &member->id));
}

static void compare_found(script *s, const sc_group_members *members, const sc_group_member *member) {
  const sc_json *step = script_enter(s, "result");
  script_enter(s, "member");
  compare_member(s, members, member);
  script_leave(s, step);
}

static sc_status get(script *s, void *object) {
  sc_group_member member;
  sc_id id;
  sc_status status = script_id(&id, s, "session_id");
  if (status == SC_OK)
    status = sc_group_members_get(&member, object, &id);
  if (status == SC_OK) {
    compare_found(s, object, &member);
    return SC_OK;
  }
  const sc_json *step = script_enter(s, "result");
  if (status == SC_ERR_NOT_FOUND && known_has(s->c, "member"))
    known_differs(s->c, "there is no such member");
  script_leave(s, step);
  return status == SC_ERR_NOT_FOUND ? SC_OK : status;
}

static sc_status get_or_construct(script *s, void *object) {
  sc_group_member member;
  sc_status status = get_or_construct_member(&member, s, object);
  if (status == SC_OK)
    compare_found(s, object, &member);
  return status;
}

static sc_status set_pending_send(script *s, void *object) {
  sc_id id;
  sc_status status = script_id(&id, s, "session_id");
  return status == SC_OK ? sc_group_members_set_pending(object, &id, known_flag(s->c, "pending")) : status;
}

static sc_status state(script *s, void *object) {
  sc_group_member member;
  size_t count = 0;
  const sc_json *step = script_enter(s, "result");
  script_enter(s, "state");
  sc_status status = sc_group_members_count(&count, object);
  known_same_integer(s->c, "size", (int64_t)count);
  const sc_json *list = known_field(s->c, "members");
  const sc_id *after = NULL;
  sc_id last;
  size_t index = 0;
  for (; status == SC_OK && (status = sc_group_members_next(&member, object, after)) == SC_OK; index++) {
    last = member.id;
    after = &last;
    const sc_json *recorded;
    if (sc_json_element(&recorded, list, index) != SC_OK)
      continue;
    s->c->json = recorded;
    compare_member(s, object, &member);
  }
  if (index != sc_json_count(list))
    known_differs(s->c, "there are %zu members, recorded are %zu", index, sc_json_count(list));
  script_leave(s, step);
  return status == SC_ERR_NOT_FOUND ? SC_OK : status;
}

SCRIPT_TOPIC(config_group_members, create, destroy, config, {"set", set}, {"erase", erase}, {"get", get},
             {"get_or_construct", get_or_construct}, {"set_pending_send", set_pending_send},
             {"state", state});
