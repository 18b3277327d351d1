/* WebSocketMessage ( request ( Envelope ( seal ( Content ( SharedConfigMessage ) ‖ 0x80 ) ) ) )
 *
 * encrypted by the account for itself, without randomness. Fields of other messages that this one must not
 * have, such as a device in the envelope, are the reason why nothing here uses the writers of the message
 * room. */
#include "legacy_wrap.h"

#include "../crypto/sealed.h"
#include "../message/envelope.h"
#include "../message/fields.h"
#include "session-core/crypto/seal.h"
#include "session-core/message/padding.h"

enum {
  padding_marker = 0x80,
  envelope_time = 1, /* says nothing, the same everywhere */
};

static bool is_kind(sc_legacy_config_kind kind) {
  return kind >= SC_LEGACY_CONFIG_USER_PROFILE && kind <= SC_LEGACY_CONFIG_GROUPS;
}

/* protobuf-c takes pointers that it does not write through as writable ones. */
static ProtobufCBinaryData borrowed(sc_bytes bytes) {
  return (ProtobufCBinaryData){.data = (uint8_t *)(uintptr_t)bytes.ptr, .len = bytes.len};
}

/* With the marker that padding begins with, and no padding. */
static sc_status write_content(sc_buffer *out, sc_legacy_config_kind kind, int64_t seqno,
                               sc_bytes encrypted) {
  Sc__SharedConfigMessage config = SC__SHARED_CONFIG_MESSAGE__INIT;
  config.kind = (Sc__SharedConfigMessage__Kind)kind;
  config.seqno = seqno;
  config.data = borrowed(encrypted);
  Sc__Content content = SC__CONTENT__INIT;
  content.shared_config_message = &config;
  sc_status status = sc_parsed_append(out, &content.base);
  return status == SC_OK ? sc_buffer_append_byte(out, padding_marker) : status;
}

static sc_status write_envelope(sc_buffer *out, sc_bytes sealed) {
  Sc__Envelope envelope = SC__ENVELOPE__INIT;
  envelope.type = SC__ENVELOPE__TYPE__SESSION_MESSAGE;
  envelope.timestamp = envelope_time;
  envelope.has_content = true;
  envelope.content = borrowed(sealed);
  return sc_parsed_append(out, &envelope.base);
}

sc_status sc_config_wrap(sc_buffer *out, const sc_keypair *account, sc_legacy_config_kind kind, int64_t seqno,
                         sc_bytes encrypted) {
  sc_buffer_clear(out);
  if (!is_kind(kind))
    return SC_ERR_ARGUMENT;
  if (encrypted.len > SC_STORED_MAX_BYTES)
    return SC_ERR_TOO_LARGE;
  sc_buffer content, sealed, envelope;
  sc_buffer_init(&content, out->env);
  sc_buffer_init(&sealed, out->env);
  sc_buffer_init(&envelope, out->env);
  sc_status status = write_content(&content, kind, seqno, encrypted);
  if (status == SC_OK)
    status =
        sc_seal_deterministic(&sealed, account, SC_BYTES(account->x.public_key), sc_buffer_bytes(&content));
  if (status == SC_OK)
    status = write_envelope(&envelope, sc_buffer_bytes(&sealed));
  if (status == SC_OK)
    status = sc_wrapping_write(out, sc_buffer_bytes(&envelope));
  if (status == SC_OK && out->len > SC_STORED_MAX_BYTES)
    status = SC_ERR_TOO_LARGE;
  if (status != SC_OK)
    sc_buffer_clear(out);
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
  sc_buffer_free(&envelope);
  return status;
}

/* As sc_wrapping_read, but only of a request. */
static sc_status read_request(sc_parsed *out, sc_bytes *envelope, const sc_env *env, sc_bytes wrapped) {
  sc_status status = sc_wrapping_read(out, envelope, env, wrapped);
  const Sc__WebSocketMessage *wrapping = (const Sc__WebSocketMessage *)out->message;
  bool was_read = status == SC_OK || status == SC_ERR_WRAPPING_EMPTY;
  if (was_read && !(wrapping->has_type && wrapping->type == SC__WEB_SOCKET_MESSAGE__TYPE__REQUEST))
    return SC_ERR_WRAPPING;
  return status;
}

