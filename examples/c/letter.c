/* letter NETWORK-FILE
 *
 * Makes two accounts. One stores a message for the other in a private network; the other fetches it, decrypts
 * it and prints it. `session devnet up` runs such a network on this machine and names its file. */
#include <session-core/session-core.h>
#include <stdio.h>
#include <stdlib.h>

static const uint64_t day_ms = 24 * 60 * 60 * 1000;

static void stop_unless(sc_status status, const char *what) {
  if (status == SC_OK)
    return;
  fprintf(stderr, "%s: %s\n", what, sc_status_text(status));
  exit(EXIT_FAILURE);
}

static void read_file(sc_buffer *out, const char *path) {
  FILE *file = fopen(path, "rb");
  uint8_t piece[4096];
  size_t len;
  if (file == NULL) {
    perror(path);
    exit(EXIT_FAILURE);
  }
  while ((len = fread(piece, 1, sizeof piece, file)) > 0)
    stop_unless(sc_buffer_append(out, sc_bytes_make(piece, len)), "reading the network file");
  fclose(file);
}

/* Asks the nodes that keep an account's messages, over an onion path, and waits for their reply. */
static void ask(sc_storage_parsed_reply *out, sc_network_host *host, const sc_storage_request *request) {
  const sc_network_request over_the_network = {.to = SC_NETWORK_TO_SWARM, .storage = request};
  static sc_buffer body; /* that the reply borrows */
  int code;
  stop_unless(sc_network_host_request(&body, &code, host, &over_the_network), "asking");
  if (code != 200) {
    fprintf(stderr, "the node says no: %d %.*s\n", code, (int)body.len, (const char *)body.ptr);
    exit(EXIT_FAILURE);
  }
  stop_unless(sc_storage_reply_parse(out, NULL, request, sc_buffer_bytes(&body)), "reading the reply");
}

static void send_message(sc_network_host *host, const sc_account *from, const sc_id *to, const char *text) {
  uint64_t now = sc_clock_wall_ms();
  sc_buffer content = {0}, sealed = {0};
  stop_unless(sc_content_write_text(&content, sc_bytes_text(text), now), "writing");
  stop_unless(sc_encode_for_contact(&sealed, NULL, &from->keys, to, sc_buffer_bytes(&content), now, NULL),
              "encrypting");

  /* Anyone may store a message in an inbox, which is namespace 0, so the request is not signed. */
  sc_storage_request store = {
      .method = SC_STORAGE_STORE,
      .of.store = {.timestamp = now, .expiry = now + 14 * day_ms, .data = sc_buffer_bytes(&sealed)}};
  memcpy(store.account, to->bytes, sizeof store.account);
  sc_storage_parsed_reply reply;
  ask(&reply, host, &store);

  /* Each node that keeps the message has signed for it. */
  sc_storage_tally tally;
  stop_unless(sc_storage_reply_verify(&tally, NULL, &store, &reply.reply, NULL), "checking the nodes");
  printf("stored by %zu of %zu nodes\n", tally.succeeded, tally.members);
  sc_storage_parsed_reply_free(&reply);
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
}

static void print_message(const sc_account *me, sc_bytes stored) {
  static const uint8_t no_pro_backend[32];
  sc_message *message;
  stop_unless(sc_decode_from_contact(&message, NULL, &me->keys.x, 1, no_pro_backend, stored), "decrypting");
  char from[SC_ID_CHARS + 1];
  sc_id_format(from, &sc_message_sender(message)->id);
  const sc_bytes text = sc_message_text(message);
  printf("%.*s, from %s\n", (int)text.len, (const char *)text.ptr, from);
  sc_message_free(message);
}

static void fetch_messages(sc_network_host *host, const sc_account *me) {
  sc_storage_request retrieve = {.method = SC_STORAGE_RETRIEVE, .of.retrieve.signed_at = sc_clock_wall_ms()};
  memcpy(retrieve.account, me->id.bytes, sizeof retrieve.account);
  const sc_storage_signer signer = sc_storage_account_signer(&me->keys.ed);
  stop_unless(sc_storage_request_sign(&retrieve, NULL, &signer), "signing");
  sc_storage_parsed_reply reply;
  ask(&reply, host, &retrieve);
  for (size_t i = 0; i < reply.reply.of.messages.count; i++)
    print_message(me, reply.reply.of.messages.list[i].data);
  sc_storage_parsed_reply_free(&reply);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: letter NETWORK-FILE\n");
    return EXIT_FAILURE;
  }
  stop_unless(sc_init(), "preparing");
  sc_buffer network = {0};
  sc_network_host *host;
  read_file(&network, argv[1]);
  stop_unless(sc_network_host_open(&host, NULL, sc_buffer_bytes(&network), NULL), "entering the network");

  sc_account alice, bob;
  sc_account_generate(&alice, NULL);
  sc_account_generate(&bob, NULL);
  send_message(host, &alice, &bob.id, "hello from C");
  fetch_messages(host, &bob);

  sc_network_host_free(host);
  sc_buffer_free(&network);
  sc_account_wipe(&alice);
  sc_account_wipe(&bob);
  return EXIT_SUCCESS;
}
