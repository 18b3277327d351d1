#include <stdio.h>

#include "cast.h"
#include "support/test.h"

#define WHO "\"pubkey\":\"" CAST_ACCOUNT "\""
#define SIGNATURE "\"signature\":\"" CAST_SIGNATURE "\""
#define SIGNED WHO "," SIGNATURE
#define HASHES "\"messages\":[\"" CAST_HASH_0 "\",\"" CAST_HASH_2 "\"]"
#define S64 "ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss"
#define NOW "1700000000000"
#define TOKEN "AwMAAKCapfR6Z1mAL/lV+NwtKhSlyZ0jvpf4ZBJ/+Tg0VaTw"

static sc_status parse(sc_storage_parsed_request *out, sc_test *t, const char *method,
                       const char *parameters) {
  return sc_storage_request_parse(out, t->env, sc_bytes_text(method), sc_bytes_text(parameters));
}

/* True if all of these are refused with the same status. */
static sc_status refused(sc_test *t, sc_status expected, const char *method, const char *const *list,
                         size_t count) {
  for (size_t i = 0; i < count; i++) {
    sc_storage_parsed_request parsed = {0};
    sc_status status = parse(&parsed, t, method, list[i]);
    bool untouched = parsed.memory == NULL;
    sc_storage_parsed_request_free(&parsed);
    if (status != expected || !untouched) {
      if (status != SC_ERR_NO_MEMORY)
        fprintf(stderr, "  %s: %s\n", method, list[i]);
      return status == SC_OK ? SC_ERR_STATE : status;
    }
  }
  return expected;
}
#define REFUSED(expected, method, ...)                                                                       \
  do {                                                                                                       \
    static const char *const bad[] = {__VA_ARGS__};                                                          \
    FAILS(expected, refused(t, expected, method, bad, sizeof bad / sizeof bad[0]));                          \
  } while (0)

/* Writing, reading and writing again gives the same bytes, in either form. */
static sc_status comes_back(sc_test *t, sc_storage_form form, const sc_storage_request *request) {
  sc_storage_parsed_request parsed = {0};
  sc_buffer first, second;
  sc_buffer_init(&first, t->env);
  sc_buffer_init(&second, t->env);
  sc_status status = sc_storage_request_write(&first, form, request);
  if (status == SC_OK)
    status = sc_storage_request_parse(&parsed, t->env, sc_bytes_text(sc_storage_method_name(request->method)),
                                      sc_buffer_bytes(&first));
  if (status == SC_OK && (parsed.form != form || parsed.request.method != request->method))
    status = SC_ERR_STATE;
  if (status == SC_OK)
    status = sc_storage_request_write(&second, form, &parsed.request);
  if (status == SC_OK &&
      !sc_test_same(t, __FILE__, __LINE__, sc_buffer_bytes(&first), sc_buffer_bytes(&second)))
    status = SC_ERR_STATE;
  sc_storage_parsed_request_free(&parsed);
  sc_buffer_free(&first);
  sc_buffer_free(&second);
  return status;
}

static void every_request_survives_a_round_trip(sc_test *t) {
  for (int method = SC_STORAGE_STORE; method <= SC_STORAGE_ACTIVE_NODES; method++) {
    sc_storage_request request = cast_any((sc_storage_method)method);
    if (method <= SC_STORAGE_REVOKED)
      OK(cast_sign(&request, t->env));
    OK(comes_back(t, SC_STORAGE_JSON, &request));
    OK(comes_back(t, SC_STORAGE_BT, &request));
  }
done:;
}

static void subaccounts_batches_and_branches_survive_a_round_trip(sc_test *t) {
  sc_storage_request parts[2] = {cast_any(SC_STORAGE_DELETE_BEFORE), cast_any(SC_STORAGE_NAME)};
  sc_storage_request batch = {.method = SC_STORAGE_BATCH, .of.batch = {parts, 2}};
  sc_storage_request branch = {.method = SC_STORAGE_BRANCH};
  branch.of.branch = (sc_storage_branch){.conditions = {.has_fork_at_least = true,
                                                        .fork_at_least = {19, 6},
                                                        .has_fork_before = true,
                                                        .fork_before = {20, 0},
                                                        .has_version_at_least = true,
                                                        .version_at_least = {2, 8, 1},
                                                        .has_version_before = true,
                                                        .version_before = {3, 0, 65535},
                                                        .has_height_at_least = true,
                                                        .height_at_least = 1,
                                                        .has_height_before = true,
                                                        .height_before = UINT64_MAX},
                                         .then = &batch,
                                         .otherwise = &parts[1]};
  OK(cast_sign(&parts[0], t->env));
  parts[0].auth.has_subaccount = true;
  memcpy(parts[0].auth.subaccount, cast_tokens[0], SC_STORAGE_TOKEN_BYTES);
  parts[0].of.sweep.where.all = true;
  for (int form = SC_STORAGE_JSON; form <= SC_STORAGE_BT; form++) {
    OK(comes_back(t, (sc_storage_form)form, &parts[0]));
    OK(comes_back(t, (sc_storage_form)form, &batch));
    OK(comes_back(t, (sc_storage_form)form, &branch));
  }
done:;
}

