#include "config/user_groups.h"
#include "joined.h"

static sc_legacy_group a_group(char letter) {
  return (sc_legacy_group){.id = saved_id(SC_ID_STANDARD, letter)};
}

static sc_legacy_member a_member(char letter, bool admin) {
  return (sc_legacy_member){.id = saved_id(SC_ID_STANDARD, letter), .admin = admin};
}

static void a_legacy_group_without_fields_is_kept(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_legacy_group group = a_group('a');
  OK(groups_fresh(&groups, t->env));
  OK(sc_user_groups_set_legacy_group(groups, &group));
  groups_are(t, "d1:Cd33:\x05" A32 "d1:n0:eee", groups);
done:
  sc_user_groups_free(groups);
}

static void every_field_of_a_legacy_group_is_stored(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_legacy_group group = a_group('a');
  sc_legacy_group found;
  group.membership = a_membership();
  group.name = sc_bytes_text("name");
  group.public_key = sc_bytes_text(A32);
  group.secret_key = sc_bytes_text(B32);
  group.expiry_s = 3600;
  OK(groups_fresh(&groups, t->env));
  OK(sc_user_groups_set_legacy_group(groups, &group));
  groups_are(t,
             "d1:Cd33:\x05" A32 "d" MEMBERSHIP_FRONT "1:Ei3600e1:K32:" B32 MEMBERSHIP_BACK "1:k32:" A32
             "1:n4:nameeee",
             groups);
  STOP_IF_FAILED;
  OK(sc_user_groups_get_legacy_group(&found, groups, &group.id));
  CHECK(same_membership(&group.membership, &found.membership) && found.expiry_s == 3600);
  SAME(group.name, found.name);
  SAME(group.public_key, found.public_key);
  SAME(group.secret_key, found.secret_key);
  OK(sc_user_groups_set_legacy_group(groups, &found));
  group = a_group('a');
  OK(sc_user_groups_set_legacy_group(groups, &group));
  groups_are(t, "d1:Cd33:\x05" A32 "d1:n0:eee", groups);
done:
  sc_user_groups_free(groups);
}

static void half_of_a_key_pair_is_ignored(sc_test *t) {
  static const char *const records[] = {"d1:K32:" A32 "e", "d1:k32:" A32 "e",
                                        "d1:K31:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1:k32:" A32 "e",
                                        "d1:K32:" A32 "1:ki1ee"};
  sc_user_groups *groups = NULL;
  sc_legacy_group group = a_group('a');
  char data[256];
  for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
    snprintf(data, sizeof data, "d1:Cd33:\x05" A32 "%see", records[i]);
    OK(groups_saved(&groups, t->env, data));
    OK(sc_user_groups_get_legacy_group(&group, groups, &group.id));
    CHECK(group.public_key.len == 0 && group.secret_key.len == 0);
    group.public_key = sc_bytes_make(A32, i % 2 == 0 ? 32 : 0);
    group.secret_key = sc_bytes_make(A32, i % 2 == 0 ? 31 : 32);
    OK(sc_user_groups_set_legacy_group(groups, &group));
    groups_are(t, "d1:Cd33:\x05" A32 "d1:n0:eee", groups);
    STOP_IF_FAILED;
    sc_user_groups_free(groups);
    groups = NULL;
  }
done:
  sc_user_groups_free(groups);
}

static void out_of_range_values_are_clamped(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_legacy_group group = a_group('a');
  OK(groups_saved(&groups, t->env, "d1:Cd33:\x05" A32 "d1:Ei-60e1:ni3eee1:gd33:\x05" A32 "d1:n1:xeee"));
  OK(sc_user_groups_get_legacy_group(&group, groups, &group.id));
  CHECK(group.expiry_s == 0 && group.name.len == 0);
  sc_user_groups_free(groups);
  groups = NULL;
  OK(groups_saved(&groups, t->env, "d1:Cd33:\x05" A32 "d1:Ei9223372036854775807eeee"));
  OK(sc_user_groups_get_legacy_group(&group, groups, &group.id));
  CHECK(group.expiry_s == INT32_MAX);
  group.expiry_s = -1;
  OK(sc_user_groups_set_legacy_group(groups, &group));
  groups_are(t, "d1:Cd33:\x05" A32 "d1:n0:eee", groups);
done:
  sc_user_groups_free(groups);
}

