#include "group_scene.h"

#define KEY_0 "0f1bd5c27f9bd7ecbda5bb4ad4a94203351cb3ee356cf57718350409011bdd16"

SC_NODISCARD static sc_status restore(sc_group_keys **out, const group_scene *s, sc_bytes dump) {
  return sc_group_keys_new(out, s->env, &s->people[person_m].keys, &s->group_id, NULL, dump);
}

static void an_empty_ring_has_the_known_dump(sc_test *t) {
  group_scene s;
  OK(group_set_scene(&s, t->env));
  OK(sc_group_keys_dump(&s.other, s.people[person_m].group, SC_GROUP_DUMP_MESSAGES));
  SAME(sc_bytes_text("d1:Ale1:Llee"), sc_buffer_bytes(&s.other));
done:
  group_leave_scene(&s);
}

static void a_key_has_the_known_dump(sc_test *t) {
  group_scene s;
  sc_buffer known;
  sc_buffer_init(&known, t->env);
  OK(group_set_scene(&s, t->env));
  OK(group_append_text(&known, "d1:Alli0e2:h1ee1:Lld1:gi0e1:k32:"));
  OK(sc_test_hex(&known, KEY_0));
  OK(group_append_text(&known, "1:ti1700000000000eeee"));
  OK(group_rekey_and_load(&s, "h1", LOADED_MS));
  sc_group_keys *keys = s.people[person_m].group;
  CHECK(sc_group_keys_needs_dump(keys));
  OK(sc_group_keys_dump(&s.other, keys, SC_GROUP_DUMP_KEYS));
  SAME(sc_buffer_bytes(&known), sc_buffer_bytes(&s.other));
  CHECK(!sc_group_keys_needs_dump(keys));
done:
  sc_buffer_free(&known);
  group_leave_scene(&s);
}

/* Messages, keys and a pending key are all restored. */
static void saved_keys_are_restored(sc_test *t) {
  group_scene s;
  sc_group_keys *restored = NULL;
  OK(group_set_scene(&s, t->env));
  OK(group_rekey_and_load(&s, "h1", LOADED_MS));
  OK(group_rekey_and_load(&s, "h2", LOADED_MS + 1));
  OK(group_load(&s, person_a, "h0", sc_buffer_bytes(&s.message), LOADED_MS + 2));
  OK(group_rekey(&s));
  sc_group_keys *keys = s.people[person_a].group;
  OK(sc_group_keys_dump(&s.message, keys, SC_GROUP_DUMP_MESSAGES));
  OK(sc_group_keys_new(&restored, t->env, &s.people[person_a].keys, &s.group_id, NULL,
                       sc_buffer_bytes(&s.message)));
  CHECK(!sc_group_keys_needs_dump(restored) && sc_group_keys_admin(restored) == NULL);
  SAME(sc_group_keys_pending(keys), sc_group_keys_pending(restored));
  sc_group_key_list before = sc_group_keys_list(keys), after = sc_group_keys_list(restored);
  CHECK(before.count == 3 && after.count == 3);
  for (size_t i = 0; i < before.count; i++)
    SAME(before.keys[i], after.keys[i]);
  CHECK(sc_group_keys_active_count(keys) == 3 && sc_group_keys_active_count(restored) == 3);
  for (size_t i = 0; i < 3; i++) {
    SAME(sc_group_keys_active(keys, i).hash, sc_group_keys_active(restored, i).hash);
    SAME(sc_group_keys_active(keys, i).content, sc_group_keys_active(restored, i).content);
  }
  OK(sc_group_keys_dump(&s.other, restored, SC_GROUP_DUMP_MESSAGES));
  SAME(sc_buffer_bytes(&s.message), sc_buffer_bytes(&s.other));
done:
  sc_group_keys_free(restored);
  group_leave_scene(&s);
}