static void a_call_names_its_method(sc_test *t) {
  sc_storage_parsed_request parsed = {0};
  OK(sc_storage_call_parse(
      &parsed, t->env, sc_bytes_text("{\"x\":1,\"method\":\"get_snodes_for_pubkey\",\"params\":{" WHO "}}")));
  CHECK(parsed.request.method == SC_STORAGE_GET_SWARM && parsed.form == SC_STORAGE_JSON);
  static const char *const bad[][2] = {
      {"", "s"},
      {"x", "s"},
      {"de", "s"},
      {"[]", "m"},
      {"{}", "m"},
      {"{\"method\":7,\"params\":{}}", "m"},
      {"{\"method\":null,\"params\":{}}", "m"},
      {"{\"method\":\"info\"}", "p"},
      {"{\"method\":\"info\",\"params\":[]}", "p"},
      {"{\"method\":\"info\",\"params\":\"{}\"}", "p"},
      {"{\"method\":\"Info\",\"params\":{}}", "u"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    sc_status expected = SC_ERR_STORAGE_SYNTAX;
    if (bad[i][1][0] == 'm')
      expected = SC_ERR_STORAGE_NO_METHOD;
    if (bad[i][1][0] == 'p')
      expected = SC_ERR_STORAGE_NO_PARAMETERS;
    if (bad[i][1][0] == 'u')
      expected = SC_ERR_STORAGE_METHOD;
    sc_storage_parsed_request other;
    FAILS(expected, sc_storage_call_parse(&other, t->env, sc_bytes_text(bad[i][0])));
  }
done:
  sc_storage_parsed_request_free(&parsed);
}

static void an_empty_body_is_an_empty_object(sc_test *t) {
  sc_storage_parsed_request parsed = {0};
  OK(parse(&parsed, t, "info", ""));
  sc_storage_parsed_request_free(&parsed);
  FAILS(SC_ERR_STORAGE_METHOD, parse(&parsed, t, "reboot", ""));
  REFUSED(SC_ERR_STORAGE_PARAMETER, "info", "[]", "7", "null", "\"d\"");
  REFUSED(SC_ERR_STORAGE_SYNTAX, "info", "{", "x", "l", "{}{}", "d", "le", "i1e");
done:
  sc_storage_parsed_request_free(&parsed);
}

/* Trailing bytes, unsorted or duplicate keys, non-canonical numbers, too deep. */
static void non_canonical_bt_is_refused(sc_test *t) {
  REFUSED(SC_ERR_STORAGE_SYNTAX, "info", "de ", "d1:bi1e1:ai1ee", "d1:ai1e1:ai1ee", "d1:ai01ee", "d1:ai-0ee",
          "d01:ai1ee", "d1:alllllllllllllllllllllllllllllllllleeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");
done:;
}

static void times_are_whole_milliseconds(sc_test *t) {
  sc_storage_parsed_request parsed = {0};
  REFUSED(SC_ERR_STORAGE_PARAMETER, "delete_all", "{" SIGNED ",\"timestamp\":999999999}",
          "{" SIGNED ",\"timestamp\":1700000000000.5}", "{" SIGNED ",\"timestamp\":1.7e12}",
          "{" SIGNED ",\"timestamp\":-1700000000000}", "{" SIGNED ",\"timestamp\":\"1700000000000\"}",
          "{" SIGNED "}");
  OK(parse(&parsed, t, "delete_all", "{" SIGNED ",\"timestamp\":1000000000}"));
done:
  sc_storage_parsed_request_free(&parsed);
}

static void bt_may_hold_any_time(sc_test *t) {
  sc_storage_parsed_request parsed = {0};
  sc_buffer body;
  uint8_t zeros[64] = {0};
  sc_buffer_init(&body, t->env);
  OK(sc_buffer_append(&body, sc_bytes_text("d6:pubkey66:" CAST_ACCOUNT "9:signature64:")));
  OK(sc_buffer_append(&body, SC_BYTES(zeros)));
  OK(sc_buffer_append(&body, sc_bytes_text("9:timestampi5ee")));
  OK(sc_storage_request_parse(&parsed, t->env, sc_bytes_text("delete_all"), sc_buffer_bytes(&body)));
  CHECK(parsed.request.of.sweep.time == 5 && parsed.form == SC_STORAGE_BT);
done:
  sc_storage_parsed_request_free(&parsed);
  sc_buffer_free(&body);
}

static void an_account_is_66_digits(sc_test *t) {
  sc_storage_parsed_request parsed = {0};
  REFUSED(SC_ERR_STORAGE_PARAMETER, "get_swarm", "{}", "{\"pubkey\":7}", "{\"pubkey\":null}",
          "{\"pubkey\":\"\"}",
          "{\"pubkey\":\"4701d08488451f545a409fb58ae3e58581ca40ac3f7f114698cd71deac73ca01\"}",
          "{\"pubkey\":\"" CAST_ACCOUNT "00\"}",
          "{\"pubkey\":\"zz4701d08488451f545a409fb58ae3e58581ca40ac3f7f114698cd71deac73ca01\"}",
          "{\"pubkey\":\"" CAST_ACCOUNT "\",\"pubKey\":\"" CAST_ACCOUNT "\"}", "d6:pubkey3:abce");
  OK(parse(&parsed, t, "get_swarm", "{\"pubKey\":\"" CAST_ACCOUNT "\"}"));
  sc_storage_parsed_request_free(&parsed);
  FAILS(SC_ERR_STORAGE_PARAMETER,
        parse(&parsed, t, "delete", "{\"pubKey\":\"" CAST_ACCOUNT "\"," SIGNATURE "," HASHES "}"));
done:
  sc_storage_parsed_request_free(&parsed);
}

static void only_an_account_has_another_signing_key(sc_test *t) {
  REFUSED(
      SC_ERR_STORAGE_PARAMETER, "delete",
      "{\"pubkey\":\"034701d08488451f545a409fb58ae3e58581ca40ac3f7f114698cd71deac73ca01\",\"pubkey_ed25519\":"
      "\"" CAST_ED25519 "\"," SIGNATURE "," HASHES "}",
      "{" SIGNED ",\"pubkey_ed25519\":\"03a1\"," HASHES "}", "{" SIGNED ",\"pubkey_ed25519\":7," HASHES "}",
      "{" SIGNED ",\"pubkey_ed25519\":\"" CAST_ED25519 "00\"," HASHES "}");
done:;
}

static void signatures_are_base64_of_64_bytes(sc_test *t) {
  sc_storage_parsed_request parsed = {0};
  char unpadded[512];
  snprintf(unpadded, sizeof unpadded, "{" WHO "," HASHES ",\"signature\":\"%.86s\"}", CAST_SIGNATURE);
  OK(parse(&parsed, t, "delete", unpadded));
  REFUSED(SC_ERR_STORAGE_PARAMETER, "delete", "{" WHO "," HASHES "}",
          "{" WHO "," HASHES ",\"signature\":null}", "{" WHO "," HASHES ",\"signature\":\"\"}",
          "{" WHO "," HASHES ",\"signature\":\"AAAA\"}",
          "{" WHO "," HASHES
          ",\"signature\":\"_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
          "AAAAAAAAAAAAAAAA==\"}");
done:
  sc_storage_parsed_request_free(&parsed);
}

static void a_subaccount_comes_with_its_signature(sc_test *t) {
  static const char *const good[] = {
      "{" SIGNED "," HASHES ",\"subaccount\":\"\"}",
      "{" SIGNED "," HASHES ",\"subaccount\":\"" TOKEN "\",\"subaccount_sig\":\"" CAST_SIGNATURE "\"}",
      "{" SIGNED "," HASHES
      ",\"subaccount\":\"03030000a09aa5f47a6759802ff955f8dc2d2a14a5c99d23be97f864127ff9383455a4f0\","
      "\"subaccount_sig\":\"" CAST_SIGNATURE "\"}",
  };
  sc_storage_parsed_request parsed = {0};
  for (size_t i = 0; i < 3; i++) {
    sc_storage_parsed_request_free(&parsed);
    OK(parse(&parsed, t, "delete", good[i]));
    CHECK(parsed.request.auth.has_subaccount == (i > 0));
    CHECK(i == 0 || (parsed.request.auth.subaccount[0] == 3 && parsed.request.auth.subaccount[35] == 0xf0));
  }
  REFUSED(SC_ERR_STORAGE_PARAMETER, "delete", "{" SIGNED "," HASHES ",\"subaccount\":\"" TOKEN "\"}",
          "{" SIGNED "," HASHES ",\"subaccount\":\"AwMA\",\"subaccount_sig\":\"" CAST_SIGNATURE "\"}",
          "{" SIGNED "," HASHES ",\"subaccount\":\"" TOKEN "\",\"subaccount_sig\":\"AA\"}",
          "{" SIGNED "," HASHES ",\"subaccount\":7}");
  sc_storage_parsed_request_free(&parsed);
  OK(parse(&parsed, t, "revoked_subaccounts", "{" SIGNED ",\"timestamp\":" NOW ",\"subaccount\":7}"));
  CHECK(!parsed.request.auth.has_subaccount);
done:
  sc_storage_parsed_request_free(&parsed);
}

static void null_counts_as_absent(sc_test *t) {
  sc_storage_parsed_request parsed = {0};
  OK(parse(&parsed, t, "delete",
           "{" SIGNED "," HASHES ",\"required\":null,\"pubkey_ed25519\":null,\"subaccount\":null}"));
  CHECK(!parsed.request.of.deletion.required && !parsed.request.auth.has_ed25519);
done:
  sc_storage_parsed_request_free(&parsed);
}

static void namespaces_have_16_bits(sc_test *t) {
  sc_storage_parsed_request parsed = {0};
  OK(parse(&parsed, t, "delete_all", "{" SIGNED ",\"timestamp\":" NOW ",\"namespace\":\"all\"}"));
  CHECK(parsed.request.of.sweep.where.all);
  sc_storage_parsed_request_free(&parsed);
  OK(parse(&parsed, t, "delete_all", "{" SIGNED ",\"timestamp\":" NOW ",\"namespace\":-32768}"));
  CHECK(parsed.request.of.sweep.where.number == INT16_MIN && !parsed.request.of.sweep.where.all);
  sc_storage_parsed_request_free(&parsed);
  OK(parse(&parsed, t, "delete_all", "{" SIGNED ",\"timestamp\":" NOW "}"));
  CHECK(parsed.request.of.sweep.where.number == 0);
  REFUSED(SC_ERR_STORAGE_PARAMETER, "delete_all", "{" SIGNED ",\"timestamp\":" NOW ",\"namespace\":32768}",
          "{" SIGNED ",\"timestamp\":" NOW ",\"namespace\":-32769}",
          "{" SIGNED ",\"timestamp\":" NOW ",\"namespace\":\"All\"}",
          "{" SIGNED ",\"timestamp\":" NOW ",\"namespace\":\"0\"}",
          "{" SIGNED ",\"timestamp\":" NOW ",\"namespace\":1.5}");
  REFUSED(SC_ERR_STORAGE_PARAMETER, "retrieve", "{" WHO ",\"namespace\":\"all\"}");
done:
  sc_storage_parsed_request_free(&parsed);
}

#define STORE WHO ",\"data\":\"aGk=\",\"timestamp\":" NOW

static void a_store_gives_its_lifetime_in_one_way(sc_test *t) {
  sc_storage_parsed_request parsed = {0};
  OK(parse(&parsed, t, "store", "{" WHO ",\"data\":\"aGk=\",\"timestamp\":\"" NOW "\",\"ttl\":\"60000\"}"));
  CHECK(parsed.request.of.store.expiry == cast_now + 60000);
  SAME(sc_bytes_text("hi"), parsed.request.of.store.data);
  sc_storage_parsed_request_free(&parsed);
  OK(parse(&parsed, t, "store", "{" WHO ",\"data\":\"\",\"timestamp\":5,\"expiry\":1700000000000}"));
  CHECK(parsed.request.of.store.timestamp == 5 && parsed.request.of.store.data.len == 0);
  REFUSED(SC_ERR_STORAGE_PARAMETER, "store", "{" STORE "}", "{" STORE ",\"ttl\":1,\"expiry\":1700000000001}",
          "{" STORE ",\"ttl\":null}", "{" STORE ",\"ttl\":-1}", "{" STORE ",\"ttl\":\"-1\"}",
          "{" STORE ",\"ttl\":\"\"}", "{" STORE ",\"ttl\":1.5}", "{" STORE ",\"ttl\":18446744073709551615}",
          "{" STORE ",\"ttl\":\"99999999999999999999\"}", "{" STORE ",\"expiry\":5}",
          "{" STORE ",\"ttl\":1,\"sig_timestamp\":\"" NOW "\"}", "{" STORE ",\"ttl\":1,\"sig_timestamp\":5}");
done:
  sc_storage_parsed_request_free(&parsed);
}

static void data_is_base64_with_a_length_limit(sc_test *t) {
  sc_storage_parsed_request parsed = {0};
  sc_buffer body;
  uint8_t *data;
  sc_buffer_init(&body, t->env);
  REFUSED(SC_ERR_STORAGE_PARAMETER, "store", "{" WHO ",\"timestamp\":" NOW ",\"ttl\":60000}",
          "{" WHO ",\"timestamp\":" NOW ",\"ttl\":60000,\"data\":7}",
          "{" WHO ",\"timestamp\":" NOW ",\"ttl\":60000,\"data\":\"a\"}",
          "{" WHO ",\"timestamp\":" NOW ",\"ttl\":60000,\"data\":\"aGk-\"}",
          "{" WHO ",\"timestamp\":" NOW ",\"ttl\":60000,\"data\":\"aGk=\\n\"}");
  for (size_t extra = 0; extra < 2; extra++) {
    sc_buffer_clear(&body);
    OK(sc_buffer_append(&body, sc_bytes_text("{" WHO ",\"timestamp\":" NOW ",\"ttl\":60000,\"data\":\"")));
    OK(sc_buffer_extend(&data, &body, 102400 + 4 * extra));
    memset(data, 'A', 102400 + 4 * extra);
    OK(sc_buffer_append(&body, sc_bytes_text("\"}")));
    FAILS(extra == 0 ? SC_OK : SC_ERR_STORAGE_PARAMETER,
          sc_storage_request_parse(&parsed, t->env, sc_bytes_text("store"), sc_buffer_bytes(&body)));
  }
  CHECK(parsed.request.of.store.data.len == SC_STORAGE_MAX_DATA_BYTES);
done:
  sc_storage_parsed_request_free(&parsed);
  sc_buffer_free(&body);
}

/* Credentials are optional, but a request with part of them needs all. */
static void a_retrieve_is_signed_completely_or_not_at_all(sc_test *t) {
  sc_storage_parsed_request parsed = {0};
  OK(parse(&parsed, t, "retrieve",
           "{" WHO ",\"lastHash\":\"" CAST_HASH_0 "\",\"max_count\":3,\"max_size\":-2}"));
  SAME(sc_bytes_text(CAST_HASH_0), parsed.request.of.retrieve.last_hash);
  CHECK(parsed.request.of.retrieve.max_count == 3 && parsed.request.of.retrieve.max_size == -2);
  sc_storage_parsed_request_free(&parsed);
  OK(parse(&parsed, t, "retrieve", "{" SIGNED ",\"timestamp\":" NOW ",\"last_hash\":\"\"}"));
  CHECK(parsed.request.of.retrieve.signed_at == cast_now && parsed.request.of.retrieve.last_hash.len == 0);
  REFUSED(SC_ERR_STORAGE_PARAMETER, "retrieve", "{" SIGNED "}", "{" WHO ",\"timestamp\":" NOW "}",
          "{" WHO ",\"pubkey_ed25519\":\"" CAST_ED25519 "\"}",
          "{" WHO ",\"pubkey_ed25519\":\"" CAST_ED25519 "\",\"timestamp\":" NOW "}");
done:
  sc_storage_parsed_request_free(&parsed);
}

static void a_retrieve_continues_from_one_hash(sc_test *t) {
  sc_storage_parsed_request parsed = {0};
  REFUSED(SC_ERR_STORAGE_PARAMETER, "retrieve", "{" WHO ",\"last_hash\":\"x\"}", "{" WHO ",\"last_hash\":7}",
          "{" WHO ",\"last_hash\":\"" CAST_HASH_0 "=\"}",
          "{" WHO ",\"last_hash\":\"" CAST_HASH_0 "\",\"lastHash\":\"" CAST_HASH_0 "\"}",
          "{" WHO ",\"max_count\":-1}", "{" WHO ",\"max_size\":1.5}");
  OK(parse(&parsed, t, "retrieve", "{" WHO ",\"max_size\":-9223372036854775808}"));
  CHECK(sc_storage_retrieve_budget(&parsed.request.of.retrieve) == 0);
done:
  sc_storage_parsed_request_free(&parsed);
}

static void hashes_are_a_list_or_a_single_one(sc_test *t) {
  sc_storage_parsed_request parsed = {0};
  OK(parse(&parsed, t, "delete", "{" SIGNED ",\"messages\":\"" CAST_HASH_0 "\"}"));
  CHECK(parsed.request.of.deletion.hashes.count == 1 && !parsed.request.of.deletion.required);
  SAME(sc_bytes_text(CAST_HASH_0), parsed.request.of.deletion.hashes.list[0]);
  REFUSED(SC_ERR_STORAGE_PARAMETER, "delete", "{" SIGNED "}", "{" SIGNED ",\"messages\":[]}",
          "{" SIGNED ",\"messages\":[7]}", "{" SIGNED ",\"messages\":[\"x\"]}",
          "{" SIGNED ",\"messages\":\"\"}", "{" SIGNED ",\"messages\":[\"" CAST_HASH_0 "=\"]}",
          "{" SIGNED ",\"messages\":{}}", "{" SIGNED "," HASHES ",\"required\":1}",
          "d8:messages43:" CAST_HASH_0 "6:pubkey66:" CAST_ACCOUNT "8:requiredi2e9:signature64:" S64 "e");
  sc_storage_parsed_request_free(&parsed);
  OK(parse(&parsed, t, "delete",
           "d8:messages43:" CAST_HASH_0 "6:pubkey66:" CAST_ACCOUNT "8:requiredi1e9:signature64:" S64 "e"));
  CHECK(parsed.request.of.deletion.required);
  sc_storage_parsed_request_free(&parsed);
  OK(parse(&parsed, t, "get_expiries", "{" SIGNED ",\"timestamp\":" NOW ",\"messages\":\"all\"}"));
  SAME(sc_bytes_text("all"), parsed.request.of.expiries.hashes.list[0]);
done:
  sc_storage_parsed_request_free(&parsed);
}

static void an_expire_has_one_time_or_one_per_hash(sc_test *t) {
  sc_storage_parsed_request parsed = {0};
  OK(parse(&parsed, t, "expire", "{" SIGNED "," HASHES ",\"expiry\":[5],\"shorten\":true,\"extend\":false}"));
  CHECK(parsed.request.of.expire.expiry_count == 1 && parsed.request.of.expire.expiries[0] == 5);
  CHECK(parsed.request.of.expire.mode == SC_STORAGE_EXPIRE_SHORTEN);
  sc_storage_parsed_request_free(&parsed);
  OK(parse(&parsed, t, "expire", "{" SIGNED "," HASHES ",\"expiry\":[5,6]}"));
  CHECK(parsed.request.of.expire.expiry_count == 2 && parsed.request.of.expire.mode == SC_STORAGE_EXPIRE_SET);
  REFUSED(SC_ERR_STORAGE_PARAMETER, "expire", "{" SIGNED "," HASHES "}",
          "{" SIGNED "," HASHES ",\"expiry\":[]}", "{" SIGNED "," HASHES ",\"expiry\":[5,6,7]}",
          "{" SIGNED "," HASHES ",\"expiry\":[-5]}",
          "{" SIGNED "," HASHES ",\"expiry\":5,\"shorten\":true,\"extend\":true}",
          "{" SIGNED "," HASHES ",\"expiry\":5,\"shorten\":1}");
done:
  sc_storage_parsed_request_free(&parsed);
}

static void tokens_are_a_list_or_a_single_one(sc_test *t) {
  sc_storage_parsed_request parsed = {0};
  sc_buffer body;
  sc_buffer_init(&body, t->env);
  OK(parse(&parsed, t, "revoke_subaccount", "{" SIGNED ",\"timestamp\":" NOW ",\"revoke\":\"" TOKEN "\"}"));
  CHECK(parsed.request.of.tokens.count == 1 && parsed.request.of.tokens.list[0][35] == 0xf0);
  REFUSED(SC_ERR_STORAGE_PARAMETER, "revoke_subaccount", "{" SIGNED ",\"timestamp\":" NOW "}",
          "{" SIGNED ",\"timestamp\":" NOW ",\"revoke\":[]}",
          "{" SIGNED ",\"timestamp\":" NOW ",\"revoke\":[\"AA\"]}",
          "{" SIGNED ",\"timestamp\":" NOW ",\"unrevoke\":\"" TOKEN "\"}");
  for (size_t count = SC_STORAGE_MAX_TOKENS; count <= SC_STORAGE_MAX_TOKENS + 1; count++) {
    sc_buffer_clear(&body);
    OK(sc_buffer_append(&body,
                        sc_bytes_text("{" SIGNED ",\"timestamp\":" NOW ",\"unrevoke\":[\"" TOKEN "\"")));
    for (size_t i = 1; i < count; i++)
      OK(sc_buffer_append(&body, sc_bytes_text(",\"" TOKEN "\"")));
    OK(sc_buffer_append(&body, sc_bytes_text("]}")));
    sc_storage_parsed_request_free(&parsed);
    FAILS(count == SC_STORAGE_MAX_TOKENS ? SC_OK : SC_ERR_STORAGE_PARAMETER,
          sc_storage_request_parse(&parsed, t->env, sc_bytes_text("unrevoke_subaccount"),
                                   sc_buffer_bytes(&body)));
  }
done:
  sc_storage_parsed_request_free(&parsed);
  sc_buffer_free(&body);
}

static void only_two_daemon_calls_are_allowed(sc_test *t) {
  sc_storage_parsed_request parsed = {0};
  OK(parse(&parsed, t, "oxend_request", "{\"endpoint\":\"get_service_nodes\"}"));
  CHECK(parsed.request.method == SC_STORAGE_SERVICE_NODES && !parsed.request.of.service_nodes.active_only);
  sc_storage_parsed_request_free(&parsed);
  OK(parse(&parsed, t, "oxend_request", "d8:endpoint17:get_service_nodes6:params20:{\"active_only\":true}e"));
  CHECK(parsed.request.of.service_nodes.active_only);
  REFUSED(SC_ERR_STORAGE_PARAMETER, "oxend_request", "{}", "{\"endpoint\":\"stop_daemon\",\"params\":{}}",
          "{\"endpoint\":7}", "{\"endpoint\":\"get_service_nodes\",\"params\":[]}",
          "{\"endpoint\":\"get_service_nodes\",\"params\":{\"limit\":-1}}",
          "{\"endpoint\":\"ons_resolve\",\"params\":{}}",
          "{\"endpoint\":\"ons_resolve\",\"params\":{\"type\":1,\"name_hash\":"
          "\"BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\"}}",
          "d8:endpoint17:get_service_nodes6:paramsdee", "d8:endpoint17:get_service_nodes6:params1:{e",
          "d8:endpoint17:get_service_nodes6:params2:[]e");
done:
  sc_storage_parsed_request_free(&parsed);
}

#define INFO "{\"method\":\"info\",\"params\":{}}"

static void a_batch_with_an_invalid_part_is_refused(sc_test *t) {
  sc_storage_parsed_request parsed = {0};
  OK(parse(&parsed, t, "batch", "{\"requests\":[" INFO "," INFO "]}"));
  CHECK(parsed.request.of.batch.count == 2);
  REFUSED(
      SC_ERR_STORAGE_BATCH, "batch", "{\"requests\":[]}",
      "{\"requests\":[" INFO "," INFO "," INFO "," INFO "," INFO "," INFO "," INFO "," INFO "," INFO "," INFO
      "," INFO "," INFO "," INFO "," INFO "," INFO "," INFO "," INFO "," INFO "," INFO "," INFO "," INFO "]}",
      "{\"requests\":[{\"method\":\"batch\",\"params\":{\"requests\":[" INFO "]}}]}",
      "{\"requests\":[{\"method\":\"sequence\",\"params\":{\"requests\":[" INFO "]}}]}",
      "{\"requests\":[{\"method\":\"ifelse\",\"params\":{\"if\":{\"height_before\":1},\"then\":" INFO "}}]}");
  REFUSED(SC_ERR_STORAGE_PARAMETER, "sequence", "{}", "{\"requests\":{}}",
          "{\"requests\":[" INFO ",{\"method\":\"get_swarm\",\"params\":{}}]}");
  REFUSED(SC_ERR_STORAGE_METHOD, "batch", "{\"requests\":[{\"method\":\"x\",\"params\":{}}]}");
  REFUSED(SC_ERR_STORAGE_NO_METHOD, "batch", "{\"requests\":[7]}");
done:
  sc_storage_parsed_request_free(&parsed);
}

static void conditions_have_a_short_and_a_long_form(sc_test *t) {
  sc_storage_parsed_request parsed = {0};
  OK(parse(&parsed, t, "ifelse",
           "{\"if\":{\"hf_at_least\":[19],\"v_before\":[2,8,1,5],\"hf_before\":[]},\"else\":" INFO "}"));
  const sc_storage_conditions *c = &parsed.request.of.branch.conditions;
  CHECK(c->has_fork_at_least && c->fork_at_least[0] == 19 && c->fork_at_least[1] == 0);
  CHECK(c->has_version_before && c->version_before[2] == 1 && !c->has_fork_before);
  CHECK(parsed.request.of.branch.then == NULL &&
        parsed.request.of.branch.otherwise->method == SC_STORAGE_INFO);
  REFUSED(SC_ERR_STORAGE_PARAMETER, "ifelse", "{}", "{\"if\":{},\"then\":" INFO "}",
          "{\"if\":{\"hf_before\":[]},\"then\":" INFO "}", "{\"if\":{\"height_before\":1}}",
          "{\"if\":{\"height_before\":-1},\"then\":" INFO "}",
          "{\"if\":{\"hf_before\":[65536]},\"then\":" INFO "}",
          "{\"if\":{\"hf_before\":19},\"then\":" INFO "}", "{\"if\":[],\"then\":" INFO "}");
done:
  sc_storage_parsed_request_free(&parsed);
}

static void branches_nest_at_most_eight_deep(sc_test *t) {
  static const char start[] = "{\"if\":{\"height_before\":1},\"then\":{\"method\":\"ifelse\",\"params\":";
  sc_storage_parsed_request parsed = {0};
  sc_buffer body;
  sc_buffer_init(&body, t->env);
  for (size_t depth = SC_STORAGE_MAX_BRANCHES; depth <= SC_STORAGE_MAX_BRANCHES + 1; depth++) {
    sc_buffer_clear(&body);
    for (size_t i = 1; i < depth; i++)
      OK(sc_buffer_append(&body, sc_bytes_text(start)));
    OK(sc_buffer_append(&body, sc_bytes_text("{\"if\":{\"height_before\":1},\"then\":" INFO "}")));
    for (size_t i = 1; i < depth; i++)
      OK(sc_buffer_append(&body, sc_bytes_text("}}")));
    sc_storage_parsed_request_free(&parsed);
    FAILS(depth == SC_STORAGE_MAX_BRANCHES ? SC_OK : SC_ERR_STORAGE_BATCH,
          sc_storage_request_parse(&parsed, t->env, sc_bytes_text("ifelse"), sc_buffer_bytes(&body)));
  }
done:
  sc_storage_parsed_request_free(&parsed);
  sc_buffer_free(&body);
}

static void a_body_over_the_limit_is_refused(sc_test *t) {
  sc_storage_parsed_request parsed = {0};
  FAILS(SC_ERR_TOO_LARGE, sc_storage_request_parse(&parsed, t->env, sc_bytes_text("info"),
                                                   sc_bytes_make("{", SC_STORAGE_MAX_BYTES + 1)));
done:;
}

SUITE(network_storage_request_read, "network/storage/request_read",
      {"every request survives a round trip", every_request_survives_a_round_trip},
      {"subaccounts, batches and branches survive a round trip",
       subaccounts_batches_and_branches_survive_a_round_trip},
      {"a call names its method", a_call_names_its_method},
      {"an empty body is an empty object", an_empty_body_is_an_empty_object},
      {"non-canonical bt is refused", non_canonical_bt_is_refused},
      {"times are whole milliseconds", times_are_whole_milliseconds},
      {"bt may hold any time", bt_may_hold_any_time}, {"an account is 66 digits", an_account_is_66_digits},
      {"only an account has another signing key", only_an_account_has_another_signing_key},
      {"signatures are base64 of 64 bytes", signatures_are_base64_of_64_bytes},
      {"a subaccount comes with its signature", a_subaccount_comes_with_its_signature},
      {"null counts as absent", null_counts_as_absent}, {"namespaces have 16 bits", namespaces_have_16_bits},
      {"a store gives its lifetime in one way", a_store_gives_its_lifetime_in_one_way},
      {"data is base64 with a length limit", data_is_base64_with_a_length_limit},
      {"a retrieve is signed completely or not at all", a_retrieve_is_signed_completely_or_not_at_all},
      {"a retrieve continues from one hash", a_retrieve_continues_from_one_hash},
      {"hashes are a list or a single one", hashes_are_a_list_or_a_single_one},
      {"an expire has one time or one per hash", an_expire_has_one_time_or_one_per_hash},
      {"tokens are a list or a single one", tokens_are_a_list_or_a_single_one},
      {"only two daemon calls are allowed", only_two_daemon_calls_are_allowed},
      {"a batch with an invalid part is refused", a_batch_with_an_invalid_part_is_refused},
      {"conditions have a short and a long form", conditions_have_a_short_and_a_long_form},
      {"branches nest at most eight deep", branches_nest_at_most_eight_deep},
      {"a body over the limit is refused", a_body_over_the_limit_is_refused});
