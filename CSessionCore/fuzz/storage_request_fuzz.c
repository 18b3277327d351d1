/* Requests as a node reads them. The first byte of the input chooses the method, or a whole call. A request
 * that was read and written again reads back the same. */
#include "fuzz.h"

static const char *const methods[] = {
    "store",
    "retrieve",
    "delete",
    "delete_all",
    "delete_before",
    "expire",
    "expire_all",
    "get_expiries",
    "revoke_subaccount",
    "unrevoke_subaccount",
    "revoked_subaccounts",
    "get_swarm",
    "oxend_request",
    "info",
    "active_nodes_bin",
    "batch",
    "sequence",
    "ifelse",
};
enum { method_count = sizeof methods / sizeof methods[0] };

static bool is_refusal(sc_status status) {
  return (status <= SC_ERR_STORAGE_SYNTAX && status >= SC_ERR_STORAGE_BATCH) || status == SC_ERR_TOO_LARGE;
}

/* Fuzzed requests have no valid signature. */
static void authorize(const sc_storage_request *request) {
  const sc_storage_judge judge = {.now = 1700000000000};
  sc_storage_grant grant;
  sc_status status = sc_storage_request_authorize(&grant, fuzz_env(), request, &judge);
  bool is_signed = sc_storage_method_has_account(request->method);
  REQUIRE(status == SC_OK || is_signed);
  REQUIRE(status == SC_OK || status == SC_ERR_STORAGE_UNAUTHORIZED || status == SC_ERR_STORAGE_CLOCK ||
          status == SC_ERR_STORAGE_LIFETIME || status == SC_ERR_STORAGE_PARAMETER);
}

static void write_again(const sc_storage_parsed_request *first) {
  sc_storage_parsed_request second;
  sc_buffer written, again;
  sc_buffer_init(&written, fuzz_env());
  sc_buffer_init(&again, fuzz_env());
  sc_bytes method = sc_bytes_text(sc_storage_method_name(first->request.method));
  REQUIRE(sc_storage_request_write(&written, first->form, &first->request) == SC_OK);
  REQUIRE(sc_storage_request_parse(&second, fuzz_env(), method, sc_buffer_bytes(&written)) == SC_OK);
  REQUIRE(second.form == first->form && second.request.method == first->request.method);
  REQUIRE(sc_storage_request_write(&again, second.form, &second.request) == SC_OK);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&written), sc_buffer_bytes(&again)));
  sc_storage_parsed_request_free(&second);
  sc_buffer_free(&written);
  sc_buffer_free(&again);
}

static void name_unknown(sc_status refusal, sc_bytes method, sc_bytes input) {
  sc_buffer name;
  sc_buffer_init(&name, fuzz_env());
  sc_status status = sc_storage_unknown_method(&name, fuzz_env(), method, input);
  REQUIRE(refusal != SC_ERR_STORAGE_METHOD || status == SC_OK);
  sc_buffer_free(&name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_storage_parsed_request parsed;
  REQUIRE(sc_init() == SC_OK);
  sc_bytes input = sc_bytes_make(data, size);
  uint8_t choice = fuzz_take_byte(&input) % (method_count + 1);
  sc_status status = choice == method_count ? sc_storage_call_parse(&parsed, fuzz_env(), input)
                                            : sc_storage_request_parse(&parsed, fuzz_env(),
                                                                       sc_bytes_text(methods[choice]), input);
  REQUIRE(status == SC_OK || is_refusal(status));
  if (status != SC_OK) {
    name_unknown(status, choice == method_count ? (sc_bytes){0} : sc_bytes_text(methods[choice]), input);
    return 0;
  }
  authorize(&parsed.request);
  write_again(&parsed);
  sc_storage_parsed_request_free(&parsed);
  return 0;
}
