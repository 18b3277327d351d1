#include "joined.h"

#include "session-core/config/text.h"

#define AUTH A32 A32 A32 "aaaa"
_Static_assert(sizeof AUTH - 1 == SC_SUBACCOUNT_ACCESS_BYTES, "as long as it has to be");

static sc_user_group a_group(char letter) {
  return (sc_user_group){.id = saved_id(SC_ID_GROUP, letter)};
}

/* The data of one group, whose id has the seed of As. */
static const char *one_group(char out[static 1024], const char *record) {
  sc_id id = group_of_seed('a');
  snprintf(out, 1024, "d1:gd33:%.33s%see", (const char *)id.bytes, record);
  return out;
}

/* Fields */

static void a_group_without_fields_is_kept(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_user_group group = a_group('a');
  OK(groups_fresh(&groups, t->env));
  OK(sc_user_groups_set_group(groups, &group));
  groups_are(t, "d1:gd33:\x03" A32 "d1:K0:eee", groups);
  STOP_IF_FAILED;
  OK(sc_user_groups_get_group(&group, groups, &group.id));
  CHECK(group.name.len == 0 && group.seed.len == 0 && group.access.len == 0 && group.standing == 0);
done:
  sc_user_groups_free(groups);
}

static void every_field_of_a_group_is_stored(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_user_group group = a_group('a');
  sc_user_group found;
  group.membership = a_membership();
  group.name = sc_bytes_text("name");
  group.access = sc_bytes_text(AUTH);
  group.standing = SC_GROUP_KICKED;
  OK(groups_fresh(&groups, t->env));
  OK(sc_user_groups_set_group(groups, &group));
  groups_are(
      t, "d1:gd33:\x03" A32 "d" MEMBERSHIP_FRONT "1:K0:" MEMBERSHIP_BACK "1:n4:name1:ri1e1:s100:" AUTH "eee",
      groups);
  STOP_IF_FAILED;
  OK(sc_user_groups_get_group(&found, groups, &group.id));
  CHECK(same_membership(&group.membership, &found.membership));
  SAME(group.name, found.name);
  SAME(group.access, found.access);
  CHECK(found.standing == SC_GROUP_KICKED && found.seed.len == 0);
  group = a_group('a');
  OK(sc_user_groups_set_group(groups, &group));
  groups_are(t, "d1:gd33:\x03" A32 "d1:K0:eee", groups);
done:
  sc_user_groups_free(groups);
}

static void an_admin_has_the_seed(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_user_group group = {.id = group_of_seed('a')};
  char data[1024];
  group.seed = sc_bytes_text(A32);
  OK(groups_saved(&groups, t->env, one_group(data, "d1:K0:1:s100:" AUTH "e")));
  OK(sc_user_groups_set_group(groups, &group));
  groups_are(t, one_group(data, "d1:K32:" A32 "1:s100:" AUTH "e"), groups);
  STOP_IF_FAILED;
  OK(sc_user_groups_get_group(&group, groups, &group.id));
  SAME(sc_bytes_text(A32), group.seed);
  SAME(sc_bytes_text(AUTH), group.access);
done:
  sc_user_groups_free(groups);
}

static void secrets_of_the_wrong_size_or_group_are_ignored(sc_test *t) {
  static const char *const records[] = {"d1:K32:" B32 "e", "d1:K31:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbe",
                                        "d1:Ki1ee", "d1:K0:1:s99:" A32 A32 A32 "aaae", "d1:K0:1:si1ee"};
  sc_user_groups *groups = NULL;
  sc_user_group group = {.id = group_of_seed('a')};
  char data[1024];
  for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
    OK(groups_saved(&groups, t->env, one_group(data, records[i])));
    OK(sc_user_groups_get_group(&group, groups, &group.id));
    CHECK(group.seed.len == 0 && group.access.len == 0);
    OK(sc_user_groups_set_group(groups, &group));
    groups_are(t, one_group(data, "d1:K0:e"), groups);
    STOP_IF_FAILED;
    group.seed = sc_bytes_text(i % 2 == 0 ? B32 : "short");
    group.access = sc_bytes_text("short");
    OK(sc_user_groups_set_group(groups, &group));
    groups_are(t, one_group(data, "d1:K0:e"), groups);
    STOP_IF_FAILED;
    sc_user_groups_free(groups);
    groups = NULL;
  }
