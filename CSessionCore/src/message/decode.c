#include "session-core/message/decode.h"

#include "envelope.h"
#include "fields.h"
#include "pro_data.h"
#include "session-core/base/encoding.h"
#include "session-core/base/secret.h"
#include "session-core/crypto/blinded_seal.h"
#include "session-core/crypto/group_seal.h"
#include "session-core/crypto/signature.h"
#include "session-core/message/padding.h"

enum {
  milliseconds = 1000,
  posted_tolerance_ms = 6 * 60 * 60 * milliseconds,
};

struct sc_message {
  const sc_env *env;
  sc_buffer plain; /* the content, with its padding where it has one */
  sc_bytes bytes;  /* the content, inside of `plain` */
  sc_content *content;
  sc_envelope envelope;
  sc_message_pro pro;
  sc_sender sender;
  bool has_sender;
};

static sc_status message_new(sc_message **out, const sc_env *env) {
  sc_message *message = sc_allocate(env, sizeof *message);
  *out = message;
  if (message == NULL)
    return SC_ERR_NO_MEMORY;
  *message = (sc_message){.env = env};
  sc_buffer_init(&message->plain, env);
  return SC_OK;
}

void sc_message_free(sc_message *message) {
  if (message == NULL)
    return;
  sc_content_free(message->content);
  sc_buffer_free(&message->plain);
  const sc_env *env = message->env;
  sc_wipe(message, sizeof *message);
  sc_release(env, message);
}

static sc_bytes borrow(ProtobufCBinaryData data) {
  return sc_bytes_make(data.data, data.len);
}

static sc_status parse_content(sc_message *message, sc_bytes content) {
  message->bytes = content;
  return sc_content_parse(&message->content, message->env, content);
}

/* Judges the content's Pro data, if their proof can be judged at all. */
static sc_status judge(sc_message *message, const uint8_t *backend, sc_bytes signed_bytes, sc_bytes signature,
                       uint64_t time_s) {
  sc_status status = sc_pro_data_read(&message->pro, sc_message_fields(message)->pro_message);
  if (status == SC_OK && message->pro.has_proof)
    message->pro.status = sc_pro_judge(&message->pro.proof, backend, signed_bytes, signature, time_s);
  return status;
}

/* In a user's swarm a source is text, and often empty. */
static sc_status read_swarm_source(sc_envelope *out, const Sc__Envelope *fields) {
  if (!fields->has_source || fields->source.len == 0)
    return SC_OK;
  out->flags |= SC_ENVELOPE_SOURCE;
  bool is_id = sc_hex_decode(out->source.bytes, SC_ID_BYTES, borrow(fields->source)) == SC_OK;
  return is_id ? SC_OK : SC_ERR_ENVELOPE_SOURCE;
}

/* In a community it is bytes. */
static sc_status read_community_source(sc_envelope *out, const Sc__Envelope *fields) {
  if (!fields->has_source)
    return SC_OK;
  if (fields->source.len != SC_ID_BYTES)
    return SC_ERR_ENVELOPE_SOURCE;
  out->flags |= SC_ENVELOPE_SOURCE;
  memcpy(out->source.bytes, fields->source.data, SC_ID_BYTES);
  return SC_OK;
}

static void read_device_and_server_time(sc_envelope *out, const Sc__Envelope *fields) {
  if (fields->has_source_device)
    out->flags |= SC_ENVELOPE_SOURCE_DEVICE;
  if (fields->has_server_timestamp)
    out->flags |= SC_ENVELOPE_SERVER_TIMESTAMP;
  out->source_device = fields->source_device;
  out->server_timestamp_ms = fields->server_timestamp;
}

/* Reads the envelope of a swarm's message, which holds a content. Free `parsed` even after a failure. */
static sc_status read_swarm_envelope(sc_message *message, sc_parsed *parsed, sc_bytes bytes) {
  sc_status status = sc_envelope_read(parsed, message->env, bytes);
  if (status != SC_OK)
    return status;
  const Sc__Envelope *fields = (const Sc__Envelope *)parsed->message;
  message->envelope.flags = SC_ENVELOPE_TIMESTAMP;
  message->envelope.timestamp_ms = fields->timestamp;
  read_device_and_server_time(&message->envelope, fields);
  status = read_swarm_source(&message->envelope, fields);
  if (status == SC_OK && !fields->has_content)
    status = SC_ERR_ENVELOPE_EMPTY;
  return status;
}

