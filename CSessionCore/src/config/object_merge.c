/* Merging retrieved messages into a config, in three steps: all messages are decrypted and parsed; they are
 * merged with the config's own; the result replaces the config's state. Only the last step changes the
 * config, and it cannot fail. */
#include "gathering.h"
#include "hashes.h"
#include "message.h"
#include "multipart.h"

/* Merging */

typedef struct outcome {
  sc_config_effect effect;
  sc_config_message *message; /* the new one */
  size_t chosen;              /* of the candidates; SIZE_MAX for none */
  bool push_again;            /* the message that was adopted, for not all have the key it came with */
} outcome;

/* A merge of unedited messages marks everything as changed; the reason is lost, but all clients must write
 * the same. */
static sc_status take_resolved(outcome *out, const sc_config *config, const sc_config_message *merged) {
  out->effect = SC_CONFIG_RESOLVED;
  return sc_config_message_reopen(&out->message, merged, config->now.state != SC_CONFIG_DIRTY);
}

/* Of two messages of one seqno the one that is there stays, unless it gave way. One that is dirty gives way
 * to any other that was chosen: that looks back to it, is too far ahead of it, or is the same. */
static bool stays(const sc_config_gathering *g, const sc_config_message *merged, size_t chosen) {
  const sc_config *config = g->config;
  if (g->gave_way)
    return false;
  return chosen == g->mine ||
         (config->now.state != SC_CONFIG_DIRTY && merged->seqno == config->now.message->seqno);
}

static sc_status merge(outcome *out, const sc_config_gathering *g) {
  sc_config_rules rules = sc_config_rules_of(g->config);
  sc_config_message *merged;
  sc_config_merged how;
  *out = (outcome){.effect = SC_CONFIG_KEPT, .chosen = SIZE_MAX};
  if (g->count == 0)
    return SC_OK;
  sc_status status = sc_config_message_merge_to_reopen(&merged, &how, g->messages, g->count, &rules);
  if (status != SC_OK)
    return status;
  if (how.resolved) {
    status = take_resolved(out, g->config, merged);
  } else {
    out->chosen = sc_config_best_copy(g, how.chosen);
    if (!stays(g, merged, out->chosen)) {
      out->effect = SC_CONFIG_ADOPTED;
      out->push_again = !g->candidates[out->chosen].fresh && !sc_config_is_read_only(g->config);
      out->message = merged;
      merged = NULL;
    }
  }
  sc_config_message_free(merged);
  return status;
}

/* Settling */

/* The messages that were not chosen are obsolete, but read-only members must not delete them. */
static sc_status list_old(sc_config_hashes *out, const sc_config_gathering *g, const outcome *o) {
  bool stays = o->chosen < g->count && !o->push_again;
  const sc_config_hashes *chosen = stays ? &g->candidates[o->chosen].hashes : NULL;
  sc_status status = sc_config_hashes_copy(out, &g->config->now.old);
  if (sc_config_is_read_only(g->config))
    return status;
  for (size_t i = 0; i < g->count && status == SC_OK; i++) {
    const sc_config_hashes *hashes = &g->candidates[i].hashes;
    if (chosen != NULL && sc_config_hashes_same(hashes, chosen))
      continue;
    for (size_t h = 0; h < hashes->count && status == SC_OK && out->count < SC_CONFIG_MAX_HASHES; h++)
      status = sc_config_hashes_add(out, hashes->items[h]);
  }
  return status;
}

/* True if a better copy of a kept message was found. */
static bool is_replaced(const sc_config_gathering *g, const outcome *o) {
  return o->effect == SC_CONFIG_KEPT && g->config->now.state == SC_CONFIG_CLEAN && g->mine < g->count &&
         o->chosen != g->mine && o->chosen < g->count && sc_config_is_copy(g, o->chosen, g->mine);
}

static sc_status list_current(sc_config_hashes *out, const sc_config_gathering *g, const outcome *o) {
  if ((o->effect == SC_CONFIG_ADOPTED && !o->push_again) || is_replaced(g, o))
    return sc_config_hashes_copy(out, &g->candidates[o->chosen].hashes);
  return o->effect == SC_CONFIG_KEPT ? sc_config_hashes_copy(out, &g->config->now.current) : SC_OK;
}

