#include "decisions.h"

#include <stdio.h>

#include "config_script.h"

static bool not_canonical(known_case *c) {
  bool canonical;
  return sc_json_member_bool(&canonical, c->json, "canonical") == SC_OK && !canonical;
}

static bool is_bt_status(sc_status status) {
  return status <= SC_ERR_BT_SYNTAX && status >= SC_ERR_BT_DEPTH;
}

/* Containers around the innermost value. Each is an object of one member, a list; a dict's items are lists of
 * key and value. */
static unsigned depth_of(const sc_json *value) {
  const sc_json *content;
  bool dict = sc_json_member(&content, value, "d") == SC_OK;
  if (!dict && sc_json_member(&content, value, "l") != SC_OK)
    return 0;
  unsigned deepest = 0;
  for (size_t i = 0; i < sc_json_count(content); i++) {
    const sc_json *item;
    if (sc_json_element(&item, content, i) != SC_OK || (dict && sc_json_element(&item, item, 1) != SC_OK))
      continue;
    unsigned depth = depth_of(item);
    deepest = depth > deepest ? depth : deepest;
  }
  return deepest + 1;
}

static bool too_deep(known_case *c) {
  const sc_json *value;
  return sc_json_member(&value, c->json, "value") == SC_OK && depth_of(value) > SC_BT_MAX_DEPTH;
}

static bool is_depth_status(sc_status status) {
  return status == SC_ERR_BT_DEPTH;
}

static bool long_nonce(known_case *c) {
  sc_bytes nonce;
  return sc_json_member_string(&nonce, c->json, "nonce") == SC_OK &&
         nonce.len > SC_HEX_CHARS(SC_XCHACHA_NONCE_BYTES);
}

static bool is_nonce_status(sc_status status) {
  return status == SC_ERR_NONCE_SIZE;
}

static bool has_upper_case_id(known_case *c) {
  sc_bytes id;
  if (sc_json_member_string(&id, c->json, "blinded_id") != SC_OK)
    return false;
  for (size_t i = 0; i < id.len; i++)
    if (id.ptr[i] >= 'A' && id.ptr[i] <= 'F')
      return known_has(c, "matches");
  return false;
}

/* Upper and lower case are looked up together; more or less than one match is a flaw. */
static sc_status match_in_both_cases(known_case *c) {
  sc_bytes text = known_text(c, "blinded_id");
  char lower[SC_ID_CHARS + 1];
  sc_id account, blinded[2];
  uint8_t server[SC_KEY_BYTES];
  bool matches[2];
  sc_status status = sc_id_parse(&account, known_text(c, "session_id"));
  if (status == SC_OK)
    status = sc_hex_decode(server, sizeof server, known_text(c, "server_pubkey"));
  if (status == SC_OK)
    status = sc_id_parse(&blinded[0], text);
  if (status != SC_OK)
    return status;
  sc_id_format(lower, &blinded[0]);
  status = sc_id_parse(&blinded[1], sc_bytes_text(lower));
  for (int i = 0; i < 2 && status == SC_OK; i++)
    status = sc_blind_matches(&matches[i], &account, &blinded[i], server);
  if (status == SC_OK && matches[0] != matches[1])
    known_differs(c, "upper and lower case of one id have different answers");
  return status;
}

static bool has_quirk(known_case *c) {
  return known_has(c, "quirk");
}

static bool is_decrypt_status(sc_status status) {
  return status == SC_ERR_DECRYPT;
}

/* Only the cases the file accepts; for others the status depends on their other errors. */
static bool not_canonical_message(known_case *c) {
  return c->accepts && sc_bt_validate(known_hex(c, "message")) != SC_OK;
}

static bool is_bt_failure(sc_status status) {
  return is_bt_status(status) || status == SC_ERR_TRUNCATED || status == SC_ERR_TRAILING;
}

/* Moves to the value of a part of the message. */
static bool find_part(sc_bt_reader *out, known_case *c, const char *part) {
  sc_bt_reader_init(out, known_hex(c, "message"));
  return sc_bt_enter_dict(out) == SC_OK && sc_bt_find_key(out, sc_bytes_text(part)) == SC_OK;
}

/* True if the next value contains a list or a dict inside a list inside a list; `lists` already surround it.
 */
static bool has_odd_member(sc_bt_reader *reader, unsigned lists) {
  sc_bytes key;
  bool found = false;
  bool list = sc_bt_peek(reader) == SC_BT_LIST;
  if (!list && sc_bt_peek(reader) != SC_BT_DICT)
    return sc_bt_skip(reader) != SC_OK;
  found = lists == 2;
  if (list && sc_bt_enter_list(reader) == SC_OK)
    while (sc_bt_peek(reader) != SC_BT_END)
      found = has_odd_member(reader, lists + 1) || found;
  else if (!list && sc_bt_enter_dict(reader) == SC_OK)
    while (sc_bt_next_key(&key, reader) == SC_OK)
      found = has_odd_member(reader, 0) || found;
  return sc_bt_leave(reader) != SC_OK || found;
}

