#include "session-core/config/group_keys.h"

#include "config/object.h"
#include "group_scene.h"
#include "support/test_env.h"
#include "support/unsafe_keys.h"

static void accounts_and_group_match_the_example(sc_test *t) {
  static const struct {
    int person;
    const char *id;
  } known[] = {{person_a, "059d8d78b9c9e6661e552f2f1af02095ee2f8743fa2e6183f41bb7077ef51b5379"},
               {person_m, "054eb4fafee2bd3018a24e310de8106333c2b364eaed029a7f05d7b45ccc77683a"},
               {person_n, "057ce31baa9a04b5cfb83ab7ccdd7b669b911a082d29883d6aad3256294a0a5e0c"}};
  group_scene s;
  char text[SC_ID_CHARS + 1];
  KNOWN(group_x25519, "7a46e129fd805047448437e4744f1f1576be8c449fdf57e0c580d36c5cfc6668");
  OK(group_set_scene(&s, t->env));
  for (size_t i = 0; i < person_count; i++) {
    sc_id_format(text, &s.people[known[i].person].id);
    SAME(sc_bytes_text(known[i].id), sc_bytes_text(text));
  }
  sc_id_format(text, &s.group_id);
  SAME(sc_bytes_text("03d04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737"),
       sc_bytes_text(text));
  SAME(SC_BYTES(group_x25519), SC_BYTES(s.group.x.public_key));
done:
  group_leave_scene(&s);
}

static void a_group_begins_without_keys(sc_test *t) {
  group_scene s;
  int64_t generation = 99;
  OK(group_set_scene(&s, t->env));
  for (int i = 0; i < person_count; i++) {
    const sc_group_keys *keys = s.people[i].group;
    CHECK(sc_group_keys_list(keys).count == 0 && sc_group_keys_active_count(keys) == 0);
    CHECK(!sc_group_keys_generation(&generation, keys) && generation == 99);
    CHECK(sc_group_keys_pending(keys).len == 0 && !sc_group_keys_needs_rekey(keys));
    CHECK(!sc_group_keys_needs_dump(keys));
  }
done:
  group_leave_scene(&s);
}

static void only_groups_have_keys(sc_test *t) {
  group_scene s;
  sc_group_keys *keys = NULL;
  OK(group_set_scene(&s, t->env));
  const sc_keypair *me = &s.people[person_m].keys;
  const sc_bytes none = sc_bytes_make(NULL, 0);
  FAILS(SC_ERR_ID_KIND, sc_group_keys_new(&keys, t->env, me, &s.people[person_a].id, NULL, none));
  CHECK(keys == NULL);
  for (int i = 0; i < unsafe_ed25519_count; i++) {
    uint8_t key[SC_KEY_BYTES];
    sc_id unsafe;
    sc_test_hex_into(key, sizeof key, unsafe_ed25519[i]);
    sc_id_make(&unsafe, SC_ID_GROUP, key);
    FAILS(SC_ERR_KEY_INVALID, sc_group_keys_new(&keys, t->env, me, &unsafe, NULL, none));
    CHECK(keys == NULL);
  }
  sc_group_keys_free(NULL);
  FAILS(SC_ERR_KEY_MISMATCH, sc_group_keys_new(&keys, t->env, me, &s.group_id, &me->ed, none));
  CHECK(keys == NULL);
done:
  group_leave_scene(&s);
}

static void an_admin_needs_the_groups_secret_key(sc_test *t) {
  group_scene s;
  OK(group_set_scene(&s, t->env));
  sc_group_keys *keys = s.people[person_m].group;
  uint8_t mixed[SC_ED25519_SECRET_BYTES];
  memcpy(mixed, s.group.ed.secret, sizeof mixed);
  mixed[40] ^= 1;
  const sc_bytes seed = sc_bytes_make(s.group.ed.secret, SC_ED25519_SEED_BYTES);
  FAILS(SC_ERR_KEY_MISMATCH, sc_group_keys_load_admin_key(keys, SC_BYTES(s.people[person_a].keys.ed.secret)));
  FAILS(SC_ERR_KEY_SIZE, sc_group_keys_load_admin_key(keys, sc_bytes_make(seed.ptr, 31)));
  FAILS(SC_ERR_KEY_MISMATCH, sc_group_keys_load_admin_key(keys, SC_BYTES(mixed)));
  CHECK(sc_group_keys_admin(keys) == NULL);
  OK(sc_group_keys_load_admin_key(keys, seed));
  CHECK(sc_group_keys_admin(keys) != NULL);
  SAME(SC_BYTES(s.group.ed.secret), SC_BYTES(sc_group_keys_admin(keys)->ed.secret));
  OK(sc_group_keys_load_admin_key(keys, sc_bytes_make(seed.ptr, 31))); /* already proved */
done:
  group_leave_scene(&s);
}

