#include "config/message.h"
#include "topics.h"

static const sc_json *element(const sc_json *list, size_t index) {
  const sc_json *value = NULL;
  return sc_json_element(&value, list, index) == SC_OK ? value : NULL;
}

static const sc_json *member(const sc_json *object, const char *field) {
  const sc_json *value = NULL;
  return sc_json_member(&value, object, field) == SC_OK ? value : NULL;
}

/* Lists may be of any length; all are kept until the end of the case. */
typedef struct message_list {
  sc_config_message **items;
  size_t count;
} message_list;

static void free_messages(message_list *list) {
  for (size_t i = 0; i < list->count; i++)
    sc_config_message_free(list->items[i]);
}

/* Compares with the fields of `recorded`, a part of the case. */
static void same_lagged(known_case *c, const sc_config_message *message) {
  const sc_json *whole = c->json;
  const sc_json *list = known_field(c, "lagged");
  size_t count = sc_config_message_lagged_count(message);
  if (sc_json_count(list) != count)
    known_differs(c, "lagged has %zu items, recorded are %zu", count, sc_json_count(list));
  for (size_t i = 0; i < count && i < sc_json_count(list); i++) {
    sc_config_lagged lagged = sc_config_message_lagged(message, i);
    c->json = element(list, i);
    known_same_integer(c, "seqno", lagged.seqno);
    known_same(c, "hash", sc_bytes_make(lagged.hash, SC_CONFIG_HASH_BYTES));
  }
  c->json = whole;
}

static sc_status same_hash(known_case *c, const sc_config_message *message, const sc_config_rules *rules) {
  uint8_t hash[SC_CONFIG_HASH_BYTES];
  sc_status status = sc_config_message_hash(hash, message, rules);
  known_same_integer(c, "seqno", sc_config_message_seqno(message));
  if (status == SC_OK)
    known_same(c, "hash", SC_BYTES(hash));
  return status;
}

static sc_status same_data(known_case *c, const sc_config_message *message) {
  sc_buffer *data = known_buffer(c);
  sc_status status = sc_config_message_data(data, message);
  if (status == SC_OK)
    known_same(c, "data", sc_buffer_bytes(data));
  return status;
}

static sc_status same_diff(known_case *c, const sc_config_message *message) {
  sc_buffer *diff = known_buffer(c);
  sc_status status = sc_config_message_diff(diff, message);
  if (status == SC_OK)
    known_same(c, "diff", sc_buffer_bytes(diff));
  return status;
}

static sc_status same_bytes(known_case *c, const char *field, const sc_config_message *message,
                            const sc_config_rules *rules) {
  sc_buffer *bytes = known_buffer(c);
  sc_status status = sc_config_message_write(bytes, message, rules);
  if (status == SC_OK)
    known_same(c, field, sc_buffer_bytes(bytes));
  return status;
}

static sc_status same_content(known_case *c, const sc_config_message *message) {
  sc_status status = same_data(c, message);
  if (status == SC_OK)
    status = same_diff(c, message);
  if (status == SC_OK)
    same_lagged(c, message);
  return status;
}

/* A key pair that signs and verifies. */
static void sign_with(sc_config_rules *rules, sc_ed25519_pair *pair, const uint8_t *seed) {
  sc_ed25519_pair_from_seed(pair, seed);
  rules->signer = pair;
  rules->verifier = pair->public_key;
}

static sc_config_rules rules_of(known_case *c, sc_ed25519_pair *pair) {
  sc_config_rules rules = {.lag = (uint8_t)known_unsigned(c, "lag")};
  if (known_has(c, "sign_seed"))
    sign_with(&rules, pair, known_key(c, "sign_seed"));
  if (known_has(c, "verify_pubkey"))
    rules.verifier = known_key(c, "verify_pubkey");
  rules.trust_signature = known_has(c, "trust_signature") && known_flag(c, "trust_signature");
  return rules;
}

static sc_status parse(known_case *c) {
  sc_ed25519_pair unused;
  sc_config_rules rules = rules_of(c, &unused);
  sc_config_message *message;
  sc_status status = sc_config_message_parse(&message, known_env(c), known_hex(c, "message"), &rules);
  if (status != SC_OK)
    return status;
  status = same_hash(c, message, &rules);
  if (status == SC_OK && c->accepts)
    status = same_content(c, message);
  if (status == SC_OK)
    status = same_bytes(c, "reserialized", message, &rules);
  sc_bytes signature = sc_config_message_signature(message);
  if (signature.len > 0 || known_has(c, "verified_signature"))
    known_same(c, "verified_signature", signature);
  sc_config_message_free(message);
  return status;
}

