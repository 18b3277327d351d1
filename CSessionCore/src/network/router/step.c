/* Being driven: datagrams go to the transport, and whenever something may be sent everything that is due is
 * done first. */
#include "../../base/sort.h"
#include "network.h"

void sc_network_note_time(sc_network *network, uint64_t now) {
  if (now > network->moment.now)
    network->moment.now = now;
  uint64_t past = network->moment.now > network->wall_at ? network->moment.now - network->wall_at : 0;
  network->moment.wall = network->wall + sc_moment_in_ms(past);
}

void sc_network_set_wall(sc_network *network, uint64_t now, uint64_t wall_ms) {
  network->wall_at = now;
  network->wall = wall_ms;
  sc_network_note_time(network, now);
}

static sc_request *request_of(sc_timer *timer) {
  return (sc_request *)(void *)((uint8_t *)timer - offsetof(sc_request, timer));
}

static sc_delivery *delivery_of(sc_timer *timer) {
  return (sc_delivery *)(void *)((uint8_t *)timer - offsetof(sc_delivery, timer));
}

static void end_late_requests(sc_network *network) {
  enum { code_timeout = 408, code_busy = 503 };
  sc_timer *timer;
  while ((timer = sc_timers_take(&network->request_timers, network->moment.now)) != NULL) {
    sc_request *request = request_of(timer);
    const sc_delivery *delivery = request->delivery;
    if (delivery->state == SC_DELIVERY_AWAITS_RETRY && sc_heard_is_last(&delivery->heard, SC_EVIDENCE_BUSY))
      sc_request_end(request, delivery->why, code_busy);
    else
      sc_request_end(request, SC_ERR_REQUEST_TIMEOUT, code_timeout);
  }
}

/* Gathered deliveries go to the end of the queue, retries to the front; overdue ones are sent a second time.
 */
static void take_due_deliveries(sc_network *network) {
  sc_timer *timer;
  while ((timer = sc_timers_take(&network->delivery_timers, network->moment.now)) != NULL) {
    sc_delivery *delivery = delivery_of(timer);
    if (delivery->state == SC_DELIVERY_SENT)
      sc_delivery_note_overdue(delivery);
    else
      sc_delivery_enqueue(delivery, delivery->state == SC_DELIVERY_AWAITS_RETRY);
  }
}

typedef struct ranked {
  size_t strikes, index;
} ranked;

static int order_ranked(const void *left, const void *right) {
  const ranked *a = left, *b = right;
  int order = sc_order_numbers(a->strikes, b->strikes);
  return order != 0 ? order : sc_order_numbers(a->index, b->index);
}

/* The nodes of a swarm, those that failed least first. */
static void list_nodes(sc_node *out, sc_network *network, const sc_swarm *swarm) {
  ranked list[SC_STORAGE_MAX_SWARM];
  for (size_t i = 0; i < swarm->count; i++)
    list[i] = (ranked){sc_nodes_strikes(network->nodes, network->moment.wall, swarm->nodes[i]->key), i};
  sc_sort(list, swarm->count, sizeof *list, order_ranked);
  for (size_t i = 0; i < swarm->count; i++)
    out[i] = *swarm->nodes[list[i].index];
}

static void tell_swarm(sc_delivery *delivery) {
  sc_network *network = delivery->network;
  sc_node nodes[SC_STORAGE_MAX_SWARM];
  sc_swarm swarm;
  sc_request *request = delivery->first;
  sc_network_swarm_found found = request->found;
  void *user = request->user;
  sc_network_ticket ticket = sc_slot_number(&request->slot);
  sc_status status =
      sc_nodes_swarm(&swarm, network->nodes, network->moment.wall, delivery->account + 1, false);
  if (status != SC_OK) {
    sc_delivery_fail(delivery, status == SC_ERR_NO_SWARM ? SC_ERR_NETWORK_NO_NODES : status, 0);
    return;
  }
  list_nodes(nodes, network, &swarm);
  sc_delivery_move(delivery, SC_DELIVERY_ENDING, 0);
  sc_delivery_take(delivery, request);
  sc_request_forget(network, request);
  sc_delivery_free(delivery);
  network->request_count--;
  network->counts.succeeded++;
  found(user, ticket, SC_OK, nodes, swarm.count);
}

static void tell_failed(sc_network *network) {
  while (network->failed.first != NULL) {
    sc_delivery *delivery = network->failed.first;
    if (delivery->finds_swarm && delivery->why == SC_OK)
      tell_swarm(delivery);
    else
      sc_delivery_fail(delivery, delivery->why, delivery->code);
  }
}

static bool is_something_due(const sc_network *network) {
  return network->queues_due || network->status_due || network->paths_due || network->failed.first != NULL ||
         sc_network_has_list_calls(network);
}

static uint64_t earliest(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t deadline(const void *self) {
  const sc_network *network = self;
  uint64_t at = is_something_due(network) ? 0 : SC_NEVER;
  at = earliest(at, sc_timers_next(&network->request_timers));
  at = earliest(at, sc_timers_next(&network->delivery_timers));
  at = earliest(at, sc_guards_deadline(&network->guards));
  at = earliest(at, sc_paths_deadline(&network->paths));
  at = earliest(at, sc_nodes_deadline(network->nodes));
  at = earliest(at, network->clock.due_at);
  at = earliest(at, network->clock.overdue_at);
  at = earliest(at, network->starts_due_at);
  return network->quic == NULL ? at
                               : earliest(at, sc_driven_deadline(sc_quic_transport_driven(network->quic)));
}

static bool is_something_wanted(const sc_network *network) {
  return network->request_count > 0 || network->list_calls != NULL ||
         (network->wants_guard && !network->has_guard);
}

static void step(sc_network *network) {
  const sc_moment *moment = &network->moment;
  if (sc_nodes_deadline(network->nodes) <= moment->now &&
      sc_nodes_advance(network->nodes, moment->now, moment->wall) != SC_OK)
    sc_log(network->env, SC_LOG_WARNING, "network: no memory to ask for a list of nodes");
  sc_clock_advance(network);
  end_late_requests(network);
  take_due_deliveries(network);
  sc_guards_want(&network->guards, is_something_wanted(network));
  sc_guards_advance(&network->guards);
  sc_paths_advance(&network->paths);
  sc_network_begin_list_calls(network);
  if (network->queues_due || network->starts_due_at <= moment->now)
    sc_network_dispatch(network);
  tell_failed(network);
  if (network->status_due || network->paths_due)
    sc_network_tell(network);
}

static void receive(void *self, uint64_t now, const sc_datagrams *runs, size_t count) {
  sc_network *network = self;
  sc_network_note_time(network, now);
  if (network->quic != NULL)
    sc_driven_receive(sc_quic_transport_driven(network->quic), now, runs, count);
}

static void send(void *self, uint64_t now, sc_outbox *out) {
  sc_network *network = self;
  sc_network_note_time(network, now);
  step(network);
  if (network->quic != NULL)
    sc_driven_send(sc_quic_transport_driven(network->quic), now, out);
  else
    sc_outbox_clear(out);
}

sc_driven sc_network_driven(sc_network *network) {
  static const sc_driven_methods methods = {.receive = receive, .send = send, .deadline = deadline};
  return (sc_driven){network, &methods};
}
