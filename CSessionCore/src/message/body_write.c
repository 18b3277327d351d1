#include "../base/utf8.h"
#include "fields.h"

/* protobuf-c takes pointers that it does not write through as writable ones. */
static ProtobufCBinaryData lent(sc_bytes bytes) {
  return (ProtobufCBinaryData){.data = (uint8_t *)(uintptr_t)bytes.ptr, .len = bytes.len};
}

sc_status sc_field_text(char **out, sc_arena *arena, sc_bytes text) {
  *out = NULL;
  if (text.ptr == NULL)
    return SC_OK;
  if (!sc_utf8_is_valid(text))
    return SC_ERR_UTF8;
  char *copy = sc_arena_take(arena, text.len + 1);
  if (copy == NULL)
    return SC_ERR_NO_MEMORY;
  size_t len = 0;
  for (size_t i = 0; i < text.len; i++) {
    if (text.ptr[i] != 0)
      copy[len++] = (char)text.ptr[i];
  }
  copy[len] = 0;
  *out = copy;
  return SC_OK;
}

/* A text that the schema requires: empty where it is absent. */
static sc_status required_text(char **out, sc_arena *arena, sc_bytes text) {
  return sc_field_text(out, arena, text.ptr == NULL ? sc_bytes_make("", 0) : text);
}

static sc_status id_text(char **out, sc_arena *arena, const sc_id *id) {
  *out = sc_arena_take(arena, SC_ID_CHARS + 1);
  if (*out == NULL)
    return SC_ERR_NO_MEMORY;
  sc_id_format(*out, id);
  return SC_OK;
}

static sc_status url_text(char **out, sc_arena *arena, const sc_file_url *url) {
  sc_buffer text;
  sc_buffer_init(&text, arena->env);
  sc_status status = sc_file_url_write(&text, url);
  if (status == SC_OK)
    status = sc_field_text(out, arena, sc_buffer_bytes(&text));
  sc_buffer_free(&text);
  return status;
}

/* Prepares a message of the schema in the arena as `name`, or returns. */
#define TAKE_FIELDS(type, name, init)                                                                        \
  type *name = sc_arena_take(arena, sizeof *(name));                                                         \
  if ((name) == NULL)                                                                                        \
    return SC_ERR_NO_MEMORY;                                                                                 \
  init(name)

static sc_status write_profile(Sc__LokiProfile **out, sc_arena *arena, const sc_message_profile *profile) {
  TAKE_FIELDS(Sc__LokiProfile, fields, sc__loki_profile__init);
  *out = fields;
  fields->has_last_update_seconds = profile->updated_s > 0;
  fields->last_update_seconds = profile->updated_s;
  sc_bytes name = sc_utf8_trimmed(profile->name);
  sc_status status = name.len > 0 ? sc_field_text(&fields->display_name, arena, name) : SC_OK;
  if (status == SC_OK && profile->has_picture)
    status = url_text(&fields->profile_picture, arena, &profile->picture);
  return status;
}

/* A data message with the fields that several kinds share. */
static sc_status write_frame(Sc__DataMessage **out, sc_arena *arena, const sc_message_body *body) {
  TAKE_FIELDS(Sc__DataMessage, fields, sc__data_message__init);
  *out = fields;
  fields->has_timestamp = body->sent_ms != 0; /* some clients still read it here */
  fields->timestamp = body->sent_ms;
  sc_status status = SC_OK;
  if (body->has_profile) {
    status = write_profile(&fields->profile, arena, &body->profile);
    fields->has_profile_key = body->profile.has_picture;
    if (body->profile.has_picture)
      fields->profile_key = lent(body->profile.picture_key);
  }
  if (status == SC_OK && body->has_sync_target)
    status = id_text(&fields->sync_target, arena, &body->sync_target);
  return status;
}

