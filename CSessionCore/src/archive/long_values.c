#include "long_values.h"

#include "../base/big.h"
#include "frame.h"

void sc_long_values_init(sc_long_values *out, const sc_env *env) {
  out->env = env;
  out->count = 0;
  out->bytes = 0;
}

static void drop(sc_long_values *values, size_t index) {
  sc_long_value *value = values->values[index];
  values->bytes -= value->bytes.len;
  values->values[index] = values->values[--values->count];
  sc_buffer_free(&value->bytes);
  sc_release(values->env, value);
}

void sc_long_values_free(sc_long_values *values) {
  while (values->count > 0)
    drop(values, values->count - 1);
}

static sc_long_value *find(const sc_long_values *values, uint32_t number) {
  for (size_t i = 0; i < values->count; i++)
    if (values->values[i]->number == number)
      return values->values[i];
  return NULL;
}

/* The value whose pieces are coming. */
static sc_long_value *incomplete(const sc_long_values *values) {
  for (size_t i = 0; i < values->count; i++)
    if (!values->values[i]->complete)
      return values->values[i];
  return NULL;
}

static sc_status begin(sc_long_value **out, sc_long_values *values, uint32_t number) {
  if (values->count == sc_long_values_most)
    return SC_ERR_ARCHIVE_FRAME;
  *out = sc_allocate(values->env, sizeof **out);
  if (*out == NULL)
    return SC_ERR_NO_MEMORY;
  **out = (sc_long_value){.number = number};
  sc_buffer_init(&(*out)->bytes, values->env);
  values->values[values->count++] = *out;
  return SC_OK;
}

sc_status sc_long_values_add(sc_long_values *values, sc_bytes payload) {
  if (payload.len < sc_frame_long_head_bytes || payload.ptr[4] > 1)
    return SC_ERR_ARCHIVE_FRAME;
  uint32_t number = (uint32_t)sc_load_big(payload.ptr, 4);
  sc_bytes piece =
      sc_bytes_make(payload.ptr + sc_frame_long_head_bytes, payload.len - sc_frame_long_head_bytes);
  sc_long_value *coming = incomplete(values);
  if (coming != NULL ? coming->number != number : find(values, number) != NULL)
    return SC_ERR_ARCHIVE_ORDER;
  if (piece.len > SC_ARCHIVE_MAX_LONG - values->bytes)
    return SC_ERR_ARCHIVE_FRAME;
  sc_status status = coming != NULL ? SC_OK : begin(&coming, values, number);
  if (status == SC_OK)
    status = sc_buffer_append(&coming->bytes, piece);
  if (status != SC_OK)
    return status;
  values->bytes += piece.len;
  coming->complete = payload.ptr[4] == 1;
  return SC_OK;
}

sc_status sc_long_values_take(sc_bytes *out, sc_long_values *values, int64_t number) {
  sc_long_value *value = number < 0 || number > UINT32_MAX ? NULL : find(values, (uint32_t)number);
  if (value == NULL || !value->complete || value->taken)
    return SC_ERR_ARCHIVE_ORDER;
  value->taken = true;
  *out = sc_buffer_bytes(&value->bytes);
  return SC_OK;
}

void sc_long_values_drop_taken(sc_long_values *values) {
  for (size_t i = values->count; i > 0; i--)
    if (values->values[i - 1]->taken)
      drop(values, i - 1);
}
