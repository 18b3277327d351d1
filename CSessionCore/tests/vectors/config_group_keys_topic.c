/* Stories about groups. What members have beside their keys (the group's info, and who is in it) is followed
 * only as far as the keys are concerned: who is in a group is a list of ids, and what others have encrypted
 * must open with the keys that are at hand. */
#include "story.h"
#include "topics.h"

enum { most_clients = 16, most_members = 128, most_snapshots = 16 };

typedef struct roster {
  sc_id ids[most_members];
  size_t count;
} roster;

typedef struct client {
  sc_bytes name;
  sc_group_keys *keys;
  sc_keypair user;
  roster roster;
  bool has_merged[2]; /* info, members */
} client;

/* Who was in the group when this was written. */
typedef struct snapshot {
  sc_bytes label;
  roster roster;
} snapshot;

typedef struct group_story {
  sc_id group_id;
  const uint8_t *group_seed;
  client clients[most_clients];
  size_t client_count;
  snapshot snapshots[most_snapshots];
  size_t snapshot_count;
} group_story;

static client *find_client(group_story *s, known_case *c) {
  sc_bytes name = known_text(c, "client");
  for (size_t i = 0; i < s->client_count; i++)
    if (sc_bytes_same(s->clients[i].name, name))
      return &s->clients[i];
  return NULL;
}

/* The client of a step, who must be there. */
static client *acting(group_story *s, known_case *c) {
  client *found = find_client(s, c);
  if (found == NULL || found->keys == NULL) {
    known_differs(c, "nobody of this name is there");
    return NULL;
  }
  return found;
}

static void remember_roster(group_story *s, known_case *c, const roster *roster) {
  if (!known_has(c, "label"))
    return;
  if (s->snapshot_count == most_snapshots) {
    known_differs(c, "more labels than there is room for");
    return;
  }
  s->snapshots[s->snapshot_count++] = (snapshot){known_text(c, "label"), *roster};
}

static void take_roster(client *into, const group_story *s, sc_bytes label) {
  for (size_t i = 0; i < s->snapshot_count; i++)
    if (sc_bytes_same(s->snapshots[i].label, label))
      into->roster = s->snapshots[i].roster;
}

static size_t place_in(const roster *roster, const sc_id *id) {
  size_t at = 0;
  while (at < roster->count && memcmp(roster->ids[at].bytes, id->bytes, SC_ID_BYTES) < 0)
    at++;
  return at;
}

static bool is_in(const roster *roster, const sc_id *id) {
  size_t at = place_in(roster, id);
  return at < roster->count && memcmp(roster->ids[at].bytes, id->bytes, SC_ID_BYTES) == 0;
}

/* The reference asks for more dumps than there are changes. */
static void same_need_of_dump(known_case *c, const client *client) {
  const sc_json *after;
  bool recorded;
  if (sc_json_member(&after, c->json, "after") != SC_OK ||
      sc_json_member_bool(&recorded, after, "keys_needs_dump") != SC_OK)
    return;
  if (sc_group_keys_needs_dump(client->keys) && !recorded)
    known_differs(c, "a dump is needed, recorded is otherwise");
}

static sc_status ended(known_case *c, const client *client, sc_status status) {
  story_results(c);
  same_need_of_dump(c, client);
  return status;
}

/* An empty dump is none for our function, and refused where one is given. */
static sc_status make_keys(client *client, const group_story *s, known_case *c) {
  sc_ed25519_pair group;
  sc_bytes dump = sc_bytes_text("");
  sc_ed25519_pair_from_seed(&group, s->group_seed);
  if (known_has(c, "keys_dump") || known_has(c, "keys_dump_ref")) {
    dump = story_bytes(c, "keys_dump_ref", "keys_dump");
    if (dump.len == 0)
      return SC_ERR_CONFIG_DUMP;
  }
  return sc_group_keys_new(&client->keys, known_env(c), &client->user, &s->group_id,
                           known_flag(c, "admin") ? &group : NULL, dump);
}

static sc_status create(void *user, known_case *c) {
  group_story *s = user;
  client *made = find_client(s, c);
  if (made == NULL) {
    if (s->client_count == most_clients)
      return SC_ERR_TOO_LARGE;
    made = &s->clients[s->client_count++];
  }
  sc_group_keys_free(made->keys);
  *made = (client){.name = known_text(c, "client")};
  sc_keypair_from_seed(&made->user, known_key(c, "user_seed"));
  sc_status status = make_keys(made, s, c);
  if (status == SC_OK && known_has(c, "members_dump_ref"))
    take_roster(made, s, known_text(c, "members_dump_ref"));
  if (status != SC_OK)
    return status;
  sc_id id;
  sc_id_make(&id, SC_ID_STANDARD, made->user.x.public_key);
  story_results(c);
  known_same_id(c, "session_id", &id);
  return SC_OK;
}

