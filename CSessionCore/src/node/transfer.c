#include "session-core/node/transfer.h"

#include "../network/status_code.h"

enum { transfer_version = 1 };

/* ---- messages ---- */

static void write_message(sc_bt_writer *w, const sc_storage_kept *message) {
  sc_bt_begin_list(w);
  sc_bt_write_string(w, SC_BYTES(message->account));
  sc_bt_write_string(w, message->hash);
  sc_bt_write_u64(w, message->timestamp);
  sc_bt_write_u64(w, message->expiry);
  sc_bt_write_string(w, message->data);
  sc_bt_write_i64(w, message->number);
  sc_bt_end(w);
}

static bool hashes_are_whole(const sc_storage_kept *list, size_t count) {
  size_t i = 0;
  while (i < count && list[i].hash.len == SC_STORAGE_HASH_CHARS)
    i++;
  return i == count;
}

sc_status sc_storage_transfer_write(sc_buffer *out, const sc_storage_kept *list, size_t count) {
  sc_bt_writer w;
  sc_buffer_clear(out);
  if (!hashes_are_whole(list, count))
    return SC_ERR_ARGUMENT;
  sc_status status = sc_buffer_append_byte(out, transfer_version);
  if (status != SC_OK)
    return status;
  sc_bt_writer_init(&w, out);
  sc_bt_begin_list(&w);
  for (size_t i = 0; i < count; i++)
    write_message(&w, &list[i]);
  sc_bt_end(&w);
  status = sc_bt_writer_finish(&w);
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}

static sc_status begin(sc_storage_transfer_reader *out, sc_bytes bytes) {
  sc_bt_reader_init(&out->bt, bytes);
  return sc_bt_enter_list(&out->bt);
}

sc_status sc_storage_transfer_begin(sc_storage_transfer_reader *out, sc_bytes transfer) {
  if (transfer.len == 0 || transfer.ptr[0] != transfer_version)
    return SC_ERR_VERSION;
  return begin(out, sc_bytes_make(transfer.ptr + 1, transfer.len - 1));
}

/* SC_ERR_NOT_FOUND at the end of the transfer; otherwise a value follows. */
static sc_status come_to_next(sc_bt_reader *bt) {
  if (sc_bt_peek(bt) != SC_BT_END)
    return SC_OK;
  sc_status status = sc_bt_leave(bt);
  if (status == SC_OK)
    status = sc_bt_finish(bt);
  return status == SC_OK ? SC_ERR_NOT_FOUND : status;
}

static bool has_its_hash(const sc_storage_kept *message) {
  char hash[SC_STORAGE_HASH_CHARS + 1];
  sc_storage_message_hash(hash, message->account, message->number, message->data);
  return sc_bytes_same(message->hash, sc_bytes_text(hash));
}

/* In which of the namespaces that were known before they were said. */
static bool find_namespace(sc_storage_kept *message) {
  static const int16_t known[] = {0, 2, 3, 4, 5, 11, 12, 13, 14, -11, -10};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    message->number = known[i];
    if (has_its_hash(message))
      return true;
  }
  return false;
}

static sc_status read_namespace(bool *good, sc_storage_kept *message, sc_bt_reader *bt) {
  int64_t number;
  if (sc_bt_peek(bt) != SC_BT_INTEGER) {
    *good = *good && find_namespace(message);
    return SC_OK;
  }
  sc_status status = sc_bt_read_i64(&number, bt);
  if (status != SC_OK)
    return status;
  message->number = (int16_t)number;
  *good = *good && message->number == number && has_its_hash(message);
  return SC_OK;
}

static sc_status read_message(bool *good, sc_storage_kept *out, sc_bt_reader *bt) {
  sc_bytes account = {0};
  sc_status status = sc_bt_enter_list(bt);
  if (status == SC_OK)
    status = sc_bt_read_string(&account, bt);
  if (status == SC_OK)
    status = sc_bt_read_string(&out->hash, bt);
  if (status == SC_OK)
    status = sc_bt_read_u64(&out->timestamp, bt);
  if (status == SC_OK)
    status = sc_bt_read_u64(&out->expiry, bt);
  if (status == SC_OK)
    status = sc_bt_read_string(&out->data, bt);
  if (status != SC_OK)
    return status;
  *good = account.len == sizeof out->account;
  if (*good)
    memcpy(out->account, account.ptr, account.len);
  status = read_namespace(good, out, bt);
  return status == SC_OK ? sc_bt_leave(bt) : status;
}

