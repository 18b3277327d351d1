#include "group_story.h"
#include "config/hashes.h"

enum { most_incoming = 16 };

group_client *group_acting(group_story *story, known_case *c) {
  sc_bytes name = known_text(c, "client");
  for (size_t i = 0; i < story->client_count; i++)
    if (story->clients[i].keys != NULL && sc_bytes_same(story->clients[i].name, name))
      return &story->clients[i];
  known_differs(c, "there is no person named %.*s", (int)name.len, (const char *)name.ptr);
  return NULL;
}

void group_client_free(group_client *client) {
  sc_group_keys_free(client->keys);
  sc_group_info_free(client->info);
  sc_group_members_free(client->members);
  *client = (group_client){.name = client->name};
}

sc_status group_hand_on(group_client *client, bool dirty) {
  sc_status status = sc_group_keys_hand_on(client->keys, sc_group_info_config(client->info), dirty);
  return status == SC_OK
             ? sc_group_keys_hand_on(client->keys, sc_group_members_config(client->members), dirty)
             : status;
}

sc_id group_id_argument(known_case *c, sc_status *status) {
  sc_id id = {{0}};
  *status = sc_id_parse(&id, known_text(c, "session_id"));
  return id;
}

/* The config of the acting client's info; NULL when there is no client. */
static sc_config *info_of(void *story, known_case *c) {
  group_client *client = group_acting(story, c);
  return client == NULL ? NULL : sc_group_info_config(client->info);
}

static sc_config *members_of(void *story, known_case *c) {
  group_client *client = group_acting(story, c);
  return client == NULL ? NULL : sc_group_members_config(client->members);
}

sc_status group_info_set_name(void *story, known_case *c) {
  group_client *client = group_acting(story, c);
  return client == NULL ? SC_ERR_STATE : sc_group_info_set_name(client->info, known_text(c, "name"));
}

sc_status group_info_state(void *story, known_case *c) {
  group_client *client = group_acting(story, c);
  if (client == NULL)
    return SC_ERR_STATE;
  story_results(c);
  c->json = known_field(c, "state");
  sc_bytes name = sc_group_info_name(client->info);
  if (known_has(c, "name"))
    known_same_text(c, "name", name);
  else if (name.len > 0)
    known_differs(c, "the group has a name, recorded is none");
  known_same_flag(c, "destroyed", sc_group_info_is_destroyed(client->info));
  return SC_OK;
}

/* A found member, or a new one. */
static sc_status member_argument(sc_group_member *out, const sc_group_members *members, known_case *c) {
  sc_status status;
  sc_id id = group_id_argument(c, &status);
  if (status == SC_OK)
    status = sc_group_members_get(out, members, &id);
  if (status == SC_ERR_NOT_FOUND) {
    sc_group_member_init(out, &id);
    status = SC_OK;
  }
  return status;
}

static void apply_mark(sc_group_member *member, known_case *c) {
  static const struct {
    const char *name;
    sc_group_event event;
  } marks[] = {{"invite_sent", SC_GROUP_INVITE_SENT},
               {"invite_accepted", SC_GROUP_INVITE_ACCEPTED},
               {"promoted", SC_GROUP_PROMOTE},
               {"promotion_accepted", SC_GROUP_PROMOTION_ACCEPTED},
               {"removed", SC_GROUP_REMOVE}};
  sc_bytes mark = known_text(c, "mark");
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
    if (!sc_bytes_same(mark, sc_bytes_text(marks[i].name)))
      continue;
    sc_group_member_apply(member, marks[i].event);
    return;
  }
  known_differs(c, "a mark that is not known: %.*s", (int)mark.len, (const char *)mark.ptr);
}

sc_status group_member_set(void *story, known_case *c) {
  group_client *client = group_acting(story, c);
  sc_group_member member;
  sc_status status = client == NULL ? SC_ERR_STATE : member_argument(&member, client->members, c);
  if (status != SC_OK)
    return status;
  if (known_has(c, "name"))
    member.name = known_text(c, "name");
  if (known_has(c, "admin"))
    member.admin = known_flag(c, "admin");
  if (known_has(c, "supplement"))
    member.supplement = known_flag(c, "supplement");
  if (known_has(c, "mark"))
    apply_mark(&member, c);
  return sc_group_members_set(client->members, &member);
}

sc_status group_member_erase(void *story, known_case *c) {
  group_client *client = group_acting(story, c);
  bool erased;
  sc_status status;
  sc_id id = group_id_argument(c, &status);
  if (client == NULL || status != SC_OK)
    return SC_ERR_STATE;
  status = sc_group_members_erase(&erased, client->members, &id);
  story_results(c);
  if (status == SC_OK)
    known_same_flag(c, "erased", erased);
  return status;
}

