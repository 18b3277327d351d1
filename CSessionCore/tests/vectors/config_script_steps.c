/* The steps that every config knows. They act on the config itself. */
#include "config/change.h"
#include "config/envelope.h"
#include "config/hashes.h"
#include "config/legacy_wrap.h"
#include "config/message.h"
#include "config/object.h"
#include "config_script.h"

static const sc_json *element(const sc_json *list, size_t index) {
  const sc_json *value = NULL;
  return sc_json_element(&value, list, index) == SC_OK ? value : NULL;
}

/* The keys that seal the config's messages. */
typedef struct opener {
  sc_config_envelope envelope;
  sc_keypair account;
} opener;

static bool has_account(const script *s) {
  const sc_json *seed;
  return sc_json_member(&seed, s->whole, "seed") == SC_OK;
}

static void prepare(opener *out, script *s, const sc_config *config) {
  size_t count = sc_config_key_count(config);
  sc_bytes *keys = known_bytes_array(s->c, count);
  for (size_t i = 0; i < count; i++)
    keys[i] = sc_config_key(config, i);
  out->envelope = (sc_config_envelope){.domain = sc_config_domain(config), .keys = keys, .key_count = count};
  if (!has_account(s))
    return;
  /* The account's only key is its seed; the kinds are in the order of the namespaces, which begin with 2. */
  sc_keypair_from_seed(&out->account, keys[0].ptr);
  out->envelope.account = &out->account;
  out->envelope.kind = (sc_legacy_config_kind)(sc_config_namespace(config) - 1);
}

static sc_status compare_padded(script *s, const opener *o, sc_bytes inner) {
  sc_buffer *padded = known_buffer(s->c);
  sc_status status =
      sc_config_decrypt(padded, o->envelope.keys, o->envelope.key_count, o->envelope.domain, inner);
  if (status != SC_OK)
    return status;
  sc_bytes packed = sc_config_unpadded(sc_buffer_bytes(padded));
  known_same_integer(s->c, "padded_size", (int64_t)padded->len);
  known_same_flag(s->c, "compressed", packed.len > 0 && packed.ptr[0] == 'z');
  return SC_OK;
}

/* Parses a message without checking its signer. */
static sc_config_message *parse(script *s, sc_bytes bytes) {
  sc_config_message *message = NULL;
  sc_status status = sc_config_message_parse(&message, known_env(s->c), bytes, NULL);
  return status == SC_OK ? message : NULL;
}

static bool same_parts(script *s, const sc_config_message *a, const sc_config_message *b) {
  sc_buffer *texts[4];
  size_t count = sc_config_message_lagged_count(a);
  for (size_t i = 0; i < 4; i++)
    texts[i] = known_buffer(s->c);
  bool same = sc_config_message_data(texts[0], a) == SC_OK && sc_config_message_data(texts[1], b) == SC_OK &&
              sc_config_message_diff(texts[2], a) == SC_OK && sc_config_message_diff(texts[3], b) == SC_OK &&
              sc_bytes_same(sc_buffer_bytes(texts[0]), sc_buffer_bytes(texts[1])) &&
              sc_bytes_same(sc_buffer_bytes(texts[2]), sc_buffer_bytes(texts[3])) &&
              sc_config_message_seqno(a) == sc_config_message_seqno(b) &&
              count == sc_config_message_lagged_count(b);
  for (size_t i = 0; i < count && same; i++) {
    sc_config_lagged one = sc_config_message_lagged(a, i);
    sc_config_lagged other = sc_config_message_lagged(b, i);
    same = one.seqno == other.seqno && sc_bytes_same(one.diff, other.diff);
  }
  return same;
}

/* Equal messages except for the hashes of earlier revisions, and therefore the signature. */
static bool same_but_for_hashes(script *s, sc_bytes one, sc_bytes other) {
  sc_config_message *a = parse(s, one);
  sc_config_message *b = parse(s, other);
  bool same = a != NULL && b != NULL && same_parts(s, a, b);
  sc_config_message_free(a);
  sc_config_message_free(b);
  return same;
}

/* The layers inside a pushed message. */
static sc_status compare_layers(script *s, const opener *o, sc_bytes message, sc_bytes plain) {
  sc_bytes inner = message;
  sc_buffer *unwrapped = known_buffer(s->c);
  sc_status status = SC_OK;
  if (o->envelope.account != NULL) {
    status = sc_config_unwrap(unwrapped, o->envelope.account, o->envelope.kind, message);
    inner = sc_buffer_bytes(unwrapped);
  }
  known_same(s->c, "plaintext", plain);
  known_same(s->c, "message", message);
  if (status == SC_OK && o->envelope.account != NULL && known_has(s->c, "inner"))
    known_same(s->c, "inner", inner);
  return status == SC_OK ? compare_padded(s, o, inner) : status;
}

