#include "config/envelope.h"
#include "device.h"

/* Two devices and the messages between them. */
typedef struct pair {
  sc_config *a, *b;
  sc_config_outgoing out, other;
  sc_config_effect effect;
  sc_status understood;
} pair;

static sc_status begin_pair(pair *out, const sc_env *env) {
  *out = (pair){0};
  sc_config_outgoing_init(&out->out, env);
  sc_config_outgoing_init(&out->other, env);
  sc_status status = device_new(&out->a, env, (sc_bytes){0});
  return status == SC_OK ? device_new(&out->b, env, (sc_bytes){0}) : status;
}

static void end_pair(pair *p) {
  sc_config_free(p->a);
  sc_config_free(p->b);
  sc_config_outgoing_free(&p->out);
  sc_config_outgoing_free(&p->other);
}

/* The visible state of a config, without anything a failed merge may have prepared. */
static sc_status look_at(sc_buffer *out, const sc_config *config) {
  sc_status status = device_data(out, config);
  if (status == SC_OK)
    status = sc_buffer_append_byte(out, (uint8_t)sc_config_state_of(config));
  if (status == SC_OK)
    status = sc_buffer_append_byte(out, (uint8_t)sc_config_seqno(config));
  return status == SC_OK ? sc_buffer_append_byte(out, sc_config_needs_dump(config)) : status;
}

/* A merge that runs out of memory must leave the config unchanged, or the message would be lost for good. */
static sc_status merge_all(sc_test *t, pair *p, sc_config *config, const sc_config_incoming *incoming,
                           size_t count, sc_status *statuses) {
  sc_buffer before, after;
  sc_buffer_init(&before, t->env);
  sc_buffer_init(&after, t->env);
  sc_status status = look_at(&before, config);
  bool looked = status == SC_OK;
  if (looked)
    status = sc_config_merge(&p->effect, statuses, config, incoming, count, device_now_ms);
  if (looked && status == SC_ERR_NO_MEMORY) {
    OK(look_at(&after, config));
    SAME(sc_buffer_bytes(&before), sc_buffer_bytes(&after));
  }
done:
  sc_buffer_free(&before);
  sc_buffer_free(&after);
  return status;
}

static sc_status receive(sc_test *t, pair *p, sc_config *config, const sc_config_outgoing *out,
                         const char *hash) {
  sc_config_incoming incoming = {sc_bytes_text(hash), device_message(out)};
  return merge_all(t, p, config, &incoming, 1, &p->understood);
}

static sc_status set_and_publish(sc_config_outgoing *out, sc_config *config, const char *key,
                                 const char *text, const char *hash) {
  sc_status status = device_set(config, PATH1(key), TEXT(text));
  return status == SC_OK ? device_publish(out, config, hash) : status;
}

static void another_devices_changes_are_adopted(sc_test *t) {
  pair p;
  sc_config_hashes active;
  sc_config_hashes_init(&active, t->env);
  OK(begin_pair(&p, t->env));
  OK(set_and_publish(&p.out, p.a, "n", "x", "h1"));
  OK(receive(t, &p, p.b, &p.out, "h1"));
  CHECK(p.effect == SC_CONFIG_ADOPTED && p.understood == SC_OK);
  CHECK(sc_config_state_of(p.b) == SC_CONFIG_CLEAN && sc_config_seqno(p.b) == 1);
  CHECK(sc_config_needs_dump(p.b));
  device_data_is(t, "d1:n1:xe", p.b);
  STOP_IF_FAILED;
  OK(receive(t, &p, p.b, &p.out, "h1"));
  CHECK(p.effect == SC_CONFIG_KEPT && p.understood == SC_OK);
  OK(set_and_publish(&p.out, p.a, "n", "y", "h2"));
  OK(receive(t, &p, p.b, &p.out, "h2"));
  OK(sc_config_active_hashes(&active, p.b, device_now_ms));
  HASHES_ARE(&active, "h2");
  sc_config_take_old_hashes(&active, p.b);
  HASHES_ARE(&active, "h1");
  sc_config_take_old_hashes(&active, p.b);
  CHECK(active.count == 0);
done:
  sc_config_hashes_free(&active);
  end_pair(&p);
}

