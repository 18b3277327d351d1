#include "session-core/crypto/push.h"

#include "cipher.h"
#include "session-core/base/bt.h"
#include "session-core/crypto/box.h"
#include "zero_padding.h"

sc_status sc_push_seal(sc_buffer *out, const sc_env *env, sc_bytes key, sc_bytes plaintext, size_t padding) {
  sc_buffer_clear(out);
  sc_buffer padded;
  sc_buffer_init(&padded, env);
  sc_status status = sc_buffer_append(&padded, plaintext);
  if (status == SC_OK)
    status = zero_pad(&padded, 0, padding);
  if (status == SC_OK)
    status = sc_box_seal(out, env, key, sc_buffer_bytes(&padded));
  sc_buffer_free(&padded);
  return status;
}

sc_status sc_push_open(sc_buffer *out, sc_bytes key, sc_bytes payload) {
  sc_status status = sc_box_open(out, key, payload);
  if (status != SC_OK)
    return status;
  size_t len = zero_unpadded_len(sc_buffer_bytes(out));
  if (len > 0)
    sc_buffer_truncate(out, len);
  return SC_OK;
}

static sc_status split(sc_bytes *metadata, sc_bytes *message, sc_bytes opened) {
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, opened);
  sc_status status = sc_bt_enter_list(&reader);
  if (status == SC_OK && sc_bt_peek(&reader) == SC_BT_END)
    return SC_ERR_FORMAT;
  if (status == SC_OK)
    status = sc_bt_read_string(metadata, &reader);
  if (status == SC_OK && sc_bt_peek(&reader) != SC_BT_END)
    status = sc_bt_read_string(message, &reader);
  if (status == SC_OK && sc_bt_peek(&reader) != SC_BT_END)
    return SC_ERR_FORMAT;
  if (status == SC_OK)
    status = sc_bt_leave(&reader);
  return status == SC_OK ? sc_bt_finish(&reader) : status;
}

sc_status sc_push_split(sc_bytes *metadata, sc_bytes *message, sc_bytes opened) {
  *metadata = *message = sc_bytes_make(NULL, 0);
  sc_status status = split(metadata, message, opened);
  if (status != SC_OK)
    *metadata = *message = sc_bytes_make(NULL, 0);
  return status;
}
