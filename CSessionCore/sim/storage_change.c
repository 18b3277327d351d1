/* One node's share of a change that a whole swarm makes, and its signature of it. */
#include <stdlib.h>

#include "flaw.h"
#include "hostile.h"
#include "storage_job.h"
#include "world.h"

static void store(storage_job *job, const sc_storage_request *request, sc_storage_member *member) {
  node *n = job->at;
  const sc_storage_store *store = &request->of.store;
  stored message = {
      .number = store->number, .timestamp = store->timestamp, .expiry = store->expiry, .data = NULL};
  memcpy(message.account, request->account, sizeof message.account);
  bool pretends = node_has(n, TRAIT_STORE) && hostile_tempted(n, TRAIT_STORE);
  message.data = blob_make(store->data);
  if (pretends) {
    sc_storage_message_hash(message.hash, message.account, message.number, store->data);
    member->expiry = store->expiry;
    member->hash = storage_job_copy(job, sc_bytes_text(message.hash));
  } else {
    const stored *kept = node_store_put(&member->already, &n->store, &message);
    member->expiry = kept->expiry;
    member->hash = storage_job_copy(job, sc_bytes_text(kept->hash));
  }
  blob_drop(message.data);
}

/* Changes, which are signed in order: by namespace where there are several, then by hash. */

static int compare_changes(const void *a, const void *b) {
  const sc_storage_change *x = a, *y = b;
  if (x->number != y->number)
    return x->number < y->number ? -1 : 1;
  return memcmp(x->hash.ptr, y->hash.ptr, SC_STORAGE_HASH_CHARS);
}

static sc_storage_changes in_order(sc_storage_change *list, size_t count) {
  qsort(list, count, sizeof *list, compare_changes);
  return (sc_storage_changes){list, count};
}

static void delete (storage_job *job, const sc_storage_request *request, sc_storage_member *member) {
  const sc_storage_hashes *hashes = &request->of.deletion.hashes;
  sc_storage_change *changes = storage_job_take(job, hashes->count, sizeof *changes);
  size_t count = 0;
  for (size_t i = 0; i < hashes->count; i++)
    if (node_store_remove(&job->at->store, request->account, hashes->list[i]))
      changes[count++] = (sc_storage_change){.hash = hashes->list[i]};
  member->changed = in_order(changes, count);
}

static bool is_swept(const stored *message, const sc_storage_request *request) {
  const sc_storage_sweep *sweep = &request->of.sweep;
  if (request->method == SC_STORAGE_DELETE_BEFORE)
    return message->timestamp <= sweep->time;
  return request->method == SC_STORAGE_DELETE_ALL || message->expiry > sweep->time;
}

static void sweep(storage_job *job, const sc_storage_request *request, sc_storage_member *member) {
  node_store *kept = &job->at->store;
  const sc_storage_sweep *sweep = &request->of.sweep;
  sc_storage_change *changes = storage_job_take(job, kept->count, sizeof *changes);
  size_t count = 0, index = 0;
  for (stored *message; (message = node_store_next(kept, &index, request->account, sweep->where)) != NULL;) {
    if (!is_swept(message, request))
      continue;
    message->expiry = sweep->time; /* unless it is deleted */
    changes[count++] = (sc_storage_change){.hash = storage_job_copy(job, sc_bytes_text(message->hash)),
                                           .number = sweep->where.all ? message->number : 0};
  }
  for (size_t i = 0; i < count && request->method != SC_STORAGE_EXPIRE_ALL; i++)
    (void)node_store_remove(kept, request->account, changes[i].hash);
  member->changed = in_order(changes, count);
}

/* Lives */

static stored *find_own(node_store *kept, const uint8_t account[static 33], sc_bytes hash) {
  const sc_storage_namespace anywhere = {.all = true};
  size_t index = 0;
  stored *message;
  do {
    message = node_store_next(kept, &index, account, anywhere);
  } while (message != NULL && !sc_bytes_same(hash, sc_bytes_text(message->hash)));
  return message;
}

