#include "config/user_groups.h"
#include "kind.h"
#include "values.h"

enum { records = 3 };

KIND_OF_ACCOUNT(sc_user_groups)

static void edit_membership(sc_membership *membership, draws *from) {
  switch (draw_below(from, 5)) {
  case 0:
    membership->notify = (sc_config_notify)draw_below(from, 4);
    break;
  case 1:
    membership->mute_until_s = draw_time(from);
    break;
  case 2:
    membership->joined_s = draw_time(from);
    break;
  case 3:
    membership->priority = draw_number(from);
    break;
  default:
    membership->invited = !membership->invited;
    break;
  }
}

/* Groups whose seed is known. */
static const sc_keypair *draw_group(draws *from) {
  static sc_keypair groups[records];
  if (groups[0].ed.secret[0] == 0)
    for (int i = 0; i < records; i++) {
      const uint8_t seed[SC_ED25519_SEED_BYTES] = {(uint8_t)(i + 1)};
      sc_keypair_from_seed(&groups[i], seed);
    }
  return &groups[draw_below(from, records)];
}

static void change_standing(sc_user_group *group, draws *from) {
  switch (draw_below(from, 3)) {
  case 0:
    sc_user_group_mark_kicked(group);
    break;
  case 1:
    sc_user_group_mark_invited(group);
    break;
  default:
    sc_user_group_mark_destroyed(group);
    break;
  }
}

static sc_status edit_group(sc_user_groups *groups, draws *from) {
  static const uint8_t access[2][SC_SUBACCOUNT_ACCESS_BYTES] = {{1}, {2}};
  const sc_keypair *pair = draw_group(from);
  sc_user_group group;
  sc_id id;
  bool erased;
  sc_id_make(&id, SC_ID_GROUP, pair->ed.public_key);
  if (draw_one_in(from, 5))
    return sc_user_groups_erase_group(&erased, groups, &id);
  sc_status status = sc_user_groups_get_or_make_group(&group, groups, &id);
  edit_membership(&group.membership, from);
  if (draw_one_in(from, 3))
    group.name = draw_name(from);
  if (draw_one_in(from, 4))
    group.seed = sc_bytes_make(pair->ed.secret, SC_ED25519_SEED_BYTES);
  if (draw_one_in(from, 4))
    group.access = SC_BYTES(access[draw_below(from, 2)]);
  if (draw_one_in(from, 6))
    change_standing(&group, from);
  return status == SC_OK ? sc_user_groups_set_group(groups, &group) : status;
}

static sc_status edit_community(sc_user_groups *groups, draws *from) {
  sc_user_community community;
  bool erased;
  sc_bytes url = draw_url(from), room = draw_room(from);
  if (draw_one_in(from, 4))
    return sc_user_groups_erase_community(&erased, groups, url, room);
  sc_status status =
      sc_user_groups_get_or_make_community(&community, groups, url, room, draw_server_key(from));
  edit_membership(&community.membership, from);
  return status == SC_OK ? sc_user_groups_set_community(groups, &community) : status;
}

static sc_status edit_legacy_member(sc_user_groups *groups, const sc_id *group, draws *from) {
  sc_legacy_member member = {.admin = draw_one_in(from, 3)};
  value_id(&member.id, SC_ID_STANDARD, draw_below(from, 4));
  if (draw_one_in(from, 3))
    return sc_user_groups_remove_legacy_member(groups, group, &member.id);
  sc_status status = sc_user_groups_put_legacy_member(groups, group, &member);
  return status == SC_ERR_NOT_FOUND ? SC_OK : status;
}