/* True if `b` has everything in `a`, except for disputed hashes and the current message's. */
static bool has_all(const script *s, const sc_config_hashes *a, const sc_config_hashes *b) {
  for (size_t i = 0; i < a->count; i++)
    if (!sc_config_hashes_contain(b, a->items[i]) && !sc_config_hashes_contain(&s->disputed, a->items[i]) &&
        !sc_config_hashes_contain(&s->current, a->items[i]))
      return false;
  return true;
}

static bool agree(const script *s, const sc_config_hashes *a, const sc_config_hashes *b) {
  return has_all(s, a, b) && has_all(s, b, a);
}

static void compare_obsolete(script *s, const sc_config_hashes *actual) {
  const sc_json *list = known_field(s->c, "obsolete");
  sc_config_hashes recorded;
  sc_config_hashes_init(&recorded, known_env(s->c));
  for (size_t i = 0; i < sc_json_count(list); i++) {
    sc_bytes text = sc_bytes_text("");
    if (sc_json_string(&text, element(list, i)) != SC_OK || sc_config_hashes_add(&recorded, text) != SC_OK)
      known_differs(s->c, "obsolete is no list of hashes");
  }
  if (!agree(s, &recorded, actual))
    known_differs(s->c, "obsolete has %zu hashes, recorded are %zu", actual->count, recorded.count);
  sc_config_hashes_free(&recorded);
}

/* Other devices continue with the reference's pushed message where ours may differ. */
static sc_status compare_push(sc_bytes *pushed, script *s, const sc_config *config,
                              const sc_config_outgoing *out) {
  opener o;
  sc_config_form form;
  sc_buffer *plain = known_buffer(s->c);
  const sc_json *back = script_enter(s, "result");
  prepare(&o, s, config);
  sc_status status = sc_config_open(plain, &form, &o.envelope, *pushed);
  sc_bytes recorded = known_hex(s->c, "plaintext");
  sc_bytes actual = sc_buffer_bytes(plain);
  known_same_integer(s->c, "seqno", out->seqno);
  compare_obsolete(s, &out->obsolete);
  if (s->names_differ)
    *pushed = known_hex(s->c, "message");
  else if (s->restored && !sc_bytes_same(recorded, actual) && same_but_for_hashes(s, recorded, actual))
    *pushed = known_hex(s->c, "message");
  else if (status == SC_OK)
    status = compare_layers(s, &o, *pushed, actual);
  script_leave(s, back);
  return status;
}

/* True if an account's config is stored as old clients expect it. */
static bool is_wrapped(script *s, const sc_config *config, sc_bytes message) {
  opener o;
  prepare(&o, s, config);
  return o.envelope.account == NULL ||
         sc_config_unwrap(known_buffer(s->c), o.envelope.account, o.envelope.kind, message) == SC_OK;
}

/* The reference had no parts, and wrapped every config of an account: it refused one too large for a single
 * message like this. */
static sc_status refuse_large(script *s, const sc_config *config, const sc_config_outgoing *out) {
  bool refuses = !s->c->accepts && (sc_config_stored_count(&out->messages) > 1 ||
                                    !is_wrapped(s, config, sc_config_stored_message(&out->messages, 0)));
  return refuses ? SC_ERR_TOO_LARGE : SC_OK;
}

static sc_status push(script *s, void *object) {
  sc_config_outgoing out;
  sc_buffer *copy = known_buffer(s->c);
  sc_config_outgoing_init(&out, known_env(s->c));
  sc_status status = sc_config_push(&out, object, s->now_ms);
  if (status == SC_OK)
    status = refuse_large(s, object, &out);
  if (status == SC_OK)
    status = sc_buffer_append(copy, sc_config_stored_message(&out.messages, 0));
  sc_bytes pushed = sc_buffer_bytes(copy);
  if (status == SC_OK && s->c->accepts)
    status = compare_push(&pushed, s, object, &out);
  if (status == SC_OK)
    script_remember(s, pushed);
  sc_config_outgoing_free(&out);
  return status;
}

static sc_status confirm_pushed(script *s, void *object) {
  sc_bytes hash = known_text(s->c, "hash");
  return sc_config_confirm(object, known_integer(s->c, "seqno"), &hash, 1);
}

/* The raw value of a key of a dict. */
static sc_bytes value_of(sc_bytes dict, const char *key) {
  sc_bt_reader reader;
  sc_bytes value = sc_bytes_text("");
  sc_bt_reader_init(&reader, dict);
  if (sc_bt_enter_dict(&reader) != SC_OK || sc_bt_find_key(&reader, sc_bytes_text(key)) != SC_OK ||
      sc_bt_read_raw(&value, &reader) != SC_OK)
    return sc_bytes_text("");
  return value;
}

