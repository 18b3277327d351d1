/* The reference is from 2025: it drops old conversations, where we keep an archive by default. */
#include "config/convo_info_volatile.h"
#include "config_script.h"

static sc_status create(void **out, script *s, sc_bytes dump) {
  sc_keypair account = script_account(s);
  sc_convo_info *info;
  sc_status status = sc_convo_info_new(&info, known_env(s->c), &account, dump);
  if (status == SC_OK)
    sc_convo_info_set_ageing(info, SC_CONVO_DROPS);
  *out = info;
  return status;
}

static void destroy(void *object) {
  sc_convo_info_free(object);
}

static sc_config *config(void *object) {
  return sc_convo_info_config(object);
}

/* Conversations */

static sc_status change(script *s, sc_convo_info *info, sc_convo *convo) {
  if (known_has(s->c, "last_read"))
    convo->last_read_ms = known_integer(s->c, "last_read");
  if (known_has(s->c, "unread"))
    convo->unread = known_flag(s->c, "unread");
  return sc_convo_info_set(info, convo, s->now_ms);
}

static sc_status set_by_id(script *s, sc_convo_info *info, sc_convo_kind kind) {
  sc_id id;
  sc_convo convo;
  sc_status status = script_id(&id, s, "id");
  if (status == SC_OK)
    status = sc_convo_info_get_or_make(&convo, info, kind, &id);
  return status == SC_OK ? change(s, info, &convo) : status;
}

static sc_status set_1to1(script *s, void *object) {
  return set_by_id(s, object, SC_CONVO_CONTACT);
}

static sc_status set_group(script *s, void *object) {
  return set_by_id(s, object, SC_CONVO_GROUP);
}

static sc_status set_legacy_group(script *s, void *object) {
  return set_by_id(s, object, SC_CONVO_LEGACY_GROUP);
}

static sc_status set_community(script *s, void *object) {
  sc_convo convo;
  const uint8_t *key = known_key(s->c, "pubkey");
  if (s->c->refusal != SC_OK)
    return s->c->refusal;
  sc_status status = sc_convo_info_get_or_make_community(&convo, object, known_text(s->c, "base_url"),
                                                         known_text(s->c, "room"), key);
  return status == SC_OK ? change(s, object, &convo) : status;
}

static sc_status erase_by_id(script *s, sc_convo_info *info, sc_convo_kind kind) {
  sc_id id;
  bool erased = false;
  sc_status status = script_id(&id, s, "id");
  if (status == SC_OK)
    status = sc_convo_info_erase(&erased, info, kind, &id);
  return script_told_erased(s, status, erased);
}

static sc_status erase_1to1(script *s, void *object) {
  return erase_by_id(s, object, SC_CONVO_CONTACT);
}

static sc_status erase_group(script *s, void *object) {
  return erase_by_id(s, object, SC_CONVO_GROUP);
}

static sc_status erase_legacy_group(script *s, void *object) {
  return erase_by_id(s, object, SC_CONVO_LEGACY_GROUP);
}

static sc_status erase_community(script *s, void *object) {
  bool erased = false;
  sc_status status =
      sc_convo_info_erase_community(&erased, object, known_text(s->c, "base_url"), known_text(s->c, "room"));
  return script_told_erased(s, status, erased);
}

/* Results */

static void same_community(script *s, const sc_community *community) {
  known_same_text(s->c, "base_url", sc_community_url(community));
  known_same_text(s->c, "room", sc_community_room(community));
  known_same(s->c, "pubkey", SC_BYTES(community->key));
}

static void same_convo(script *s, const sc_convo *convo) {
  static const char *const types[] = {"1to1", "group", "community", "blinded", "legacy_group"};
  known_same_text(s->c, "type", sc_bytes_text(types[convo->kind]));
  if (convo->kind == SC_CONVO_COMMUNITY)
    same_community(s, &convo->community);
  else
    known_same_id(s->c, "id", &convo->id);
  known_same_integer(s->c, "last_read", convo->last_read_ms);
  known_same_flag(s->c, "unread", convo->unread);
}

