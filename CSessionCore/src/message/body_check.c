#include "../base/text.h"
#include "../base/utf8.h"
#include "emoji.h"
#include "fields.h"

bool sc_is_usable_name(sc_bytes name) {
  name = sc_utf8_trimmed(name);
  return name.len > 0 && name.len <= SC_MESSAGE_MAX_NAME_BYTES;
}

bool sc_is_usable_preview(sc_bytes url) {
  static const char scheme[] = "https://";
  uint32_t code_point;
  if (url.len < sizeof scheme - 1)
    return false;
  for (size_t i = 0; i < sizeof scheme - 1; i++) {
    if (sc_ascii_lower(url.ptr[i]) != (uint8_t)scheme[i])
      return false;
  }
  while (url.len > 0 && sc_utf8_next(&code_point, &url)) {
    if (sc_utf8_is_space(code_point))
      return false;
  }
  return url.len == 0;
}

bool sc_text_contains(sc_bytes text, sc_bytes part) {
  for (; text.len >= part.len; text = sc_bytes_make(text.ptr + 1, text.len - 1)) {
    if (sc_bytes_same(sc_bytes_make(text.ptr, part.len), part))
      return true;
    if (text.len == 0)
      break;
  }
  return false;
}

/* NUL counts as white space here: it is left out of texts. */
static bool is_blank(sc_bytes text) {
  uint32_t code_point;
  while (text.len > 0 && sc_utf8_next(&code_point, &text)) {
    if (code_point != 0 && !sc_utf8_is_space(code_point))
      return false;
  }
  return true;
}

static sc_message_rule check_time(uint64_t sent_ms) {
  if (sent_ms == 0)
    return SC_RULE_TIME_ZERO;
  return sent_ms <= INT64_MAX ? SC_RULE_NONE : SC_RULE_TIME_RANGE;
}

static bool have_possible_urls(const sc_visible_body *visible) {
  for (size_t i = 0; i < visible->attachment_count; i++) {
    if (!sc_file_url_is_possible(&visible->attachments[i].url))
      return false;
  }
  return true;
}

sc_message_rule sc_link_preview_check(const sc_link_preview *preview) {
  if (!sc_is_usable_preview(preview->url))
    return SC_RULE_PREVIEW_URL;
  bool is_shown = !preview->has_image || sc_file_url_is_possible(&preview->image.url);
  return is_shown ? SC_RULE_NONE : SC_RULE_FILE_URL;
}

static sc_message_rule check_preview(const sc_link_preview *preview, sc_bytes text) {
  sc_message_rule rule = sc_link_preview_check(preview);
  if (rule != SC_RULE_NONE)
    return rule;
  return sc_text_contains(text, preview->url) ? SC_RULE_NONE : SC_RULE_VISIBLE_PREVIEW;
}

static sc_message_rule check_visible(const sc_visible_body *visible) {
  size_t code_points;
  if (visible->attachment_count == 0 && !visible->has_invitation && is_blank(visible->text))
    return SC_RULE_VISIBLE_EMPTY;
  if (sc_code_points(&code_points, visible->text) != SC_OK)
    return SC_RULE_TEXT_ENCODING;
  if (code_points > SC_PRO_MAX_CHARACTERS)
    return SC_RULE_VISIBLE_LENGTH;
  if (visible->attachment_count > SC_MESSAGE_MAX_ATTACHMENTS)
    return SC_RULE_VISIBLE_ATTACHMENTS;
  if (!have_possible_urls(visible))
    return SC_RULE_FILE_URL;
  sc_message_rule rule =
      visible->has_preview ? check_preview(&visible->preview, visible->text) : SC_RULE_NONE;
  if (rule == SC_RULE_NONE && visible->has_quote)
    rule = check_time(visible->quote.sent_ms);
  return rule;
}

static sc_message_rule check_reaction(const sc_reaction_body *reaction) {
  if (!sc_is_one_emoji(reaction->emoji))
    return SC_RULE_REACTION_EMOJI;
  return check_time(reaction->target.sent_ms);
}

static sc_message_rule check_receipt(const sc_receipt_body *receipt) {
  if (receipt->count == 0)
    return SC_RULE_RECEIPT_EMPTY;
  if (receipt->count > SC_MESSAGE_MAX_RECEIPTS)
    return SC_RULE_RECEIPT_LENGTH;
  for (size_t i = 0; i < receipt->count; i++) {
    sc_message_rule rule = check_time(receipt->sent_ms[i]);
    if (rule != SC_RULE_NONE)
      return rule;
  }
  return SC_RULE_NONE;
}