static sc_status write_attachment(Sc__AttachmentPointer **out, sc_arena *arena,
                                  const sc_message_attachment *attachment) {
  TAKE_FIELDS(Sc__AttachmentPointer, fields, sc__attachment_pointer__init);
  *out = fields;
  fields->id = sc_file_url_number(&attachment->url);
  fields->has_key = attachment->key.len > 0;
  fields->key = lent(attachment->key);
  fields->has_digest = attachment->digest.len > 0;
  fields->digest = lent(attachment->digest);
  fields->has_size = attachment->has_size;
  fields->size = attachment->size;
  fields->has_width = attachment->has_width;
  fields->width = attachment->width;
  fields->has_height = attachment->has_height;
  fields->height = attachment->height;
  fields->has_flags = attachment->is_voice_message;
  fields->flags = attachment->is_voice_message ? SC__ATTACHMENT_POINTER__FLAGS__VOICE_MESSAGE : 0;
  sc_status status = url_text(&fields->url, arena, &attachment->url);
  if (status == SC_OK)
    status = sc_field_text(&fields->content_type, arena, attachment->content_type);
  if (status == SC_OK)
    status = sc_field_text(&fields->file_name, arena, attachment->file_name);
  if (status == SC_OK)
    status = sc_field_text(&fields->caption, arena, attachment->caption);
  return status;
}

static sc_status write_attachments(Sc__DataMessage *data, sc_arena *arena, const sc_visible_body *visible) {
  if (visible->attachment_count == 0)
    return SC_OK;
  data->attachments = sc_arena_take(arena, visible->attachment_count * sizeof(Sc__AttachmentPointer *));
  if (data->attachments == NULL)
    return SC_ERR_NO_MEMORY;
  sc_status status = SC_OK;
  for (size_t i = 0; status == SC_OK && i < visible->attachment_count; i++) {
    status = write_attachment(&data->attachments[i], arena, &visible->attachments[i]);
    data->n_attachments = i + 1;
  }
  return status;
}

static sc_status write_quote(Sc__DataMessage *data, sc_arena *arena, const sc_message_target *quote) {
  TAKE_FIELDS(Sc__Quote, fields, sc__quote__init);
  data->quote = fields;
  fields->id = quote->sent_ms;
  return id_text(&fields->author, arena, &quote->author);
}

static sc_status write_preview(Sc__DataMessage *data, sc_arena *arena, const sc_link_preview *preview) {
  TAKE_FIELDS(Sc__Preview, fields, sc__preview__init);
  data->preview = sc_arena_take(arena, sizeof(Sc__Preview *));
  if (data->preview == NULL)
    return SC_ERR_NO_MEMORY;
  data->preview[0] = fields;
  data->n_preview = 1;
  sc_status status = required_text(&fields->url, arena, preview->url);
  if (status == SC_OK)
    status = sc_field_text(&fields->title, arena, preview->title);
  if (status == SC_OK && preview->has_image)
    status = write_attachment(&fields->image, arena, &preview->image);
  return status;
}

static sc_status write_invitation(Sc__DataMessage *data, sc_arena *arena, const sc_visible_body *visible) {
  TAKE_FIELDS(Sc__OpenGroupInvitation, fields, sc__open_group_invitation__init);
  data->open_group_invitation = fields;
  sc_status status = required_text(&fields->name, arena, visible->invitation_name);
  return status == SC_OK ? required_text(&fields->url, arena, visible->invitation_url) : status;
}

static sc_status write_visible(Sc__DataMessage *data, sc_arena *arena, const sc_visible_body *visible) {
  data->has_blocks_community_message_requests = visible->says_requests_blocked;
  data->blocks_community_message_requests = visible->requests_blocked;
  sc_status status = visible->text.len > 0 ? sc_field_text(&data->body, arena, visible->text) : SC_OK;
  if (status == SC_OK)
    status = write_attachments(data, arena, visible);
  if (status == SC_OK && visible->has_quote)
    status = write_quote(data, arena, &visible->quote);
  if (status == SC_OK && visible->has_preview)
    status = write_preview(data, arena, &visible->preview);
  if (status == SC_OK && visible->has_invitation)
    status = write_invitation(data, arena, visible);
  return status;
}