/* The result of a get: a missing one is recorded as null. */
static sc_status told_convo(script *s, sc_status status, const sc_convo *convo) {
  if (status != SC_OK && status != SC_ERR_NOT_FOUND)
    return status;
  const sc_json *step = script_enter(s, "result");
  if (known_has(s->c, "convo") != (status == SC_OK)) {
    known_differs(s->c, "a conversation is there for one of us alone");
  } else if (status == SC_OK) {
    script_enter(s, "convo");
    same_convo(s, convo);
  }
  script_leave(s, step);
  return SC_OK;
}

static sc_status get_1to1(script *s, void *object) {
  sc_id id;
  sc_convo convo;
  sc_status status = script_id(&id, s, "id");
  if (status == SC_OK)
    status = sc_convo_info_get(&convo, object, SC_CONVO_CONTACT, &id);
  return told_convo(s, status, &convo);
}

static sc_status get_community(script *s, void *object) {
  sc_convo convo;
  sc_status status =
      sc_convo_info_get_community(&convo, object, known_text(s->c, "base_url"), known_text(s->c, "room"));
  return told_convo(s, status, &convo);
}

static sc_status get_community_by_url(script *s, void *object) {
  sc_convo convo;
  sc_community_link link;
  sc_status status = sc_community_link_parse(&link, known_text(s->c, "url"));
  if (status == SC_OK)
    status = sc_convo_info_get_community(&convo, object, sc_bytes_make(link.url, link.url_len), link.room);
  return told_convo(s, status, &convo);
}

static sc_status prune_stale(script *s, void *object) {
  return sc_convo_info_age(object, s->now_ms);
}

static void same_counts(script *s, const sc_convo_info *info) {
  static const struct {
    sc_convo_kind kind;
    const char *field;
  } counted[] = {{SC_CONVO_CONTACT, "size_1to1"},
                 {SC_CONVO_GROUP, "size_groups"},
                 {SC_CONVO_COMMUNITY, "size_communities"},
                 {SC_CONVO_LEGACY_GROUP, "size_legacy_groups"}};
  size_t total = 0;
  for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++) {
    size_t count = 0;
    if (sc_convo_info_count(&count, info, counted[i].kind) != SC_OK)
      known_differs(s->c, "cannot be counted");
    known_same_integer(s->c, counted[i].field, (int64_t)count);
    total += count;
  }
  known_same_integer(s->c, "size", (int64_t)total);
}

static sc_status state(script *s, void *object) {
  sc_convo convo;
  const sc_json *step = script_enter(s, "result");
  script_enter(s, "state");
  same_counts(s, object);
  const sc_json *list = known_field(s->c, "convos");
  size_t count = 0;
  sc_status status = sc_convo_info_first(&convo, object);
  for (; status == SC_OK; status = sc_convo_info_next(&convo, object), count++)
    if (sc_json_element(&s->c->json, list, count) == SC_OK)
      same_convo(s, &convo);
  if (count != sc_json_count(list))
    known_differs(s->c, "we have %zu conversations, recorded are %zu", count, sc_json_count(list));
  script_leave(s, step);
  return status == SC_ERR_NOT_FOUND ? SC_OK : status;
}

SCRIPT_TOPIC(config_convo_info_volatile, create, destroy, config, {"set_1to1", set_1to1},
             {"set_group", set_group}, {"set_legacy_group", set_legacy_group},
             {"set_community", set_community}, {"erase_1to1", erase_1to1}, {"erase_group", erase_group},
             {"erase_legacy_group", erase_legacy_group}, {"erase_community", erase_community},
             {"get_1to1", get_1to1}, {"get_community", get_community},
             {"get_community_by_url", get_community_by_url}, {"prune_stale", prune_stale}, {"state", state});
