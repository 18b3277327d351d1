/* What one node does with one request, by itself. */
#include "hostile.h"
#include "storage_job.h"
#include "world.h"
#include <stdlib.h>

static sc_storage_swarm swarm_of(storage_job *job, const uint8_t account[static 33]) {
  enum { made_up = 6 };
  node *n = job->at;
  if (node_has(n, TRAIT_LIST) && hostile_tempted(n, TRAIT_LIST)) {
    sc_storage_node *list = storage_job_take(job, made_up, sizeof *list);
    return (sc_storage_swarm){.id = draw(&n->world->chance),
                              .nodes = {list, hostile_nodes(n, list, made_up), 0}};
  }
  const registry_swarm *swarm = registry_swarm_of(n->list, account);
  if (swarm == NULL)
    return (sc_storage_swarm){.id = SC_STORAGE_NO_SWARM};
  sc_storage_node *list = storage_job_take(job, swarm->count, sizeof *list);
  for (uint32_t i = 0; i < swarm->count; i++)
    list[i] = node_record(&n->world->nodes[n->list->nodes[swarm->first + i]], swarm->id);
  return (sc_storage_swarm){.id = swarm->id, .nodes = {list, swarm->count, 0}};
}

static void redirect(storage_job *job, const sc_storage_request *request, sc_storage_result *result) {
  sc_storage_swarm *swarm = storage_job_take(job, 1, sizeof *swarm);
  *swarm = swarm_of(job, request->account);
  *result = (sc_storage_result){.code = 421, .swarm = swarm};
}

static sc_storage_node_list all_nodes(storage_job *job) {
  enum { most_made_up = 40 };
  node *n = job->at;
  size_t capacity = n->list->count + most_made_up, count = 0;
  sc_storage_node *list = storage_job_take(job, capacity, sizeof *list);
  if (node_has(n, TRAIT_LIST) && hostile_tempted(n, TRAIT_LIST))
    return (sc_storage_node_list){list, hostile_nodes(n, list, most_made_up), 0};
  for (size_t i = 0; i < n->list->count; i++) {
    uint32_t index = n->list->nodes[i];
    list[count++] = node_record(&n->world->nodes[index], n->list->swarm_of[index]);
  }
  return (sc_storage_node_list){list, count, 0};
}

/* Storing and deleting, and the signature of having done so. */

