#include "rpc.h"
#include "session-core/base/encoding.h"

sc_status sc_rpc_open(sc_rpc_value *out, sc_storage_memory *memory, sc_bytes body) {
  *out = (sc_rpc_value){0};
  if (body.len > SC_STORAGE_MAX_BYTES)
    return SC_ERR_TOO_LARGE;
  if (body.len > 0 && body.ptr[0] == 'd') {
    *out = (sc_rpc_value){.form = SC_STORAGE_BT, .bt = body};
    return sc_bt_validate(body) == SC_OK ? SC_OK : SC_ERR_STORAGE_SYNTAX;
  }
  return sc_storage_memory_json(&out->json, memory, body.len == 0 ? sc_bytes_text("{}") : body);
}

static bool begins(sc_rpc_value value, uint8_t byte) {
  return value.form == SC_STORAGE_BT && value.bt.len > 0 && value.bt.ptr[0] == byte;
}

bool sc_rpc_is_dict(sc_rpc_value value) {
  return begins(value, 'd') ||
         (value.form == SC_STORAGE_JSON && sc_json_type_of(value.json) == SC_JSON_OBJECT);
}

bool sc_rpc_is_text(sc_rpc_value value) {
  sc_bytes text;
  return sc_rpc_text(&text, value);
}

static bool is_list(sc_rpc_value value) {
  return begins(value, 'l') ||
         (value.form == SC_STORAGE_JSON && sc_json_type_of(value.json) == SC_JSON_ARRAY);
}

static bool bt_member(sc_rpc_value *out, sc_rpc_value dict, const char *key) {
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, dict.bt);
  *out = (sc_rpc_value){.form = SC_STORAGE_BT};
  return sc_bt_enter_dict(&reader) == SC_OK && sc_bt_find_key(&reader, sc_bytes_text(key)) == SC_OK &&
         sc_bt_read_raw(&out->bt, &reader) == SC_OK;
}

bool sc_rpc_member(sc_rpc_value *out, sc_rpc_value dict, const char *key) {
  if (dict.form == SC_STORAGE_BT)
    return bt_member(out, dict, key);
  *out = (sc_rpc_value){.form = SC_STORAGE_JSON};
  return sc_json_member(&out->json, dict.json, key) == SC_OK && sc_json_type_of(out->json) != SC_JSON_NULL;
}

bool sc_rpc_u64(uint64_t *out, sc_rpc_value value) {
  if (value.form == SC_STORAGE_JSON)
    return sc_json_u64(out, value.json) == SC_OK;
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, value.bt);
  return sc_bt_read_u64(out, &reader) == SC_OK;
}

bool sc_rpc_i64(int64_t *out, sc_rpc_value value) {
  if (value.form == SC_STORAGE_JSON)
    return sc_json_i64(out, value.json) == SC_OK;
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, value.bt);
  return sc_bt_read_i64(out, &reader) == SC_OK;
}

static bool read_binary_digit(bool *out, sc_rpc_value value) {
  uint64_t number;
  if (!sc_rpc_u64(&number, value) || number > 1)
    return false;
  *out = number == 1;
  return true;
}

bool sc_rpc_bool(bool *out, sc_rpc_value value) {
  if (value.form == SC_STORAGE_JSON)
    return sc_json_bool(out, value.json) == SC_OK;
  return read_binary_digit(out, value);
}

bool sc_rpc_flag(bool *out, sc_rpc_value value) {
  return sc_rpc_bool(out, value) || read_binary_digit(out, value);
}

bool sc_rpc_text(sc_bytes *out, sc_rpc_value value) {
  if (value.form == SC_STORAGE_JSON)
    return sc_json_string(out, value.json) == SC_OK;
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, value.bt);
  return sc_bt_read_string(out, &reader) == SC_OK;
}

bool sc_rpc_member_u64(uint64_t *out, sc_rpc_value dict, const char *key) {
  sc_rpc_value value;
  return !sc_rpc_member(&value, dict, key) || sc_rpc_u64(out, value);
}

bool sc_rpc_member_i64(int64_t *out, sc_rpc_value dict, const char *key) {
  sc_rpc_value value;
  return !sc_rpc_member(&value, dict, key) || sc_rpc_i64(out, value);
}

bool sc_rpc_member_bool(bool *out, sc_rpc_value dict, const char *key) {
  sc_rpc_value value;
  return !sc_rpc_member(&value, dict, key) || sc_rpc_bool(out, value);
}

bool sc_rpc_member_flag(bool *out, sc_rpc_value dict, const char *key) {
  sc_rpc_value value;
  return !sc_rpc_member(&value, dict, key) || sc_rpc_flag(out, value);
}

bool sc_rpc_member_text(sc_bytes *out, sc_rpc_value dict, const char *key) {
  sc_rpc_value value;
  return !sc_rpc_member(&value, dict, key) || sc_rpc_text(out, value);
}