/* The signature on a swarm's message covers the envelope's content as it is carried. */
static sc_status judge_swarm_message(sc_message *message, const Sc__Envelope *envelope,
                                     const uint8_t *backend) {
  const Sc__Content *content = sc_message_fields(message);
  if (!envelope->has_pro_sig)
    return SC_OK;
  if (envelope->pro_sig.len != SC_SIGNATURE_BYTES)
    return SC_ERR_PRO_SIGNATURE_SIZE;
  if (content->pro_message == NULL)
    return SC_OK;
  message->envelope.flags |= SC_ENVELOPE_PRO_SIGNATURE;
  if (content->sig_timestamp == 0)
    return SC_ERR_PRO_TIME;
  return judge(message, backend, borrow(envelope->content), borrow(envelope->pro_sig),
               content->sig_timestamp / milliseconds);
}

/* Opens with the first key that can; of several keys that cannot, none is to blame. */
static sc_status open_with_any(sc_message *message, const sc_x25519_pair *keys, size_t key_count,
                               sc_bytes sealed) {
  sc_status status = SC_ERR_NO_KEY;
  for (size_t i = 0; i < key_count; i++) {
    status = sc_seal_open(&message->plain, &message->sender, &keys[i], sealed);
    if (status == SC_OK || status == SC_ERR_NO_MEMORY)
      break;
  }
  message->has_sender = status == SC_OK;
  bool one_to_blame = status == SC_OK || status == SC_ERR_NO_MEMORY || key_count == 1;
  return one_to_blame ? status : SC_ERR_NO_KEY;
}

static sc_status read_contact_envelope(sc_message *message, const sc_x25519_pair *keys, size_t key_count,
                                       const uint8_t *backend, sc_bytes bytes) {
  sc_parsed parsed;
  sc_status status = read_swarm_envelope(message, &parsed, bytes);
  const Sc__Envelope *envelope = (const Sc__Envelope *)parsed.message;
  if (status == SC_OK)
    status = open_with_any(message, keys, key_count, borrow(envelope->content));
  if (status == SC_OK)
    status = parse_content(message, sc_unpadded(sc_buffer_bytes(&message->plain)));
  if (status == SC_OK)
    status = judge_swarm_message(message, envelope, backend);
  sc_parsed_free(&parsed);
  return status;
}

static sc_status read_contact_message(sc_message *message, const sc_x25519_pair *keys, size_t key_count,
                                      const uint8_t *backend, sc_bytes stored) {
  sc_parsed wrapping;
  sc_bytes envelope;
  sc_status status = sc_wrapping_read(&wrapping, &envelope, message->env, stored);
  if (status == SC_OK)
    status = read_contact_envelope(message, keys, key_count, backend, envelope);
  sc_parsed_free(&wrapping);
  return status;
}

static sc_status read_group_envelope(sc_message *message, const uint8_t *backend, sc_bytes bytes) {
  sc_parsed parsed;
  sc_status status = read_swarm_envelope(message, &parsed, bytes);
  const Sc__Envelope *envelope = (const Sc__Envelope *)parsed.message;
  if (status == SC_OK)
    status = sc_buffer_append(&message->plain, borrow(envelope->content));
  if (status == SC_OK)
    status = parse_content(message, sc_buffer_bytes(&message->plain));
  if (status == SC_OK)
    status = judge_swarm_message(message, envelope, backend);
  sc_parsed_free(&parsed);
  return status;
}

static sc_status read_group_message(sc_message *message, const sc_id *group, const sc_bytes *keys,
                                    size_t key_count, const uint8_t *backend, sc_bytes stored) {
  sc_buffer envelope;
  sc_buffer_init(&envelope, message->env);
  sc_status status = sc_group_open(&envelope, &message->sender, NULL, message->env, sc_id_key(group), keys,
                                   key_count, stored);
  message->has_sender = status == SC_OK;
  if (status == SC_OK)
    status = read_group_envelope(message, backend, sc_buffer_bytes(&envelope));
  sc_buffer_free(&envelope);
  return status;
}

