/* An sc_json is a json-c object under another name. json-c accepts more than JSON, so sc_json_scan checks
 * the text first. json-c keeps one of two members with the same key; the count of members from the scan
 * reveals such duplicates. */
#include "session-core/base/json.h"

#include <json-c/json.h>
#include <json-c/json_visit.h>
#include <math.h>

#include "json_scan.h"
#include "utf8.h"

/* json-c reads its values through pointers to objects that are not const. */
static json_object *dom(const sc_json *value) {
  return (json_object *)(uintptr_t)value;
}

static sc_json *wrapped(json_object *object) {
  return (sc_json *)object;
}

static bool is(const sc_json *value, json_type type) {
  return json_object_is_type(dom(value), type) != 0;
}

typedef struct survey {
  size_t members;
  bool has_infinity;
} survey;

static int survey_value(json_object *value, int flags, json_object *parent, const char *key, size_t *index,
                        void *user) {
  (void)parent, (void)key, (void)index;
  survey *found = user;
  if ((flags & JSON_C_VISIT_SECOND) != 0)
    return JSON_C_VISIT_RETURN_CONTINUE;
  if (json_object_is_type(value, json_type_object))
    found->members += (size_t)json_object_object_length(value);
  if (json_object_is_type(value, json_type_double))
    found->has_infinity = found->has_infinity || isinf(json_object_get_double(value));
  return JSON_C_VISIT_RETURN_CONTINUE;
}

/* Checks that need the parsed values. */
static sc_status check_values(json_object *root, size_t members_in_text) {
  survey found = {0};
  if (json_c_visit(root, 0, survey_value, &found) < 0)
    return SC_ERR_JSON_SYNTAX;
  if (found.has_infinity)
    return SC_ERR_JSON_RANGE;
  return found.members == members_in_text ? SC_OK : SC_ERR_JSON_DUPLICATE_KEY;
}

/* A number at the end of the text is complete only if nothing can follow it, hence the final NUL. */
static sc_status build(json_object **out, json_tokener *tokener, sc_bytes text) {
  *out = json_tokener_parse_ex(tokener, (const char *)text.ptr, (int)text.len);
  if (json_tokener_get_error(tokener) == json_tokener_continue)
    *out = json_tokener_parse_ex(tokener, "", 1);
  return json_tokener_get_error(tokener) == json_tokener_success ? SC_OK : SC_ERR_JSON_SYNTAX;
}

sc_status sc_json_parse(sc_json **out, sc_bytes text, unsigned max_depth) {
  *out = NULL;
  size_t members;
  sc_status status = sc_json_scan(&members, text, max_depth);
  if (status != SC_OK)
    return status;
  /* json-c counts the values inside the innermost container as one level more. */
  json_tokener *tokener = json_tokener_new_ex((int)max_depth + 1);
  if (tokener == NULL)
    return SC_ERR_NO_MEMORY;
  json_object *root = NULL;
  status = build(&root, tokener, text);
  json_tokener_free(tokener);
  if (status == SC_OK)
    status = check_values(root, members);
  if (status == SC_OK)
    *out = wrapped(root);
  else
    json_object_put(root);
  return status;
}

void sc_json_free(sc_json *document) {
  json_object_put(dom(document));
}

sc_json_type sc_json_type_of(const sc_json *value) {
  switch (json_object_get_type(dom(value))) {
  case json_type_boolean:
    return SC_JSON_BOOL;
  case json_type_int:
    return SC_JSON_INTEGER;
  case json_type_double:
    return SC_JSON_DOUBLE;
  case json_type_string:
    return SC_JSON_STRING;
  case json_type_array:
    return SC_JSON_ARRAY;
  case json_type_object:
    return SC_JSON_OBJECT;
  case json_type_null:
    break;
  }
  return SC_JSON_NULL;
}

sc_status sc_json_member(const sc_json **out, const sc_json *object, const char *key) {
  *out = NULL;
  if (!is(object, json_type_object))
    return SC_ERR_JSON_TYPE;
  json_object *value;
  if (!json_object_object_get_ex(dom(object), key, &value))
    return SC_ERR_NOT_FOUND;
  *out = wrapped(value);
  return SC_OK;
}

