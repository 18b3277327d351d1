#include "session-core/config/savepoint.h"

#include "config/convo_info_volatile.h"
#include "config/object.h"
#include "device.h"
#include "session-core/config/group_members.h"
#include "support/test.h"

static sc_status name(sc_config *config, const char *text) {
  sc_bytes key = sc_bytes_text("n");
  return device_set(config, (sc_config_path){&key, 1}, sc_config_string(sc_bytes_text(text)));
}

/* The state of a config, as far as a dump shows it. Dumping changes the state, so it is undone. */
static sc_status state_of(sc_buffer *out, sc_config *config) {
  sc_config_savepoint *savepoint;
  sc_status status = sc_config_savepoint_new(&savepoint, config);
  if (status != SC_OK)
    return status;
  status = sc_config_dump(out, config, device_now_ms);
  sc_config_savepoint_roll_back(savepoint, config);
  sc_config_savepoint_free(savepoint);
  return status;
}

static bool same(const sc_buffer *a, const sc_buffer *b) {
  return sc_bytes_same(sc_buffer_bytes(a), sc_buffer_bytes(b));
}

/* A config's state, before and now. */
typedef struct stage {
  sc_config *config;
  sc_config_savepoint *savepoint;
  sc_buffer before, after;
} stage;

static void stage_open(stage *s, const sc_env *env) {
  *s = (stage){0};
  sc_buffer_init(&s->before, env);
  sc_buffer_init(&s->after, env);
}

static void stage_close(stage *s) {
  sc_buffer_free(&s->before);
  sc_buffer_free(&s->after);
  sc_config_savepoint_free(s->savepoint);
}

static sc_status stage_begin(stage *s, sc_config *config) {
  s->config = config;
  sc_status status = state_of(&s->before, config);
  return status == SC_OK ? sc_config_savepoint_new(&s->savepoint, config) : status;
}

/* True if the config is unchanged. */
static sc_status stage_roll_back(bool *same_state, stage *s) {
  sc_config_savepoint_roll_back(s->savepoint, s->config);
  sc_status status = state_of(&s->after, s->config);
  *same_state = status == SC_OK && same(&s->before, &s->after);
  return status;
}

static void edits_of_a_clean_config_are_undone(sc_test *t) {
  const sc_bytes hash = sc_bytes_text("h1");
  stage s;
  sc_config *config = NULL;
  sc_config_outgoing out;
  bool same_state = false;
  stage_open(&s, t->env);
  sc_config_outgoing_init(&out, t->env);
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(name(config, "before"));
  OK(sc_config_push(&out, config, device_now_ms));
  OK(sc_config_confirm(config, out.seqno, &hash, 1));
  OK(stage_begin(&s, config));
  OK(name(config, "after"));
  OK(name(config, "later"));
  CHECK(sc_config_needs_push(config));
  OK(stage_roll_back(&same_state, &s));
  CHECK(same_state);
  CHECK(sc_config_state_of(config) == SC_CONFIG_CLEAN);
  CHECK(sc_config_seqno(config) == 1);
  OK(name(config, "after"));
  CHECK(sc_config_seqno(config) == 2);
done:
  sc_config_outgoing_free(&out);
  stage_close(&s);
  sc_config_free(config);
}

static void edits_of_a_dirty_config_are_undone(sc_test *t) {
  stage s;
  sc_config *config = NULL;
  bool same_state = false;
  stage_open(&s, t->env);
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(name(config, "before"));
  OK(stage_begin(&s, config));
  OK(name(config, "after"));
  OK(stage_roll_back(&same_state, &s));
  CHECK(same_state);
  CHECK(sc_config_state_of(config) == SC_CONFIG_DIRTY);
done:
  stage_close(&s);
  sc_config_free(config);
}

static void pushes_and_dumps_are_undone(sc_test *t) {
  const sc_bytes hash = sc_bytes_text("h1");
  stage s;
  sc_config *config = NULL;
  sc_config_outgoing out;
  bool same_state = false;
  stage_open(&s, t->env);
  sc_config_outgoing_init(&out, t->env);
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(name(config, "before"));
  OK(stage_begin(&s, config));
  OK(sc_config_push(&out, config, device_now_ms));
  OK(sc_config_confirm(config, out.seqno, &hash, 1));
  OK(sc_config_dump(&out.messages.bytes, config, device_now_ms));
  CHECK(!sc_config_needs_dump(config));
  OK(stage_roll_back(&same_state, &s));
  CHECK(same_state);
  CHECK(sc_config_needs_dump(config));
done:
  sc_config_outgoing_free(&out);
  stage_close(&s);
  sc_config_free(config);
}

static void merges_are_undone(sc_test *t) {
  stage s;
  sc_config *one = NULL, *other = NULL;
  sc_config_outgoing out;
  sc_config_effect effect;
  bool same_state = false;
  stage_open(&s, t->env);
  sc_config_outgoing_init(&out, t->env);
  OK(device_new(&one, t->env, (sc_bytes){0}));
  OK(device_new(&other, t->env, (sc_bytes){0}));
  OK(name(one, "one"));
  OK(name(other, "other"));
  OK(sc_config_push(&out, one, device_now_ms));
  OK(stage_begin(&s, other));
  OK(device_merge(&effect, NULL, other, "h1", sc_config_stored_message(&out.messages, 0)));
  CHECK(effect != SC_CONFIG_KEPT);
  OK(stage_roll_back(&same_state, &s));
  CHECK(same_state);
  OK(device_merge(&effect, NULL, other, "h1", sc_config_stored_message(&out.messages, 0)));
  CHECK(effect != SC_CONFIG_KEPT);
done:
  sc_config_outgoing_free(&out);
  stage_close(&s);
  sc_config_free(one);
  sc_config_free(other);
}

