#include "draft.h"

#include "session-core/base/secret.h"
#include "session-core/crypto/hash.h"

static sc_request_kind kind_of(const sc_network_request *request) {
  if (request->to != SC_NETWORK_TO_SWARM || request->alone)
    return SC_REQUEST_ALONE;
  switch (request->storage->method) {
  case SC_STORAGE_RETRIEVE:
  case SC_STORAGE_GET_EXPIRIES:
  case SC_STORAGE_REVOKED:
    return SC_REQUEST_READS;
  case SC_STORAGE_STORE:
    return SC_REQUEST_STORES;
  default:
    return SC_REQUEST_ALONE;
  }
}

/* Nodes keep a message that is stored twice once. */
static bool is_repeatable(const sc_network_request *request) {
  if (request->to != SC_NETWORK_TO_SERVER || request->repeatable)
    return true;
  switch (request->http->method) {
  case SC_ONION_GET:
  case SC_ONION_HEAD:
  case SC_ONION_PUT:
  case SC_ONION_DELETE:
    return true;
  default:
    return false;
  }
}

static size_t reply_bytes_of(const sc_storage_request *storage) {
  enum { usual_reply = 16384 };
  if (storage == NULL || storage->method != SC_STORAGE_RETRIEVE)
    return usual_reply;
  return sc_storage_retrieve_budget(&storage->of.retrieve);
}

static bool is_batch(const sc_storage_request *storage) {
  return storage != NULL && (storage->method == SC_STORAGE_BATCH || storage->method == SC_STORAGE_SEQUENCE);
}

static bool has_account(const sc_storage_request *storage) {
  return sc_storage_method_has_account(storage->method);
}

/* True if a batch has calls about different accounts, which would tell its node that one client requests
 * both. */
static bool is_mixed(const sc_storage_batch *batch) {
  const sc_storage_request *first = &batch->requests[0];
  for (size_t i = 1; i < batch->count; i++) {
    const sc_storage_request *other = &batch->requests[i];
    if (has_account(first) != has_account(other) ||
        (has_account(first) && memcmp(first->account, other->account, sizeof first->account) != 0))
      return true;
  }
  return false;
}

/* The one account that a request is about; false when there is none, or more than one. */
static bool find_account(uint8_t out[static SC_STORAGE_ACCOUNT_BYTES], const sc_storage_request *storage) {
  const sc_storage_request *first = storage;
  if (is_batch(storage)) {
    first = storage->of.batch.requests;
    for (size_t i = 0; i < storage->of.batch.count; i++) {
      const sc_storage_request *request = &storage->of.batch.requests[i];
      if (!has_account(request) || memcmp(request->account, first->account, sizeof first->account) != 0)
        return false;
    }
  } else if (!has_account(storage)) {
    return false;
  }
  memcpy(out, first->account, SC_STORAGE_ACCOUNT_BYTES);
  return true;
}

static sc_status check(const sc_network_request *request) {
  bool to_server = request->to == SC_NETWORK_TO_SERVER;
  if (request->to < SC_NETWORK_TO_SWARM || request->to > SC_NETWORK_TO_SERVER ||
      request->category >= SC_NETWORK_CATEGORIES || request->attempts > SC_NETWORK_MAX_ATTEMPTS)
    return SC_ERR_ARGUMENT;
  if (to_server ? request->server == NULL || request->http == NULL : request->storage == NULL)
    return SC_ERR_ARGUMENT;
  if (is_batch(request->storage) && !to_server &&
      (request->storage->of.batch.count == 0 || request->storage->of.batch.count > SC_STORAGE_MAX_BATCH))
    return SC_ERR_STORAGE_BATCH;
  if (is_batch(request->storage) && !to_server && request->local_account != 0 &&
      is_mixed(&request->storage->of.batch))
    return SC_ERR_STORAGE_BATCH;
  uint8_t account[SC_STORAGE_ACCOUNT_BYTES];
  if (request->to == SC_NETWORK_TO_SWARM && !find_account(account, request->storage))
    return SC_ERR_ARGUMENT;
  return to_server ? sc_onion_url_check(&request->server->url) : SC_OK;
}

static sc_status write_text(sc_buffer *out, const sc_network_request *request) {
  return request->to == SC_NETWORK_TO_SERVER ? sc_onion_request_write(out, request->http)
                                             : sc_storage_call_write(out, request->storage);
}

