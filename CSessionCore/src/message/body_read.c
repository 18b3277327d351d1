#include "../base/utf8.h"
#include "fields.h"
#include "pro_data.h"
#include "session-core/crypto/keys.h"

/* The state of reading one body. */
typedef struct reading {
  sc_message_body *out;
  sc_arena *arena;
  sc_message_rule *broken;
} reading;

static sc_bytes borrow(ProtobufCBinaryData data) {
  return sc_bytes_make(data.data, data.len);
}

static sc_bytes borrow_text(const char *text) {
  return text == NULL ? (sc_bytes){0} : sc_bytes_text(text);
}

sc_bytes sc_received_name(sc_bytes name) {
  name = sc_utf8_trimmed(name);
  return sc_utf8_trimmed(sc_utf8_first_bytes(name, SC_MESSAGE_MAX_NAME_BYTES));
}

/* A time that is there: 0 is none. */
static sc_status read_time(uint64_t *out, const reading *of, uint64_t sent_ms) {
  *out = sent_ms;
  if (sent_ms == 0)
    return sc_judged(of->broken, SC_RULE_TIME_ZERO);
  return sent_ms <= INT64_MAX ? SC_OK : sc_judged(of->broken, SC_RULE_TIME_RANGE);
}

static sc_status read_target(sc_message_target *out, const reading *of, uint64_t sent_ms, const char *author,
                             sc_message_rule author_rule) {
  if (sc_id_parse(&out->author, sc_bytes_text(author)) != SC_OK)
    return sc_judged(of->broken, author_rule);
  return read_time(&out->sent_ms, of, sent_ms);
}

/* False if the file cannot be fetched. */
static bool read_attachment(sc_message_attachment *out, const Sc__AttachmentPointer *fields) {
  *out = (sc_message_attachment){
      .content_type = borrow_text(fields->content_type),
      .file_name = borrow_text(fields->file_name),
      .caption = borrow_text(fields->caption),
      .key = borrow(fields->key),
      .digest = borrow(fields->digest),
      .has_size = fields->has_size,
      .size = fields->size,
      .has_width = fields->has_width,
      .width = fields->width,
      .has_height = fields->has_height,
      .height = fields->height,
      .is_voice_message = (fields->flags & SC__ATTACHMENT_POINTER__FLAGS__VOICE_MESSAGE) != 0,
  };
  return sc_file_url_parse(&out->url, borrow_text(fields->url)) == SC_OK;
}

static sc_status read_attachments(sc_visible_body *out, const reading *of, const Sc__DataMessage *data) {
  if (data->n_attachments > SC_MESSAGE_MAX_ATTACHMENTS)
    return sc_judged(of->broken, SC_RULE_VISIBLE_ATTACHMENTS);
  if (data->n_attachments == 0)
    return SC_OK;
  sc_message_attachment *attachments = sc_arena_take(of->arena, data->n_attachments * sizeof *attachments);
  if (attachments == NULL)
    return SC_ERR_NO_MEMORY;
  for (size_t i = 0; i < data->n_attachments; i++)
    out->attachment_count += read_attachment(&attachments[out->attachment_count], data->attachments[i]);
  out->attachments = attachments;
  return SC_OK;
}

/* An invalid quote is left out; the message is kept. */
static sc_status read_quote(sc_visible_body *out, const reading *of, const Sc__Quote *quote) {
  if (quote == NULL || quote->id == 0)
    return SC_OK;
  if (sc_id_parse(&out->quote.author, sc_bytes_text(quote->author)) != SC_OK)
    return SC_OK;
  out->has_quote = true;
  return read_time(&out->quote.sent_ms, of, quote->id);
}

/* The first of several; none if it may not be shown with the text. */
static void read_preview(sc_visible_body *out, const Sc__DataMessage *data) {
  if (data->n_preview == 0)
    return;
  const Sc__Preview *fields = data->preview[0];
  sc_link_preview *preview = &out->preview;
  preview->url = sc_bytes_text(fields->url);
  preview->title = borrow_text(fields->title);
  preview->has_image = fields->image != NULL && read_attachment(&preview->image, fields->image);
  out->has_preview = sc_is_usable_preview(preview->url) && sc_text_contains(out->text, preview->url);
  if (!out->has_preview)
    *preview = (sc_link_preview){0};
}

