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

typedef struct visits {
  char seen[64];
  size_t len;
  size_t most;
  size_t refused;
} visits;

/* The kind and the field that identifies a group of that kind. */
static sc_status visit(void *user, const sc_any_group *any) {
  visits *to = user;
  to->refused += to->len == to->most;
  if (to->len == to->most)
    return SC_ERR_SINK;
  to->seen[to->len++] = "gol"[any->kind];
  to->seen[to->len++] = any->kind == SC_GROUP_CURRENT  ? (char)any->of.group.id.bytes[1]
                        : any->kind == SC_GROUP_LEGACY ? (char)any->of.legacy.id.bytes[1]
                                                       : any->of.community.spelling[0];
  return SC_OK;
}

static void groups_are_listed_in_order_until_the_limit(sc_test *t) {
  sc_user_groups *groups = NULL;
  visits to = {.most = sizeof to.seen};
  OK(groups_saved(&groups, t->env, ALL_KINDS));
  OK(sc_user_groups_each(groups, visit, &to));
  SAME(sc_bytes_text("gagboXoyla"), sc_bytes_make(to.seen, to.len));
  for (size_t enough = 0; enough < all_count; enough++) {
    to.len = to.refused = 0;
    to.most = 2 * enough;
    FAILS(SC_ERR_SINK, sc_user_groups_each(groups, visit, &to));
    CHECK(to.len == to.most && to.refused == 1);
  }
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
      {"groups are listed in order until the limit", groups_are_listed_in_order_until_the_limit},
      {"all kinds are counted", all_kinds_are_counted});
