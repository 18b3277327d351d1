/* Calls that change or report something, at simulated nodes: their effects and signatures. */
#include "probe.h"

static void hash_of(char out[static 44], const probe *p, const char *text) {
  sc_storage_message_hash(out, p->account, 2, sc_bytes_text(text));
}

/* Sends the request to the first member; the whole swarm has to sign. */
static sc_status act(probe *p) {
  sc_storage_tally tally;
  sc_status status = probe_sign_and_send(p, probe_member(p, 0));
  if (status == SC_OK && p->status != 200)
    return SC_ERR_REQUEST_FAILED;
  if (status == SC_OK)
    status = probe_verify(&tally, p, true);
  return status == SC_OK && tally.succeeded != probe_swarm_size(p) ? SC_ERR_STATE : status;
}

static const sc_storage_member *first_member(const sc_storage_parsed_reply *reply) {
  return &reply->reply.of.members.list[0];
}

static void a_deleted_message_is_gone_from_the_whole_swarm(sc_test *t) {
  sc_storage_parsed_reply reply = {0};
  char hashes[2][44];
  WORLD(1);
  hash_of(hashes[0], &p, "a");
  hash_of(hashes[1], &p, "b");
  const sc_bytes list[] = {sc_bytes_text(hashes[0]), sc_bytes_text(hashes[1])};
  OK(probe_store(&p, "a"));
  OK(probe_store(&p, "c"));
  p.request = (sc_storage_request){.method = SC_STORAGE_DELETE, .of.deletion.hashes = {list, 2}};
  OK(act(&p));
  OK(probe_read(&reply, &p));
  CHECK(first_member(&reply)->changed.count == 1);
  SAME(list[0], first_member(&reply)->changed.list[0].hash);
  CHECK(probe_keepers(&p, "a") == 0 && probe_keepers(&p, "c") == probe_swarm_size(&p));
  p.request.of.deletion.required = true;
  OK(probe_sign_and_send(&p, probe_member(&p, 0)));
  CHECK(p.status == 404);
done:
  sc_storage_parsed_reply_free(&reply);
  END();
}

typedef struct sweeping {
  sc_storage_method method;
  bool all;
  int64_t time;      /* in addition to the store's */
  size_t namespaces; /* of two, in which something happens */
} sweeping;

static void bulk_deletions_delete_exactly_their_range(sc_test *t) {
  static const sweeping known[] = {
      {SC_STORAGE_DELETE_ALL, true, 0, 2},     {SC_STORAGE_DELETE_ALL, false, 0, 1},
      {SC_STORAGE_DELETE_BEFORE, true, 0, 2},  {SC_STORAGE_DELETE_BEFORE, true, -60000, 0},
      {SC_STORAGE_EXPIRE_ALL, true, 60000, 2}, {SC_STORAGE_EXPIRE_ALL, false, 172800000, 0}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    sc_storage_parsed_reply reply = {0};
    sc_status status;
    WORLD(2);
    status = probe_store(&p, "in 2");
    uint64_t time = p.request.of.store.timestamp;
    p.request.of.store.number = 3;
    status = status == SC_OK ? probe_sign_and_send(&p, probe_member(&p, 0)) : status;
    p.request = (sc_storage_request){.method = known[i].method};
    p.request.of.sweep = (sc_storage_sweep){.where = {.number = known[i].all ? 0 : 2, .all = known[i].all},
                                            .time = (uint64_t)((int64_t)time + known[i].time)};
    status = status == SC_OK ? act(&p) : status;
    status = status == SC_OK ? probe_read(&reply, &p) : status;
    size_t changed = status == SC_OK ? first_member(&reply)->changed.count : 0;
    bool is_left = probe_keepers(&p, "in 2") > 0;
    sc_storage_parsed_reply_free(&reply);
    END();
    OK(status);
    CHECK(changed == known[i].namespaces);
    CHECK(is_left == (known[i].method == SC_STORAGE_EXPIRE_ALL || changed == 0));
  }
done:;
}

