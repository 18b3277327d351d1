#include "config/member_keys.h"

#include "group_scene.h"
#include "support/unsafe_keys.h"

static void both_sides_derive_the_known_keys(sc_test *t) {
  static const char *const known[] = {"ca942f876ed0981a4dce98ec42e2a4d1432d10aa46e62505baac7fe7087f1267",
                                      "76a8fe15a5fd3031a7344fddd4ac99b6f1f25fdf280756255154d67bc389457f"};
  group_scene s;
  OK(group_set_scene(&s, t->env));
  for (int i = person_a; i <= person_m; i++) {
    uint8_t expected[SC_KEY_BYTES], key[SC_KEY_BYTES];
    sc_test_hex_into(expected, sizeof expected, known[i]);
    OK(sc_member_key_of(key, &s.group, sc_id_key(&s.people[i].id)));
    SAME(SC_BYTES(expected), SC_BYTES(key));
    OK(sc_member_key_of_mine(key, &s.people[i].keys, s.group.x.public_key));
    SAME(SC_BYTES(expected), SC_BYTES(key));
  }
done:
  group_leave_scene(&s);
}

/* True if the cached keys are those of these members. */
static bool holds(const sc_member_keys *held, const sc_keypair *group, const sc_id *members, size_t count) {
  if (held->count != count)
    return false;
  for (size_t i = 0; i < count; i++) {
    uint8_t key[SC_KEY_BYTES];
    const sc_member_key *one = &held->keys[i];
    bool safe = sc_member_key_of(key, group, sc_id_key(&members[i])) == SC_OK;
    if (one->safe != safe || memcmp(one->member, sc_id_key(&members[i]), SC_KEY_BYTES) != 0 ||
        (safe && memcmp(one->key, key, sizeof key) != 0))
      return false;
  }
  return true;
}

static void the_keys_of_these_members_are_cached(sc_test *t) {
  group_scene s;
  sc_member_keys held = {0};
  OK(group_set_scene(&s, t->env));
  const sc_id *const m = s.members;
  const sc_id ends[] = {m[0], m[2]};
  OK(sc_member_keys_renew(&held, t->env, &s.group, m + 1, 1));
  CHECK(holds(&held, &s.group, m + 1, 1));
  OK(sc_member_keys_renew(&held, t->env, &s.group, m, 3));
  CHECK(holds(&held, &s.group, m, 3));
  OK(sc_member_keys_renew(&held, t->env, &s.group, ends, 2));
  CHECK(holds(&held, &s.group, ends, 2));
  OK(sc_member_keys_renew(&held, t->env, &s.group, m, 0));
  CHECK(held.count == 0);
  OK(sc_member_keys_renew(&held, t->env, &s.group, m + 2, 1));
  CHECK(holds(&held, &s.group, m + 2, 1));
done:
  sc_member_keys_free(&held, t->env);
  group_leave_scene(&s);
}

/* A corrupted cache shows that the cached key is used. */
static void a_cached_key_is_not_derived_again(sc_test *t) {
  group_scene s;
  sc_member_keys held = {0};
  OK(group_set_scene(&s, t->env));
  OK(sc_member_keys_renew(&held, t->env, &s.group, s.members, 2));
  held.keys[1].key[0] ^= 1;
  OK(sc_member_keys_renew(&held, t->env, &s.group, s.members + 1, 2));
  CHECK(!holds(&held, &s.group, s.members + 1, 2));
  held.keys[0].key[0] ^= 1;
  CHECK(holds(&held, &s.group, s.members + 1, 2));
done:
  sc_member_keys_free(&held, t->env);
  group_leave_scene(&s);
}

static void members_with_unsafe_keys_get_no_key(sc_test *t) {
  group_scene s;
  sc_member_keys held = {0};
  OK(group_set_scene(&s, t->env));
  for (int i = 0; i < unsafe_x25519_count; i++) {
    uint8_t bytes[SC_KEY_BYTES], key[SC_KEY_BYTES];
    sc_id unsafe;
    sc_test_hex_into(bytes, sizeof bytes, unsafe_x25519[i]);
    sc_id_make(&unsafe, SC_ID_STANDARD, bytes);
    FAILS(SC_ERR_KEY_INVALID, sc_member_key_of(key, &s.group, bytes));
    OK(sc_member_keys_renew(&held, t->env, &s.group, &unsafe, 1));
    OK(sc_member_keys_renew(&held, t->env, &s.group, &unsafe, 1));
    CHECK(held.count == 1 && !held.keys[0].safe);
  }
done:
  sc_member_keys_free(&held, t->env);
  group_leave_scene(&s);
}

SUITE(config_member_keys, "config/member_keys",
      {"both sides derive the known keys", both_sides_derive_the_known_keys},
      {"the keys of these members are cached", the_keys_of_these_members_are_cached},
      {"a cached key is not derived again", a_cached_key_is_not_derived_again},
      {"members with unsafe keys get no key", members_with_unsafe_keys_get_no_key});
