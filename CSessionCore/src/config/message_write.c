#include "appender.h"
#include "diff.h"
#include "message.h"

static void append_integer(sc_appender *d, int64_t number) {
  uint8_t encoded[24];
  const uint8_t *end = sc_encoded_put(encoded, sc_config_integer(number));
  sc_appender_bytes(d, sc_bytes_make(encoded, (size_t)(end - encoded)));
}

static void append_data(sc_appender *d, const sc_config_message *message) {
  uint8_t *at;
  sc_appender_text(d, "1:&");
  if (d->status == SC_OK)
    d->status = sc_buffer_extend(&at, d->out, sc_config_tree_size(message->data));
  if (d->status == SC_OK)
    sc_config_tree_write(at, message->data);
}

static void append_lagged(sc_appender *d, const sc_config_message *message, const sc_config_rules *rules) {
  sc_appender_text(d, "1:<l");
  for (size_t i = 0; i < message->lagged_count; i++) {
    const sc_config_earlier *earlier = &message->lagged[i];
    if (!sc_config_looks_back(rules, message->seqno, earlier->seqno))
      continue;
    sc_appender_text(d, "l");
    append_integer(d, earlier->seqno);
    sc_appender_text(d, "32:");
    sc_appender_bytes(d, SC_BYTES(earlier->hash));
    sc_appender_bytes(d, earlier->diff.bytes);
    sc_appender_text(d, "e");
  }
  sc_appender_text(d, "e");
}

static void append_diff(sc_appender *d, const sc_config_message *message) {
  sc_appender_text(d, "1:=");
  if (!message->editable)
    sc_appender_bytes(d, message->diff.bytes);
  else if (d->status == SC_OK)
    d->status = sc_config_diff_append(d->out, message->origin, message->data);
}

static void append_signature(sc_appender *d, const sc_config_message *message, const sc_config_rules *rules) {
  uint8_t made[SC_SIGNATURE_BYTES];
  sc_bytes signature = sc_config_message_signature(message);
  if (signature.len == 0) {
    if (rules->signer == NULL || d->status != SC_OK)
      return;
    sc_ed25519_sign(made, rules->signer, sc_buffer_bytes(d->out));
    signature = SC_BYTES(made);
  }
  sc_appender_text(d, "1:~64:");
  sc_appender_bytes(d, signature);
}

/* About what the message will take, so that the buffer need not grow often. */
static size_t expected_size(const sc_config_message *message) {
  enum { framing = 256, framing_of_one = 64 };
  size_t size = sc_config_tree_size(message->data) + message->diff.bytes.len + framing;
  for (size_t i = 0; i < message->lagged_count; i++)
    size += message->lagged[i].diff.bytes.len + framing_of_one;
  return size;
}

sc_status sc_config_message_write(sc_buffer *out, const sc_config_message *message,
                                  const sc_config_rules *rules) {
  sc_buffer_clear(out);
  sc_appender d = {out, sc_buffer_reserve(out, expected_size(message))};
  rules = sc_config_rules_or_default(rules);
  sc_appender_text(&d, "d1:#");
  append_integer(&d, message->seqno);
  sc_appender_bytes(&d, message->unknown[0]);
  append_data(&d, message);
  sc_appender_bytes(&d, message->unknown[1]);
  append_lagged(&d, message, rules);
  sc_appender_bytes(&d, message->unknown[2]);
  append_diff(&d, message);
  sc_appender_bytes(&d, message->unknown[3]);
  append_signature(&d, message, rules);
  sc_appender_text(&d, "e");
  if (d.status != SC_OK)
    sc_buffer_clear(out);
  return d.status;
}
