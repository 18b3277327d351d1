/* Subscriptions. Their times are in seconds, and namespace 0 is written in signed text, unlike everywhere
 * else. */
#include "session-core/node/monitor.h"

#include <stdio.h>

#include "../network/storage/signed_text.h"
#include "credentials.h"
#include "session-core/base/bt.h"

enum { standard_prefix = 0x05 };

static bool numbers_are_valid(const sc_storage_subscription *s) {
  for (size_t i = 1; i < s->number_count && s->number_count <= SC_STORAGE_MAX_MONITORED; i++)
    if (s->numbers[i] <= s->numbers[i - 1])
      return false;
  return s->number_count > 0 && s->number_count <= SC_STORAGE_MAX_MONITORED;
}

static sc_status append_number(sc_buffer *out, const char *before, int16_t number) {
  char digits[12];
  snprintf(digits, sizeof digits, "%s%d", before, number);
  return sc_signed_text(out, digits);
}

static sc_status append_signed(sc_buffer *out, const sc_storage_subscription *s) {
  sc_status status = sc_signed_text(out, "MONITOR");
  if (status == SC_OK)
    status = sc_signed_account(out, s->account);
  if (status == SC_OK)
    status = sc_signed_number(out, s->signed_at);
  if (status == SC_OK)
    status = sc_signed_text(out, s->with_data ? "1" : "0");
  for (size_t i = 0; i < s->number_count && status == SC_OK; i++)
    status = append_number(out, i == 0 ? "" : ",", s->numbers[i]);
  return status;
}

sc_status sc_storage_subscription_sign(sc_storage_subscription *subscription, const sc_env *env,
                                       const sc_storage_signer *signer) {
  sc_storage_auth auth = {0};
  sc_buffer message;
  if (!numbers_are_valid(subscription))
    return SC_ERR_STORAGE_PARAMETER;
  sc_buffer_init(&message, env);
  sc_status status = append_signed(&message, subscription);
  if (status == SC_OK)
    status = signer->sign(signer->user, &auth, sc_buffer_bytes(&message));
  if (status == SC_OK)
    subscription->auth = auth;
  sc_buffer_free(&message);
  return status;
}

static void write_bytes(sc_bt_writer *w, const char *key, sc_bytes bytes) {
  sc_bt_write_key(w, sc_bytes_text(key));
  sc_bt_write_string(w, bytes);
}

static void write_u64(sc_bt_writer *w, const char *key, uint64_t number) {
  sc_bt_write_key(w, sc_bytes_text(key));
  sc_bt_write_u64(w, number);
}

static void write_numbers(sc_bt_writer *w, const sc_storage_subscription *s) {
  sc_bt_write_key(w, sc_bytes_text("n"));
  sc_bt_begin_list(w);
  for (size_t i = 0; i < s->number_count; i++)
    sc_bt_write_i64(w, s->numbers[i]);
  sc_bt_end(w);
}

/* An account is known by its signing key where it has one of its own. */
static void write_subscription(sc_bt_writer *w, const sc_storage_subscription *s) {
  const sc_storage_auth *auth = &s->auth;
  sc_bt_begin_dict(w);
  if (auth->has_ed25519)
    write_bytes(w, "P", SC_BYTES(auth->ed25519));
  if (auth->has_subaccount) {
    write_bytes(w, "S", SC_BYTES(auth->subaccount_signature));
    write_bytes(w, "T", SC_BYTES(auth->subaccount));
  }
  write_u64(w, "d", s->with_data);
  write_numbers(w, s);
  if (!auth->has_ed25519)
    write_bytes(w, "p", SC_BYTES(s->account));
  write_bytes(w, "s", SC_BYTES(auth->signature));
  write_u64(w, "t", s->signed_at);
  sc_bt_end(w);
}

static bool can_be_written(const sc_storage_subscription *s) {
  bool key_fits = !s->auth.has_ed25519 || s->account[0] == standard_prefix;
  return s->auth.has_signature && key_fits && numbers_are_valid(s);
}

sc_status sc_storage_subscriptions_write(sc_buffer *out, const sc_storage_subscription *list, size_t count) {
  sc_bt_writer writer;
  sc_buffer_clear(out);
  if (count == 0 || count > SC_STORAGE_MAX_SUBSCRIPTIONS)
    return SC_ERR_STORAGE_PARAMETER;
  for (size_t i = 0; i < count; i++)
    if (!can_be_written(&list[i]))
      return SC_ERR_STORAGE_PARAMETER;
  sc_bt_writer_init(&writer, out);
  sc_bt_begin_list(&writer);
  for (size_t i = 0; i < count; i++)
    write_subscription(&writer, &list[i]);
  sc_bt_end(&writer);
  return sc_bt_writer_finish(&writer);
}

