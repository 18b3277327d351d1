#include "known_case.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { shown_bytes = 40, random_seed = 1 };

struct known_memory {
  known_memory *next;
  sc_buffer buffer;
  sc_bytes *array;
};

static void *required(void *ptr) {
  if (ptr == NULL) {
    fputs("out of memory\n", stderr);
    exit(2);
  }
  return ptr;
}

static known_memory *remember(known_case *c) {
  known_memory *memory = required(calloc(1, sizeof *memory));
  memory->next = c->memory;
  c->memory = memory;
  return memory;
}

void known_case_begin(known_case *out, const sc_json *json, bool accepts) {
  *out = (known_case){.json = json, .accepts = accepts};
  sc_test_env_init(&out->randomness, random_seed);
}

static void release_memory(known_case *c) {
  while (c->memory != NULL) {
    known_memory *memory = c->memory;
    c->memory = memory->next;
    sc_buffer_free(&memory->buffer);
    free(memory->array);
    free(memory);
  }
}

void known_case_end(known_case *c) {
  release_memory(c);
}

void known_differs(known_case *c, const char *format, ...) {
  if (c->flaw[0] != '\0')
    return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(c->flaw, sizeof c->flaw, format, arguments);
  va_end(arguments);
}

static void check_randomness(known_case *c) {
  if (c->randomness.script_shortage > 0)
    known_differs(c, "%zu more random bytes were drawn than recorded", c->randomness.script_shortage);
  if (c->randomness.script.len > 0)
    known_differs(c, "%zu of the recorded random bytes were not drawn", c->randomness.script.len);
}

static sc_status settled(known_case *c, sc_status status) {
  release_memory(c);
  if (c->randomness.live != 0)
    known_differs(c, "%zu allocations were not given back", c->randomness.live);
  return c->refusal != SC_OK ? c->refusal : status;
}

bool known_case_verdict(known_case *c, sc_status status) {
  bool refused_input = c->refusal != SC_OK;
  status = settled(c, status);
  if (c->accepts && status != SC_OK)
    known_differs(c, "%s with %s", refused_input ? "an input is refused" : "rejected",
                  sc_status_name(status));
  else if (!c->accepts && status == SC_OK)
    known_differs(c, "accepted, must be rejected");
  else if (status == SC_ERR_NO_MEMORY)
    known_differs(c, "ran out of memory");
  else if (c->accepts)
    check_randomness(c);
  return c->flaw[0] == '\0';
}

bool known_case_verdict_of(known_case *c, sc_status status, bool (*is_ours)(sc_status), const char *outcome) {
  status = settled(c, status);
  if (!is_ours(status))
    known_differs(c, "ended with %s, must be: %s", status == SC_OK ? "success" : sc_status_name(status),
                  outcome);
  return c->flaw[0] == '\0';
}

bool known_has(const known_case *c, const char *field) {
  const sc_json *value;
  return sc_json_member(&value, c->json, field) == SC_OK && sc_json_type_of(value) != SC_JSON_NULL;
}

static void refuse(known_case *c, sc_status status) {
  if (c->refusal == SC_OK)
    c->refusal = status;
}

const sc_json *known_field(known_case *c, const char *field) {
  const sc_json *value = NULL;
  if (sc_json_member(&value, c->json, field) != SC_OK)
    known_differs(c, "the case has no field %s", field);
  else if (sc_json_type_of(value) == SC_JSON_NULL)
    refuse(c, SC_ERR_ARGUMENT);
  return value;
}

static bool is_null(const sc_json *value) {
  return sc_json_type_of(value) == SC_JSON_NULL;
}

sc_bytes known_text(known_case *c, const char *field) {
  sc_bytes text = sc_bytes_text("");
  const sc_json *value = known_field(c, field);
  if (!is_null(value) && sc_json_string(&text, value) != SC_OK)
    known_differs(c, "%s is no text", field);
  return text;
}

int64_t known_integer(known_case *c, const char *field) {
  int64_t number = 0;
  const sc_json *value = known_field(c, field);
  if (!is_null(value) && sc_json_i64(&number, value) != SC_OK)
    known_differs(c, "%s is no integer of 64 bits", field);
  return number;
}

uint64_t known_unsigned(known_case *c, const char *field) {
  int64_t number = known_integer(c, field);
  if (number < 0)
    refuse(c, SC_ERR_ARGUMENT);
  return number < 0 ? 0 : (uint64_t)number;
}

bool known_flag(known_case *c, const char *field) {
  bool flag = false;
  const sc_json *value = known_field(c, field);
  if (!is_null(value) && sc_json_bool(&flag, value) != SC_OK)
    known_differs(c, "%s is neither true nor false", field);
  return flag;
}

sc_buffer *known_buffer(known_case *c) {
  known_memory *memory = remember(c);
  sc_buffer_init(&memory->buffer, &c->randomness.env);
  return &memory->buffer;
}

sc_bytes *known_bytes_array(known_case *c, size_t count) {
  known_memory *memory = remember(c);
  memory->array = required(calloc(count + 1, sizeof *memory->array));
  return memory->array;
}

/* `count` zeros. */
static uint8_t *blank(known_case *c, size_t count) {
  sc_buffer *buffer = known_buffer(c);
  uint8_t *space = NULL;
  if (sc_buffer_extend(&space, buffer, count + 1) != SC_OK)
    required(NULL);
  memset(space, 0, count + 1);
  return space;
}