/* A swarm may assign any hash. */
static void a_hash_in_use_is_never_obsolete(sc_test *t) {
  pair p;
  sc_config_hashes old;
  sc_config_hashes_init(&old, t->env);
  OK(begin_pair(&p, t->env));
  OK(set_and_publish(&p.out, p.a, "n", "x", "h1"));
  OK(receive(t, &p, p.b, &p.out, "h1"));
  OK(set_and_publish(&p.out, p.a, "n", "y", "h2"));
  OK(receive(t, &p, p.b, &p.out, "h2"));
  OK(set_and_publish(&p.out, p.a, "n", "z", "h3"));
  OK(receive(t, &p, p.b, &p.out, "h1"));
  CHECK(p.effect == SC_CONFIG_ADOPTED);
  sc_config_take_old_hashes(&old, p.b);
  HASHES_ARE(&old, "h2");
done:
  sc_config_hashes_free(&old);
  end_pair(&p);
}

static sc_status set_second(sc_config *config) {
  static const uint8_t key[] = "qwert\0yuio1234567890123456789012";
  sc_config_change change;
  sc_config_change_begin(&change, config);
  sc_config_change_set(&change, PATH1("n"), TEXT("Raz"));
  sc_config_change_set(&change, PATH1("p"), TEXT("http://new.example.com/pic"));
  sc_config_change_set(&change, PATH1("q"), sc_config_string(sc_bytes_make(key, 32)));
  sc_config_change_set(&change, PATH1("e"), sc_config_integer(86400));
  sc_config_change_set(&change, PATH1("M"), sc_config_integer(1));
  return sc_config_change_end(&change);
}

static bool has_state(const sc_config *config, sc_config_state state, int64_t seqno) {
  return sc_config_state_of(config) == state && sc_config_seqno(config) == seqno;
}

/* The bytes must be equal, or each device would see the other's message as another conflict. */
static void two_idle_devices_resolve_a_conflict_alike(sc_test *t) {
  pair p;
  OK(begin_pair(&p, t->env));
  OK(device_worked_first(p.a));
  OK(device_publish(&p.out, p.a, "h1"));
  OK(receive(t, &p, p.b, &p.out, "h1"));
  OK(set_and_publish(&p.out, p.a, "n", "Nibbler", "ha"));
  OK(set_second(p.b));
  OK(device_publish(&p.other, p.b, "hb"));
  OK(receive(t, &p, p.a, &p.other, "hb"));
  CHECK(p.effect == SC_CONFIG_RESOLVED && has_state(p.a, SC_CONFIG_DIRTY, 3));
  OK(receive(t, &p, p.b, &p.out, "ha"));
  CHECK(p.effect == SC_CONFIG_RESOLVED && has_state(p.b, SC_CONFIG_DIRTY, 3));
  OK(sc_config_push(&p.out, p.a, device_now_ms));
  OK(sc_config_push(&p.other, p.b, device_now_ms));
  CHECK(is_hashed(worked_messages[4].wrapped_hash, device_message(&p.out)));
  SAME(device_message(&p.out), device_message(&p.other));
  HASHES_ARE(&p.out.obsolete, "ha", "hb");
done:
  end_pair(&p);
}

/* Both devices make the same merge, and one of them erases something before it hears of the other's. */
static void a_merge_does_not_undo_an_edit_after_it(sc_test *t) {
  pair p;
  OK(begin_pair(&p, t->env));
  OK(set_and_publish(&p.out, p.a, "z", "erased", "h1"));
  OK(receive(t, &p, p.b, &p.out, "h1"));
  OK(set_and_publish(&p.out, p.a, "n", "Kif", "ha"));
  OK(set_and_publish(&p.other, p.b, "m", "Zapp", "hb"));
  OK(receive(t, &p, p.a, &p.other, "hb"));
  OK(receive(t, &p, p.b, &p.out, "ha"));
  OK(sc_config_close_merge(p.a));
  OK(sc_config_close_merge(p.b));
  CHECK(has_state(p.a, SC_CONFIG_WAITING, 3) && has_state(p.b, SC_CONFIG_WAITING, 3));
  OK(device_erase(p.b, PATH1("z")));
  CHECK(has_state(p.b, SC_CONFIG_DIRTY, 4));
  OK(device_publish(&p.out, p.a, "merge"));
  OK(device_publish(&p.other, p.b, "edit"));
  OK(receive(t, &p, p.b, &p.out, "merge"));
  CHECK(p.effect == SC_CONFIG_KEPT && has_state(p.b, SC_CONFIG_CLEAN, 4));
  OK(receive(t, &p, p.a, &p.other, "edit"));
  CHECK(p.effect == SC_CONFIG_ADOPTED && has_state(p.a, SC_CONFIG_CLEAN, 4));
  device_data_is(t, "d1:m4:Zapp1:n3:Kife", p.a);
  STOP_IF_FAILED;
  device_data_is(t, "d1:m4:Zapp1:n3:Kife", p.b);
done:
  end_pair(&p);
}

