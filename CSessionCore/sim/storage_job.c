#include "storage_job.h"

#include <stdlib.h>

#include "memory.h"
#include "world.h"

void *storage_job_take(storage_job *job, size_t count, size_t each) {
  void *memory = sc_arena_take(&job->arena, (count > 0 ? count : 1) * each);
  if (memory == NULL)
    abort();
  return memset(memory, 0, (count > 0 ? count : 1) * each);
}

sc_bytes storage_job_copy(storage_job *job, sc_bytes bytes) {
  uint8_t *copy = storage_job_take(job, bytes.len, 1);
  if (bytes.len > 0)
    memcpy(copy, bytes.ptr, bytes.len);
  return sc_bytes_make(copy, bytes.len);
}

static storage_kept *keep(storage_job *job) {
  storage_kept *kept = storage_job_take(job, 1, sizeof *kept);
  kept->next = job->kept;
  return job->kept = kept;
}

void storage_job_keep_blob(storage_job *job, blob *bytes) {
  keep(job)->bytes = blob_share(bytes);
}

void storage_job_keep_reply(storage_job *job, blob *bytes, const sc_storage_parsed_reply *reply) {
  storage_kept *kept = keep(job);
  kept->bytes = blob_share(bytes);
  kept->has_reply = true;
  kept->reply = *reply;
}

sc_storage_clock storage_clock_of(const node *n) {
  return (sc_storage_clock){
      .has_time = true, .time = node_wall(n), .has_fork = true, .fork = {world_fork, world_revision}};
}

void storage_result_text(storage_job *job, sc_storage_result *result, int code, const char *text) {
  *result = (sc_storage_result){.code = code, .text = storage_job_copy(job, sc_bytes_text(text))};
}

void storage_result_reply(storage_job *job, sc_storage_result *result, int code,
                          const sc_storage_reply *reply) {
  sc_storage_reply *copy = storage_job_take(job, 1, sizeof *copy);
  *copy = *reply;
  *result = (sc_storage_result){.code = code, .reply = copy};
}

static void free_job(storage_job *job) {
  for (storage_kept *kept = job->kept; kept != NULL; kept = kept->next) {
    if (kept->has_reply)
      sc_storage_parsed_reply_free(&kept->reply);
    blob_drop(kept->bytes);
  }
  sc_arena_free(&job->arena);
  sc_storage_parsed_request_free(&job->parsed);
  blob_drop(job->bytes);
  free(job);
}

/* Records the node's reply, so that no other node can claim it. */
static void note(const storage_job *job, const sc_storage_request *request, const sc_storage_result *result) {
  world *w = job->at->world;
  if (result->code == 421)
    oracle_redirected(w, job->tag);
  ledger_entry entry = {.client = oracle_client_of(job->tag), .host = job->at->host, .code = result->code};
  sc_buffer text, form;
  sc_buffer_init(&text, &w->node_env);
  sc_buffer_init(&form, &w->node_env);
  bool success = result->code >= 200 && result->code <= 299;
  if (success && result->reply != NULL &&
      sc_storage_reply_write(&text, SC_STORAGE_JSON, request, result->reply) == SC_OK &&
      ledger_form(&form, request, sc_buffer_bytes(&text)))
    entry.body = sc_buffer_bytes(&form);
  ledger_note(&w->ledger, &entry);
  sc_buffer_free(&form);
  sc_buffer_free(&text);
  /* Of a refusal, clients need not say whose it was. */
  entry.host = ledger_anybody;
  if (!success)
    ledger_note(&w->ledger, &entry);
}

static bool is_many(const sc_storage_request *request) {
  return request->method == SC_STORAGE_BATCH || request->method == SC_STORAGE_SEQUENCE;
}

/* A client may have put several of its requests into one batch: each has its own reply. */
static void note_all(const storage_job *job) {
  const sc_storage_request *whole = &job->parsed.request;
  note(job, whole, &job->result);
  if (!is_many(whole) || job->result.reply == NULL)
    return;
  const sc_storage_results *results = &job->result.reply->of.results;
  for (size_t i = 0; i < results->count; i++)
    note(job, &whole->of.batch.requests[i], &results->list[i]);
}