sc_bytes known_hex_of(known_case *c, const sc_json *value) {
  sc_bytes text = sc_bytes_text("");
  if (is_null(value)) {
    refuse(c, SC_ERR_ARGUMENT);
    return text;
  }
  if (sc_json_string(&text, value) != SC_OK) {
    known_differs(c, "a value that should be hexadecimal text is none");
    return sc_bytes_text("");
  }
  uint8_t *space = blank(c, text.len / 2);
  if (sc_hex_decode(space, text.len / 2, text) != SC_OK)
    known_differs(c, "not hexadecimal: %.*s", text.len < 80 ? (int)text.len : 80, (const char *)text.ptr);
  return sc_bytes_make(space, text.len / 2);
}

sc_bytes known_hex(known_case *c, const char *field) {
  const sc_json *value = known_field(c, field);
  return is_null(value) ? sc_bytes_text("") : known_hex_of(c, value);
}

const uint8_t *known_array(known_case *c, const char *field, size_t size) {
  sc_bytes bytes = known_hex(c, field);
  if (bytes.len == size)
    return bytes.ptr;
  refuse(c, SC_ERR_KEY_SIZE);
  return blank(c, size);
}

const uint8_t *known_key(known_case *c, const char *field) {
  return known_array(c, field, SC_KEY_BYTES);
}

/* The list `field`; NULL when there is none. */
static const sc_json *list_field(known_case *c, const char *field) {
  const sc_json *list = known_field(c, field);
  if (is_null(list))
    return NULL;
  if (sc_json_type_of(list) != SC_JSON_ARRAY) {
    known_differs(c, "%s is no list", field);
    return NULL;
  }
  return list;
}

static const sc_json *element(const sc_json *list, size_t index) {
  const sc_json *value = NULL;
  return sc_json_element(&value, list, index) == SC_OK ? value : NULL;
}

known_list known_hex_list(known_case *c, const char *field) {
  const sc_json *list = list_field(c, field);
  size_t count = sc_json_count(list);
  sc_bytes *items = known_bytes_array(c, count);
  for (size_t i = 0; i < count; i++)
    items[i] = known_hex_of(c, element(list, i));
  return (known_list){items, count};
}

const sc_env *known_env(known_case *c) {
  return &c->randomness.env;
}

const sc_env *known_draws(known_case *c, sc_bytes recorded) {
  sc_test_env_script(&c->randomness, recorded);
  return &c->randomness.env;
}

static void differ_in_bytes(known_case *c, const char *what, sc_bytes expected, sc_bytes actual) {
  char hex[2][SC_HEX_CHARS(shown_bytes) + 1];
  const sc_bytes both[2] = {expected, actual};
  for (int i = 0; i < 2; i++)
    sc_hex_encode(hex[i], sc_bytes_make(both[i].ptr, both[i].len < shown_bytes ? both[i].len : shown_bytes));
  known_differs(c, "%s differs: expected %s%s (%zu bytes), got %s%s (%zu bytes)", what, hex[0],
                expected.len > shown_bytes ? "…" : "", expected.len, hex[1],
                actual.len > shown_bytes ? "…" : "", actual.len);
}

/* True if this case's outputs are to be compared: after refused input there are none. */
static bool compares(const known_case *c) {
  return c->accepts && c->refusal == SC_OK;
}

/* The recorded field, which an accepted case must have. */
static const sc_json *recorded(known_case *c, const char *field) {
  if (!known_has(c, field)) {
    known_differs(c, "the case records no %s", field);
    return NULL;
  }
  return known_field(c, field);
}

void known_same(known_case *c, const char *field, sc_bytes actual) {
  const sc_json *value = compares(c) ? recorded(c, field) : NULL;
  if (value == NULL)
    return;
  sc_bytes expected = known_hex_of(c, value);
  if (!sc_bytes_same(expected, actual))
    differ_in_bytes(c, field, expected, actual);
}

void known_same_text(known_case *c, const char *field, sc_bytes actual) {
  if (!compares(c) || recorded(c, field) == NULL)
    return;
  sc_bytes expected = known_text(c, field);
  if (!sc_bytes_same(expected, actual))
    known_differs(c, "%s differs: expected %.*s, got %.*s", field, (int)expected.len,
                  (const char *)expected.ptr, (int)actual.len, (const char *)actual.ptr);
}

void known_same_id(known_case *c, const char *field, const sc_id *actual) {
  char text[SC_ID_CHARS + 1];
  sc_id_format(text, actual);
  known_same_text(c, field, sc_bytes_text(text));
}

void known_same_integer(known_case *c, const char *field, int64_t actual) {
  if (!compares(c) || recorded(c, field) == NULL)
    return;
  int64_t expected = known_integer(c, field);
  if (expected != actual)
    known_differs(c, "%s differs: expected %lld, got %lld", field, (long long)expected, (long long)actual);
}

void known_same_flag(known_case *c, const char *field, bool actual) {
  if (!compares(c) || recorded(c, field) == NULL)
    return;
  if (known_flag(c, field) != actual)
    known_differs(c, "%s is %s, not as recorded", field, actual ? "true" : "false");
}

void known_same_list(known_case *c, const char *field, const sc_bytes *actual, size_t count) {
  if (!compares(c) || recorded(c, field) == NULL)
    return;
  known_list expected = known_hex_list(c, field);
  if (expected.count != count)
    known_differs(c, "%s has %zu items, recorded are %zu", field, count, expected.count);
  for (size_t i = 0; i < count && i < expected.count; i++)
    if (!sc_bytes_same(expected.items[i], actual[i]))
      differ_in_bytes(c, field, expected.items[i], actual[i]);
}
