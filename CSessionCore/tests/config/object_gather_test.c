#include <stdio.h>

#include "config/envelope.h"
#include "device.h"

/* A member, and messages to be merged one after the other. */
typedef struct scene {
  sc_config *member;
  sc_config_stored stored; /* refused, because it is unsigned */
  sc_config_outgoing good;
  sc_config_effect effect;
  char (*names)[8];
  sc_config_incoming *incoming;
  sc_status *statuses;
  size_t count;
} scene;

static sc_status seal_unsigned(sc_config_stored *out, sc_bytes message) {
  static const uint8_t key[32] = {7};
  const sc_bytes keys = SC_BYTES(key);
  sc_config_envelope envelope = {.domain = sc_bytes_text("groups::Info"), .keys = &keys, .key_count = 1};
  return sc_config_seal(out, &envelope, 9, message);
}

static sc_status set_scene(scene *out, const sc_env *env, size_t room) {
  sc_config *admin;
  *out = (scene){0};
  sc_config_stored_init(&out->stored, env);
  sc_config_outgoing_init(&out->good, env);
  out->names = sc_allocate(env, room * sizeof *out->names);
  out->incoming = sc_allocate(env, room * sizeof *out->incoming);
  out->statuses = sc_allocate(env, room * sizeof *out->statuses);
  if (out->names == NULL || out->incoming == NULL || out->statuses == NULL)
    return SC_ERR_NO_MEMORY;
  sc_status status = device_group_new(&out->member, env, false, (sc_bytes){0});
  if (status == SC_OK)
    status = device_group_new(&admin, env, true, (sc_bytes){0});
  if (status != SC_OK)
    return status;
  status = device_set(admin, PATH1("n"), TEXT("x"));
  if (status == SC_OK)
    status = sc_config_push(&out->good, admin, device_now_ms);
  sc_config_free(admin);
  return status;
}

static void leave_scene(scene *s, const sc_env *env) {
  sc_config_free(s->member);
  sc_config_stored_free(&s->stored);
  sc_config_outgoing_free(&s->good);
  sc_release(env, s->names);
  sc_release(env, s->incoming);
  sc_release(env, s->statuses);
}

static void bring(scene *s, sc_bytes stored) {
  snprintf(s->names[s->count], sizeof s->names[0], "%zu", s->count);
  s->incoming[s->count] = (sc_config_incoming){sc_bytes_text(s->names[s->count]), stored};
  s->count++;
}

static sc_status merge(scene *s, size_t from) {
  return sc_config_merge(&s->effect, s->statuses + from, s->member, s->incoming + from, s->count - from,
                         device_now_ms);
}

static void reading_stops_after_too_many_refused_messages(sc_test *t) {
  enum { most = SC_CONFIG_MAX_REFUSED, room = most + 2 };
  scene s = {0};
  if (t->torture)
    SKIP("it takes many messages");
  OK(set_scene(&s, t->env, room));
  OK(seal_unsigned(&s.stored, sc_bytes_text("d1:#i9e1:&de1:<le1:=dee")));
  for (size_t i = 0; i + 1 < most; i++)
    bring(&s, sc_config_stored_message(&s.stored, 0));
  bring(&s, device_message(&s.good));
  bring(&s, sc_config_stored_message(&s.stored, 0));
  bring(&s, device_message(&s.good));
  OK(merge(&s, 0));
  for (size_t i = 0; i < s.count; i++) {
    sc_status expected = i == most - 1 ? SC_OK : i > most ? SC_ERR_CONFIG_UNREAD : SC_ERR_CONFIG_UNSIGNED;
    FAILS(expected, s.statuses[i]);
  }
  OK(merge(&s, s.count - 1));
  FAILS(SC_OK, s.statuses[s.count - 1]);
done:
  leave_scene(&s, t->env);
}