static void rolling_back_leaves_keys_and_signer_unchanged(sc_test *t) {
  static const uint8_t other_key[32] = {9};
  stage s;
  sc_config *config = NULL;
  sc_ed25519_pair pair;
  bool same_state = false;
  stage_open(&s, t->env);
  device_group_pair(&pair);
  OK(device_group_new(&config, t->env, false, (sc_bytes){0}));
  OK(stage_begin(&s, config));
  OK(sc_config_set_signer(config, &pair));
  OK(sc_config_add_key(config, SC_BYTES(other_key), true, true));
  OK(name(config, "after"));
  OK(stage_roll_back(&same_state, &s));
  CHECK(same_state);
  CHECK(sc_config_is_read_only(config));
  CHECK(sc_config_key_count(config) == 1 && sc_config_key(config, 0).ptr[0] == 7);
  FAILS(SC_ERR_CONFIG_READ_ONLY, name(config, "after"));
done:
  stage_close(&s);
  sc_config_free(config);
}

static void an_unused_savepoint_changes_nothing(sc_test *t) {
  stage s;
  sc_config *config = NULL;
  stage_open(&s, t->env);
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(stage_begin(&s, config));
  OK(name(config, "after"));
  sc_config_savepoint_free(s.savepoint);
  s.savepoint = NULL;
  OK(state_of(&s.after, config));
  CHECK(!same(&s.before, &s.after));
done:
  stage_close(&s);
  sc_config_free(config);
}

static void rolling_back_restores_archived_conversations(sc_test *t) {
  enum { far_later = 60 };
  const uint64_t day_ms = 24 * 60 * 60 * 1000;
  stage s;
  sc_keypair account;
  sc_convo_info *info = NULL;
  sc_convo convo;
  sc_id id = {{0x05, 1}};
  bool same_state = false, erased;
  stage_open(&s, t->env);
  worked_account(&account);
  OK(sc_convo_info_new(&info, t->env, &account, (sc_bytes){0}));
  OK(sc_convo_info_get_or_make(&convo, info, SC_CONVO_CONTACT, &id));
  convo.last_read_ms = (int64_t)day_ms;
  OK(sc_convo_info_set(info, &convo, day_ms));
  OK(stage_begin(&s, sc_convo_info_config(info)));
  OK(sc_convo_info_age(info, far_later * day_ms));
  OK(sc_convo_info_get(&convo, info, SC_CONVO_CONTACT, &id));
  CHECK(convo.archived);
  OK(stage_roll_back(&same_state, &s));
  CHECK(same_state);
  OK(sc_convo_info_get(&convo, info, SC_CONVO_CONTACT, &id));
  CHECK(!convo.archived);
  stage_close(&s);
  stage_open(&s, t->env);
  OK(sc_convo_info_age(info, far_later * day_ms));
  OK(stage_begin(&s, sc_convo_info_config(info)));
  OK(sc_convo_info_erase(&erased, info, SC_CONVO_CONTACT, &id));
  OK(stage_roll_back(&same_state, &s));
  CHECK(same_state);
  OK(sc_convo_info_get(&convo, info, SC_CONVO_CONTACT, &id));
  CHECK(convo.archived);
done:
  stage_close(&s);
  sc_convo_info_free(info);
}

static void rolling_back_restores_pending_members(sc_test *t) {
  stage s;
  sc_ed25519_pair pair;
  sc_group_members *members = NULL;
  sc_group_member member;
  sc_id group, one = {{0x05, 1}}, other = {{0x05, 2}};
  bool same_state = false;
  stage_open(&s, t->env);
  device_group_pair(&pair);
  sc_id_make(&group, SC_ID_GROUP, pair.public_key);
  OK(sc_group_members_new(&members, t->env, &group, &pair, (sc_bytes){0}));
  sc_group_member_init(&member, &one);
  OK(sc_group_members_set(members, &member));
  OK(stage_begin(&s, sc_group_members_config(members)));
  sc_group_member_apply(&member, SC_GROUP_INVITE_SENT);
  OK(sc_group_members_set(members, &member));
  sc_group_member_init(&member, &other);
  OK(sc_group_members_set(members, &member));
  CHECK(!sc_group_members_is_pending(members, &one) && sc_group_members_is_pending(members, &other));
  OK(stage_roll_back(&same_state, &s));
  CHECK(same_state);
  CHECK(sc_group_members_is_pending(members, &one) && !sc_group_members_is_pending(members, &other));
done:
  stage_close(&s);
  sc_group_members_free(members);
}

SUITE(config_savepoint, "config/savepoint",
      {"edits of a clean config are undone", edits_of_a_clean_config_are_undone},
      {"edits of a dirty config are undone", edits_of_a_dirty_config_are_undone},
      {"pushes and dumps are undone", pushes_and_dumps_are_undone}, {"merges are undone", merges_are_undone},
      {"rolling back leaves keys and signer unchanged", rolling_back_leaves_keys_and_signer_unchanged},
      {"an unused savepoint changes nothing", an_unused_savepoint_changes_nothing},
      {"rolling back restores archived conversations", rolling_back_restores_archived_conversations},
      {"rolling back restores pending members", rolling_back_restores_pending_members});