done:
  sc_user_groups_free(groups);
}

static void invitations_kicks_and_destruction_are_marked(sc_test *t) {
  sc_user_group group = a_group('a');
  group.seed = sc_bytes_text(A32);
  group.access = sc_bytes_text(AUTH);
  sc_user_group_mark_invited(&group);
  CHECK(group.standing == SC_GROUP_PRESENT && group.seed.len > 0 && group.access.len > 0);
  sc_user_group_mark_kicked(&group);
  CHECK(group.standing == SC_GROUP_KICKED && group.seed.len == 0 && group.access.len == 0);
  sc_user_group_mark_invited(&group);
  CHECK(group.standing == SC_GROUP_PRESENT);
  group.seed = sc_bytes_text(A32);
  group.access = sc_bytes_text(AUTH);
  sc_user_group_mark_destroyed(&group);
  CHECK(group.standing == SC_GROUP_DESTROYED && group.seed.len == 0 && group.access.len == 0);
  sc_user_group_mark_kicked(&group);
  sc_user_group_mark_invited(&group);
  CHECK(group.standing == SC_GROUP_DESTROYED);
done:;
}

static void unknown_fields_are_kept(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_user_group group = a_group('a');
  OK(groups_saved(&groups, t->env, "d1:gd33:\x03" A32 "d1:?1:x1:K0:1:ri9eee1:zi1ee"));
  OK(sc_user_groups_get_group(&group, groups, &group.id));
  CHECK(group.standing == 9);
  group.membership.invited = true;
  OK(sc_user_groups_set_group(groups, &group));
  groups_are(t, "d1:gd33:\x03" A32 "d1:?1:x1:K0:1:ii1e1:ri9eee1:zi1ee", groups);
done:
  sc_user_groups_free(groups);
}

static void setting_equal_values_changes_nothing(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_user_group group = a_group('a');
  OK(groups_saved(&groups, t->env,
                  "d1:gd33:\x03" A32 "d" MEMBERSHIP_FRONT "1:K0:" MEMBERSHIP_BACK "1:n4:nameeee"));
  OK(sc_user_groups_get_group(&group, groups, &group.id));
  OK(sc_user_groups_set_group(groups, &group));
  CHECK(groups_are_clean(groups));
done:
  sc_user_groups_free(groups);
}

static void a_blank_group_can_be_made(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_user_group group;
  sc_id id = saved_id(SC_ID_GROUP, 'b');
  OK(groups_saved(&groups, t->env, "d1:gd33:\x03" A32 "d1:K0:1:n1:xeee"));
  OK(sc_user_groups_get_or_make_group(&group, groups, &id));
  CHECK(group.name.len == 0);
  SAME(SC_BYTES(id.bytes), SC_BYTES(group.id.bytes));
  id = saved_id(SC_ID_GROUP, 'a');
  OK(sc_user_groups_get_or_make_group(&group, groups, &id));
  SAME(sc_bytes_text("x"), group.name);
  CHECK(groups_are_clean(groups));
done:
  sc_user_groups_free(groups);
}

static void a_group_can_be_left(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_id id = saved_id(SC_ID_GROUP, 'a');
  bool erased = false;
  OK(groups_saved(&groups, t->env, "d1:gd33:\x03" A32 "d1:?1:x1:K0:e33:\x03" B32 "d1:K0:eee"));
  OK(sc_user_groups_erase_group(&erased, groups, &id));
  CHECK(erased);
  groups_are(t, "d1:gd33:\x03" B32 "d1:K0:eee", groups);
  STOP_IF_FAILED;
  OK(sc_user_groups_erase_group(&erased, groups, &id));
  CHECK(!erased);
done:
  sc_user_groups_free(groups);
}

