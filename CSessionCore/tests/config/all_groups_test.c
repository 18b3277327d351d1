#include "joined.h"

/* Two groups, two communities and a legacy group. */
#define ALL_KINDS                                                                                            \
  "d1:Cd33:\x05" A32 "d1:n0:ee1:gd33:\x03" A32 "d1:K0:e33:\x03" B32 "d1:K0:ee1:od12:http://a.bcdd1:#32:" A32 \
  "1:Rd1:xd1:n1:Xe1:yd1:n1:yeeeee"

enum { all_count = 5 };
static const sc_group_kind all_kinds[all_count] = {SC_GROUP_CURRENT, SC_GROUP_CURRENT, SC_GROUP_COMMUNITY,
                                                   SC_GROUP_COMMUNITY, SC_GROUP_LEGACY};

static void kinds_are_listed_one_after_another(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_any_group any;
  OK(groups_saved(&groups, t->env, ALL_KINDS));
  OK(sc_user_groups_first(&any, groups));
  for (size_t i = 0; i < all_count; i++) {
    CHECK(any.kind == all_kinds[i]);
    FAILS(i + 1 < all_count ? SC_OK : SC_ERR_NOT_FOUND, sc_user_groups_next(&any, groups));
  }
  any.kind = (sc_group_kind)3;
  FAILS(SC_ERR_ARGUMENT, sc_user_groups_next(&any, groups));
  sc_user_groups_free(groups);
  groups = NULL;
  OK(groups_saved(&groups, t->env, "d1:Cd33:\x05" A32 "d1:n0:eee"));
  OK(sc_user_groups_first(&any, groups));
  CHECK(any.kind == SC_GROUP_LEGACY);
done:
  sc_user_groups_free(groups);
}

/* The kind and the field that identifies a group of that kind. */
static void note(char seen[static 2], const sc_any_group *any) {
  seen[0] = "gol"[any->kind];
  seen[1] = any->kind == SC_GROUP_CURRENT  ? (char)any->of.group.id.bytes[1]
            : any->kind == SC_GROUP_LEGACY ? (char)any->of.legacy.id.bytes[1]
                                           : any->of.community.spelling[0];
}

static void groups_are_listed_in_order(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_any_group any;
  char seen[64];
  size_t len = 0;
  OK(groups_saved(&groups, t->env, ALL_KINDS));
  sc_status status = sc_user_groups_first(&any, groups);
  for (; status == SC_OK && len < sizeof seen; status = sc_user_groups_next(&any, groups), len += 2)
    note(seen + len, &any);
  FAILS(SC_ERR_NOT_FOUND, status);
  SAME(sc_bytes_text("gagboXoyla"), sc_bytes_make(seen, len));
done:
  sc_user_groups_free(groups);
}

static void all_kinds_are_counted(sc_test *t) {
  sc_user_groups *groups = NULL;
  size_t count = 9;
  OK(groups_saved(&groups, t->env, ALL_KINDS));
  OK(sc_user_groups_count(&count, groups, SC_GROUP_CURRENT));
  CHECK(count == 2);
  OK(sc_user_groups_count(&count, groups, SC_GROUP_COMMUNITY));
  CHECK(count == 2);
  OK(sc_user_groups_count(&count, groups, SC_GROUP_LEGACY));
  CHECK(count == 1);
  FAILS(SC_ERR_ARGUMENT, sc_user_groups_count(&count, groups, (sc_group_kind)3));
done:
  sc_user_groups_free(groups);
}

SUITE(config_all_groups, "config/all_groups",
      {"kinds are listed one after another", kinds_are_listed_one_after_another},
      {"groups are listed in order", groups_are_listed_in_order},
      {"all kinds are counted", all_kinds_are_counted});