static void only_merges_of_unedited_messages_are_closed(sc_test *t) {
  pair p;
  OK(begin_pair(&p, t->env));
  OK(sc_config_close_merge(p.a));
  CHECK(has_state(p.a, SC_CONFIG_CLEAN, 0));
  OK(device_set(p.a, PATH1("n"), TEXT("Kif")));
  OK(sc_config_close_merge(p.a));
  CHECK(has_state(p.a, SC_CONFIG_DIRTY, 1));
  OK(set_and_publish(&p.other, p.b, "m", "Zapp", "hb"));
  OK(receive(t, &p, p.a, &p.other, "hb"));
  CHECK(p.effect == SC_CONFIG_RESOLVED && has_state(p.a, SC_CONFIG_DIRTY, 2));
  OK(sc_config_close_merge(p.a));
  CHECK(has_state(p.a, SC_CONFIG_DIRTY, 2));
done:
  end_pair(&p);
}

static bool ends_with(sc_bytes text, const char *end) {
  size_t len = strlen(end);
  return text.len >= len && memcmp(text.ptr + text.len - len, end, len) == 0;
}

/* Its diff is then empty, unlike the full diff of a merge without edits. */
static void an_unpushed_edit_is_merged(sc_test *t) {
  pair p;
  sc_buffer dump;
  sc_buffer_init(&dump, t->env);
  OK(begin_pair(&p, t->env));
  OK(set_and_publish(&p.out, p.a, "n", "x", "h1"));
  OK(device_set(p.b, PATH1("e"), sc_config_integer(5)));
  OK(receive(t, &p, p.b, &p.out, "h1"));
  CHECK(p.effect == SC_CONFIG_RESOLVED && has_state(p.b, SC_CONFIG_DIRTY, 2));
  device_data_is(t, "d1:ei5e1:n1:xe", p.b);
  STOP_IF_FAILED;
  OK(sc_config_dump(&dump, p.b, device_now_ms));
  CHECK(ends_with(sc_buffer_bytes(&dump), "e1:=dee1:(le1:)l2:h1e1:*de1:+dee"));
  OK(device_publish(&p.other, p.b, "h2"));
  HASHES_ARE(&p.other.obsolete, "h1");
  OK(receive(t, &p, p.a, &p.other, "h2"));
  CHECK(p.effect == SC_CONFIG_ADOPTED && has_state(p.a, SC_CONFIG_CLEAN, 2));
done:
  sc_buffer_free(&dump);
  end_pair(&p);
}

static void an_identical_remote_edit_needs_no_push(sc_test *t) {
  pair p;
  sc_config_hashes active;
  sc_config_hashes_init(&active, t->env);
  OK(begin_pair(&p, t->env));
  OK(set_and_publish(&p.out, p.a, "n", "x", "h1"));
  OK(device_set(p.b, PATH1("n"), TEXT("x")));
  OK(receive(t, &p, p.b, &p.out, "h1"));
  CHECK(p.effect == SC_CONFIG_ADOPTED && has_state(p.b, SC_CONFIG_CLEAN, 1));
  OK(sc_config_active_hashes(&active, p.b, device_now_ms));
  HASHES_ARE(&active, "h1");
done:
  sc_config_hashes_free(&active);
  end_pair(&p);
}

static void an_edit_far_behind_is_lost(sc_test *t) {
  pair p;
  OK(begin_pair(&p, t->env));
  OK(device_set(p.b, PATH1("n"), TEXT("late")));
  for (int i = 0; i < 6; i++)
    OK(set_and_publish(&p.out, p.a, "n", i % 2 == 0 ? "x" : "y", "h"));
  OK(receive(t, &p, p.b, &p.out, "h6"));
  CHECK(p.effect == SC_CONFIG_ADOPTED && has_state(p.b, SC_CONFIG_CLEAN, 6));
  device_data_is(t, "d1:n1:ye", p.b);
done:
  end_pair(&p);
}