sc_status sc_storage_transfer_next(sc_storage_kept *out, sc_storage_transfer_reader *reader) {
  for (;;) {
    bool good = false;
    *out = (sc_storage_kept){0};
    sc_status status = come_to_next(&reader->bt);
    if (status == SC_OK)
      status = read_message(&good, out, &reader->bt);
    if (status != SC_OK || good)
      return status;
  }
}

/* ---- revocations ---- */

sc_status sc_storage_revocations_write(sc_buffer *out, const sc_storage_revocation *list, size_t count) {
  sc_bt_writer w;
  sc_buffer_clear(out);
  sc_bt_writer_init(&w, out);
  sc_bt_begin_list(&w);
  for (size_t i = 0; i < count; i++) {
    sc_bt_write_string(&w, SC_BYTES(list[i].account));
    sc_bt_write_string(&w, SC_BYTES(list[i].token));
  }
  sc_bt_end(&w);
  return sc_bt_writer_finish(&w);
}

sc_status sc_storage_revocations_begin(sc_storage_transfer_reader *out, sc_bytes revocations) {
  return begin(out, revocations);
}

static sc_status read_array(uint8_t *out, size_t len, sc_bt_reader *bt) {
  sc_bytes bytes;
  sc_status status = sc_bt_read_string(&bytes, bt);
  if (status != SC_OK)
    return status;
  if (bytes.len != len)
    return SC_ERR_BT_RANGE;
  memcpy(out, bytes.ptr, len);
  return SC_OK;
}

sc_status sc_storage_revocations_next(sc_storage_revocation *out, sc_storage_transfer_reader *reader) {
  sc_status status = come_to_next(&reader->bt);
  if (status == SC_OK)
    status = read_array(out->account, sizeof out->account, &reader->bt);
  if (status == SC_OK)
    status = read_array(out->token, sizeof out->token, &reader->bt);
  return status;
}

/* ---- parts ---- */

sc_status sc_storage_parts_write(sc_buffer *out, const sc_bytes *parts, size_t count) {
  sc_bt_writer w;
  sc_buffer_clear(out);
  if (count > SC_STORAGE_MAX_PARTS)
    return SC_ERR_ARGUMENT;
  sc_bt_writer_init(&w, out);
  sc_bt_begin_list(&w);
  for (size_t i = 0; i < count; i++)
    sc_bt_write_string(&w, parts[i]);
  sc_bt_end(&w);
  return sc_bt_writer_finish(&w);
}

sc_status sc_storage_parts_parse(sc_bytes parts[static SC_STORAGE_MAX_PARTS], size_t *count, sc_bytes bytes) {
  sc_storage_transfer_reader reader;
  size_t read = 0;
  *count = 0;
  sc_status status = begin(&reader, bytes);
  while (status == SC_OK && (status = come_to_next(&reader.bt)) == SC_OK) {
    if (read == SC_STORAGE_MAX_PARTS)
      return SC_ERR_TOO_LARGE;
    status = sc_bt_read_string(&parts[read++], &reader.bt);
  }
  if (status != SC_ERR_NOT_FOUND)
    return status;
  *count = read;
  return SC_OK;
}

/* ---- answers ---- */

enum { code_digits = 3 };

sc_status sc_storage_peer_answer_write(sc_buffer *out, const sc_storage_answer *answer) {
  uint8_t digits[code_digits];
  const sc_bytes parts[] = {SC_BYTES(digits), answer->body};
  sc_buffer_clear(out);
  if (!sc_is_status_code((uint64_t)answer->code))
    return SC_ERR_ARGUMENT;
  for (int i = code_digits, rest = answer->code; i-- > 0; rest /= 10)
    digits[i] = (uint8_t)('0' + rest % 10);
  return sc_storage_parts_write(out, parts, 2);
}

sc_status sc_storage_peer_answer_parse(sc_storage_answer *out, sc_bytes bytes) {
  sc_bytes parts[SC_STORAGE_MAX_PARTS];
  size_t count;
  int code = 0;
  *out = (sc_storage_answer){0};
  if (sc_storage_parts_parse(parts, &count, bytes) != SC_OK || count != 2 || parts[0].len != code_digits)
    return SC_ERR_STORAGE_REPLY;
  for (size_t i = 0; i < code_digits; i++) {
    if (parts[0].ptr[i] < '0' || parts[0].ptr[i] > '9')
      return SC_ERR_STORAGE_REPLY;
    code = 10 * code + (parts[0].ptr[i] - '0');
  }
  if (!sc_is_status_code((uint64_t)code))
    return SC_ERR_STORAGE_REPLY;
  *out = (sc_storage_answer){.code = code, .body = parts[1]};
  return SC_OK;
}