static void groups_stay_in_order_through_edits(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_user_group group = {0};
  bool erased;
  char seen[8] = "";
  OK(groups_saved(&groups, t->env, "d1:gd33:\x03" A32 "d1:K0:e33:\x03" B32 "d1:K0:e33:\x03" C32 "d1:K0:eee"));
  sc_status status = sc_user_groups_first_group(&group, groups);
  for (size_t i = 0; status == SC_OK; status = sc_user_groups_next_group(&group, groups), i++) {
    seen[i] = (char)group.id.bytes[1];
    OK(sc_user_groups_erase_group(&erased, groups, &group.id));
  }
  FAILS(SC_ERR_NOT_FOUND, status);
  SAME(sc_bytes_text("abc"), sc_bytes_text(seen));
  groups_are(t, "de", groups);
done:
  sc_user_groups_free(groups);
}

/* Bad input */

static void a_section_that_is_not_a_dict_counts_as_empty_and_is_replaced(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_user_group group = a_group('a');
  sc_any_group any;
  size_t count = 9;
  OK(groups_saved(&groups, t->env, "d1:C1:x1:gi1e1:oli1eee"));
  FAILS(SC_ERR_NOT_FOUND, sc_user_groups_first(&any, groups));
  for (int kind = SC_GROUP_CURRENT; kind <= SC_GROUP_LEGACY; kind++) {
    OK(sc_user_groups_count(&count, groups, (sc_group_kind)kind));
    CHECK(count == 0);
  }
  FAILS(SC_ERR_ARGUMENT, sc_user_groups_count(&count, groups, (sc_group_kind)3));
  OK(sc_user_groups_set_group(groups, &group));
  groups_are(t, "d1:C1:x1:gd33:\x03" A32 "d1:K0:ee1:oli1eee", groups);
done:
  sc_user_groups_free(groups);
}

/* Another length, no dict, the prefix of another kind. */
static void invalid_groups_are_skipped_and_kept(sc_test *t) {
  static const char odd[] = "d1:gd3:\x03"
                            "aad1:K0:e33:\x03" A32 "i7e33:\x05" A32 "d1:K0:eee";
  sc_user_groups *groups = NULL;
  sc_user_group group = a_group('a');
  sc_id id = saved_id(SC_ID_STANDARD, 'a');
  size_t count;
  OK(groups_saved(&groups, t->env, odd));
  FAILS(SC_ERR_NOT_FOUND, sc_user_groups_first_group(&group, groups));
  FAILS(SC_ERR_NOT_FOUND, sc_user_groups_get_group(&group, groups, &group.id));
  FAILS(SC_ERR_ID_KIND, sc_user_groups_get_group(&group, groups, &id));
  OK(sc_user_groups_count(&count, groups, SC_GROUP_CURRENT));
  CHECK(count == 3);
  group = a_group('b');
  OK(sc_user_groups_set_group(groups, &group));
  groups_are(t,
             "d1:gd3:\x03"
             "aad1:K0:e33:\x03" A32 "i7e33:\x03" B32 "d1:K0:e33:\x05" A32 "d1:K0:eee",
             groups);
done:
  sc_user_groups_free(groups);
}

static void fields_of_the_wrong_kind_are_ignored(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_user_group group = a_group('a');
  static const sc_membership none;
  OK(groups_saved(&groups, t->env,
                  "d1:gd33:\x03" A32 "d1:!1:x1:+1:x1:@1:x1:Ki1e1:i1:x1:j1:x1:ni1e1:r1:x1:si1eeee"));
  OK(sc_user_groups_get_group(&group, groups, &group.id));
  CHECK(same_membership(&group.membership, &none));
  CHECK(group.name.len == 0 && group.seed.len == 0 && group.access.len == 0 && group.standing == 0);
done:
  sc_user_groups_free(groups);
}