static void expiries_change_as_requested(sc_test *t) {
  static const struct {
    sc_storage_expire_mode mode;
    int64_t life; /* in addition to the store's */
    bool counts;
  } known[] = {{SC_STORAGE_EXPIRE_SET, -1000, true},     {SC_STORAGE_EXPIRE_SET, 1000, true},
               {SC_STORAGE_EXPIRE_SHORTEN, -1000, true}, {SC_STORAGE_EXPIRE_SHORTEN, 1000, false},
               {SC_STORAGE_EXPIRE_EXTEND, -1000, false}, {SC_STORAGE_EXPIRE_EXTEND, 1000, true}};
  sc_storage_parsed_reply reply = {0};
  char hash[44];
  WORLD(3);
  hash_of(hash, &p, "a");
  const sc_bytes list[] = {sc_bytes_text(hash)};
  OK(probe_store(&p, "a"));
  uint64_t expiry = p.request.of.store.expiry;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    uint64_t asked = (uint64_t)((int64_t)expiry + known[i].life);
    expiry = known[i].counts ? asked : expiry;
    p.request = (sc_storage_request){.method = SC_STORAGE_EXPIRE};
    p.request.of.expire = (sc_storage_expire){
        .hashes = {list, 1}, .expiries = &asked, .expiry_count = 1, .mode = known[i].mode};
    OK(act(&p));
    sc_storage_parsed_reply_free(&reply);
    OK(probe_read(&reply, &p));
    CHECK(first_member(&reply)->changed.count == known[i].counts);
    CHECK(first_member(&reply)->unchanged.count == !known[i].counts);
    p.request = (sc_storage_request){.method = SC_STORAGE_GET_EXPIRIES};
    p.request.of.expiries = (sc_storage_expiries){.hashes = {list, 1}, .signed_at = world_wall(w)};
    OK(probe_sign_and_send(&p, probe_member(&p, 1)));
    sc_storage_parsed_reply_free(&reply);
    OK(probe_read(&reply, &p));
    CHECK(reply.reply.of.expiries.count == 1 && reply.reply.of.expiries.list[0].expiry == expiry);
  }
  probe_pass(&p, 2 * (uint64_t)86400 * SIM_SECOND);
  OK(probe_retrieve(&p, probe_member(&p, 1)));
  sc_storage_parsed_reply_free(&reply);
  OK(probe_read(&reply, &p));
  CHECK(reply.reply.of.messages.count == 0);
done:
  sc_storage_parsed_reply_free(&reply);
  END();
}

/* A member of the probe's group retrieves its messages; the reply's code is in `status`. */
static sc_status call_as_member(probe *p, const sc_storage_subaccount *subaccount) {
  const sc_storage_signer signer = sc_storage_subaccount_signer(subaccount);
  p->request = (sc_storage_request){.method = SC_STORAGE_RETRIEVE};
  p->request.of.retrieve = (sc_storage_retrieve){.number = 11, .signed_at = world_wall(p->world)};
  memcpy(p->request.account, p->account, sizeof p->account);
  sc_status status = sc_storage_request_sign(&p->request, NULL, &signer);
  return status == SC_OK ? probe_send(p, probe_member(p, 1)) : status;
}

static sc_status call_as_owner(probe *p, sc_storage_method method,
                               const uint8_t (*tokens)[SC_STORAGE_TOKEN_BYTES]) {
  const sc_storage_signer signer = sc_storage_group_signer(&p->keys.ed);
  p->request = (sc_storage_request){.method = method};
  p->request.of.tokens =
      (sc_storage_tokens){.list = tokens, .count = tokens != NULL, .signed_at = world_wall(p->world)};
  memcpy(p->request.account, p->account, sizeof p->account);
  sc_status status = sc_storage_request_sign(&p->request, NULL, &signer);
  return status == SC_OK ? probe_send(p, probe_member(p, 0)) : status;
}

static void a_revoked_subaccount_is_refused(sc_test *t) {
  sc_storage_parsed_reply reply = {0};
  sc_keypair member;
  sc_id id;
  uint8_t access[SC_SUBACCOUNT_ACCESS_BYTES], tokens[1][SC_STORAGE_TOKEN_BYTES];
  const uint8_t seed[SC_ED25519_SEED_BYTES] = {7};
  const sc_storage_subaccount subaccount = {.me = &member, .access = SC_BYTES(access)};
  WORLD(4);
  const uint8_t(*list)[SC_STORAGE_TOKEN_BYTES] = (const uint8_t(*)[SC_STORAGE_TOKEN_BYTES])tokens;
  sc_keypair_from_seed(&member, seed);
  sc_id_make(&id, SC_ID_STANDARD, member.x.public_key);
  p.account[0] = 0x03;
  memcpy(p.account + 1, p.keys.ed.public_key, SC_KEY_BYTES);
  OK(sc_subaccount_grant(access, &p.keys.ed, &id, SC_SUBACCOUNT_MEMBER));
  OK(sc_subaccount_token(tokens[0], &p.keys.ed, &id, SC_SUBACCOUNT_MEMBER));
  OK(call_as_member(&p, &subaccount));
  CHECK(p.status == 200);
  OK(call_as_owner(&p, SC_STORAGE_REVOKE, list));
  CHECK(p.status == 200);
  OK(call_as_member(&p, &subaccount));
  CHECK(p.status == 401);
  OK(call_as_owner(&p, SC_STORAGE_REVOKED, NULL));
  OK(probe_read(&reply, &p));
  CHECK(reply.reply.of.tokens.count == 1);
  SAME(SC_BYTES(tokens[0]), SC_BYTES(reply.reply.of.tokens.list[0]));
  OK(call_as_owner(&p, SC_STORAGE_UNREVOKE, list));
  sc_storage_parsed_reply_free(&reply);
  OK(probe_read(&reply, &p));
  CHECK(first_member(&reply)->count == 1);
  OK(call_as_member(&p, &subaccount));
  CHECK(p.status == 200);
done:
  sc_storage_parsed_reply_free(&reply);
  END();
}

