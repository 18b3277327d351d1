#include "network/storage/cast.h"
#include "support/test.h"

static const sc_storage_clock clock_of_19_6 = {true, 1700000000123, true, {19, 6}};

/* Writing, reading and writing again gives the same bytes, in either form. */
static sc_status comes_back(sc_test *t, const sc_storage_request *request, const sc_storage_reply *reply) {
  sc_buffer first, second;
  sc_buffer_init(&first, t->env);
  sc_buffer_init(&second, t->env);
  sc_status status = SC_OK;
  for (int form = SC_STORAGE_JSON; form <= SC_STORAGE_BT && status == SC_OK; form++) {
    sc_storage_parsed_reply parsed = {0};
    status = sc_storage_reply_write(&first, (sc_storage_form)form, request, reply);
    if (status == SC_OK)
      status = sc_storage_reply_parse(&parsed, t->env, request, sc_buffer_bytes(&first));
    if (status == SC_OK)
      status = sc_storage_reply_write(&second, (sc_storage_form)form, request, &parsed.reply);
    if (status == SC_OK &&
        !sc_test_same(t, __FILE__, __LINE__, sc_buffer_bytes(&first), sc_buffer_bytes(&second)))
      status = SC_ERR_STATE;
    sc_storage_parsed_reply_free(&parsed);
  }
  sc_buffer_free(&first);
  sc_buffer_free(&second);
  return status;
}

static void members_survive_a_round_trip(sc_test *t) {
  const sc_storage_change changed[] = {
      {.hash = cast_hashes[1], .number = -11, .expiry = 5},
      {.hash = cast_hashes[0], .number = -11, .expiry = 6},
  };
  const sc_storage_change unchanged[] = {{.hash = sc_bytes_text(CAST_HASH_11), .expiry = 7}};
  sc_storage_member members[] = {
      {.node = {1},
       .hash = cast_hashes[0],
       .expiry = 9,
       .already = true,
       .changed = {changed, 2},
       .count = 3,
       .unchanged = {unchanged, 1}},
      {.node = {2}, .failed = true, .timed_out = true},
      {.node = {3}, .failed = true, .code = 401, .reason = sc_bytes_text("no")},
      {.node = {4}, .failed = true, .query_failure = true},
      {.node = {5}, .failed = true, .bad_peer_response = true},
  };
  sc_storage_reply reply = {.clock = clock_of_19_6, .of.members = {members, 5}};
  for (int method = SC_STORAGE_STORE; method <= SC_STORAGE_UNREVOKE; method++) {
    sc_storage_request request = cast_any((sc_storage_method)method);
    if (!sc_storage_method_is_recursive(request.method))
      continue;
    OK(comes_back(t, &request, &reply));
    if (method == SC_STORAGE_DELETE_ALL || method == SC_STORAGE_DELETE_BEFORE ||
        method == SC_STORAGE_EXPIRE_ALL) {
      request.of.sweep.where.all = true;
      OK(comes_back(t, &request, &reply));
    }
  }
done:;
}

static void the_known_members_are_written(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_STORE);
  sc_storage_member members[] = {{.node = {1}, .failed = true, .timed_out = true},
                                 {.node = {2}, .failed = true, .code = 401, .reason = sc_bytes_text("no")}};
  sc_storage_reply reply = {.clock = clock_of_19_6, .of.members = {members, 2}};
  sc_buffer body;
  sc_buffer_init(&body, t->env);
#define ZEROS "00000000000000000000000000000000000000000000000000000000000000"
  OK(sc_storage_reply_write(&body, SC_STORAGE_JSON, &request, &reply));
  SAME(sc_bytes_text("{\"hf\":[19,6],\"swarm\":{\"01" ZEROS "\":{\"failed\":true,\"timeout\":true},\"02" ZEROS
                     "\":{\"code\":\"401\",\"failed\":true,\"reason\":\"no\"}},\"t\":1700000000123}"),
       sc_buffer_bytes(&body));
  OK(sc_storage_reply_write(&body, SC_STORAGE_BT, &request, &reply));
  SAME(sc_bytes_text("d2:hfli19ei6ee5:swarmd64:01" ZEROS "d6:failedi1e7:timeouti1ee64:02" ZEROS
                     "d4:code3:4016:failedi1e6:reason2:noee1:ti1700000000123ee"),
       sc_buffer_bytes(&body));
done:
  sc_buffer_free(&body);
}

static void the_known_messages_are_written(sc_test *t) {
  const sc_storage_message message = {cast_hashes[0], cast_now, 1701209600000, sc_bytes_text("hello world"),
                                      false};
  sc_storage_request request = cast_any(SC_STORAGE_RETRIEVE);
  sc_storage_reply reply = {.clock = clock_of_19_6, .of.messages = {&message, 1, false}};
  sc_buffer body;
  sc_buffer_init(&body, t->env);
  OK(sc_storage_reply_write(&body, SC_STORAGE_JSON, &request, &reply));
  SAME(sc_bytes_text(
           "{\"hf\":[19,6],\"messages\":[{\"data\":\"aGVsbG8gd29ybGQ=\",\"expiration\":1701209600000,"
           "\"hash\":\"" CAST_HASH_0 "\",\"timestamp\":1700000000000}],\"more\":false,\"t\":1700000000123}"),
       sc_buffer_bytes(&body));
  OK(comes_back(t, &request, &reply));
done:
  sc_buffer_free(&body);
}