static sc_id known_id(known_case *c, sc_status *status) {
  sc_id id = {{0}};
  *status = sc_id_parse(&id, known_text(c, "session_id"));
  return id;
}

static sc_status member_set(void *user, known_case *c) {
  client *client = acting(user, c);
  sc_status status = SC_ERR_STATE;
  sc_id id = known_id(c, &status);
  if (client == NULL || status != SC_OK || is_in(&client->roster, &id))
    return status;
  roster *roster = &client->roster;
  if (roster->count == most_members)
    return SC_ERR_TOO_LARGE;
  size_t at = place_in(roster, &id);
  memmove(&roster->ids[at + 1], &roster->ids[at], (roster->count - at) * sizeof id);
  roster->ids[at] = id;
  roster->count++;
  return SC_OK;
}

static sc_status member_erase(void *user, known_case *c) {
  client *client = acting(user, c);
  sc_status status = SC_ERR_STATE;
  sc_id id = known_id(c, &status);
  if (client == NULL || status != SC_OK)
    return status;
  roster *roster = &client->roster;
  bool erased = is_in(roster, &id);
  if (erased) {
    size_t at = place_in(roster, &id);
    roster->count--;
    memmove(&roster->ids[at], &roster->ids[at + 1], (roster->count - at) * sizeof id);
  }
  story_results(c);
  known_same_flag(c, "erased", erased);
  return SC_OK;
}

static sc_status rekey(void *user, known_case *c) {
  client *client = acting(user, c);
  if (client == NULL)
    return SC_ERR_STATE;
  sc_status status = sc_group_keys_rekey(client->keys, client->roster.ids, client->roster.count);
  story_results(c);
  if (status == SC_OK)
    known_same(c, "message", sc_group_keys_pending(client->keys));
  same_need_of_dump(c, client);
  return status;
}

static sc_status load_key_message(void *user, known_case *c) {
  client *client = acting(user, c);
  if (client == NULL)
    return SC_ERR_STATE;
  bool found;
  sc_status status = sc_group_keys_load(&found, client->keys, known_text(c, "hash"),
                                        story_bytes(c, "ref", "data"), known_unsigned(c, "timestamp_ms"));
  story_results(c);
  if (status == SC_OK)
    known_same_flag(c, "found_key", found);
  same_need_of_dump(c, client);
  return status;
}

static sc_status key_supplement(void *user, known_case *c) {
  client *client = acting(user, c);
  const sc_json *list = known_field(c, "session_ids");
  sc_id recipients[most_members];
  size_t count = sc_json_count(list);
  if (client == NULL || count > most_members)
    return SC_ERR_STATE;
  for (size_t i = 0; i < count; i++) {
    const sc_json *value;
    sc_bytes text;
    sc_status status = sc_json_element(&value, list, i);
    if (status == SC_OK)
      status = sc_json_string(&text, value);
    if (status == SC_OK)
      status = sc_id_parse(&recipients[i], text);
    if (status != SC_OK)
      return status;
  }
  sc_buffer *message = known_buffer(c);
  sc_status status = sc_group_keys_supplement(message, client->keys, recipients, count);
  story_results(c);
  if (status == SC_OK)
    known_same(c, "message", sc_buffer_bytes(message));
  return ended(c, client, status);
}

static sc_status load_admin_key(void *user, known_case *c) {
  client *client = acting(user, c);
  if (client == NULL)
    return SC_ERR_STATE;
  return ended(c, client, sc_group_keys_load_admin_key(client->keys, known_hex(c, "secret")));
}

static void same_hashes(known_case *c, const client *client) {
  const sc_json *list = known_field(c, "current_hashes");
  size_t count = sc_group_keys_active_count(client->keys);
  if (sc_json_count(list) != count)
    known_differs(c, "current_hashes are %zu, recorded are %zu", count, sc_json_count(list));
  for (size_t i = 0; i < count && i < sc_json_count(list); i++) {
    const sc_json *value;
    sc_bytes recorded = sc_bytes_text("");
    sc_bytes hash = sc_group_keys_active(client->keys, i).hash;
    if (sc_json_element(&value, list, i) != SC_OK || sc_json_string(&recorded, value) != SC_OK ||
        !sc_bytes_same(recorded, hash))
      known_differs(c, "current hash %zu is %.*s, recorded is %.*s", i, (int)hash.len, (const char *)hash.ptr,
                    (int)recorded.len, (const char *)recorded.ptr);
  }
}