static sc_bytes text_of(sc_bytes value) {
  sc_bt_reader reader;
  sc_bytes text;
  sc_bt_reader_init(&reader, value);
  return sc_bt_read_string(&text, &reader) == SC_OK ? text : sc_bytes_text("");
}

/* The config's own message, without its signature. */
static sc_bytes own_message(script *s, sc_config *config) {
  sc_buffer *dump = known_buffer(s->c);
  sc_status status = sc_config_dump(dump, config, s->now_ms);
  return status == SC_OK ? text_of(value_of(sc_buffer_bytes(dump), "$")) : sc_bytes_text("");
}

/* An unconfirmed config receives its own message before its hash is known. */
static void dispute_own(script *s, sc_config *config, const sc_config_incoming *incoming, size_t count) {
  opener o;
  sc_config_form form;
  if (sc_config_state_of(config) != SC_CONFIG_WAITING)
    return;
  prepare(&o, s, config);
  sc_bytes own = own_message(s, config);
  for (size_t i = 0; i < count; i++) {
    sc_buffer *plain = known_buffer(s->c);
    if (sc_config_open(plain, &form, &o.envelope, incoming[i].stored) == SC_OK &&
        same_but_for_hashes(s, own, sc_buffer_bytes(plain)))
      script_dispute(s, incoming[i].hash);
  }
}

static sc_status merge(script *s, void *object) {
  const sc_json *step = s->c->json;
  const sc_json *messages = known_field(s->c, "messages");
  size_t count = sc_json_count(messages);
  sc_config_incoming incoming[SC_CONFIG_MAX_INCOMING];
  sc_status statuses[SC_CONFIG_MAX_INCOMING];
  sc_config_effect effect;
  if (count > SC_CONFIG_MAX_INCOMING)
    return SC_ERR_TOO_LARGE;
  for (size_t i = 0; i < count; i++) {
    s->c->json = element(messages, i);
    incoming[i].hash = known_text(s->c, "hash");
    incoming[i].stored = known_has(s->c, "ref") ? script_recall(s, "ref") : known_hex(s->c, "data");
  }
  s->c->json = step;
  dispute_own(s, object, incoming, count);
  sc_status status = sc_config_merge(&effect, statuses, object, incoming, count, s->now_ms);
  if (status != SC_OK || !s->c->accepts)
    return status;
  sc_bytes *accepted = known_bytes_array(s->c, count);
  size_t accepted_count = 0;
  for (size_t i = 0; i < count; i++)
    if (statuses[i] == SC_OK)
      accepted[accepted_count++] = incoming[i].hash;
  script_enter(s, "result");
  script_same_texts(s, "accepted", accepted, accepted_count);
  script_leave(s, step);
  return SC_OK;
}

/* The reference's dumps predate part sets: they hold one current hash as text. Lists of arbitrary order are
 * compared as sets. */

/* Collects all texts of the next value, at any depth. */
static sc_status collect(sc_config_hashes *out, sc_bt_reader *reader) {
  sc_bytes text;
  sc_status status;
  switch (sc_bt_peek(reader)) {
  case SC_BT_STRING:
    status = sc_bt_read_string(&text, reader);
    return status == SC_OK && text.len > 0 ? sc_config_hashes_add(out, text) : status;
  case SC_BT_LIST:
    status = sc_bt_enter_list(reader);
    while (status == SC_OK && sc_bt_peek(reader) != SC_BT_END)
      status = collect(out, reader);
    return status == SC_OK ? sc_bt_leave(reader) : status;
  default:
    return sc_bt_skip(reader);
  }
}

/* Except for the disputed ones. */
static bool same_texts(script *s, sc_bytes a, sc_bytes b) {
  sc_config_hashes texts[2];
  sc_bt_reader reader;
  const sc_bytes both[2] = {a, b};
  bool same = true;
  for (size_t i = 0; i < 2; i++) {
    sc_config_hashes_init(&texts[i], known_env(s->c));
    sc_bt_reader_init(&reader, both[i]);
    same = collect(&texts[i], &reader) == SC_OK && same;
  }
  same = same && agree(s, &texts[0], &texts[1]);
  sc_config_hashes_free(&texts[0]);
  sc_config_hashes_free(&texts[1]);
  return same;
}

static void compare_extra(script *s, sc_bytes recorded, sc_bytes actual) {
  bool same = sc_bytes_same(recorded, actual);
  if (!same && known_flag(s->c, "order_ambiguous"))
    same = same_texts(s, value_of(recorded, "pending_send_ids"), value_of(actual, "pending_send_ids"));
  if (!same)
    known_differs(s->c, "the dump keeps something besides the data");
}

