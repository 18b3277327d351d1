/* Creates two accounts, writes a message from one to the other as it is stored for them, reads it again, and
 * prints who wrote it. */
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
  char text[] = "hello from C";
  Sc__DataMessage data = SC__DATA_MESSAGE__INIT;
  Sc__Content fields = SC__CONTENT__INIT;
  data.body = text;
  fields.data_message = &data;
  fields.has_sig_timestamp = true;
  fields.sig_timestamp = sent_ms;

  sc_buffer content = {0}, stored = {0};
  stop_unless(sc_content_write(&content, &fields), "writing");
  stop_unless(
      sc_encode_for_contact(&stored, NULL, &alice.keys, &bob.id, sc_buffer_bytes(&content), sent_ms, NULL),
      "sending");

  static const uint8_t no_pro_backend[32];
  sc_message *message;
  stop_unless(
      sc_decode_from_contact(&message, NULL, &bob.keys.x, 1, no_pro_backend, sc_buffer_bytes(&stored)),
      "receiving");

  char from[SC_ID_CHARS + 1];
  sc_id_format(from, &sc_message_sender(message)->id);
  printf("%s, from %s\n", sc_message_fields(message)->data_message->body, from);

  sc_message_free(message);
  sc_buffer_free(&stored);
  sc_buffer_free(&content);
  sc_account_wipe(&alice);
  sc_account_wipe(&bob);
  return EXIT_SUCCESS;
}