static sc_status write_reaction(Sc__DataMessage *data, sc_arena *arena, const sc_reaction_body *reaction) {
  TAKE_FIELDS(Sc__Reaction, fields, sc__reaction__init);
  data->reaction = fields;
  fields->id = reaction->target.sent_ms;
  fields->action = reaction->is_removal ? SC__REACTION__ACTION__REMOVE : SC__REACTION__ACTION__REACT;
  sc_status status = id_text(&fields->author, arena, &reaction->target.author);
  return status == SC_OK ? sc_field_text(&fields->emoji, arena, reaction->emoji) : status;
}

static sc_status write_data_message(Sc__Content *out, sc_arena *arena, const sc_message_body *body) {
  sc_status status = write_frame(&out->data_message, arena, body);
  if (status != SC_OK)
    return status;
  Sc__DataMessage *data = out->data_message;
  switch (body->kind) {
  case SC_MESSAGE_VISIBLE:
    return write_visible(data, arena, &body->of.visible);
  case SC_MESSAGE_REACTION:
    return write_reaction(data, arena, &body->of.reaction);
  case SC_MESSAGE_TIMER_UPDATE:
    data->has_flags = true;
    data->flags = SC__DATA_MESSAGE__FLAGS__EXPIRATION_TIMER_UPDATE;
    return SC_OK;
  default:
    return sc_group_update_fields(&data->group_update_message, arena, &body->of.group);
  }
}

static sc_status write_receipt(Sc__Content *out, sc_arena *arena, const sc_receipt_body *receipt) {
  TAKE_FIELDS(Sc__ReceiptMessage, fields, sc__receipt_message__init);
  out->receipt_message = fields;
  fields->type = SC__RECEIPT_MESSAGE__TYPE__READ;
  fields->n_timestamp = receipt->count;
  fields->timestamp = (uint64_t *)(uintptr_t)receipt->sent_ms;
  return SC_OK;
}

static sc_status write_typing(Sc__Content *out, sc_arena *arena, const sc_typing_body *typing) {
  TAKE_FIELDS(Sc__TypingMessage, fields, sc__typing_message__init);
  out->typing_message = fields;
  fields->timestamp = typing->sent_ms;
  fields->action =
      typing->is_typing ? SC__TYPING_MESSAGE__ACTION__STARTED : SC__TYPING_MESSAGE__ACTION__STOPPED;
  return SC_OK;
}

static sc_status write_unsend(Sc__Content *out, sc_arena *arena, const sc_message_target *target) {
  TAKE_FIELDS(Sc__UnsendRequest, fields, sc__unsend_request__init);
  out->unsend_request = fields;
  fields->timestamp = target->sent_ms;
  return id_text(&fields->author, arena, &target->author);
}

static sc_status write_extraction(Sc__Content *out, sc_arena *arena, uint64_t saved_ms) {
  TAKE_FIELDS(Sc__DataExtractionNotification, fields, sc__data_extraction_notification__init);
  out->data_extraction_notification = fields;
  fields->type = SC__DATA_EXTRACTION_NOTIFICATION__TYPE__MEDIA_SAVED;
  fields->has_timestamp = saved_ms != 0;
  fields->timestamp = saved_ms;
  return SC_OK;
}

static sc_status write_response(Sc__Content *out, sc_arena *arena, const sc_message_body *body) {
  TAKE_FIELDS(Sc__MessageRequestResponse, fields, sc__message_request_response__init);
  out->message_request_response = fields;
  fields->is_approved = true;
  if (!body->has_profile)
    return SC_OK;
  fields->has_profile_key = body->profile.has_picture;
  if (body->profile.has_picture)
    fields->profile_key = lent(body->profile.picture_key);
  return write_profile(&fields->profile, arena, &body->profile);
}