static sc_status open_own_seal(sc_buffer *out, const sc_keypair *account, sc_bytes sealed) {
  sc_status status = sc_seal_open_own(out, account, sealed);
  return status == SC_ERR_KEY_MISMATCH ? SC_ERR_CONFIG_AUTHOR : status;
}

static sc_status open_envelope(sc_buffer *out, const sc_keypair *account, sc_bytes bytes) {
  sc_parsed parsed;
  sc_status status = sc_envelope_read(&parsed, out->env, bytes);
  if (status == SC_OK) {
    const Sc__Envelope *envelope = (const Sc__Envelope *)parsed.message;
    status = envelope->has_content
                 ? open_own_seal(out, account, sc_bytes_make(envelope->content.data, envelope->content.len))
                 : SC_ERR_ENVELOPE_EMPTY;
  }
  sc_parsed_free(&parsed);
  return status;
}

static sc_status open_wrapping(sc_buffer *out, const sc_keypair *account, sc_bytes wrapped) {
  sc_parsed request;
  sc_bytes envelope;
  sc_status status = read_request(&request, &envelope, out->env, wrapped);
  if (status == SC_OK)
    status = open_envelope(out, account, envelope);
  sc_parsed_free(&request);
  return status;
}

/* Here the marker must be there, where for messages it may be missing. */
static sc_status without_padding(sc_bytes *out, sc_bytes padded) {
  *out = sc_unpadded(padded);
  bool marked = out->len < padded.len && padded.ptr[out->len] == padding_marker;
  return marked ? SC_OK : SC_ERR_FORMAT;
}

static sc_status take_config(sc_buffer *out, const Sc__SharedConfigMessage *config,
                             sc_legacy_config_kind kind) {
  if (config == NULL)
    return SC_ERR_FORMAT;
  if ((sc_legacy_config_kind)config->kind != kind)
    return SC_ERR_CONFIG_KIND;
  return sc_buffer_append(out, sc_bytes_make(config->data.data, config->data.len));
}

static sc_status read_content(sc_buffer *out, sc_legacy_config_kind kind, sc_bytes padded) {
  sc_bytes bytes;
  sc_status status = without_padding(&bytes, padded);
  if (status != SC_OK)
    return status;
  sc_content *content;
  status = sc_content_parse(&content, out->env, bytes);
  if (status != SC_OK)
    return status;
  status = take_config(out, sc_content_fields(content)->shared_config_message, kind);
  sc_content_free(content);
  return status;
}

sc_status sc_config_unwrap(sc_buffer *out, const sc_keypair *account, sc_legacy_config_kind kind,
                           sc_bytes wrapped) {
  sc_buffer_clear(out);
  sc_buffer plain;
  sc_buffer_init(&plain, out->env);
  sc_status status = open_wrapping(&plain, account, wrapped);
  if (status == SC_OK)
    status = read_content(out, kind, sc_buffer_bytes(&plain));
  sc_buffer_free(&plain);
  return status;
}

static sc_status unwrap_if_wrapped(sc_buffer *out, const sc_keypair *account, sc_legacy_config_kind kind,
                                   sc_bytes stored) {
  sc_status status = sc_config_unwrap(out, account, kind, stored);
  bool settled = status == SC_OK || status == SC_ERR_NO_MEMORY;
  return settled ? status : sc_buffer_append(out, stored);
}

sc_status sc_config_strip(sc_buffer *out, const sc_keypair *account, sc_legacy_config_kind kind,
                          sc_bytes stored) {
  sc_buffer_clear(out);
  sc_buffer once;
  sc_buffer_init(&once, out->env);
  sc_status status = unwrap_if_wrapped(&once, account, kind, stored);
  if (status == SC_OK)
    status = unwrap_if_wrapped(out, account, kind, sc_buffer_bytes(&once));
  sc_buffer_free(&once);
  return status;
}
