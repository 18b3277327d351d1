/* group NETWORK-FILE PHRASE-FILE
 *
 * Prints the groups that invited an account, with their members and messages. It reads with the access in the
 * invitation, and stores nothing: for the group, the account has not accepted yet. */
#include <session-core/session-core.h>
#include <stdio.h>
#include <stdlib.h>

/* The namespaces of a group that are not those of a config. */
enum { NAMESPACE_MESSAGES = 11, NAMESPACE_KEYS = 12 };

enum { PAGE_MESSAGES = 100, MAX_PAGES = 1000 };

static const uint8_t no_pro_backend[32];

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
    stop_unless(sc_buffer_append(out, sc_bytes_make(piece, len)), path);
  fclose(file);
}

static void print_text(sc_bytes text) {
  printf("%.*s", (int)text.len, (const char *)text.ptr);
}

static void print_id(const sc_id *id) {
  char text[SC_ID_CHARS + 1];
  sc_id_format(text, id);
  printf("%s", text);
}

/* A node's reply to one request. */
typedef struct page {
  sc_buffer body;
  sc_storage_parsed_reply reply;
  struct page *previous;
} page;

/* The messages in one namespace of an account or group, oldest first; they borrow from the pages. */
typedef struct inbox {
  page *last;
  const sc_storage_message **messages;
  size_t count;
} inbox;

/* Fetches the page after the message with the hash `after`. */
static page *fetch_page(sc_network_host *host, const sc_id *owner, const sc_storage_signer *signer,
                        int32_t number, sc_bytes after) {
  sc_storage_request retrieve = {.method = SC_STORAGE_RETRIEVE,
                                 .of.retrieve = {.number = (int16_t)number,
                                                 .signed_at = sc_clock_wall_ms(),
                                                 .last_hash = after,
                                                 .max_count = PAGE_MESSAGES}};
  memcpy(retrieve.account, owner->bytes, sizeof retrieve.account);
  stop_unless(sc_storage_request_sign(&retrieve, NULL, signer), "signing");

  const sc_network_request request = {.to = SC_NETWORK_TO_SWARM, .storage = &retrieve};
  int code;
  page *page = calloc(1, sizeof *page);
  if (page == NULL)
    stop_unless(SC_ERR_NO_MEMORY, "asking");
  stop_unless(sc_network_host_request(&page->body, &code, host, &request), "asking");
  if (code != 200) {
    fprintf(stderr, "the node says no: %d %.*s\n", code, (int)page->body.len, (const char *)page->body.ptr);
    exit(EXIT_FAILURE);
  }
  stop_unless(sc_storage_reply_parse(&page->reply, NULL, &retrieve, sc_buffer_bytes(&page->body)),
              "reading the reply");
  return page;
}

/* Adds the messages of a page. A dropped one serves as a cursor only. */
static void inbox_add(inbox *inbox, page *page) {
  const sc_storage_messages *found = &page->reply.reply.of.messages;
  const size_t size = (inbox->count + found->count + 1) * sizeof *inbox->messages;
  const sc_storage_message **messages = realloc(inbox->messages, size);
  if (messages == NULL)
    stop_unless(SC_ERR_NO_MEMORY, "reading the reply");
  inbox->messages = messages;
  for (size_t i = 0; i < found->count; i++)
    if (!found->list[i].dropped)
      messages[inbox->count++] = &found->list[i];
  page->previous = inbox->last;
  inbox->last = page;
}

/* Fetches page after page. A node that never says that it is done is read up to a limit. */
static void fetch(inbox *out, sc_network_host *host, const sc_id *owner, const sc_storage_signer *signer,
                  int32_t number) {
  sc_bytes last = {0};
  bool more = true;
  *out = (inbox){0};
  for (int pages = 0; more && pages < MAX_PAGES; pages++) {
    page *page = fetch_page(host, owner, signer, number, last);
    const sc_storage_messages *found = &page->reply.reply.of.messages;
    inbox_add(out, page);
    more = found->more && found->count > 0;
    if (more)
      last = found->list[found->count - 1].hash;
  }
}

static void inbox_free(inbox *inbox) {
  while (inbox->last != NULL) {
    page *page = inbox->last;
    inbox->last = page->previous;
    sc_storage_parsed_reply_free(&page->reply);
    sc_buffer_free(&page->body);
    free(page);
  }
  free(inbox->messages);
}

/* Loads the keys of the group in the order in which the swarm stored them. */
static void load_keys(sc_group_keys *keys, const inbox *stored) {
  for (size_t i = 0; i < stored->count; i++) {
    const sc_storage_message *message = stored->messages[i];
    bool found;
    sc_status status = sc_group_keys_load(&found, keys, message->hash, message->data, message->timestamp,
                                          sc_clock_wall_ms());
    if (status != SC_OK)
      fprintf(stderr, "skipped a key message: %s\n", sc_status_text(status));
  }
}

/* Fetches the messages of a config, all at once, and merges them. */
static void load_config(sc_config *config, const sc_group_keys *keys, sc_network_host *host,
                        const sc_id *group, const sc_storage_signer *signer) {
  inbox inbox;
  sc_config_effect effect;
  stop_unless(sc_group_keys_hand_on(keys, config, false), "using the keys");
  fetch(&inbox, host, group, signer, sc_config_namespace(config));
  sc_config_incoming *incoming = calloc(inbox.count + 1, sizeof *incoming);
  if (incoming == NULL)
    stop_unless(SC_ERR_NO_MEMORY, "merging");
  for (size_t i = 0; i < inbox.count; i++)
    incoming[i] = (sc_config_incoming){.hash = inbox.messages[i]->hash, .stored = inbox.messages[i]->data};
  stop_unless(sc_config_merge(&effect, NULL, config, incoming, inbox.count, sc_clock_wall_ms()), "merging");
  free(incoming);
  inbox_free(&inbox);
}