/* A signature inside the content covers the rest of it, padded. */
static sc_status judge_own_signature(sc_message *message, const uint8_t *backend, uint64_t posted_s) {
  const Sc__Content *content = sc_message_fields(message);
  sc_bytes signature = borrow(content->pro_sig_for_community_message_only);
  sc_buffer signed_form;
  sc_buffer_init(&signed_form, message->env);
  sc_status status = sc_pro_signed_as_received(&signed_form, message->env, message->bytes);
  if (status == SC_OK)
    status = judge(message, backend, sc_buffer_bytes(&signed_form), signature, posted_s);
  if (status == SC_OK && message->pro.status == SC_PRO_STOLEN) {
    status = sc_pro_signed_in_order(&signed_form, message->env, content);
    if (status == SC_OK)
      status = judge(message, backend, sc_buffer_bytes(&signed_form), signature, posted_s);
  }
  sc_buffer_free(&signed_form);
  return status;
}

/* `on_envelope` is the signature of the envelope, NULL when there is none; it covers the content with its
 * padding. */
static sc_status judge_community_message(sc_message *message, const ProtobufCBinaryData *on_envelope,
                                         const uint8_t *backend, uint64_t posted_s) {
  const Sc__Content *content = sc_message_fields(message);
  bool is_inside = content->has_pro_sig_for_community_message_only;
  if (on_envelope != NULL && is_inside)
    return SC_ERR_PRO_SIGNATURE_TWICE;
  if (on_envelope == NULL && !is_inside)
    return SC_OK;
  sc_bytes signature = borrow(is_inside ? content->pro_sig_for_community_message_only : *on_envelope);
  if (signature.len != SC_SIGNATURE_BYTES)
    return SC_ERR_PRO_SIGNATURE_SIZE;
  if (content->pro_message == NULL)
    return SC_OK;
  if (is_inside)
    return judge_own_signature(message, backend, posted_s);
  message->envelope.flags |= SC_ENVELOPE_PRO_SIGNATURE;
  return judge(message, backend, sc_buffer_bytes(&message->plain), signature, posted_s);
}

/* `plain` holds a content, padded, and no envelope. */
static sc_status read_bare_content(sc_message *message, const uint8_t *backend, uint64_t posted_s) {
  sc_status status = parse_content(message, sc_unpadded(sc_buffer_bytes(&message->plain)));
  return status == SC_OK ? judge_community_message(message, NULL, backend, posted_s) : status;
}

/* Puts the content of an envelope in the place of `plain`. */
static sc_status read_enveloped_content(sc_message *message, const Sc__Envelope *envelope,
                                        const uint8_t *backend, uint64_t posted_s) {
  read_device_and_server_time(&message->envelope, envelope);
  sc_status status = read_community_source(&message->envelope, envelope);
  sc_buffer_clear(&message->plain);
  if (status == SC_OK)
    status = sc_buffer_append(&message->plain, borrow(envelope->content));
  if (status == SC_OK)
    status = parse_content(message, sc_unpadded(sc_buffer_bytes(&message->plain)));
  const ProtobufCBinaryData *signature = envelope->has_pro_sig ? &envelope->pro_sig : NULL;
  return status == SC_OK ? judge_community_message(message, signature, backend, posted_s) : status;
}

/* `plain` holds what was posted. No content reads as an envelope, whose first field is a number. */
static sc_status read_posted(sc_message *message, const uint8_t *backend, uint64_t posted_s) {
  sc_parsed parsed;
  sc_status status = sc_envelope_read(&parsed, message->env, sc_buffer_bytes(&message->plain));
  if (status == SC_OK)
    status = read_enveloped_content(message, (const Sc__Envelope *)parsed.message, backend, posted_s);
  else if (status == SC_ERR_ENVELOPE)
    status = read_bare_content(message, backend, posted_s);
  sc_parsed_free(&parsed);
  return status;
}

/* The time on the envelope is possible, and equal to the one inside, which old clients leave out. */
static sc_status check_swarm_time(const sc_message *message) {
  return sc_check_sent_time(sc_message_fields(message), message->envelope.timestamp_ms);
}