/* True if one message is the other's next revision, without a change. */
static bool is_next_revision(script *s, sc_bytes next, sc_bytes message) {
  sc_config_message *parsed = parse(s, message);
  sc_config_message *following = NULL;
  sc_buffer *written = known_buffer(s->c);
  bool is = parsed != NULL && sc_config_message_increment(&following, parsed, NULL) == SC_OK &&
            sc_config_message_write(written, following, NULL) == SC_OK &&
            sc_bytes_same(next, sc_buffer_bytes(written));
  sc_config_message_free(following);
  sc_config_message_free(parsed);
  return is;
}

static void compare_message(script *s, sc_bytes recorded, sc_bytes actual) {
  bool same = sc_bytes_same(recorded, actual) || s->names_differ ||
              (s->restored && same_but_for_hashes(s, text_of(recorded), text_of(actual))) ||
              is_next_revision(s, text_of(recorded), text_of(actual));
  if (!same)
    known_differs(s->c, "the message of the dump differs");
}

static void compare_dump(script *s, sc_bytes actual) {
  static const char *const sets[] = {"(", ")"};
  const sc_json *back = script_enter(s, "result");
  sc_bytes recorded = known_hex(s->c, "dump");
  if (!sc_bytes_same(value_of(recorded, "!"), value_of(actual, "!")))
    known_differs(s->c, "the state of the dump differs");
  compare_message(s, value_of(recorded, "$"), value_of(actual, "$"));
  for (size_t i = 0; i < 2; i++)
    if (!same_texts(s, value_of(recorded, sets[i]), value_of(actual, sets[i])))
      known_differs(s->c, "%s of the dump differs", sets[i]);
  compare_extra(s, value_of(recorded, "+"), value_of(actual, "+"));
  script_leave(s, back);
}

static sc_status dump(script *s, void *object) {
  sc_buffer *dumped = known_buffer(s->c);
  sc_status status = sc_config_dump(dumped, object, s->now_ms);
  if (status != SC_OK)
    return status;
  if (s->c->accepts)
    compare_dump(s, sc_buffer_bytes(dumped));
  script_remember(s, sc_buffer_bytes(dumped));
  return SC_OK;
}

static sc_status raw_set(script *s, void *object) {
  sc_config_change change;
  known_list keys = known_hex_list(s->c, "path");
  sc_config_path path = {keys.items, keys.count};
  sc_config_change_begin(&change, object);
  if (known_has(s->c, "int"))
    sc_config_change_set(&change, path, sc_config_integer(known_integer(s->c, "int")));
  else if (known_has(s->c, "str"))
    sc_config_change_set(&change, path, sc_config_string(known_hex(s->c, "str")));
  else
    sc_config_change_erase(&change, path);
  return sc_config_change_end(&change);
}

/* Keys */

static bool flag_or(script *s, const char *field, bool otherwise) {
  return known_has(s->c, field) ? known_flag(s->c, field) : otherwise;
}

static sc_status add_key(script *s, void *object) {
  return sc_config_add_key(object, known_hex(s->c, "key"), flag_or(s, "high_priority", true),
                           flag_or(s, "dirty", false));
}

static sc_status remove_key(script *s, void *object) {
  bool removed;
  size_t from = known_has(s->c, "from") ? (size_t)known_unsigned(s->c, "from") : 0;
  sc_status status =
      sc_config_remove_key(&removed, object, known_hex(s->c, "key"), from, flag_or(s, "dirty", false));
  const sc_json *back = script_enter(s, "result");
  if (status == SC_OK)
    known_same_flag(s->c, "removed", removed);
  script_leave(s, back);
  return status;
}

static sc_status replace_keys(script *s, void *object) {
  known_list keys = known_hex_list(s->c, "keys");
  return sc_config_replace_keys(object, keys.items, keys.count, flag_or(s, "dirty", false));
}

static sc_status clear_keys(script *s, void *object) {
  return sc_config_replace_keys(object, NULL, 0, flag_or(s, "dirty", false));
}

static sc_status list_keys(script *s, void *object) {
  opener o;
  prepare(&o, s, object);
  const sc_json *back = script_enter(s, "result");
  known_same_list(s->c, "keys", o.envelope.keys, o.envelope.key_count);
  script_leave(s, back);
  return SC_OK;
}

const script_step script_common_steps[] = {
    {"push", push},
    {"confirm_pushed", confirm_pushed},
    {"merge", merge},
    {"dump", dump},
    {"raw_set", raw_set},
    {"add_key", add_key},
    {"keys", list_keys},
    {"remove_key", remove_key},
    {"replace_keys", replace_keys},
    {"clear_keys", clear_keys},
};
const size_t script_common_step_count = sizeof script_common_steps / sizeof script_common_steps[0];
