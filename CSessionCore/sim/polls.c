#include "polls.h"

#include <stdlib.h>

#include "client.h"
#include "flaw.h"
#include "memory.h"
#include "network/router/network.h"
#include "oracle.h"
#include "world.h"

enum { first_capacity = 64 };

void poll_free(poll *p) {
  free(p->delivered);
  *p = (poll){0};
}

/* ---- messages that were delivered ---- */

static uint64_t mark_of(const char *hash) {
  uint64_t mark;
  memcpy(&mark, hash, sizeof mark);
  return mark;
}

static size_t place_of(const poll *p, uint64_t mark) {
  size_t place = (size_t)(mark * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (p->delivered_capacity - 1);
  while (p->delivered[place] != 0 && p->delivered[place] != mark)
    place = (place + 1) & (p->delivered_capacity - 1);
  return place;
}

bool poll_has(const poll *p, const char *hash) {
  return p->delivered_capacity > 0 && p->delivered[place_of(p, mark_of(hash))] != 0;
}

static void deliver(poll *p, const char *hash) {
  if (2 * p->delivered_count >= p->delivered_capacity) {
    poll larger = {.delivered_capacity =
                       p->delivered_capacity == 0 ? first_capacity : 2 * p->delivered_capacity};
    larger.delivered = memory_new(larger.delivered_capacity, sizeof *larger.delivered);
    for (size_t i = 0; i < p->delivered_capacity; i++)
      if (p->delivered[i] != 0)
        larger.delivered[place_of(&larger, p->delivered[i])] = p->delivered[i];
    free(p->delivered);
    p->delivered = larger.delivered;
    p->delivered_capacity = larger.delivered_capacity;
  }
  size_t place = place_of(p, mark_of(hash));
  p->delivered_count += p->delivered[place] == 0;
  p->delivered[place] = mark_of(hash);
}

/* ---- members ---- */

static bool is_member(const sc_swarm *swarm, const uint8_t *key) {
  for (size_t i = 0; i < swarm->count; i++)
    if (memcmp(swarm->nodes[i]->key, key, SC_KEY_BYTES) == 0)
      return true;
  return false;
}

static poll_member *find(poll *p, const uint8_t *key) {
  for (size_t i = 0; i < p->count; i++)
    if (memcmp(p->members[i].key, key, SC_KEY_BYTES) == 0)
      return &p->members[i];
  return NULL;
}

static void shuffle(client *c) {
  poll *p = &c->poll;
  for (size_t i = p->count; i > 1; i--) {
    size_t k = draw_below(&c->chance, (uint32_t)i);
    const poll_member kept = p->members[i - 1];
    p->members[i - 1] = p->members[k];
    p->members[k] = kept;
  }
}

/* A swarm that is another one gets an order of its own. */
static void take_swarm(client *c, const sc_swarm *swarm) {
  poll *p = &c->poll;
  size_t kept = 0, before = p->count;
  for (size_t i = 0; i < before; i++)
    if (is_member(swarm, p->members[i].key))
      p->members[kept++] = p->members[i];
  p->count = kept;
  for (size_t i = 0; i < swarm->count; i++)
    if (find(p, swarm->nodes[i]->key) == NULL) {
      poll_member *member = &p->members[p->count++];
      *member = (poll_member){0};
      memcpy(member->key, swarm->nodes[i]->key, SC_KEY_BYTES);
    }
  if (kept != before || p->count != before)
    shuffle(c);
}

static poll_member *take_turn(poll *p) {
  for (size_t passed = 0;; passed++) {
    poll_member *member = &p->members[p->next++ % p->count];
    if (!member->is_passed_over || passed == p->count)
      return member;
    member->is_passed_over = false;
  }
}

bool poll_prepare(client_call *a) {
  client *c = a->by;
  sc_swarm swarm;
  const sc_network *network = c->network;
  if (sc_nodes_swarm(&swarm, network->nodes, network->moment.wall, c->account.id + 1, true) != SC_OK ||
      swarm.count == 0)
    return false;
  oracle_check_swarm(c, &swarm);
  take_swarm(c, &swarm);
  poll_member *member = take_turn(&c->poll);
  memcpy(a->member_key, member->key, SC_KEY_BYTES);
  memcpy(a->hash, member->cursor, sizeof a->hash);
  oracle_begin_poll(c, member->key);
  return true;
}

/* ---- replies ---- */

static void take_messages(client_call *a, poll_member *member, const sc_storage_messages *messages) {
  for (size_t i = 0; i < messages->count; i++) {
    char hash[SC_STORAGE_HASH_CHARS + 1] = {0};
    size_t len = messages->list[i].hash.len < SC_STORAGE_HASH_CHARS ? messages->list[i].hash.len
                                                                    : SC_STORAGE_HASH_CHARS;
    memcpy(hash, messages->list[i].hash.ptr, len);
    if (!flaw_hides(a->by->world))
      deliver(&a->by->poll, hash);
    memcpy(member->cursor, hash, sizeof member->cursor);
  }
}

void poll_take_reply(client_call *a, const sc_network_reply *reply) {
  client *c = a->by;
  poll_member *member = find(&c->poll, a->member_key);
  sc_storage_parsed_reply parsed;
  bool good =
      reply->status == SC_OK && sc_storage_reply_parse(&parsed, &c->env, &a->request, reply->body) == SC_OK;
  if (good && member != NULL)
    take_messages(a, member, &parsed.reply.of.messages);
  if (good)
    sc_storage_parsed_reply_free(&parsed);
  else if (member != NULL)
    member->is_passed_over = true;
  oracle_end_poll(a, good);
}

/* ---- time ---- */

static void time_to_poll(void *user, uint64_t number) {
  enum { usual_pause_ms = 3000, least = 750, spread = 500, all = 1000 };
  client *c = user;
  (void)number;
  if (c->to_make == 0)
    return;
  if (c->network != NULL && !c->suspended)
    c->to_make -= client_poll(c);
  uint64_t about_ms = c->world->plan.pause_ms == 0 ? usual_pause_ms : c->world->plan.pause_ms;
  uint64_t pause = about_ms * (least + draw_below(&c->chance, spread + 1)) / all * SIM_MILLISECOND;
  agenda_add(&c->world->agenda, c->world->agenda.now + pause, time_to_poll, c, 0);
}

void poll_begin(client *c) {
  world *w = c->world;
  if (oracle_watches_polls(w))
    agenda_add(&w->agenda, w->agenda.now + SIM_SECOND, time_to_poll, c, 0);
}
