#include "node_swarm.h"

#include <stdlib.h>

#include "memory.h"
#include "session-core/base/bt.h"
#include "world.h"

static const uint64_t pause = 5 * SIM_SECOND; /* between two tries */
static const uint64_t hand_over_timeout = 10 * SIM_SECOND;
enum {
  transfer_version = 1,
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

static void write_message(sc_bt_writer *to, const stored *message) {
  sc_bt_begin_list(to);
  sc_bt_write_string(to, SC_BYTES(message->account));
  sc_bt_write_string(to, sc_bytes_text(message->hash));
  sc_bt_write_u64(to, message->timestamp);
  sc_bt_write_u64(to, message->expiry);
  sc_bt_write_string(to, blob_bytes(message->data));
  sc_bt_write_i64(to, message->number);
  sc_bt_end(to);
}

/* Writes what is owed to one node and marks it as under way; drops what has expired. */
static void write_owed(sc_buffer *out, node *n, uint32_t to) {
  sc_bt_writer writer;
  size_t written = 0;
  if (sc_buffer_append_byte(out, transfer_version) != SC_OK)
    abort();
  sc_bt_writer_init(&writer, out);
  sc_bt_begin_list(&writer);
  for (size_t i = 0; i < n->outbox_count && written < most_messages; i++) {
    outbox_entry *entry = &n->outbox[i];
    if (entry->to != to || entry->under_way)
      continue;
    entry->under_way = true;
    const stored *message = node_store_find(&n->store, sc_bytes_text(entry->hash));
    if (message == NULL)
      continue;
    write_message(&writer, message);
    written++;
  }
  sc_bt_end(&writer);
  if (sc_bt_writer_finish(&writer) != SC_OK)
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
  const wire_question question = {.from = n->host,
                                  .to = w->nodes[to].host,
                                  .command = "sn.data",
                                  .body = body,
                                  .timeout = hand_over_timeout,
                                  .done = transfer_ends,
                                  .user = t};
  (void)wire_ask(&w->wire, &question);
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

static sc_status read_message(stored *out, sc_bytes *data, sc_bt_reader *from) {
  sc_bytes account = {0}, hash = {0};
  int64_t number = 0;
  sc_status status = sc_bt_enter_list(from);
  if (status == SC_OK)
    status = sc_bt_read_string(&account, from);
  if (status == SC_OK)
    status = sc_bt_read_string(&hash, from);
  if (status == SC_OK)
    status = sc_bt_read_u64(&out->timestamp, from);
  if (status == SC_OK)
    status = sc_bt_read_u64(&out->expiry, from);
  if (status == SC_OK)
    status = sc_bt_read_string(data, from);
  if (status == SC_OK)
    status = sc_bt_read_i64(&number, from);
  if (status == SC_OK)
    status = sc_bt_leave(from);
  if (status == SC_OK && (account.len != sizeof out->account || number < INT16_MIN || number > INT16_MAX))
    status = SC_ERR_BT_RANGE;
  if (status != SC_OK)
    return status;
  memcpy(out->account, account.ptr, account.len);
  out->number = (int16_t)number;
  sc_storage_message_hash(out->hash, out->account, out->number, *data);
  return sc_bytes_same(hash, sc_bytes_text(out->hash)) ? SC_OK : SC_ERR_BT_RANGE;
}

/* Whether it is this node's to keep, as far as it knows. */
static bool keep(node *n, stored *message, sc_bytes data) {
  bool already;
  if (!registry_is_member(n->list, n->index, message->account))
    return false;
  if (message->expiry <= node_wall(n) || node_has(n, TRAIT_STORE))
    return true;
  message->data = blob_make(data);
  (void)node_store_put(&already, &n->store, message);
  blob_drop(message->data);
  return true;
}

/* What is not for this node may be once it has heard of the newest list: it is to be sent again. */
void node_swarm_receive(node *n, const wire_request *request) {
  sc_bytes bytes = blob_bytes(request->body);
  bool good = bytes.len > 0 && bytes.ptr[0] == transfer_version;
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, good ? sc_bytes_make(bytes.ptr + 1, bytes.len - 1) : bytes);
  good = good && sc_bt_enter_list(&reader) == SC_OK;
  while (good && sc_bt_peek(&reader) == SC_BT_LIST) {
    stored message = {0};
    sc_bytes data;
    good = read_message(&message, &data, &reader) == SC_OK && keep(n, &message, data);
  }
  node_answer(n, request->call, !good, (sc_bytes){0});
}
