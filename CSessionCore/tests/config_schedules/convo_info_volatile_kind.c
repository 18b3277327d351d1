#include "config/convo_info_volatile.h"
#include "kind.h"
#include "values.h"

enum { records = 3 };

KIND_OF_ACCOUNT(sc_convo_info)

static sc_id draw_convo(sc_convo_kind *convo_kind, draws *from) {
  static const struct {
    sc_convo_kind kind;
    sc_id_kind id;
  } kinds[] = {{SC_CONVO_CONTACT, SC_ID_STANDARD},
               {SC_CONVO_GROUP, SC_ID_GROUP},
               {SC_CONVO_BLINDED, SC_ID_BLINDED_25},
               {SC_CONVO_LEGACY_GROUP, SC_ID_STANDARD}};
  uint32_t which = draw_below(from, 4);
  sc_id id;
  value_id(&id, kinds[which].id, draw_below(from, records));
  *convo_kind = kinds[which].kind;
  return id;
}

static sc_status age(void *object, uint64_t wall_ms) {
  return sc_convo_info_age(object, wall_ms);
}

static sc_status erase(sc_convo_info *info, draws *from) {
  bool erased;
  sc_convo_kind convo_kind;
  sc_id id = draw_convo(&convo_kind, from);
  sc_bytes url = draw_url(from);
  if (draw_one_in(from, 4))
    return sc_convo_info_erase_community(&erased, info, url, draw_room(from));
  return sc_convo_info_erase(&erased, info, convo_kind, &id);
}

static sc_status edit(void *object, draws *from, uint64_t wall_ms) {
  sc_convo convo;
  sc_convo_kind convo_kind;
  sc_id id = draw_convo(&convo_kind, from);
  uint32_t what = draw_below(from, 12);
  if (what == 0)
    return erase(object, from);
  if (what == 1)
    return age(object, wall_ms);
  sc_bytes url = draw_url(from), room = draw_room(from);
  sc_status status =
      what < 5 ? sc_convo_info_get_or_make_community(&convo, object, url, room, draw_server_key(from))
               : sc_convo_info_get_or_make(&convo, object, convo_kind, &id);
  /* Read a moment or some weeks ago. */
  uint32_t age_days = draw_one_in(from, 3) ? draw_below(from, 40) : 0;
  convo.last_read_ms = (int64_t)wall_ms - (int64_t)age_days * 86400000 - (int64_t)draw_below(from, 4);
  convo.unread = draw_one_in(from, 4);
  return status == SC_OK ? sc_convo_info_set(object, &convo, wall_ms) : status;
}

/* Far in the future, so that it never ages. */
static const int64_t own_time_ms = 4000000000000;

static sc_status set_own(void *object, unsigned owner, uint32_t value, uint64_t wall_ms) {
  sc_convo convo;
  sc_id id;
  value_id(&id, SC_ID_STANDARD, first_own_record + owner);
  sc_status status = sc_convo_info_get_or_make(&convo, object, SC_CONVO_CONTACT, &id);
  convo.last_read_ms = own_time_ms + value;
  return status == SC_OK ? sc_convo_info_set(object, &convo, wall_ms) : status;
}

static bool has_own(const void *object, unsigned owner, uint32_t value) {
  sc_convo convo;
  sc_id id;
  value_id(&id, SC_ID_STANDARD, first_own_record + owner);
  return sc_convo_info_get(&convo, object, SC_CONVO_CONTACT, &id) == SC_OK &&
         convo.last_read_ms == own_time_ms + value;
}

/* Only the synced part: the archive is local to each device. */
static sc_status describe(sc_buffer *out, const void *object) {
  description to = {out, SC_OK};
  sc_convo convo;
  sc_status status = sc_convo_info_first(&convo, object);
  for (; status == SC_OK; status = sc_convo_info_next(&convo, object)) {
    describe_number(&to, convo.kind);
    describe_id(&to, &convo.id);
    describe_text(&to, convo.community.url);
    describe_text(&to, convo.community.room);
    describe_bytes(&to, SC_BYTES(convo.community.key));
    describe_number(&to, convo.last_read_ms);
    describe_number(&to, convo.unread);
  }
  return description_end(&to, status);
}

const kind convo_info_volatile_kind = {.name = "convo_info_volatile", KIND_PARTS, .age = age};