/* The content follows all the fields other clients know. */
static void key_messages_are_dumped_under_a_key_others_ignore(sc_test *t) {
  group_scene s;
  sc_group_keys *restored = NULL;
  OK(group_set_scene(&s, t->env));
  OK(group_rekey_and_load(&s, "h1", LOADED_MS));
  sc_group_keys *keys = s.people[person_m].group;
  OK(sc_group_keys_dump(&s.message, keys, SC_GROUP_DUMP_KEYS));
  OK(sc_group_keys_dump(&s.other, keys, SC_GROUP_DUMP_MESSAGES));
  size_t shared = s.message.len - 1;
  CHECK(memcmp(s.message.ptr, s.other.ptr, shared) == 0);
  SAME(sc_bytes_text("1:Rd2:h1"), sc_bytes_make(s.other.ptr + shared, strlen("1:Rd2:h1")));
  OK(restore(&restored, &s, sc_buffer_bytes(&s.message)));
  CHECK(sc_group_keys_active_count(restored) == 1 && sc_group_keys_active(restored, 0).content.len == 0);
done:
  sc_group_keys_free(restored);
  group_leave_scene(&s);
}

static void inactive_messages_are_dumped_without_content(sc_test *t) {
  group_scene s;
  sc_group_keys *restored = NULL;
  OK(group_set_scene(&s, t->env));
  OK(restore(&restored, &s, sc_bytes_text("d1:Alli0e1:bee1:Lle1:Rd1:a1:A1:b1:B1:c1:Cee")));
  CHECK(sc_group_keys_active_count(restored) == 1);
  SAME(sc_bytes_text("B"), sc_group_keys_active(restored, 0).content);
done:
  sc_group_keys_free(restored);
  group_leave_scene(&s);
}

#define ONE "d1:gi1e1:k32:abcdefghijklmnopqrstuvwxyzABCDEF1:ti5ee"
#define TWO "d1:gi2e1:k32:abcdefghijklmnopqrstuvwxyzABCDEF1:ti5ee"

static void an_invalid_dump_is_refused(sc_test *t) {
  static const struct {
    const char *text;
    sc_status status;
  } cases[] = {
      {"d1:Ale1:Llee", SC_OK},
      {"d1:Ale1:Ll" ONE TWO "ee", SC_OK},
      {"d1:Alli0e1:x1:yee1:Ll" ONE "e1:Si1ee", SC_OK},
      {"d1:Ale1:Lle1:Pd1:c1:x1:gi3e1:k32:abcdefghijklmnopqrstuvwxyzABCDEFee", SC_OK},
      {"", SC_OK}, /* a new one */
      {"le", SC_ERR_CONFIG_DUMP},
      {"de", SC_ERR_CONFIG_DUMP},
      {"d1:Alee", SC_ERR_CONFIG_DUMP},
      {"d1:Llee", SC_ERR_CONFIG_DUMP},
      {"d1:Lle1:Alee", SC_ERR_CONFIG_DUMP},
      {"d1:Ai1e1:Llee", SC_ERR_CONFIG_DUMP},
      {"d1:Al1:xe1:Llee", SC_ERR_CONFIG_DUMP},
      {"d1:All1:xee1:Llee", SC_ERR_CONFIG_DUMP},
      {"d1:Alli0ei1eee1:Llee", SC_ERR_CONFIG_DUMP},
      {"d1:Alli0e0:ee1:Llee", SC_ERR_CONFIG_DUMP},
      {"d1:Ale1:Ll" TWO ONE "ee", SC_ERR_CONFIG_DUMP},
      {"d1:Ale1:Ll" ONE ONE "ee", SC_ERR_CONFIG_DUMP},
      {"d1:Ale1:Lld1:gi1e1:k2:ab1:ti5eeee", SC_ERR_CONFIG_DUMP},
      {"d1:Ale1:Lld1:gi1e1:ti5eeee", SC_ERR_CONFIG_DUMP},
      {"d1:Ale1:Lle1:Pd1:gi3e1:k32:abcdefghijklmnopqrstuvwxyzABCDEFee", SC_ERR_CONFIG_DUMP},
      {"d1:Ale1:Lle1:Pd1:c1:x1:k32:abcdefghijklmnopqrstuvwxyzABCDEFee", SC_ERR_CONFIG_DUMP},
      {"d1:Ale1:Lle1:Pd1:c1:x1:gi3e1:k31:abcdefghijklmnopqrstuvwxyzABCDEee", SC_ERR_CONFIG_DUMP},
      {"d1:Ale1:Lle1:Pd1:c1:x1:gi3eee", SC_ERR_CONFIG_DUMP},
      {"d1:Ale1:Lle1:Rlee", SC_ERR_CONFIG_DUMP},
      {"d1:Ale1:Lle1:Rd0:0:ee", SC_ERR_CONFIG_DUMP},
      {"d1:Ale1:Lleex", SC_ERR_CONFIG_DUMP},
      {"d1:Ale1:Lle", SC_ERR_CONFIG_DUMP},
  };
  group_scene s;
  OK(group_set_scene(&s, t->env));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sc_group_keys *restored = NULL;
    sc_status status = restore(&restored, &s, sc_bytes_text(cases[i].text));
    sc_group_keys_free(restored);
    FAILS(cases[i].status, status);
    CHECK((restored != NULL) == (status == SC_OK));
  }