sc_status sc_storage_subscriptions_begin(sc_storage_subscription_reader *out, sc_bytes request) {
  sc_bt_reader reader;
  sc_storage_subscription_reader begun = {.rest = request, .count = 1};
  bool whole = request.len <= SC_STORAGE_MAX_BYTES && sc_bt_validate(request) == SC_OK;
  sc_bt_reader_init(&reader, request);
  begun.is_list = sc_bt_peek(&reader) == SC_BT_LIST;
  if (!whole || (!begun.is_list && sc_bt_peek(&reader) != SC_BT_DICT))
    return SC_ERR_STORAGE_SYNTAX;
  if (begun.is_list) {
    sc_status status = sc_bt_enter_list(&reader);
    begun.rest = sc_bytes_make(request.ptr + 1, request.len - 1);
    for (begun.count = 0; status == SC_OK && sc_bt_peek(&reader) != SC_BT_END; begun.count++)
      status = sc_bt_skip(&reader);
    if (status != SC_OK || begun.count > SC_STORAGE_MAX_SUBSCRIPTIONS)
      return SC_ERR_STORAGE_SYNTAX;
  }
  *out = begun;
  return SC_OK;
}

static bool read_bytes(uint8_t *out, size_t len, sc_bt_reader *reader) {
  sc_bytes bytes;
  if (sc_bt_read_string(&bytes, reader) != SC_OK || bytes.len != len)
    return false;
  memcpy(out, bytes.ptr, len);
  return true;
}

static bool find(sc_bt_reader *reader, const char *key) {
  return sc_bt_find_key(reader, sc_bytes_text(key)) == SC_OK;
}

static bool read_numbers(sc_storage_subscription *s, sc_bt_reader *reader) {
  int64_t number;
  if (sc_bt_enter_list(reader) != SC_OK)
    return false;
  while (sc_bt_peek(reader) != SC_BT_END) {
    if (s->number_count == SC_STORAGE_MAX_MONITORED || sc_bt_read_i64(&number, reader) != SC_OK ||
        number < INT16_MIN || number > INT16_MAX)
      return false;
    s->numbers[s->number_count++] = (int16_t)number;
  }
  return sc_bt_leave(reader) == SC_OK;
}

static bool read_flag(bool *out, sc_bt_reader *reader) {
  uint64_t number = 0;
  if (find(reader, "d") && (sc_bt_read_u64(&number, reader) != SC_OK || number > 1))
    return false;
  *out = number == 1;
  return true;
}

/* The signing key of an account, from which its own follows. */
static bool read_signing_key(sc_storage_subscription *s, sc_bt_reader *reader) {
  s->account[0] = standard_prefix;
  return read_bytes(s->auth.ed25519, sizeof s->auth.ed25519, reader) &&
         sc_x25519_from_ed25519(s->account + 1, SC_BYTES(s->auth.ed25519)) == SC_OK;
}

static sc_storage_monitor_error read_subscription(sc_storage_subscription *s, sc_bt_reader *reader) {
  sc_storage_auth *auth = &s->auth;
  if (sc_bt_enter_dict(reader) != SC_OK)
    return SC_STORAGE_MONITOR_ARGUMENTS;
  auth->has_ed25519 = find(reader, "P");
  if (auth->has_ed25519 && !read_signing_key(s, reader))
    return SC_STORAGE_MONITOR_PUBKEY;
  bool has_signature = find(reader, "S");
  if (has_signature && !read_bytes(auth->subaccount_signature, sizeof auth->subaccount_signature, reader))
    return SC_STORAGE_MONITOR_ARGUMENTS;
  auth->has_subaccount = find(reader, "T");
  if (auth->has_subaccount && !read_bytes(auth->subaccount, sizeof auth->subaccount, reader))
    return SC_STORAGE_MONITOR_ARGUMENTS;
  if (auth->has_subaccount != has_signature || !read_flag(&s->with_data, reader))
    return SC_STORAGE_MONITOR_ARGUMENTS;
  if (!find(reader, "n"))
    return SC_STORAGE_MONITOR_ARGUMENTS;
  if (!read_numbers(s, reader))
    return SC_STORAGE_MONITOR_NAMESPACES;
  if (!numbers_are_valid(s))
    return s->number_count == 0 ? SC_STORAGE_MONITOR_ARGUMENTS : SC_STORAGE_MONITOR_NAMESPACES;
  bool has_account = find(reader, "p");
  if (has_account == auth->has_ed25519)
    return SC_STORAGE_MONITOR_ARGUMENTS;
  if (has_account && !read_bytes(s->account, sizeof s->account, reader))
    return SC_STORAGE_MONITOR_PUBKEY;
  auth->has_signature = find(reader, "s");
  if (auth->has_signature && !read_bytes(auth->signature, sizeof auth->signature, reader))
    return SC_STORAGE_MONITOR_SIGNATURE;
  bool has_time = find(reader, "t") && sc_bt_read_u64(&s->signed_at, reader) == SC_OK;
  return auth->has_signature && has_time ? SC_STORAGE_MONITOR_OK : SC_STORAGE_MONITOR_ARGUMENTS;
}

