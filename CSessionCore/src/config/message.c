#include "message.h"

#include "data.h"
#include "diff.h"
#include "session-core/crypto/hash.h"

const sc_config_rules *sc_config_rules_or_default(const sc_config_rules *rules) {
  static const sc_config_rules none;
  return rules != NULL ? rules : &none;
}

bool sc_config_looks_back(const sc_config_rules *rules, int64_t seqno, int64_t earlier) {
  int64_t too_early;
  int64_t lag = rules->lag > 0 ? rules->lag : SC_CONFIG_LAG;
  return __builtin_sub_overflow(seqno, lag, &too_early) || earlier > too_early;
}

sc_status sc_config_next_seqno(int64_t *out, int64_t seqno) {
  if (seqno >= SC_CONFIG_MAX_SEQNO)
    return SC_ERR_CONFIG_SEQNO;
  *out = seqno < 0 ? 1 : seqno + 1;
  return SC_OK;
}

sc_slice sc_config_no_change(void) {
  return (sc_slice){NULL, sc_bytes_text("de")};
}

/* Making */

sc_status sc_config_message_begin(sc_config_message **out, const sc_env *env, int64_t seqno) {
  sc_config_message *message = sc_allocate(env, sizeof *message);
  if (message == NULL)
    return SC_ERR_NO_MEMORY;
  *message = (sc_config_message){.env = env, .seqno = seqno, .diff = sc_config_no_change()};
  *out = message;
  return SC_OK;
}

sc_status sc_config_message_expect_earlier(sc_config_message *message, size_t count) {
  if (count == 0)
    return SC_OK;
  message->lagged = sc_allocate(message->env, count * sizeof *message->lagged);
  return message->lagged == NULL ? SC_ERR_NO_MEMORY : SC_OK;
}

void sc_config_message_add_earlier(sc_config_message *message, int64_t seqno, const uint8_t *hash,
                                   sc_slice diff) {
  sc_config_earlier *earlier = &message->lagged[message->lagged_count++];
  earlier->seqno = seqno;
  memcpy(earlier->hash, hash, sizeof earlier->hash);
  earlier->diff = sc_slice_keep(diff);
}

void sc_config_message_free(sc_config_message *message) {
  if (message == NULL)
    return;
  const sc_env *env = message->env;
  for (size_t i = 0; i < message->lagged_count; i++)
    sc_shared_drop(env, message->lagged[i].diff.owner);
  sc_release(env, message->lagged);
  sc_shared_drop(env, message->unknown_owner);
  sc_shared_drop(env, message->diff.owner);
  sc_shared_drop(env, message->unhashed.owner);
  sc_config_tree_drop(env, message->origin);
  sc_config_tree_drop(env, message->data);
  sc_release(env, message);
}

sc_status sc_config_message_new(sc_config_message **out, const sc_env *env, int64_t seqno) {
  *out = NULL;
  if (seqno < 0 || seqno > SC_CONFIG_MAX_SEQNO)
    return SC_ERR_CONFIG_SEQNO;
  sc_status status = sc_config_message_begin(out, env, seqno);
  if (status == SC_OK)
    (*out)->editable = true;
  return status;
}

static void share_unknown(sc_config_message *to, const sc_config_message *from) {
  to->unknown_owner = sc_shared_keep(from->unknown_owner);
  memcpy(to->unknown, from->unknown, sizeof to->unknown);
}

static void share_earlier(sc_config_message *to, const sc_config_message *from, size_t first) {
  for (size_t i = first; i < from->lagged_count; i++)
    sc_config_message_add_earlier(to, from->lagged[i].seqno, from->lagged[i].hash, from->lagged[i].diff);
}

/* A message with the data and the unknown keys of another and its earlier changes from `first` on, with room
 * for one more. */
static sc_status derive(sc_config_message **out, const sc_config_message *from, int64_t seqno, size_t first) {
  sc_config_message *derived;
  sc_status status = sc_config_message_begin(&derived, from->env, seqno);
  if (status != SC_OK)
    return status;
  status = sc_config_message_expect_earlier(derived, from->lagged_count - first + 1);
  if (status != SC_OK) {
    sc_config_message_free(derived);
    return status;
  }
  derived->data = sc_config_tree_keep(from->data);
  share_earlier(derived, from, first);
  share_unknown(derived, from);
  *out = derived;
  return SC_OK;
}

static sc_status derive_same(sc_config_message **out, const sc_config_message *from) {
  return derive(out, from, from->seqno, 0);
}

