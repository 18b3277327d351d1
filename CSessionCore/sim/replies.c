/* What clients make of replies. */
#include <stdlib.h>

#include "client.h"
#include "memory.h"
#include "oracle.h"
#include "world.h"

/* What came of a store: only those who are known to be of the swarm count. */

static void swarm_found(void *user, sc_network_ticket ticket, sc_status status, const sc_node *nodes,
                        size_t count) {
  ask *a = user;
  sc_storage_parsed_reply parsed;
  sc_storage_tally tally;
  (void)ticket;
  blob *body = a->reply;
  a->reply = NULL;
  if (status != SC_OK || count == 0 || body == NULL) {
    blob_drop(body);
    return;
  }
  uint8_t(*keys)[SC_KEY_BYTES] = memory_new(count, sizeof *keys);
  for (size_t i = 0; i < count; i++)
    memcpy(keys[i], nodes[i].key, SC_KEY_BYTES);
  if (sc_storage_reply_parse(&parsed, &a->by->env, &a->request, blob_bytes(body)) == SC_OK) {
    const uint8_t(*swarm)[SC_KEY_BYTES] = (const uint8_t(*)[SC_KEY_BYTES])keys;
    bool good =
        sc_storage_reply_verify(&tally, &a->by->env, &a->request, &parsed.reply, swarm, count) == SC_OK;
    if (good && tally.enough)
      oracle_promise(a, &parsed.reply.of.members);
    sc_storage_parsed_reply_free(&parsed);
  }
  free(keys);
  blob_drop(body);
}

/* Remembers a message that no other client has, and that no attempt still stores. */
static void remember_kept(ask *a, const sc_network_reply *reply) {
  client *c = a->by;
  const sc_storage_store *store = &a->request.of.store;
  if (a->kind != ASK_STORE || reply->attempts != 1)
    return;
  kept_hash *kept = &c->kept[c->kept_count++ % client_most_kept];
  sc_storage_message_hash(kept->hash, a->request.account, store->number, store->data);
  kept->number = store->number;
}

static void consider_store(ask *a, const sc_network_reply *reply) {
  client *c = a->by;
  sc_network_ticket ticket;
  remember_kept(a, reply);
  a->reply = blob_make(reply->body);
  if (sc_network_find_swarm(&ticket, c->network, c->world->agenda.now, a->request.account, swarm_found, a) !=
      SC_OK) {
    blob_drop(a->reply);
    a->reply = NULL;
  }
}

static size_t place_of(int16_t number) {
  size_t place = 0;
  while (client_numbers[place] != number)
    place++;
  return place;
}

/* Hashes mean something only to the node that said them. */
static void remember_place(ask *a, const sc_network_reply *reply) {
  client *c = a->by;
  sc_storage_parsed_reply parsed;
  if (reply->node == NULL)
    return;
  if (sc_storage_reply_parse(&parsed, &c->env, &a->request, reply->body) != SC_OK)
    return;
  const sc_storage_messages *messages = &parsed.reply.of.messages;
  size_t place = place_of(a->request.of.retrieve.number);
  if (messages->count > 0) {
    const node *n = node_find(c->world, reply->node->key);
    memcpy(c->last_hash[place], messages->list[messages->count - 1].hash.ptr, SC_STORAGE_HASH_CHARS);
    c->last_hash_node[place] = n == NULL ? 0 : n->index + 1;
  }
  sc_storage_parsed_reply_free(&parsed);
}

void client_take_reply(ask *a, const sc_network_reply *reply) {
  if (reply->status != SC_OK)
    return;
  if (sc_storage_method_is_recursive(a->request.method) && a->kind != ASK_SERVER)
    oracle_check_members(a, reply);
  if (a->kind == ASK_STORE || a->kind == ASK_SEND || a->kind == ASK_MEMBER_STORE)
    consider_store(a, reply);
  else if (a->kind == ASK_RETRIEVE)
    remember_place(a, reply);
  if (a->kind == ASK_MEMBER_STORE || a->kind == ASK_MEMBER_RETRIEVE)
    oracle_check_admission(a, reply);
}
