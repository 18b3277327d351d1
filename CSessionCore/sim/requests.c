/* Clients' requests: one of each kind. */
#include <stdlib.h>

#include "client.h"
#include "world.h"

const int16_t client_numbers[client_namespaces] = {0, 2, 3, 4, 5};
static const int16_t group_number = 11;
static const uint64_t minute_ms = (uint64_t)60 * 1000;
static const uint64_t day_ms = (uint64_t)24 * 60 * 60 * 1000;

static uint64_t now_of(const client_call *a) {
  return sc_network_time(a->by->network, a->by->world->agenda.now);
}

static blob *some_data(client *c) {
  static const size_t sizes[] = {60, 200, 600, 2000, 9000};
  uint8_t bytes[9000];
  size_t len = sizes[draw_below(&c->chance, sizeof sizes / sizeof sizes[0])];
  draws_fill(&c->chance, bytes, len);
  return blob_make(sc_bytes_make(bytes, len));
}

static void begin(client_call *a, sc_storage_method method) {
  a->request.method = method;
  memcpy(a->request.account, a->by->account.id, sizeof a->request.account);
}

static void sign_by(client_call *a, sc_storage_request *request, const sc_storage_signer *signer) {
  if (sc_storage_request_sign(request, &a->by->env, signer) != SC_OK)
    abort();
}

static void sign(client_call *a, sc_storage_request *request) {
  const sc_storage_signer signer = sc_storage_account_signer(&a->by->account.keys.ed);
  sign_by(a, request, &signer);
}

/* Messages */

static uint64_t some_life(client *c) {
  return draw_one_in(&c->chance, 8) ? minute_ms + draw_below(&c->chance, 600000) : day_ms;
}

static void put_store(client_call *a, int16_t number) {
  uint64_t now = now_of(a);
  a->data = some_data(a->by);
  a->request.of.store = (sc_storage_store){number, now, now + some_life(a->by), now, blob_bytes(a->data)};
}

static void store(client_call *a) {
  begin(a, SC_STORAGE_STORE);
  put_store(a, client_numbers[1 + draw_below(&a->by->chance, client_namespaces - 1)]);
  sign(a, &a->request);
}

static void send(client_call *a) {
  client *c = a->by;
  const client *to = &c->world->clients[draw_below(&c->chance, (uint32_t)c->world->client_count)];
  begin(a, SC_STORAGE_STORE);
  memcpy(a->request.account, to->account.id, sizeof a->request.account);
  put_store(a, client_numbers[0]);
}

static void put_retrieve(client_call *a, sc_storage_request *request, bool all) {
  client *c = a->by;
  size_t place = draw_below(&c->chance, client_namespaces);
  request->method = SC_STORAGE_RETRIEVE;
  memcpy(request->account, c->account.id, sizeof request->account);
  request->of.retrieve = (sc_storage_retrieve){.number = client_numbers[place],
                                               .max_size = -(int64_t)(1 + draw_below(&c->chance, 200)),
                                               .signed_at = now_of(a)};
  if (!all && c->last_hash[place][0] != '\0')
    request->of.retrieve.last_hash = sc_bytes_text(c->last_hash[place]);
  sign(a, request);
}

static bool put_poll(client_call *a) {
  if (!poll_prepare(a))
    return false;
  begin(a, SC_STORAGE_RETRIEVE);
  a->request.of.retrieve =
      (sc_storage_retrieve){.number = client_numbers[0], .max_size = -1, .signed_at = now_of(a)};
  if (a->hash[0] != '\0')
    a->request.of.retrieve.last_hash = sc_bytes_text(a->hash);
  sign(a, &a->request);
  return true;
}

void client_prepare_to_retrieve_all(client_call *a) {
  put_retrieve(a, &a->request, true);
}

/* Changes */

/* Chooses a stored message; false if there is none. A message to be deleted is chosen only once. */
static bool choose_kept(client_call *a, bool for_good) {
  client *c = a->by;
  size_t count = c->kept_count < client_most_kept ? c->kept_count : client_most_kept;
  if (count == 0)
    return false;
  kept_hash *kept = &c->kept[draw_below(&c->chance, (uint32_t)count)];
  if (kept->hash[0] == '\0')
    return false;
  memcpy(a->hash, kept->hash, sizeof a->hash);
  a->hashes[0] = sc_bytes_text(a->hash);
  if (for_good)
    kept->hash[0] = '\0';
  return true;
}

static bool delete_one(client_call *a) {
  begin(a, SC_STORAGE_DELETE);
  if (!choose_kept(a, true))
    return false;
  a->request.of.deletion =
      (sc_storage_deletion){.hashes = {a->hashes, 1}, .required = draw_one_in(&a->by->chance, 2)};
  sign(a, &a->request);
  return true;
}