static void a_promoted_admin_keeps_all_keys(sc_test *t) {
  group_scene s;
  OK(group_set_scene(&s, t->env));
  OK(group_rekey_and_load(&s, "one", LOADED_MS));
  sc_group_keys *keys = s.people[person_m].group;
  uint64_t version = sc_group_keys_version(keys);
  OK(sc_group_keys_load_admin_key(keys, SC_BYTES(s.group.ed.secret)));
  CHECK(sc_group_keys_list(keys).count == 1 && sc_group_keys_version(keys) == version);
  OK(sc_group_keys_rekey(keys, s.members, person_count));
  OK(sc_group_keys_load_admin_key(s.people[person_n].group, SC_BYTES(s.group.ed.secret)));
  OK(group_load(&s, person_n, "one", sc_buffer_bytes(&s.message), LOADED_MS)); /* in the form admins open */
  CHECK(s.found);
done:
  group_leave_scene(&s);
}

static void the_list_has_the_pending_key_first(sc_test *t) {
  group_scene s;
  OK(group_set_scene(&s, t->env));
  sc_group_keys *keys = s.people[person_a].group;
  uint64_t version = sc_group_keys_version(keys);
  OK(group_rekey_and_load(&s, "one", LOADED_MS));
  OK(group_rekey_and_load(&s, "two", LOADED_MS + 1));
  CHECK(sc_group_keys_version(keys) != version);
  version = sc_group_keys_version(keys);
  OK(sc_buffer_append(&s.other, sc_group_keys_list(keys).keys[0]));
  OK(sc_buffer_append(&s.other, sc_group_keys_list(keys).keys[1]));
  OK(group_rekey(&s));
  CHECK(sc_group_keys_version(keys) != version);
  sc_group_key_list list = sc_group_keys_list(keys);
  CHECK(list.count == 3 && !sc_bytes_same(list.keys[0], list.keys[1]));
  SAME(sc_bytes_make(s.other.ptr, 32), list.keys[1]);
  SAME(sc_bytes_make(s.other.ptr + 32, 32), list.keys[2]);
  int64_t generation;
  CHECK(sc_group_keys_generation(&generation, keys) && generation == 1); /* excluding the pending key */
done:
  group_leave_scene(&s);
}

/* Keys move in memory as their number grows; the list follows. */
static void many_keys_are_listed_newest_first(sc_test *t) {
  enum { most = 40 };
  group_scene s;
  OK(group_set_scene(&s, t->env));
  int count = t->torture ? 10 : most;
  for (int i = 0; i < count; i++) {
    OK(group_rekey(&s));
    sc_bytes pending = sc_group_keys_list(s.people[person_a].group).keys[0];
    sc_buffer_clear(&s.other);
    OK(sc_buffer_append(&s.other, pending));
    OK(group_rekey_and_load(&s, "hash", LOADED_MS + (uint64_t)i));
    sc_group_key_list list = sc_group_keys_list(s.people[person_m].group);
    CHECK(list.count == (size_t)i + 1);
    SAME(sc_buffer_bytes(&s.other), list.keys[0]);
  }
done:
  group_leave_scene(&s);
}

/* A config of the group, for an admin or a read-only member. */
SC_NODISCARD static sc_status new_config(sc_config **out, const group_scene *s, bool signs) {
  static const sc_config_type type = {.domain = "groups::Info", .name_space = 13};
  const sc_config_setup setup = {
      .type = &type, .verifier = s->group.ed.public_key, .signer = signs ? &s->group.ed : NULL};
  return sc_config_new(out, s->env, &setup);
}

static void other_configs_are_given_the_keys(sc_test *t) {
  group_scene s;
  sc_config *of_a = NULL, *of_m = NULL;
  sc_config_outgoing outgoing;
  sc_config_effect effect;
  sc_config_outgoing_init(&outgoing, t->env);
  OK(group_set_scene(&s, t->env));
  OK(new_config(&of_a, &s, true));
  OK(new_config(&of_m, &s, false));
  sc_group_keys *a = s.people[person_a].group, *m = s.people[person_m].group;
  OK(group_rekey(&s));
  OK(sc_group_keys_hand_on(a, of_a, true));
  CHECK(sc_config_needs_push(of_a) && sc_config_key_count(of_a) == 1);
  OK(sc_config_push(&outgoing, of_a, 0));
  const sc_config_incoming incoming = {sc_bytes_text("hash"),
                                       sc_config_stored_message(&outgoing.messages, 0)};
  FAILS(SC_ERR_CONFIG_KEYLESS, sc_config_merge(&effect, NULL, of_m, &incoming, 1, 0));
  OK(group_load(&s, person_m, "one", sc_group_keys_pending(a), LOADED_MS));
  OK(sc_group_keys_hand_on(m, of_m, false));
  OK(sc_config_merge(&effect, NULL, of_m, &incoming, 1, 0));
  CHECK(effect == SC_CONFIG_ADOPTED && !sc_config_needs_push(of_m));
done:
  sc_config_outgoing_free(&outgoing);
  sc_config_free(of_a);
  sc_config_free(of_m);
  group_leave_scene(&s);
}

