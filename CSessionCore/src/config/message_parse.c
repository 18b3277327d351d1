/* A message is read in one pass, part by part. Of one that must be signed the signature is looked at first,
 * so that nothing of it means anything before it is known to be genuine. */
#include "../base/bt_reader.h"
#include "authenticate.h"
#include "data.h"
#include "diff.h"
#include "message.h"

static const char part_seqno[] = "#";
static const char part_data[] = "&";
static const char part_lagged[] = "<";
static const char part_diff[] = "=";
static const char part_signature[] = SC_CONFIG_SIGNATURE_KEY;

typedef struct parser {
  sc_bt_reader reader;
  sc_slice input;
  const sc_config_rules *rules;
  sc_config_message *message;
  sc_bytes key;  /* the current key; its value comes next */
  size_t key_at; /* its first byte, or the end of the last value */
  bool ended;
} parser;

static sc_status next_key(parser *p) {
  p->key_at = sc_bt_position(&p->reader);
  sc_status status = sc_bt_next_key(&p->key, &p->reader);
  p->ended = status == SC_ERR_NOT_FOUND;
  return p->ended ? SC_OK : status;
}

static bool stands_at(const parser *p, const char *part) {
  return !p->ended && sc_bytes_same(p->key, sc_bytes_text(part));
}

static sc_bytes since(const parser *p, size_t start) {
  return sc_bytes_make(p->input.bytes.ptr + start, sc_bt_position(&p->reader) - start);
}

/* Keeps the keys that are less than that of the next part. */
static sc_status read_unknown(parser *p, size_t gap, const char *part) {
  size_t start = p->key_at;
  sc_status status = SC_OK;
  while (status == SC_OK && !p->ended && sc_bt_compare_keys(p->key, sc_bytes_text(part)) < 0) {
    status = sc_bt_skip(&p->reader);
    if (status == SC_OK)
      status = next_key(p);
  }
  if (p->key_at > start) {
    p->message->unknown[gap] = sc_bytes_make(p->input.bytes.ptr + start, p->key_at - start);
    if (p->message->unknown_owner == NULL)
      p->message->unknown_owner = sc_shared_keep(p->input.owner);
  }
  return status;
}

static sc_status read_seqno(parser *p) {
  if (!stands_at(p, part_seqno))
    return SC_ERR_CONFIG_LAYOUT;
  sc_status status = sc_bt_read_i64(&p->message->seqno, &p->reader);
  if (status == SC_OK && p->message->seqno > SC_CONFIG_MAX_SEQNO)
    status = SC_ERR_CONFIG_SEQNO;
  return status == SC_OK ? next_key(p) : status;
}

static sc_status read_data(parser *p) {
  if (!stands_at(p, part_data))
    return SC_ERR_CONFIG_LAYOUT;
  size_t start = sc_bt_position(&p->reader);
  sc_status status = sc_config_data_check(&p->reader);
  if (status == SC_OK)
    status = sc_config_tree_index(&p->message->data, p->message->env, p->input.owner, since(p, start));
  return status == SC_OK ? next_key(p) : status;
}

static sc_status read_changes(sc_slice *out, parser *p) {
  size_t start = sc_bt_position(&p->reader);
  sc_status status = sc_config_diff_check(&p->reader);
  if (status == SC_OK)
    *out = (sc_slice){p->input.owner, since(p, start)};
  return status;
}

static int order_of(const sc_config_earlier *a, int64_t seqno, sc_bytes hash) {
  if (a->seqno != seqno)
    return a->seqno < seqno ? -1 : 1;
  return memcmp(a->hash, hash.ptr, sizeof a->hash);
}

/* Reads an earlier revision that the message looks back to. */
static sc_status read_earlier(parser *p, int64_t seqno) {
  sc_config_message *m = p->message;
  sc_bytes hash;
  sc_slice diff;
  sc_status status = sc_bt_read_string(&hash, &p->reader);
  if (status != SC_OK)
    return status;
  bool in_order = hash.len == SC_CONFIG_HASH_BYTES && seqno < m->seqno;
  if (in_order && m->lagged_count > 0)
    in_order = order_of(&m->lagged[m->lagged_count - 1], seqno, hash) < 0;
  if (!in_order)
    return SC_ERR_CONFIG_LAGGED;
  status = read_changes(&diff, p);
  if (status != SC_OK)
    return status;
  sc_config_message_add_earlier(m, seqno, hash.ptr, diff);
  return sc_bt_peek(&p->reader) == SC_BT_END ? SC_OK : SC_ERR_CONFIG_LAGGED;
}

/* One that the message no longer looks back to is not looked into. */
static sc_status read_entry(parser *p) {
  int64_t seqno;
  sc_status status = sc_bt_enter_list(&p->reader);
  if (status == SC_OK)
    status = sc_bt_read_i64(&seqno, &p->reader);
  if (status == SC_OK && sc_config_looks_back(p->rules, p->message->seqno, seqno))
    status = read_earlier(p, seqno);
  return status == SC_OK ? sc_bt_leave(&p->reader) : status;
}

/* Looks ahead for how many entries there are. */
static sc_status expect_entries(parser *p) {
  sc_bytes list;
  size_t count = 0;
  sc_bt_reader ahead = p->reader;
  if (sc_bt_peek(&ahead) != SC_BT_LIST)
    return SC_ERR_BT_TYPE;
  sc_status status = sc_bt_read_raw(&list, &ahead);
  if (status != SC_OK)
    return status;
  for (list = sc_encoded_body(list); list.len > 0; count++)
    sc_encoded_take(&list);
  return count > SC_CONFIG_MAX_LAGGED ? SC_ERR_TOO_LARGE
                                      : sc_config_message_expect_earlier(p->message, count);
}

