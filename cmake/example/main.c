/* Creates an account and a message sealed for it, opens the message again, and prints who wrote it. */
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

  sc_buffer sealed = {0};
  sc_bytes to_bob = SC_BYTES(bob.id.bytes);
  stop_unless(sc_seal(&sealed, NULL, &alice.keys, to_bob, sc_bytes_text("hello from C")), "sealing");

  sc_buffer opened = {0};
  sc_sender sender;
  stop_unless(sc_seal_open(&opened, &sender, &bob.keys.x, sc_buffer_bytes(&sealed)), "opening");

  char from[SC_ID_CHARS + 1];
  sc_id_format(from, &sender.id);
  printf("%.*s, from %s\n", (int)opened.len, (const char *)opened.ptr, from);

  sc_buffer_free(&opened);
  sc_buffer_free(&sealed);
  sc_account_wipe(&alice);
  sc_account_wipe(&bob);
  return EXIT_SUCCESS;
}