sc_status sc_config_message_share(sc_config_message **out, const sc_config_message *message) {
  *out = NULL;
  sc_status status = derive_same(out, message);
  if (status != SC_OK)
    return status;
  sc_config_message *copy = *out;
  copy->editable = message->editable;
  copy->restates = message->restates;
  copy->origin = sc_config_tree_keep(message->origin);
  copy->diff = sc_slice_keep(message->diff);
  copy->has_signature = message->has_signature;
  memcpy(copy->signature, message->signature, sizeof copy->signature);
  memcpy(copy->hash, message->hash, sizeof copy->hash);
  copy->unhashed = sc_slice_keep(message->unhashed);
  copy->hash_is_due = message->hash_is_due;
  return SC_OK;
}

static sc_status own_diff(sc_slice *out, const sc_config_message *message) {
  if (!message->editable) {
    *out = sc_slice_keep(message->diff);
    return SC_OK;
  }
  sc_buffer diff;
  sc_buffer_init(&diff, message->env);
  sc_status status = sc_config_diff_append(&diff, message->origin, message->data);
  if (status == SC_OK)
    status = sc_slice_copy(out, message->env, sc_buffer_bytes(&diff));
  sc_buffer_free(&diff);
  return status;
}

/* The first of the earlier changes that are written, which ascend. */
static size_t first_written(const sc_config_message *message, const sc_config_rules *rules) {
  size_t first = 0;
  while (first < message->lagged_count &&
         !sc_config_looks_back(rules, message->seqno, message->lagged[first].seqno))
    first++;
  return first;
}

sc_status sc_config_message_freeze(sc_config_message **out, const sc_config_message *message,
                                   const sc_config_rules *rules) {
  *out = NULL;
  if (!message->editable)
    return sc_config_message_share(out, message);
  sc_config_message *frozen;
  size_t first = first_written(message, sc_config_rules_or_default(rules));
  sc_status status = derive(&frozen, message, message->seqno, first);
  if (status != SC_OK)
    return status;
  status = own_diff(&frozen->diff, message);
  if (status == SC_OK)
    status = sc_config_message_rehash(frozen, rules);
  if (status == SC_OK)
    *out = frozen;
  else
    sc_config_message_free(frozen);
  return status;
}

sc_status sc_config_message_reopen(sc_config_message **out, const sc_config_message *merged,
                                   bool everything_changed) {
  *out = NULL;
  if (merged->editable)
    return SC_ERR_STATE;
  sc_status status = derive_same(out, merged);
  if (status != SC_OK)
    return status;
  (*out)->editable = true;
  (*out)->restates = everything_changed;
  (*out)->origin = everything_changed ? NULL : sc_config_tree_keep(merged->data);
  return SC_OK;
}

/* The earlier changes that a message after this one still needs, all but the newest that it has room for. */
static size_t first_needed(const sc_config_message *message, const sc_config_rules *rules) {
  size_t first = first_written(message, rules);
  size_t count = message->lagged_count;
  return count - first < SC_CONFIG_MAX_LAGGED ? first : count - (SC_CONFIG_MAX_LAGGED - 1);
}

sc_status sc_config_message_increment(sc_config_message **out, const sc_config_message *message,
                                      const sc_config_rules *rules) {
  uint8_t hash[SC_CONFIG_HASH_BYTES];
  int64_t seqno;
  sc_slice diff = {0};
  *out = NULL;
  sc_status status = sc_config_next_seqno(&seqno, message->seqno);
  if (status == SC_OK)
    status = sc_config_message_hash(hash, message, rules);
  if (status == SC_OK)
    status = own_diff(&diff, message);
  if (status == SC_OK)
    status = derive(out, message, seqno, first_needed(message, sc_config_rules_or_default(rules)));
  if (status == SC_OK) {
    sc_config_message_add_earlier(*out, message->seqno, hash, diff);
    (*out)->editable = true;
    (*out)->origin = sc_config_tree_keep(message->data);
  }
  sc_shared_drop(message->env, diff.owner);
  return status;
}

/* Hashes */

static sc_status hash_bytes(uint8_t out[SC_CONFIG_HASH_BYTES], sc_bytes bytes) {
  return sc_blake2b(out, SC_CONFIG_HASH_BYTES, sc_bytes_make(NULL, 0), bytes);
}

static sc_status hash_written(uint8_t out[SC_CONFIG_HASH_BYTES], const sc_config_message *message,
                              const sc_config_rules *rules) {
  sc_buffer bytes;
  sc_buffer_init(&bytes, message->env);
  sc_status status = sc_config_message_write(&bytes, message, rules);
  if (status == SC_OK)
    status = hash_bytes(out, sc_buffer_bytes(&bytes));
  sc_buffer_free(&bytes);
  return status;
}

