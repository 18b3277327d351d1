/* Making requests, and their end. */
#include "../moment.h"
#include "network.h"

/* The overhead of a batch, and between two of its requests. */
static const size_t around_batch = sizeof "{\"method\":\"batch\",\"params\":{\"requests\":[]}}";

/* In a small network, the first attempt takes most nodes, and does not tell which is dead. */
static bool needs_one_more(const sc_network *network) {
  enum { fewest = 3 };
  size_t count = sc_nodes_pool(network->nodes)->count;
  return count >= fewest && count < sc_sample_few_nodes;
}

static void describe(sc_delivery *delivery, const sc_draft *draft) {
  const sc_network_options *options = &delivery->network->options;
  const sc_network_request *from = &draft->request;
  delivery->to = from->to;
  delivery->kind = draft->kind;
  delivery->category = from->category;
  delivery->small = from->small;
  delivery->timeout = from->timeout != 0 ? from->timeout : options->request_timeout;
  delivery->is_repeatable = draft->is_repeatable;
  delivery->is_interactive = from->interactive;
  delivery->may_hedge = from->interactive && draft->is_repeatable;
  uint32_t usual = draft->is_repeatable ? options->repeatable_attempts : 1;
  if (from->to == SC_NETWORK_TO_SWARM)
    usual = options->swarm_attempts;
  if (usual > 1)
    usual += needs_one_more(delivery->network);
  delivery->most_attempts = from->attempts != 0 ? from->attempts : usual;
  memcpy(delivery->node, from->node, SC_KEY_BYTES);
  delivery->server = draft->server;
  delivery->has_account = draft->has_account;
  memcpy(delivery->account, draft->account, sizeof delivery->account);
  delivery->path_key = draft->path_key;
}

/* ---- gathering ---- */

static bool is_like(const sc_delivery *a, const sc_delivery *b) {
  return a->kind == b->kind && a->category == b->category && a->small == b->small &&
         a->timeout == b->timeout && a->may_hedge == b->may_hedge && a->most_attempts == b->most_attempts;
}

static bool has_room(const sc_delivery *delivery, const sc_request *request) {
  enum { most_text = 1024 * 1024 };
  size_t text = delivery->text_bytes + request->text.len + delivery->count + around_batch;
  return text <= most_text && delivery->reply_bytes + request->reply_bytes <= SC_STORAGE_RETRIEVE_MAX_BYTES;
}

static sc_delivery *gathering_for(const sc_network *network, const sc_delivery *like) {
  for (sc_delivery *delivery = network->gathering.first; delivery != NULL; delivery = delivery->next)
    if (delivery->category == like->category && sc_path_key_same(&delivery->path_key, &like->path_key) &&
        memcmp(delivery->account, like->account, sizeof like->account) == 0)
      return delivery;
  return NULL;
}

/* Earlier requests for the same account leave first. */
static void place(sc_delivery *delivery, sc_request *request) {
  sc_network *network = delivery->network;
  sc_delivery *open = delivery->has_account ? gathering_for(network, delivery) : NULL;
  if (open != NULL && is_like(open, delivery) && has_room(open, request)) {
    sc_delivery_add(open, request);
    sc_delivery_free(delivery);
    if (open->count == SC_STORAGE_MAX_BATCH)
      sc_delivery_enqueue(open, false);
    return;
  }
  if (open != NULL)
    sc_delivery_enqueue(open, false);
  sc_delivery_add(delivery, request);
  if (delivery->kind != SC_REQUEST_ALONE && network->options.gather != 0)
    sc_delivery_move(delivery, SC_DELIVERY_GATHERING, sc_later(network->moment.now, network->options.gather));
  else
    sc_delivery_enqueue(delivery, false);
}

/* ---- making ---- */

static sc_status make_request(sc_request **out, sc_network *network) {
  sc_status status = sc_timers_promise(&network->request_timers);
  if (status != SC_OK)
    return status;
  void *slot;
  status = sc_slots_take(&slot, &network->requests);
  if (status != SC_OK) {
    sc_timers_release(&network->request_timers);
    return status == SC_ERR_QUIC_BUSY ? SC_ERR_NETWORK_FULL : status;
  }
  *out = slot;
  (*out)->overall_at = SC_NEVER;
  return SC_OK;
}