static sc_status write_candidates(Sc__CallMessage *fields, sc_arena *arena, const sc_call_body *call) {
  size_t count = call->candidate_count;
  if (count == 0)
    return SC_OK;
  fields->sdps = sc_arena_take(arena, count * sizeof(char *));
  fields->sdp_mids = sc_arena_take(arena, count * sizeof(char *));
  fields->sdp_m_line_indexes = sc_arena_take(arena, count * sizeof(uint32_t));
  if (fields->sdps == NULL || fields->sdp_mids == NULL || fields->sdp_m_line_indexes == NULL)
    return SC_ERR_NO_MEMORY;
  fields->n_sdps = fields->n_sdp_mids = fields->n_sdp_m_line_indexes = count;
  sc_status status = SC_OK;
  for (size_t i = 0; status == SC_OK && i < count; i++) {
    fields->sdp_m_line_indexes[i] = call->candidates[i].line_index;
    status = required_text(&fields->sdps[i], arena, call->candidates[i].description);
    if (status == SC_OK)
      status = required_text(&fields->sdp_mids[i], arena, call->candidates[i].media_id);
  }
  return status;
}

static sc_status write_description(Sc__CallMessage *fields, sc_arena *arena, sc_bytes description) {
  fields->sdps = sc_arena_take(arena, sizeof(char *));
  if (fields->sdps == NULL)
    return SC_ERR_NO_MEMORY;
  fields->n_sdps = 1;
  return required_text(&fields->sdps[0], arena, description);
}

static sc_status write_call(Sc__Content *out, sc_arena *arena, const sc_message_body *body) {
  TAKE_FIELDS(Sc__CallMessage, fields, sc__call_message__init);
  const sc_call_body *call = &body->of.call;
  out->call_message = fields;
  sc_status status = required_text(&fields->uuid, arena, call->id);
  if (status != SC_OK)
    return status;
  switch (body->kind) {
  case SC_MESSAGE_CALL_OFFER:
    fields->type = SC__CALL_MESSAGE__TYPE__OFFER;
    return write_description(fields, arena, call->description);
  case SC_MESSAGE_CALL_ANSWER:
    fields->type = SC__CALL_MESSAGE__TYPE__ANSWER;
    return write_description(fields, arena, call->description);
  case SC_MESSAGE_CALL_CANDIDATES:
    fields->type = SC__CALL_MESSAGE__TYPE__ICE_CANDIDATES;
    return write_candidates(fields, arena, call);
  case SC_MESSAGE_CALL_PROVISIONAL_ANSWER:
    fields->type = SC__CALL_MESSAGE__TYPE__PROVISIONAL_ANSWER;
    return SC_OK;
  case SC_MESSAGE_CALL_END:
    fields->type = SC__CALL_MESSAGE__TYPE__END_CALL;
    return SC_OK;
  default:
    fields->type = SC__CALL_MESSAGE__TYPE__PRE_OFFER;
    return SC_OK;
  }
}

static sc_status write_legacy_config(Sc__Content *out, sc_arena *arena, const sc_legacy_config_body *config) {
  TAKE_FIELDS(Sc__SharedConfigMessage, fields, sc__shared_config_message__init);
  out->shared_config_message = fields;
  fields->kind = (Sc__SharedConfigMessage__Kind)config->kind;
  fields->seqno = config->sequence;
  fields->data = lent(config->data);
  return SC_OK;
}

