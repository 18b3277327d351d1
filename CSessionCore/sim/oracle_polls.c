/* The reading of mailboxes among hostile members: an account's swarm is that of the true list, members take
 * turns, and each honest one gives everything that all honest ones have. So h hostile members delay a message
 * by h polls at most, whatever they answer. */
#include <stdlib.h>

#include "flaw.h"
#include "memory.h"
#include "oracle.h"
#include "world.h"

bool oracle_watches_polls(const world *w) {
  const uint32_t lists = TRAIT_FRIENDS | TRAIT_DRIFT | TRAIT_ONE_SWARM | TRAIT_LIST;
  return w->plan.strategy != 0 && (w->plan.strategy & lists) == 0 && w->plan.faults == 0 &&
         w->plan.line == LINE_HONEST;
}

void oracle_check_swarm(const client *c, const sc_swarm *swarm) {
  world *w = c->world;
  const registry_swarm *own = registry_swarm_of(w->registry.newest, c->account.id);
  size_t members = 0;
  for (size_t i = 0; i < swarm->count; i++) {
    const node *n = node_find(w, swarm->nodes[i]->key);
    members += n != NULL && registry_is_member(w->registry.newest, n->index, c->account.id);
  }
  if (oracle_watches_polls(w) && (own == NULL || swarm->count != own->count || members != own->count))
    oracle_break(w, "client %u takes other nodes for the swarm of its account", c->index);
}

static size_t count_hostile(const world *w, const client *c) {
  const registry_list *list = w->registry.newest;
  const registry_swarm *swarm = registry_swarm_of(list, c->account.id);
  size_t count = 0;
  for (uint32_t i = 0; swarm != NULL && i < swarm->count; i++)
    count += !node_is_honest(&w->nodes[list->nodes[swarm->first + i]]);
  return count;
}

/* ---- messages that all honest members have ---- */

static bool all_honest_have(const world *w, const client *c, const char *hash) {
  const registry_list *list = w->registry.newest;
  const registry_swarm *swarm = registry_swarm_of(list, c->account.id);
  bool any = false;
  for (uint32_t i = 0; swarm != NULL && i < swarm->count; i++) {
    const node *n = &w->nodes[list->nodes[swarm->first + i]];
    if (!node_is_honest(n))
      continue;
    if (node_store_find(&n->store, sc_bytes_text(hash)) == NULL)
      return false;
    any = true;
  }
  return any;
}

void oracle_expect(world *w, const promise *p) {
  enum { inbox = 0 };
  if (!oracle_watches_polls(w) || p->number != inbox)
    return;
  for (size_t i = 0; i < w->client_count; i++) {
    client *c = &w->clients[i];
    if (memcmp(c->account.id, p->account, sizeof p->account) != 0)
      continue;
    known_polls *known = &w->oracle.polls[i];
    known->expected = memory_grow(known->expected, known->count, &known->capacity, sizeof *known->expected);
    expected_message *message = &known->expected[known->count++];
    *message = (expected_message){.expiry = p->expiry};
    memcpy(message->hash, p->hash, sizeof message->hash);
  }
}

/* True if nothing is to be expected any more: it was delivered, or deleted, or has expired. */
static bool is_done(const world *w, const client *c, const expected_message *message) {
  enum { soon_ms = 60000 };
  return poll_has(&c->poll, message->hash) || message->expiry < world_wall(w) + soon_ms ||
         (message->since != 0 && !all_honest_have(w, c, message->hash));
}

/* After the reply of an honest member to a poll that began at `began`. */
static void check_delivered(world *w, const client *c, uint64_t began) {
  known_polls *known = &w->oracle.polls[c->index];
  size_t kept = 0;
  for (size_t i = 0; i < known->count; i++) {
    expected_message *message = &known->expected[i];
    if (is_done(w, c, message))
      continue;
    if (message->since == 0 && all_honest_have(w, c, message->hash))
      message->since = w->agenda.now;
    else if (message->since != 0 && message->since < began)
      oracle_break(w, "the message %s is hidden from client %u, though an honest member gave all it has",
                   message->hash, c->index);
    known->expected[kept++] = *message;
  }
  known->count = kept;
}

/* ---- turns ---- */

static bool is_shown_honest(const world *w, const node *n) {
  return node_is_honest(n) && !flaw_blinds(w);
}

void oracle_begin_poll(const client *c, const uint8_t member[static SC_KEY_BYTES]) {
  world *w = c->world;
  size_t *in_a_row = &w->oracle.polls[c->index].in_a_row;
  const node *n = node_find(w, member);
  if (!oracle_watches_polls(w) || n == NULL)
    return;
  w->oracle.polls_made++;
  *in_a_row = is_shown_honest(w, n) ? 0 : *in_a_row + 1;
  if (*in_a_row > count_hostile(w, c))
    oracle_break(w, "client %u reads its mailbox %zu times without an honest member", c->index, *in_a_row);
}

void oracle_end_poll(const client_call *a, bool good) {
  world *w = a->by->world;
  const node *n = node_find(w, a->member_key);
  if (oracle_watches_polls(w) && good && n != NULL && node_is_honest(n))
    check_delivered(w, a->by, a->made_at);
}

void oracle_free_polls(world *w) {
  for (size_t i = 0; w->oracle.polls != NULL && i < w->client_count; i++)
    free(w->oracle.polls[i].expected);
  free(w->oracle.polls);
}