sc_status group_members_state(void *story, known_case *c) {
  group_client *client = group_acting(story, c);
  if (client == NULL)
    return SC_ERR_STATE;
  story_results(c);
  c->json = known_field(c, "state");
  const sc_json *list = known_field(c, "members");
  sc_group_member member;
  sc_status status = sc_group_members_next(&member, client->members, NULL);
  size_t count = 0;
  for (; status == SC_OK && sc_json_element(&c->json, list, count) == SC_OK; count++) {
    known_same_id(c, "session_id", &member.id);
    known_same_text(c, "name", member.name);
    known_same_flag(c, "admin", member.admin);
    known_same_integer(c, "status", sc_group_members_status(client->members, &member));
    sc_id after = member.id;
    status = sc_group_members_next(&member, client->members, &after);
  }
  if (status != SC_ERR_NOT_FOUND || count != sc_json_count(list))
    known_differs(c, "recorded are %zu members", sc_json_count(list));
  return SC_OK;
}

static void same_obsolete(known_case *c, const sc_config_hashes *obsolete) {
  const sc_json *list = known_field(c, "obsolete");
  bool same = sc_json_count(list) == obsolete->count;
  for (size_t i = 0; same && i < obsolete->count; i++) {
    const sc_json *value;
    sc_bytes hash;
    same = sc_json_element(&value, list, i) == SC_OK && sc_json_string(&hash, value) == SC_OK &&
           sc_config_hashes_contain(obsolete, hash);
  }
  if (!same)
    known_differs(c, "what is obsolete differs");
}

static sc_status push(sc_config *config, known_case *c) {
  sc_config_outgoing outgoing;
  sc_config_outgoing_init(&outgoing, known_env(c));
  sc_status status = config == NULL ? SC_ERR_STATE : sc_config_push(&outgoing, config, 0);
  story_results(c);
  if (status == SC_OK) {
    known_same_integer(c, "seqno", outgoing.seqno);
    known_same(c, "message", sc_config_stored_message(&outgoing.messages, 0));
    same_obsolete(c, &outgoing.obsolete);
  }
  sc_config_outgoing_free(&outgoing);
  return status;
}

sc_status group_push_info(void *story, known_case *c) {
  return push(info_of(story, c), c);
}

sc_status group_push_members(void *story, known_case *c) {
  return push(members_of(story, c), c);
}

static sc_status confirm(sc_config *config, known_case *c) {
  sc_bytes hash = known_text(c, "hash");
  return config == NULL ? SC_ERR_STATE : sc_config_confirm(config, known_integer(c, "seqno"), &hash, 1);
}

sc_status group_confirm_info(void *story, known_case *c) {
  return confirm(info_of(story, c), c);
}

sc_status group_confirm_members(void *story, known_case *c) {
  return confirm(members_of(story, c), c);
}

static void same_accepted(known_case *c, const sc_config_incoming *incoming, const sc_status *statuses,
                          size_t count) {
  const sc_json *list = known_field(c, "accepted");
  size_t accepted = 0;
  for (size_t i = 0; i < count; i++) {
    const sc_json *value;
    sc_bytes recorded;
    if (statuses[i] != SC_OK)
      continue;
    if (sc_json_element(&value, list, accepted++) != SC_OK || sc_json_string(&recorded, value) != SC_OK ||
        !sc_bytes_same(recorded, incoming[i].hash))
      known_differs(c, "message %zu is accepted, recorded is otherwise", i);
  }
  if (accepted != sc_json_count(list))
    known_differs(c, "%zu messages are accepted, recorded are %zu", accepted, sc_json_count(list));
}

static sc_status merge(sc_config *config, known_case *c) {
  sc_config_incoming incoming[most_incoming];
  sc_status statuses[most_incoming];
  sc_config_effect effect;
  const sc_json *list = known_field(c, "messages");
  size_t count = sc_json_count(list);
  if (config == NULL || count > most_incoming)
    return SC_ERR_STATE;
  for (size_t i = 0; i < count; i++) {
    if (sc_json_element(&c->json, list, i) != SC_OK)
      return SC_ERR_STATE;
    incoming[i] = (sc_config_incoming){known_text(c, "hash"), story_bytes(c, "ref", "data")};
  }
  sc_status status = sc_config_merge(&effect, statuses, config, incoming, count, 0);
  story_results(c);
  if (status == SC_OK)
    same_accepted(c, incoming, statuses, count);
  return status;
}

sc_status group_merge_info(void *story, known_case *c) {
  return merge(info_of(story, c), c);
}

sc_status group_merge_members(void *story, known_case *c) {
  return merge(members_of(story, c), c);
}

/* The topics of info and members check that dumps are as recorded; here other configs are made from them. */
static sc_status dump(sc_config *config, known_case *c) {
  return config == NULL ? SC_ERR_STATE : sc_config_dump(known_buffer(c), config, 0);
}

sc_status group_dump_info(void *story, known_case *c) {
  return dump(info_of(story, c), c);
}

sc_status group_dump_members(void *story, known_case *c) {
  return dump(members_of(story, c), c);
}