static message_list new_list(known_case *c, size_t count) {
  uint8_t *space = NULL;
  size_t size = (count + 1) * sizeof(sc_config_message *);
  if (sc_buffer_extend(&space, known_buffer(c), size) != SC_OK)
    return (message_list){0};
  memset(space, 0, size);
  return (message_list){(sc_config_message **)(void *)space, 0};
}

static sc_status merge(sc_config_message **out, sc_config_merged *how, const message_list *list,
                       const sc_config_rules *rules) {
  return sc_config_message_merge(out, how, (const sc_config_message *const *)list->items, list->count, rules);
}

/* The position of the message with this index when rejected ones are not counted. */
static int64_t index_among_good(const message_list *list, size_t index) {
  int64_t good = 0;
  for (size_t i = 0; i < index; i++)
    good += list->items[i] != NULL;
  return good;
}

static void same_choice(known_case *c, const sc_config_merged *how, const message_list *list) {
  known_same_flag(c, "merged", how->resolved);
  known_same_integer(c, "unmerged_index", how->resolved ? -1 : index_among_good(list, how->chosen));
}

/* Parses each message; exactly those recorded as rejected must be rejected. */
static sc_status parse_all(message_list *out, known_case *c, const sc_config_rules *rules) {
  known_list inputs = known_hex_list(c, "messages");
  const sc_json *rejected = known_field(c, "rejected_indices");
  size_t rejections = 0;
  *out = new_list(c, inputs.count);
  for (size_t i = 0; i < inputs.count; i++) {
    sc_status status = sc_config_message_parse(&out->items[i], known_env(c), inputs.items[i], rules);
    out->count++;
    if (status == SC_ERR_NO_MEMORY)
      return status;
    int64_t index = -1;
    if (status == SC_OK)
      continue;
    if (sc_json_i64(&index, element(rejected, rejections++)) != SC_OK || index != (int64_t)i)
      known_differs(c, "message %zu is rejected with %s", i, sc_status_name(status));
  }
  if (rejections != sc_json_count(rejected))
    known_differs(c, "%zu messages are rejected, recorded are %zu", rejections, sc_json_count(rejected));
  return SC_OK;
}

static sc_status load_many(known_case *c) {
  sc_ed25519_pair pair;
  sc_config_rules rules = rules_of(c, &pair);
  message_list list;
  sc_config_message *result = NULL;
  sc_config_merged how;
  sc_status status = parse_all(&list, c, &rules);
  if (status == SC_OK)
    status = merge(&result, &how, &list, &rules);
  if (status == SC_OK) {
    same_choice(c, &how, &list);
    status = same_hash(c, result, &rules);
  }
  if (status == SC_OK)
    status = same_data(c, result);
  if (status == SC_OK && how.resolved)
    status = same_bytes(c, "serialized", result, &rules);
  sc_config_message_free(result);
  free_messages(&list);
  return status;
}

/* Parses the written messages with these indices. */
static sc_status parse_chosen(message_list *out, known_case *c, const sc_json *indices,
                              const sc_bytes *written, const sc_config_rules *rules) {
  *out = new_list(c, sc_json_count(indices));
  sc_status status = SC_OK;
  for (size_t i = 0; i < sc_json_count(indices) && status == SC_OK; i++) {
    int64_t index;
    status = sc_json_i64(&index, element(indices, i));
    if (status == SC_OK)
      status = sc_config_message_parse(&out->items[i], known_env(c), written[index], rules);
    out->count++;
  }
  return status;
}

/* The message to edit: a new one, or a successor of its parents. */
static sc_status begin(sc_config_message **out, known_case *c, const sc_bytes *written,
                       const sc_config_rules *rules) {
  const sc_json *parents = known_field(c, "parents");
  if (sc_json_count(parents) == 0)
    return sc_config_message_new(out, known_env(c), known_integer(c, "start_seqno"));
  message_list list;
  sc_config_merged how;
  sc_config_message *merged = NULL;
  sc_status status = parse_chosen(&list, c, parents, written, rules);
  if (status == SC_OK)
    status = merge(&merged, &how, &list, rules);
  if (status == SC_OK) {
    same_choice(c, &how, &list);
    status = how.resolved ? sc_config_message_reopen(out, merged, false)
                          : sc_config_message_increment(out, merged, rules);
  }
  sc_config_message_free(merged);
  free_messages(&list);
  return status;
}

static sc_config_value value_of(known_case *c, const sc_json *op) {
  int64_t integer;
  if (sc_json_member_i64(&integer, op, "int") == SC_OK)
    return sc_config_integer(integer);
  return sc_config_string(known_hex_of(c, member(op, "str")));
}