static void same_pending(known_case *c, const client *client) {
  sc_bytes pending = sc_group_keys_pending(client->keys);
  known_same_flag(c, "has_pending_config", pending.len > 0);
  if (known_has(c, "pending_key"))
    known_same(c, "pending_key", sc_group_keys_list(client->keys).keys[0]);
  else if (pending.len > 0)
    known_differs(c, "a key is pending, recorded is none");
}

static sc_status keys_state(void *user, known_case *c) {
  client *client = acting(user, c);
  if (client == NULL)
    return SC_ERR_STATE;
  story_results(c);
  same_need_of_dump(c, client);
  c->json = known_field(c, "state");
  sc_group_key_list list = sc_group_keys_list(client->keys);
  int64_t generation = 0;
  (void)sc_group_keys_generation(&generation, client->keys);
  known_same_flag(c, "admin", sc_group_keys_admin(client->keys) != NULL);
  known_same_integer(c, "size", (int64_t)list.count);
  known_same_list(c, "group_keys", list.keys, list.count);
  known_same_integer(c, "current_generation", generation);
  known_same_flag(c, "needs_rekey", sc_group_keys_needs_rekey(client->keys));
  same_pending(c, client);
  same_hashes(c, client);
  return SC_OK;
}

/* The order of hashes in a dump is anybody's: what was recorded is saved once more by us. */
static sc_status in_our_order(sc_buffer *out, known_case *c, const group_story *s, const client *client,
                              sc_bytes recorded) {
  sc_group_keys *keys;
  sc_status status = sc_group_keys_new(&keys, known_env(c), &client->user, &s->group_id, NULL, recorded);
  if (status == SC_OK)
    status = sc_group_keys_dump(out, keys, SC_GROUP_DUMP_KEYS);
  sc_group_keys_free(keys);
  return status;
}

static sc_status dump_keys(void *user, known_case *c) {
  group_story *s = user;
  client *client = acting(s, c);
  if (client == NULL)
    return SC_ERR_STATE;
  sc_buffer *dump = known_buffer(c);
  sc_buffer *recorded = known_buffer(c);
  sc_status status = sc_group_keys_dump(dump, client->keys, SC_GROUP_DUMP_KEYS);
  story_results(c);
  if (status != SC_OK || !known_flag(c, "order_ambiguous")) {
    known_same(c, "dump", sc_buffer_bytes(dump));
    return status;
  }
  status = in_our_order(recorded, c, s, client, known_hex(c, "dump"));
  if (!sc_bytes_same(sc_buffer_bytes(recorded), sc_buffer_bytes(dump)))
    known_differs(c, "the dump differs from the one recorded in more than the order of hashes");
  return status;
}

static sc_status encrypt_message(void *user, known_case *c) {
  client *client = acting(user, c);
  if (client == NULL)
    return SC_ERR_STATE;
  const sc_bytes plaintext = known_hex(c, "plaintext");
  const sc_group_seal_options options = {known_flag(c, "compress"), (size_t)known_unsigned(c, "padding")};
  story_results(c);
  if (known_has(c, "nonce"))
    (void)known_draws(c, known_hex(c, "nonce"));
  sc_buffer *sealed = known_buffer(c);
  sc_status status = sc_group_keys_seal(sealed, client->keys, plaintext, &options);
  if (status == SC_OK)
    known_same(c, "ciphertext", sc_buffer_bytes(sealed));
  else
    (void)known_draws(c, sc_bytes_make(NULL, 0));
  return ended(c, client, status);
}

static sc_status decrypt_message(void *user, known_case *c) {
  client *client = acting(user, c);
  if (client == NULL)
    return SC_ERR_STATE;
  sc_sender sender;
  sc_buffer *plaintext = known_buffer(c);
  sc_status status = sc_group_keys_open(plaintext, &sender, client->keys, story_bytes(c, "ref", "data"));
  story_results(c);
  if (status == SC_OK) {
    known_same(c, "plaintext", sc_buffer_bytes(plaintext));
    known_same_id(c, "session_id", &sender.id);
  }
  return status;
}

