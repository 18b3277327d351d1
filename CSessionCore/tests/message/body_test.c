/* Every kind of message is written and read again as it was; what breaks a rule is refused both ways. The
 * known answers in vectors/data/message_rules.json say the rest. */
#include <stdio.h>

#include "cast.h"
#include "support/test.h"

typedef struct scene {
  cast cast;
  sc_message_body body;
  sc_message_attachment attachment;
  sc_call_candidate candidate;
  sc_id members[2];
  sc_bytes hash;
  uint64_t times[2];
  uint8_t secret[100];
  sc_buffer bytes;
  sc_content *content;
  const sc_message_body *again;
  sc_message_rule broken;
} scene;

static sc_status scene_begin(scene *s, const sc_env *env) {
  memset(s, 0, sizeof *s);
  memset(s->secret, 0x5e, sizeof s->secret);
  sc_buffer_init(&s->bytes, env);
  sc_status status = cast_init(&s->cast);
  s->body.sent_ms = CAST_SENT_MS;
  s->members[0] = s->cast.alice_id;
  s->members[1] = s->cast.bob_id;
  s->hash = sc_bytes_text("a-hash");
  s->times[0] = 5;
  s->times[1] = CAST_SENT_MS;
  return status;
}

static void scene_end(scene *s) {
  sc_content_free(s->content);
  sc_buffer_free(&s->bytes);
}

/* Writes the scene's body and reads it again. */
static sc_status repeat(scene *s) {
  sc_content_free(s->content);
  s->content = NULL;
  s->again = NULL;
  sc_status status = sc_message_body_write(&s->bytes, &s->body, &s->broken);
  if (status == SC_OK)
    status = sc_content_parse(&s->content, s->bytes.env, sc_buffer_bytes(&s->bytes));
  if (status == SC_OK)
    status = sc_content_body(&s->again, s->content, &s->broken);
  return status;
}

static sc_bytes secret(const scene *s, size_t len) {
  return sc_bytes_make(s->secret, len);
}

static bool is_text(sc_bytes actual, const char *expected) {
  return sc_bytes_same(actual, sc_bytes_text(expected));
}

static sc_file_url file_url(void) {
  sc_file_url url;
  const char *text = "https://files.example.org:8443/room/lobby/file/12#d";
  return sc_file_url_parse(&url, sc_bytes_text(text)) == SC_OK ? url : (sc_file_url){0};
}

static void fill_visible(scene *s) {
  s->attachment = (sc_message_attachment){
      .url = file_url(),
      .content_type = sc_bytes_text("image/png"),
      .file_name = sc_bytes_text("a.png"),
      .caption = sc_bytes_text("a picture"),
      .key = secret(s, 32),
      .has_size = true,
      .size = 7,
      .has_width = true,
      .width = 8,
      .has_height = true,
      .height = 9,
      .is_voice_message = true,
  };
  s->body.kind = SC_MESSAGE_VISIBLE;
  s->body.of.visible = (sc_visible_body){
      .text = sc_bytes_text("see https://example.org"),
      .attachments = &s->attachment,
      .attachment_count = 1,
      .has_quote = true,
      .quote = {.sent_ms = 5, .author = s->cast.bob_id},
      .has_preview = true,
      .preview = {.url = sc_bytes_text("https://example.org"), .title = sc_bytes_text("Example")},
      .has_invitation = true,
      .invitation_name = sc_bytes_text("Lobby"),
      .invitation_url = sc_bytes_text("https://example.org/lobby"),
      .says_requests_blocked = true,
      .requests_blocked = true,
  };
}

static void fill_profile(scene *s) {
  s->body.has_profile = true;
  s->body.profile = (sc_message_profile){
      .name = sc_bytes_text(" Alice "),
      .has_picture = true,
      .picture = file_url(),
      .picture_key = secret(s, 32),
      .updated_s = 3,
  };
}

