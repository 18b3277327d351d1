#include "topics.h"

static void same_rule(known_case *c, sc_message_rule rule) {
  known_same_text(c, "rule", sc_bytes_text(sc_message_rule_id(rule)));
}

static void compare_visible(known_case *c, const sc_message_body *body) {
  const sc_visible_body *visible = &body->of.visible;
  size_t characters = 0;
  if (known_has(c, "text"))
    known_same_text(c, "text", visible->text);
  if (known_has(c, "characters") && sc_code_points(&characters, visible->text) == SC_OK)
    known_same_integer(c, "characters", (int64_t)characters);
  if (known_has(c, "attachments"))
    known_same_integer(c, "attachments", (int64_t)visible->attachment_count);
  if (known_has(c, "preview"))
    known_same_text(c, "preview", visible->has_preview ? visible->preview.url : sc_bytes_text(""));
  if (known_has(c, "name"))
    known_same_text(c, "name", body->profile.name);
}

static void compare_body(known_case *c, const sc_message_body *body) {
  known_same_text(c, "message_kind", sc_bytes_text(sc_message_kind_name(body->kind)));
  if (body->kind == SC_MESSAGE_VISIBLE)
    compare_visible(c, body);
  if (known_has(c, "receipts"))
    known_same_integer(c, "receipts", (int64_t)body->of.receipt.count);
}

/* The case's content and its body; `*body` stays NULL if a rule is broken. */
static sc_status read_content(sc_content **content, const sc_message_body **body, sc_message_rule *rule,
                              known_case *c) {
  *body = NULL;
  sc_status status = sc_content_parse(content, known_env(c), known_hex(c, "content"));
  if (status == SC_OK)
    status = sc_content_body(body, *content, rule);
  return status == SC_ERR_MESSAGE_RULE ? SC_OK : status;
}

/* A body that was read is written, and read again as the same kind. */
static sc_status write_again(known_case *c, const sc_message_body *body) {
  sc_buffer *bytes = known_buffer(c);
  sc_content *content = NULL;
  const sc_message_body *again = NULL;
  sc_status status = sc_message_body_write(bytes, body, NULL);
  if (status == SC_OK)
    status = sc_content_parse(&content, known_env(c), sc_buffer_bytes(bytes));
  if (status == SC_OK)
    status = sc_content_body(&again, content, NULL);
  if (status == SC_OK)
    compare_body(c, again);
  sc_content_free(content);
  return status;
}

static sc_status read_case(known_case *c) {
  sc_content *content;
  const sc_message_body *body;
  sc_message_rule rule = SC_RULE_NONE;
  sc_status status = read_content(&content, &body, &rule, c);
  if (status == SC_OK)
    same_rule(c, rule);
  if (body != NULL) {
    compare_body(c, body);
    status = write_again(c, body);
  }
  sc_content_free(content);
  return status;
}

static sc_message_place place_of(known_case *c) {
  static const struct {
    const char *name;
    sc_message_place place;
  } places[] = {
      {"contact", SC_PLACE_CONTACT}, {"own devices", SC_PLACE_OWN_DEVICES},
      {"group", SC_PLACE_GROUP},     {"community", SC_PLACE_COMMUNITY},
      {"inbox", SC_PLACE_INBOX},
  };
  sc_bytes name = known_text(c, "place");
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    if (sc_bytes_same(name, sc_bytes_text(places[i].name)))
      return places[i].place;
  }
  known_differs(c, "unknown place");
  return SC_PLACE_CONTACT;
}

static sc_status receive(known_case *c) {
  sc_content *content;
  const sc_message_body *body;
  sc_message_rule rule;
  sc_id sender, reader;
  sc_status status = read_content(&content, &body, &rule, c);
  if (status == SC_OK)
    status = sc_id_parse(&sender, known_text(c, "sender"));
  if (status == SC_OK)
    status = sc_id_parse(&reader, known_text(c, "reader"));
  if (status == SC_OK && body != NULL)
    same_rule(
        c, sc_message_body_check_received(body, place_of(c), &sender, &reader, known_unsigned(c, "sent_ms")));
  sc_content_free(content);
  return body == NULL ? SC_ERR_MESSAGE_RULE : status;
}

static sc_status send_case(known_case *c) {
  sc_content *content;
  const sc_message_body *body;
  sc_message_rule rule;
  sc_status status = read_content(&content, &body, &rule, c);
  if (body != NULL)
    same_rule(c, sc_message_body_check_sending(body, place_of(c), NULL));
  sc_content_free(content);
  return body == NULL ? SC_ERR_MESSAGE_RULE : status;
}

static sc_status file_url(known_case *c) {
  sc_file_url url;
  sc_buffer *text = known_buffer(c);
  sc_status status = sc_file_url_parse(&url, known_text(c, "url"));
  if (status == SC_OK)
    status = sc_file_url_write(text, &url);
  if (status == SC_OK)
    known_same_text(c, "canonical", sc_buffer_bytes(text));
  return status;
}

TOPIC(message_rules, {"read", read_case}, {"receive", receive}, {"send", send_case}, {"file_url", file_url});
