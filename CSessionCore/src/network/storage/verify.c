/* Signatures of the nodes of a swarm over what each did. */
#include "session-core/network/storage_reply.h"

#include "../../base/bt_reader.h"
#include "../../base/sort.h"
#include "signed_text.h"

/* Merges all hashes into one list in byte order, each with its time if requested. */
static sc_status append_sorted(sc_buffer *out, const sc_storage_changes *changes, bool with_times) {
  if (changes->count == 0)
    return SC_OK;
  sc_sorted *sorted = NULL;
  if (changes->count <= SIZE_MAX / sizeof *sorted)
    sorted = sc_allocate(out->env, changes->count * sizeof *sorted);
  if (sorted == NULL)
    return SC_ERR_NO_MEMORY;
  for (size_t i = 0; i < changes->count; i++)
    sorted[i] = (sc_sorted){changes->list[i].hash, i};
  sc_sort_keys(sorted, changes->count);
  sc_status status = SC_OK;
  for (size_t i = 0; i < changes->count && status == SC_OK; i++) {
    status = sc_buffer_append(out, sorted[i].key);
    if (status == SC_OK && with_times)
      status = sc_signed_number(out, changes->list[sorted[i].index].expiry);
  }
  sc_release(out->env, sorted);
  return status;
}

/* The times reported by the node, which may be earlier than requested. */
static sc_status append_new_expiries(sc_buffer *out, const sc_storage_expire *expire,
                                     const sc_storage_member *member) {
  if (expire->expiry_count == 1)
    return sc_signed_number(out, member->expiry);
  sc_status status = SC_OK;
  for (size_t i = 0; i < member->changed.count && status == SC_OK; i++)
    status = sc_signed_number(out, member->changed.list[i].expiry);
  return status;
}

static sc_status append_expire(sc_buffer *out, const sc_storage_expire *expire,
                               const sc_storage_member *member) {
  sc_status status = append_new_expiries(out, expire, member);
  if (status == SC_OK)
    status = sc_signed_hashes(out, expire->hashes);
  if (status == SC_OK)
    status = append_sorted(out, &member->changed, false);
  return status == SC_OK ? append_sorted(out, &member->unchanged, true) : status;
}

static sc_status append_deeds(sc_buffer *out, const sc_storage_request *request,
                              const sc_storage_member *member) {
  sc_status status = SC_OK;
  switch (request->method) {
  case SC_STORAGE_DELETE:
    status = sc_signed_hashes(out, request->of.deletion.hashes);
    return status == SC_OK ? append_sorted(out, &member->changed, false) : status;
  case SC_STORAGE_DELETE_ALL:
  case SC_STORAGE_DELETE_BEFORE:
  case SC_STORAGE_EXPIRE_ALL:
    status = sc_signed_number(out, request->of.sweep.time);
    return status == SC_OK ? append_sorted(out, &member->changed, false) : status;
  case SC_STORAGE_EXPIRE:
    return append_expire(out, &request->of.expire, member);
  case SC_STORAGE_REVOKE:
  case SC_STORAGE_UNREVOKE:
    status = sc_signed_number(out, request->of.tokens.signed_at);
    return status == SC_OK ? sc_signed_tokens(out, &request->of.tokens) : status;
  default:
    return SC_ERR_ARGUMENT;
  }
}

sc_status sc_storage_member_signed(sc_buffer *out, const sc_storage_request *request,
                                   const sc_storage_member *member) {
  sc_buffer_clear(out);
  if (request->method == SC_STORAGE_STORE)
    return sc_buffer_append(out, member->hash);
  sc_status status = sc_signed_account(out, request->account);
  if (status == SC_OK)
    status = append_deeds(out, request, member);
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}

/* By namespace and then by hash, each once. */
static bool is_ascending(const sc_storage_changes *changes, bool by_namespace) {
  for (size_t i = 1; i < changes->count; i++) {
    const sc_storage_change *before = &changes->list[i - 1], *change = &changes->list[i];
    bool new_namespace = by_namespace && change->number > before->number;
    bool new_hash = (!by_namespace || change->number == before->number) &&
                    sc_bt_compare_keys(before->hash, change->hash) < 0;
    if (!new_namespace && !new_hash)
      return false;
  }
  return true;
}

