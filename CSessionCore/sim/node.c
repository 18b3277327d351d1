#include "node.h"

#include <stdlib.h>

#include "memory.h"
#include "node_onion.h"
#include "node_quic.h"
#include "node_swarm.h"
#include "storage_job.h"
#include "world.h"

enum { most_known_keys = 8192 };

/* Making keys takes longer than all else about a node, so worlds have the same ones. */
static const sc_keypair *keys_of(uint32_t index) {
  static sc_keypair *known[most_known_keys];
  if (index >= most_known_keys)
    abort();
  if (known[index] == NULL) {
    uint8_t seed[SC_ED25519_SEED_BYTES] = {'n', (uint8_t)index, (uint8_t)(index >> 8)};
    known[index] = memory_new(1, sizeof *known[index]);
    sc_keypair_from_seed(known[index], seed);
  }
  return known[index];
}

/* A few share a /24. */
enum { first_byte = 51, neighbours = 3, subnets = 250 };

uint32_t node_index_at(const uint8_t ip[static 4]) {
  if (ip[0] != first_byte || ip[1] == 0 || ip[2] == 0 || ip[3] == 0)
    return UINT32_MAX;
  return ((uint32_t)(ip[1] - 1) * subnets + ip[2] - 1U) * neighbours + ip[3] - 1U;
}

void node_init(node *n, world *w, uint32_t index) {
  enum { quic_port = 22020 };
  *n = (node){.world = w, .index = index, .keys = keys_of(index), .quic_port = quic_port, .ready = true};
  n->ip[0] = first_byte;
  n->ip[1] = (uint8_t)(1 + index / neighbours / subnets);
  n->ip[2] = (uint8_t)(1 + index / neighbours % subnets);
  n->ip[3] = (uint8_t)(1 + index % neighbours);
  sc_address address;
  n->host = wire_add(&w->wire, node_handle, n);
  sc_address_ipv4(&address, n->ip, n->quic_port);
  driver_init(&n->driver, w, n->host, &address);
  node_quic_start(n);
  w->wire.ends[n->host].slowness = (1 + draw_below(&w->chance, 5)) * SIM_MILLISECOND;
}

void node_free(node *n) {
  node_store_free(&n->store);
  registry_list_drop(n->list);
  blob_drop(n->kept_reply);
  free(n->outbox);
  for (size_t i = 0; i < n->late_count; i++)
    blob_drop(n->late[i].body);
  free(n->late);
  node_quic_stop(n);
  free(n->quic_requests);
}

static const char *const traits[trait_all] = {
    "forge",   "garbage", "swallow",   "tamper", "truncate", "replay", "list",  "store",   "moody",
    "friends", "drift",   "one-swarm", "clock",  "reflect",  "busy",   "blame", "capture", "hide"};

const char *trait_name(unsigned index) {
  return traits[index];
}

uint32_t trait_named(const char *name) {
  for (unsigned i = 0; i < trait_all; i++)
    if (strcmp(traits[i], name) == 0)
      return 1U << i;
  return 0;
}

static void answer_now(node *n, wire_call call, bool is_error, sc_bytes body) {
  if (!node_quic_answer(n, call, is_error, body))
    wire_answer(&n->world->wire, call, is_error, body);
}

static void time_to_answer(void *user, uint64_t index) {
  node *n = user;
  late_answer *late = &n->late[index];
  answer_now(n, late->call, late->is_error, blob_bytes(late->body));
  blob_drop(late->body);
  late->body = NULL;
}

void node_answer(node *n, wire_call call, bool is_error, sc_bytes body) {
  enum { shortest_s = 2, longest_s = 60 };
  world *w = n->world;
  if (n->trouble != TROUBLE_STALLED) {
    answer_now(n, call, is_error, body);
    return;
  }
  uint64_t pause = (shortest_s + draw_below(&w->chance, longest_s - shortest_s)) * SIM_SECOND;
  n->late = memory_grow(n->late, n->late_count, &n->late_capacity, sizeof *n->late);
  n->late[n->late_count] = (late_answer){call, is_error, blob_make(body)};
  agenda_add(&w->agenda, w->agenda.now + pause, time_to_answer, n, n->late_count++);
}

void node_die(node *n) {
  wire_kill(&n->world->wire, n->host);
  node_quic_stop(n);
}

void node_revive(node *n) {
  wire_revive(&n->world->wire, n->host);
  node_quic_start(n);
}

bool node_is_honest(const node *n) {
  return n->traits == 0;
}

bool node_is_ready(const node *n) {
  return n->ready && n->list != NULL;
}

uint64_t node_wall(const node *n) {
  return (uint64_t)((int64_t)world_wall(n->world) + n->clock_ms);
}