/* The time inside a post, if any, is near the one its server gives it. */
static sc_status check_posted_time(const sc_message *message, uint64_t posted_s) {
  const Sc__Content *content = sc_message_fields(message);
  if (!content->has_sig_timestamp)
    return SC_OK;
  if (posted_s > UINT64_MAX / milliseconds)
    return SC_ERR_MESSAGE_TIME;
  uint64_t sent_ms = content->sig_timestamp;
  uint64_t posted_ms = posted_s * milliseconds;
  uint64_t apart_ms = sent_ms > posted_ms ? sent_ms - posted_ms : posted_ms - sent_ms;
  return apart_ms <= posted_tolerance_ms ? SC_OK : SC_ERR_MESSAGE_TIME;
}

/* Gives the message out when all went well, and frees it otherwise. */
static sc_status give(sc_message **out, sc_message *message, sc_status status) {
  if (status == SC_OK)
    *out = message;
  else
    sc_message_free(message);
  return status;
}

sc_status sc_decode_from_contact(sc_message **out, const sc_env *env, const sc_x25519_pair *keys,
                                 size_t key_count, const uint8_t pro_backend[static 32], sc_bytes stored) {
  *out = NULL;
  sc_message *message;
  sc_status status = message_new(&message, env);
  if (status == SC_OK)
    status = read_contact_message(message, keys, key_count, pro_backend, stored);
  if (status == SC_OK)
    status = check_swarm_time(message);
  return give(out, message, status);
}

sc_status sc_decode_from_group(sc_message **out, const sc_env *env, const sc_id *group, const sc_bytes *keys,
                               size_t key_count, const uint8_t pro_backend[static 32], sc_bytes stored) {
  *out = NULL;
  if (sc_id_kind_of(group) != SC_ID_GROUP)
    return SC_ERR_ID_KIND;
  sc_message *message;
  sc_status status = message_new(&message, env);
  if (status == SC_OK)
    status = read_group_message(message, group, keys, key_count, pro_backend, stored);
  if (status == SC_OK)
    status = check_swarm_time(message);
  return give(out, message, status);
}

sc_status sc_decode_from_community(sc_message **out, const sc_env *env, const uint8_t pro_backend[static 32],
                                   uint64_t posted_s, sc_bytes data) {
  *out = NULL;
  sc_message *message;
  sc_status status = message_new(&message, env);
  if (status == SC_OK)
    status = sc_buffer_append(&message->plain, data);
  if (status == SC_OK)
    status = read_posted(message, pro_backend, posted_s);
  if (status == SC_OK)
    status = check_posted_time(message, posted_s);
  return give(out, message, status);
}

sc_status sc_decode_from_inbox(sc_message **out, const sc_env *env, const sc_keypair *me,
                               const uint8_t server[static 32], const sc_id *sender_id,
                               const sc_id *recipient_id, const uint8_t pro_backend[static 32],
                               uint64_t posted_s, sc_bytes data) {
  *out = NULL;
  sc_message *message;
  sc_status status = message_new(&message, env);
  if (status == SC_OK)
    status = sc_blinded_open(&message->plain, &message->sender, me, server, sender_id, recipient_id, data);
  if (status == SC_OK) {
    message->has_sender = true;
    status = read_posted(message, pro_backend, posted_s);
  }
  if (status == SC_OK)
    status = check_posted_time(message, posted_s);
  return give(out, message, status);
}

const Sc__Content *sc_message_fields(const sc_message *message) {
  return sc_content_fields(message->content);
}

sc_status sc_message_body_of(const sc_message_body **out, sc_message *message, sc_message_rule *broken) {
  return sc_content_read_body(out, message->content, message->pro.status != SC_PRO_NONE, broken);
}

sc_bytes sc_message_content(const sc_message *message) {
  return message->bytes;
}

sc_bytes sc_message_text(const sc_message *message) {
  const Sc__DataMessage *data = sc_message_fields(message)->data_message;
  return data == NULL || data->body == NULL ? (sc_bytes){0} : sc_bytes_text(data->body);
}

const sc_envelope *sc_message_envelope(const sc_message *message) {
  return &message->envelope;
}

const sc_message_pro *sc_message_pro_data(const sc_message *message) {
  return &message->pro;
}

const sc_sender *sc_message_sender(const sc_message *message) {
  return message->has_sender ? &message->sender : NULL;
}
