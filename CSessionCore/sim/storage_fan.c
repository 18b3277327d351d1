/* Passing a request on to the rest of the swarm, and putting together what they all did. */
#include <stdlib.h>

#include "hostile.h"
#include "memory.h"
#include "node_swarm.h"
#include "storage_job.h"
#include "world.h"

static const uint64_t member_timeout = 5 * SIM_SECOND;

typedef struct fan {
  storage_group *group;
  storage_job *job;
  const sc_storage_request *request;
  sc_storage_result *result;
  sc_storage_member *members; /* the node's own first */
  size_t count;
  size_t pending;
} fan;

/* One member that was asked. */
typedef struct fan_leg {
  fan *of;
  uint32_t node;
  sc_storage_member *member;
} fan_leg;

static bool nothing_was_deleted(const fan *f) {
  for (size_t i = 0; i < f->count; i++)
    if (f->members[i].changed.count > 0)
      return false;
  return f->request->method == SC_STORAGE_DELETE && f->request->of.deletion.required;
}

static void finish(fan *f) {
  bool all_failed = true;
  for (size_t i = 0; i < f->count; i++)
    all_failed = all_failed && f->members[i].failed;
  sc_storage_reply reply = {.clock = storage_clock_of(f->job->at), .of.members = {f->members, f->count}};
  int code = nothing_was_deleted(f) ? 404 : all_failed ? 500 : 200;
  storage_result_reply(f->job, f->result, code, &reply);
}

static bool read_member(fan_leg *leg, blob *body) {
  fan *f = leg->of;
  sc_storage_parsed_reply parsed;
  sc_bytes bytes = blob_bytes(body);
  if (bytes.len < 3 || memcmp(bytes.ptr, "200", 3) != 0)
    return false;
  bytes = sc_bytes_make(bytes.ptr + 3, bytes.len - 3);
  if (sc_storage_reply_parse(&parsed, &f->job->at->world->node_env, f->request, bytes) != SC_OK)
    return false;
  storage_job_keep_reply(f->job, body, &parsed);
  if (parsed.reply.of.members.count != 1)
    return false;
  *leg->member = parsed.reply.of.members.list[0];
  return true;
}

static int code_in(sc_bytes body) {
  int code = 0;
  for (size_t i = 0; i < 3 && i < body.len; i++)
    code = 10 * code + (body.ptr[i] - '0');
  return code;
}

/* A member that could not be told will be, later. */
static void leg_ends(void *user, const wire_reply *reply) {
  fan_leg *leg = user;
  fan *f = leg->of;
  node *n = f->job->at;
  bool answered = reply->outcome == WIRE_ANSWERED;
  if (!answered || !read_member(leg, reply->body)) {
    const uint8_t *key = n->world->nodes[leg->node].keys->ed.public_key;
    *leg->member = (sc_storage_member){.failed = true, .timed_out = !answered};
    memcpy(leg->member->node, key, SC_KEY_BYTES);
    if (answered) {
      leg->member->code = code_in(blob_bytes(reply->body));
      leg->member->bad_peer_response = leg->member->code == 0 || leg->member->code == 200;
    } else if (reply->outcome != WIRE_GONE && f->request->method == SC_STORAGE_STORE) {
      node_swarm_owe(n, leg->node, f->members[0].hash);
    }
  }
  if (--f->pending > 0)
    return;
  finish(f);
  storage_group_advance(f->group);
}

/* The form in which nodes pass requests on: method, a line end, bt parameters. */
static blob *forwarded(const node *n, const sc_storage_request *request) {
  sc_buffer parameters, message;
  sc_buffer_init(&parameters, &n->world->node_env);
  sc_buffer_init(&message, &n->world->node_env);
  sc_status status = sc_storage_request_write(&parameters, SC_STORAGE_BT, request);
  if (status == SC_OK)
    status = sc_buffer_append(&message, sc_bytes_text(sc_storage_method_name(request->method)));
  if (status == SC_OK)
    status = sc_buffer_append_byte(&message, '\n');
  if (status == SC_OK)
    status = sc_buffer_append(&message, sc_buffer_bytes(&parameters));
  if (status != SC_OK)
    abort();
  blob *made = blob_make(sc_buffer_bytes(&message));
  sc_buffer_free(&parameters);
  sc_buffer_free(&message);
  return made;
}

/* A node that stores nothing claims that the others did, and a stranger too. */
static void claim_all(fan *f) {
  world *w = f->job->at->world;
  for (size_t i = 1; i < f->count; i++) {
    sc_keypair stranger;
    f->members[i] = f->members[0];
    sc_keypair_generate(&stranger, &w->node_env);
    if (sc_storage_member_sign(&f->members[i], &w->node_env, f->request, &stranger.ed) != SC_OK)
      abort();
  }
  finish(f);
}

bool storage_fan_out(storage_group *group, const sc_storage_request *request, const sc_storage_member *own,
                     sc_storage_result *result) {
  storage_job *job = group->job;
  node *n = job->at;
  world *w = n->world;
  const registry_swarm *swarm = registry_swarm_of(n->list, request->account);
  fan *f = storage_job_take(job, 1, sizeof *f);
  *f = (fan){
      .group = group, .job = job, .request = request, .result = result, .count = swarm->count, .pending = 1};
  f->members = storage_job_take(job, swarm->count, sizeof *f->members);
  f->members[0] = *own;
  if (request->method == SC_STORAGE_STORE && node_has(n, TRAIT_STORE) && hostile_tempted(n, TRAIT_STORE)) {
    claim_all(f);
    return true;
  }
  blob *message = forwarded(n, request);
  size_t at = 1;
  for (uint32_t i = 0; i < swarm->count; i++) {
    uint32_t peer = n->list->nodes[swarm->first + i];
    if (peer == n->index)
      continue;
    fan_leg *leg = storage_job_take(job, 1, sizeof *leg);
    *leg = (fan_leg){.of = f, .node = peer, .member = &f->members[at++]};
    f->pending++;
    const wire_call_options options = {.from = n->host,
                                       .to = w->nodes[peer].host,
                                       .tag = job->tag,
                                       .command = "sn.storage_cc",
                                       .body = message,
                                       .timeout = member_timeout,
                                       .done = leg_ends,
                                       .user = leg};
    (void)wire_begin_call(&w->wire, &options);
  }
  blob_drop(message);
  if (--f->pending > 0)
    return false;
  finish(f);
  return true;
}
