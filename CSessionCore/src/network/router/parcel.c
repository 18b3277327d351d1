/* Parcels from list to list, and the end of requests. */
#include <assert.h>

#include "../later.h"
#include "network.h"
#include "session-core/base/secret.h"

sc_parcel *sc_parcel_new(sc_network *network) {
  if (sc_quic_timers_promise(&network->parcel_timers) != SC_OK)
    return NULL;
  sc_parcel *parcel = sc_allocate(network->env, sizeof *parcel);
  if (parcel == NULL) {
    sc_quic_timers_release(&network->parcel_timers);
    return NULL;
  }
  *parcel = (sc_parcel){.network = network, .last = &parcel->first};
  return parcel;
}

static sc_parcels *list_of(sc_parcel *parcel) {
  sc_network *network = parcel->network;
  switch (parcel->state) {
  case SC_PARCEL_GATHERING:
    return &network->gathering;
  case SC_PARCEL_QUEUED:
    return &network->queued[parcel->category];
  case SC_PARCEL_SENT:
    return &network->sent;
  case SC_PARCEL_OVERDUE:
    return &network->overdue;
  case SC_PARCEL_FAILED:
    return &network->failed;
  default:
    return &network->waiting;
  }
}

static void leave_list(sc_parcel *parcel) {
  if (parcel->link != NULL)
    sc_parcels_remove(list_of(parcel), parcel);
  sc_quic_timer_clear(&parcel->network->parcel_timers, &parcel->timer);
  sc_refresh_waiter_remove(&parcel->waiter);
}

void sc_parcel_free(sc_parcel *parcel) {
  sc_network *network = parcel->network;
  assert(parcel->count == 0 && parcel->in_flight_count == 0);
  leave_list(parcel);
  sc_quic_timers_release(&network->parcel_timers);
  sc_release(network->env, parcel);
}

static bool has_timer(sc_parcel_state state) {
  return state == SC_PARCEL_GATHERING || state == SC_PARCEL_AWAITS_RETRY || state == SC_PARCEL_SENT;
}

void sc_parcel_move(sc_parcel *parcel, sc_parcel_state state, uint64_t at) {
  leave_list(parcel);
  parcel->state = state;
  if (state == SC_PARCEL_ENDING)
    return;
  sc_parcels_append(list_of(parcel), parcel);
  if (has_timer(state))
    sc_quic_timer_set(&parcel->network->parcel_timers, &parcel->timer, at);
}

/* While it waits for a path without an end of its own, a request waits no longer than for its reply. */
static uint64_t patience_of(const sc_request *request) {
  const sc_parcel *parcel = request->parcel;
  uint64_t now = parcel->network->moment.now;
  return request->overall_at != SC_NEVER ? request->overall_at : sc_later(now, parcel->timeout);
}

void sc_parcel_set_patience(sc_parcel *parcel) {
  for (sc_request *request = parcel->first; request != NULL; request = request->next)
    sc_quic_timer_set(&parcel->network->request_timers, &request->timer, patience_of(request));
}

void sc_parcel_rest_patience(sc_parcel *parcel) {
  for (sc_request *request = parcel->first; request != NULL; request = request->next)
    if (request->overall_at == SC_NEVER)
      sc_quic_timer_clear(&parcel->network->request_timers, &request->timer);
}

void sc_parcel_enqueue(sc_parcel *parcel, bool in_front) {
  leave_list(parcel);
  parcel->state = SC_PARCEL_QUEUED;
  if (in_front)
    sc_parcels_push_front(list_of(parcel), parcel);
  else
    sc_parcels_append(list_of(parcel), parcel);
  sc_parcel_set_patience(parcel);
  parcel->network->queues_due = true;
}

void sc_request_forget(sc_network *network, sc_request *request) {
  sc_quic_timer_clear(&network->request_timers, &request->timer);
  sc_quic_timers_release(&network->request_timers);
  if (request->memory != NULL)
    sc_wipe(request->memory, request->text.len);
  sc_release(network->env, request->memory);
  sc_quic_slots_give_back(&network->requests, request);
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

/* Whom to tell of the end of a request that is no more. */
typedef struct listener {
  sc_network_ticket ticket;
  sc_network_done done;
  sc_network_swarm_found found;
  void *user;
} listener;

static listener take_out(sc_request *request, sc_status status) {
  sc_network *network = request->parcel->network;
  listener out = {sc_quic_slot_number(&request->slot), request->done, request->found, request->user};
  sc_parcel_take(request->parcel, request);
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

void sc_parcel_overtake(sc_parcel *parcel) {
  while (parcel->in_flight_count > 0)
    sc_attempt_overtake(parcel->in_flight[0]);
}

/* Cancels the attempts of a parcel that is no longer wanted; they are gone before the program runs again. */
static void abandon(sc_parcel *parcel, bool gave_up) {
  const sc_network *network = parcel->network;
  while (parcel->in_flight_count > 0) {
    sc_attempt *attempt = parcel->in_flight[0];
    sc_attempt_overtake(attempt);
    attempt->gave_up = gave_up;
    network->transport.methods->cancel(network->transport.self, network->moment.now, attempt->call);
  }
  sc_parcel_free(parcel);
}

void sc_request_end(sc_request *request, sc_status status, int code) {
  sc_parcel *parcel = request->parcel;
  const sc_network_reply reply = {.status = status, .code = code, .attempts = parcel->attempts};
  if (parcel->count > 1 || parcel->state == SC_PARCEL_ENDING) {
    sc_request_complete(request, &reply);
  } else if (parcel->in_flight_count > 0) {
    const listener to = take_out(request, status);
    abandon(parcel, status == SC_ERR_REQUEST_TIMEOUT);
    tell(&to, &reply);
  } else {
    sc_parcel_fail(parcel, status, code);
  }
}

void sc_parcel_fail(sc_parcel *parcel, sc_status status, int code) {
  const sc_node target = parcel->target;
  bool is_answered = status == SC_ERR_REQUEST_FAILED && parcel->has_target;
  const sc_network_reply reply = {
      .status = status, .code = code, .node = is_answered ? &target : NULL, .attempts = parcel->attempts};
  sc_parcel_move(parcel, SC_PARCEL_ENDING, 0);
  while (parcel->first != NULL)
    sc_request_complete(parcel->first, &reply);
  sc_parcel_free(parcel);
}

void sc_parcel_doom(sc_parcel *parcel, sc_status status, int code) {
  parcel->why = status;
  parcel->code = code;
  sc_parcel_move(parcel, SC_PARCEL_FAILED, 0);
}

sc_status sc_network_cancel(sc_network *network, uint64_t now, sc_network_ticket ticket) {
  sc_network_note_time(network, now);
  sc_request *request = sc_quic_slots_find(&network->requests, ticket);
  if (request == NULL || request->own)
    return SC_ERR_NOT_FOUND;
  sc_request_end(request, SC_ERR_REQUEST_CANCELLED, 0);
  return SC_OK;
}