static void print_members(const sc_group_members *members) {
  sc_group_member member;
  sc_id last;
  for (const sc_id *after = NULL; sc_group_members_next(&member, members, after) == SC_OK; after = &last) {
    printf("%s ", member.admin ? "admin" : "member");
    print_id(&member.id);
    printf(member.invite == SC_GROUP_ACCEPTED ? "\n" : ", invited\n");
    last = member.id;
  }
}

/* Prints a message with a text. Others are reactions, deletions and notices. */
static void print_message(const sc_id *group, const sc_group_keys *keys, const sc_id *reader,
                          sc_bytes stored) {
  const sc_group_key_list list = sc_group_keys_list(keys);
  sc_message *message;
  const sc_message_body *body;
  sc_status status =
      sc_decode_from_group(&message, NULL, group, list.keys, list.count, no_pro_backend, stored);
  if (status != SC_OK) {
    fprintf(stderr, "skipped a message: %s\n", sc_status_text(status));
    return;
  }
  const sc_id *sender = &sc_message_sender(message)->id;
  if (sc_message_body_of(&body, message, NULL) == SC_OK && body->kind == SC_MESSAGE_VISIBLE &&
      sc_message_body_check_received(body, SC_PLACE_GROUP, sender, reader,
                                     sc_message_envelope(message)->timestamp_ms) == SC_RULE_NONE) {
    print_text(body->of.visible.text);
    printf(", from ");
    print_id(sender);
    printf("\n");
  }
  sc_message_free(message);
}

static void print_group(sc_network_host *host, const sc_account *me, const sc_id *group, sc_bytes access) {
  const sc_storage_subaccount subaccount = {.me = &me->keys, .access = access};
  const sc_storage_signer signer = sc_storage_subaccount_signer(&subaccount);
  const sc_bytes no_dump = {0};
  inbox inbox;

  sc_group_keys *keys;
  stop_unless(sc_group_keys_new(&keys, NULL, &me->keys, group, NULL, no_dump), "preparing the keys");
  fetch(&inbox, host, group, &signer, NAMESPACE_KEYS);
  load_keys(keys, &inbox);
  inbox_free(&inbox);

  sc_group_info *info;
  stop_unless(sc_group_info_new(&info, NULL, group, NULL, no_dump), "preparing the info");
  load_config(sc_group_info_config(info), keys, host, group, &signer);
  printf("group ");
  print_id(group);
  printf(" ");
  print_text(sc_group_info_name(info));
  printf("\n");

  sc_group_members *members;
  stop_unless(sc_group_members_new(&members, NULL, group, NULL, no_dump), "preparing the members");
  load_config(sc_group_members_config(members), keys, host, group, &signer);
  print_members(members);

  fetch(&inbox, host, group, &signer, NAMESPACE_MESSAGES);
  for (size_t i = 0; i < inbox.count; i++)
    print_message(group, keys, &me->id, inbox.messages[i]->data);
  inbox_free(&inbox);

  sc_group_members_free(members);
  sc_group_info_free(info);
  sc_group_keys_free(keys);
}

/* Prints the group of an invitation. Verifying one checks that the group signed it for this account, and that
 * the access in it works. */
static void open_invitation(sc_network_host *host, const sc_account *me, sc_bytes stored) {
  sc_message *message;
  const sc_message_body *body;
  if (sc_decode_from_contact(&message, NULL, &me->keys.x, 1, no_pro_backend, stored) != SC_OK)
    return;
  if (sc_message_body_of(&body, message, NULL) == SC_OK && body->kind == SC_MESSAGE_GROUP_INVITE) {
    const sc_group_evidence evidence = {.place = SC_PLACE_CONTACT,
                                        .sender = &sc_message_sender(message)->id,
                                        .sent_ms = sc_message_envelope(message)->timestamp_ms};
    sc_verified_group_update verified;
    sc_status status = sc_group_update_verify(&verified, NULL, &body->of.group, &evidence, &me->keys, NULL);
    if (status == SC_OK)
      print_group(host, me, &verified.group, verified.update.of.invite.auth_data);
    else
      fprintf(stderr, "skipped an invitation: %s\n", sc_status_text(status));
  }
  sc_message_free(message);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: group NETWORK-FILE PHRASE-FILE\n");
    return EXIT_FAILURE;
  }
  stop_unless(sc_init(), "preparing");
  sc_buffer network = {0}, phrase = {0};
  sc_network_host *host;
  read_file(&network, argv[1]);
  read_file(&phrase, argv[2]);

  uint8_t seed[SC_SEED_BYTES];
  sc_account me;
  stop_unless(sc_phrase_to_seed(seed, sc_phrase_english(), sc_buffer_bytes(&phrase), NULL), argv[2]);
  sc_account_from_seed(&me, seed);
  sc_wipe(seed, sizeof seed);
  stop_unless(sc_network_host_open(&host, NULL, sc_buffer_bytes(&network), NULL), "entering the network");

  const sc_storage_signer signer = sc_storage_account_signer(&me.keys.ed);
  inbox inbox;
  fetch(&inbox, host, &me.id, &signer, 0);
  for (size_t i = 0; i < inbox.count; i++)
    open_invitation(host, &me, inbox.messages[i]->data);
  inbox_free(&inbox);

  sc_network_host_free(host);
  sc_buffer_free(&network);
  sc_buffer_free(&phrase);
  sc_account_wipe(&me);
  return EXIT_SUCCESS;
}