static void node_lists_may_be_limited_or_unchanged(sc_test *t) {
  sc_storage_parsed_reply reply = {0};
  sc_storage_request again;
  char hash[65] = "";
  WORLD(5);
  p.request = (sc_storage_request){.method = SC_STORAGE_SERVICE_NODES, .of.service_nodes.limit = 5};
  OK(probe_send(&p, probe_member(&p, 0)));
  OK(probe_read(&reply, &p));
  const sc_storage_service_nodes *told = &reply.reply.of.service_nodes;
  CHECK(told->nodes.count == 5 && !told->unchanged && told->block_hash.len == 64);
  memcpy(hash, told->block_hash.ptr, 64);
  again = (sc_storage_request){.method = SC_STORAGE_SERVICE_NODES,
                               .of.service_nodes.poll_block_hash = sc_bytes_text(hash)};
  p.request = again;
  OK(probe_send(&p, probe_member(&p, 0)));
  sc_storage_parsed_reply_free(&reply);
  OK(probe_read(&reply, &p));
  CHECK(told->unchanged && told->nodes.count == 0);
done:
  sc_storage_parsed_reply_free(&reply);
  END();
}

static void every_second_name_is_registered(sc_test *t) {
  sc_storage_parsed_reply reply = {0};
  WORLD(6);
  for (uint8_t i = 0; i < 2; i++) {
    p.request = (sc_storage_request){.method = SC_STORAGE_NAME, .of.name.name_hash = {i}};
    OK(probe_send(&p, probe_member(&p, 0)));
    sc_storage_parsed_reply_free(&reply);
    OK(probe_read(&reply, &p));
    CHECK(reply.reply.of.name.registered == (i == 1));
    CHECK(reply.reply.of.name.encrypted.len == (i == 1 ? SC_STORAGE_ACCOUNT_BYTES + 16 : 0));
  }
done:
  sc_storage_parsed_reply_free(&reply);
  END();
}

/* A branch leads to a sequence whose second part the node refuses: the third is not run. */
static void a_sequence_in_a_branch_stops_at_the_first_failure(sc_test *t) {
  sc_storage_request parts[3], inner;
  sc_storage_parsed_reply reply = {0};
  WORLD(7);
  OK(probe_store(&p, "hello"));
  parts[0] = p.request;
  OK(probe_retrieve(&p, probe_member(&p, 0)));
  parts[1] = parts[2] = p.request;
  parts[1].auth.signature[0] ^= 1;
  inner = (sc_storage_request){.method = SC_STORAGE_SEQUENCE, .of.batch = {parts, 3}};
  p.request = (sc_storage_request){.method = SC_STORAGE_BRANCH};
  p.request.of.branch = (sc_storage_branch){
      .conditions = {.has_version_at_least = true, .version_at_least = {9, 0, 0}}, .otherwise = &inner};
  OK(probe_send(&p, probe_member(&p, 0)));
  CHECK(p.status == 200);
  OK(probe_read(&reply, &p));
  const sc_storage_outcome *outcome = &reply.reply.of.outcome;
  CHECK(!outcome->condition && outcome->result != NULL && outcome->result->code == 200);
  const sc_storage_results *results = &outcome->result->reply->of.results;
  CHECK(results->count == 2 && results->list[0].code == 200 && results->list[1].code == 401);
  CHECK(results->list[0].reply->of.members.count == probe_swarm_size(&p));
done:
  sc_storage_parsed_reply_free(&reply);
  END();
}

static void a_branch_without_a_target_does_nothing(sc_test *t) {
  sc_storage_request inner = {.method = SC_STORAGE_INFO};
  sc_storage_parsed_reply reply = {0};
  WORLD(8);
  p.request = (sc_storage_request){.method = SC_STORAGE_BRANCH};
  p.request.of.branch = (sc_storage_branch){
      .conditions = {.has_fork_before = true, .fork_before = {world_fork, 0}}, .then = &inner};
  OK(probe_send(&p, probe_member(&p, 0)));
  OK(probe_read(&reply, &p));
  CHECK(!reply.reply.of.outcome.condition && reply.reply.of.outcome.result == NULL);
done:
  sc_storage_parsed_reply_free(&reply);
  END();
}

SUITE(sim_storage, "sim/storage",
      {"a deleted message is gone from the whole swarm", a_deleted_message_is_gone_from_the_whole_swarm},
      {"bulk deletions delete exactly their range", bulk_deletions_delete_exactly_their_range},
      {"expiries change as requested", expiries_change_as_requested},
      {"a revoked subaccount is refused", a_revoked_subaccount_is_refused},
      {"node lists may be limited or unchanged", node_lists_may_be_limited_or_unchanged},
      {"every second name is registered", every_second_name_is_registered},
      {"a sequence in a branch stops at the first failure",
       a_sequence_in_a_branch_stops_at_the_first_failure},
      {"a branch without a target does nothing", a_branch_without_a_target_does_nothing});
