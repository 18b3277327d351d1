#include "object.h"

/* Reads or skips a member. */
static sc_status read_member(bool *seen, sc_object_place *place, sc_json_cursor *cursor,
                             const sc_object_member *members, size_t count) {
  sc_status status = sc_json_cursor_key(&place->text, cursor);
  if (status != SC_OK)
    return status;
  for (size_t i = 0; i < count; i++) {
    if (!sc_bytes_same(sc_buffer_bytes(&place->text), sc_bytes_text(members[i].name)))
      continue;
    seen[i] = true;
    return members[i].read(place, cursor);
  }
  sc_json_cursor_skip(cursor);
  return SC_OK;
}

sc_status sc_object_read(sc_object_place *place, sc_json_cursor *cursor, const sc_object_member *members,
                         size_t count) {
  bool seen[sc_object_most_members] = {false};
  sc_status status = sc_json_cursor_enter(cursor, SC_JSON_OBJECT);
  while (status == SC_OK && sc_json_cursor_more(cursor))
    status = read_member(seen, place, cursor, members, count);
  for (size_t i = 0; i < count && status == SC_OK; i++)
    if (!seen[i] && !members[i].optional)
      status = SC_ERR_NOT_FOUND;
  return status;
}

sc_status sc_object_text(sc_bytes *out, sc_object_place *place, sc_json_cursor *cursor) {
  sc_buffer_clear(&place->text);
  sc_status status = sc_json_cursor_string(&place->text, cursor);
  if (status != SC_OK)
    return status;
  uint8_t *copy = sc_arena_take(place->arena, place->text.len + 1);
  if (copy == NULL)
    return SC_ERR_NO_MEMORY;
  if (place->text.len > 0)
    memcpy(copy, place->text.ptr, place->text.len);
  *out = sc_bytes_make(copy, place->text.len);
  return SC_OK;
}

static size_t count_elements(sc_json_cursor list) {
  size_t count = 0;
  while (sc_json_cursor_more(&list)) {
    sc_json_cursor_skip(&list);
    count++;
  }
  return count;
}

sc_status sc_object_list(sc_bytes **out, size_t *count, sc_object_place *place, sc_json_cursor *cursor,
                         size_t most) {
  sc_status status = sc_json_cursor_enter(cursor, SC_JSON_ARRAY);
  if (status != SC_OK)
    return status;
  size_t elements = count_elements(*cursor);
  if (elements > most)
    return SC_ERR_TOO_LARGE;
  *out = sc_arena_take(place->arena, (elements + 1) * sizeof **out);
  if (*out == NULL)
    return SC_ERR_NO_MEMORY;
  for (*count = 0; status == SC_OK && sc_json_cursor_more(cursor); (*count)++)
    status = sc_object_text(&(*out)[*count], place, cursor);
  return status;
}

sc_status sc_object_count(int64_t *out, sc_json_cursor *cursor) {
  sc_status status = sc_json_cursor_i64(out, cursor);
  return status == SC_OK && *out < 0 ? SC_ERR_JSON_RANGE : status;
}

sc_status sc_object_document(sc_object_place *place, sc_bytes text, const sc_object_member *members,
                             size_t count) {
  sc_json_cursor cursor;
  sc_status status = sc_json_cursor_init(&cursor, text, sc_object_depth);
  return status == SC_OK ? sc_object_read(place, &cursor, members, count) : status;
}