sc_status sc_storage_subscriptions_next(sc_storage_subscription *out, sc_storage_monitor_error *error,
                                        sc_storage_subscription_reader *reader) {
  sc_bt_reader bt;
  sc_storage_subscription read = {0};
  if (reader->read == reader->count)
    return SC_ERR_NOT_FOUND;
  reader->read++;
  sc_bt_reader_init(&bt, reader->rest);
  sc_bytes value;
  sc_status status = sc_bt_read_raw(&value, &bt);
  if (status != SC_OK)
    return status;
  reader->rest = sc_bytes_make(value.ptr + value.len, reader->rest.len - value.len);
  sc_bt_reader_init(&bt, value);
  *error = read_subscription(&read, &bt);
  *out = read;
  return SC_OK;
}

static bool time_is_allowed(uint64_t signed_at, uint64_t now) {
  static const uint64_t day = (uint64_t)24 * 60 * 60;
  now /= 1000;
  return signed_at > now ? signed_at - now <= day : now - signed_at <= 14 * day;
}

/* Unlike the reference, which lets subaccounts listen whose rights were taken back. */
sc_status sc_storage_subscription_judge(sc_storage_monitor_error *out, const sc_env *env,
                                        const sc_storage_subscription *subscription,
                                        const sc_storage_judge *judge) {
  sc_buffer message;
  *out = SC_STORAGE_MONITOR_TIMESTAMP;
  if (!time_is_allowed(subscription->signed_at, judge->now))
    return SC_OK;
  sc_buffer_init(&message, env);
  sc_status status = append_signed(&message, subscription);
  if (status == SC_OK) {
    sc_status good = sc_storage_credentials_check(subscription->account, &subscription->auth,
                                                  SC_SUBACCOUNT_READ, true, judge, sc_buffer_bytes(&message));
    *out = good == SC_OK ? SC_STORAGE_MONITOR_OK : SC_STORAGE_MONITOR_SIGNATURE;
  }
  sc_buffer_free(&message);
  return status;
}

static const char *const error_texts[] = {
    [SC_STORAGE_MONITOR_OK] = "",
    [SC_STORAGE_MONITOR_ARGUMENTS] = "invalid arguments",
    [SC_STORAGE_MONITOR_PUBKEY] = "invalid pubkey",
    [SC_STORAGE_MONITOR_NAMESPACES] = "invalid namespaces",
    [SC_STORAGE_MONITOR_TIMESTAMP] = "signature timestamp too old or too new",
    [SC_STORAGE_MONITOR_SIGNATURE] = "signature verification failed",
    [SC_STORAGE_MONITOR_SWARM] = "account is not in the swarm of this node",
};
enum { error_count = sizeof error_texts / sizeof error_texts[0] };

static void write_answer(sc_bt_writer *w, sc_storage_monitor_error error) {
  sc_bt_begin_dict(w);
  if (error == SC_STORAGE_MONITOR_OK) {
    write_u64(w, "success", 1);
  } else {
    write_u64(w, "errcode", (uint64_t)error);
    write_bytes(w, "error", sc_bytes_text(error_texts[error]));
  }
  sc_bt_end(w);
}

sc_status sc_storage_monitor_answers_write(sc_buffer *out, bool is_list,
                                           const sc_storage_monitor_error *errors, size_t count) {
  sc_bt_writer writer;
  sc_buffer_clear(out);
  if (!is_list && count != 1)
    return SC_ERR_ARGUMENT;
  sc_bt_writer_init(&writer, out);
  if (is_list)
    sc_bt_begin_list(&writer);
  for (size_t i = 0; i < count; i++)
    write_answer(&writer, errors[i]);
  if (is_list)
    sc_bt_end(&writer);
  return sc_bt_writer_finish(&writer);
}