static sc_message_rule check_typing(const sc_typing_body *typing, uint64_t sent_ms) {
  if (sent_ms != 0 && typing->sent_ms != sent_ms)
    return SC_RULE_TYPING_TIME;
  return check_time(typing->sent_ms);
}

static sc_message_rule check_call(const sc_call_body *call, bool describes) {
  if (call->id.len == 0)
    return SC_RULE_CALL_ID;
  return describes && call->description.len == 0 ? SC_RULE_CALL_DESCRIPTION : SC_RULE_NONE;
}

static sc_message_rule check_group_update(const sc_message_body *body) {
  if (body->has_sync_target)
    return SC_RULE_SYNC_KIND;
  sc_message_rule rule = sc_group_update_check(&body->of.group);
  return rule == SC_RULE_NONE ? sc_group_signature_check(&body->of.group) : rule;
}

static sc_message_rule check_kind(const sc_message_body *body) {
  switch (body->kind) {
  case SC_MESSAGE_VISIBLE:
    return check_visible(&body->of.visible);
  case SC_MESSAGE_REACTION:
    return check_reaction(&body->of.reaction);
  case SC_MESSAGE_READ_RECEIPT:
    return check_receipt(&body->of.receipt);
  case SC_MESSAGE_TYPING:
    return check_typing(&body->of.typing, body->sent_ms);
  case SC_MESSAGE_UNSEND:
    return check_time(body->of.unsend.sent_ms);
  case SC_MESSAGE_DATA_EXTRACTION:
    return body->of.saved_ms <= INT64_MAX ? SC_RULE_NONE : SC_RULE_TIME_RANGE;
  case SC_MESSAGE_CALL_OFFER:
  case SC_MESSAGE_CALL_ANSWER:
    return check_call(&body->of.call, true);
  case SC_MESSAGE_CALL_PRE_OFFER:
  case SC_MESSAGE_CALL_PROVISIONAL_ANSWER:
  case SC_MESSAGE_CALL_CANDIDATES:
  case SC_MESSAGE_CALL_END:
    return check_call(&body->of.call, false);
  case SC_MESSAGE_GROUP_INVITE:
  case SC_MESSAGE_GROUP_PROMOTION:
  case SC_MESSAGE_GROUP_INFO_CHANGE:
  case SC_MESSAGE_GROUP_MEMBER_CHANGE:
  case SC_MESSAGE_GROUP_MEMBER_LEFT:
  case SC_MESSAGE_GROUP_MEMBER_LEFT_NOTIFICATION:
  case SC_MESSAGE_GROUP_INVITE_RESPONSE:
  case SC_MESSAGE_GROUP_CONTENT_DELETION:
    return check_group_update(body);
  case SC_MESSAGE_TIMER_UPDATE:
  case SC_MESSAGE_REQUEST_RESPONSE:
  case SC_MESSAGE_LEGACY_CONFIG:
    break;
  }
  return SC_RULE_NONE;
}

sc_message_rule sc_message_profile_check(const sc_message_profile *profile) {
  bool is_named = profile->name.ptr == NULL || sc_is_usable_name(profile->name);
  if (!is_named)
    return SC_RULE_PROFILE_NAME;
  if (profile->has_picture && profile->picture_key.len != SC_KEY_BYTES)
    return SC_RULE_PROFILE_PICTURE_KEY;
  bool is_shown = !profile->has_picture || sc_file_url_is_possible(&profile->picture);
  return is_shown ? SC_RULE_NONE : SC_RULE_FILE_URL;
}

sc_message_rule sc_message_body_check(const sc_message_body *body) {
  if (body->sent_ms > INT64_MAX)
    return SC_RULE_TIME_RANGE;
  if ((body->timer.mode == SC_TIMER_OFF) != (body->timer.seconds == 0))
    return SC_RULE_TIMER_ZERO;
  sc_message_rule rule = check_kind(body);
  if (rule == SC_RULE_NONE && body->has_profile)
    rule = sc_message_profile_check(&body->profile);
  return rule;
}

/* Pro data goes with the key that its proof names, and the other way round. */
static bool has_key_of_its_proof(const sc_message_body *body, const sc_ed25519_pair *pro) {
  if (pro == NULL)
    return !body->has_pro;
  return body->has_pro && body->pro.has_proof &&
         memcmp(body->pro.proof.rotating_key, pro->public_key, sizeof pro->public_key) == 0;
}

