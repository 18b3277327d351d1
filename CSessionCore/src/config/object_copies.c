/* One message may be stored more than once, under other keys, or by clients that compress otherwise. Devices
 * that see several must settle on the same one, or each would delete what the other keeps. They keep the copy
 * under the first key; among equals, the one with the least hash. But members of a group have its keys and
 * can make any number of copies: there an equally good copy does not replace our own. */
#include "encoded.h"
#include "gathering.h"

bool sc_config_is_copy(const sc_config_gathering *g, size_t a, size_t b) {
  const sc_config_message *one = g->candidates[a].message, *other = g->candidates[b].message;
  return one->seqno == other->seqno && memcmp(one->hash, other->hash, sizeof one->hash) == 0;
}

static bool was_retrieved_fresh(const sc_config_gathering *g, const sc_config_hashes *hashes) {
  for (size_t i = 0; i < g->count; i++)
    if (g->candidates[i].fresh && sc_config_hashes_same(&g->candidates[i].hashes, hashes))
      return true;
  return false;
}

/* The own copy, unless it is known to be under the first key, gives way to one that is, and to no other: it
 * will be when it is pushed, if it has not been already. */
static int worth_of(const sc_config_gathering *g, size_t index) {
  enum { nowhere, under_another_key, under_some_key, under_first_key };
  const sc_config_candidate *c = &g->candidates[index];
  const sc_config_standing *now = &g->config->now;
  if (index != g->mine)
    return c->fresh ? under_first_key : under_another_key;
  if (c->hashes.count == 0)
    return now->state == SC_CONFIG_CLEAN ? nowhere : under_some_key;
  bool fresh = now->fresh || g->envelope.key_count == 1 || was_retrieved_fresh(g, &c->hashes);
  return fresh ? under_first_key : under_some_key;
}

static bool is_better(const sc_config_gathering *g, size_t index, size_t other) {
  int worth = worth_of(g, index), least = worth_of(g, other);
  if (worth != least)
    return worth > least;
  if (g->config->has_verifier && (index == g->mine || other == g->mine))
    return index == g->mine;
  const sc_bytes *a = g->candidates[index].hashes.items, *b = g->candidates[other].hashes.items;
  return a != NULL && b != NULL && sc_config_compare(sc_config_string(a[0]), sc_config_string(b[0])) < 0;
}

size_t sc_config_best_copy(const sc_config_gathering *g, size_t chosen) {
  size_t best = chosen;
  for (size_t i = 0; i < g->count; i++)
    if (sc_config_is_copy(g, i, chosen) && is_better(g, i, best))
      best = i;
  return best;
}