static bool takes_effect(const stored *message, sc_storage_expire_mode mode, uint64_t expiry) {
  if (mode == SC_STORAGE_EXPIRE_SHORTEN)
    return expiry < message->expiry;
  return mode == SC_STORAGE_EXPIRE_SET || expiry > message->expiry;
}

static void expire(storage_job *job, const sc_storage_request *request, const sc_storage_grant *grant,
                   sc_storage_member *member) {
  static const uint64_t longest_life = (uint64_t)30 * 24 * 60 * 60 * 1000;
  const sc_storage_expire *wanted = &request->of.expire;
  sc_storage_expire_mode mode = grant->extend_only ? SC_STORAGE_EXPIRE_EXTEND : wanted->mode;
  uint64_t latest = node_wall(job->at) + longest_life;
  sc_storage_change *changed = storage_job_take(job, wanted->hashes.count, sizeof *changed);
  sc_storage_change *unchanged = storage_job_take(job, wanted->hashes.count, sizeof *unchanged);
  size_t changes = 0, others = 0;
  for (size_t i = 0; i < wanted->hashes.count; i++) {
    uint64_t asked = wanted->expiries[wanted->expiry_count == 1 ? 0 : i];
    uint64_t expiry = asked < latest ? asked : latest;
    stored *message = find_own(&job->at->store, request->account, wanted->hashes.list[i]);
    if (message == NULL)
      continue;
    bool counts = takes_effect(message, mode, expiry);
    message->expiry = counts ? expiry : message->expiry;
    const sc_storage_change change = {.hash = wanted->hashes.list[i], .expiry = message->expiry};
    if (counts)
      changed[changes++] = change;
    else
      unchanged[others++] = change;
  }
  member->expiry = wanted->expiries[0] < latest ? wanted->expiries[0] : latest;
  member->changed = in_order(changed, changes);
  member->unchanged = in_order(unchanged, others);
}

/* Rights */

static void change_rights(storage_job *job, const sc_storage_request *request, sc_storage_member *member) {
  const sc_storage_tokens *tokens = &request->of.tokens;
  stored_revocation revocation;
  memcpy(revocation.account, request->account, sizeof revocation.account);
  for (size_t i = 0; i < tokens->count; i++) {
    memcpy(revocation.token, tokens->list[i], sizeof revocation.token);
    if (request->method == SC_STORAGE_REVOKE)
      node_store_revoke(&job->at->store, &revocation);
    else
      member->count += node_store_unrevoke(&job->at->store, &revocation);
  }
}

static void act(storage_job *job, const sc_storage_request *request, const sc_storage_grant *grant,
                sc_storage_member *member) {
  switch (request->method) {
  case SC_STORAGE_STORE:
    store(job, request, member);
    break;
  case SC_STORAGE_DELETE:
    delete (job, request, member);
    break;
  case SC_STORAGE_EXPIRE:
    expire(job, request, grant, member);
    break;
  case SC_STORAGE_REVOKE:
  case SC_STORAGE_UNREVOKE:
    change_rights(job, request, member);
    break;
  default:
    sweep(job, request, member);
    break;
  }
}

bool storage_change(storage_group *group, const sc_storage_request *request, const sc_storage_grant *grant,
                    sc_storage_result *result) {
  storage_job *job = group->job;
  sc_storage_member *own = storage_job_take(job, 1, sizeof *own);
  act(job, request, grant, own);
  if (sc_storage_member_sign(own, &job->at->world->node_env, request, &job->at->keys->ed) != SC_OK) {
    storage_result_text(job, result, 500, "request failed");
    return true;
  }
  flaw_signature(job->at->world, request, own);
  if (!job->forwarded)
    return storage_fan_out(group, request, own, result);
  sc_storage_reply reply = {.clock = storage_clock_of(job->at), .of.members = {own, 1}};
  storage_result_reply(job, result, 200, &reply);
  return true;
}