static void a_visible_message_keeps_everything(sc_test *t) {
  scene s;
  OK(scene_begin(&s, t->env));
  fill_visible(&s);
  fill_profile(&s);
  s.body.timer = (sc_message_timer){SC_TIMER_AFTER_SEND, 60};
  s.body.has_sync_target = true;
  s.body.sync_target = s.cast.bob_id;
  OK(repeat(&s));
  const sc_visible_body *visible = &s.again->of.visible;
  CHECK(s.again->kind == SC_MESSAGE_VISIBLE && s.again->sent_ms == CAST_SENT_MS);
  CHECK(s.again->timer.mode == SC_TIMER_AFTER_SEND && s.again->timer.seconds == 60);
  CHECK(is_text(visible->text, "see https://example.org") && visible->attachment_count == 1);
  const sc_message_attachment *attachment = &visible->attachments[0];
  CHECK(is_text(attachment->url.room, "lobby") && is_text(attachment->url.file_id, "12"));
  CHECK(attachment->url.port == 8443 && attachment->url.is_stream && attachment->is_voice_message);
  CHECK(is_text(attachment->content_type, "image/png") && is_text(attachment->caption, "a picture"));
  CHECK(attachment->size == 7 && attachment->width == 8 && attachment->height == 9);
  SAME(secret(&s, 32), attachment->key);
  CHECK(visible->has_quote && visible->quote.sent_ms == 5);
  CHECK(is_text(visible->preview.title, "Example") && !visible->preview.has_image);
  CHECK(is_text(visible->invitation_name, "Lobby") && visible->requests_blocked);
  CHECK(is_text(s.again->profile.name, "Alice") && s.again->profile.updated_s == 3);
  SAME(secret(&s, 32), s.again->profile.picture_key);
  CHECK(s.again->has_sync_target && memcmp(&s.again->sync_target, &s.cast.bob_id, sizeof s.cast.bob_id) == 0);
done:
  scene_end(&s);
}

/* Fills in one body of each kind. */
static void fill(scene *s, sc_message_kind kind) {
  sc_message_body *body = &s->body;
  memset(&body->of, 0, sizeof body->of);
  body->kind = kind;
  body->of.group.kind = kind;
  switch (kind) {
  case SC_MESSAGE_VISIBLE:
    memset(&body->of, 0, sizeof body->of);
    body->of.visible.text = sc_bytes_text("hello");
    break;
  case SC_MESSAGE_REACTION:
    body->of.reaction = (sc_reaction_body){{5, s->cast.bob_id}, sc_bytes_text("\xf0\x9f\x98\x80"), true};
    break;
  case SC_MESSAGE_READ_RECEIPT:
    body->of.receipt = (sc_receipt_body){s->times, 2};
    break;
  case SC_MESSAGE_TYPING:
    body->of.typing = (sc_typing_body){true, CAST_SENT_MS};
    break;
  case SC_MESSAGE_UNSEND:
    body->of.unsend = (sc_message_target){5, s->cast.bob_id};
    break;
  case SC_MESSAGE_DATA_EXTRACTION:
    body->of.saved_ms = 5;
    break;
  case SC_MESSAGE_CALL_PRE_OFFER:
  case SC_MESSAGE_CALL_OFFER:
  case SC_MESSAGE_CALL_ANSWER:
  case SC_MESSAGE_CALL_PROVISIONAL_ANSWER:
  case SC_MESSAGE_CALL_CANDIDATES:
  case SC_MESSAGE_CALL_END:
    s->candidate = (sc_call_candidate){sc_bytes_text("c"), sc_bytes_text("audio"), 1};
    memset(&body->of, 0, sizeof body->of);
    body->of.call = (sc_call_body){sc_bytes_text("a-call"), sc_bytes_text("sdp"), &s->candidate, 1};
    break;
  case SC_MESSAGE_GROUP_INVITE:
    body->of.group.of.invite = (sc_group_invite){s->cast.group, sc_bytes_text("Friends"), secret(s, 100)};
    break;
  case SC_MESSAGE_GROUP_PROMOTION:
    body->of.group.of.promotion = (sc_group_promotion){secret(s, 32), sc_bytes_text("Friends")};
    break;
  case SC_MESSAGE_GROUP_INFO_CHANGE:
    body->of.group.of.info = (sc_group_info_change){SC_GROUP_INFO_DISAPPEARING, {0}, 60};
    break;
  case SC_MESSAGE_GROUP_MEMBER_CHANGE:
    body->of.group.of.members = (sc_group_member_change){SC_GROUP_MEMBERS_REMOVED, s->members, 2, true};
    break;
  case SC_MESSAGE_GROUP_CONTENT_DELETION:
    body->of.group.of.deletion = (sc_group_deletion){s->members, 2, &s->hash, 1};
    break;
  case SC_MESSAGE_LEGACY_CONFIG:
    memset(&body->of, 0, sizeof body->of);
    body->of.legacy_config = (sc_legacy_config_body){SC_LEGACY_CONFIG_GROUPS, -2, sc_bytes_text("data")};
    break;
  default:
    break;
  }
  if (sc_group_update_is_signed(kind))
    body->of.group.signature = secret(s, 64);
}

static bool same_content(scene *s, sc_bytes first) {
  sc_buffer second;
  sc_buffer_init(&second, s->bytes.env);
  bool same = sc_message_body_write(&second, s->again, NULL) == SC_OK &&
              sc_bytes_same(first, sc_buffer_bytes(&second));
  sc_buffer_free(&second);
  return same;
}