static bool copy(uint8_t *out, size_t len, sc_bytes bytes) {
  if (bytes.len != len)
    return false;
  memcpy(out, bytes.ptr, len);
  return true;
}

bool sc_rpc_fixed(uint8_t *out, size_t len, sc_rpc_value value) {
  sc_bytes text;
  if (!sc_rpc_text(&text, value))
    return false;
  if (value.form == SC_STORAGE_BT)
    return copy(out, len, text);
  return sc_base64_decode(out, len, text, SC_BASE64_STANDARD) == SC_OK;
}

bool sc_rpc_key(uint8_t *out, size_t len, sc_rpc_value value) {
  sc_bytes text;
  if (!sc_rpc_text(&text, value))
    return false;
  if (value.form == SC_STORAGE_BT && text.len == len)
    return copy(out, len, text);
  return sc_hex_decode(out, len, text) == SC_OK;
}

sc_status sc_rpc_binary(sc_bytes *out, sc_storage_memory *memory, sc_rpc_value value, sc_status wrong) {
  sc_bytes text;
  size_t len;
  if (!sc_rpc_text(&text, value))
    return wrong;
  if (value.form == SC_STORAGE_BT) {
    *out = text;
    return SC_OK;
  }
  if (sc_base64_decoded_len(&len, text) != SC_OK)
    return wrong;
  uint8_t *bytes = sc_storage_take(memory, len, 1);
  if (bytes == NULL)
    return SC_ERR_NO_MEMORY;
  if (sc_base64_decode(bytes, len, text, SC_BASE64_STANDARD) != SC_OK)
    return wrong;
  *out = sc_bytes_make(bytes, len);
  return SC_OK;
}

/* Elements of a list whose encoding is whole. */
static size_t bt_count(sc_bt_reader reader) {
  size_t count = 0;
  while (sc_bt_peek(&reader) != SC_BT_END && sc_bt_skip(&reader) == SC_OK)
    count++;
  return count;
}

bool sc_rpc_list_open(sc_rpc_list *out, sc_rpc_value value) {
  if (!is_list(value))
    return false;
  out->list = value;
  out->read = 0;
  if (value.form == SC_STORAGE_JSON) {
    out->count = sc_json_count(value.json);
    return true;
  }
  sc_bt_reader_init(&out->reader, value.bt);
  if (sc_bt_enter_list(&out->reader) != SC_OK)
    return false;
  out->count = bt_count(out->reader);
  return true;
}

bool sc_rpc_list_open_texts(sc_rpc_list *out, sc_rpc_value value) {
  if (!sc_rpc_is_text(value))
    return sc_rpc_list_open(out, value);
  out->list = value;
  out->read = 0;
  out->count = 1;
  return true;
}

bool sc_rpc_list_next(sc_rpc_value *out, sc_rpc_list *list) {
  if (list->read == list->count)
    return false;
  size_t index = list->read++;
  *out = list->list;
  if (!is_list(list->list))
    return true;
  if (list->list.form == SC_STORAGE_JSON)
    return sc_json_element(&out->json, list->list.json, index) == SC_OK;
  return sc_bt_read_raw(&out->bt, &list->reader) == SC_OK;
}

size_t sc_rpc_dict_count(sc_rpc_value dict) {
  if (!sc_rpc_is_dict(dict))
    return 0;
  if (dict.form == SC_STORAGE_JSON)
    return sc_json_count(dict.json);
  sc_bt_reader reader;
  sc_bytes key;
  size_t count = 0;
  sc_bt_reader_init(&reader, dict.bt);
  if (sc_bt_enter_dict(&reader) == SC_OK)
    while (sc_bt_next_key(&key, &reader) == SC_OK)
      count++;
  return count;
}

typedef struct json_visit {
  sc_rpc_visitor visit;
  void *user;
} json_visit;

static sc_status visit_json(void *user, sc_bytes key, const sc_json *value) {
  const json_visit *v = user;
  return v->visit(v->user, key, (sc_rpc_value){.form = SC_STORAGE_JSON, .json = value});
}

sc_status sc_rpc_each(sc_rpc_value dict, sc_rpc_visitor visit, void *user) {
  if (dict.form == SC_STORAGE_JSON) {
    json_visit v = {visit, user};
    return sc_json_each(dict.json, visit_json, &v);
  }
  sc_bt_reader reader;
  sc_bytes key;
  sc_rpc_value value = {.form = SC_STORAGE_BT};
  sc_bt_reader_init(&reader, dict.bt);
  sc_status status = sc_bt_enter_dict(&reader);
  while (status == SC_OK && sc_bt_next_key(&key, &reader) == SC_OK) {
    status = sc_bt_read_raw(&value.bt, &reader);
    if (status == SC_OK)
      status = visit(user, key, value);
  }
  return status;
}
