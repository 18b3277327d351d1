#include "node_swarm.h"

#include <stdlib.h>

#include "memory.h"
#include "session-core/node/transfer.h"
#include "world.h"

static const uint64_t pause = 5 * SIM_SECOND; /* between two tries */
static const uint64_t hand_over_timeout = 10 * SIM_SECOND;
enum {
  most_messages = 100, /* in one transfer */
  most_tries = 100, /* until a debt is written off: the other is not, or not any more, who should have it */
};

static void flush(void *user, uint64_t life);

static void put_on_agenda(node *n, uint64_t in) {
  if (n->outbox_due)
    return;
  n->outbox_due = true;
  world *w = n->world;
  agenda_add(&w->agenda, w->agenda.now + in, flush, n, w->wire.ends[n->host].life);
}

void node_swarm_owe(node *n, uint32_t to, sc_bytes hash) {
  if (hash.len != SC_STORAGE_HASH_CHARS)
    return;
  for (size_t i = 0; i < n->outbox_count; i++)
    if (n->outbox[i].to == to && memcmp(n->outbox[i].hash, hash.ptr, hash.len) == 0)
      return;
  n->outbox = memory_grow(n->outbox, n->outbox_count, &n->outbox_capacity, sizeof *n->outbox);
  outbox_entry *entry = &n->outbox[n->outbox_count++];
  *entry = (outbox_entry){.to = to};
  memcpy(entry->hash, hash.ptr, hash.len);
  put_on_agenda(n, pause);
}

void node_swarm_wake(node *n) {
  n->outbox_due = false;
  for (size_t i = 0; i < n->outbox_count; i++)
    n->outbox[i].under_way = false;
  if (n->outbox_count > 0)
    put_on_agenda(n, pause);
}

/* Members of an account's swarm: none where there is no swarm. */
static registry_swarm keepers(const registry_list *list, const uint8_t account[static 33]) {
  const registry_swarm *swarm = registry_swarm_of(list, account);
  return swarm == NULL ? (registry_swarm){.id = SC_STORAGE_NO_SWARM} : *swarm;
}

void node_swarm_moved(node *n, const registry_list *before, const registry_list *after) {
  for (size_t i = 0; i < n->store.count; i++) {
    const stored *message = &n->store.list[i];
    registry_swarm swarm = keepers(after, message->account);
    bool kept_it = registry_is_member(before, n->index, message->account);
    for (uint32_t k = 0; k < swarm.count && kept_it; k++) {
      uint32_t peer = after->nodes[swarm.first + k];
      if (peer != n->index && !registry_is_member(before, peer, message->account))
        node_swarm_owe(n, peer, sc_bytes_text(message->hash));
    }
  }
}

/* Handing over */

typedef struct transfer {
  node *from;
  uint32_t to;
  uint32_t life;
} transfer;

static void transfer_ends(void *user, const wire_reply *reply) {
  transfer *t = user;
  node *n = t->from;
  bool delivered = reply->outcome == WIRE_ANSWERED;
  size_t kept = 0;
  bool same_life = n->world->wire.ends[n->host].life == t->life;
  for (size_t i = 0; i < n->outbox_count && same_life; i++) {
    outbox_entry *entry = &n->outbox[i];
    bool of_this = entry->to == t->to && entry->under_way;
    if (of_this && (delivered || ++entry->tries == most_tries))
      continue;
    if (of_this)
      entry->under_way = false;
    n->outbox[kept++] = *entry;
  }
  if (same_life)
    n->outbox_count = kept;
  if (same_life && kept > 0)
    put_on_agenda(n, pause);
  free(t);
}

/* Writes what is owed to one node and marks it as under way; drops what has expired. */
static void write_owed(sc_buffer *out, node *n, uint32_t to) {
  sc_storage_kept list[most_messages];
  size_t written = 0;
  for (size_t i = 0; i < n->outbox_count && written < most_messages; i++) {
    outbox_entry *entry = &n->outbox[i];
    if (entry->to != to || entry->under_way)
      continue;
    entry->under_way = true;
    const stored *message = node_store_find(&n->store, sc_bytes_text(entry->hash));
    if (message == NULL)
      continue;
    sc_storage_kept *kept = &list[written++];
    *kept = (sc_storage_kept){.number = message->number,
                              .hash = sc_bytes_text(message->hash),
                              .timestamp = message->timestamp,
                              .expiry = message->expiry,
                              .data = blob_bytes(message->data)};
    memcpy(kept->account, message->account, sizeof kept->account);
  }
  if (sc_storage_transfer_write(out, list, written) != SC_OK)
    abort();
}

static void hand_over(node *n, uint32_t to) {
  world *w = n->world;
  sc_buffer bytes;
  sc_buffer_init(&bytes, &w->node_env);
  write_owed(&bytes, n, to);
  blob *body = blob_make(sc_buffer_bytes(&bytes));
  transfer *t = memory_new(1, sizeof *t);
  *t = (transfer){.from = n, .to = to, .life = w->wire.ends[n->host].life};
  const wire_call_options options = {.from = n->host,
                                     .to = w->nodes[to].host,
                                     .command = "sn.data",
                                     .body = body,
                                     .timeout = hand_over_timeout,
                                     .done = transfer_ends,
                                     .user = t};
  (void)wire_begin_call(&w->wire, &options);
  blob_drop(body);
  sc_buffer_free(&bytes);
}

static void flush(void *user, uint64_t life) {
  node *n = user;
  const wire_end *end = &n->world->wire.ends[n->host];
  if (!end->alive || end->life != life)
    return;
  n->outbox_due = false;
  for (size_t i = 0; i < n->outbox_count; i++)
    if (!n->outbox[i].under_way)
      hand_over(n, n->outbox[i].to);
}

/* Taking over */

/* Takes over a message. False if, by the list that the node has, another swarm keeps the account. */
static bool keep(node *n, const sc_storage_kept *kept) {
  if (!registry_is_member(n->list, n->index, kept->account))
    return false;
  if (kept->expiry <= node_wall(n) || node_has(n, TRAIT_STORE))
    return true;
  stored message = {.number = kept->number, .timestamp = kept->timestamp, .expiry = kept->expiry};
  memcpy(message.account, kept->account, sizeof message.account);
  message.data = blob_make(kept->data);
  node_store_take_over(&n->store, &message);
  blob_drop(message.data);
  return true;
}

/* Refuses a message of another swarm: the sender tries again, as a newer list may make it ours. */
void node_swarm_receive(node *n, const wire_request *request) {
  sc_storage_transfer_reader reader;
  sc_storage_kept message;
  bool mine = true;
  sc_status status = sc_storage_transfer_begin(&reader, blob_bytes(request->body));
  while (status == SC_OK && mine && (status = sc_storage_transfer_next(&message, &reader)) == SC_OK)
    mine = keep(n, &message);
  node_answer(n, request->call, status != SC_ERR_NOT_FOUND, (sc_bytes){0});
}