static void every_kind_is_read_as_it_was_written(sc_test *t) {
  scene s;
  OK(scene_begin(&s, t->env));
  for (int kind = 0; kind < SC_MESSAGE_KINDS; kind++) {
    fill(&s, (sc_message_kind)kind);
    OK(repeat(&s));
    CHECK(s.again->kind == (sc_message_kind)kind && s.broken == SC_RULE_NONE);
    if (!t->torture)
      CHECK(same_content(&s, sc_buffer_bytes(&s.bytes)));
  }
done:
  scene_end(&s);
}

static void each_part_of_a_group_update_is_kept(sc_test *t) {
  scene s;
  OK(scene_begin(&s, t->env));
  fill(&s, SC_MESSAGE_GROUP_INVITE);
  OK(repeat(&s));
  CHECK(is_text(s.again->of.group.of.invite.name, "Friends"));
  SAME(secret(&s, 100), s.again->of.group.of.invite.auth_data);
  fill(&s, SC_MESSAGE_GROUP_MEMBER_CHANGE);
  OK(repeat(&s));
  const sc_group_member_change *change = &s.again->of.group.of.members;
  CHECK(change->what == SC_GROUP_MEMBERS_REMOVED && change->member_count == 2 && change->is_history_shared);
  SAME(SC_BYTES(s.members[1].bytes), SC_BYTES(change->members[1].bytes));
  fill(&s, SC_MESSAGE_GROUP_CONTENT_DELETION);
  OK(repeat(&s));
  CHECK(is_text(s.again->of.group.of.deletion.hashes[0], "a-hash"));
  SAME(secret(&s, 64), s.again->of.group.signature);
  fill(&s, SC_MESSAGE_GROUP_INFO_CHANGE);
  OK(repeat(&s));
  CHECK(s.again->of.group.of.info.disappearing_s == 60);
done:
  scene_end(&s);
}

static void a_text_is_valid_utf8(sc_test *t) {
  scene s;
  OK(scene_begin(&s, t->env));
  fill(&s, SC_MESSAGE_VISIBLE);
  s.body.of.visible.text = sc_bytes_text("h\xffi");
  FAILS(SC_ERR_MESSAGE_RULE, sc_message_body_write(&s.bytes, &s.body, &s.broken));
  CHECK(s.broken == SC_RULE_TEXT_ENCODING && s.bytes.len == 0);
  s.body.of.visible.text = sc_bytes_make("h\0i", 3);
  OK(repeat(&s));
  CHECK(is_text(s.again->of.visible.text, "hi"));
  fill(&s, SC_MESSAGE_CALL_END);
  s.body.of.call.id = sc_bytes_text("\xff");
  FAILS(SC_ERR_MESSAGE_RULE, sc_message_body_write(&s.bytes, &s.body, &s.broken));
  CHECK(s.broken == SC_RULE_TEXT_ENCODING);
done:
  scene_end(&s);
}

static void a_message_that_breaks_a_rule_is_not_written(sc_test *t) {
  scene s;
  OK(scene_begin(&s, t->env));
  fill(&s, SC_MESSAGE_GROUP_INFO_CHANGE);
  s.body.of.group.signature = (sc_bytes){0};
  FAILS(SC_ERR_MESSAGE_RULE, sc_message_body_write(&s.bytes, &s.body, &s.broken));
  CHECK(s.broken == SC_RULE_GROUP_SIGNATURE_MISSING);
  fill(&s, SC_MESSAGE_VISIBLE);
  s.body.timer = (sc_message_timer){SC_TIMER_AFTER_READ, 0};
  CHECK(sc_message_body_check(&s.body) == SC_RULE_TIMER_ZERO);
  s.body.timer = (sc_message_timer){SC_TIMER_OFF, 0};
  s.body.of.visible.has_preview = true;
  s.body.of.visible.preview.url = sc_bytes_text("https://example.org");
  CHECK(sc_message_body_check(&s.body) == SC_RULE_VISIBLE_PREVIEW);
  fill(&s, SC_MESSAGE_VISIBLE);
  s.body.of.visible.attachments = &s.attachment;
  s.body.of.visible.attachment_count = 1;
  CHECK(sc_message_body_check(&s.body) == SC_RULE_FILE_URL);
  fill_profile(&s);
  s.body.profile.picture_key = secret(&s, 31);
  s.body.of.visible.attachment_count = 0;
  CHECK(sc_message_body_check(&s.body) == SC_RULE_PROFILE_PICTURE_KEY);
  s.body.has_profile = false;
  s.body.sent_ms = UINT64_MAX;
  CHECK(sc_message_body_check(&s.body) == SC_RULE_TIME_RANGE);
done:
  scene_end(&s);
}