static sc_storage_body write_result(sc_buffer *out, const storage_job *job) {
  const sc_storage_result *result = &job->result;
  sc_storage_form form = job->parsed.form;
  sc_storage_body kind = form == SC_STORAGE_BT ? SC_STORAGE_BODY_BT : SC_STORAGE_BODY_JSON;
  sc_status status = SC_OK;
  if (result->reply != NULL) {
    status = sc_storage_reply_write(out, form, &job->parsed.request, result->reply);
    if (job->parsed.request.method == SC_STORAGE_ACTIVE_NODES)
      kind = SC_STORAGE_BODY_PLAIN;
  } else if (result->swarm != NULL) {
    const sc_storage_clock clock = storage_clock_of(job->at);
    status = sc_storage_swarm_write(out, form, result->swarm, &clock);
  } else {
    status = sc_buffer_append(out, result->text);
    kind = SC_STORAGE_BODY_PLAIN;
  }
  if (status != SC_OK) {
    fprintf(stderr, "sc-sim: a node cannot write its reply to %s: %s\n",
            sc_storage_method_name(job->parsed.request.method), sc_status_text(status));
    abort();
  }
  return kind;
}

static void finish_job(storage_job *job) {
  sc_buffer body;
  sc_buffer_init(&body, &job->at->world->node_env);
  if (!job->forwarded)
    note_all(job);
  sc_storage_body kind = write_result(&body, job);
  const sc_storage_answer made = {.code = job->result.code, .body = sc_buffer_bytes(&body)};
  job->sink(job->user, &made, kind);
  sc_buffer_free(&body);
  free_job(job);
}

/* Groups */

static bool is_over(const storage_group *group) {
  if (group->pending > 0)
    return false;
  if (group->begun == group->count)
    return true;
  int last = group->begun == 0 ? 200 : group->results[group->begun - 1].code;
  return group->in_order && (last < 200 || last > 299);
}

/* Begins what can be begun; true when nothing is left to do. */
static bool go_on(storage_group *group) {
  group->going = true;
  while (group->begun < group->count && !(group->in_order && (group->pending > 0 || is_over(group)))) {
    size_t index = group->begun++;
    group->pending++;
    if (storage_act(group, &group->requests[index], &group->results[index]))
      group->pending--;
  }
  group->going = false;
  return is_over(group);
}

static void sum_up(storage_group *group) {
  const sc_storage_reply reply = {.of.results = {group->results, group->begun}};
  if (group->outer == NULL)
    group->job->result = group->results[0];
  else
    storage_result_reply(group->job, group->into, 200, &reply);
}

void storage_group_advance(storage_group *group) {
  storage_job *job = group->job;
  group->pending--;
  if (group->going || !go_on(group))
    return;
  sum_up(group);
  if (group->outer == NULL)
    finish_job(job);
  else
    storage_group_advance(group->outer);
}

static storage_group *new_group(storage_job *job, storage_group *outer, const sc_storage_request *requests,
                                size_t count) {
  storage_group *group = storage_job_take(job, 1, sizeof *group);
  *group = (storage_group){.job = job, .outer = outer, .requests = requests, .count = count};
  group->results = storage_job_take(job, count, sizeof *group->results);
  return group;
}

bool storage_act_on_group(storage_group *outer, const sc_storage_request *request,
                          sc_storage_result *result) {
  const sc_storage_batch *batch = &request->of.batch;
  storage_group *group = new_group(outer->job, outer, batch->requests, batch->count);
  group->in_order = request->method == SC_STORAGE_SEQUENCE;
  group->into = result;
  if (!go_on(group))
    return false;
  sum_up(group);
  return true;
}

void storage_job_begin(node *n, sc_storage_parsed_request *parsed, const storage_call *call) {
  storage_job *job = memory_new(1, sizeof *job);
  *job = (storage_job){.at = n,
                       .tag = call->tag,
                       .forwarded = call->forwarded,
                       .parsed = *parsed,
                       .bytes = blob_share(call->bytes),
                       .sink = call->sink,
                       .user = call->user};
  *parsed = (sc_storage_parsed_request){0};
  sc_arena_init(&job->arena, &n->world->node_env, 4096);
  storage_group *whole = new_group(job, NULL, &job->parsed.request, 1);
  if (!go_on(whole))
    return;
  sum_up(whole);
  finish_job(job);
}