static sc_storage_namespace some_place(client *c) {
  bool all = draw_one_in(&c->chance, 8);
  uint32_t swept = client_namespaces - client_first_swept;
  int16_t number = client_numbers[client_first_swept + draw_below(&c->chance, swept)];
  return (sc_storage_namespace){.number = all ? 0 : number, .all = all};
}

static void sweep(client_call *a, sc_storage_method method) {
  uint64_t now = now_of(a), time = now;
  begin(a, method);
  if (method == SC_STORAGE_DELETE_BEFORE)
    time -= draw_below(&a->by->chance, 60000);
  else if (method == SC_STORAGE_EXPIRE_ALL)
    time += minute_ms + draw_below(&a->by->chance, 600000);
  a->request.of.sweep = (sc_storage_sweep){.where = some_place(a->by), .time = time};
  sign(a, &a->request);
}

static void put_expire(client_call *a, sc_storage_request *request, sc_storage_expire_mode mode) {
  uint64_t now = now_of(a);
  request->method = SC_STORAGE_EXPIRE;
  memcpy(request->account, a->by->account.id, sizeof request->account);
  a->expiries[0] = mode == SC_STORAGE_EXPIRE_EXTEND ? now + 2 * day_ms : now + 30 * minute_ms;
  request->of.expire =
      (sc_storage_expire){.hashes = {a->hashes, 1}, .expiries = a->expiries, .expiry_count = 1, .mode = mode};
  sign(a, request);
}

static bool expire(client_call *a) {
  begin(a, SC_STORAGE_EXPIRE);
  if (!choose_kept(a, false))
    return false;
  put_expire(a, &a->request, (sc_storage_expire_mode)draw_below(&a->by->chance, 3));
  return true;
}

static void put_expiries(client_call *a, sc_storage_request *request) {
  request->method = SC_STORAGE_GET_EXPIRIES;
  memcpy(request->account, a->by->account.id, sizeof request->account);
  request->of.expiries = (sc_storage_expiries){.hashes = {a->hashes, 1}, .signed_at = now_of(a)};
  sign(a, request);
}

static bool call_expiries(client_call *a) {
  begin(a, SC_STORAGE_GET_EXPIRIES);
  if (!choose_kept(a, false))
    return false;
  put_expiries(a, &a->request);
  return true;
}

/* Groups */

static void make_group(client *c) {
  group *g = &c->group;
  uint8_t seed[SC_ED25519_SEED_BYTES];
  g->made = true;
  draws_fill(&c->chance, seed, sizeof seed);
  sc_keypair_from_seed(&g->keys, seed);
  g->id[0] = 0x03;
  memcpy(g->id + 1, g->keys.ed.public_key, SC_KEY_BYTES);
  for (size_t i = 0; i < client_members; i++) {
    group_member *member = &g->members[i];
    sc_id id;
    draws_fill(&c->chance, seed, sizeof seed);
    sc_keypair_from_seed(&member->keys, seed);
    sc_id_make(&id, SC_ID_STANDARD, member->keys.x.public_key);
    if (sc_subaccount_grant(member->access, &g->keys.ed, &id, SC_SUBACCOUNT_MEMBER) != SC_OK ||
        sc_subaccount_token(member->token, &g->keys.ed, &id, SC_SUBACCOUNT_MEMBER) != SC_OK)
      abort();
  }
}

static void begin_in_group(client_call *a, sc_storage_method method) {
  client *c = a->by;
  if (!c->group.made)
    make_group(c);
  a->member = &c->group.members[draw_below(&c->chance, client_members)];
  a->request.method = method;
  memcpy(a->request.account, c->group.id, sizeof a->request.account);
}

static void sign_as_member(client_call *a) {
  const sc_storage_subaccount subaccount = {.me = &a->member->keys, .access = SC_BYTES(a->member->access)};
  const sc_storage_signer signer = sc_storage_subaccount_signer(&subaccount);
  sign_by(a, &a->request, &signer);
}

static void store_as_member(client_call *a) {
  begin_in_group(a, SC_STORAGE_STORE);
  put_store(a, group_number);
  sign_as_member(a);
}

static void retrieve_as_member(client_call *a) {
  begin_in_group(a, SC_STORAGE_RETRIEVE);
  a->request.of.retrieve = (sc_storage_retrieve){.number = group_number, .signed_at = now_of(a)};
  sign_as_member(a);
}

/* Rights are taken back once, and given again once. */
static bool change_rights(client_call *a, sc_storage_method method) {
  begin_in_group(a, method);
  group_member *member = a->member;
  bool is_next =
      method == SC_STORAGE_REVOKE ? !member->revoking : member->revoked != 0 && !member->unrevoking;
  if (!is_next)
    return false;
  bool *mark = method == SC_STORAGE_REVOKE ? &member->revoking : &member->unrevoking;
  *mark = true;
  memcpy(a->tokens[0], member->token, sizeof a->tokens[0]);
  a->request.of.tokens = (sc_storage_tokens){
      .list = (const uint8_t(*)[SC_STORAGE_TOKEN_BYTES])a->tokens, .count = 1, .signed_at = now_of(a)};
  const sc_storage_signer signer = sc_storage_group_signer(&a->by->group.keys.ed);
  sign_by(a, &a->request, &signer);
  return true;
}