static sc_status write_kind(Sc__Content *out, sc_arena *arena, const sc_message_body *body) {
  switch (body->kind) {
  case SC_MESSAGE_READ_RECEIPT:
    return write_receipt(out, arena, &body->of.receipt);
  case SC_MESSAGE_TYPING:
    return write_typing(out, arena, &body->of.typing);
  case SC_MESSAGE_UNSEND:
    return write_unsend(out, arena, &body->of.unsend);
  case SC_MESSAGE_DATA_EXTRACTION:
    return write_extraction(out, arena, body->of.saved_ms);
  case SC_MESSAGE_REQUEST_RESPONSE:
    return write_response(out, arena, body);
  case SC_MESSAGE_CALL_PRE_OFFER:
  case SC_MESSAGE_CALL_OFFER:
  case SC_MESSAGE_CALL_ANSWER:
  case SC_MESSAGE_CALL_PROVISIONAL_ANSWER:
  case SC_MESSAGE_CALL_CANDIDATES:
  case SC_MESSAGE_CALL_END:
    return write_call(out, arena, body);
  case SC_MESSAGE_LEGACY_CONFIG:
    return write_legacy_config(out, arena, &body->of.legacy_config);
  default:
    return write_data_message(out, arena, body);
  }
}

static void write_timer(Sc__Content *out, sc_message_timer timer) {
  static const Sc__Content__ExpirationType types[] = {
      [SC_TIMER_AFTER_READ] = SC__CONTENT__EXPIRATION_TYPE__DELETE_AFTER_READ,
      [SC_TIMER_AFTER_SEND] = SC__CONTENT__EXPIRATION_TYPE__DELETE_AFTER_SEND,
      [SC_TIMER_UNSPECIFIED] = SC__CONTENT__EXPIRATION_TYPE__UNKNOWN,
  };
  if (timer.mode == SC_TIMER_OFF)
    return;
  out->has_expiration_type = true;
  out->expiration_type = types[timer.mode];
  out->has_expiration_timer = true;
  out->expiration_timer = timer.seconds;
}

static sc_status write_proof(Sc__ProMessage *out, sc_arena *arena, const sc_pro_proof *proof) {
  TAKE_FIELDS(Sc__ProProof, fields, sc__pro_proof__init);
  out->proof = fields;
  fields->has_version = proof->generation == SC_PRO_GENERATION_A;
  fields->version = proof->version;
  fields->has_revocation_tag = true;
  fields->revocation_tag = lent(SC_BYTES(proof->tag));
  fields->has_rotating_public_key = true;
  fields->rotating_public_key = lent(SC_BYTES(proof->rotating_key));
  fields->has_expiry_unix_ts = true;
  fields->expiry_unix_ts = proof->expiry;
  fields->has_sig = true;
  fields->sig = lent(SC_BYTES(proof->signature));
  return SC_OK;
}

static sc_status write_pro(Sc__Content *out, sc_arena *arena, const sc_message_pro *pro) {
  TAKE_FIELDS(Sc__ProMessage, fields, sc__pro_message__init);
  out->pro_message = fields;
  fields->has_profile_bitset = pro->profile_features != 0;
  fields->profile_bitset = pro->profile_features;
  fields->has_msg_bitset = pro->message_features != 0;
  fields->msg_bitset = pro->message_features;
  return pro->has_proof ? write_proof(fields, arena, &pro->proof) : SC_OK;
}

static sc_status write_content(sc_buffer *out, sc_arena *arena, const sc_message_body *body) {
  Sc__Content fields = SC__CONTENT__INIT;
  fields.has_sig_timestamp = body->sent_ms != 0;
  fields.sig_timestamp = body->sent_ms;
  write_timer(&fields, body->timer);
  sc_status status = write_kind(&fields, arena, body);
  if (status == SC_OK && body->has_pro)
    status = write_pro(&fields, arena, &body->pro);
  return status == SC_OK ? sc_content_write(out, &fields) : status;
}

sc_status sc_message_body_write(sc_buffer *out, const sc_message_body *body, sc_message_rule *broken) {
  sc_arena arena;
  sc_buffer_clear(out);
  sc_status status = sc_judged(broken, sc_message_body_check(body));
  if (status != SC_OK)
    return status;
  sc_arena_init(&arena, out->env, 0);
  status = write_content(out, &arena, body);
  sc_arena_free(&arena);
  return status == SC_ERR_UTF8 ? sc_judged(broken, SC_RULE_TEXT_ENCODING) : status;
}
