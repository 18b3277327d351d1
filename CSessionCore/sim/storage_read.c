/* One node's answers: the messages it keeps, and its knowledge of the network. */
#include <inttypes.h>

#include "hostile.h"
#include "storage_job.h"
#include "world.h"

sc_storage_swarm storage_swarm_of(storage_job *job, const uint8_t account[static 33]) {
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

static sc_storage_node_list all_nodes(storage_job *job, uint64_t most) {
  node *n = job->at;
  size_t capacity = n->list->count + hostile_most_strangers, count = 0;
  sc_storage_node *list = storage_job_take(job, capacity, sizeof *list);
  if (hostile_list(&count, n, list))
    return (sc_storage_node_list){list, count, 0};
  for (size_t i = 0; i < n->list->count && count < most; i++) {
    uint32_t index = n->list->nodes[i];
    list[count++] = node_record(&n->world->nodes[index], n->list->swarm_of[index]);
  }
  return (sc_storage_node_list){list, count, 0};
}

/* Messages */

static size_t first_after(const node_store *store, const sc_storage_request *request) {
  const stored *last = node_store_find(store, request->of.retrieve.last_hash);
  bool of_them = last != NULL && last->number == request->of.retrieve.number &&
                 memcmp(last->account, request->account, sizeof last->account) == 0;
  return of_them ? (size_t)(last - store->list) + 1 : 0;
}

static sc_storage_messages retrieve(storage_job *job, const sc_storage_request *request) {
  node_store *store = &job->at->store;
  const sc_storage_namespace where = {.number = request->of.retrieve.number};
  uint64_t budget = sc_storage_retrieve_budget(&request->of.retrieve), most = request->of.retrieve.max_count;
  sc_storage_message *list = storage_job_take(job, store->count, sizeof *list);
  sc_storage_messages found = {.list = list};
  size_t index = first_after(store, request);
  for (const stored *message; (message = node_store_next(store, &index, request->account, where)) != NULL;) {
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
  found.count = hostile_hide(job->at, list, found.count);
  return found;
}

static sc_storage_changes expiries(storage_job *job, const sc_storage_request *request) {
  const sc_storage_hashes *hashes = &request->of.expiries.hashes;
  sc_storage_change *list = storage_job_take(job, hashes->count, sizeof *list);
  size_t count = 0;
  for (size_t i = 0; i < hashes->count; i++) {
    const stored *message = node_store_find(&job->at->store, hashes->list[i]);
    if (message != NULL && memcmp(message->account, request->account, sizeof message->account) == 0)
      list[count++] = (sc_storage_change){.hash = hashes->list[i], .expiry = message->expiry};
  }
  return (sc_storage_changes){list, count};
}

static sc_storage_token_list revoked(storage_job *job, const sc_storage_request *request) {
  const node_store *store = &job->at->store;
  uint8_t(*list)[SC_STORAGE_TOKEN_BYTES] = storage_job_take(job, store->revoked_count, sizeof *list);
  size_t count = 0;
  for (size_t i = 0; i < store->revoked_count; i++)
    if (memcmp(store->revoked[i].account, request->account, sizeof request->account) == 0)
      memcpy(list[count++], store->revoked[i].token, sizeof *list);
  return (sc_storage_token_list){(const uint8_t(*)[SC_STORAGE_TOKEN_BYTES])list, count};
}

/* The network */

static sc_storage_service_nodes service_nodes(storage_job *job, const sc_storage_request *request) {
  const sc_storage_service_nodes_request *wanted = &request->of.service_nodes;
  char hash[65];
  snprintf(hash, sizeof hash, "%064" PRIx64, job->at->list->height);
  sc_storage_service_nodes told = {.height = job->at->list->height,
                                   .block_hash = storage_job_copy(job, sc_bytes_text(hash)),
                                   .unchanged = sc_bytes_same(wanted->poll_block_hash, sc_bytes_text(hash))};
  if (!told.unchanged)
    told.nodes = all_nodes(job, wanted->limit == 0 ? SIZE_MAX : wanted->limit);
  return told;
}

/* Every second name is somebody's; what it stands for follows from it. */
static sc_storage_name name(storage_job *job, const sc_storage_request *request) {
  enum { record_bytes = SC_STORAGE_ACCOUNT_BYTES + 16 };
  const uint8_t *hash = request->of.name.name_hash;
  sc_storage_name found = {.registered = (hash[0] & 1) != 0};
  if (!found.registered)
    return found;
  uint8_t *record = storage_job_take(job, record_bytes, 1);
  for (size_t i = 0; i < record_bytes; i++)
    record[i] = (uint8_t)(hash[i % 32] + i);
  found.encrypted = sc_bytes_make(record, record_bytes);
  memcpy(found.nonce, hash, sizeof found.nonce);
  return found;
}

void storage_read(storage_job *job, const sc_storage_request *request, sc_storage_result *result) {
  sc_storage_reply reply = {.clock = storage_clock_of(job->at)};
  switch (request->method) {
  case SC_STORAGE_RETRIEVE:
    reply.of.messages = retrieve(job, request);
    break;
  case SC_STORAGE_GET_EXPIRIES:
    reply.of.expiries = expiries(job, request);
    break;
  case SC_STORAGE_REVOKED:
    reply.of.tokens = revoked(job, request);
    break;
  case SC_STORAGE_GET_SWARM:
    reply.of.swarm = storage_swarm_of(job, request->account);
    break;
  case SC_STORAGE_SERVICE_NODES:
    reply.of.service_nodes = service_nodes(job, request);
    break;
  case SC_STORAGE_NAME:
    reply.of.name = name(job, request);
    break;
  case SC_STORAGE_ACTIVE_NODES:
    reply.of.active_nodes = all_nodes(job, SIZE_MAX);
    break;
  default:
    reply.of.info = (sc_storage_info){.version = {storage_version, storage_minor_version, 0},
                                      .timestamp = node_wall(job->at)};
    break;
  }
  storage_result_reply(job, result, 200, &reply);
}