static sc_status read_lagged(parser *p) {
  if (!stands_at(p, part_lagged))
    return SC_OK;
  sc_status status = expect_entries(p);
  if (status == SC_OK)
    status = sc_bt_enter_list(&p->reader);
  while (status == SC_OK && sc_bt_peek(&p->reader) != SC_BT_END)
    status = read_entry(p);
  if (status == SC_OK)
    status = sc_bt_leave(&p->reader);
  return status == SC_OK ? next_key(p) : status;
}

/* The diff may be missing where a later key shows that the message is whole. */
static sc_status read_diff(parser *p) {
  if (p->ended)
    return SC_ERR_CONFIG_LAYOUT;
  if (!stands_at(p, part_diff))
    return SC_OK;
  sc_slice diff;
  sc_status status = read_changes(&diff, p);
  if (status != SC_OK)
    return status;
  p->message->diff = sc_slice_keep(diff);
  return next_key(p);
}

/* The verified bytes may still be the end of another value. */
static sc_status read_signature(parser *p) {
  if (!stands_at(p, part_signature))
    return p->rules->verifier != NULL ? SC_ERR_CONFIG_UNSIGNED : SC_OK;
  sc_bytes signature;
  sc_status status = sc_bt_read_string(&signature, &p->reader);
  if (status != SC_OK)
    return status;
  if (signature.len != SC_SIGNATURE_BYTES)
    return SC_ERR_SIGNATURE_SIZE;
  memcpy(p->message->signature, signature.ptr, signature.len);
  p->message->has_signature = p->rules->verifier != NULL || p->rules->trust_signature;
  return next_key(p);
}

static sc_status read_end(parser *p) {
  if (!p->ended)
    return SC_ERR_CONFIG_LAYOUT;
  sc_status status = sc_bt_leave(&p->reader);
  return status == SC_OK ? sc_bt_finish(&p->reader) : status;
}

static sc_status read_parts(parser *p) {
  sc_status status = sc_bt_enter_dict(&p->reader);
  if (status == SC_OK)
    status = next_key(p);
  if (status == SC_OK)
    status = read_seqno(p);
  if (status == SC_OK)
    status = read_unknown(p, 0, part_data);
  if (status == SC_OK)
    status = read_data(p);
  if (status == SC_OK)
    status = read_unknown(p, 1, part_lagged);
  if (status == SC_OK)
    status = read_lagged(p);
  if (status == SC_OK)
    status = read_unknown(p, 2, part_diff);
  if (status == SC_OK)
    status = read_diff(p);
  if (status == SC_OK)
    status = read_unknown(p, 3, part_signature);
  if (status == SC_OK)
    status = read_signature(p);
  return status == SC_OK ? read_end(p) : status;
}

/* Takes the input over, and leaves the hash to be made of it. */
static sc_status parse_input(sc_config_message **out, const sc_env *env, sc_slice input,
                             const sc_config_rules *rules) {
  parser p = {.rules = rules, .input = input};
  sc_status status = sc_config_message_begin(&p.message, env, 0);
  sc_bt_reader_init(&p.reader, p.input.bytes);
  if (status == SC_OK)
    status = read_parts(&p);
  if (status == SC_OK) {
    p.message->unhashed = p.input;
    *out = p.message;
    return SC_OK;
  }
  sc_shared_drop(env, p.input.owner);
  sc_config_message_free(p.message);
  return status;
}

static sc_status parse_and_hash(sc_config_message **out, const sc_env *env, sc_slice input,
                                const sc_config_rules *rules) {
  sc_config_message *message;
  sc_status status = parse_input(&message, env, input, rules);
  if (status != SC_OK)
    return status;
  status = sc_config_message_finish_hash(message);
  if (status == SC_OK)
    *out = message;
  else
    sc_config_message_free(message);
  return status;
}

static sc_status authenticate(sc_bytes bytes, const sc_config_rules *rules) {
  return rules->verifier == NULL ? SC_OK : sc_config_authenticate(bytes, rules->verifier);
}

sc_status sc_config_message_parse(sc_config_message **out, const sc_env *env, sc_bytes bytes,
                                  const sc_config_rules *rules) {
  sc_slice input;
  *out = NULL;
  rules = sc_config_rules_or_default(rules);
  sc_status status = authenticate(bytes, rules);
  if (status == SC_OK)
    status = sc_slice_copy(&input, env, bytes);
  return status == SC_OK ? parse_and_hash(out, env, input, rules) : status;
}

sc_status sc_config_message_take(sc_config_message **out, sc_buffer *bytes, const sc_config_rules *rules) {
  sc_slice input;
  const sc_env *env = bytes->env;
  *out = NULL;
  rules = sc_config_rules_or_default(rules);
  sc_status status = authenticate(sc_buffer_bytes(bytes), rules);
  if (status == SC_OK)
    status = sc_slice_take(&input, bytes);
  return status == SC_OK ? parse_and_hash(out, env, input, rules) : status;
}

sc_status sc_config_message_load(sc_config_message **out, const sc_env *env, sc_bytes bytes) {
  static const sc_config_rules trusting = {.trust_signature = true};
  sc_slice input;
  *out = NULL;
  sc_status status = sc_slice_copy(&input, env, bytes);
  return status == SC_OK ? parse_input(out, env, input, &trusting) : status;
}