/* Its own message is not obsolete: the next push stores it again. */
static void a_push_received_before_its_confirmation_stays_unconfirmed(sc_test *t) {
  pair p;
  OK(begin_pair(&p, t->env));
  OK(device_set(p.a, PATH1("n"), TEXT("x")));
  OK(sc_config_push(&p.out, p.a, device_now_ms));
  OK(receive(t, &p, p.a, &p.out, "h1"));
  CHECK(p.effect == SC_CONFIG_KEPT && p.understood == SC_OK && has_state(p.a, SC_CONFIG_WAITING, 1));
  OK(sc_config_push(&p.out, p.a, device_now_ms));
  CHECK(p.out.obsolete.count == 0);
done:
  end_pair(&p);
}

static void past_revisions_are_obsolete(sc_test *t) {
  pair p;
  OK(begin_pair(&p, t->env));
  OK(set_and_publish(&p.out, p.a, "n", "x", "h1"));
  OK(set_and_publish(&p.other, p.a, "n", "y", "h2"));
  sc_config_incoming both[] = {{sc_bytes_text("h2"), device_message(&p.other)},
                               {sc_bytes_text("h1"), device_message(&p.out)}};
  OK(merge_all(t, &p, p.b, both, 2, NULL));
  CHECK(p.effect == SC_CONFIG_ADOPTED && has_state(p.b, SC_CONFIG_CLEAN, 2));
  OK(receive(t, &p, p.b, &p.out, "h1again"));
  CHECK(p.effect == SC_CONFIG_KEPT);
  OK(set_and_publish(&p.out, p.b, "n", "z", "h3"));
  HASHES_ARE(&p.out.obsolete, "h1", "h1again", "h2");
done:
  end_pair(&p);
}

static void unreadable_messages_are_not_marked_obsolete(sc_test *t) {
  static const uint8_t garbage[100] = {1};
  static const uint8_t other_key[32] = {9};
  static const uint8_t long_hash[SC_CONFIG_MAX_HASH_BYTES + 1] = {1};
  const sc_bytes key = SC_BYTES(other_key);
  pair p;
  sc_status statuses[6];
  OK(begin_pair(&p, t->env));
  OK(device_set(p.a, PATH1("n"), TEXT("x")));
  OK(sc_config_push(&p.out, p.a, device_now_ms));
  OK(sc_config_replace_keys(p.b, &key, 1, false));
  OK(device_set(p.b, PATH1("n"), TEXT("x")));
  OK(sc_config_push(&p.other, p.b, device_now_ms));
  sc_config_incoming incoming[] = {
      {sc_bytes_text("1"), SC_BYTES(garbage)},        {sc_bytes_text("2"), sc_bytes_text("")},
      {sc_bytes_text("3"), device_message(&p.other)}, {sc_bytes_text(""), device_message(&p.out)},
      {SC_BYTES(long_hash), device_message(&p.out)},  {sc_bytes_text("h1"), device_message(&p.out)}};
  sc_config_free(p.b);
  p.b = NULL;
  OK(device_new(&p.b, t->env, (sc_bytes){0}));
  FAILS(SC_ERR_CONFIG_NONE, merge_all(t, &p, p.b, incoming, 5, statuses));
  CHECK(has_state(p.b, SC_CONFIG_CLEAN, 0) && !sc_config_needs_dump(p.b));
  OK(merge_all(t, &p, p.b, incoming, 6, statuses));
  CHECK(p.effect == SC_CONFIG_ADOPTED);
  CHECK(statuses[0] == SC_ERR_NO_KEY && statuses[1] == SC_ERR_TRUNCATED && statuses[2] == SC_ERR_NO_KEY);
  CHECK(statuses[3] == SC_ERR_ARGUMENT && statuses[4] == SC_ERR_ARGUMENT && statuses[5] == SC_OK);
  OK(merge_all(t, &p, p.b, incoming, 3, NULL));
  CHECK(p.effect == SC_CONFIG_KEPT);
  OK(merge_all(t, &p, p.b, NULL, 0, NULL));
done:
  end_pair(&p);
}