static unsigned rights_of(known_case *c) {
  return SC_SUBACCOUNT_READ | (known_flag(c, "write") ? SC_SUBACCOUNT_WRITE : 0U) |
         (known_flag(c, "del") ? SC_SUBACCOUNT_DELETE : 0U);
}

/* The key pair with which access is granted, which only admins have. */
static const sc_ed25519_pair *granting(const client *client) {
  const sc_keypair *admin = client == NULL ? NULL : sc_group_keys_admin(client->keys);
  return admin == NULL ? NULL : &admin->ed;
}

typedef sc_status grant_call(uint8_t *out, const sc_ed25519_pair *group, const sc_id *member,
                             unsigned rights);

/* Calls for access or token, and compares the `len` bytes of it. */
static sc_status grant(client *client, known_case *c, grant_call *call, const char *field, size_t len) {
  const sc_ed25519_pair *group = granting(client);
  if (group == NULL)
    return SC_ERR_CONFIG_READ_ONLY;
  uint8_t granted[SC_SUBACCOUNT_ACCESS_BYTES];
  sc_status status;
  sc_id member = known_id(c, &status);
  if (status == SC_OK)
    status = call(granted, group, &member, rights_of(c));
  story_results(c);
  if (status == SC_OK)
    known_same(c, field, sc_bytes_make(granted, len));
  return status;
}

static sc_status swarm_make_subaccount(void *user, known_case *c) {
  return grant(acting(user, c), c, sc_subaccount_grant, "auth_data", SC_SUBACCOUNT_ACCESS_BYTES);
}

static sc_status swarm_subaccount_token(void *user, known_case *c) {
  return grant(acting(user, c), c, sc_subaccount_token, "token", SC_SUBACCOUNT_TOKEN_BYTES);
}

static sc_status swarm_verify_subaccount(void *user, known_case *c) {
  group_story *s = user;
  client *client = acting(s, c);
  if (client == NULL)
    return SC_ERR_STATE;
  sc_status status = sc_subaccount_verify(&s->group_id, &client->user,
                                          story_bytes(c, "auth_ref", "auth_data"), rights_of(c));
  story_results(c);
  known_same_flag(c, "valid", status == SC_OK);
  return SC_OK;
}

static void same_in_base64(known_case *c, const char *field, sc_bytes bytes) {
  char text[SC_BASE64_CHARS(SC_SIGNATURE_BYTES) + 1];
  size_t len = sc_base64_encode(text, bytes, SC_BASE64_STANDARD);
  known_same_text(c, field, sc_bytes_make(text, len));
}

static sc_status swarm_subaccount_sign(void *user, known_case *c) {
  client *client = acting(user, c);
  if (client == NULL)
    return SC_ERR_STATE;
  sc_subaccount_proof proof;
  sc_status status = sc_subaccount_sign(&proof, &client->user, story_bytes(c, "auth_ref", "auth_data"),
                                        known_hex(c, "message"));
  story_results(c);
  if (status != SC_OK)
    return status;
  known_same(c, "subaccount", SC_BYTES(proof.token));
  known_same(c, "subaccount_sig", SC_BYTES(proof.token_signature));
  known_same(c, "signature", SC_BYTES(proof.signature));
  c->json = known_field(c, "base64");
  same_in_base64(c, "subaccount", SC_BYTES(proof.token));
  same_in_base64(c, "subaccount_sig", SC_BYTES(proof.token_signature));
  same_in_base64(c, "signature", SC_BYTES(proof.signature));
  return SC_OK;
}

/* What this client stored was encrypted with the first of its keys. */
static sc_status push(client *client, known_case *c, const char *domain) {
  if (client == NULL)
    return SC_ERR_STATE;
  sc_group_key_list list = sc_group_keys_list(client->keys);
  sc_buffer *padded = known_buffer(c);
  sc_buffer *message = known_buffer(c);
  story_results(c);
  sc_status status = sc_config_decrypt(padded, list.keys, list.count == 0 ? 0 : 1, sc_bytes_text(domain),
                                       known_hex(c, "message"));
  if (status == SC_OK)
    status = sc_config_unpack(message, sc_buffer_bytes(padded));
  if (status == SC_OK)
    known_same(c, "plaintext", sc_buffer_bytes(message));
  return status;
}

static sc_status push_info(void *user, known_case *c) {
  return push(acting(user, c), c, "groups::Info");
}

static sc_status push_members(void *user, known_case *c) {
  client *client = acting(user, c);
  if (client != NULL)
    remember_roster(user, c, &client->roster);
  return push(client, c, "groups::Members");
}