/* Generation 0 of the worked example, sender M, and a nonce of ascending bytes. */
static void a_message_is_sealed_in_the_known_form(sc_test *t) {
  group_scene s;
  sc_test_env scripted;
  uint8_t nonce[SC_XCHACHA_NONCE_BYTES], hash[32];
  sc_group_keys *keys = NULL;
  sc_sender sender;
  const sc_group_seal_options options = SC_GROUP_SEAL_DEFAULT;
  KNOWN(known_hash, "9d3f3b54952b4cc2ed0b93eccc396690d2545cb01e88e9bebabdcc39453cd39c");
  OK(group_set_scene(&s, t->env));
  OK(group_rekey_and_load(&s, "one", LOADED_MS));
  OK(sc_group_keys_dump(&s.other, s.people[person_m].group, SC_GROUP_DUMP_KEYS));
  for (uint8_t i = 0; i < sizeof nonce; i++)
    nonce[i] = i;
  sc_test_env_init(&scripted, 1);
  sc_test_env_script(&scripted, SC_BYTES(nonce));
  OK(sc_group_keys_new(&keys, &scripted.env, &s.people[person_m].keys, &s.group_id, NULL,
                       sc_buffer_bytes(&s.other)));
  OK(sc_group_keys_seal(&s.message, keys, sc_bytes_text("hello"), &options));
  CHECK(s.message.len == 256);
  OK(sc_blake2b(hash, sizeof hash, sc_bytes_make(NULL, 0), sc_buffer_bytes(&s.message)));
  SAME(SC_BYTES(known_hash), SC_BYTES(hash));
  OK(sc_group_keys_open(&s.other, &sender, s.people[person_a].group, sc_buffer_bytes(&s.message)));
  SAME(sc_bytes_text("hello"), sc_buffer_bytes(&s.other));
  SAME(SC_BYTES(s.people[person_m].id.bytes), SC_BYTES(sender.id.bytes));
done:
  sc_group_keys_free(keys);
  group_leave_scene(&s);
}

static void any_held_key_opens_a_message(sc_test *t) {
  group_scene s;
  sc_sender sender;
  sc_buffer sealed[2];
  sc_buffer_init(&sealed[0], t->env);
  sc_buffer_init(&sealed[1], t->env);
  OK(group_set_scene(&s, t->env));
  sc_group_keys *a = s.people[person_a].group, *m = s.people[person_m].group;
  OK(group_rekey_and_load(&s, "one", LOADED_MS));
  OK(sc_group_keys_seal(&sealed[0], a, sc_bytes_text("under the first key"), NULL));
  OK(group_rekey(&s));
  OK(sc_group_keys_seal(&sealed[1], a, sc_bytes_text("under the pending key"), NULL));
  OK(sc_group_keys_open(&s.other, &sender, m, sc_buffer_bytes(&sealed[0])));
  FAILS(SC_ERR_NO_KEY, sc_group_keys_open(&s.other, &sender, m, sc_buffer_bytes(&sealed[1])));
  OK(group_rekey_and_load(&s, "two", LOADED_MS + 1));
  for (int i = 0; i < 2; i++)
    OK(sc_group_keys_open(&s.other, &sender, m, sc_buffer_bytes(&sealed[i])));
  SAME(sc_bytes_text("under the pending key"), sc_buffer_bytes(&s.other));
  FAILS(SC_ERR_NO_KEY,
        sc_group_keys_open(&s.other, &sender, s.people[person_n].group, sc_buffer_bytes(&sealed[0])));
done:
  sc_buffer_free(&sealed[0]);
  sc_buffer_free(&sealed[1]);
  group_leave_scene(&s);
}

static void nothing_is_sealed_without_a_key(sc_test *t) {
  group_scene s;
  OK(group_set_scene(&s, t->env));
  OK(group_append_text(&s.other, "left over"));
  FAILS(SC_ERR_CONFIG_KEYLESS,
        sc_group_keys_seal(&s.other, s.people[person_a].group, sc_bytes_text("hello"), NULL));
  CHECK(s.other.len == 0);
  OK(group_rekey(&s)); /* a pending key is enough */
  OK(sc_group_keys_seal(&s.other, s.people[person_a].group, sc_bytes_text("hello"), NULL));
  FAILS(SC_ERR_ARGUMENT, sc_group_keys_seal(&s.other, s.people[person_a].group, sc_bytes_text(""), NULL));
done:
  group_leave_scene(&s);
}

SUITE(config_group_keys, "config/group_keys",
      {"accounts and group match the example", accounts_and_group_match_the_example},
      {"a group begins without keys", a_group_begins_without_keys},
      {"only groups have keys", only_groups_have_keys},
      {"an admin needs the group's secret key", an_admin_needs_the_groups_secret_key},
      {"a promoted admin keeps all keys", a_promoted_admin_keeps_all_keys},
      {"the list has the pending key first", the_list_has_the_pending_key_first},
      {"many keys are listed newest first", many_keys_are_listed_newest_first},
      {"other configs are given the keys", other_configs_are_given_the_keys},
      {"a message is sealed in the known form", a_message_is_sealed_in_the_known_form},
      {"any held key opens a message", any_held_key_opens_a_message},
      {"nothing is sealed without a key", nothing_is_sealed_without_a_key});
