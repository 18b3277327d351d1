#include <stdio.h>

#include "cast.h"
#include "support/test.h"

#define WHO "\"pubkey\":\"" CAST_ACCOUNT "\""

static sc_status call_is(sc_test *t, const sc_storage_request *request, const char *expected) {
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  sc_status status = sc_storage_call_write(&out, request);
  if (status == SC_OK && !sc_test_same(t, __FILE__, __LINE__, sc_bytes_text(expected), sc_buffer_bytes(&out)))
    status = SC_ERR_STATE;
  sc_buffer_free(&out);
  return status;
}

/* As text for a place in a call: the account's own signature. */
static void signature_text(char out[static 89], const sc_storage_request *request) {
  sc_base64_encode(out, SC_BYTES(request->auth.signature), SC_BASE64_STANDARD);
}

static void the_known_store_is_written(sc_test *t) {
  static const char known[] =
      "{\"method\":\"store\",\"params\":{\"data\":\"aGVsbG8gd29ybGQ=\",\"namespace\":2," WHO
      ",\"pubkey_ed25519\":\"" CAST_ED25519 "\",\"sig_timestamp\":1700000000000,\"signature\":"
      "\"4Ky0fUtkfoO1FXiC4EajtUfuze4UbM+Ob/gbBgzN4SelP6H/QNmrG523BCqldf8yKZDJ3yYffdYp6/cyUf8YCg==\","
      "\"timestamp\":1700000000000,\"ttl\":2592000000}}";
  sc_storage_request request = cast_any(SC_STORAGE_STORE);
  request.of.store.signed_at = cast_now;
  request.of.store.expiry = cast_now + 30 * cast_day;
  OK(cast_sign(&request, t->env));
  OK(call_is(t, &request, known));
done:;
}

static void bt_stores_state_an_absolute_expiry(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_STORE);
  sc_buffer out, expected;
  sc_buffer_init(&out, t->env);
  sc_buffer_init(&expected, t->env);
  OK(cast_sign(&request, t->env));
  OK(sc_storage_request_write(&out, SC_STORAGE_BT, &request));
  OK(sc_buffer_append(
      &expected, sc_bytes_text("d4:data11:hello world6:expiryi1700086400000e9:namespacei2e6:pubkey33:")));
  OK(sc_buffer_append(&expected, SC_BYTES(request.account)));
  OK(sc_buffer_append(&expected, sc_bytes_text("14:pubkey_ed2551932:")));
  OK(sc_buffer_append(&expected, SC_BYTES(request.auth.ed25519)));
  OK(sc_buffer_append(&expected, sc_bytes_text("13:sig_timestampi1700000000001e9:signature64:")));
  OK(sc_buffer_append(&expected, SC_BYTES(request.auth.signature)));
  OK(sc_buffer_append(&expected, sc_bytes_text("9:timestampi1700000000000ee")));
  SAME(sc_buffer_bytes(&expected), sc_buffer_bytes(&out));
done:
  sc_buffer_free(&out);
  sc_buffer_free(&expected);
}

static void every_other_call_has_the_known_form(sc_test *t) {
  sc_storage_request swarm = cast_any(SC_STORAGE_GET_SWARM), info = cast_any(SC_STORAGE_INFO);
  sc_storage_request nodes = cast_any(SC_STORAGE_SERVICE_NODES), name = cast_any(SC_STORAGE_NAME);
  sc_storage_request open = cast_any(SC_STORAGE_RETRIEVE);
  open.of.retrieve = (sc_storage_retrieve){.number = -1};
  OK(call_is(t, &swarm, "{\"method\":\"get_swarm\",\"params\":{" WHO "}}"));
  OK(call_is(t, &info, "{\"method\":\"info\",\"params\":{}}"));
  OK(call_is(t, &open, "{\"method\":\"retrieve\",\"params\":{\"namespace\":-1," WHO "}}"));
  OK(call_is(
      t, &name,
      "{\"method\":\"oxend_request\",\"params\":{\"endpoint\":\"ons_resolve\",\"params\":{\"name_hash\":"
      "\"BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\",\"type\":0}}}"));
  OK(call_is(t, &nodes,
             "{\"method\":\"oxend_request\",\"params\":{\"endpoint\":\"get_service_nodes\",\"params\":{"
             "\"active_only\":true,\"fields\":{\"block_hash\":true,\"funded\":true,\"hardfork\":true,"
             "\"height\":true,\"pubkey_ed25519\":true,\"pubkey_x25519\":true,\"public_ip\":true,"
             "\"requested_unlock_height\":true,\"service_node_pubkey\":true,\"snode_revision\":true,"
             "\"storage_lmq_port\":true,\"storage_port\":true,\"storage_server_version\":true,"
             "\"swarm_id\":true},\"limit\":5,\"poll_block_hash\":\"ab12\"}}}"));
done:;
}