static void pro_data_goes_with_the_key_of_its_proof(sc_test *t) {
  scene s;
  OK(scene_begin(&s, t->env));
  fill(&s, SC_MESSAGE_VISIBLE);
  CHECK(sc_message_body_check_sending(&s.body, SC_PLACE_CONTACT, &s.cast.rotating) == SC_RULE_PRO_KEY);
  s.body.has_pro = true;
  s.body.pro.has_proof = true;
  s.body.pro.proof.generation = SC_PRO_GENERATION_B;
  memcpy(s.body.pro.proof.rotating_key, s.cast.rotating.public_key, sizeof s.cast.rotating.public_key);
  CHECK(sc_message_body_check_sending(&s.body, SC_PLACE_CONTACT, NULL) == SC_RULE_PRO_KEY);
  CHECK(sc_message_body_check_sending(&s.body, SC_PLACE_CONTACT, &s.cast.backend) == SC_RULE_PRO_KEY);
  CHECK(sc_message_body_check_sending(&s.body, SC_PLACE_CONTACT, &s.cast.rotating) == SC_RULE_NONE);
  s.body.pro.message_features = SC_PRO_MESSAGE_10K;
  OK(repeat(&s));
  CHECK(s.again->pro.has_proof && s.again->pro.message_features == SC_PRO_MESSAGE_10K);
done:
  scene_end(&s);
}

static void a_copy_for_own_devices_names_its_conversation(sc_test *t) {
  scene s;
  OK(scene_begin(&s, t->env));
  fill(&s, SC_MESSAGE_VISIBLE);
  fill_profile(&s);
  CHECK(sc_message_body_copy_for_own_devices(&s.body, &s.cast.bob_id));
  CHECK(s.body.has_sync_target && !s.body.has_profile);
  CHECK(sc_message_body_check_sending(&s.body, SC_PLACE_OWN_DEVICES, NULL) == SC_RULE_NONE);
  CHECK(sc_message_body_check_sending(&s.body, SC_PLACE_CONTACT, NULL) == SC_RULE_SYNC_DESTINATION);
  fill(&s, SC_MESSAGE_READ_RECEIPT);
  CHECK(!sc_message_body_copy_for_own_devices(&s.body, &s.cast.bob_id));
done:
  scene_end(&s);
}

static void mentions_are_found_in_a_text(sc_test *t) {
  scene s;
  char alice[SC_ID_CHARS + 1], text[300];
  sc_id id;
  sc_bytes place;
  OK(scene_begin(&s, t->env));
  sc_id_format(alice, &s.cast.alice_id);
  int len = snprintf(text, sizeof text, "@ a@b @@%s, not @%.65s, and @%s", alice, alice, alice);
  sc_bytes rest = sc_bytes_make(text, (size_t)len);
  CHECK(sc_message_next_mention(&id, &place, &rest));
  CHECK((const char *)place.ptr == text + 7 && place.len == 67);
  SAME(SC_BYTES(s.cast.alice_id.bytes), SC_BYTES(id.bytes));
  CHECK(sc_message_next_mention(&id, &place, &rest));
  CHECK((const char *)place.ptr + place.len == text + len);
  CHECK(!sc_message_next_mention(&id, &place, &rest));
done:
  scene_end(&s);
}

static void text_without_pro_is_cut_between_characters(sc_test *t) {
  sc_buffer text;
  sc_buffer_init(&text, t->env);
  for (int i = 0; i < SC_PRO_STANDARD_CHARACTERS + 5; i++)
    OK(sc_buffer_append(&text, sc_bytes_text("\xc3\xa9")));
  CHECK(sc_message_shown_text(sc_buffer_bytes(&text), false).len == 2 * SC_PRO_STANDARD_CHARACTERS);
  CHECK(sc_message_shown_text(sc_buffer_bytes(&text), true).len == text.len);
done:
  sc_buffer_free(&text);
}

SUITE(message_body, "message/body",
      {"a visible message keeps everything it says", a_visible_message_keeps_everything},
      {"every kind is read as it was written", every_kind_is_read_as_it_was_written},
      {"each part of a group update is kept", each_part_of_a_group_update_is_kept},
      {"texts are valid UTF-8", a_text_is_valid_utf8},
      {"a message that breaks a rule is not written", a_message_that_breaks_a_rule_is_not_written},
      {"Pro data goes with the key of its proof", pro_data_goes_with_the_key_of_its_proof},
      {"a copy for own devices names its conversation", a_copy_for_own_devices_names_its_conversation},
      {"mentions are found in a text", mentions_are_found_in_a_text},
      {"text without Pro is cut between characters", text_without_pro_is_cut_between_characters});