static void call_revoked(client_call *a) {
  begin_in_group(a, SC_STORAGE_REVOKED);
  a->request.of.tokens = (sc_storage_tokens){.signed_at = now_of(a)};
  const sc_storage_signer signer = sc_storage_group_signer(&a->by->group.keys.ed);
  sign_by(a, &a->request, &signer);
}

/* Several at once */

static bool call_many(client_call *a, sc_storage_method method) {
  begin(a, method);
  size_t count = 2;
  if (method == SC_STORAGE_BATCH) {
    put_retrieve(a, &a->inner[0], true);
    a->inner[1] = (sc_storage_request){.method = SC_STORAGE_GET_SWARM};
    memcpy(a->inner[1].account, a->by->account.id, sizeof a->inner[1].account);
  } else {
    if (!choose_kept(a, false))
      return false;
    put_expire(a, &a->inner[0], SC_STORAGE_EXPIRE_EXTEND);
    put_expiries(a, &a->inner[1]);
    put_retrieve(a, &a->inner[2], true);
    count = 3;
  }
  a->request.of.batch = (sc_storage_batch){a->inner, count};
  return true;
}

/* Nodes of an older fork take the other branch. */
static void call_branch(client_call *a) {
  bool is_old = draw_one_in(&a->by->chance, 2);
  begin(a, SC_STORAGE_BRANCH);
  a->inner[0] = (sc_storage_request){.method = SC_STORAGE_INFO};
  a->inner[1] = (sc_storage_request){.method = SC_STORAGE_GET_SWARM};
  memcpy(a->inner[1].account, a->by->account.id, sizeof a->inner[1].account);
  a->inner[2] = (sc_storage_request){.method = SC_STORAGE_BATCH, .of.batch = {a->inner, 2}};
  a->request.of.branch = (sc_storage_branch){
      .conditions = {.has_fork_at_least = true, .fork_at_least = {is_old ? world_fork + 1 : world_fork, 0}},
      .then = &a->inner[0],
      .otherwise = &a->inner[2]};
}

static void call_name(client_call *a) {
  begin(a, SC_STORAGE_NAME);
  draws_fill(&a->by->chance, a->request.of.name.name_hash, sizeof a->request.of.name.name_hash);
}

static void call_nodes(client_call *a) {
  enum { some = 20 };
  begin(a, SC_STORAGE_SERVICE_NODES);
  a->request.of.service_nodes = (sc_storage_service_nodes_request){.active_only = true, .limit = some};
}

bool client_prepare(client_call *a) {
  switch (a->kind) {
  case CALL_STORE:
    store(a);
    return true;
  case CALL_SEND:
    send(a);
    return true;
  case CALL_RETRIEVE:
    put_retrieve(a, &a->request, false);
    return true;
  case CALL_DELETE:
    return delete_one(a);
  case CALL_DELETE_ALL:
    sweep(a, SC_STORAGE_DELETE_ALL);
    return true;
  case CALL_DELETE_BEFORE:
    sweep(a, SC_STORAGE_DELETE_BEFORE);
    return true;
  case CALL_EXPIRE:
    return expire(a);
  case CALL_EXPIRE_ALL:
    sweep(a, SC_STORAGE_EXPIRE_ALL);
    return true;
  case CALL_EXPIRIES:
    return call_expiries(a);
  case CALL_MEMBER_STORE:
    store_as_member(a);
    return true;
  case CALL_MEMBER_RETRIEVE:
    retrieve_as_member(a);
    return true;
  case CALL_REVOKE:
    return change_rights(a, SC_STORAGE_REVOKE);
  case CALL_UNREVOKE:
    return change_rights(a, SC_STORAGE_UNREVOKE);
  case CALL_REVOKED:
    call_revoked(a);
    return true;
  case CALL_SWARM:
    begin(a, SC_STORAGE_GET_SWARM);
    return true;
  case CALL_NODES:
    call_nodes(a);
    return true;
  case CALL_NAME:
    call_name(a);
    return true;
  case CALL_BATCH:
    return call_many(a, SC_STORAGE_BATCH);
  case CALL_SEQUENCE:
    return call_many(a, SC_STORAGE_SEQUENCE);
  case CALL_BRANCH:
    call_branch(a);
    return true;
  case CALL_POLL:
    return put_poll(a);
  case CALL_SERVER:
    a->data = some_data(a->by);
    return true;
  default:
    begin(a, SC_STORAGE_INFO);
    return true;
  }
}