done:
  group_leave_scene(&s);
}

static void a_dump_with_too_many_keys_is_refused(sc_test *t) {
  group_scene s;
  sc_buffer dump;
  char key[96];
  sc_group_keys *restored = NULL;
  sc_buffer_init(&dump, t->env);
  OK(group_set_scene(&s, t->env));
  size_t most = t->torture ? 3 : SC_GROUP_MAX_KEYS;
  for (size_t count = most; count <= most + 1; count++) {
    sc_buffer_clear(&dump);
    OK(group_append_text(&dump, "d1:Ale1:Ll"));
    for (size_t i = 0; i < count; i++) {
      snprintf(key, sizeof key, "d1:gi%zue1:k32:abcdefghijklmnopqrstuvwxyzABCDEF1:ti5ee", i);
      OK(group_append_text(&dump, key));
    }
    OK(group_append_text(&dump, "ee"));
    sc_status status = restore(&restored, &s, sc_buffer_bytes(&dump));
    CHECK(restored == NULL || sc_group_keys_list(restored).count == count);
    sc_group_keys_free(restored);
    restored = NULL;
    FAILS(count <= SC_GROUP_MAX_KEYS ? SC_OK : SC_ERR_CONFIG_DUMP, status);
  }
done:
  sc_group_keys_free(restored);
  sc_buffer_free(&dump);
  group_leave_scene(&s);
}

static void a_restored_admin_continues_where_it_left_off(sc_test *t) {
  group_scene s;
  sc_group_keys *restored = NULL;
  OK(group_set_scene(&s, t->env));
  OK(group_rekey_and_load(&s, "h1", LOADED_MS));
  OK(group_rekey(&s));
  sc_group_keys *keys = s.people[person_a].group;
  OK(sc_group_keys_dump(&s.other, keys, SC_GROUP_DUMP_MESSAGES));
  OK(sc_group_keys_new(&restored, t->env, &s.people[person_a].keys, &s.group_id, &s.group.ed,
                       sc_buffer_bytes(&s.other)));
  OK(sc_buffer_append(&s.message, sc_group_keys_pending(keys)));
  const sc_id members[] = {s.people[person_m].id, s.people[person_a].id};
  OK(sc_group_keys_rekey(restored, members, 2));
  SAME(sc_group_keys_pending(keys), sc_group_keys_pending(restored));
done:
  sc_group_keys_free(restored);
  group_leave_scene(&s);
}

SUITE(config_group_keys_dump, "config/group_keys_dump",
      {"an empty ring has the known dump", an_empty_ring_has_the_known_dump},
      {"a key has the known dump", a_key_has_the_known_dump},
      {"saved keys are restored", saved_keys_are_restored},
      {"key messages are dumped under a key others ignore",
       key_messages_are_dumped_under_a_key_others_ignore},
      {"inactive messages are dumped without content", inactive_messages_are_dumped_without_content},
      {"an invalid dump is refused", an_invalid_dump_is_refused},
      {"a dump with too many keys is refused", a_dump_with_too_many_keys_is_refused},
      {"a restored admin continues where it left off", a_restored_admin_continues_where_it_left_off});
