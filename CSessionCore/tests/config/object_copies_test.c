/* A message stored more than once: under other keys, or in the form of other clients. */
#include "config/object.h"
#include "saved.h"

/* Two admins and a member of a group. */
typedef struct trio {
  sc_config *a, *b, *member;
  sc_config_outgoing out, other;
  sc_config_hashes hashes;
} trio;

static sc_status begin_trio(trio *s, const sc_env *env) {
  *s = (trio){0};
  sc_config_outgoing_init(&s->out, env);
  sc_config_outgoing_init(&s->other, env);
  sc_config_hashes_init(&s->hashes, env);
  sc_status status = device_group_new(&s->a, env, true, (sc_bytes){0});
  if (status == SC_OK)
    status = device_group_new(&s->b, env, true, (sc_bytes){0});
  return status == SC_OK ? device_group_new(&s->member, env, false, (sc_bytes){0}) : status;
}

static void end_trio(trio *s) {
  sc_config_free(s->a);
  sc_config_free(s->b);
  sc_config_free(s->member);
  sc_config_outgoing_free(&s->out);
  sc_config_outgoing_free(&s->other);
  sc_config_hashes_free(&s->hashes);
}

/* Puts a new key before the one that groups in tests have. */
static sc_status take_new_key(sc_config *config, bool dirty) {
  static const uint8_t key[32] = {8};
  return sc_config_add_key(config, SC_BYTES(key), true, dirty);
}

static sc_status receive(sc_config *config, const sc_config_outgoing *out, const char *hash,
                         sc_config_effect expected) {
  sc_config_incoming incoming = {sc_bytes_text(hash), device_message(out)};
  sc_config_effect effect;
  sc_status status = sc_config_merge(&effect, NULL, config, &incoming, 1, device_now_ms);
  return status == SC_OK && effect != expected ? SC_ERR_STATE : status;
}

static sc_status active(trio *s, const sc_config *config) {
  return sc_config_active_hashes(&s->hashes, config, device_now_ms);
}

/* `out` is a revision under the old key that every device has as "old", `other` the same under the new key.
 */
static sc_status store_twice(trio *s) {
  sc_status status = device_set(s->a, PATH1("n"), TEXT("x"));
  if (status == SC_OK)
    status = device_publish(&s->out, s->a, "old");
  if (status == SC_OK)
    status = receive(s->b, &s->out, "old", SC_CONFIG_ADOPTED);
  if (status == SC_OK)
    status = receive(s->member, &s->out, "old", SC_CONFIG_ADOPTED);
  sc_config *const all[] = {s->a, s->b, s->member};
  for (size_t i = 0; i < 3 && status == SC_OK; i++)
    status = take_new_key(all[i], false);
  return status == SC_OK ? sc_config_push(&s->other, s->b, device_now_ms) : status;
}

static void the_copy_under_the_newest_key_is_kept(sc_test *t) {
  trio s;
  sc_buffer dump;
  sc_buffer_init(&dump, t->env);
  OK(begin_trio(&s, t->env));
  OK(store_twice(&s));
  sc_config *const all[] = {s.a, s.b, s.member};
  for (size_t i = 0; i < 3; i++) {
    OK(sc_config_dump(&dump, all[i], device_now_ms));
    OK(receive(all[i], &s.other, "new", SC_CONFIG_KEPT));
    CHECK(sc_config_state_of(all[i]) == SC_CONFIG_CLEAN && sc_config_needs_dump(all[i]));
    OK(active(&s, all[i]));
    HASHES_ARE(&s.hashes, "new");
    OK(receive(all[i], &s.out, "old", SC_CONFIG_KEPT));
    OK(active(&s, all[i]));
    HASHES_ARE(&s.hashes, "new");
  }
  sc_config_take_old_hashes(&s.hashes, s.a);
  HASHES_ARE(&s.hashes, "old");
done:
  sc_buffer_free(&dump);
  end_trio(&s);
}

