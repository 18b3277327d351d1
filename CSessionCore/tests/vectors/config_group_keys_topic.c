#include "group_story.h"
#include "topics.h"

enum { most_recipients = 128 };

/* Our functions take an empty dump as none, so it is refused here. */
static sc_status dump_argument(sc_bytes *out, known_case *c, const char *label_field, const char *field) {
  *out = sc_bytes_text("");
  if (!known_has(c, label_field) && !known_has(c, field))
    return SC_OK;
  *out = story_bytes(c, label_field, field);
  return out->len == 0 ? SC_ERR_CONFIG_DUMP : SC_OK;
}

static sc_status make_keys(group_client *client, const group_story *s, known_case *c,
                           const sc_ed25519_pair *admin) {
  sc_bytes dump;
  sc_status status = dump_argument(&dump, c, "keys_dump_ref", "keys_dump");
  return status == SC_OK
             ? sc_group_keys_new(&client->keys, known_env(c), &client->user, &s->group_id, admin, dump)
             : status;
}

static sc_status make_configs(group_client *client, const group_story *s, known_case *c,
                              const sc_ed25519_pair *admin) {
  sc_bytes info, members;
  sc_status status = dump_argument(&info, c, "info_dump_ref", "info_dump");
  if (status == SC_OK)
    status = dump_argument(&members, c, "members_dump_ref", "members_dump");
  if (status == SC_OK)
    status = sc_group_info_new(&client->info, known_env(c), &s->group_id, admin, info);
  if (status == SC_OK)
    status = sc_group_members_new(&client->members, known_env(c), &s->group_id, admin, members);
  return status == SC_OK ? group_hand_on(client, false) : status;
}

/* The client with this name, new and empty; NULL if there are too many. */
static group_client *begin_client(group_story *s, known_case *c) {
  sc_bytes name = known_text(c, "client");
  size_t at = 0;
  while (at < s->client_count && !sc_bytes_same(s->clients[at].name, name))
    at++;
  if (at == most_group_clients)
    return NULL;
  if (at == s->client_count)
    s->clients[s->client_count++] = (group_client){.name = name};
  group_client_free(&s->clients[at]);
  return &s->clients[at];
}

static sc_status create(void *user, known_case *c) {
  group_story *s = user;
  group_client *client = begin_client(s, c);
  if (client == NULL)
    return SC_ERR_TOO_LARGE;
  sc_keypair_from_seed(&client->user, known_key(c, "user_seed"));
  const sc_ed25519_pair *admin = known_flag(c, "admin") ? &s->group : NULL;
  sc_status status = make_keys(client, s, c, admin);
  if (status == SC_OK)
    status = make_configs(client, s, c, admin);
  if (status != SC_OK) {
    group_client_free(client);
    return status;
  }
  sc_id id;
  sc_id_make(&id, SC_ID_STANDARD, client->user.x.public_key);
  story_results(c);
  known_same_id(c, "session_id", &id);
  return SC_OK;
}

static sc_status rekey(void *user, known_case *c) {
  group_client *client = group_acting(user, c);
  if (client == NULL)
    return SC_ERR_STATE;
  sc_status status = sc_group_keys_rekey_members(client->keys, client->members);
  if (status == SC_OK)
    status = group_hand_on(client, true);
  story_results(c);
  if (status == SC_OK)
    known_same(c, "message", sc_group_keys_pending(client->keys));
  return status;
}

static sc_status load_key_message(void *user, known_case *c) {
  group_client *client = group_acting(user, c);
  if (client == NULL)
    return SC_ERR_STATE;
  bool found;
  uint64_t version = sc_group_keys_version(client->keys);
  sc_status status =
      sc_group_keys_load(&found, client->keys, known_text(c, "hash"), story_bytes(c, "ref", "data"),
                         known_unsigned(c, "timestamp_ms"), UINT64_MAX);
  if (status == SC_OK && sc_group_keys_version(client->keys) != version)
    status = group_hand_on(client, false);
  story_results(c);
  if (status == SC_OK)
    known_same_flag(c, "found_key", found);
  return status;
}

static sc_status key_supplement(void *user, known_case *c) {
  group_client *client = group_acting(user, c);
  const sc_json *list = known_field(c, "session_ids");
  sc_id recipients[most_recipients];
  size_t count = sc_json_count(list);
  if (client == NULL || count > most_recipients)
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
  return status;
}

static sc_status load_admin_key(void *user, known_case *c) {
  group_client *client = group_acting(user, c);
  if (client == NULL)
    return SC_ERR_STATE;
  sc_status status = sc_group_keys_load_admin_key(client->keys, known_hex(c, "secret"));
  const sc_keypair *admin = sc_group_keys_admin(client->keys);
  if (status == SC_OK)
    status = sc_config_set_signer(sc_group_info_config(client->info), &admin->ed);
  return status == SC_OK ? sc_config_set_signer(sc_group_members_config(client->members), &admin->ed)
                         : status;
}