static void a_signed_call_carries_its_signature(sc_test *t) {
  char expected[1024], signature[89];
  sc_storage_request request = cast_any(SC_STORAGE_EXPIRE);
  OK(cast_sign(&request, t->env));
  signature_text(signature, &request);
  snprintf(expected, sizeof expected,
           "{\"method\":\"expire\",\"params\":{\"expiry\":[1700000600000,1700000700000],\"extend\":true,"
           "\"messages\":[\"" CAST_HASH_0 "\",\"" CAST_HASH_2 "\"]," WHO ",\"pubkey_ed25519\":\"" CAST_ED25519
           "\",\"signature\":\"%s\"}}",
           signature);
  OK(call_is(t, &request, expected));
  request = cast_any(SC_STORAGE_DELETE_ALL);
  request.of.sweep.where.all = true;
  OK(cast_sign(&request, t->env));
  signature_text(signature, &request);
  snprintf(expected, sizeof expected,
           "{\"method\":\"delete_all\",\"params\":{\"namespace\":\"all\"," WHO
           ",\"pubkey_ed25519\":\"" CAST_ED25519 "\",\"signature\":\"%s\",\"timestamp\":1700000000000}}",
           signature);
  OK(call_is(t, &request, expected));
done:;
}

static void batches_and_branches_contain_other_calls(sc_test *t) {
  sc_storage_request parts[] = {cast_any(SC_STORAGE_GET_SWARM), cast_any(SC_STORAGE_INFO)};
  sc_storage_request batch = {.method = SC_STORAGE_SEQUENCE, .of.batch = {parts, 2}};
  sc_storage_request branch = {.method = SC_STORAGE_BRANCH};
  branch.of.branch = (sc_storage_branch){.conditions = {.has_fork_at_least = true,
                                                        .fork_at_least = {19, 6},
                                                        .has_height_before = true,
                                                        .height_before = 5},
                                         .then = &parts[1],
                                         .otherwise = &batch};
  OK(call_is(t, &batch,
             "{\"method\":\"sequence\",\"params\":{\"requests\":[{\"method\":\"get_swarm\",\"params\":{" WHO
             "}},{\"method\":\"info\",\"params\":{}}]}}"));
  OK(call_is(
      t, &branch,
      "{\"method\":\"ifelse\",\"params\":{\"else\":{\"method\":\"sequence\",\"params\":{\"requests\":["
      "{\"method\":\"get_swarm\",\"params\":{" WHO "}},{\"method\":\"info\",\"params\":{}}]}},"
      "\"if\":{\"height_before\":5,\"hf_at_least\":[19,6]},\"then\":{\"method\":\"info\",\"params\":{}}}}"));
done:;
}

static sc_status write(sc_test *t, const sc_storage_request *request) {
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  sc_status status = sc_storage_request_write(&out, SC_STORAGE_JSON, request);
  if (status != SC_OK && out.len != 0)
    status = SC_ERR_STATE;
  sc_buffer_free(&out);
  return status;
}

