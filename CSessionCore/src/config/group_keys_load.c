/* Loading a message: verify the signature, check the whole form, and then, when nothing can fail any more,
 * add its keys. */
#include "../crypto/trial.h"
#include "authenticate.h"
#include "group_keys.h"
#include "hashes.h"
#include "session-core/base/bt.h"
#include "session-core/base/secret.h"
#include "session-core/crypto/signature.h"

/* The parsed content of a message. */
typedef struct incoming {
  const sc_group_keys *keys;
  sc_bt_reader reader;
  sc_bytes nonce;
  uint64_t timestamp_ms;
  int64_t generation;
  sc_buffer found; /* the keys for this user, as an array of sc_ring_key */
} incoming;

enum { shortest_supplement_entry = 68 };

static const sc_ring_key *found_keys(const incoming *in) {
  return (const sc_ring_key *)(const void *)in->found.ptr;
}

static size_t found_count(const incoming *in) {
  return in->found.len / sizeof(sc_ring_key);
}

static sc_status found_key(incoming *in, const sc_ring_key *key) {
  return sc_buffer_append(&in->found, sc_bytes_make(key, sizeof *key));
}

static sc_status find(incoming *in, const char *key) {
  sc_status status = sc_bt_find_key(&in->reader, sc_bytes_text(key));
  return status == SC_ERR_NOT_FOUND ? SC_ERR_GROUP_KEYS : status;
}

static sc_status read_sized(sc_bytes *out, incoming *in, size_t len) {
  sc_status status = sc_bt_read_string(out, &in->reader);
  return status == SC_OK && out->len != len ? SC_ERR_GROUP_KEYS : status;
}

static sc_status read_nonce(incoming *in) {
  sc_status status = find(in, "#");
  return status == SC_OK ? read_sized(&in->nonce, in, SC_XCHACHA_NONCE_BYTES) : status;
}

static sc_status read_generation(incoming *in) {
  sc_status status = find(in, "G");
  if (status == SC_OK)
    status = sc_bt_read_i64(&in->generation, &in->reader);
  if (status == SC_OK && (in->generation < 0 || in->generation > SC_GROUP_MAX_GENERATION))
    status = SC_ERR_GROUP_GENERATION;
  return status;
}

/* Unwraps the message's key. SC_ERR_DECRYPT. */
static sc_status unwrap(incoming *in, const sc_trial *trial, sc_bytes wrapped) {
  sc_ring_key key = {.generation = in->generation, .timestamp_ms = in->timestamp_ms};
  sc_status status = sc_trial_open(key.key, trial, wrapped);
  if (status == SC_OK)
    status = found_key(in, &key);
  sc_wipe(&key, sizeof key);
  return status;
}

static sc_status read_for_admins(incoming *in) {
  sc_bytes wrapped;
  sc_status status = find(in, "K");
  if (status == SC_OK)
    status = read_sized(&wrapped, in, SC_WRAPPED_KEY_BYTES);
  if (status != SC_OK || !in->keys->is_admin)
    return status;
  uint8_t admin_key[SC_KEY_BYTES];
  sc_trial trial;
  sc_group_keys_admin_key(admin_key, in->keys);
  sc_trial_begin(&trial, admin_key, in->nonce.ptr);
  status = unwrap(in, &trial, wrapped);
  sc_wipe(admin_key, sizeof admin_key);
  sc_trial_wipe(&trial);
  return status;
}

/* True if more entries must be tried. */
static bool seeks(const incoming *in) {
  return !in->keys->is_admin && found_count(in) == 0;
}

static sc_status read_for_members(incoming *in, const sc_trial *mine) {
  sc_status status = find(in, "k");
  if (status == SC_OK)
    status = sc_bt_enter_list(&in->reader);
  size_t count = 0;
  for (; status == SC_OK && sc_bt_peek(&in->reader) != SC_BT_END; count++) {
    sc_bytes wrapped;
    status = read_sized(&wrapped, in, SC_WRAPPED_KEY_BYTES);
    if (status == SC_OK && seeks(in))
      status = unwrap(in, mine, wrapped);
    if (status == SC_ERR_DECRYPT)
      status = SC_OK;
  }
  if (status == SC_OK)
    status = sc_bt_leave(&in->reader);
  return status == SC_OK && count % SC_GROUP_KEYS_PAD_TO != 0 ? SC_ERR_GROUP_KEYS : status;
}