static bool may_be_this_long(const sc_message_body *body) {
  size_t code_points = 0;
  bool has_long_texts = body->has_pro && (body->pro.message_features & SC_PRO_MESSAGE_10K) != 0;
  if (body->kind != SC_MESSAGE_VISIBLE || has_long_texts)
    return true;
  return sc_code_points(&code_points, body->of.visible.text) == SC_OK &&
         code_points <= SC_PRO_STANDARD_CHARACTERS;
}

sc_message_rule sc_message_body_check_sending(const sc_message_body *body, sc_message_place to,
                                              const sc_ed25519_pair *pro) {
  const sc_message_traits *traits = sc_message_traits_of(body->kind);
  bool is_copy = to == SC_PLACE_OWN_DEVICES && traits != NULL && traits->is_synced;
  if (to != SC_PLACE_OWN_DEVICES && body->has_sync_target)
    return SC_RULE_SYNC_DESTINATION;
  if (traits == NULL || ((traits->destinations & (unsigned)to) == 0 && !is_copy))
    return SC_RULE_DESTINATION;
  if (!has_key_of_its_proof(body, pro))
    return SC_RULE_PRO_KEY;
  return may_be_this_long(body) ? SC_RULE_NONE : SC_RULE_PRO_LENGTH;
}

/* Old clients sent their configs as messages, to their own account. */
static bool is_found_in(const sc_message_traits *traits, sc_message_place place) {
  bool is_own = place == SC_PLACE_CONTACT && traits->destinations == 0;
  return is_own || (traits->destinations & (unsigned)place) != 0;
}

static bool same_id(const sc_id *a, const sc_id *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

sc_message_rule sc_message_body_check_received(const sc_message_body *body, sc_message_place place,
                                               const sc_id *sender, const sc_id *reader, uint64_t sent_ms) {
  const sc_message_traits *traits = sc_message_traits_of(body->kind);
  if (traits == NULL || !is_found_in(traits, place))
    return SC_RULE_PLACE;
  bool is_own = same_id(sender, reader);
  if (is_own && !traits->is_valid_from_self)
    return SC_RULE_OWN_MESSAGE;
  if (!is_own && (body->has_sync_target || body->kind == SC_MESSAGE_LEGACY_CONFIG))
    return SC_RULE_SYNC_SENDER;
  if (body->kind == SC_MESSAGE_TYPING && body->of.typing.sent_ms != sent_ms)
    return SC_RULE_TYPING_TIME;
  if (body->kind == SC_MESSAGE_UNSEND && !same_id(&body->of.unsend.author, sender))
    return SC_RULE_UNSEND_SENDER;
  return SC_RULE_NONE;
}

bool sc_message_body_copy_for_own_devices(sc_message_body *body, const sc_id *conversation) {
  const sc_message_traits *traits = sc_message_traits_of(body->kind);
  if (traits == NULL || !traits->is_synced)
    return false;
  bool names_conversation = body->kind == SC_MESSAGE_VISIBLE || body->kind == SC_MESSAGE_REACTION ||
                            body->kind == SC_MESSAGE_TIMER_UPDATE;
  if (names_conversation) {
    body->has_profile = false;
    body->has_sync_target = true;
    body->sync_target = *conversation;
  }
  return true;
}

sc_bytes sc_message_name(sc_bytes name) {
  return sc_utf8_trimmed(name);
}

sc_bytes sc_message_shown_text(sc_bytes text, bool is_whole) {
  return is_whole ? text : sc_utf8_first_code_points(text, SC_PRO_STANDARD_CHARACTERS);
}

bool sc_message_next_mention(sc_id *out, sc_bytes *place, sc_bytes *rest) {
  enum { mention_chars = 1 + SC_ID_CHARS };
  while (rest->len >= mention_chars) {
    const uint8_t *sign = memchr(rest->ptr, '@', rest->len - SC_ID_CHARS);
    if (sign == NULL)
      break;
    size_t before = (size_t)(sign - rest->ptr);
    *rest = sc_bytes_make(sign + 1, rest->len - before - 1);
    if (sc_id_parse(out, sc_bytes_make(rest->ptr, SC_ID_CHARS)) != SC_OK)
      continue;
    *place = sc_bytes_make(sign, mention_chars);
    *rest = sc_bytes_make(rest->ptr + SC_ID_CHARS, rest->len - SC_ID_CHARS);
    return true;
  }
  return false;
}