static void out_of_range_numbers_are_clamped(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_user_group group = a_group('a');
  sc_user_group other = a_group('b');
  OK(groups_saved(&groups, t->env,
                  "d1:gd33:\x03" A32 "d1:!i-7e1:+i9223372036854775807e1:@i4e1:K0:1:ii-2e1:ji-5e1:ri-1ee"
                  "33:\x03" B32
                  "d1:!i1800000000000e1:+i-9223372036854775808e1:@i-1e1:K0:1:ji1700000000000000e"
                  "1:ri9223372036854775807eeee"));
  OK(sc_user_groups_get_group(&group, groups, &group.id));
  CHECK(group.membership.mute_until_s == 0 && group.membership.joined_s == 0);
  CHECK(group.membership.priority == INT32_MAX && group.standing == 0);
  CHECK(group.membership.notify == SC_CONFIG_NOTIFY_DEFAULT && group.membership.invited);
  OK(sc_user_groups_get_group(&other, groups, &other.id));
  CHECK(other.membership.mute_until_s == 1800000000 && other.membership.joined_s == 1700000000);
  CHECK(other.membership.priority == INT32_MIN && other.standing == INT32_MAX);
  CHECK(other.membership.notify == SC_CONFIG_NOTIFY_DEFAULT);
done:
  sc_user_groups_free(groups);
}

static void times_are_stored_in_seconds_after_1970(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_user_group group = a_group('a');
  OK(groups_fresh(&groups, t->env));
  group.membership.mute_until_s = 1800000000000;
  group.membership.joined_s = -5;
  group.standing = -1;
  OK(sc_user_groups_set_group(groups, &group));
  groups_are(t, "d1:gd33:\x03" A32 "d1:!i1800000000e1:K0:eee", groups);
done:
  sc_user_groups_free(groups);
}

/* Of 99 letters and a character of two bytes, only the letters fit. */
static void a_long_name_is_truncated_between_characters(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_user_group group = a_group('a');
  group.name = sc_bytes_text(A32 A32 A32 "aaa\xc3\xa9");
  OK(groups_fresh(&groups, t->env));
  OK(sc_user_groups_set_group(groups, &group));
  groups_are(t, "d1:gd33:\x03" A32 "d1:K0:1:n99:" A32 A32 A32 "aaaeee", groups);
done:
  sc_user_groups_free(groups);
}

static void a_new_name_must_be_utf_8(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_user_group group = a_group('a');
  group.name = sc_bytes_text("\xff");
  OK(groups_fresh(&groups, t->env));
  FAILS(SC_ERR_UTF8, sc_user_groups_set_group(groups, &group));
  groups_are(t, "de", groups);
  STOP_IF_FAILED;
  sc_user_groups_free(groups);
  groups = NULL;
  OK(groups_saved(&groups, t->env, "d1:gd33:\x03" A32 "d1:K0:1:n3:x\xffyeee"));
  OK(sc_user_groups_get_group(&group, groups, &group.id));
  SAME(sc_bytes_text("x\xffy"), group.name);
  group.membership.invited = true;
  OK(sc_user_groups_set_group(groups, &group));
  groups_are(t, "d1:gd33:\x03" A32 "d1:K0:1:ii1e1:n3:x\xffyeee", groups);
done:
  sc_user_groups_free(groups);
}