static void a_request_nodes_would_refuse_is_not_written(sc_test *t) {
  static uint8_t data[SC_STORAGE_MAX_DATA_BYTES + 1];
  sc_bytes no_hash = sc_bytes_text("no hash"), no_text = sc_bytes_text("\xff");
  sc_storage_request unsigned_delete = cast_any(SC_STORAGE_DELETE);
  FAILS(SC_ERR_STORAGE_PARAMETER, write(t, &unsigned_delete));
  sc_storage_request large = cast_any(SC_STORAGE_STORE);
  large.of.store.data = SC_BYTES(data);
  FAILS(SC_ERR_STORAGE_PARAMETER, write(t, &large));
  large.of.store.data.len--;
  OK(write(t, &large));
  sc_storage_request hashes = cast_any(SC_STORAGE_DELETE);
  hashes.of.deletion.hashes = (sc_storage_hashes){&no_hash, 1};
  OK(cast_sign(&hashes, t->env));
  FAILS(SC_ERR_STORAGE_PARAMETER, write(t, &hashes));
  sc_storage_request texts = cast_any(SC_STORAGE_GET_EXPIRIES);
  texts.of.expiries.hashes = (sc_storage_hashes){&no_text, 1};
  OK(cast_sign(&texts, t->env));
  FAILS(SC_ERR_STORAGE_PARAMETER, write(t, &texts));
  sc_storage_request expire = cast_any(SC_STORAGE_EXPIRE);
  expire.of.expire.hashes.count = 1;
  OK(cast_sign(&expire, t->env));
  FAILS(SC_ERR_STORAGE_PARAMETER, write(t, &expire));
  sc_storage_request tokens = cast_any(SC_STORAGE_REVOKE);
  tokens.of.tokens.count = 0;
  OK(cast_sign(&tokens, t->env));
  FAILS(SC_ERR_STORAGE_PARAMETER, write(t, &tokens));
  sc_storage_request group = cast_group_request(SC_STORAGE_GET_EXPIRIES);
  group.of.expiries = (sc_storage_expiries){{cast_hashes, 1}, cast_now};
  OK(cast_sign(&group, t->env));
  FAILS(SC_ERR_STORAGE_PARAMETER, write(t, &group));
  sc_storage_request unknown = {.method = (sc_storage_method)99};
  FAILS(SC_ERR_STORAGE_METHOD, write(t, &unknown));
done:;
}

static void batches_are_limited(sc_test *t) {
  sc_storage_request parts[SC_STORAGE_MAX_BATCH + 1];
  sc_storage_request batch = {.method = SC_STORAGE_BATCH, .of.batch = {parts, SC_STORAGE_MAX_BATCH}};
  sc_storage_request chain[SC_STORAGE_MAX_BRANCHES + 1];
  for (size_t i = 0; i <= SC_STORAGE_MAX_BATCH; i++)
    parts[i] = cast_any(SC_STORAGE_INFO);
  OK(write(t, &batch));
  batch.of.batch.count++;
  FAILS(SC_ERR_STORAGE_BATCH, write(t, &batch));
  batch.of.batch.count = 0;
  FAILS(SC_ERR_STORAGE_BATCH, write(t, &batch));
  sc_storage_request inner = {.method = SC_STORAGE_BATCH, .of.batch = {parts, 1}};
  batch.of.batch = (sc_storage_batch){&inner, 1};
  FAILS(SC_ERR_STORAGE_BATCH, write(t, &batch));
  for (size_t i = 0; i <= SC_STORAGE_MAX_BRANCHES; i++) {
    chain[i] = (sc_storage_request){.method = SC_STORAGE_BRANCH};
    chain[i].of.branch.conditions.has_height_before = true;
    chain[i].of.branch.then = i == 0 ? &parts[0] : &chain[i - 1];
  }
  OK(write(t, &chain[SC_STORAGE_MAX_BRANCHES - 1]));
  FAILS(SC_ERR_STORAGE_BATCH, write(t, &chain[SC_STORAGE_MAX_BRANCHES]));
  chain[0].of.branch.then = NULL;
  FAILS(SC_ERR_STORAGE_PARAMETER, write(t, &chain[0]));
  chain[1].of.branch.conditions.has_height_before = false;
  FAILS(SC_ERR_STORAGE_PARAMETER, write(t, &chain[1]));
done:;
}

SUITE(network_storage_request_write, "network/storage/request_write",
      {"the known store is written", the_known_store_is_written},
      {"bt stores state an absolute expiry", bt_stores_state_an_absolute_expiry},
      {"every other call has the known form", every_other_call_has_the_known_form},
      {"a signed call carries its signature", a_signed_call_carries_its_signature},
      {"batches and branches contain other calls", batches_and_branches_contain_other_calls},
      {"a request nodes would refuse is not written", a_request_nodes_would_refuse_is_not_written},
      {"batches are limited", batches_are_limited});