size_t sc_json_count(const sc_json *container) {
  if (is(container, json_type_array))
    return json_object_array_length(dom(container));
  return is(container, json_type_object) ? (size_t)json_object_object_length(dom(container)) : 0;
}

sc_status sc_json_element(const sc_json **out, const sc_json *array, size_t index) {
  *out = NULL;
  if (!is(array, json_type_array))
    return SC_ERR_JSON_TYPE;
  if (index >= json_object_array_length(dom(array)))
    return SC_ERR_NOT_FOUND;
  *out = wrapped(json_object_array_get_idx(dom(array), index));
  return SC_OK;
}

sc_status sc_json_each(const sc_json *object, sc_json_visitor visit, void *user) {
  if (!is(object, json_type_object))
    return SC_ERR_JSON_TYPE;
  sc_status status = SC_OK;
  struct lh_entry *member = lh_table_head(json_object_get_object(dom(object)));
  for (; member != NULL && status == SC_OK; member = lh_entry_next(member))
    status = visit(user, sc_bytes_text(lh_entry_k(member)), lh_entry_v(member));
  return status;
}

sc_status sc_json_bool(bool *out, const sc_json *value) {
  if (!is(value, json_type_boolean))
    return SC_ERR_JSON_TYPE;
  *out = json_object_get_boolean(dom(value)) != 0;
  return SC_OK;
}

sc_status sc_json_i64(int64_t *out, const sc_json *value) {
  if (!is(value, json_type_int))
    return SC_ERR_JSON_TYPE;
  int64_t number = json_object_get_int64(dom(value));
  /* json-c returns INT64_MAX for larger numbers. */
  if (number == INT64_MAX && json_object_get_uint64(dom(value)) != INT64_MAX)
    return SC_ERR_JSON_RANGE;
  *out = number;
  return SC_OK;
}

sc_status sc_json_u64(uint64_t *out, const sc_json *value) {
  if (!is(value, json_type_int))
    return SC_ERR_JSON_TYPE;
  if (json_object_get_int64(dom(value)) < 0)
    return SC_ERR_JSON_RANGE;
  *out = json_object_get_uint64(dom(value));
  return SC_OK;
}

sc_status sc_json_double(double *out, const sc_json *value) {
  static const int64_t exact_to = (int64_t)1 << 53;
  if (is(value, json_type_int)) {
    int64_t number = json_object_get_int64(dom(value));
    if (number < -exact_to || number > exact_to)
      return SC_ERR_JSON_RANGE;
  } else if (!is(value, json_type_double)) {
    return SC_ERR_JSON_TYPE;
  }
  *out = json_object_get_double(dom(value));
  return SC_OK;
}

sc_status sc_json_string(sc_bytes *out, const sc_json *value) {
  if (!is(value, json_type_string))
    return SC_ERR_JSON_TYPE;
  *out = sc_bytes_make(json_object_get_string(dom(value)), (size_t)json_object_get_string_len(dom(value)));
  return SC_OK;
}

sc_status sc_json_member_bool(bool *out, const sc_json *object, const char *key) {
  const sc_json *value;
  sc_status status = sc_json_member(&value, object, key);
  return status == SC_OK ? sc_json_bool(out, value) : status;
}

sc_status sc_json_member_i64(int64_t *out, const sc_json *object, const char *key) {
  const sc_json *value;
  sc_status status = sc_json_member(&value, object, key);
  return status == SC_OK ? sc_json_i64(out, value) : status;
}

sc_status sc_json_member_u64(uint64_t *out, const sc_json *object, const char *key) {
  const sc_json *value;
  sc_status status = sc_json_member(&value, object, key);
  return status == SC_OK ? sc_json_u64(out, value) : status;
}

sc_status sc_json_member_string(sc_bytes *out, const sc_json *object, const char *key) {
  const sc_json *value;
  sc_status status = sc_json_member(&value, object, key);
  return status == SC_OK ? sc_json_string(out, value) : status;
}

sc_status sc_json_write(sc_buffer *out, const sc_json *value) {
  sc_buffer_clear(out);
  size_t len;
  const char *text = json_object_to_json_string_length(
      dom(value), JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &len);
  return text == NULL ? SC_ERR_NO_MEMORY : sc_buffer_append(out, sc_bytes_make(text, len));
}