static void the_order_of_copies_does_not_matter(sc_test *t) {
  trio s;
  sc_config_effect effect;
  sc_config *newcomer = NULL;
  OK(begin_trio(&s, t->env));
  OK(store_twice(&s));
  const sc_config_incoming copies[] = {{sc_bytes_text("old"), device_message(&s.out)},
                                       {sc_bytes_text("new"), device_message(&s.other)},
                                       {sc_bytes_text("old"), device_message(&s.out)}};
  for (size_t first = 0; first < 2; first++) {
    OK(device_group_new(&newcomer, t->env, true, (sc_bytes){0}));
    OK(take_new_key(newcomer, false));
    OK(sc_config_merge(&effect, NULL, newcomer, copies + first, 2, device_now_ms));
    CHECK(effect == SC_CONFIG_ADOPTED && sc_config_state_of(newcomer) == SC_CONFIG_CLEAN);
    OK(active(&s, newcomer));
    HASHES_ARE(&s.hashes, "new");
    sc_config_take_old_hashes(&s.hashes, newcomer);
    HASHES_ARE(&s.hashes, "old");
    sc_config_free(newcomer);
    newcomer = NULL;
  }
done:
  sc_config_free(newcomer);
  end_trio(&s);
}

/* Two admins begin the same revision, one of them because of a new key. */
static void a_copy_under_an_older_key_does_not_stop_a_push(sc_test *t) {
  static const uint8_t old_key[32] = {7};
  trio s;
  OK(begin_trio(&s, t->env));
  OK(device_set(s.a, PATH1("n"), TEXT("x")));
  OK(device_erase(s.a, PATH1("n")));
  OK(device_publish(&s.out, s.a, "old"));
  OK(take_new_key(s.b, true));
  OK(receive(s.b, &s.out, "old", SC_CONFIG_KEPT));
  CHECK(sc_config_state_of(s.b) == SC_CONFIG_DIRTY && sc_config_seqno(s.b) == 1);
  OK(device_publish(&s.other, s.b, "new"));
  HASHES_ARE(&s.other.obsolete, "old");
  CHECK(!sc_bytes_same(device_message(&s.out), device_message(&s.other)));
  FAILS(SC_ERR_CONFIG_NONE, receive(s.member, &s.other, "new", SC_CONFIG_KEPT)); /* it has no such key */
  OK(sc_config_add_key(s.a, SC_BYTES(old_key), false, false));
  OK(take_new_key(s.a, false));
  OK(receive(s.a, &s.other, "new", SC_CONFIG_KEPT));
  OK(active(&s, s.a));
  HASHES_ARE(&s.hashes, "new");
done:
  end_trio(&s);
}

/* Another admin, unaware of the new key, is so far ahead that the push for that key is wasted. */
static void a_config_adopted_under_an_older_key_is_pushed_again(sc_test *t) {
  static const char *const hashes[] = {"h1", "h2", "h3", "h4", "h5", "h6"};
  trio s;
  OK(begin_trio(&s, t->env));
  OK(take_new_key(s.b, true));
  for (size_t i = 0; i < 6; i++) {
    OK(device_set(s.a, PATH1("n"), sc_config_integer((int64_t)i)));
    OK(device_publish(&s.out, s.a, hashes[i]));
  }
  OK(receive(s.b, &s.out, "h6", SC_CONFIG_ADOPTED));
  CHECK(sc_config_state_of(s.b) == SC_CONFIG_WAITING && sc_config_seqno(s.b) == 6);
  OK(active(&s, s.b));
  CHECK(s.hashes.count == 0);
  sc_config_take_old_hashes(&s.hashes, s.b); /* it is the only copy */
  CHECK(s.hashes.count == 0);
  OK(device_publish(&s.other, s.b, "again"));
  HASHES_ARE(&s.other.obsolete, "h6");
  CHECK(sc_config_state_of(s.b) == SC_CONFIG_CLEAN && sc_config_seqno(s.b) == 6);
  OK(take_new_key(s.member, false));
  OK(receive(s.member, &s.out, "h6", SC_CONFIG_ADOPTED)); /* a member only reads, and waits for the admins */
  CHECK(sc_config_state_of(s.member) == SC_CONFIG_CLEAN);
  OK(receive(s.member, &s.other, "again", SC_CONFIG_KEPT));
  OK(active(&s, s.member));
  HASHES_ARE(&s.hashes, "again");
done:
  end_trio(&s);
}