static bool is_unhashed(const sc_config_message *message) {
  return message->unhashed.owner != NULL;
}

static void forget_unhashed(sc_config_message *message) {
  sc_shared_drop(message->env, message->unhashed.owner);
  message->unhashed = (sc_slice){0};
}

sc_status sc_config_message_finish_hash(sc_config_message *message) {
  if (!is_unhashed(message))
    return SC_OK;
  sc_status status = hash_bytes(message->hash, message->unhashed.bytes);
  if (status == SC_OK)
    forget_unhashed(message);
  return status;
}

sc_status sc_config_message_rehash(sc_config_message *message, const sc_config_rules *rules) {
  sc_status status = hash_written(message->hash, message, rules);
  if (status == SC_OK)
    forget_unhashed(message);
  return status;
}

/* A message of ours may come back from its dump without the signature it was published with. Only the state
 * before the first revision was never published and has none. */
static bool lost_its_signature(const sc_config_message *message, const sc_config_rules *rules) {
  return rules->signer != NULL && !message->has_signature && message->seqno != 0;
}

sc_status sc_config_message_hash(uint8_t out[SC_AT_LEAST(32)], const sc_config_message *message,
                                 const sc_config_rules *rules) {
  if (message->editable || lost_its_signature(message, sc_config_rules_or_default(rules)))
    return hash_written(out, message, rules);
  if (is_unhashed(message))
    return hash_bytes(out, message->unhashed.bytes);
  memcpy(out, message->hash, sizeof message->hash);
  return SC_OK;
}

/* Asking */

int64_t sc_config_message_seqno(const sc_config_message *message) {
  return message->seqno;
}

bool sc_config_message_editable(const sc_config_message *message) {
  return message->editable;
}

sc_bytes sc_config_message_signature(const sc_config_message *message) {
  return sc_bytes_make(message->signature, message->has_signature ? sizeof message->signature : 0);
}

size_t sc_config_message_lagged_count(const sc_config_message *message) {
  return message->lagged_count;
}

sc_config_lagged sc_config_message_lagged(const sc_config_message *message, size_t index) {
  const sc_config_earlier *earlier = &message->lagged[index];
  return (sc_config_lagged){earlier->seqno, earlier->hash, earlier->diff.bytes};
}

sc_status sc_config_message_data(sc_buffer *out, const sc_config_message *message) {
  uint8_t *at;
  sc_buffer_clear(out);
  sc_status status = sc_buffer_extend(&at, out, sc_config_tree_size(message->data));
  if (status == SC_OK)
    sc_config_tree_write(at, message->data);
  return status;
}

sc_status sc_config_message_diff(sc_buffer *out, const sc_config_message *message) {
  sc_buffer_clear(out);
  sc_status status = message->editable ? sc_config_diff_append(out, message->origin, message->data)
                                       : sc_buffer_append(out, message->diff.bytes);
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}

sc_status sc_config_message_get(sc_config_value *out, const sc_config_message *message, sc_config_path path) {
  sc_config_place place;
  sc_status status = sc_config_data_find(&place, message->env, message->data, path);
  if (status != SC_OK)
    return status;
  if (place.entry == NULL)
    return SC_ERR_NOT_FOUND;
  sc_config_kind kind = sc_config_entry_kind(place.entry);
  if (kind == SC_CONFIG_INTEGER || kind == SC_CONFIG_STRING)
    *out = sc_encoded_scalar(place.entry->value);
  else
    *out = (sc_config_value){.kind = kind};
  return SC_OK;
}

/* Editing */

static sc_status edit(sc_config_message *message, sc_config_action action, sc_config_path path,
                      sc_config_value value) {
  if (!message->editable)
    return SC_ERR_STATE;
  return sc_config_data_edit(&message->data, message->env, action, path, value);
}

sc_status sc_config_message_set(sc_config_message *message, sc_config_path path, sc_config_value value) {
  return edit(message, SC_CONFIG_PUT, path, value);
}

sc_status sc_config_message_erase(sc_config_message *message, sc_config_path path) {
  return edit(message, SC_CONFIG_ERASE, path, sc_config_integer(0));
}

sc_status sc_config_message_add(sc_config_message *message, sc_config_path path, sc_config_value member) {
  return edit(message, SC_CONFIG_ADD, path, member);
}

sc_status sc_config_message_remove(sc_config_message *message, sc_config_path path, sc_config_value member) {
  return edit(message, SC_CONFIG_REMOVE, path, member);
}
