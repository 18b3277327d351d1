/* A message that is accepted is written as it was, but for what it may leave out; what is written is accepted
 * again, and so is what follows it. Signed, it is accepted by those who know the key. */
#include "config/message.h"
#include "fuzz.h"

static const sc_config_rules trusting = {.trust_signature = true};

static void require_written(sc_buffer *out, const sc_config_message *message) {
  sc_buffer_init(out, fuzz_env());
  REQUIRE(sc_config_message_write(out, message, &trusting) == SC_OK);
}

static sc_config_message *require_parsed(sc_bytes bytes, const sc_config_rules *rules) {
  sc_config_message *message;
  REQUIRE(sc_config_message_parse(&message, fuzz_env(), bytes, rules) == SC_OK);
  return message;
}

static bool has_part(sc_bytes input, const char *part) {
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, input);
  REQUIRE(sc_bt_enter_dict(&reader) == SC_OK);
  return sc_bt_find_key(&reader, sc_bytes_text(part)) == SC_OK;
}

static size_t entries_of(sc_bytes input) {
  sc_bt_reader reader;
  size_t count = 0;
  sc_bt_reader_init(&reader, input);
  REQUIRE(sc_bt_enter_dict(&reader) == SC_OK);
  if (sc_bt_find_key(&reader, sc_bytes_text("<")) != SC_OK || sc_bt_enter_list(&reader) != SC_OK)
    return 0;
  for (; sc_bt_peek(&reader) != SC_BT_END; count++)
    REQUIRE(sc_bt_skip(&reader) == SC_OK);
  return count;
}

/* Nothing was missing, and no earlier change was too early. */
static bool is_whole(sc_bytes input, const sc_config_message *message) {
  return has_part(input, "<") && has_part(input, "=") &&
         entries_of(input) == sc_config_message_lagged_count(message);
}

static void check_writing(sc_bytes input, const sc_config_message *message) {
  sc_buffer written, again;
  require_written(&written, message);
  REQUIRE(!is_whole(input, message) || sc_bytes_same(input, sc_buffer_bytes(&written)));
  sc_config_message *reread = require_parsed(sc_buffer_bytes(&written), &trusting);
  require_written(&again, reread);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&written), sc_buffer_bytes(&again)));
  sc_config_message_free(reread);
  sc_buffer_free(&written);
  sc_buffer_free(&again);
}

/* With an edit that surely changes something. */
static void check_following(const sc_config_message *message) {
  sc_config_message *next;
  sc_buffer written, diff;
  const sc_bytes keys[] = {sc_bytes_text("fuzz"), sc_bytes_text("edit")};
  sc_status status = sc_config_message_increment(&next, message, NULL);
  REQUIRE(status == (sc_config_message_seqno(message) < SC_CONFIG_MAX_SEQNO ? SC_OK : SC_ERR_CONFIG_SEQNO));
  if (status != SC_OK)
    return;
  sc_buffer_init(&diff, fuzz_env());
  REQUIRE(sc_config_message_diff(&diff, next) == SC_OK);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&diff), sc_bytes_text("de")));
  REQUIRE(sc_config_message_add(next, (sc_config_path){keys, 2}, sc_config_integer(1)) == SC_OK);
  require_written(&written, next);
  sc_config_message_free(require_parsed(sc_buffer_bytes(&written), NULL));
  sc_config_message_free(next);
  sc_buffer_free(&written);
  sc_buffer_free(&diff);
}

/* A client that merged it says that everything changed: then applied to nothing, everything is there. */
static void check_full_diff(const sc_config_message *message) {
  sc_config_message *reopened, *frozen;
  sc_buffer written[2];
  REQUIRE(sc_config_message_reopen(&reopened, message, true) == SC_OK);
  REQUIRE(sc_config_message_freeze(&frozen, reopened, NULL) == SC_OK);
  require_written(&written[0], reopened);
  require_written(&written[1], frozen);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&written[0]), sc_buffer_bytes(&written[1])));
  sc_config_message_free(require_parsed(sc_buffer_bytes(&written[0]), NULL));
  sc_config_message_free(reopened);
  sc_config_message_free(frozen);
  sc_buffer_free(&written[0]);
  sc_buffer_free(&written[1]);
}

static void check_signing(sc_bytes input) {
  uint8_t seed[32] = {1};
  sc_ed25519_pair pair;
  sc_buffer bytes;
  sc_buffer_init(&bytes, fuzz_env());
  sc_ed25519_pair_from_seed(&pair, seed);
  sc_config_rules rules = {.verifier = pair.public_key, .signer = &pair};
  sc_config_message *message = require_parsed(input, NULL);
  REQUIRE(sc_config_message_write(&bytes, message, &rules) == SC_OK);
  sc_config_message_free(message);
  message = require_parsed(sc_buffer_bytes(&bytes), &rules);
  REQUIRE(sc_config_message_signature(message).len == SC_SIGNATURE_BYTES);
  sc_config_message_free(message);
  bytes.ptr[2] ^= 1;
  REQUIRE(sc_config_message_parse(&message, fuzz_env(), sc_buffer_bytes(&bytes), &rules) != SC_OK);
  sc_buffer_free(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_bytes input = sc_bytes_make(data, size);
  sc_config_message *message;
  REQUIRE(sc_init() == SC_OK);
  sc_status status = sc_config_message_parse(&message, fuzz_env(), input, &trusting);
  REQUIRE((status == SC_OK) == (message != NULL));
  if (status != SC_OK)
    return 0;
  check_writing(input, message);
  check_following(message);
  check_full_diff(message);
  check_signing(input);
  sc_config_message_free(message);
  return 0;
}
