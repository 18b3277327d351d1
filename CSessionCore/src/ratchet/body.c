#include "session-core/ratchet/body.h"

#include "session-core/base/bt.h"
#include "session-core/crypto/signature.h"

static sc_status read_hashes(sc_ratchet_body *out, sc_bt_reader *reader) {
  sc_status status = sc_bt_enter_list(reader);
  while (status == SC_OK && sc_bt_peek(reader) != SC_BT_END && out->resend_count < SC_RATCHET_MAX_RESEND) {
    sc_bytes hash;
    status = sc_bt_read_string(&hash, reader);
    if (status == SC_OK && hash.len != SC_RATCHET_HASH_BYTES)
      status = SC_ERR_RATCHET_BODY;
    if (status == SC_OK)
      out->resend[out->resend_count++] = hash.ptr;
  }
  return status == SC_OK ? sc_bt_leave(reader) : status;
}

static sc_status read_fixed(const uint8_t **out, size_t length, sc_bt_reader *reader) {
  sc_bytes bytes;
  sc_status status = sc_bt_read_string(&bytes, reader);
  if (status == SC_OK && bytes.len != length)
    status = SC_ERR_RATCHET_BODY;
  if (status == SC_OK)
    *out = bytes.ptr;
  return status;
}

static sc_status read_verification_field(sc_ratchet_verification *out, bool *has_state, sc_bytes key,
                                         sc_bt_reader *reader) {
  if (sc_bytes_same(key, sc_bytes_text("f")))
    return read_fixed(&out->fingerprint, SC_SAFETY_FINGERPRINT_BYTES, reader);
  if (sc_bytes_same(key, sc_bytes_text("i")))
    return read_fixed(&out->id, SC_ID_BYTES, reader);
  if (sc_bytes_same(key, sc_bytes_text("s"))) {
    uint64_t state;
    sc_status status = sc_bt_read_u64(&state, reader);
    if (status == SC_OK && state > 1)
      status = SC_ERR_RATCHET_BODY;
    out->is_verified = status == SC_OK && state == 1;
    *has_state = true;
    return status;
  }
  if (sc_bytes_same(key, sc_bytes_text("t")))
    return sc_bt_read_u64(&out->at_ms, reader);
  return sc_bt_skip(reader);
}

static sc_status read_verification(sc_ratchet_verification *out, sc_bt_reader *reader) {
  sc_bytes key;
  bool has_state = false;
  sc_status status = sc_bt_enter_dict(reader);
  while (status == SC_OK && sc_bt_peek(reader) != SC_BT_END) {
    status = sc_bt_next_key(&key, reader);
    if (status == SC_OK)
      status = read_verification_field(out, &has_state, key, reader);
  }
  if (status == SC_OK)
    status = sc_bt_leave(reader);
  if (status == SC_OK && (!out->id || !out->fingerprint || !has_state || out->at_ms == 0))
    status = SC_ERR_RATCHET_BODY;
  return status;
}

static sc_status read_verifications(sc_ratchet_body *out, sc_bt_reader *reader) {
  sc_status status = sc_bt_enter_list(reader);
  while (status == SC_OK && sc_bt_peek(reader) != SC_BT_END &&
         out->verification_count < SC_RATCHET_MAX_VERIFICATIONS) {
    sc_bytes entry;
    sc_bt_reader inner;
    status = sc_bt_read_raw(&entry, reader);
    if (status != SC_OK)
      break;
    sc_bt_reader_init(&inner, entry);
    sc_ratchet_verification *verification = &out->verifications[out->verification_count];
    /* Later versions may say what this one does not understand: the rest counts. */
    if (read_verification(verification, &inner) == SC_OK)
      out->verification_count++;
    else
      *verification = (sc_ratchet_verification){0};
  }
  return status == SC_OK ? sc_bt_leave(reader) : status;
}

static sc_status read_control_field(sc_ratchet_body *out, sc_bytes key, sc_bt_reader *reader) {
  sc_status status;
  if (sc_bytes_same(key, sc_bytes_text("L")))
    return sc_bt_read_raw(&out->link, reader);
  if (sc_bytes_same(key, sc_bytes_text("P"))) {
    uint64_t value;
    status = sc_bt_read_u64(&value, reader);
    out->is_ping = status == SC_OK && value == 1;
    return status;
  }
  if (sc_bytes_same(key, sc_bytes_text("R"))) {
    out->wants_resend = true;
    return read_hashes(out, reader);
  }
  if (sc_bytes_same(key, sc_bytes_text("V")))
    return read_verifications(out, reader);
  return sc_bt_skip(reader);
}

static sc_status read_control(sc_ratchet_body *out, sc_bt_reader *reader) {
  sc_bytes key;
  out->has_control = true;
  sc_status status = sc_bt_enter_dict(reader);
  while (status == SC_OK && sc_bt_peek(reader) != SC_BT_END) {
    status = sc_bt_next_key(&key, reader);
    if (status == SC_OK)
      status = read_control_field(out, key, reader);
  }
  return status == SC_OK ? sc_bt_leave(reader) : status;
}

typedef struct seen {
  bool content;
  bool time;
} seen;