/* The request has what the draft had. */
static void take_over(sc_request *request, sc_draft *draft, bool own) {
  sc_network *network = request->delivery->network;
  request->done = draft->request.done;
  request->user = draft->request.user;
  request->own = own;
  request->memory = draft->memory;
  draft->memory = NULL;
  network->bytes += request->text.len;
  network->request_count += own ? 0 : 1;
}

static sc_status submit(sc_network_ticket *out, sc_network *network, sc_draft *draft,
                        const sc_own_request *own) {
  sc_request *request;
  sc_status status = make_request(&request, network);
  if (status != SC_OK)
    return status;
  sc_delivery *delivery = sc_delivery_new(network);
  if (delivery == NULL) {
    sc_request_forget(network, request);
    return SC_ERR_NO_MEMORY;
  }
  request->text = draft->text;
  request->accounts = draft->accounts;
  request->account_count = draft->account_count;
  request->reply_bytes = draft->reply_bytes;
  if (draft->request.overall != 0)
    request->overall_at = sc_later(network->moment.now, draft->request.overall);
  describe(delivery, draft);
  if (own != NULL)
    delivery->apart = own->apart;
  if (out != NULL)
    *out = sc_slot_number(&request->slot);
  place(delivery, request);
  take_over(request, draft, own != NULL);
  if (request->overall_at != SC_NEVER)
    sc_timer_set(&network->request_timers, &request->timer, request->overall_at);
  return SC_OK;
}

static sc_status admit(const sc_network *network) {
  if (network->suspended)
    return SC_ERR_NETWORK_SUSPENDED;
  bool full =
      network->request_count >= network->options.max_requests || network->bytes >= network->options.max_bytes;
  return full ? SC_ERR_NETWORK_FULL : SC_OK;
}

sc_status sc_network_submit(sc_network_ticket *out, sc_network *network, uint64_t now, sc_draft *draft) {
  sc_network_note_time(network, now);
  sc_status status = admit(network);
  return status == SC_OK ? submit(out, network, draft, NULL) : status;
}

sc_status sc_network_send(sc_network_ticket *out, sc_network *network, uint64_t now,
                          const sc_network_request *request) {
  sc_draft draft;
  sc_network_note_time(network, now);
  sc_status status = admit(network);
  if (status == SC_OK)
    status = sc_draft_make(&draft, network->env, &network->scratch, request);
  if (status != SC_OK)
    return status;
  status = submit(out, network, &draft, NULL);
  sc_draft_free(&draft, network->env);
  return status;
}

sc_status sc_network_send_own(sc_network_ticket *out, sc_network *network, const sc_own_request *own) {
  sc_draft draft;
  if (network->suspended)
    return SC_ERR_NETWORK_SUSPENDED;
  sc_status status = sc_draft_make(&draft, network->env, &network->scratch, &own->request);
  if (status != SC_OK)
    return status;
  status = submit(out, network, &draft, own);
  sc_draft_free(&draft, network->env);
  return status;
}

sc_status sc_network_find_swarm(sc_network_ticket *out, sc_network *network, uint64_t now,
                                const uint8_t account[static SC_STORAGE_ACCOUNT_BYTES],
                                sc_network_swarm_found found, void *user) {
  sc_network_note_time(network, now);
  sc_request *request;
  sc_status status = found != NULL ? admit(network) : SC_ERR_ARGUMENT;
  if (status == SC_OK)
    status = make_request(&request, network);
  if (status != SC_OK)
    return status;
  sc_delivery *delivery = sc_delivery_new(network);
  if (delivery == NULL) {
    sc_request_forget(network, request);
    return SC_ERR_NO_MEMORY;
  }
  delivery->to = SC_NETWORK_TO_SWARM;
  delivery->finds_swarm = true;
  delivery->timeout = network->options.request_timeout;
  memcpy(delivery->account, account, SC_STORAGE_ACCOUNT_BYTES);
  request->found = found;
  request->user = user;
  network->request_count++;
  if (out != NULL)
    *out = sc_slot_number(&request->slot);
  sc_delivery_add(delivery, request);
  sc_delivery_enqueue(delivery, false);
  return SC_OK;
}