static bool is_of_every_namespace(const sc_storage_request *request) {
  bool sweep = request->method == SC_STORAGE_DELETE_ALL || request->method == SC_STORAGE_DELETE_BEFORE ||
               request->method == SC_STORAGE_EXPIRE_ALL;
  return sweep && request->of.sweep.where.all;
}

sc_status sc_storage_member_sign(sc_storage_member *member, const sc_env *env,
                                 const sc_storage_request *request, const sc_ed25519_pair *node) {
  if (!is_ascending(&member->changed, is_of_every_namespace(request)) ||
      !is_ascending(&member->unchanged, false))
    return SC_ERR_ARGUMENT;
  sc_buffer message;
  sc_buffer_init(&message, env);
  sc_status status = sc_storage_member_signed(&message, request, member);
  if (status == SC_OK) {
    memcpy(member->node, node->public_key, sizeof member->node);
    sc_ed25519_sign(member->signature, node, sc_buffer_bytes(&message));
  }
  sc_buffer_free(&message);
  return status;
}

static bool counts(const uint8_t *node, const sc_storage_keepers *keepers) {
  for (size_t i = 0; keepers != NULL && i < keepers->count; i++)
    if (memcmp(keepers->keys[i], node, SC_KEY_BYTES) == 0)
      return true;
  return keepers == NULL;
}

/* `stored` is the hash of the stored message, which the caller knows; empty for other methods. */
static sc_status check_member(sc_buffer *message, const sc_storage_request *request,
                              const sc_storage_member *member, sc_bytes stored) {
  sc_status status = sc_storage_member_signed(message, request, member);
  if (status != SC_OK)
    return status;
  bool good = (stored.len == 0 || sc_bytes_same(member->hash, stored)) &&
              sc_ed25519_verify(SC_BYTES(member->node), sc_buffer_bytes(message),
                                SC_BYTES(member->signature)) == SC_OK;
  return good ? SC_OK : SC_ERR_STORAGE_NODE_SIGNATURE;
}

static bool is_stored(const sc_storage_tally *tally, size_t least) {
  least = least < tally->members ? least : tally->members;
  return tally->succeeded > 0 && tally->succeeded >= least && tally->succeeded * 2 >= tally->members;
}

static bool is_enough(sc_storage_method method, const sc_storage_tally *tally, size_t least) {
  switch (method) {
  case SC_STORAGE_STORE:
    return is_stored(tally, least);
  case SC_STORAGE_DELETE:
  case SC_STORAGE_DELETE_ALL:
  case SC_STORAGE_DELETE_BEFORE:
    return tally->succeeded > 0;
  default:
    return tally->members > 0 && tally->succeeded == tally->members;
  }
}

sc_status sc_storage_reply_verify(sc_storage_tally *out, const sc_env *env, const sc_storage_request *request,
                                  const sc_storage_reply *reply, const sc_storage_keepers *keepers) {
  if (!sc_storage_method_is_recursive(request->method))
    return SC_ERR_ARGUMENT;
  const sc_storage_members *members = &reply->of.members;
  const sc_storage_store *store = &request->of.store;
  sc_storage_tally tally = {.members = keepers != NULL ? keepers->count : members->count};
  char stored[SC_STORAGE_HASH_CHARS + 1] = "";
  if (request->method == SC_STORAGE_STORE)
    sc_storage_message_hash(stored, request->account, store->number, store->data);
  sc_buffer message;
  sc_buffer_init(&message, env);
  sc_status status = SC_OK;
  for (size_t i = 0; i < members->count && status == SC_OK; i++) {
    const sc_storage_member *member = &members->list[i];
    if (member->failed || !counts(member->node, keepers))
      continue;
    status = check_member(&message, request, member, sc_bytes_text(stored));
    tally.succeeded++;
  }
  tally.enough = is_enough(request->method, &tally, keepers != NULL ? keepers->least : 0);
  if (status == SC_OK)
    *out = tally;
  sc_buffer_free(&message);
  return status;
}
