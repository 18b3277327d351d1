/* Replies as a client reads them. The first byte of the input chooses the request they answer, or the
 * envelope of QUIC. A reply that was read and written again reads back the same. */
#include "fuzz.h"

enum { most_requests = 24 };

static sc_storage_request requests[most_requests];
static size_t request_count;
static const sc_bytes hashes[2] = {{(const uint8_t *)"9QAogeWwJY/CE19iFAh5hr2vRcMyC92b8njFtInsmxg", 43},
                                   {(const uint8_t *)"7tpR5KJ7lXhN0sFsR3DIC2gPIMEltlM+OmfxQYMXUF0", 43}};
static const uint64_t expiries[2] = {1700000600000, 1700000700000};
static const uint8_t tokens[1][SC_STORAGE_TOKEN_BYTES] = {{3, 3}};

static sc_storage_request *add(sc_storage_method method) {
  static const char account[] = "054701d08488451f545a409fb58ae3e58581ca40ac3f7f114698cd71deac73ca01";
  sc_storage_request *request = &requests[request_count++];
  *request = (sc_storage_request){.method = method};
  REQUIRE(sc_hex_decode(request->account, sizeof request->account, sc_bytes_text(account)) == SC_OK);
  return request;
}

static void prepare(void) {
  if (request_count > 0)
    return;
  REQUIRE(sc_init() == SC_OK);
  sc_storage_hashes both = {hashes, 2};
  add(SC_STORAGE_STORE)->of.store.data = sc_bytes_text("hello world");
  add(SC_STORAGE_RETRIEVE);
  add(SC_STORAGE_DELETE)->of.deletion.hashes = both;
  add(SC_STORAGE_DELETE_ALL);
  add(SC_STORAGE_DELETE_BEFORE)->of.sweep.where.all = true;
  add(SC_STORAGE_EXPIRE)->of.expire = (sc_storage_expire){both, expiries, 1, SC_STORAGE_EXPIRE_SET};
  add(SC_STORAGE_EXPIRE)->of.expire = (sc_storage_expire){both, expiries, 2, SC_STORAGE_EXPIRE_EXTEND};
  add(SC_STORAGE_EXPIRE_ALL)->of.sweep.where.all = true;
  add(SC_STORAGE_GET_EXPIRIES)->of.expiries.hashes = both;
  add(SC_STORAGE_REVOKE)->of.tokens = (sc_storage_tokens){tokens, 1, expiries[0]};
  add(SC_STORAGE_UNREVOKE)->of.tokens = (sc_storage_tokens){tokens, 1, expiries[0]};
  add(SC_STORAGE_REVOKED);
  add(SC_STORAGE_GET_SWARM);
  add(SC_STORAGE_SERVICE_NODES);
  add(SC_STORAGE_NAME);
  add(SC_STORAGE_INFO);
  add(SC_STORAGE_ACTIVE_NODES);
  size_t simple = request_count;
  add(SC_STORAGE_BATCH)->of.batch = (sc_storage_batch){requests, simple};
  add(SC_STORAGE_SEQUENCE)->of.batch = (sc_storage_batch){requests, simple};
  add(SC_STORAGE_BRANCH)->of.branch.then = &requests[simple];
}

static void envelope(sc_bytes input) {
  sc_storage_answer answer;
  bool is_error = fuzz_take_byte(&input) % 2 != 0;
  sc_status status = sc_storage_answer_parse(&answer, is_error, input);
  REQUIRE(status == SC_OK || status == SC_ERR_STORAGE_REPLY);
  if (status == SC_OK)
    REQUIRE(answer.code >= 100 && answer.code <= 599 && answer.body.len <= input.len);
}

/* Binary that happens to be base64 would be read as that the second time. */
static bool can_come_back(const sc_storage_request *request) {
  return request->method != SC_STORAGE_ACTIVE_NODES;
}

static void write_again(const sc_storage_request *request, sc_storage_form form,
                        const sc_storage_parsed_reply *first) {
  sc_storage_parsed_reply second;
  sc_buffer written, again;
  sc_buffer_init(&written, fuzz_env());
  sc_buffer_init(&again, fuzz_env());
  REQUIRE(sc_storage_reply_write(&written, form, request, &first->reply) == SC_OK);
  if (can_come_back(request)) {
    REQUIRE(sc_storage_reply_parse(&second, fuzz_env(), request, sc_buffer_bytes(&written)) == SC_OK);
    REQUIRE(sc_storage_reply_write(&again, form, request, &second.reply) == SC_OK);
    REQUIRE(sc_bytes_same(sc_buffer_bytes(&written), sc_buffer_bytes(&again)));
    sc_storage_parsed_reply_free(&second);
  }
  sc_buffer_free(&written);
  sc_buffer_free(&again);
}

static void verify(const sc_storage_request *request, const sc_storage_reply *reply) {
  sc_storage_tally tally;
  sc_status status = sc_storage_reply_verify(&tally, fuzz_env(), request, reply, NULL);
  bool has_members = sc_storage_method_is_recursive(request->method);
  REQUIRE((status == SC_ERR_ARGUMENT) == !has_members);
  REQUIRE(status == SC_OK || !has_members || status == SC_ERR_STORAGE_NODE_SIGNATURE);
  if (status == SC_OK)
    REQUIRE(tally.succeeded <= tally.members);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_storage_parsed_reply parsed;
  prepare();
  sc_bytes input = sc_bytes_make(data, size);
  uint8_t choice = fuzz_take_byte(&input) % (uint8_t)(request_count + 1);
  if (choice == request_count) {
    envelope(input);
    return 0;
  }
  const sc_storage_request *request = &requests[choice];
  sc_status status = sc_storage_reply_parse(&parsed, fuzz_env(), request, input);
  REQUIRE(status == SC_OK || status == SC_ERR_STORAGE_REPLY);
  if (status != SC_OK)
    return 0;
  verify(request, &parsed.reply);
  bool bt = input.len > 0 && input.ptr[0] == 'd';
  write_again(request, bt ? SC_STORAGE_BT : SC_STORAGE_JSON, &parsed);
  sc_storage_parsed_reply_free(&parsed);
  return 0;
}
