#include "flaw.h"

#include "oracle.h"
#include "world.h"

static const char *const names[flaw_count] = {
    "none",   "twice",  "never",  "late",  "forget", "believe", "state", "hoard", "stuck",
    "share",  "ban",    "revive", "admit", "sign",   "stray",   "turn",  "young", "size",
    "wander", "astray", "lose",   "join",  "return", "swap",    "blind", "hide"};

const char *flaw_name(flaw f) {
  return names[f];
}

flaw flaw_named(const char *name) {
  for (unsigned i = 1; i < flaw_count; i++)
    if (strcmp(names[i], name) == 0)
      return (flaw)i;
  return FLAW_NONE;
}

void flaw_plan(plan *p, flaw f) {
  enum { hours_ms = 60000, line_s = 60, tenth = 100 };
  p->flaw = f;
  if (f == FLAW_TURN)
    p->pause_ms = hours_ms; /* lists are hours old before the next request for one */
  if (f == FLAW_JOIN)
    p->nodes = oracle_enough_nodes + oracle_enough_nodes / 4;
  if (f == FLAW_WANDER) {
    p->line = LINE_SILENT;
    p->line_s = line_s;
  }
  if (f == FLAW_ASTRAY || f == FLAW_LOSE) {
    p->strategy = TRAIT_CAPTURE;
    p->hostile = tenth;
  }
  if (f == FLAW_BLIND || f == FLAW_HIDE) {
    p->strategy = TRAIT_HIDE;
    p->hostile = tenth;
  }
}

static bool has(const world *w, flaw f) {
  return w->plan.flaw == f;
}

bool flaw_hits(const client_call *a, flaw f) {
  enum { victim = 25 };
  return has(a->by->world, f) && a->number >= victim && a->number < 2 * victim;
}

/* Forges the reply of a request that succeeded, as a relay might. */
void flaw_reply(const client_call *a, sc_network_reply *reply) {
  static const uint8_t forged[] = "{\"messages\":[],\"more\":false}";
  if (!flaw_hits(a, FLAW_BELIEVE))
    return;
  if (reply->status == SC_OK && a->kind == CALL_RETRIEVE)
    reply->body = sc_bytes_make(forged, sizeof forged - 1);
  else if (reply->status == SC_OK && a->kind == CALL_SERVER)
    reply->body = sc_bytes_text("forged");
}

static bool is_later(const world *w) {
  return w->agenda.now > 40 * SIM_SECOND;
}

void flaw_status(const client *c, sc_network_status *status) {
  if (has(c->world, FLAW_STATE) && status->clock_is_known)
    status->clock_offset += 600000;
  if (has(c->world, FLAW_STUCK) && is_later(c->world))
    status->state = SC_NETWORK_OFFLINE;
}

size_t flaw_paths(const client *c, sc_network_path *paths, size_t count) {
  bool joins = has(c->world, FLAW_JOIN);
  if ((!joins && !has(c->world, FLAW_SHARE)) || count == 0)
    return count;
  sc_network_path *first = &paths[count - 1], *second = &paths[count];
  uint32_t last = first->length - 1;
  *second = *first;
  second->id++;
  if (joins) {
    first->local_account = 1;
    second->local_account = 2;
  } else {
    second->nodes[1] = first->nodes[last];
    second->nodes[last] = first->nodes[1];
  }
  return count + 1;
}

bool flaw_returns(const world *w) {
  return has(w, FLAW_RETURN);
}

uint32_t flaw_strikes(const client *c, const node *n, uint32_t strikes) {
  return has(c->world, FLAW_BAN) && is_later(c->world) && n->index == 0 ? strikes + 100 : strikes;
}

size_t flaw_memory(const client *c, size_t live) {
  enum { hoard = 1 << 28 };
  return has(c->world, FLAW_HOARD) ? live + hoard : live;
}

void flaw_list(const world *w, sc_node *nodes, size_t count) {
  enum { replaced = 24 };
  for (size_t i = 0; i < replaced && i < count && has(w, FLAW_TURN) && is_later(w); i++)
    nodes[i].key[0] ^= 0xff;
}

sc_day flaw_first_day(const world *w, sc_day first, sc_day today) {
  return has(w, FLAW_YOUNG) ? today : first;
}

size_t flaw_size(const world *w, size_t size) {
  return has(w, FLAW_SIZE) ? size + 1 : size;
}

size_t flaw_tried(const world *w, size_t count) {
  enum { more = 4 };
  return has(w, FLAW_WANDER) ? count + more : count;
}

void flaw_guards(const client *c, sc_network_guard *guards, size_t count) {
  if (!has(c->world, FLAW_SWAP) || !is_later(c->world) || count < 2)
    return;
  const sc_network_guard first = guards[0];
  guards[0] = guards[1];
  guards[1] = first;
}

bool flaw_leads_astray(const world *w) {
  return has(w, FLAW_ASTRAY);
}

bool flaw_loses(const world *w) {
  return has(w, FLAW_LOSE);
}

bool flaw_blinds(const world *w) {
  return has(w, FLAW_BLIND);
}

bool flaw_hides(const world *w) {
  return has(w, FLAW_HIDE);
}

bool flaw_strays(const world *w) {
  return has(w, FLAW_STRAY);
}

bool flaw_admits(const world *w) {
  return has(w, FLAW_ADMIT);
}

void flaw_signature(const world *w, const sc_storage_request *request, sc_storage_member *member) {
  if (has(w, FLAW_SIGN) && request->method == SC_STORAGE_DELETE)
    member->signature[0] ^= 1;
}

static void forget(world *w) {
  const promise *p = &w->oracle.promises[0];
  for (size_t i = 0; i < w->node_count; i++)
    (void)node_store_remove(&w->nodes[i].store, p->account, sc_bytes_text(p->hash));
}

/* Makes a node store the first deleted hash again. */
static void remember(world *w) {
  const burial *b = &w->oracle.burials[0];
  node *n = &w->nodes[b->signers[0]];
  stored *found = NULL;
  if (n->store.count > 0)
    found = &n->store.list[0];
  if (found != NULL)
    memcpy(found->hash, b->hash, sizeof found->hash);
}

void flaw_strike(world *w) {
  if (has(w, FLAW_FORGET) && w->oracle.promise_count > 0)
    forget(w);
  if (has(w, FLAW_REVIVE) && w->oracle.burial_count > 0)
    remember(w);
}