static void same_hashes(known_case *c, const group_client *client) {
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

static void same_pending(known_case *c, const group_client *client) {
  sc_bytes pending = sc_group_keys_pending(client->keys);
  known_same_flag(c, "has_pending_config", pending.len > 0);
  if (known_has(c, "pending_key"))
    known_same(c, "pending_key", sc_group_keys_list(client->keys).keys[0]);
  else if (pending.len > 0)
    known_differs(c, "a key is pending, recorded is none");
}

static bool has_one_twice(sc_group_key_list list) {
  for (size_t i = 0; i < list.count; i++)
    for (size_t j = 0; j < i; j++)
      if (sc_bytes_same(list.keys[i], list.keys[j]))
        return true;
  return false;
}

/* True if the config was given this list. The reference's configs drop duplicates, and then do not match. */
static bool matches(const sc_config *config, sc_group_key_list list) {
  bool same = sc_config_key_count(config) == list.count;
  for (size_t i = 0; same && i < list.count; i++)
    same = sc_bytes_same(sc_config_key(config, i), list.keys[i]);
  return same && !has_one_twice(list);
}

static sc_status keys_state(void *user, known_case *c) {
  group_client *client = group_acting(user, c);
  if (client == NULL)
    return SC_ERR_STATE;
  story_results(c);
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
  known_same_flag(c, "info_keys_match", matches(sc_group_info_config(client->info), list));
  known_same_flag(c, "members_keys_match", matches(sc_group_members_config(client->members), list));
  return SC_OK;
}

/* The order of hashes in a dump is arbitrary: the recorded dump is saved again by us. */
static sc_status in_our_order(sc_buffer *out, known_case *c, const group_story *s, const group_client *client,
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
  group_client *client = group_acting(s, c);
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
  group_client *client = group_acting(user, c);
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
  return status;
}

static sc_status decrypt_message(void *user, known_case *c) {
  group_client *client = group_acting(user, c);
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

/* The key pair that grants access, which only admins have. */
static const sc_ed25519_pair *granting(const group_client *client) {
  const sc_keypair *admin = client == NULL ? NULL : sc_group_keys_admin(client->keys);
  return admin == NULL ? NULL : &admin->ed;
}

typedef sc_status grant_call(uint8_t *out, const sc_ed25519_pair *group, const sc_id *member,
                             unsigned rights);

/* Calls for access or token, and compares the `len` bytes of it. */
static sc_status grant(group_client *client, known_case *c, grant_call *call, const char *field, size_t len) {
  const sc_ed25519_pair *group = granting(client);
  if (group == NULL)
    return SC_ERR_CONFIG_READ_ONLY;
  uint8_t granted[SC_SUBACCOUNT_ACCESS_BYTES];
  sc_status status;
  sc_id member = group_id_argument(c, &status);
  if (status == SC_OK)
    status = call(granted, group, &member, rights_of(c));
  story_results(c);
  if (status == SC_OK)
    known_same(c, field, sc_bytes_make(granted, len));
  return status;
}

static sc_status swarm_make_subaccount(void *user, known_case *c) {
  return grant(group_acting(user, c), c, sc_subaccount_grant, "auth_data", SC_SUBACCOUNT_ACCESS_BYTES);
}

static sc_status swarm_subaccount_token(void *user, known_case *c) {
  return grant(group_acting(user, c), c, sc_subaccount_token, "token", SC_SUBACCOUNT_TOKEN_BYTES);
}

static sc_status swarm_verify_subaccount(void *user, known_case *c) {
  group_story *s = user;
  group_client *client = group_acting(s, c);
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
  group_client *client = group_acting(user, c);
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

/* The reference requests more dumps than there are changes. */
static void compare_after(void *user, known_case *c) {
  const group_client *client = group_acting(user, c);
  story_results(c);
  c->json = known_field(c, "after");
  if (client == NULL)
    return;
  if (sc_group_keys_needs_dump(client->keys) && !known_flag(c, "keys_needs_dump"))
    known_differs(c, "a dump is needed, recorded is otherwise");
  known_same_flag(c, "info_needs_push", sc_config_needs_push(sc_group_info_config(client->info)));
  known_same_flag(c, "members_needs_push", sc_config_needs_push(sc_group_members_config(client->members)));
}

static const story_step steps[] = {
    {"create", create},
    {"member_set", group_member_set},
    {"member_erase", group_member_erase},
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
    {"push_info", group_push_info},
    {"push_members", group_push_members},
    {"merge_info", group_merge_info},
    {"merge_members", group_merge_members},
    {"dump_members", group_dump_members},
    {"dump_info", group_dump_info},
    {"info_set_name", group_info_set_name},
    {"info_state", group_info_state},
    {"members_state", group_members_state},
    {"confirm_info", group_confirm_info},
    {"confirm_members", group_confirm_members},
};

static sc_status tell(known_case *c) {
  static const story_script script = {"config_group_keys", steps, sizeof steps / sizeof steps[0],
                                      compare_after};
  group_story s = {.client_count = 0};
  sc_ed25519_pair_from_seed(&s.group, known_key(c, "group_seed"));
  sc_status status = sc_id_parse(&s.group_id, known_text(c, "group_id"));
  if (status == SC_OK)
    status = story_run(&script, &s, c);
  for (size_t i = 0; i < s.client_count; i++)
    group_client_free(&s.clients[i]);
  return status;
}

TOPIC(config_group_keys, {"script", tell});