static void invalid_legacy_groups_are_refused_or_skipped(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_legacy_group group = a_group('a');
  sc_legacy_group wrong = {.id = saved_id(SC_ID_GROUP, 'a')};
  bool erased;
  OK(groups_saved(&groups, t->env, "d1:Cd33:\x03" A32 "d1:n0:e33:\x05" A32 "i1eee"));
  FAILS(SC_ERR_NOT_FOUND, sc_user_groups_first_legacy_group(&group, groups));
  FAILS(SC_ERR_NOT_FOUND, sc_user_groups_get_legacy_group(&group, groups, &group.id));
  FAILS(SC_ERR_ID_KIND, sc_user_groups_get_legacy_group(&group, groups, &wrong.id));
  FAILS(SC_ERR_ID_KIND, sc_user_groups_get_or_make_legacy_group(&group, groups, &wrong.id));
  FAILS(SC_ERR_ID_KIND, sc_user_groups_set_legacy_group(groups, &wrong));
  FAILS(SC_ERR_ID_KIND, sc_user_groups_erase_legacy_group(&erased, groups, &wrong.id));
  group.membership.notify = (sc_config_notify)4;
  FAILS(SC_ERR_ARGUMENT, sc_user_groups_set_legacy_group(groups, &group));
  group.membership.notify = SC_CONFIG_NOTIFY_ALL;
  group.name = sc_bytes_text("\xc3");
  FAILS(SC_ERR_UTF8, sc_user_groups_set_legacy_group(groups, &group));
  CHECK(groups_are_clean(groups));
done:
  sc_user_groups_free(groups);
}

static void legacy_groups_stay_in_order_through_edits(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_legacy_group group;
  bool erased;
  char seen[8] = "";
  OK(groups_saved(&groups, t->env, "d1:Cd33:\x05" A32 "d1:n0:e33:\x05" B32 "d1:n0:eee"));
  group = a_group('c');
  OK(sc_user_groups_get_or_make_legacy_group(&group, groups, &group.id));
  sc_status status = sc_user_groups_first_legacy_group(&group, groups);
  for (size_t i = 0; status == SC_OK; status = sc_user_groups_next_legacy_group(&group, groups), i++) {
    seen[i] = (char)group.id.bytes[1];
    OK(sc_user_groups_erase_legacy_group(&erased, groups, &group.id));
    CHECK(erased);
  }
  FAILS(SC_ERR_NOT_FOUND, status);
  SAME(sc_bytes_text("ab"), sc_bytes_text(seen));
  groups_are(t, "de", groups);
done:
  sc_user_groups_free(groups);
}

/* Members */

static void members_are(sc_test *t, const char *expected, const sc_user_groups *groups) {
  sc_legacy_member member;
  sc_id group = saved_id(SC_ID_STANDARD, 'a');
  char seen[32] = "";
  size_t len = 0;
  sc_status status = sc_user_groups_first_legacy_member(&member, groups, &group);
  for (; status == SC_OK; status = sc_user_groups_next_legacy_member(&member, groups, &group)) {
    if (member.admin)
      seen[len++] = '*';
    seen[len++] = (char)member.id.bytes[1];
  }
  FAILS(SC_ERR_NOT_FOUND, status);
  SAME(sc_bytes_text(expected), sc_bytes_text(seen));
done:;
}

/* A merge of two devices' edits can leave a member in both sets. */
static void a_member_in_both_sets_is_not_an_admin(sc_test *t) {
  sc_user_groups *groups = NULL;
  OK(groups_saved(&groups, t->env,
                  "d1:Cd33:\x05" A32 "d1:al33:\x05" A32 "33:\x05" B32 "e1:ml33:\x05" B32 "33:\x05" C32
                  "e1:n0:eee"));
  members_are(t, "*abc", groups);
done:
  sc_user_groups_free(groups);
}