static bool names(const sc_json *list, sc_bytes text) {
  for (size_t i = 0; i < sc_json_count(list); i++) {
    const sc_json *value;
    sc_bytes item;
    if (sc_json_element(&value, list, i) == SC_OK && sc_json_string(&item, value) == SC_OK &&
        sc_bytes_same(item, text))
      return true;
  }
  return false;
}

/* Whether this client's keys open one of the messages of a merge; it must be one that was accepted then. */
static bool opens(client *client, known_case *c, const char *domain) {
  const sc_json *arguments = c->json;
  sc_group_key_list list = sc_group_keys_list(client->keys);
  sc_buffer *padded = known_buffer(c);
  sc_bytes hash = known_text(c, "hash");
  sc_status status =
      sc_config_decrypt(padded, list.keys, list.count, sc_bytes_text(domain), story_bytes(c, "ref", "data"));
  story_results(c);
  bool accepted = known_has(c, "accepted") && names(known_field(c, "accepted"), hash);
  if (accepted != (status == SC_OK))
    known_differs(c, "%.*s opens: %s, recorded is otherwise", (int)hash.len, (const char *)hash.ptr,
                  sc_status_name(status));
  c->json = arguments;
  return status == SC_OK;
}

/* Nothing that opens is a failure for one who has nothing yet. */
static sc_status merge(group_story *s, known_case *c, const char *domain, bool members) {
  client *client = acting(s, c);
  const sc_json *list = known_field(c, "messages");
  size_t accepted = 0;
  if (client == NULL)
    return SC_ERR_STATE;
  for (size_t i = 0; i < sc_json_count(list); i++) {
    if (sc_json_element(&c->json, list, i) != SC_OK || !opens(client, c, domain))
      continue;
    accepted++;
    client->has_merged[members] = true;
    if (members && known_has(c, "ref"))
      take_roster(client, s, known_text(c, "ref"));
  }
  story_results(c);
  if (client->has_merged[members] && sc_json_count(known_field(c, "accepted")) != accepted)
    known_differs(c, "%zu messages open, recorded are others", accepted);
  return client->has_merged[members] ? SC_OK : SC_ERR_NO_KEY;
}

static sc_status merge_info(void *user, known_case *c) {
  return merge(user, c, "groups::Info", false);
}

static sc_status merge_members(void *user, known_case *c) {
  return merge(user, c, "groups::Members", true);
}

static sc_status dump_members(void *user, known_case *c) {
  client *client = acting(user, c);
  if (client != NULL)
    remember_roster(user, c, &client->roster);
  return SC_OK;
}

/* What keys have no part in: as it was recorded. */
static sc_status without_keys(void *user, known_case *c) {
  (void)user;
  story_results(c);
  return sc_bytes_same(known_text(c, "expect"), sc_bytes_text("ok")) ? SC_OK : SC_ERR_STATE;
}

static const story_step steps[] = {
    {"create", create},
    {"member_set", member_set},
    {"member_erase", member_erase},
    {"rekey", rekey},
    {"load_key_message", load_key_message},
    {"key_supplement", key_supplement},
    {"load_admin_key", load_admin_key},
    {"keys_state", keys_state},
    {"dump_keys", dump_keys},
    {"encrypt_message", encrypt_message},
    {"decrypt_message", decrypt_message},
    {"swarm_make_subaccount", swarm_make_subaccount},
    {"swarm_subaccount_token", swarm_subaccount_token},
    {"swarm_verify_subaccount", swarm_verify_subaccount},
    {"swarm_subaccount_sign", swarm_subaccount_sign},
    {"push_info", push_info},
    {"push_members", push_members},
    {"merge_info", merge_info},
    {"merge_members", merge_members},
    {"dump_members", dump_members},
    {"dump_info", without_keys},
    {"info_set_name", without_keys},
    {"info_state", without_keys},
    {"members_state", without_keys},
    {"confirm_info", without_keys},
    {"confirm_members", without_keys},
};

static sc_status tell(known_case *c) {
  static const story_script script = {"config_group_keys", steps, sizeof steps / sizeof steps[0]};
  static group_story s; /* too large for the stack */
  s = (group_story){.group_seed = known_key(c, "group_seed")};
  sc_status status = sc_id_parse(&s.group_id, known_text(c, "group_id"));
  if (status == SC_OK)
    status = story_run(&script, &s, c);
  for (size_t i = 0; i < s.client_count; i++)
    sc_group_keys_free(s.clients[i].keys);
  return status;
}

TOPIC(config_group_keys, {"script", tell});