/* One piece of memory for the text, what a server is called, and the accounts of a batch. */
static sc_status keep(sc_draft *draft, const sc_env *env, sc_bytes text, const sc_network_request *from) {
  bool to_server = from->to == SC_NETWORK_TO_SERVER;
  const sc_onion_url *url = to_server ? &from->server->url : NULL;
  size_t url_bytes = to_server ? url->host.len + url->target.len : 0;
  size_t accounts = !to_server && is_batch(from->storage) ? from->storage->of.batch.count : 0;
  if (text.len > SC_STORAGE_MAX_BYTES)
    return SC_ERR_TOO_LARGE;
  draft->memory = sc_allocate(env, text.len + url_bytes + accounts * SC_STORAGE_ACCOUNT_BYTES);
  if (draft->memory == NULL)
    return SC_ERR_NO_MEMORY;
  memcpy(draft->memory, text.ptr, text.len);
  draft->text = sc_bytes_make(draft->memory, text.len);
  uint8_t *at = draft->memory + text.len;
  if (to_server) {
    draft->server = *from->server;
    memcpy(at, url->host.ptr, url->host.len);
    draft->server.url.host.ptr = at;
    memcpy(at + url->host.len, url->target.ptr, url->target.len);
    draft->server.url.target.ptr = at + url->host.len;
  }
  draft->accounts = (uint8_t(*)[SC_STORAGE_ACCOUNT_BYTES])(at + url_bytes);
  draft->account_count = accounts;
  for (size_t i = 0; i < accounts; i++)
    memcpy(draft->accounts[i], from->storage->of.batch.requests[i].account, SC_STORAGE_ACCOUNT_BYTES);
  return SC_OK;
}

/* ---- what its paths are for ---- */

/* A file has no name before it is uploaded. */
static sc_status hash_file(uint8_t out[static SC_KEY_BYTES], const sc_draft *draft,
                           const sc_network_request *request) {
  sc_bytes name = request->http->has_body ? draft->text : request->http->endpoint;
  return sc_blake2b(out, SC_KEY_BYTES, SC_BYTES(request->server->x25519), name);
}

/* Requests of no local account are as those of the network itself. */
static sc_status write_path_key(sc_draft *draft, const sc_network_request *request) {
  sc_path_key *key = &draft->path_key;
  *key = (sc_path_key){.local_account = request->local_account};
  if (key->local_account == 0)
    return SC_OK;
  if (request->to == SC_NETWORK_TO_SERVER && request->category == SC_NETWORK_FILE) {
    key->target = SC_NETWORK_FOR_FILE;
    return hash_file(key->of, draft, request);
  }
  if (request->to == SC_NETWORK_TO_SERVER) {
    key->target = SC_NETWORK_FOR_SERVER;
    memcpy(key->of, request->server->x25519, SC_KEY_BYTES);
  } else if (draft->has_account) {
    key->target = SC_NETWORK_FOR_SWARM;
    memcpy(key->of, draft->account, sizeof draft->account);
  }
  return SC_OK;
}

sc_status sc_draft_make(sc_draft *out, const sc_env *env, sc_buffer *scratch,
                        const sc_network_request *request) {
  sc_draft draft = {.request = *request};
  sc_status status = check(request);
  if (status == SC_OK)
    status = write_text(scratch, request);
  if (status == SC_OK)
    status = keep(&draft, env, sc_buffer_bytes(scratch), request);
  if (status != SC_OK)
    return status;
  bool to_server = request->to == SC_NETWORK_TO_SERVER;
  draft.kind = kind_of(request);
  draft.is_repeatable = is_repeatable(request);
  draft.reply_bytes = reply_bytes_of(to_server ? NULL : request->storage);
  draft.has_account = !to_server && find_account(draft.account, request->storage);
  status = write_path_key(&draft, request);
  if (status != SC_OK) {
    sc_draft_free(&draft, env);
    return status;
  }
  draft.request.storage = NULL;
  draft.request.server = NULL;
  draft.request.http = NULL;
  *out = draft;
  return SC_OK;
}

void sc_draft_free(sc_draft *draft, const sc_env *env) {
  if (draft->memory != NULL)
    sc_wipe(draft->memory, draft->text.len);
  sc_release(env, draft->memory);
  draft->memory = NULL;
}
