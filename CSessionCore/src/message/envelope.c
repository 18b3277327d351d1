#include "envelope.h"

#include "session-core/crypto/signature.h"

enum { first_device = 1 };

/* The largest integer that a double represents exactly. */
static const uint64_t latest_time_ms = (uint64_t)1 << 53;

sc_status sc_check_sent_time(const Sc__Content *content, uint64_t sent_ms) {
  bool possible = sent_ms > 0 && sent_ms <= latest_time_ms;
  bool agrees = !content->has_sig_timestamp || content->sig_timestamp == sent_ms;
  return possible && agrees ? SC_OK : SC_ERR_MESSAGE_TIME;
}

/* protobuf-c takes pointers that it does not write through as writable ones. */
static ProtobufCBinaryData borrowed(const uint8_t *ptr, size_t len) {
  return (ProtobufCBinaryData){.data = (uint8_t *)(uintptr_t)ptr, .len = len};
}

static sc_status write_message(sc_buffer *out, const ProtobufCMessage *message) {
  sc_buffer_clear(out);
  return sc_parsed_append(out, message);
}

sc_status sc_envelope_write(sc_buffer *out, Sc__Envelope__Type type, uint64_t sent_ms, sc_bytes content,
                            const uint8_t pro_signature[static 64]) {
  Sc__Envelope envelope = SC__ENVELOPE__INIT;
  envelope.type = type;
  envelope.timestamp = sent_ms;
  envelope.has_source_device = true;
  envelope.source_device = first_device;
  envelope.has_content = true;
  envelope.content = borrowed(content.ptr, content.len);
  envelope.has_pro_sig = true;
  envelope.pro_sig = borrowed(pro_signature, SC_SIGNATURE_BYTES);
  return write_message(out, &envelope.base);
}

/* Peers want the empty texts and the zero to be there. */
sc_status sc_wrapping_write(sc_buffer *out, sc_bytes envelope) {
  char empty[] = "";
  Sc__WebSocketRequestMessage request = SC__WEB_SOCKET_REQUEST_MESSAGE__INIT;
  request.verb = empty;
  request.path = empty;
  request.has_body = true;
  request.body = borrowed(envelope.ptr, envelope.len);
  request.has_request_id = true;
  Sc__WebSocketMessage wrapping = SC__WEB_SOCKET_MESSAGE__INIT;
  wrapping.has_type = true;
  wrapping.type = SC__WEB_SOCKET_MESSAGE__TYPE__REQUEST;
  wrapping.request = &request;
  return write_message(out, &wrapping.base);
}

/* Names the failure for what could not be read. */
static sc_status read_as(sc_parsed *out, const sc_env *env, const ProtobufCMessageDescriptor *type,
                         sc_bytes bytes, sc_status unreadable) {
  sc_status status = sc_parsed_read(out, env, type, bytes);
  bool was_read = status != SC_ERR_CONTENT && status != SC_ERR_PROTO_TAG;
  return was_read ? status : unreadable;
}

sc_status sc_envelope_read(sc_parsed *out, const sc_env *env, sc_bytes bytes) {
  return read_as(out, env, &sc__envelope__descriptor, bytes, SC_ERR_ENVELOPE);
}

sc_status sc_wrapping_read(sc_parsed *out, sc_bytes *envelope, const sc_env *env, sc_bytes bytes) {
  sc_status status = read_as(out, env, &sc__web_socket_message__descriptor, bytes, SC_ERR_WRAPPING);
  if (status != SC_OK)
    return status;
  const Sc__WebSocketMessage *wrapping = (const Sc__WebSocketMessage *)out->message;
  if (wrapping->request == NULL || !wrapping->request->has_body)
    return SC_ERR_WRAPPING_EMPTY;
  *envelope = sc_bytes_make(wrapping->request->body.data, wrapping->request->body.len);
  return SC_OK;
}
