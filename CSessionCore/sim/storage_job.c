#include "storage_job.h"

#include <stdlib.h>

#include "memory.h"
#include "world.h"

static bool is_many(const sc_storage_request *request) {
  return request->method == SC_STORAGE_BATCH || request->method == SC_STORAGE_SEQUENCE;
}

static const sc_storage_request *request_at(const storage_job *job, size_t index) {
  const sc_storage_request *whole = &job->parsed.request;
  return is_many(whole) ? &whole->of.batch.requests[index] : whole;
}

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

/* What the node says is written down, so that nobody else can have said it. */
static void note(const storage_job *job, const sc_storage_request *request, const sc_storage_result *result) {
  world *w = job->at->world;
  if (result->code == 421)
    oracle_redirected(w, job->tag);
  ledger_entry entry = {.client = oracle_client_of(job->tag), .host = job->at->host, .code = result->code};
  sc_buffer text;
  sc_buffer_init(&text, &w->node_env);
  bool success = result->code >= 200 && result->code <= 299;
  if (success && result->reply != NULL &&
      sc_storage_reply_write(&text, SC_STORAGE_JSON, request, result->reply) == SC_OK)
    entry.body = sc_buffer_bytes(&text);
  ledger_note(&w->ledger, &entry);
  sc_buffer_free(&text);
  /* Of a refusal, clients need not say whose it was. */
  entry.host = ledger_anybody;
  if (!success)
    ledger_note(&w->ledger, &entry);
}

static sc_storage_body write_one(sc_buffer *out, const storage_job *job, const sc_storage_result *result) {
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
    fprintf(stderr, "sc-sim: a node cannot write its reply: %s\n", sc_status_text(status));
    abort();
  }
  return kind;
}

static void answer(storage_job *job) {
  sc_buffer body;
  sc_buffer_init(&body, &job->at->world->node_env);
  sc_storage_result whole = job->results[0];
  if (!job->forwarded)
    for (size_t i = 0; i < job->begun; i++)
      note(job, request_at(job, i), &job->results[i]);
  if (is_many(&job->parsed.request)) {
    sc_storage_reply reply = {.of.results = {job->results, job->begun}};
    storage_result_reply(job, &whole, 200, &reply);
    note(job, &job->parsed.request, &whole);
  }
  sc_storage_body kind = write_one(&body, job, &whole);
  const sc_storage_answer made = {.code = whole.code, .body = sc_buffer_bytes(&body)};
  job->sink(job->user, &made, kind);
  sc_buffer_free(&body);
}

static bool is_over(const storage_job *job) {
  if (job->pending > 0)
    return false;
  if (job->begun == job->count)
    return true;
  int last = job->begun == 0 ? 200 : job->results[job->begun - 1].code;
  return last < 200 || last > 299;
}

static void go_on(storage_job *job) {
  bool in_order = job->parsed.request.method == SC_STORAGE_SEQUENCE;
  while (job->begun < job->count && !(in_order && (job->pending > 0 || is_over(job)))) {
    size_t index = job->begun++;
    job->pending++;
    if (storage_act(job, request_at(job, index), &job->results[index]))
      job->pending--;
  }
  if (!is_over(job))
    return;
  answer(job);
  free_job(job);
}

void storage_job_advance(storage_job *job) {
  job->pending--;
  go_on(job);
}

void storage_job_begin(node *n, sc_storage_parsed_request *parsed, const storage_call *call) {
  storage_job *job = memory_new(1, sizeof *job);
  *job = (storage_job){.at = n,
                       .tag = call->tag,
                       .forwarded = call->forwarded,
                       .parsed = *parsed,
                       .bytes = blob_share(call->bytes),
                       .count = 1,
                       .sink = call->sink,
                       .user = call->user};
  *parsed = (sc_storage_parsed_request){0};
  if (is_many(&job->parsed.request))
    job->count = job->parsed.request.of.batch.count;
  sc_arena_init(&job->arena, &n->world->node_env, 4096);
  job->results = storage_job_take(job, job->count, sizeof *job->results);
  go_on(job);
}