static bool odd_member_in_diff(known_case *c) {
  sc_bt_reader reader;
  return sc_bt_validate(known_hex(c, "message")) == SC_OK && find_part(&reader, c, "=") &&
         has_odd_member(&reader, 0);
}

static bool is_type_status(sc_status status) {
  return status == SC_ERR_BT_TYPE;
}

static bool seqno_beyond_limit(known_case *c) {
  sc_bt_reader reader;
  int64_t seqno;
  return find_part(&reader, c, "#") && sc_bt_read_i64(&seqno, &reader) == SC_OK &&
         seqno > SC_CONFIG_MAX_SEQNO;
}

static bool is_seqno_status(sc_status status) {
  return status == SC_ERR_CONFIG_SEQNO;
}

static bool empty_plaintext(known_case *c) {
  return known_hex(c, "plaintext").len == 0;
}

static bool is_argument_status(sc_status status) {
  return status == SC_ERR_ARGUMENT;
}

static bool is_success(sc_status status) {
  return status == SC_OK;
}

static const vector_decision decisions[] = {
    {"bt", "decode", "canonical is false", not_canonical, NULL, is_bt_status, "rejected with a bt status",
     "a message is known by the hash of its bytes, so a second spelling of the same content would be a "
     "second message; no encoder writes one"},
    {"bt", "decode", "more than 32 containers in each other", too_deep, NULL, is_depth_status,
     "rejected with SC_ERR_BT_DEPTH",
     "every recursion has a named limit; the deepest message in use nests 10 containers"},
    {"bt", "encode", "more than 32 containers in each other", too_deep, NULL, is_depth_status,
     "rejected with SC_ERR_BT_DEPTH", "we do not write what we would not read"},
    {"multi_encrypt", "encrypt_raw", "a nonce longer than 24 bytes", long_nonce, NULL, is_nonce_status,
     "rejected with SC_ERR_NONCE_SIZE", "a nonce of the wrong size is a mistake, not something to cut"},
    {"multi_encrypt", "decrypt_raw", "a nonce longer than 24 bytes", long_nonce, NULL, is_nonce_status,
     "rejected with SC_ERR_NONCE_SIZE", "the same"},
    {"blinding", "session_id_matches_blinded_id", "the blinded id has upper-case digits", has_upper_case_id,
     match_in_both_cases, is_success, "the answer the id has in lower case",
     "an id is the bytes its text stands for, whatever its spelling"},
    {"session_encrypt", "decrypt_blinded", "the sender's id has the wrong sign, a quirk", has_quirk, NULL,
     is_decrypt_status, "rejected with SC_ERR_DECRYPT",
     "the key of a message is made from both ids as they are, so no honest message is lost; the reference "
     "would accept either sign but for a slip"},
    {"config_message", "parse", "the message is not canonical bt, or has bytes after its end",
     not_canonical_message, NULL, is_bt_failure, "rejected with a bt status",
     "a message is known by the hash of its bytes: a second spelling of a revision would be in conflict with "
     "the first for ever"},
    {"config_message", "parse", "a set's change lists something else than integers and strings",
     odd_member_in_diff, NULL, is_type_status, "rejected with SC_ERR_BT_TYPE",
     "what is accepted must be able to be merged; the reference finds the odd member only then, if at all"},
    {"config_message", "parse", "a seqno beyond 2^62", seqno_beyond_limit, NULL, is_seqno_status,
     "rejected with SC_ERR_CONFIG_SEQNO", "there must always be room for the seqnos that follow"},
    {"config_group_keys", "encrypt_message", "the message is empty", empty_plaintext, NULL,
     is_argument_status, "rejected with SC_ERR_ARGUMENT",
     "no implementation opens an empty message, not even the reference that seals it"},
};

const vector_decision *vector_decision_for(const char *topic, const char *kind, known_case *c) {
  for (size_t i = 0; i < sizeof decisions / sizeof decisions[0]; i++) {
    const vector_decision *decision = &decisions[i];
    if (strcmp(decision->topic, topic) == 0 && strcmp(decision->kind, kind) == 0 && decision->applies(c))
      return decision;
  }
  return NULL;
}

void vector_decisions_print(void) {
  for (size_t i = 0; i < sizeof decisions / sizeof decisions[0]; i++) {
    const vector_decision *decision = &decisions[i];
    printf("%s %s, where %s: %s\n  %s\n", decision->topic, decision->kind, decision->which, decision->outcome,
           decision->why);
  }
  script_decisions_print();
}