sc_storage_node node_record(const node *n, uint64_t swarm) {
  sc_storage_node record = {
      .https_port = 22021, .quic_port = n->quic_port, .version = {2, 11, 0}, .swarm = swarm, .funded = true};
  memcpy(record.ed25519, n->keys->ed.public_key, SC_KEY_BYTES);
  memcpy(record.x25519, n->keys->x.public_key, SC_KEY_BYTES);
  memcpy(record.legacy, n->keys->ed.public_key, SC_KEY_BYTES);
  memcpy(record.ip, n->ip, sizeof record.ip);
  return record;
}

void node_learn(node *n, registry_list *list) {
  registry_list *before = n->list;
  if (before == list || (before != NULL && before->height >= list->height))
    return;
  n->list = registry_list_share(list);
  if (before != NULL)
    node_swarm_moved(n, before, list);
  registry_list_drop(before);
}

/* Requests for storage that come without an onion */

typedef struct direct_call {
  node *at;
  wire_call call;
} direct_call;

static void answer_direct(void *user, const sc_storage_answer *answer, sc_storage_body kind) {
  direct_call *direct = user;
  sc_buffer bytes;
  bool is_error;
  sc_buffer_init(&bytes, &direct->at->world->node_env);
  if (sc_storage_answer_write(&bytes, &is_error, kind, answer) == SC_OK)
    node_answer(direct->at, direct->call, is_error, sc_buffer_bytes(&bytes));
  sc_buffer_free(&bytes);
  free(direct);
}

/* Other nodes want the code in three digits, and what the method gives. */
static void answer_member(void *user, const sc_storage_answer *answer, sc_storage_body kind) {
  direct_call *direct = user;
  sc_buffer bytes;
  char code[8];
  (void)kind;
  snprintf(code, sizeof code, "%03d", answer->code);
  sc_buffer_init(&bytes, &direct->at->world->node_env);
  if (sc_buffer_append(&bytes, sc_bytes_text(code)) == SC_OK &&
      sc_buffer_append(&bytes, answer->body) == SC_OK)
    node_answer(direct->at, direct->call, false, sc_buffer_bytes(&bytes));
  sc_buffer_free(&bytes);
  free(direct);
}

static void refuse(direct_call *direct, storage_sink sink, sc_status why, sc_bytes method) {
  sc_buffer text;
  sc_buffer_init(&text, &direct->at->world->node_env);
  const sc_storage_answer none = {.code = 500};
  sc_storage_answer answer = {.code = sc_storage_refusal_code(why)};
  bool written = sc_storage_refusal_write(&text, why, method) == SC_OK;
  answer.body = sc_buffer_bytes(&text);
  sink(direct, written ? &answer : &none, SC_STORAGE_BODY_PLAIN);
  sc_buffer_free(&text);
}

static void serve(node *n, const wire_request *request, sc_bytes method, sc_bytes parameters,
                  bool forwarded) {
  sc_storage_parsed_request parsed;
  direct_call *direct = memory_new(1, sizeof *direct);
  *direct = (direct_call){n, request->call};
  storage_sink sink = forwarded ? answer_member : answer_direct;
  sc_status status = sc_storage_request_parse(&parsed, &n->world->node_env, method, parameters);
  if (status == SC_OK && forwarded && !sc_storage_method_is_recursive(parsed.request.method)) {
    sc_storage_parsed_request_free(&parsed);
    status = SC_ERR_STORAGE_METHOD;
  }
  if (status != SC_OK) {
    refuse(direct, sink, status, method);
    return;
  }
  const storage_call call = {
      .tag = request->tag, .forwarded = forwarded, .bytes = request->body, .sink = sink, .user = direct};
  storage_job_begin(n, &parsed, &call);
}

static void serve_member(node *n, const wire_request *request) {
  sc_bytes all = blob_bytes(request->body);
  const uint8_t *end = all.len == 0 ? NULL : memchr(all.ptr, '\n', all.len);
  if (end == NULL)
    return;
  size_t len = (size_t)(end - all.ptr);
  serve(n, request, sc_bytes_make(all.ptr, len), sc_bytes_make(end + 1, all.len - len - 1), true);
}

static void not_ready(node *n, const wire_request *request) {
  static const char text[] = "503 Service Unavailable\n\nService node is not ready: not done syncing\n";
  node_answer(n, request->call, true, sc_bytes_text(text));
}

void node_handle(void *user, const wire_request *request) {
  node *n = user;
  const char *command = request->command;
  if (strcmp(command, "hello") == 0)
    answer_now(n, request->call, false, SC_BYTES(n->keys->ed.public_key));
  else if (strcmp(command, "onion_req") == 0)
    node_onion_handle(n, request, true);
  else if (strcmp(command, "sn.onion_request") == 0)
    node_onion_handle(n, request, false);
  else if (!node_is_ready(n))
    not_ready(n, request);
  else if (strcmp(command, "sn.storage_cc") == 0)
    serve_member(n, request);
  else if (strcmp(command, "sn.data") == 0)
    node_swarm_receive(n, request);
  else
    serve(n, request, sc_bytes_text(command), blob_bytes(request->body), false);
}