/* Overlong and with a NUL: returned as stored, and truncated only to be stored or shown. */
static void a_name_is_read_as_stored(sc_test *t) {
  static const char stored[] = "d1:gd33:\x03" A32 "d1:K0:1:n104:x\0" A32 A32 A32 "aaaaaaeee";
  sc_user_groups *groups = NULL;
  sc_user_group group = a_group('a');
  sc_buffer shown;
  sc_bytes keys[] = {sc_bytes_text("g"), SC_BYTES(group.id.bytes), sc_bytes_text("n")};
  sc_bytes name = sc_bytes_make(stored + sizeof "d1:gd33:\x03" A32 "d1:K0:1:n104:" - 1, 104);
  sc_buffer_init(&shown, t->env);
  OK(groups_fresh(&groups, t->env));
  OK(sc_user_groups_set_group(groups, &group));
  OK(device_set(sc_user_groups_config(groups), (sc_config_path){keys, 3}, sc_config_string(name)));
  OK(sc_user_groups_get_group(&group, groups, &group.id));
  SAME(name, group.name);
  OK(sc_config_shown(&shown, group.name, SC_CONFIG_MAX_NAME_BYTES));
  SAME(sc_bytes_text("x"), sc_buffer_bytes(&shown));
  OK(sc_user_groups_set_group(groups, &group));
  OK(sc_user_groups_get_group(&group, groups, &group.id));
  SAME(sc_bytes_make(name.ptr, SC_CONFIG_MAX_NAME_BYTES), group.name);
done:
  sc_buffer_free(&shown);
  sc_user_groups_free(groups);
}

static void an_invalid_choice_is_refused(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_user_group group = a_group('a');
  sc_user_group wrong = {.id = saved_id(SC_ID_STANDARD, 'a')};
  bool erased;
  group.membership.notify = (sc_config_notify)4;
  OK(groups_fresh(&groups, t->env));
  FAILS(SC_ERR_ARGUMENT, sc_user_groups_set_group(groups, &group));
  FAILS(SC_ERR_ID_KIND, sc_user_groups_set_group(groups, &wrong));
  FAILS(SC_ERR_ID_KIND, sc_user_groups_get_or_make_group(&group, groups, &wrong.id));
  FAILS(SC_ERR_ID_KIND, sc_user_groups_erase_group(&erased, groups, &wrong.id));
  CHECK(groups_are_clean(groups));
done:
  sc_user_groups_free(groups);
}

static void an_invalid_dump_is_refused(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_keypair account;
  worked_account(&account);
  FAILS(SC_ERR_CONFIG_DUMP, sc_user_groups_new(&groups, t->env, &account, sc_bytes_text("x")));
  CHECK(groups == NULL);
done:
  sc_user_groups_free(groups);
}

SUITE(config_user_groups, "config/user_groups",
      {"a group without fields is kept", a_group_without_fields_is_kept},
      {"every field of a group is stored", every_field_of_a_group_is_stored},
      {"an admin has the seed", an_admin_has_the_seed},
      {"secrets of the wrong size or group are ignored", secrets_of_the_wrong_size_or_group_are_ignored},
      {"invitations, kicks and destruction are marked", invitations_kicks_and_destruction_are_marked},
      {"unknown fields are kept", unknown_fields_are_kept},
      {"setting equal values changes nothing", setting_equal_values_changes_nothing},
      {"a blank group can be made", a_blank_group_can_be_made}, {"a group can be left", a_group_can_be_left},
      {"groups stay in order through edits", groups_stay_in_order_through_edits},
      {"a section that is not a dict counts as empty and is replaced",
       a_section_that_is_not_a_dict_counts_as_empty_and_is_replaced},
      {"invalid groups are skipped and kept", invalid_groups_are_skipped_and_kept},
      {"fields of the wrong kind are ignored", fields_of_the_wrong_kind_are_ignored},
      {"out-of-range numbers are clamped", out_of_range_numbers_are_clamped},
      {"times are stored in seconds after 1970", times_are_stored_in_seconds_after_1970},
      {"a long name is truncated between characters", a_long_name_is_truncated_between_characters},
      {"a new name must be UTF-8", a_new_name_must_be_utf_8},
      {"a name is read as stored", a_name_is_read_as_stored},
      {"an invalid choice is refused", an_invalid_choice_is_refused},
      {"an invalid dump is refused", an_invalid_dump_is_refused});