static sc_status read_visible(const reading *of, const Sc__DataMessage *data) {
  sc_visible_body *visible = &of->out->of.visible;
  of->out->kind = SC_MESSAGE_VISIBLE;
  visible->text = sc_utf8_first_code_points(borrow_text(data->body), SC_PRO_MAX_CHARACTERS);
  sc_status status = read_attachments(visible, of, data);
  if (status == SC_OK)
    status = read_quote(visible, of, data->quote);
  read_preview(visible, data);
  if (data->open_group_invitation != NULL) {
    visible->has_invitation = true;
    visible->invitation_name = sc_bytes_text(data->open_group_invitation->name);
    visible->invitation_url = sc_bytes_text(data->open_group_invitation->url);
  }
  visible->says_requests_blocked = data->has_blocks_community_message_requests;
  visible->requests_blocked = data->blocks_community_message_requests;
  return status;
}

static sc_status read_reaction(const reading *of, const Sc__Reaction *fields) {
  sc_reaction_body *reaction = &of->out->of.reaction;
  of->out->kind = SC_MESSAGE_REACTION;
  reaction->emoji = borrow_text(fields->emoji);
  reaction->is_removal = fields->action == SC__REACTION__ACTION__REMOVE;
  return read_target(&reaction->target, of, fields->id, fields->author, SC_RULE_REACTION_AUTHOR);
}

/* A picture without a whole key, or an address it could be fetched from, counts as none. */
static void read_profile(const reading *of, const Sc__LokiProfile *fields, ProtobufCBinaryData key) {
  sc_message_profile *profile = &of->out->profile;
  of->out->has_profile = fields != NULL;
  if (fields == NULL)
    return;
  sc_bytes name = sc_received_name(borrow_text(fields->display_name));
  profile->name = name.len > 0 ? name : (sc_bytes){0};
  profile->updated_s = fields->last_update_seconds;
  profile->has_picture = key.len == SC_KEY_BYTES &&
                         sc_file_url_parse(&profile->picture, borrow_text(fields->profile_picture)) == SC_OK;
  if (profile->has_picture)
    profile->picture_key = borrow(key);
}

static sc_status read_sync_target(const reading *of, const char *text) {
  of->out->has_sync_target = text != NULL;
  if (text == NULL || sc_id_parse(&of->out->sync_target, sc_bytes_text(text)) == SC_OK)
    return SC_OK;
  return sc_judged(of->broken, SC_RULE_SYNC_TARGET);
}

static sc_status read_data_message(const reading *of, const Sc__DataMessage *data) {
  bool is_timer_update = data->flags == SC__DATA_MESSAGE__FLAGS__EXPIRATION_TIMER_UPDATE;
  if (data->flags != 0 && !is_timer_update)
    return sc_judged(of->broken, SC_RULE_DATA_FLAGS);
  sc_status status = SC_OK;
  if (is_timer_update)
    of->out->kind = SC_MESSAGE_TIMER_UPDATE;
  else if (data->reaction != NULL)
    status = read_reaction(of, data->reaction);
  else
    status = read_visible(of, data);
  read_profile(of, data->profile, data->profile_key);
  return status == SC_OK ? read_sync_target(of, data->sync_target) : status;
}

static sc_status read_group_update(const reading *of, const Sc__DataMessage *data) {
  if (data->sync_target != NULL)
    return sc_judged(of->broken, SC_RULE_SYNC_KIND);
  read_profile(of, data->profile, data->profile_key);
  sc_status status =
      sc_group_update_read(&of->out->of.group, of->arena, data->group_update_message, of->broken);
  of->out->kind = of->out->of.group.kind;
  return status;
}

