#include <stdio.h>

#include "kind.h"
#include "values.h"

KIND_OF_GROUP(sc_group_info)

static sc_status edit(void *object, draws *from, uint64_t wall_ms) {
  (void)wall_ms;
  sc_config_picture picture = draw_picture(from);
  switch (draw_below(from, 20)) {
  case 0:
    return sc_group_info_destroy(object);
  case 1:
  case 2:
  case 3:
    return sc_group_info_set_description(object, draw_name(from));
  case 4:
  case 5:
  case 6:
    return sc_group_info_set_picture(object, &picture);
  case 7:
    return sc_group_info_set_created(object, draw_time(from));
  case 8:
  case 9:
    return sc_group_info_set_expiry(object, draw_number(from));
  case 10:
  case 11:
    return sc_group_info_set_delete_before(object, draw_time(from));
  case 12:
  case 13:
    return sc_group_info_set_delete_attachments_before(object, draw_time(from));
  default:
    return sc_group_info_set_name(object, draw_name(from));
  }
}

/* Info has no records: each device writes its own field. */
static sc_status set_own(void *object, unsigned owner, uint32_t value, uint64_t wall_ms) {
  (void)wall_ms;
  char name[24];
  switch (owner) {
  case 0:
    snprintf(name, sizeof name, "own %u", value);
    return sc_group_info_set_name(object, sc_bytes_text(name));
  case 1:
    return sc_group_info_set_expiry(object, value);
  case 2:
    return sc_group_info_set_created(object, value);
  case 3:
    return sc_group_info_set_delete_before(object, value);
  default:
    return sc_group_info_set_delete_attachments_before(object, value);
  }
}

static bool has_own(const void *object, unsigned owner, uint32_t value) {
  char name[24];
  switch (owner) {
  case 0:
    snprintf(name, sizeof name, "own %u", value);
    return sc_bytes_same(sc_group_info_name(object), sc_bytes_text(name));
  case 1:
    return sc_group_info_expiry(object) == value;
  case 2:
    return sc_group_info_created(object) == value;
  case 3:
    return sc_group_info_delete_before(object) == value;
  default:
    return sc_group_info_delete_attachments_before(object) == value;
  }
}

static sc_status describe(sc_buffer *out, const void *object) {
  description to = {out, SC_OK};
  sc_config_picture picture = sc_group_info_picture(object);
  describe_bytes(&to, sc_group_info_name(object));
  describe_bytes(&to, sc_group_info_description(object));
  describe_picture(&to, &picture);
  describe_number(&to, sc_group_info_created(object));
  describe_number(&to, sc_group_info_expiry(object));
  describe_number(&to, sc_group_info_delete_before(object));
  describe_number(&to, sc_group_info_delete_attachments_before(object));
  describe_number(&to, sc_group_info_is_destroyed(object));
  return to.status;
}

const kind group_info_kind = {.name = "group_info", .of_group = true, KIND_PARTS};