/* Undecryptable messages cost little, so any number is allowed. */
static void undecryptable_messages_do_not_count_as_refused(sc_test *t) {
  enum { most = SC_CONFIG_MAX_REFUSED, room = most + 2 };
  static const uint8_t garbage[100] = {1};
  scene s = {0};
  if (t->torture)
    SKIP("it takes many messages");
  OK(set_scene(&s, t->env, room));
  for (size_t i = 0; i <= most; i++)
    bring(&s, SC_BYTES(garbage));
  bring(&s, device_message(&s.good));
  OK(merge(&s, 0));
  CHECK(s.statuses[0] == SC_ERR_NO_KEY && s.statuses[most] == SC_ERR_NO_KEY && s.statuses[most + 1] == SC_OK);
done:
  leave_scene(&s, t->env);
}

/* Zeros, which take almost no space when stored. */
static sc_status seal_long(sc_config_stored *out, const sc_env *env, size_t zeros) {
  sc_buffer message;
  uint8_t *at;
  char head[64];
  sc_buffer_init(&message, env);
  snprintf(head, sizeof head, "d1:#i9e1:&d1:a%zu:", zeros);
  sc_status status = sc_buffer_append(&message, sc_bytes_text(head));
  if (status == SC_OK)
    status = sc_buffer_extend(&at, &message, zeros);
  if (status == SC_OK) {
    memset(at, 0, zeros);
    status = sc_buffer_append(&message, sc_bytes_text("e1:<le1:=dee"));
  }
  if (status == SC_OK)
    status = seal_unsigned(out, sc_buffer_bytes(&message));
  sc_buffer_free(&message);
  return status;
}

static void reading_stops_after_too_many_refused_bytes(sc_test *t) {
  enum { most = SC_CONFIG_MAX_REFUSED_BYTES / SC_CONFIG_MAX_BYTES };
  scene s = {0};
  if (t->torture)
    SKIP("it takes many bytes");
  OK(set_scene(&s, t->env, 2 * most + 1));
  OK(seal_long(&s.stored, t->env, SC_CONFIG_MAX_BYTES - 100));
  for (size_t i = 0; i < 2 * most; i++)
    bring(&s, sc_config_stored_message(&s.stored, 0));
  bring(&s, device_message(&s.good));
  FAILS(SC_ERR_CONFIG_NONE, merge(&s, 0));
  CHECK(s.statuses[0] == SC_ERR_CONFIG_UNSIGNED && s.statuses[2 * most - 1] == SC_ERR_CONFIG_UNREAD);
  FAILS(SC_ERR_CONFIG_UNREAD, s.statuses[2 * most]);
  OK(seal_long(&s.stored, t->env, 1000));
  s.count = 0;
  for (size_t i = 0; i < 2 * most; i++)
    bring(&s, sc_config_stored_message(&s.stored, 0));
  bring(&s, device_message(&s.good));
  OK(merge(&s, 0));
  FAILS(SC_OK, s.statuses[2 * most]);
done:
  leave_scene(&s, t->env);
}

static void a_revision_before_the_first_is_refused(sc_test *t) {
  sc_config *config = NULL;
  sc_keypair account;
  sc_config_stored stored;
  sc_config_effect effect;
  sc_status understood;
  worked_account(&account);
  const sc_bytes key = worked_key(&account);
  sc_config_envelope envelope = {.domain = sc_bytes_text("UserProfile"), .keys = &key, .key_count = 1};
  sc_config_stored_init(&stored, t->env);
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(sc_config_seal(&stored, &envelope, 0, sc_bytes_text("d1:#i-1e1:&d1:ni1ee1:<le1:=dee")));
  FAILS(SC_ERR_CONFIG_NONE,
        device_merge(&effect, &understood, config, "h1", sc_config_stored_message(&stored, 0)));
  CHECK(understood == SC_ERR_CONFIG_SEQNO && sc_config_data(config) == NULL);
done:
  sc_config_stored_free(&stored);
  sc_config_free(config);
}

SUITE(config_object_gather, "config/object_gather",
      {"reading stops after too many refused messages", reading_stops_after_too_many_refused_messages},
      {"undecryptable messages do not count as refused", undecryptable_messages_do_not_count_as_refused},
      {"reading stops after too many refused bytes", reading_stops_after_too_many_refused_bytes},
      {"a revision before the first is refused", a_revision_before_the_first_is_refused});
