/* Creates two accounts, writes a message from one to the other as it is stored for them, reads it again,
 * checks that its sender may have sent it, and prints it. */
#include <session-core/session-core.h>
#include <stdio.h>
#include <stdlib.h>

static void stop_unless(sc_status status, const char *what) {
  if (status == SC_OK)
    return;
  fprintf(stderr, "%s: %s\n", what, sc_status_text(status));
  exit(EXIT_FAILURE);
}

int main(void) {
  stop_unless(sc_init(), "preparing");

  sc_account alice, bob;
  sc_account_generate(&alice, NULL);
  sc_account_generate(&bob, NULL);

  const uint64_t sent_ms = 1750000000123;
  sc_buffer content = {0}, stored = {0};
  const sc_message_body hello = {
      .kind = SC_MESSAGE_VISIBLE, .sent_ms = sent_ms, .of.visible = {.text = sc_bytes_text("hello from C")}};
  stop_unless(sc_message_body_write(&content, &hello, NULL), "writing");
  stop_unless(
      sc_encode_for_contact(&stored, NULL, &alice.keys, &bob.id, sc_buffer_bytes(&content), sent_ms, NULL),
      "sending");

  static const uint8_t no_pro_backend[32];
  sc_message *message;
  stop_unless(
      sc_decode_from_contact(&message, NULL, &bob.keys.x, 1, no_pro_backend, sc_buffer_bytes(&stored)),
      "receiving");

  const sc_message_body *body;
  const sc_id *sender = &sc_message_sender(message)->id;
  stop_unless(sc_message_body_of(&body, message, NULL), "reading");
  sc_message_rule broken = sc_message_body_check_received(body, SC_PLACE_CONTACT, sender, &bob.id, sent_ms);
  if (broken != SC_RULE_NONE) {
    fprintf(stderr, "refused: %s\n", sc_message_rule_text(broken));
    return EXIT_FAILURE;
  }

  char from[SC_ID_CHARS + 1];
  sc_id_format(from, sender);
  const sc_bytes text = body->of.visible.text;
  printf("%.*s, from %s\n", (int)text.len, (const char *)text.ptr, from);

  sc_message_free(message);
  sc_buffer_free(&stored);
  sc_buffer_free(&content);
  sc_account_wipe(&alice);
  sc_account_wipe(&bob);
  return EXIT_SUCCESS;
}
