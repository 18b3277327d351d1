/* A node's judgement of one request, in the order that is part of the protocol: times and limits first, then
 * the signature. */
#include "../network/storage/method.h"
#include "credentials.h"

static const uint64_t second = 1000;

enum {
  shortest_life = 10,    /* seconds, of all that follow */
  store_tolerance = 10,  /* between the sender's clock and ours */
  signature_window = 60, /* on both sides */
  forwarded_window = 70, /* when the node that passed it on has a third clock */
};

static bool is_after(uint64_t time, uint64_t now, uint64_t seconds) {
  return time > now && time - now > seconds * second;
}

static bool is_before(uint64_t time, uint64_t now, uint64_t seconds) {
  return time < now && now - time > seconds * second;
}

static sc_status within(uint64_t time, const sc_storage_judge *judge, uint64_t seconds) {
  bool far = is_after(time, judge->now, seconds) || is_before(time, judge->now, seconds);
  return far ? SC_ERR_STORAGE_CLOCK : SC_OK;
}

static sc_status check_life(const sc_storage_store *store, uint64_t now) {
  if (store->expiry < store->timestamp)
    return SC_ERR_STORAGE_LIFETIME;
  uint64_t life = store->expiry - store->timestamp;
  if (life < shortest_life * second || life > sc_storage_namespace_max_ttl(store->number))
    return SC_ERR_STORAGE_LIFETIME;
  bool off =
      is_after(store->timestamp, now, store_tolerance) || is_before(store->expiry, now, store_tolerance);
  return off ? SC_ERR_STORAGE_CLOCK : SC_OK;
}

static bool anybody_stores(sc_storage_access access) {
  return access == SC_STORAGE_ACCESS_INBOX || access == SC_STORAGE_ACCESS_LEGACY_GROUP;
}

/* A signature that is not required is not checked. */
static sc_status check_store_times(bool *open, const sc_storage_request *request,
                                   const sc_storage_judge *judge) {
  const sc_storage_store *store = &request->of.store;
  sc_status status = check_life(store, judge->now);
  *open = anybody_stores(sc_storage_namespace_access(store->number));
  if (status != SC_OK || *open)
    return status;
  if (!request->auth.has_signature)
    return SC_ERR_STORAGE_UNAUTHORIZED;
  return within(store->signed_at != 0 ? store->signed_at : store->timestamp, judge, signature_window);
}

static sc_status check_retrieve_times(bool *open, const sc_storage_request *request,
                                      const sc_storage_judge *judge) {
  sc_storage_access access = sc_storage_namespace_access(request->of.retrieve.number);
  bool anybody = access == SC_STORAGE_ACCESS_OUTBOX || access == SC_STORAGE_ACCESS_LEGACY_GROUP;
  *open = anybody && !request->auth.has_signature;
  if (*open)
    return SC_OK;
  if (!request->auth.has_signature)
    return SC_ERR_STORAGE_UNAUTHORIZED;
  return within(request->of.retrieve.signed_at, judge, signature_window);
}

static sc_status check_expiries(const sc_storage_expire *expire, uint64_t now) {
  for (size_t i = 0; i < expire->expiry_count; i++)
    if (is_before(expire->expiries[i], now, signature_window))
      return SC_ERR_STORAGE_UNAUTHORIZED;
  return SC_OK;
}

/* `*open` when no signature is needed. */
static sc_status check_times(bool *open, const sc_storage_request *request, const sc_storage_judge *judge) {
  uint64_t window = judge->forwarded ? forwarded_window : signature_window;
  uint64_t time = request->of.sweep.time;
  *open = false;
  switch (request->method) {
  case SC_STORAGE_STORE:
    return check_store_times(open, request, judge);
  case SC_STORAGE_RETRIEVE:
    return check_retrieve_times(open, request, judge);
  case SC_STORAGE_DELETE_ALL:
    return within(time, judge, window);
  case SC_STORAGE_DELETE_BEFORE:
    return is_after(time, judge->now, signature_window) ? SC_ERR_STORAGE_UNAUTHORIZED : SC_OK;
  case SC_STORAGE_EXPIRE_ALL:
    return is_before(time, judge->now, window) ? SC_ERR_STORAGE_CLOCK : SC_OK;
  case SC_STORAGE_EXPIRE:
    return check_expiries(&request->of.expire, judge->now);
  case SC_STORAGE_GET_EXPIRIES:
    return within(request->of.expiries.signed_at, judge, signature_window);
  case SC_STORAGE_REVOKE:
  case SC_STORAGE_UNREVOKE:
  case SC_STORAGE_REVOKED:
    return within(request->of.tokens.signed_at, judge, signature_window);
  case SC_STORAGE_DELETE:
    break;
  default:
    *open = true;
    break;
  }
  return SC_OK;
}

/* The rights that a subaccount needs. */
static uint8_t rights_for(const sc_storage_request *request) {
  switch (request->method) {
  case SC_STORAGE_STORE:
    if (sc_storage_namespace_access(request->of.store.number) == SC_STORAGE_ACCESS_OUTBOX)
      return SC_SUBACCOUNT_WRITE | SC_SUBACCOUNT_DELETE;
    return SC_SUBACCOUNT_WRITE;
  case SC_STORAGE_EXPIRE:
    return SC_SUBACCOUNT_WRITE;
  case SC_STORAGE_RETRIEVE:
  case SC_STORAGE_GET_EXPIRIES:
    return SC_SUBACCOUNT_READ;
  default:
    return SC_SUBACCOUNT_DELETE;
  }
}

/* A removed member may still read why. */
static bool revocation_counts(const sc_storage_request *request) {
  return request->method != SC_STORAGE_RETRIEVE ||
         sc_storage_namespace_access(request->of.retrieve.number) != SC_STORAGE_ACCESS_UNREVOCABLE;
}

/* A subaccount that may not delete may not shorten lifetimes either. */
static sc_status limit_expire(sc_storage_grant *grant, const sc_storage_request *request) {
  const sc_storage_auth *auth = &request->auth;
  grant->extend_only = request->method == SC_STORAGE_EXPIRE && auth->has_subaccount &&
                       (auth->subaccount[1] & SC_SUBACCOUNT_DELETE) == 0;
  bool shortens = request->of.expire.mode == SC_STORAGE_EXPIRE_SHORTEN;
  return grant->extend_only && shortens ? SC_ERR_STORAGE_PARAMETER : SC_OK;
}

sc_status sc_storage_request_authorize(sc_storage_grant *out, const sc_env *env,
                                       const sc_storage_request *request, const sc_storage_judge *judge) {
  sc_storage_grant grant = {0};
  bool open;
  sc_buffer message;
  sc_status status = check_times(&open, request, judge);
  if (status == SC_OK && open) {
    *out = grant;
    return SC_OK;
  }
  if (status != SC_OK)
    return status;
  sc_buffer_init(&message, env);
  status = sc_storage_request_signed(&message, request);
  if (status == SC_OK)
    status = sc_storage_credentials_check(request->account, &request->auth, rights_for(request),
                                          revocation_counts(request), judge, sc_buffer_bytes(&message));
  if (status == SC_OK && request->method == SC_STORAGE_EXPIRE)
    status = limit_expire(&grant, request);
  if (status == SC_OK)
    *out = grant;
  sc_buffer_free(&message);
  return status;
}