static sc_status read_rekey(incoming *in, const sc_trial *mine) {
  sc_status status = read_generation(in);
  if (status == SC_OK)
    status = read_for_admins(in);
  return status == SC_OK ? read_for_members(in, mine) : status;
}

static sc_status read_given_keys(incoming *in, sc_bytes content) {
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, content);
  sc_status status = sc_bt_enter_list(&reader);
  while (status == SC_OK && sc_bt_peek(&reader) != SC_BT_END) {
    sc_ring_key key;
    status = sc_ring_key_read(&key, &reader);
    if (status == SC_OK)
      status = found_key(in, &key);
    sc_wipe(&key, sizeof key);
  }
  if (status == SC_OK)
    status = sc_bt_leave(&reader);
  if (status == SC_OK)
    status = sc_bt_finish(&reader);
  return status == SC_OK || status == SC_ERR_NO_MEMORY ? status : SC_ERR_GROUP_SUPPLEMENT;
}

/* Tries an entry; `*opened` says whether it was for this user. */
static sc_status try_given(incoming *in, bool *opened, const sc_trial *mine, sc_bytes entry) {
  sc_buffer content;
  uint8_t *room;
  sc_buffer_init(&content, in->keys->env);
  sc_status status = sc_buffer_extend(&room, &content, entry.len - SC_AEAD_TAG_BYTES);
  if (status == SC_OK)
    status = sc_trial_open(room, mine, entry);
  *opened = status == SC_OK;
  if (status == SC_OK)
    status = read_given_keys(in, sc_buffer_bytes(&content));
  else if (status == SC_ERR_DECRYPT)
    status = SC_OK;
  sc_buffer_free(&content);
  return status;
}

/* Admins have all keys, and need none that are given away. */
static sc_status read_supplement(incoming *in, const sc_trial *mine) {
  sc_status status = sc_bt_enter_list(&in->reader);
  bool opened = in->keys->is_admin;
  while (status == SC_OK && sc_bt_peek(&in->reader) != SC_BT_END) {
    sc_bytes entry;
    status = sc_bt_read_string(&entry, &in->reader);
    if (status == SC_OK && entry.len < shortest_supplement_entry)
      status = SC_ERR_GROUP_KEYS;
    if (status == SC_OK && !opened)
      status = try_given(in, &opened, mine, entry);
  }
  if (status == SC_OK)
    status = sc_bt_leave(&in->reader);
  return status == SC_OK ? read_generation(in) : status;
}

/* The signature, which was checked, is the last thing. */
static sc_status read_end(incoming *in) {
  sc_bytes signature;
  sc_status status = find(in, SC_CONFIG_SIGNATURE_KEY);
  if (status == SC_OK)
    status = read_sized(&signature, in, SC_SIGNATURE_BYTES);
  if (status == SC_OK && sc_bt_peek(&in->reader) != SC_BT_END)
    status = SC_ERR_GROUP_KEYS;
  if (status == SC_OK)
    status = sc_bt_leave(&in->reader);
  return status == SC_OK ? sc_bt_finish(&in->reader) : status;
}

static sc_status read_body(incoming *in) {
  sc_trial mine;
  sc_trial_begin(&mine, in->keys->own_member_key, in->nonce.ptr);
  sc_status status = sc_bt_find_key(&in->reader, sc_bytes_text("+"));
  if (status == SC_OK)
    status = read_supplement(in, &mine);
  else if (status == SC_ERR_NOT_FOUND)
    status = read_rekey(in, &mine);
  sc_trial_wipe(&mine);
  return status;
}

