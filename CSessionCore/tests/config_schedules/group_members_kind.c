#include "kind.h"
#include "values.h"

enum { records = 5 };

KIND_OF_GROUP(sc_group_members)

static sc_status get_or_make(sc_group_member *out, const sc_group_members *members, const sc_id *id) {
  sc_status status = sc_group_members_get(out, members, id);
  if (status != SC_ERR_NOT_FOUND)
    return status;
  sc_group_member_init(out, id);
  return SC_OK;
}

static sc_status edit(void *object, draws *from, uint64_t wall_ms) {
  (void)wall_ms;
  sc_group_member member;
  sc_id id;
  value_id(&id, SC_ID_STANDARD, draw_below(from, records));
  if (draw_one_in(from, 5))
    return sc_group_members_erase(NULL, object, &id);
  sc_status status = get_or_make(&member, object, &id);
  if (status != SC_OK)
    return status;
  if (draw_one_in(from, 3))
    member.name = draw_name(from);
  if (draw_one_in(from, 4))
    member.picture = draw_picture(from);
  if (draw_one_in(from, 4))
    member.supplement = !member.supplement;
  sc_group_member_apply(&member, (sc_group_event)draw_below(from, SC_GROUP_REMOVE_WITH_MESSAGES + 1));
  return sc_group_members_set(object, &member);
}

static sc_status set_own(void *object, unsigned owner, uint32_t value, uint64_t wall_ms) {
  (void)wall_ms;
  sc_group_member member;
  sc_id id;
  value_id(&id, SC_ID_STANDARD, first_own_record + owner);
  sc_status status = get_or_make(&member, object, &id);
  member.removal = (int32_t)value;
  return status == SC_OK ? sc_group_members_set(object, &member) : status;
}

static bool has_own(const void *object, unsigned owner, uint32_t value) {
  sc_group_member member;
  sc_id id;
  value_id(&id, SC_ID_STANDARD, first_own_record + owner);
  return sc_group_members_get(&member, object, &id) == SC_OK && member.removal == (int32_t)value;
}

static sc_status describe(sc_buffer *out, const void *object) {
  description to = {out, SC_OK};
  sc_group_member member;
  sc_status status = sc_group_members_next(&member, object, NULL);
  while (status == SC_OK) {
    describe_id(&to, &member.id);
    describe_bytes(&to, member.name);
    describe_picture(&to, &member.picture);
    describe_number(&to, member.profile_updated);
    describe_number(&to, member.admin);
    describe_number(&to, member.supplement);
    describe_number(&to, member.invite);
    describe_number(&to, member.promotion);
    describe_number(&to, member.removal);
    sc_id after = member.id;
    status = sc_group_members_next(&member, object, &after);
  }
  return description_end(&to, status);
}

const kind group_members_kind = {.name = "group_members", .of_group = true, KIND_PARTS};
