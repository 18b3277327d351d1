/* Groups of any data. */
#ifndef SC_FUZZ_CONFIG_USER_GROUPS_H
#define SC_FUZZ_CONFIG_USER_GROUPS_H

#include "config/user_groups.h"
#include "config_types.h"

static inline int fuzz_groups_compare(const sc_any_group *a, const sc_any_group *b) {
  int order = (int)a->kind - (int)b->kind;
  if (order != 0)
    return order;
  if (a->kind == SC_GROUP_CURRENT)
    return memcmp(&a->of.group.id, &b->of.group.id, sizeof a->of.group.id);
  if (a->kind == SC_GROUP_LEGACY)
    return memcmp(&a->of.legacy.id, &b->of.legacy.id, sizeof a->of.legacy.id);
  order = strcmp(a->of.community.community.url, b->of.community.community.url);
  return order != 0 ? order : strcmp(a->of.community.community.room, b->of.community.community.room);
}

static inline sc_status fuzz_groups_set(sc_user_groups *groups, const sc_any_group *any) {
  switch (any->kind) {
  case SC_GROUP_CURRENT:
    return sc_user_groups_set_group(groups, &any->of.group);
  case SC_GROUP_COMMUNITY:
    return sc_user_groups_set_community(groups, &any->of.community);
  case SC_GROUP_LEGACY:
    return sc_user_groups_set_legacy_group(groups, &any->of.legacy);
  }
  return SC_ERR_ARGUMENT;
}

static inline sc_status fuzz_groups_get(sc_any_group *out, const sc_user_groups *groups,
                                        const sc_any_group *any) {
  const sc_community *community = &any->of.community.community;
  out->kind = any->kind;
  switch (any->kind) {
  case SC_GROUP_CURRENT:
    return sc_user_groups_get_group(&out->of.group, groups, &any->of.group.id);
  case SC_GROUP_COMMUNITY:
    return sc_user_groups_get_community(&out->of.community, groups, sc_community_url(community),
                                        sc_community_room(community));
  case SC_GROUP_LEGACY:
    return sc_user_groups_get_legacy_group(&out->of.legacy, groups, &any->of.legacy.id);
  }
  return SC_ERR_ARGUMENT;
}

static inline sc_status fuzz_groups_erase(bool *erased, sc_user_groups *groups, const sc_any_group *any) {
  const sc_community *community = &any->of.community.community;
  switch (any->kind) {
  case SC_GROUP_CURRENT:
    return sc_user_groups_erase_group(erased, groups, &any->of.group.id);
  case SC_GROUP_COMMUNITY:
    return sc_user_groups_erase_community(erased, groups, sc_community_url(community),
                                          sc_community_room(community));
  case SC_GROUP_LEGACY:
    return sc_user_groups_erase_legacy_group(erased, groups, &any->of.legacy.id);
  }
  return SC_ERR_ARGUMENT;
}

/* Members come in order, can be put where they are, and can be removed. */
static inline void fuzz_groups_members(sc_user_groups *groups, const sc_id *group) {
  sc_legacy_member member, last;
  size_t seen = 0;
  sc_status status = sc_user_groups_first_legacy_member(&member, groups, group);
  for (; status == SC_OK; status = sc_user_groups_next_legacy_member(&member, groups, group), seen++) {
    REQUIRE(seen == 0 || memcmp(&last.id, &member.id, sizeof last.id) < 0);
    REQUIRE(sc_user_groups_put_legacy_member(groups, group, &member) == SC_OK);
    if (seen % 2 == 1)
      REQUIRE(sc_user_groups_remove_legacy_member(groups, group, &member.id) == SC_OK);
    last = member;
  }
  REQUIRE(status == SC_ERR_NOT_FOUND);
}

/* Iteration is in order, agrees with lookups, and returns no more entries than are counted. */
static inline void fuzz_groups_read(const sc_user_groups *groups) {
  sc_any_group any, found, last;
  size_t seen = 0, all = 0;
  sc_status status = sc_user_groups_first(&any, groups);
  for (; status == SC_OK; status = sc_user_groups_next(&any, groups), seen++) {
    REQUIRE(seen == 0 || fuzz_groups_compare(&last, &any) < 0);
    REQUIRE(fuzz_groups_get(&found, groups, &any) == SC_OK && fuzz_groups_compare(&found, &any) == 0);
    last = any;
  }
  REQUIRE(status == SC_ERR_NOT_FOUND);
  for (int kind = SC_GROUP_CURRENT; kind <= SC_GROUP_LEGACY; kind++) {
    size_t count;
    REQUIRE(sc_user_groups_count(&count, groups, (sc_group_kind)kind) == SC_OK);
    all += count;
  }
  REQUIRE(seen <= all);
}

/* Any entry that was read can be set; reading and setting it again changes nothing. */
static inline void fuzz_groups_set_again(sc_user_groups *groups, const sc_any_group *any) {
  sc_any_group found;
  sc_buffer saved;
  sc_config *config = sc_user_groups_config(groups);
  sc_buffer_init(&saved, fuzz_env());
  REQUIRE(fuzz_groups_set(groups, any) == SC_OK);
  fuzz_config_save(&saved, config);
  REQUIRE(fuzz_groups_get(&found, groups, any) == SC_OK);
  REQUIRE(fuzz_groups_set(groups, &found) == SC_OK);
  fuzz_config_unchanged(config, &saved);
  sc_buffer_free(&saved);
}

static inline void fuzz_user_groups(sc_bytes dump) {
  sc_user_groups *groups;
  sc_any_group any, found;
  bool erased;
  size_t seen = 0;
  if (sc_user_groups_new(&groups, fuzz_env(), fuzz_config_account(), dump) != SC_OK)
    return;
  fuzz_groups_read(groups);
  sc_status status = sc_user_groups_first(&any, groups);
  for (; status == SC_OK; status = sc_user_groups_next(&any, groups)) {
    fuzz_groups_set_again(groups, &any);
    if (any.kind == SC_GROUP_LEGACY)
      fuzz_groups_members(groups, &any.of.legacy.id);
    if (seen++ % 2 == 0)
      continue;
    REQUIRE(fuzz_groups_erase(&erased, groups, &any) == SC_OK && erased);
    REQUIRE(fuzz_groups_get(&found, groups, &any) == SC_ERR_NOT_FOUND);
  }
  REQUIRE(status == SC_ERR_NOT_FOUND);
  fuzz_groups_read(groups);
  sc_user_groups_free(groups);
}

#endif
