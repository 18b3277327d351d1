/* Deliveries from list to list, and the end of requests. */
#include <assert.h>

#include "../moment.h"
#include "network.h"
#include "session-core/base/secret.h"

sc_delivery *sc_delivery_new(sc_network *network) {
  if (sc_timers_promise(&network->delivery_timers) != SC_OK)
    return NULL;
  sc_delivery *delivery = sc_allocate(network->env, sizeof *delivery);
  if (delivery == NULL) {
    sc_timers_release(&network->delivery_timers);
    return NULL;
  }
  *delivery = (sc_delivery){.network = network, .last = &delivery->first};
  return delivery;
}

static sc_deliveries *list_of(sc_delivery *delivery) {
  sc_network *network = delivery->network;
  switch (delivery->state) {
  case SC_DELIVERY_GATHERING:
    return &network->gathering;
  case SC_DELIVERY_QUEUED:
    return &network->queued[delivery->category];
  case SC_DELIVERY_SENT:
    return &network->sent;
  case SC_DELIVERY_OVERDUE:
    return &network->overdue;
  case SC_DELIVERY_FAILED:
    return &network->failed;
  default:
    return &network->waiting;
  }
}

static void leave_list(sc_delivery *delivery) {
  if (delivery->link != NULL)
    sc_deliveries_remove(list_of(delivery), delivery);
  sc_timer_clear(&delivery->network->delivery_timers, &delivery->timer);
  sc_refresh_waiter_remove(&delivery->waiter);
}

void sc_delivery_free(sc_delivery *delivery) {
  sc_network *network = delivery->network;
  assert(delivery->count == 0 && delivery->in_flight_count == 0);
  leave_list(delivery);
  sc_timers_release(&network->delivery_timers);
  sc_release(network->env, delivery);
}

static bool has_timer(sc_delivery_state state) {
  return state == SC_DELIVERY_GATHERING || state == SC_DELIVERY_AWAITS_RETRY || state == SC_DELIVERY_SENT;
}

void sc_delivery_move(sc_delivery *delivery, sc_delivery_state state, uint64_t at) {
  leave_list(delivery);
  delivery->state = state;
  if (state == SC_DELIVERY_ENDING)
    return;
  sc_deliveries_append(list_of(delivery), delivery);
  if (has_timer(state))
    sc_timer_set(&delivery->network->delivery_timers, &delivery->timer, at);
}

/* While it waits for a path without an end of its own, a request waits no longer than for its reply. */
static uint64_t timeout_of(const sc_request *request) {
  const sc_delivery *delivery = request->delivery;
  uint64_t now = delivery->network->moment.now;
  return request->overall_at != SC_NEVER ? request->overall_at : sc_later(now, delivery->timeout);
}

void sc_delivery_start_timeouts(sc_delivery *delivery) {
  for (sc_request *request = delivery->first; request != NULL; request = request->next)
    sc_timer_set(&delivery->network->request_timers, &request->timer, timeout_of(request));
}

void sc_delivery_stop_timeouts(sc_delivery *delivery) {
  for (sc_request *request = delivery->first; request != NULL; request = request->next)
    if (request->overall_at == SC_NEVER)
      sc_timer_clear(&delivery->network->request_timers, &request->timer);
}

void sc_delivery_enqueue(sc_delivery *delivery, bool in_front) {
  leave_list(delivery);
  delivery->state = SC_DELIVERY_QUEUED;
  if (in_front)
    sc_deliveries_push_front(list_of(delivery), delivery);
  else
    sc_deliveries_append(list_of(delivery), delivery);
  sc_delivery_start_timeouts(delivery);
  delivery->network->queues_due = true;
}

void sc_request_forget(sc_network *network, sc_request *request) {
  sc_timer_clear(&network->request_timers, &request->timer);
  sc_timers_release(&network->request_timers);
  if (request->memory != NULL)
    sc_wipe(request->memory, request->text.len);
  sc_release(network->env, request->memory);
  sc_slots_give_back(&network->requests, request);
}

static void count_end(sc_network *network, const sc_request *request, sc_status status) {
  network->bytes -= request->text.len;
  if (request->own)
    return;
  network->request_count--;
  if (status == SC_OK)
    network->counts.succeeded++;
  else
    network->counts.failed++;
}

/* The callback for the end of a request that was freed. */
typedef struct listener {
  sc_network_ticket ticket;
  sc_network_done done;
  sc_network_swarm_found found;
  void *user;
} listener;

static listener take_out(sc_request *request, sc_status status) {
  sc_network *network = request->delivery->network;
  listener out = {sc_slot_number(&request->slot), request->done, request->found, request->user};
  sc_delivery_take(request->delivery, request);
  count_end(network, request, status);
  sc_request_forget(network, request);
  return out;
}

static void tell(const listener *to, const sc_network_reply *reply) {
  if (to->done != NULL)
    to->done(to->user, to->ticket, reply);
  else if (to->found != NULL)
    to->found(to->user, to->ticket, reply->status, NULL, 0);
}

void sc_request_complete(sc_request *request, const sc_network_reply *reply) {
  const listener to = take_out(request, reply->status);
  tell(&to, reply);
}

void sc_delivery_overtake(sc_delivery *delivery) {
  while (delivery->in_flight_count > 0)
    sc_attempt_overtake(delivery->in_flight[0]);
}

/* Cancels the attempts of a delivery that is no longer wanted, before the program continues. */
static void abandon(sc_delivery *delivery, bool gave_up) {
  const sc_network *network = delivery->network;
  while (delivery->in_flight_count > 0) {
    sc_attempt *attempt = delivery->in_flight[0];
    sc_attempt_overtake(attempt);
    attempt->gave_up = gave_up;
    network->transport.methods->cancel(network->transport.self, network->moment.now, attempt->call);
  }
  sc_delivery_free(delivery);
}

void sc_request_end(sc_request *request, sc_status status, int code) {
  sc_delivery *delivery = request->delivery;
  const sc_network_reply reply = {.status = status, .code = code, .attempts = delivery->attempts};
  if (delivery->count > 1 || delivery->state == SC_DELIVERY_ENDING) {
    sc_request_complete(request, &reply);
  } else if (delivery->in_flight_count > 0) {
    const listener to = take_out(request, status);
    abandon(delivery, status == SC_ERR_REQUEST_TIMEOUT);
    tell(&to, &reply);
  } else {
    sc_delivery_fail(delivery, status, code);
  }
}

void sc_delivery_fail(sc_delivery *delivery, sc_status status, int code) {
  const sc_node target = delivery->target;
  bool is_answered = status == SC_ERR_REQUEST_FAILED && delivery->has_target;
  const sc_network_reply reply = {
      .status = status, .code = code, .node = is_answered ? &target : NULL, .attempts = delivery->attempts};
  sc_delivery_move(delivery, SC_DELIVERY_ENDING, 0);
  while (delivery->first != NULL)
    sc_request_complete(delivery->first, &reply);
  sc_delivery_free(delivery);
}

void sc_delivery_doom(sc_delivery *delivery, sc_status status, int code) {
  delivery->why = status;
  delivery->code = code;
  sc_delivery_move(delivery, SC_DELIVERY_FAILED, 0);
}

sc_status sc_network_cancel(sc_network *network, uint64_t now, sc_network_ticket ticket) {
  sc_network_note_time(network, now);
  sc_request *request = sc_slots_find(&network->requests, ticket);
  if (request == NULL || request->own)
    return SC_ERR_NOT_FOUND;
  sc_request_end(request, SC_ERR_REQUEST_CANCELLED, 0);
  return SC_OK;
}