/* The value at the path is gone, and every dict on the way still exists; empty dicts count as missing. */
static sc_status make_empty(sc_config_message *message, sc_config_path path) {
  sc_status status = sc_config_message_set(message, path, sc_config_integer(0));
  return status == SC_OK ? sc_config_message_erase(message, path) : status;
}

static sc_status apply(sc_config_message *message, known_case *c, const sc_json *op) {
  const sc_json *keys = member(op, "path");
  sc_config_path path = {.count = sc_json_count(keys)};
  sc_bytes *decoded = known_bytes_array(c, path.count);
  sc_bytes name = sc_bytes_text("");
  path.keys = decoded;
  for (size_t i = 0; i < path.count; i++)
    decoded[i] = known_hex_of(c, element(keys, i));
  if (sc_json_member_string(&name, op, "op") != SC_OK)
    known_differs(c, "an edit has no name");
  if (sc_bytes_same(name, sc_bytes_text("set")))
    return sc_config_message_set(message, path, value_of(c, op));
  if (sc_bytes_same(name, sc_bytes_text("set_add")))
    return sc_config_message_add(message, path, value_of(c, op));
  if (sc_bytes_same(name, sc_bytes_text("set_remove")))
    return sc_config_message_remove(message, path, value_of(c, op));
  if (sc_bytes_same(name, sc_bytes_text("erase")))
    return sc_config_message_erase(message, path);
  if (sc_bytes_same(name, sc_bytes_text("make_dict")) || sc_bytes_same(name, sc_bytes_text("make_set")))
    return make_empty(message, path);
  known_differs(c, "an edit that is not known: %.*s", (int)name.len, (const char *)name.ptr);
  return SC_ERR_ARGUMENT;
}

static sc_status edit(sc_config_message *message, known_case *c) {
  const sc_json *ops = known_field(c, "ops");
  sc_status status = SC_OK;
  for (size_t i = 0; i < sc_json_count(ops) && status == SC_OK; i++)
    status = apply(message, c, element(ops, i));
  return status;
}

static sc_status same_result(sc_bytes *written, known_case *c, const sc_config_message *message,
                             const sc_config_rules *rules) {
  sc_buffer *bytes = known_buffer(c);
  sc_status status = sc_config_message_write(bytes, message, rules);
  *written = sc_buffer_bytes(bytes);
  known_same(c, "serialized", *written);
  if (status == SC_OK)
    status = same_hash(c, message, rules);
  return status == SC_OK ? same_content(c, message) : status;
}

static sc_status make_message(sc_bytes *written, size_t index, known_case *c, const sc_config_rules *rules) {
  sc_config_message *message = NULL;
  sc_status status = begin(&message, c, written, rules);
  if (status == SC_OK)
    status = edit(message, c);
  c->json = known_field(c, "result");
  if (status == SC_OK)
    status = same_result(&written[index], c, message, rules);
  sc_config_message_free(message);
  return status;
}

static sc_status load(known_case *c, const sc_bytes *written, sc_config_rules rules) {
  message_list list;
  sc_config_merged how;
  sc_config_message *result = NULL;
  if (known_has(c, "readonly") && known_flag(c, "readonly"))
    rules.signer = NULL;
  sc_status status = parse_chosen(&list, c, known_field(c, "inputs"), written, &rules);
  if (status == SC_OK)
    status = merge(&result, &how, &list, &rules);
  if (status == SC_OK) {
    same_choice(c, &how, &list);
    status = same_hash(c, result, &rules);
  }
  if (status == SC_OK && how.resolved)
    status = same_bytes(c, "serialized", result, &rules);
  if (status == SC_OK && how.resolved)
    status = same_content(c, result);
  sc_config_message_free(result);
  free_messages(&list);
  return status;
}

static sc_status history(known_case *c) {
  sc_ed25519_pair pair;
  sc_config_rules rules = rules_of(c, &pair);
  const sc_json *whole = c->json;
  const sc_json *messages = known_field(c, "messages");
  const sc_json *loads = member(whole, "loads");
  sc_bytes *written = known_bytes_array(c, sc_json_count(messages));
  sc_status status = SC_OK;
  for (size_t i = 0; i < sc_json_count(messages) && status == SC_OK; i++) {
    c->json = element(messages, i);
    status = make_message(written, i, c, &rules);
  }
  for (size_t i = 0; loads != NULL && i < sc_json_count(loads) && status == SC_OK; i++) {
    c->json = element(loads, i);
    status = load(c, written, rules);
  }
  c->json = whole;
  return status;
}

TOPIC(config_message, {"history", history}, {"parse", parse}, {"load_many", load_many});
