/* One node's handling of one request: it redirects the request, refuses it, or carries it out. */
#include "flaw.h"
#include "hostile.h"
#include "storage_job.h"
#include "world.h"

static void redirect(storage_job *job, const sc_storage_request *request, sc_storage_result *result) {
  sc_storage_swarm *swarm = storage_job_take(job, 1, sizeof *swarm);
  *swarm = storage_swarm_of(job, request->account);
  *result = (sc_storage_result){.code = 421, .swarm = swarm};
}

static void capture(storage_job *job, const sc_storage_request *request, sc_storage_result *result) {
  enum { most = 20 };
  sc_storage_swarm *swarm = storage_job_take(job, 1, sizeof *swarm);
  sc_storage_node *nodes = storage_job_take(job, most, sizeof *nodes);
  size_t count = hostile_redirect(job->at, request->account, nodes, most);
  *swarm = (sc_storage_swarm){.id = count > 0 ? nodes[0].swarm : 1, .nodes = {nodes, count, 0}};
  *result = (sc_storage_result){.code = 421, .swarm = swarm};
}

static bool knows(const node *n, sc_storage_method method) {
  return !n->old || method != SC_STORAGE_ACTIVE_NODES;
}

static bool is_revoked(void *user, const uint8_t *account, const uint8_t *token) {
  const node *n = user;
  stored_revocation revocation;
  memcpy(revocation.account, account, sizeof revocation.account);
  memcpy(revocation.token, token, sizeof revocation.token);
  return node_store_is_revoked(&n->store, &revocation) && !flaw_admits(n->world);
}

/* True if the node refuses the request; `result` then holds the reason. */
static bool refuses(sc_storage_grant *grant, storage_job *job, const sc_storage_request *request,
                    sc_storage_result *result) {
  const sc_storage_judge judge = {
      .now = node_wall(job->at), .forwarded = job->forwarded, .is_revoked = is_revoked, .user = job->at};
  sc_status status = sc_storage_request_authorize(grant, &job->at->world->node_env, request, &judge);
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

/* Conditions */

static bool is_at_least(const uint16_t *value, const uint16_t *limit, size_t count) {
  size_t i = 0;
  while (i < count && value[i] == limit[i])
    i++;
  return i == count || value[i] > limit[i];
}

static bool hold(const sc_storage_conditions *c, const node *n) {
  static const uint16_t fork[2] = {world_fork, world_revision};
  static const uint16_t version[3] = {storage_version, storage_minor_version, 0};
  uint64_t height = n->list->height;
  return (!c->has_fork_at_least || is_at_least(fork, c->fork_at_least, 2)) &&
         (!c->has_fork_before || !is_at_least(fork, c->fork_before, 2)) &&
         (!c->has_version_at_least || is_at_least(version, c->version_at_least, 3)) &&
         (!c->has_version_before || !is_at_least(version, c->version_before, 3)) &&
         (!c->has_height_at_least || height >= c->height_at_least) &&
         (!c->has_height_before || height < c->height_before);
}

static bool branch(storage_group *group, const sc_storage_request *request, sc_storage_result *result) {
  storage_job *job = group->job;
  const sc_storage_branch *branch = &request->of.branch;
  sc_storage_reply reply = {.clock = storage_clock_of(job->at)};
  sc_storage_outcome *outcome = &reply.of.outcome;
  *outcome = (sc_storage_outcome){.condition = hold(&branch->conditions, job->at),
                                  .height = job->at->list->height,
                                  .version = {storage_version, storage_minor_version, 0}};
  const sc_storage_request *taken = outcome->condition ? branch->then : branch->otherwise;
  sc_storage_result *inner = taken == NULL ? NULL : storage_job_take(job, 1, sizeof *inner);
  outcome->result = inner;
  storage_result_reply(job, result, 200, &reply);
  return taken == NULL || storage_act(group, taken, inner);
}

bool storage_act(storage_group *group, const sc_storage_request *request, sc_storage_result *result) {
  storage_job *job = group->job;
  sc_storage_grant grant = {0};
  if (request->method == SC_STORAGE_BATCH || request->method == SC_STORAGE_SEQUENCE)
    return storage_act_on_group(group, request, result);
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
  if (has_account && !job->forwarded && hostile_tempted(job->at, TRAIT_CAPTURE)) {
    capture(job, request, result);
    return true;
  }
  /* A branch is for any node. */
  if (has_account && !job->forwarded && job->parsed.request.method != SC_STORAGE_BRANCH)
    oracle_check_place(job->at, job->tag, request->account);
  if (has_account && request->method != SC_STORAGE_GET_SWARM &&
      !registry_is_member(job->at->list, job->at->index, request->account)) {
    redirect(job, request, result);
    return true;
  }
  if (has_account && refuses(&grant, job, request, result))
    return true;
  if (!knows(job->at, request->method)) {
    storage_result_text(job, result, 400, "no method active_nodes_bin");
    return true;
  }
  if (request->method == SC_STORAGE_BRANCH)
    return branch(group, request, result);
  node_store_sweep(&job->at->store, node_wall(job->at));
  if (sc_storage_method_is_recursive(request->method))
    return storage_change(group, request, &grant, result);
  storage_read(job, request, result);
  return true;
}