static sc_status edit_legacy(sc_user_groups *groups, draws *from) {
  static const uint8_t keys[2][SC_KEY_BYTES] = {{5}, {6}};
  sc_legacy_group group;
  sc_id id;
  bool erased;
  value_id(&id, SC_ID_STANDARD, draw_below(from, 2));
  if (draw_one_in(from, 6))
    return sc_user_groups_erase_legacy_group(&erased, groups, &id);
  if (draw_one_in(from, 2))
    return edit_legacy_member(groups, &id, from);
  sc_status status = sc_user_groups_get_or_make_legacy_group(&group, groups, &id);
  edit_membership(&group.membership, from);
  group.name = draw_name(from);
  group.expiry_s = draw_number(from);
  group.public_key = SC_BYTES(keys[draw_below(from, 2)]);
  group.secret_key = group.public_key;
  return status == SC_OK ? sc_user_groups_set_legacy_group(groups, &group) : status;
}

static sc_status edit(void *object, draws *from, uint64_t wall_ms) {
  (void)wall_ms;
  switch (draw_below(from, 3)) {
  case 0:
    return edit_group(object, from);
  case 1:
    return edit_community(object, from);
  default:
    return edit_legacy(object, from);
  }
}

static const char *own_room(unsigned owner) {
  static const char *const rooms[] = {"own0", "own1", "own2", "own3", "own4", "own5"};
  return rooms[owner];
}

static sc_status set_own(void *object, unsigned owner, uint32_t value, uint64_t wall_ms) {
  static const uint8_t key[SC_KEY_BYTES] = {9};
  (void)wall_ms;
  sc_user_community community;
  sc_status status = sc_user_groups_get_or_make_community(
      &community, object, sc_bytes_text("http://own.example"), sc_bytes_text(own_room(owner)), key);
  community.membership.priority = (int32_t)value;
  return status == SC_OK ? sc_user_groups_set_community(object, &community) : status;
}

static bool has_own(const void *object, unsigned owner, uint32_t value) {
  sc_user_community community;
  return sc_user_groups_get_community(&community, object, sc_bytes_text("http://own.example"),
                                      sc_bytes_text(own_room(owner))) == SC_OK &&
         community.membership.priority == (int32_t)value;
}

static void describe_membership(description *to, const sc_membership *membership) {
  describe_number(to, membership->notify);
  describe_number(to, membership->mute_until_s);
  describe_number(to, membership->joined_s);
  describe_number(to, membership->priority);
  describe_number(to, membership->invited);
}

static void describe_group(description *to, const sc_user_group *group) {
  describe_id(to, &group->id);
  describe_membership(to, &group->membership);
  describe_bytes(to, group->name);
  describe_bytes(to, group->seed);
  describe_bytes(to, group->access);
  describe_number(to, group->standing);
}

static void describe_community(description *to, const sc_user_community *community) {
  describe_text(to, community->community.url);
  describe_text(to, community->spelling);
  describe_bytes(to, SC_BYTES(community->community.key));
  describe_membership(to, &community->membership);
}

static void describe_legacy(description *to, const sc_user_groups *groups, const sc_legacy_group *group) {
  sc_legacy_member member;
  describe_id(to, &group->id);
  describe_membership(to, &group->membership);
  describe_bytes(to, group->name);
  describe_bytes(to, group->public_key);
  describe_number(to, group->expiry_s);
  sc_status status = sc_user_groups_first_legacy_member(&member, groups, &group->id);
  for (; status == SC_OK; status = sc_user_groups_next_legacy_member(&member, groups, &group->id)) {
    describe_id(to, &member.id);
    describe_number(to, member.admin);
  }
  if (status != SC_ERR_NOT_FOUND)
    to->status = status;
}

static sc_status describe(sc_buffer *out, const void *object) {
  description to = {out, SC_OK};
  sc_any_group any;
  sc_status status = sc_user_groups_first(&any, object);
  for (; status == SC_OK; status = sc_user_groups_next(&any, object)) {
    if (any.kind == SC_GROUP_CURRENT)
      describe_group(&to, &any.of.group);
    else if (any.kind == SC_GROUP_COMMUNITY)
      describe_community(&to, &any.of.community);
    else
      describe_legacy(&to, object, &any.of.legacy);
  }
  return description_end(&to, status);
}

const kind user_groups_kind = {.name = "user_groups", KIND_PARTS};