static void a_member_is_stored_in_one_of_two_sets(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_legacy_group group = a_group('a');
  sc_legacy_member a = a_member('a', false), b = a_member('b', true), c = a_member('c', false);
  OK(groups_fresh(&groups, t->env));
  OK(sc_user_groups_set_legacy_group(groups, &group));
  OK(sc_user_groups_put_legacy_member(groups, &group.id, &c));
  OK(sc_user_groups_put_legacy_member(groups, &group.id, &b));
  OK(sc_user_groups_put_legacy_member(groups, &group.id, &a));
  groups_are(t, "d1:Cd33:\x05" A32 "d1:al33:\x05" B32 "e1:ml33:\x05" A32 "33:\x05" C32 "e1:n0:eee", groups);
  STOP_IF_FAILED;
  members_are(t, "a*bc", groups);
  STOP_IF_FAILED;
  a.admin = true;
  b.admin = false;
  OK(sc_user_groups_put_legacy_member(groups, &group.id, &a));
  OK(sc_user_groups_put_legacy_member(groups, &group.id, &b));
  groups_are(t, "d1:Cd33:\x05" A32 "d1:al33:\x05" A32 "e1:ml33:\x05" B32 "33:\x05" C32 "e1:n0:eee", groups);
  STOP_IF_FAILED;
  OK(sc_user_groups_set_legacy_group(groups, &group));
  members_are(t, "*abc", groups);
  STOP_IF_FAILED;
  OK(sc_user_groups_remove_legacy_member(groups, &group.id, &a.id));
  OK(sc_user_groups_remove_legacy_member(groups, &group.id, &b.id));
  OK(sc_user_groups_remove_legacy_member(groups, &group.id, &b.id));
  OK(sc_user_groups_remove_legacy_member(groups, &group.id, &c.id));
  groups_are(t, "d1:Cd33:\x05" A32 "d1:n0:eee", groups);
  STOP_IF_FAILED;
  members_are(t, "", groups);
done:
  sc_user_groups_free(groups);
}

/* A member of both sets is an admin; an invalid id is ignored; an invalid set has no members. */
static void malformed_members_are_skipped_and_kept(sc_test *t) {
  static const char odd[] = "d1:Cd33:\x05" A32 "d1:ali7e33:\x05" B32 "e1:mli7e33:\x03" A32 "33:\x05" A32
                            "33:\x05" B32 "1:xe1:n0:eee";
  sc_user_groups *groups = NULL;
  OK(groups_saved(&groups, t->env, odd));
  members_are(t, "ab", groups);
  STOP_IF_FAILED;
  groups_are(t, odd, groups);
  STOP_IF_FAILED;
  sc_user_groups_free(groups);
  groups = NULL;
  OK(groups_saved(&groups, t->env, "d1:Cd33:\x05" A32 "d1:ad1:x1:xe1:m1:x1:n0:eee"));
  members_are(t, "", groups);
done:
  sc_user_groups_free(groups);
}

static void only_accounts_can_be_members_and_only_of_existing_groups(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_id group = saved_id(SC_ID_STANDARD, 'a'), other = saved_id(SC_ID_STANDARD, 'b'),
        wrong = saved_id(SC_ID_GROUP, 'a');
  sc_legacy_member member = a_member('a', true);
  sc_legacy_member odd = {.id = wrong};
  OK(groups_saved(&groups, t->env, "d1:Cd33:\x05" A32 "d1:n0:eee"));
  FAILS(SC_ERR_ID_KIND, sc_user_groups_put_legacy_member(groups, &group, &odd));
  FAILS(SC_ERR_ID_KIND, sc_user_groups_put_legacy_member(groups, &wrong, &member));
  FAILS(SC_ERR_NOT_FOUND, sc_user_groups_put_legacy_member(groups, &other, &member));
  FAILS(SC_ERR_ID_KIND, sc_user_groups_remove_legacy_member(groups, &group, &wrong));
  FAILS(SC_ERR_ID_KIND, sc_user_groups_remove_legacy_member(groups, &wrong, &member.id));
  OK(sc_user_groups_remove_legacy_member(groups, &other, &member.id));
  FAILS(SC_ERR_NOT_FOUND, sc_user_groups_first_legacy_member(&member, groups, &other));
  FAILS(SC_ERR_ID_KIND, sc_user_groups_first_legacy_member(&member, groups, &wrong));
  CHECK(groups_are_clean(groups));
done:
  sc_user_groups_free(groups);
}

SUITE(config_legacy_groups, "config/legacy_groups",
      {"a legacy group without fields is kept", a_legacy_group_without_fields_is_kept},
      {"every field of a legacy group is stored", every_field_of_a_legacy_group_is_stored},
      {"half of a key pair is ignored", half_of_a_key_pair_is_ignored},
      {"out-of-range values are clamped", out_of_range_values_are_clamped},
      {"invalid legacy groups are refused or skipped", invalid_legacy_groups_are_refused_or_skipped},
      {"legacy groups stay in order through edits", legacy_groups_stay_in_order_through_edits},
      {"a member in both sets is not an admin", a_member_in_both_sets_is_not_an_admin},
      {"a member is stored in one of two sets", a_member_is_stored_in_one_of_two_sets},
      {"malformed members are skipped and kept", malformed_members_are_skipped_and_kept},
      {"only accounts can be members, and only of existing groups",
       only_accounts_can_be_members_and_only_of_existing_groups});
