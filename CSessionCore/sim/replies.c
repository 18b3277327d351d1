/* Clients' handling of replies. */
#include "client.h"
#include "oracle.h"
#include "world.h"

/* Storing: only nodes known to be in the swarm count. */
static void judge_store(client_call *a, const sc_network_reply *reply) {
  sc_storage_parsed_reply parsed;
  sc_storage_tally tally;
  if (reply->keepers.count == 0 ||
      sc_storage_reply_parse(&parsed, &a->by->env, &a->request, reply->body) != SC_OK)
    return;
  if (sc_storage_reply_verify(&tally, &a->by->env, &a->request, &parsed.reply, &reply->keepers) == SC_OK &&
      tally.enough)
    oracle_promise(a, &parsed.reply.of.members);
  sc_storage_parsed_reply_free(&parsed);
}

/* Remembers a message that no other client has, and that no attempt still stores. */
static void remember_kept(client_call *a, const sc_network_reply *reply) {
  client *c = a->by;
  const sc_storage_store *store = &a->request.of.store;
  if (a->kind != CALL_STORE || reply->attempts != 1)
    return;
  kept_hash *kept = &c->kept[c->kept_count++ % client_most_kept];
  sc_storage_message_hash(kept->hash, a->request.account, store->number, store->data);
  kept->number = store->number;
}

static void take_store(client_call *a, const sc_network_reply *reply) {
  remember_kept(a, reply);
  judge_store(a, reply);
}

static size_t place_of(int16_t number) {
  size_t place = 0;
  while (client_numbers[place] != number)
    place++;
  return place;
}

/* Hashes mean something only to the node that said them. */
static void remember_place(client_call *a, const sc_network_reply *reply) {
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

void client_take_reply(client_call *a, const sc_network_reply *reply) {
  if (a->kind == CALL_POLL)
    poll_take_reply(a, reply);
  if (reply->status != SC_OK)
    return;
  if (sc_storage_method_is_recursive(a->request.method) && a->kind != CALL_SERVER)
    oracle_check_members(a, reply);
  if (a->kind == CALL_STORE || a->kind == CALL_SEND || a->kind == CALL_MEMBER_STORE)
    take_store(a, reply);
  else if (a->kind == CALL_RETRIEVE)
    remember_place(a, reply);
  if (a->kind == CALL_MEMBER_STORE || a->kind == CALL_MEMBER_RETRIEVE)
    oracle_check_admission(a, reply);
}