static sc_status read_receipt(const reading *of, const Sc__ReceiptMessage *fields) {
  sc_receipt_body *receipt = &of->out->of.receipt;
  of->out->kind = SC_MESSAGE_READ_RECEIPT;
  if (fields->type != SC__RECEIPT_MESSAGE__TYPE__READ)
    return sc_judged(of->broken, SC_RULE_RECEIPT_TYPE);
  receipt->sent_ms = fields->timestamp;
  receipt->count =
      fields->n_timestamp < SC_MESSAGE_MAX_RECEIPTS ? fields->n_timestamp : SC_MESSAGE_MAX_RECEIPTS;
  return SC_OK;
}

static sc_status read_typing(const reading *of, const Sc__TypingMessage *fields) {
  sc_typing_body *typing = &of->out->of.typing;
  of->out->kind = SC_MESSAGE_TYPING;
  typing->is_typing = fields->action == SC__TYPING_MESSAGE__ACTION__STARTED;
  return read_time(&typing->sent_ms, of, fields->timestamp);
}

static sc_status read_extraction(const reading *of, const Sc__DataExtractionNotification *fields) {
  of->out->kind = SC_MESSAGE_DATA_EXTRACTION;
  if (fields->type != SC__DATA_EXTRACTION_NOTIFICATION__TYPE__MEDIA_SAVED)
    return sc_judged(of->broken, SC_RULE_EXTRACTION_TYPE);
  return fields->has_timestamp ? read_time(&of->out->of.saved_ms, of, fields->timestamp) : SC_OK;
}

static sc_status read_unsend(const reading *of, const Sc__UnsendRequest *fields) {
  of->out->kind = SC_MESSAGE_UNSEND;
  return read_target(&of->out->of.unsend, of, fields->timestamp, fields->author, SC_RULE_UNSEND_AUTHOR);
}

static sc_status read_response(const reading *of, const Sc__MessageRequestResponse *fields) {
  of->out->kind = SC_MESSAGE_REQUEST_RESPONSE;
  read_profile(of, fields->profile, fields->profile_key);
  return fields->is_approved ? SC_OK : sc_judged(of->broken, SC_RULE_RESPONSE_REFUSAL);
}

static sc_status read_candidates(sc_call_body *out, const reading *of, const Sc__CallMessage *fields) {
  if (fields->n_sdps != fields->n_sdp_m_line_indexes || fields->n_sdps != fields->n_sdp_mids)
    return sc_judged(of->broken, SC_RULE_CALL_CANDIDATES);
  if (fields->n_sdps == 0)
    return SC_OK;
  sc_call_candidate *candidates = sc_arena_take(of->arena, fields->n_sdps * sizeof *candidates);
  if (candidates == NULL)
    return SC_ERR_NO_MEMORY;
  for (size_t i = 0; i < fields->n_sdps; i++) {
    candidates[i] = (sc_call_candidate){
        .description = sc_bytes_text(fields->sdps[i]),
        .media_id = sc_bytes_text(fields->sdp_mids[i]),
        .line_index = fields->sdp_m_line_indexes[i],
    };
  }
  out->candidates = candidates;
  out->candidate_count = fields->n_sdps;
  return SC_OK;
}

static sc_status read_call(const reading *of, const Sc__CallMessage *fields) {
  sc_call_body *call = &of->out->of.call;
  call->id = sc_bytes_text(fields->uuid);
  if (fields->n_sdps > 0)
    call->description = sc_bytes_text(fields->sdps[0]);
  switch (fields->type) {
  case SC__CALL_MESSAGE__TYPE__OFFER:
    of->out->kind = SC_MESSAGE_CALL_OFFER;
    return SC_OK;
  case SC__CALL_MESSAGE__TYPE__ANSWER:
    of->out->kind = SC_MESSAGE_CALL_ANSWER;
    return SC_OK;
  case SC__CALL_MESSAGE__TYPE__PROVISIONAL_ANSWER:
    of->out->kind = SC_MESSAGE_CALL_PROVISIONAL_ANSWER;
    break;
  case SC__CALL_MESSAGE__TYPE__ICE_CANDIDATES:
    of->out->kind = SC_MESSAGE_CALL_CANDIDATES;
    call->description = (sc_bytes){0};
    return read_candidates(call, of, fields);
  case SC__CALL_MESSAGE__TYPE__END_CALL:
    of->out->kind = SC_MESSAGE_CALL_END;
    break;
  default:
    of->out->kind = SC_MESSAGE_CALL_PRE_OFFER;
  }
  call->description = (sc_bytes){0};
  return SC_OK;
}