static void the_other_replies_survive_a_round_trip(sc_test *t) {
  const sc_storage_change expiry = {.hash = cast_hashes[0], .expiry = 5};
  sc_storage_request request = cast_any(SC_STORAGE_GET_EXPIRIES);
  sc_storage_reply expiries = {.of.expiries = {&expiry, 1}};
  OK(comes_back(t, &request, &expiries));
  sc_storage_reply tokens = {.clock = clock_of_19_6, .of.tokens = {cast_tokens, 2}};
  request = cast_any(SC_STORAGE_REVOKED);
  OK(comes_back(t, &request, &tokens));
  sc_storage_reply info = {.clock = clock_of_19_6, .of.info = {{2, 8, 0}, cast_now}};
  request = cast_any(SC_STORAGE_INFO);
  OK(comes_back(t, &request, &info));
  sc_storage_reply name = {.clock = clock_of_19_6, .of.name = {true, sc_bytes_text("encrypted"), {1}}};
  request = cast_any(SC_STORAGE_NAME);
  OK(comes_back(t, &request, &name));
  name.of.name.registered = false;
  OK(comes_back(t, &request, &name));
  sc_storage_reply unchanged = {.clock = clock_of_19_6, .of.service_nodes = {.unchanged = true, .height = 5}};
  request = cast_any(SC_STORAGE_SERVICE_NODES);
  OK(comes_back(t, &request, &unchanged));
done:;
}

static void batches_and_branches_survive_a_round_trip(sc_test *t) {
  sc_storage_request parts[] = {cast_any(SC_STORAGE_INFO), cast_any(SC_STORAGE_GET_SWARM),
                                cast_any(SC_STORAGE_ACTIVE_NODES)};
  sc_storage_request batch = {.method = SC_STORAGE_BATCH, .of.batch = {parts, 3}}, sequence = batch;
  sc_storage_request branch = {.method = SC_STORAGE_BRANCH, .of.branch = {.then = &batch}};
  sc_storage_node node = {.ip = {1, 2, 3, 4}, .https_port = 1, .quic_port = 2};
  sc_keypair keys = cast_keys(1);
  memcpy(node.ed25519, keys.ed.public_key, SC_KEY_BYTES);
  memcpy(node.x25519, keys.x.public_key, SC_KEY_BYTES);
  const sc_storage_swarm swarm = {5, {&node, 1, 0}};
  const sc_storage_reply info = {.of.info = {{2, 8, 0}, cast_now}},
                         nodes = {.of.active_nodes = {&node, 1, 0}};
  const sc_storage_result results[] = {
      {.code = 200, .reply = &info}, {.code = 421, .swarm = &swarm}, {.code = 200, .reply = &nodes}};
  const sc_storage_reply all = {.of.results = {results, 3}}, stopped = {.of.results = {results, 2}};
  const sc_storage_result outcome = {.code = 200, .reply = &all},
                          failed = {.code = 500, .text = sc_bytes_text("request failed")};
  sc_storage_reply taken = {.clock = {.has_fork = true, .fork = {19, 6}},
                            .of.outcome = {true, 7, {2, 8, 0}, &outcome}};
  sequence.method = SC_STORAGE_SEQUENCE;
  OK(comes_back(t, &batch, &all));
  OK(comes_back(t, &sequence, &stopped));
  OK(comes_back(t, &branch, &taken));
  taken.of.outcome.result = &failed;
  OK(comes_back(t, &branch, &taken));
  taken.of.outcome = (sc_storage_outcome){.height = 7};
  OK(comes_back(t, &branch, &taken));
done:;
}

static void an_invalid_reply_is_not_written(sc_test *t) {
  sc_storage_request info = cast_any(SC_STORAGE_INFO);
  sc_storage_request batch = {.method = SC_STORAGE_BATCH, .of.batch = {&info, 1}};
  const sc_storage_result results[2] = {{.code = 500, .text = sc_bytes_text("x")},
                                        {.code = 500, .text = sc_bytes_text("x")}};
  sc_storage_reply many = {.of.results = {results, 2}};
  const sc_storage_change twice[] = {{.hash = sc_bytes_text("a")}, {.hash = sc_bytes_text("a")}};
  sc_storage_reply expiries = {.of.expiries = {twice, 2}};
  sc_storage_request expiries_request = cast_any(SC_STORAGE_GET_EXPIRIES);
  sc_storage_message message = {.hash = sc_bytes_text("\xff")};
  sc_storage_reply no_text = {.of.messages = {&message, 1, false}};
  sc_storage_request retrieve = cast_any(SC_STORAGE_RETRIEVE);
  sc_buffer body;
  sc_buffer_init(&body, t->env);
  FAILS(SC_ERR_ARGUMENT, sc_storage_reply_write(&body, SC_STORAGE_JSON, &batch, &many));
  FAILS(SC_ERR_BT_ORDER, sc_storage_reply_write(&body, SC_STORAGE_BT, &expiries_request, &expiries));
  FAILS(SC_ERR_UTF8, sc_storage_reply_write(&body, SC_STORAGE_JSON, &retrieve, &no_text));
  CHECK(body.len == 0);
done:
  sc_buffer_free(&body);
}

SUITE(node_reply_write, "node/reply_write", {"members survive a round trip", members_survive_a_round_trip},
      {"the known members are written", the_known_members_are_written},
      {"the known messages are written", the_known_messages_are_written},
      {"the other replies survive a round trip", the_other_replies_survive_a_round_trip},
      {"batches and branches survive a round trip", batches_and_branches_survive_a_round_trip},
      {"an invalid reply is not written", an_invalid_reply_is_not_written});