static sc_status read_field(sc_ratchet_body *out, seen *seen, sc_bytes key, sc_bt_reader *reader) {
  if (sc_bytes_same(key, sc_bytes_text("c"))) {
    seen->content = true;
    return sc_bt_read_string(&out->content, reader);
  }
  if (sc_bytes_same(key, sc_bytes_text("p")))
    return sc_bt_read_string(&out->pro_signature, reader);
  if (sc_bytes_same(key, sc_bytes_text("t"))) {
    seen->time = true;
    return sc_bt_read_u64(&out->sent_ms, reader);
  }
  if (sc_bytes_same(key, sc_bytes_text("x")))
    return read_control(out, reader);
  return sc_bt_skip(reader);
}

static bool keeps_the_rules(const sc_ratchet_body *body, bool has_content, bool has_time) {
  return (has_content || (body->has_control && has_time)) &&
         body->content.len <= SC_RATCHET_MAX_CONTENT_BYTES &&
         (body->pro_signature.len == 0 || body->pro_signature.len == SC_SIGNATURE_BYTES);
}

sc_status sc_ratchet_body_read(sc_ratchet_body *out, sc_bytes bytes) {
  sc_bt_reader reader;
  sc_bytes key;
  seen seen = {false, false};
  *out = (sc_ratchet_body){0};
  sc_bt_reader_init(&reader, bytes);
  sc_status status = sc_bt_enter_dict(&reader);
  while (status == SC_OK && sc_bt_peek(&reader) != SC_BT_END) {
    status = sc_bt_next_key(&key, &reader);
    if (status == SC_OK)
      status = read_field(out, &seen, key, &reader);
  }
  if (status == SC_OK)
    status = sc_bt_leave(&reader);
  if (status == SC_OK)
    status = sc_bt_finish(&reader);
  if (status == SC_OK && keeps_the_rules(out, seen.content, seen.time))
    return SC_OK;
  *out = (sc_ratchet_body){0};
  return SC_ERR_RATCHET_BODY;
}

static void write_verification(sc_bt_writer *writer, const sc_ratchet_verification *verification) {
  sc_bt_begin_dict(writer);
  sc_bt_write_key(writer, sc_bytes_text("f"));
  sc_bt_write_string(writer, sc_bytes_make(verification->fingerprint, SC_SAFETY_FINGERPRINT_BYTES));
  sc_bt_write_key(writer, sc_bytes_text("i"));
  sc_bt_write_string(writer, sc_bytes_make(verification->id, SC_ID_BYTES));
  sc_bt_write_key(writer, sc_bytes_text("s"));
  sc_bt_write_u64(writer, verification->is_verified ? 1 : 0);
  sc_bt_write_key(writer, sc_bytes_text("t"));
  sc_bt_write_u64(writer, verification->at_ms);
  sc_bt_end(writer);
}

static void write_control(sc_bt_writer *writer, const sc_ratchet_body *body) {
  sc_bt_write_key(writer, sc_bytes_text("x"));
  sc_bt_begin_dict(writer);
  if (body->link.len > 0) {
    sc_bt_write_key(writer, sc_bytes_text("L"));
    sc_bt_write_raw(writer, body->link);
  }
  if (body->is_ping) {
    sc_bt_write_key(writer, sc_bytes_text("P"));
    sc_bt_write_u64(writer, 1);
  }
  if (body->wants_resend) {
    sc_bt_write_key(writer, sc_bytes_text("R"));
    sc_bt_begin_list(writer);
    for (size_t i = 0; i < body->resend_count; i++)
      sc_bt_write_string(writer, sc_bytes_make(body->resend[i], SC_RATCHET_HASH_BYTES));
    sc_bt_end(writer);
  }
  if (body->verification_count > 0) {
    sc_bt_write_key(writer, sc_bytes_text("V"));
    sc_bt_begin_list(writer);
    for (size_t i = 0; i < body->verification_count; i++)
      write_verification(writer, &body->verifications[i]);
    sc_bt_end(writer);
  }
  sc_bt_end(writer);
}

static bool counts_are_within_limits(const sc_ratchet_body *body) {
  return body->resend_count <= SC_RATCHET_MAX_RESEND &&
         body->verification_count <= SC_RATCHET_MAX_VERIFICATIONS;
}

sc_status sc_ratchet_body_write(sc_buffer *out, const sc_ratchet_body *body) {
  sc_buffer_clear(out);
  const bool has_control =
      body->link.len > 0 || body->is_ping || body->wants_resend || body->verification_count > 0;
  sc_ratchet_body checked = *body;
  checked.has_control = has_control;
  if (!keeps_the_rules(&checked, body->content.len > 0, body->sent_ms > 0) || !counts_are_within_limits(body))
    return SC_ERR_RATCHET_BODY;
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, out);
  sc_bt_begin_dict(&writer);
  if (body->content.len > 0) {
    sc_bt_write_key(&writer, sc_bytes_text("c"));
    sc_bt_write_string(&writer, body->content);
  }
  if (body->pro_signature.len > 0) {
    sc_bt_write_key(&writer, sc_bytes_text("p"));
    sc_bt_write_string(&writer, body->pro_signature);
  }
  if (body->sent_ms > 0) {
    sc_bt_write_key(&writer, sc_bytes_text("t"));
    sc_bt_write_u64(&writer, body->sent_ms);
  }
  if (has_control)
    write_control(&writer, body);
  sc_bt_end(&writer);
  return sc_bt_writer_finish(&writer);
}