/* A code that is not known yet is still an error. */
static bool read_answer(sc_storage_monitor_error *out, sc_bt_reader *reader) {
  uint64_t number;
  if (sc_bt_enter_dict(reader) != SC_OK)
    return false;
  if (find(reader, "errcode")) {
    if (sc_bt_read_u64(&number, reader) != SC_OK || number == 0)
      return false;
    *out = number < error_count ? (sc_storage_monitor_error)number : SC_STORAGE_MONITOR_ARGUMENTS;
  } else {
    if (!find(reader, "success") || sc_bt_read_u64(&number, reader) != SC_OK || number != 1)
      return false;
    *out = SC_STORAGE_MONITOR_OK;
  }
  return sc_bt_leave(reader) == SC_OK;
}

sc_status sc_storage_monitor_answers_parse(sc_storage_monitor_error *out, size_t count, sc_bytes answers) {
  sc_storage_monitor_error read[SC_STORAGE_MAX_SUBSCRIPTIONS];
  sc_bt_reader reader;
  if (count == 0 || count > SC_STORAGE_MAX_SUBSCRIPTIONS || sc_bt_validate(answers) != SC_OK)
    return SC_ERR_STORAGE_REPLY;
  sc_bt_reader_init(&reader, answers);
  bool is_list = sc_bt_peek(&reader) == SC_BT_LIST;
  bool good = is_list ? sc_bt_enter_list(&reader) == SC_OK : count == 1;
  for (size_t i = 0; i < count && good; i++)
    good = read_answer(&read[i], &reader);
  if (!good || sc_bt_peek(&reader) != SC_BT_END)
    return SC_ERR_STORAGE_REPLY;
  memcpy(out, read, count * sizeof *out);
  return SC_OK;
}

static bool read_event(sc_storage_event *event, sc_bt_reader *reader) {
  int64_t number;
  if (sc_bt_enter_dict(reader) != SC_OK || !find(reader, "@") ||
      !read_bytes(event->account, sizeof event->account, reader) || !find(reader, "h") ||
      sc_bt_read_string(&event->hash, reader) != SC_OK || !find(reader, "n") ||
      sc_bt_read_i64(&number, reader) != SC_OK || number < INT16_MIN || number > INT16_MAX ||
      !find(reader, "t") || sc_bt_read_u64(&event->timestamp, reader) != SC_OK || !find(reader, "z") ||
      sc_bt_read_u64(&event->expiry, reader) != SC_OK)
    return false;
  event->number = (int16_t)number;
  event->has_data = find(reader, "~");
  return sc_storage_is_hash(event->hash) &&
         (!event->has_data || sc_bt_read_string(&event->data, reader) == SC_OK);
}

sc_status sc_storage_event_parse(sc_storage_event *out, sc_bytes bytes) {
  char hash[SC_STORAGE_HASH_CHARS + 1];
  sc_storage_event event = {0};
  sc_bt_reader reader;
  if (bytes.len > SC_STORAGE_MAX_BYTES || sc_bt_validate(bytes) != SC_OK)
    return SC_ERR_STORAGE_REPLY;
  sc_bt_reader_init(&reader, bytes);
  if (!read_event(&event, &reader))
    return SC_ERR_STORAGE_REPLY;
  sc_storage_message_hash(hash, event.account, event.number, event.data);
  if (event.has_data && !sc_bytes_same(event.hash, sc_bytes_text(hash)))
    return SC_ERR_STORAGE_REPLY;
  *out = event;
  return SC_OK;
}

sc_status sc_storage_event_write(sc_buffer *out, const sc_storage_event *event) {
  sc_bt_writer writer;
  sc_buffer_clear(out);
  sc_bt_writer_init(&writer, out);
  sc_bt_begin_dict(&writer);
  write_bytes(&writer, "@", SC_BYTES(event->account));
  write_bytes(&writer, "h", event->hash);
  sc_bt_write_key(&writer, sc_bytes_text("n"));
  sc_bt_write_i64(&writer, event->number);
  write_u64(&writer, "t", event->timestamp);
  write_u64(&writer, "z", event->expiry);
  if (event->has_data)
    write_bytes(&writer, "~", event->data);
  sc_bt_end(&writer);
  return sc_bt_writer_finish(&writer);
}