static void store_here(storage_job *job, const sc_storage_request *request, sc_storage_member *member) {
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

static int compare_changes(const void *a, const void *b) {
  const sc_storage_change *x = a, *y = b;
  return memcmp(x->hash.ptr, y->hash.ptr, SC_STORAGE_HASH_CHARS);
}

static void delete_here(storage_job *job, const sc_storage_request *request, sc_storage_member *member) {
  const sc_storage_hashes *hashes = &request->of.deletion.hashes;
  sc_storage_change *changes = storage_job_take(job, hashes->count, sizeof *changes);
  size_t count = 0;
  for (size_t i = 0; i < hashes->count; i++)
    if (node_store_remove(&job->at->store, request->account, hashes->list[i]))
      changes[count++] = (sc_storage_change){.hash = hashes->list[i]};
  qsort(changes, count, sizeof *changes, compare_changes);
  member->changed = (sc_storage_changes){changes, count};
}

static bool change(storage_job *job, const sc_storage_request *request, sc_storage_result *result) {
  sc_storage_member *own = storage_job_take(job, 1, sizeof *own);
  if (request->method == SC_STORAGE_STORE)
    store_here(job, request, own);
  else
    delete_here(job, request, own);
  if (sc_storage_member_sign(own, &job->at->world->node_env, request, &job->at->keys->ed) != SC_OK) {
    storage_result_text(job, result, 500, "request failed");
    return true;
  }
  if (!job->forwarded)
    return storage_fan_out(job, request, own, result);
  sc_storage_reply reply = {.clock = storage_clock_of(job->at), .of.members = {own, 1}};
  storage_result_reply(job, result, 200, &reply);
  return true;
}

/* Reading. */

static size_t first_after(const node_store *store, const sc_storage_request *request) {
  const stored *last = node_store_find(store, request->of.retrieve.last_hash);
  bool of_them = last != NULL && last->number == request->of.retrieve.number &&
                 memcmp(last->account, request->account, sizeof last->account) == 0;
  return of_them ? (size_t)(last - store->list) + 1 : 0;
}

static bool is_wanted(const stored *message, const sc_storage_request *request) {
  return message->number == request->of.retrieve.number &&
         memcmp(message->account, request->account, sizeof message->account) == 0;
}

static void retrieve(storage_job *job, const sc_storage_request *request, sc_storage_result *result) {
  const node_store *store = &job->at->store;
  uint64_t budget = sc_storage_retrieve_budget(&request->of.retrieve), most = request->of.retrieve.max_count;
  sc_storage_message *list = storage_job_take(job, store->count, sizeof *list);
  sc_storage_messages found = {.list = list};
  for (size_t i = first_after(store, request); i < store->count && !found.more; i++) {
    const stored *message = &store->list[i];
    if (!is_wanted(message, request))
      continue;
    uint64_t cost = sc_storage_message_cost(SC_STORAGE_HASH_CHARS, message->data->len);
    found.more = (most > 0 && found.count == most) || (found.count > 0 && cost > budget);
    if (found.more)
      break;
    budget -= cost < budget ? cost : budget;
    storage_job_keep_blob(job, message->data);
    list[found.count++] = (sc_storage_message){.hash = storage_job_copy(job, sc_bytes_text(message->hash)),
                                               .timestamp = message->timestamp,
                                               .expiry = message->expiry,
                                               .data = blob_bytes(message->data)};
  }
  sc_storage_reply reply = {.clock = storage_clock_of(job->at), .of.messages = found};
  storage_result_reply(job, result, 200, &reply);
}

static void tell(storage_job *job, const sc_storage_request *request, sc_storage_result *result) {
  sc_storage_reply reply = {.clock = storage_clock_of(job->at)};
  if (request->method == SC_STORAGE_GET_SWARM)
    reply.of.swarm = swarm_of(job, request->account);
  else if (request->method == SC_STORAGE_ACTIVE_NODES)
    reply.of.active_nodes = all_nodes(job);
  else if (request->method == SC_STORAGE_SERVICE_NODES)
    reply.of.service_nodes =
        (sc_storage_service_nodes){.height = job->at->list->height, .nodes = all_nodes(job)};
  else
    reply.of.info = (sc_storage_info){.version = {2, 11, 0}, .timestamp = node_wall(job->at)};
  storage_result_reply(job, result, 200, &reply);
}

static bool knows(const node *n, sc_storage_method method) {
  return !n->old || method != SC_STORAGE_ACTIVE_NODES;
}

/* Whether the node refuses; then `result` says why. */
static bool refuses(storage_job *job, const sc_storage_request *request, sc_storage_result *result) {
  const sc_storage_judge judge = {.now = node_wall(job->at), .forwarded = job->forwarded};
  sc_storage_grant grant;
  sc_status status = sc_storage_request_authorize(&grant, &job->at->world->node_env, request, &judge);
  if (status == SC_OK)
    return false;
  sc_buffer text;
  sc_buffer_init(&text, &job->at->world->node_env);
  const char *method = sc_storage_method_name(request->method);
  if (sc_storage_refusal_write(&text, status, sc_bytes_text(method)) == SC_OK)
    *result = (sc_storage_result){.code = sc_storage_refusal_code(status),
                                  .text = storage_job_copy(job, sc_buffer_bytes(&text))};
  else
    storage_result_text(job, result, 500, "request failed");
  sc_buffer_free(&text);
  return true;
}

bool storage_act(storage_job *job, const sc_storage_request *request, sc_storage_result *result) {
  int mood = job->forwarded ? 0 : hostile_mood(job->at);
  if (mood == 421) {
    redirect(job, request, result);
    return true;
  }
  if (mood != 0) {
    storage_result_text(job, result, mood, "so it is");
    return true;
  }
  bool has_account = sc_storage_method_has_account(request->method);
  if (has_account && request->method != SC_STORAGE_GET_SWARM &&
      !registry_is_member(job->at->list, job->at->index, request->account)) {
    redirect(job, request, result);
    return true;
  }
  if (has_account && refuses(job, request, result))
    return true;
  if (!knows(job->at, request->method)) {
    storage_result_text(job, result, 400, "no method active_nodes_bin");
    return true;
  }
  switch (request->method) {
  case SC_STORAGE_STORE:
  case SC_STORAGE_DELETE:
    return change(job, request, result);
  case SC_STORAGE_RETRIEVE:
    retrieve(job, request, result);
    return true;
  case SC_STORAGE_INFO:
  case SC_STORAGE_GET_SWARM:
  case SC_STORAGE_ACTIVE_NODES:
  case SC_STORAGE_SERVICE_NODES:
    tell(job, request, result);
    return true;
  default:
    storage_result_text(job, result, 500, "request failed");
    return true;
  }
}