static sc_status read_message(incoming *in, sc_bytes message) {
  sc_status status = sc_config_authenticate(message, sc_id_key(&in->keys->group_id));
  sc_bt_reader_init(&in->reader, message);
  if (status == SC_OK)
    status = sc_bt_enter_dict(&in->reader);
  if (status == SC_OK)
    status = read_nonce(in);
  if (status == SC_OK)
    status = read_body(in);
  return status == SC_OK ? read_end(in) : status;
}

/* A pending key has come back, or came too late. */
static bool ends_pending(const sc_pending_key *pending, const sc_ring_key *key) {
  return pending->there &&
         (key->generation > pending->generation || sc_equal(key->key, pending->key, sizeof key->key));
}

static void take_keys(sc_group_keys *keys, const incoming *in, uint64_t wall_ms) {
  const sc_ring_key *found = found_keys(in);
  size_t count = found_count(in);
  bool changed = count > 0 && ends_pending(&keys->pending, &found[0]);
  if (changed)
    sc_group_keys_drop_pending(keys);
  for (size_t i = 0; i < count; i++)
    changed = sc_key_ring_add(&keys->ring, &found[i], wall_ms) == SC_RING_ADDED || changed;
  if (!changed)
    return;
  keys->needs_dump = true;
  sc_group_keys_renew_list(keys);
}

/* Notes that a message holds keys of a generation, unless that is older than all keys in the ring. True if
 * the note is new. */
static bool mark(sc_group_keys *keys, int64_t generation, sc_key_message *held) {
  const sc_ring_key *oldest = sc_key_ring_oldest(&keys->ring);
  return oldest != NULL && generation >= oldest->generation &&
         sc_key_messages_mark(&keys->messages, generation, held);
}

/* The generations of the keys in it, or else the one it names. */
static bool mark_all(sc_group_keys *keys, const incoming *in, sc_key_message *held) {
  size_t count = found_count(in);
  bool news = count == 0 && mark(keys, in->generation, held);
  for (size_t i = 0; i < count; i++)
    news = mark(keys, found_keys(in)[i].generation, held) || news;
  return news;
}

/* Messages live as long as their keys; a member without a key keeps none alive. */
static bool drop_old_messages(sc_group_keys *keys) {
  const sc_ring_key *oldest = sc_key_ring_oldest(&keys->ring);
  return oldest == NULL ? sc_key_messages_drop_all(&keys->messages)
                        : sc_key_messages_drop_below(&keys->messages, oldest->generation);
}

static sc_status take_up(sc_group_keys *keys, const incoming *in, sc_bytes hash, sc_bytes message,
                         uint64_t wall_ms) {
  size_t count = found_count(in);
  bool news = false;
  sc_key_message *held;
  sc_status status = sc_group_keys_reserve(keys, count);
  if (status == SC_OK)
    status = sc_key_messages_reserve(&keys->messages, count == 0 ? 1 : count);
  if (status == SC_OK)
    status = sc_key_messages_hold(&held, &news, &keys->messages, hash, message);
  if (status != SC_OK)
    return status;
  take_keys(keys, in, wall_ms);
  news = mark_all(keys, in, held) || (news && held->marks > 1);
  news = drop_old_messages(keys) || news;
  sc_key_messages_give_back(&keys->messages, held);
  keys->needs_dump = keys->needs_dump || news;
  return SC_OK;
}

sc_status sc_group_keys_load(bool *found, sc_group_keys *keys, sc_bytes hash, sc_bytes message,
                             uint64_t timestamp_ms, uint64_t wall_ms) {
  *found = false;
  if (!sc_config_is_hash(hash) || timestamp_ms >= SC_GROUP_TIME_END_MS)
    return SC_ERR_ARGUMENT;
  if (message.len > SC_GROUP_KEYS_MAX_BYTES)
    return SC_ERR_TOO_LARGE;
  incoming in = {.keys = keys, .timestamp_ms = timestamp_ms};
  sc_buffer_init(&in.found, keys->env);
  sc_status status = read_message(&in, message);
  if (status == SC_OK)
    status = take_up(keys, &in, hash, message, wall_ms);
  if (status == SC_OK)
    *found = found_count(&in) > 0;
  sc_buffer_free(&in.found);
  return status;
}