static void merges_need_keys_and_have_a_limit(sc_test *t) {
  pair p;
  OK(begin_pair(&p, t->env));
  FAILS(SC_ERR_TOO_LARGE, merge_all(t, &p, p.a, NULL, SC_CONFIG_MAX_INCOMING + 1, NULL));
  OK(sc_config_replace_keys(p.a, NULL, 0, false));
  FAILS(SC_ERR_CONFIG_KEYLESS, merge_all(t, &p, p.a, NULL, 0, NULL));
done:
  end_pair(&p);
}

/* Groups */

static sc_status begin_group(pair *out, const sc_env *env) {
  *out = (pair){0};
  sc_config_outgoing_init(&out->out, env);
  sc_config_outgoing_init(&out->other, env);
  sc_status status = device_group_new(&out->a, env, true, (sc_bytes){0});
  return status == SC_OK ? device_group_new(&out->b, env, false, (sc_bytes){0}) : status;
}

/* Two messages of one revision, the smaller hash first. */
static sc_status conflicting(pair *p, const sc_env *env) {
  sc_config *other = NULL;
  sc_status status = device_group_new(&other, env, true, (sc_bytes){0});
  if (status == SC_OK)
    status = device_set(p->a, PATH1("n"), TEXT("a"));
  if (status == SC_OK)
    status = device_set(other, PATH1("n"), TEXT("b"));
  if (status == SC_OK)
    status = sc_config_push(&p->out, p->a, device_now_ms);
  if (status == SC_OK)
    status = sc_config_push(&p->other, other, device_now_ms);
  sc_config_free(other);
  return status;
}

static void members_choose_one_message_and_keep_it(sc_test *t) {
  pair p;
  sc_config_hashes old;
  sc_config_hashes_init(&old, t->env);
  OK(begin_group(&p, t->env));
  OK(conflicting(&p, t->env));
  sc_config_incoming both[] = {{sc_bytes_text("ha"), device_message(&p.out)},
                               {sc_bytes_text("hb"), device_message(&p.other)}};
  OK(merge_all(t, &p, p.b, both, 2, NULL));
  CHECK(p.effect == SC_CONFIG_ADOPTED && has_state(p.b, SC_CONFIG_CLEAN, 1));
  CHECK(!sc_config_needs_push(p.b));
  OK(sc_config_active_hashes(&old, p.b, device_now_ms));
  CHECK(old.count == 1);
  size_t greater = old.items[0].ptr[1] == 'b';
  sc_config_free(p.b);
  p.b = NULL;
  OK(device_group_new(&p.b, t->env, false, (sc_bytes){0}));
  OK(merge_all(t, &p, p.b, &both[1 - greater], 1, NULL));
  OK(merge_all(t, &p, p.b, &both[greater], 1, NULL));
  CHECK(p.effect == SC_CONFIG_KEPT);
  OK(sc_config_active_hashes(&old, p.b, device_now_ms));
  CHECK(old.count == 1 && sc_bytes_same(old.items[0], both[1 - greater].hash));
  sc_config_take_old_hashes(&old, p.b);
  CHECK(old.count == 0);
done:
  sc_config_hashes_free(&old);
  end_pair(&p);
}

static void members_delete_nothing(sc_test *t) {
  pair p;
  sc_config_hashes old;
  sc_buffer dump;
  sc_buffer_init(&dump, t->env);
  sc_config_hashes_init(&old, t->env);
  OK(begin_group(&p, t->env));
  for (int i = 0; i < 3; i++) {
    OK(set_and_publish(&p.out, p.a, "n", i % 2 == 0 ? "x" : "y", i == 0 ? "h1" : "h2"));
    OK(receive(t, &p, p.b, &p.out, i == 0 ? "h1" : "h2"));
  }
  OK(sc_config_dump(&dump, p.b, device_now_ms));
  OK(receive(t, &p, p.b, &p.out, "another copy"));
  CHECK(p.effect == SC_CONFIG_KEPT && !sc_config_needs_dump(p.b));
  sc_config_take_old_hashes(&old, p.b);
  CHECK(old.count == 0);
  OK(sc_config_push(&p.out, p.b, device_now_ms));
  CHECK(p.out.obsolete.count == 0);
done:
  sc_buffer_free(&dump);
  sc_config_hashes_free(&old);
  end_pair(&p);
}