static sc_config_state next_state(const sc_config *config, const outcome *o) {
  if (o->effect == SC_CONFIG_KEPT)
    return config->now.state;
  if (o->effect == SC_CONFIG_RESOLVED)
    return SC_CONFIG_DIRTY;
  return o->push_again ? SC_CONFIG_WAITING : SC_CONFIG_CLEAN;
}

static sc_status list_hashes(sc_config_standing *next, const sc_config_gathering *g, const outcome *o) {
  sc_status status = list_old(&next->old, g, o);
  if (status == SC_OK)
    status = list_current(&next->current, g, o);
  sc_config_hashes_subtract(&next->old, &next->current);
  return status;
}

/* Prepares the new state. It shares all unchanged data with the current one, and takes over the rest unless
 * it fails. */
static sc_status prepare(sc_config_standing *next, sc_config_gathering *g, outcome *o) {
  const sc_config_standing *now = &g->config->now;
  bool kept = o->effect == SC_CONFIG_KEPT;
  sc_config_standing_init(next, g->config->env);
  next->archive = sc_config_tree_keep(now->archive);
  sc_status status = list_hashes(next, g, o);
  if (status != SC_OK)
    return status;
  next->state = next_state(g->config, o);
  next->message = kept ? now->message : o->message;
  next->frozen = kept ? now->frozen : NULL;
  next->fresh =
      kept && !is_replaced(g, o) ? now->fresh : o->chosen < g->count && g->candidates[o->chosen].fresh;
  next->parts = g->parts == NULL ? now->parts : g->parts;
  next->needs_dump = now->needs_dump || !kept || g->parts_changed ||
                     !sc_config_hashes_same(&next->old, &now->old) ||
                     !sc_config_hashes_same(&next->current, &now->current);
  o->message = NULL;
  g->parts = NULL;
  return SC_OK;
}

static sc_status settle(sc_config_gathering *g, outcome *o) {
  sc_config *config = g->config;
  sc_config_standing next;
  sc_config_standing before = config->now;
  sc_status status = prepare(&next, g, o);
  if (status == SC_OK && o->effect != SC_CONFIG_KEPT && config->type->after_merge != NULL) {
    config->now = next;
    status = config->type->after_merge(config->object, g->wall_ms);
    next = config->now;
  }
  config->now = status == SC_OK ? next : before;
  sc_config_standing_give_up(status == SC_OK ? &before : &next, &config->now);
  if (status == SC_OK)
    sc_config_parts_expire(config->now.parts, g->wall_ms);
  return status;
}

static sc_status check(const sc_config *config, size_t count) {
  if (config->type->local)
    return SC_ERR_STATE;
  if (sc_config_key_count(config) == 0)
    return SC_ERR_CONFIG_KEYLESS;
  return count > SC_CONFIG_MAX_INCOMING ? SC_ERR_TOO_LARGE : SC_OK;
}

static sc_status gather_and_settle(sc_config_effect *effect, sc_config_gathering *g) {
  outcome o = {0};
  sc_status status = sc_config_gather(g);
  if (status == SC_OK)
    status = merge(&o, g);
  if (status == SC_OK)
    status = settle(g, &o);
  sc_config_message_free(o.message);
  *effect = o.effect;
  bool has_nothing = g->count == 0 && g->understood == 0 && g->incoming_count > 0;
  return status == SC_OK && has_nothing ? SC_ERR_CONFIG_NONE : status;
}

sc_status sc_config_merge(sc_config_effect *out, sc_status *statuses, sc_config *config,
                          const sc_config_incoming *messages, size_t count, uint64_t wall_ms) {
  *out = SC_CONFIG_KEPT;
  sc_status status = check(config, count);
  if (status != SC_OK)
    return status;
  sc_config_gathering g = {
      .config = config, .incoming = messages, .incoming_count = count, .wall_ms = wall_ms};
  sc_config_effect effect;
  status = gather_and_settle(&effect, &g);
  bool settled = status == SC_OK || status == SC_ERR_CONFIG_NONE;
  if (settled)
    *out = effect;
  if (settled && statuses != NULL && count > 0)
    memcpy(statuses, g.statuses, count * sizeof *statuses);
  sc_config_gathering_free(&g);
  return status;
}