/* As when one client compresses better than another. */
static void of_equal_copies_the_smallest_hash_is_kept(sc_test *t) {
  sc_config *configs[2] = {0};
  sc_config_outgoing out;
  sc_config_hashes hashes;
  sc_config_outgoing_init(&out, t->env);
  sc_config_hashes_init(&hashes, t->env);
  for (size_t i = 0; i < 2; i++)
    OK(device_new(&configs[i], t->env, (sc_bytes){0}));
  OK(device_set(configs[0], PATH1("n"), TEXT("x")));
  OK(device_publish(&out, configs[0], "h2"));
  OK(receive(configs[1], &out, "h1", SC_CONFIG_ADOPTED));
  OK(receive(configs[0], &out, "h1", SC_CONFIG_KEPT));
  OK(receive(configs[1], &out, "h2", SC_CONFIG_KEPT));
  for (size_t i = 0; i < 2; i++) {
    OK(sc_config_active_hashes(&hashes, configs[i], device_now_ms));
    HASHES_ARE(&hashes, "h1");
    sc_config_take_old_hashes(&hashes, configs[i]);
    HASHES_ARE(&hashes, "h2");
  }
done:
  for (size_t i = 0; i < 2; i++)
    sc_config_free(configs[i]);
  sc_config_outgoing_free(&out);
  sc_config_hashes_free(&hashes);
}

/* Members can make more copies and let them expire. */
static void an_equal_copy_does_not_replace_a_groups_message(sc_test *t) {
  trio s;
  OK(begin_trio(&s, t->env));
  OK(take_new_key(s.a, false));
  OK(take_new_key(s.member, false));
  OK(device_set(s.a, PATH1("n"), TEXT("x")));
  OK(device_publish(&s.out, s.a, "h2"));
  OK(receive(s.member, &s.out, "h2", SC_CONFIG_ADOPTED));
  sc_config *const all[] = {s.a, s.member};
  for (size_t i = 0; i < 2; i++) {
    OK(receive(all[i], &s.out, "h1", SC_CONFIG_KEPT));
    OK(active(&s, all[i]));
    HASHES_ARE(&s.hashes, "h2");
  }
  sc_config_take_old_hashes(&s.hashes, s.a);
  HASHES_ARE(&s.hashes, "h1");
done:
  end_trio(&s);
}

static void a_received_copy_gives_the_configs_hash(sc_test *t) {
  sc_config *config = NULL;
  sc_buffer dump;
  sc_config_outgoing out;
  sc_config_hashes hashes;
  sc_buffer_init(&dump, t->env);
  sc_config_outgoing_init(&out, t->env);
  sc_config_hashes_init(&hashes, t->env);
  OK(saved_dump(&dump, "d1:n1:xe", "de")); /* a dump without hashes */
  OK(device_new(&config, t->env, sc_buffer_bytes(&dump)));
  OK(sc_config_push(&out, config, device_now_ms));
  CHECK(!sc_config_needs_dump(config));
  OK(receive(config, &out, "here", SC_CONFIG_KEPT));
  CHECK(sc_config_needs_dump(config));
  OK(sc_config_active_hashes(&hashes, config, device_now_ms));
  HASHES_ARE(&hashes, "here");
done:
  sc_config_free(config);
  sc_buffer_free(&dump);
  sc_config_outgoing_free(&out);
  sc_config_hashes_free(&hashes);
}

SUITE(config_object_copies, "config/object_copies",
      {"the copy under the newest key is kept", the_copy_under_the_newest_key_is_kept},
      {"the order of copies does not matter", the_order_of_copies_does_not_matter},
      {"a copy under an older key does not stop a push", a_copy_under_an_older_key_does_not_stop_a_push},
      {"a config adopted under an older key is pushed again",
       a_config_adopted_under_an_older_key_is_pushed_again},
      {"a received copy gives the config's hash", a_received_copy_gives_the_configs_hash},
      {"of equal copies the smallest hash is kept", of_equal_copies_the_smallest_hash_is_kept},
      {"an equal copy does not replace a group's message", an_equal_copy_does_not_replace_a_groups_message});