/* A rejected message's hash must not be taken for another message's. */
static void a_rejected_messages_hash_is_not_used(sc_test *t) {
  static const uint8_t key[32] = {7};
  const sc_bytes keys = SC_BYTES(key);
  pair p;
  sc_config_stored unsigned_message;
  sc_config_hashes active;
  sc_status statuses[2];
  sc_config_hashes_init(&active, t->env);
  sc_config_stored_init(&unsigned_message, t->env);
  OK(begin_group(&p, t->env));
  OK(device_set(p.a, PATH1("n"), TEXT("a")));
  OK(sc_config_push(&p.out, p.a, device_now_ms));
  sc_config_envelope envelope = {.domain = sc_bytes_text("groups::Info"), .keys = &keys, .key_count = 1};
  OK(sc_config_seal(&unsigned_message, &envelope, 9, sc_bytes_text("d1:#i9e1:&de1:<le1:=dee")));
  sc_config_incoming both[] = {{sc_bytes_text("bad"), sc_config_stored_message(&unsigned_message, 0)},
                               {sc_bytes_text("good"), device_message(&p.out)}};
  OK(merge_all(t, &p, p.b, both, 2, statuses));
  CHECK(statuses[0] == SC_ERR_CONFIG_UNSIGNED && statuses[1] == SC_OK);
  OK(sc_config_active_hashes(&active, p.b, device_now_ms));
  HASHES_ARE(&active, "good");
done:
  sc_config_stored_free(&unsigned_message);
  sc_config_hashes_free(&active);
  end_pair(&p);
}

/* Hooks */

typedef struct hooked {
  sc_config *config;
  int pushes, merges;
  bool fails;
  bool edits_clean;
} hooked;

static sc_status before_push(void *object, uint64_t wall_ms) {
  hooked *h = object;
  h->pushes++;
  sc_status status = device_set(h->config, PATH1("p"), sc_config_integer((int64_t)wall_ms));
  return status == SC_OK && h->fails ? SC_ERR_CONFIG_NAME : status;
}

static sc_status after_merge(void *object, uint64_t wall_ms) {
  hooked *h = object;
  h->merges++;
  sc_status status = device_set(h->config, PATH1("m"), sc_config_integer((int64_t)wall_ms));
  return status == SC_OK && h->fails ? SC_ERR_CONFIG_NAME : status;
}

static bool edits_clean(const void *object) {
  const hooked *h = object;
  return h->edits_clean;
}

static const sc_config_type hooked_type = {.domain = "UserProfile",
                                           .name_space = 2,
                                           .kind = SC_LEGACY_CONFIG_USER_PROFILE,
                                           .before_push = before_push,
                                           .edits_clean = edits_clean,
                                           .after_merge = after_merge};

static sc_status hook(hooked *out, const sc_env *env) {
  sc_keypair account;
  worked_account(&account);
  *out = (hooked){0};
  return sc_config_new(&out->config, env,
                       &(sc_config_setup){.type = &hooked_type, .object = out, .account = &account});
}

static void the_kinds_hook_runs_last_before_a_push(sc_test *t) {
  pair p;
  hooked h = {0};
  OK(begin_pair(&p, t->env));
  OK(hook(&h, t->env));
  OK(device_set(h.config, PATH1("n"), TEXT("x")));
  h.fails = true;
  FAILS(SC_ERR_CONFIG_NAME, sc_config_push(&p.out, h.config, 7));
  CHECK(has_state(h.config, SC_CONFIG_DIRTY, 1));
  device_data_is(t, "d1:n1:xe", h.config);
  STOP_IF_FAILED;
  h.fails = false;
  OK(sc_config_push(&p.out, h.config, 7));
  CHECK(h.pushes == 2);
  OK(receive(t, &p, p.a, &p.out, "h1"));
  device_data_is(t, "d1:n1:x1:pi7ee", p.a);
  STOP_IF_FAILED;
  OK(device_publish(&p.out, h.config, "h1"));
  CHECK(h.pushes == 3 && p.out.seqno == 2 && has_state(h.config, SC_CONFIG_CLEAN, 2));
  OK(sc_config_push(&p.out, h.config, 8));
  CHECK(h.pushes == 3 && p.out.seqno == 2 && has_state(h.config, SC_CONFIG_CLEAN, 2));
  h.edits_clean = true;
  OK(sc_config_push(&p.out, h.config, device_now_ms));
  CHECK(h.pushes == 4 && p.out.seqno == 2 && has_state(h.config, SC_CONFIG_CLEAN, 2));
  OK(sc_config_push(&p.out, h.config, 8));
  CHECK(h.pushes == 5 && p.out.seqno == 3 && has_state(h.config, SC_CONFIG_WAITING, 3));
  HASHES_ARE(&p.out.obsolete, "h1");
done:
  sc_config_free(h.config);
  end_pair(&p);
}