static void read_legacy_config(const reading *of, const Sc__SharedConfigMessage *fields) {
  of->out->kind = SC_MESSAGE_LEGACY_CONFIG;
  of->out->of.legacy_config = (sc_legacy_config_body){
      .kind = (sc_legacy_config_kind)fields->kind,
      .sequence = fields->seqno,
      .data = borrow(fields->data),
  };
}

/* Of several bodies in one content, the first in the order in which all clients look for them. */
static sc_status read_kind(const reading *of, const Sc__Content *fields) {
  const Sc__DataMessage *data = fields->data_message;
  if (fields->receipt_message != NULL)
    return read_receipt(of, fields->receipt_message);
  if (fields->typing_message != NULL)
    return read_typing(of, fields->typing_message);
  if (data != NULL && data->group_update_message != NULL)
    return read_group_update(of, data);
  if (fields->data_extraction_notification != NULL)
    return read_extraction(of, fields->data_extraction_notification);
  if (data != NULL && data->flags == SC__DATA_MESSAGE__FLAGS__EXPIRATION_TIMER_UPDATE)
    return read_data_message(of, data);
  if (fields->unsend_request != NULL)
    return read_unsend(of, fields->unsend_request);
  if (fields->message_request_response != NULL)
    return read_response(of, fields->message_request_response);
  if (data != NULL)
    return read_data_message(of, data);
  if (fields->call_message != NULL)
    return read_call(of, fields->call_message);
  if (fields->shared_config_message == NULL)
    return sc_judged(of->broken, SC_RULE_CONTENT_EMPTY);
  read_legacy_config(of, fields->shared_config_message);
  return SC_OK;
}

static void read_timer(sc_message_timer *out, const Sc__Content *fields) {
  if (fields->expiration_timer == 0)
    return;
  out->seconds = fields->expiration_timer;
  switch (fields->expiration_type) {
  case SC__CONTENT__EXPIRATION_TYPE__DELETE_AFTER_READ:
    out->mode = SC_TIMER_AFTER_READ;
    break;
  case SC__CONTENT__EXPIRATION_TYPE__DELETE_AFTER_SEND:
    out->mode = SC_TIMER_AFTER_SEND;
    break;
  default:
    out->mode = SC_TIMER_UNSPECIFIED;
  }
}

static sc_status read_pro(const reading *of, const Sc__ProMessage *fields) {
  of->out->has_pro = true;
  sc_status status = sc_pro_data_read(&of->out->pro, fields);
  return status == SC_ERR_PRO_PROOF ? sc_judged(of->broken, SC_RULE_PRO_PROOF) : status;
}

sc_status sc_body_read(sc_message_body *out, sc_arena *arena, const Sc__Content *fields, bool with_pro,
                       sc_message_rule *broken) {
  const reading of = {.out = out, .arena = arena, .broken = broken};
  sc_status status = sc_judged(broken, SC_RULE_NONE);
  memset(out, 0, sizeof *out);
  if (fields->has_sig_timestamp)
    status = read_time(&out->sent_ms, &of, fields->sig_timestamp);
  if (status == SC_OK && with_pro && fields->pro_message != NULL)
    status = read_pro(&of, fields->pro_message);
  if (status == SC_OK)
    status = read_kind(&of, fields);
  if (status == SC_OK)
    read_timer(&out->timer, fields);
  return status == SC_OK ? sc_judged(broken, sc_message_body_check(out)) : status;
}