static void the_kinds_hook_runs_last_after_a_merge(sc_test *t) {
  pair p;
  hooked h = {0};
  OK(begin_pair(&p, t->env));
  OK(hook(&h, t->env));
  OK(set_and_publish(&p.out, p.a, "n", "x", "h1"));
  sc_config_incoming incoming = {sc_bytes_text("h1"), device_message(&p.out)};
  h.fails = true;
  FAILS(SC_ERR_CONFIG_NAME, sc_config_merge(&p.effect, NULL, h.config, &incoming, 1, 7));
  CHECK(has_state(h.config, SC_CONFIG_CLEAN, 0) && sc_config_data(h.config) == NULL && h.merges == 1);
  h.fails = false;
  OK(sc_config_merge(&p.effect, NULL, h.config, &incoming, 1, 7));
  CHECK(p.effect == SC_CONFIG_ADOPTED && has_state(h.config, SC_CONFIG_DIRTY, 2));
  device_data_is(t, "d1:mi7e1:n1:xe", h.config);
  STOP_IF_FAILED;
  OK(sc_config_merge(&p.effect, NULL, h.config, &incoming, 1, 7));
  CHECK(h.merges == 2);
done:
  sc_config_free(h.config);
  end_pair(&p);
}

static void a_local_config_is_never_merged(sc_test *t) {
  static const sc_config_type local = {.domain = "Local", .name_space = 9999, .local = true};
  sc_config *config = NULL;
  sc_config_outgoing out;
  sc_config_effect effect;
  sc_config_outgoing_init(&out, t->env);
  OK(sc_config_new(&config, t->env, &(sc_config_setup){.type = &local}));
  OK(device_set(config, PATH1("n"), TEXT("x")));
  CHECK(!sc_config_needs_push(config) && sc_config_needs_dump(config));
  OK(sc_config_push(&out, config, 7));
  CHECK(out.seqno == 0 && sc_config_stored_count(&out.messages) == 0);
  FAILS(SC_ERR_STATE, sc_config_merge(&effect, NULL, config, NULL, 0, 7));
done:
  sc_config_outgoing_free(&out);
  sc_config_free(config);
}

SUITE(config_object_merge, "config/object_merge",
      {"another device's changes are adopted", another_devices_changes_are_adopted},
      {"a hash in use is never obsolete", a_hash_in_use_is_never_obsolete},
      {"two idle devices resolve a conflict alike", two_idle_devices_resolve_a_conflict_alike},
      {"a merge does not undo an edit after it", a_merge_does_not_undo_an_edit_after_it},
      {"only merges of unedited messages are closed", only_merges_of_unedited_messages_are_closed},
      {"an unpushed edit is merged", an_unpushed_edit_is_merged},
      {"an identical remote edit needs no push", an_identical_remote_edit_needs_no_push},
      {"an edit far behind is lost", an_edit_far_behind_is_lost},
      {"a push received before its confirmation stays unconfirmed",
       a_push_received_before_its_confirmation_stays_unconfirmed},
      {"past revisions are obsolete", past_revisions_are_obsolete},
      {"unreadable messages are not marked obsolete", unreadable_messages_are_not_marked_obsolete},
      {"merges need keys and have a limit", merges_need_keys_and_have_a_limit},
      {"members choose one message and keep it", members_choose_one_message_and_keep_it},
      {"members delete nothing", members_delete_nothing},
      {"a rejected message's hash is not used", a_rejected_messages_hash_is_not_used},
      {"the kind's hook runs last before a push", the_kinds_hook_runs_last_before_a_push},
      {"the kind's hook runs last after a merge", the_kinds_hook_runs_last_after_a_merge},
      {"a local config is never merged", a_local_config_is_never_merged});
