/* Merging what was retrieved into a config, in three steps: everything is opened and read; the messages that
 * came out of it, and the config's own, are merged; the outcome takes the place of what the config was. Only
 * the last step changes the config, and it cannot fail. */
#include "multipart.h"
#include "state.h"

/* A message that was read, or the config's own. */
typedef struct candidate {
  const sc_config_message *message;
  sc_config_message *owned;
  sc_config_hashes hashes;
} candidate;

typedef struct gathering {
  sc_config *config;
  const sc_config_incoming *incoming;
  size_t incoming_count;
  sc_status *statuses;
  uint64_t wall_ms;
  sc_bytes *keys;
  sc_config_envelope envelope;
  candidate *candidates;
  const sc_config_message **messages; /* the same, to be merged */
  size_t count;
  size_t mine; /* which of them is the config's own; SIZE_MAX when it has none */
  size_t understood;
  sc_config_parts *parts; /* as they are afterwards; NULL while they are as the config has them */
  bool parts_changed;
} gathering;

static sc_status allocate(gathering *g) {
  const sc_env *env = g->config->env;
  size_t most = g->incoming_count + 1;
  size_t keys = sc_config_key_count(g->config);
  g->keys = sc_allocate(env, keys * sizeof *g->keys);
  g->candidates = sc_allocate(env, most * sizeof *g->candidates);
  g->messages = sc_allocate(env, most * sizeof *g->messages);
  g->statuses = sc_allocate(env, most * sizeof *g->statuses);
  if (g->keys == NULL || g->candidates == NULL || g->messages == NULL || g->statuses == NULL)
    return SC_ERR_NO_MEMORY;
  for (size_t i = 0; i < most; i++)
    g->statuses[i] = SC_OK;
  g->envelope = sc_config_envelope_of(g->config);
  sc_config_list_keys(g->keys, g->config);
  g->envelope.keys = g->keys;
  g->envelope.key_count = keys;
  return SC_OK;
}

static void gathering_free(gathering *g) {
  const sc_env *env = g->config->env;
  for (size_t i = 0; i < g->count; i++) {
    sc_config_message_free(g->candidates[i].owned);
    sc_config_hashes_free(&g->candidates[i].hashes);
  }
  sc_config_parts_free(g->parts);
  sc_release(env, g->keys);
  sc_release(env, g->candidates);
  sc_release(env, (void *)(uintptr_t)g->messages);
  sc_release(env, g->statuses);
}

/* Gathering */

/* Takes the message over when it succeeds. */
static sc_status add_candidate(gathering *g, const sc_config_message *message, sc_config_message *owned,
                               const sc_bytes *hashes, size_t hash_count) {
  candidate *added = &g->candidates[g->count];
  *added = (candidate){.message = message};
  sc_config_hashes_init(&added->hashes, g->config->env);
  sc_status status = SC_OK;
  for (size_t i = 0; i < hash_count && status == SC_OK; i++)
    status = sc_config_hashes_add(&added->hashes, hashes[i]);
  if (status != SC_OK) {
    sc_config_hashes_free(&added->hashes);
    return status;
  }
  added->owned = owned;
  g->messages[g->count++] = message;
  return SC_OK;
}

/* The message that is the config's own goes first when it is known where it is stored, and otherwise last, so
 * that a copy of it which was retrieved is found before it. */
static sc_status add_mine(gathering *g) {
  sc_config *config = g->config;
  const sc_config_message *published;
  if (config->now.message->seqno == 0 && config->now.state != SC_CONFIG_DIRTY)
    return SC_OK;
  sc_status status = sc_config_published(&published, config);
  if (status != SC_OK)
    return status;
  g->mine = g->count;
  return add_candidate(g, published, NULL, config->now.current.items, config->now.current.count);
}

/* A message that cannot be used takes all that it came in with it. */
static void refuse(gathering *g, const sc_bytes *hashes, size_t hash_count, sc_status why) {
  for (size_t i = 0; i < g->incoming_count; i++)
    for (size_t h = 0; h < hash_count; h++)
      if (sc_bytes_same(g->incoming[i].hash, hashes[h]))
        g->statuses[i] = why;
}

static sc_status read_message(gathering *g, sc_bytes bytes, const sc_bytes *hashes, size_t hash_count) {
  sc_config_rules rules = sc_config_rules_of(g->config);
  sc_config_message *message;
  sc_status status = sc_config_message_parse(&message, g->config->env, bytes, &rules);
  if (status == SC_OK) {
    status = add_candidate(g, message, message, hashes, hash_count);
    if (status != SC_OK)
      sc_config_message_free(message);
    return status;
  }
  refuse(g, hashes, hash_count, status);
  return status;
}

static sc_status read_part(gathering *g, sc_bytes part, sc_bytes hash) {
  sc_config_arrival arrival;
  sc_buffer message;
  sc_status status = g->parts == NULL ? sc_config_parts_fork(&g->parts, g->config->now.parts) : SC_OK;
  if (status != SC_OK)
    return status;
  sc_buffer_init(&message, g->config->env);
  status = sc_config_parts_accept(&message, &arrival, g->parts, part, hash, g->wall_ms);
  g->parts_changed = g->parts_changed || status != SC_OK || arrival.news != SC_CONFIG_NOTHING_NEW;
  if (status == SC_OK && arrival.news == SC_CONFIG_SET_COMPLETE)
    status = read_message(g, sc_buffer_bytes(&message), arrival.hashes, arrival.hash_count);
  sc_buffer_free(&message);
  return status;
}

static sc_status read_stored(gathering *g, const sc_config_incoming *incoming) {
  sc_config_form form;
  sc_buffer opened;
  if (!sc_config_is_hash(incoming->hash))
    return SC_ERR_ARGUMENT;
  sc_buffer_init(&opened, g->config->env);
  sc_status status = sc_config_open(&opened, &form, &g->envelope, incoming->stored);
  if (status == SC_OK)
    status = form == SC_CONFIG_PART ? read_part(g, sc_buffer_bytes(&opened), incoming->hash)
                                    : read_message(g, sc_buffer_bytes(&opened), &incoming->hash, 1);
  sc_buffer_free(&opened);
  return status;
}

static sc_status read_all(gathering *g) {
  for (size_t i = 0; i < g->incoming_count; i++) {
    sc_status status = read_stored(g, &g->incoming[i]);
    if (status == SC_ERR_NO_MEMORY)
      return status;
    if (status != SC_OK)
      g->statuses[i] = status;
  }
  for (size_t i = 0; i < g->incoming_count; i++)
    g->understood += g->statuses[i] == SC_OK;
  return SC_OK;
}

static sc_status gather(gathering *g) {
  sc_status status = allocate(g);
  bool knows_where = g->config->now.current.count > 0;
  g->mine = SIZE_MAX;
  if (status == SC_OK && knows_where)
    status = add_mine(g);
  if (status == SC_OK)
    status = read_all(g);
  if (status == SC_OK && !knows_where)
    status = add_mine(g);
  return status;
}

/* Merging */

typedef struct outcome {
  sc_config_effect effect;
  sc_config_message *message; /* the new one */
  size_t chosen;              /* of the candidates; SIZE_MAX for none */
} outcome;

/* A merge of what nobody had edited changes everything in it; the reason is lost, but all clients must write
 * the same. */
static sc_status take_resolved(outcome *out, const sc_config *config, const sc_config_message *merged) {
  out->effect = SC_CONFIG_RESOLVED;
  return sc_config_message_reopen(&out->message, merged, config->now.state != SC_CONFIG_DIRTY);
}

/* Of two messages of one seqno the one that is there stays. One that is dirty gives way to any other that was
 * chosen: that looks back to it, is too far ahead of it, or is the same. */
static bool stays(const gathering *g, const sc_config_message *merged, size_t chosen) {
  const sc_config *config = g->config;
  return chosen == g->mine ||
         (config->now.state != SC_CONFIG_DIRTY && merged->seqno == config->now.message->seqno);
}

static sc_status merge(outcome *out, const gathering *g) {
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
    out->chosen = how.chosen;
    if (!stays(g, merged, how.chosen)) {
      out->effect = SC_CONFIG_ADOPTED;
      out->message = merged;
      merged = NULL;
    }
  }
  sc_config_message_free(merged);
  return status;
}

/* Settling */

/* Nobody needs the messages that were not chosen. */
static sc_status list_old(sc_config_hashes *out, const gathering *g, const outcome *o) {
  const sc_config_hashes *chosen = o->chosen < g->count ? &g->candidates[o->chosen].hashes : NULL;
  sc_status status = sc_config_hashes_copy(out, &g->config->now.old);
  for (size_t i = 0; i < g->count && status == SC_OK; i++) {
    const sc_config_hashes *hashes = &g->candidates[i].hashes;
    if (chosen != NULL && sc_config_hashes_same(hashes, chosen))
      continue;
    for (size_t h = 0; h < hashes->count && status == SC_OK && out->count < SC_CONFIG_MAX_HASHES; h++)
      status = sc_config_hashes_add(out, hashes->items[h]);
  }
  return status;
}

static sc_status list_current(sc_config_hashes *out, const gathering *g, const outcome *o) {
  if (o->effect == SC_CONFIG_KEPT)
    return sc_config_hashes_copy(out, &g->config->now.current);
  return o->effect == SC_CONFIG_ADOPTED ? sc_config_hashes_copy(out, &g->candidates[o->chosen].hashes)
                                        : SC_OK;
}

static sc_config_state next_state(const sc_config *config, sc_config_effect effect) {
  if (effect == SC_CONFIG_KEPT)
    return config->now.state;
  return effect == SC_CONFIG_ADOPTED ? SC_CONFIG_CLEAN : SC_CONFIG_DIRTY;
}

static sc_status list_hashes(sc_config_standing *next, const gathering *g, const outcome *o) {
  sc_status status = list_old(&next->old, g, o);
  if (status == SC_OK)
    status = list_current(&next->current, g, o);
  sc_config_hashes_subtract(&next->old, &next->current);
  return status;
}

/* What the config will be. It shares with what the config is whatever the merge has not changed, and takes
 * over the rest, unless it fails. */
static sc_status prepare(sc_config_standing *next, gathering *g, outcome *o) {
  const sc_config_standing *now = &g->config->now;
  bool kept = o->effect == SC_CONFIG_KEPT;
  sc_config_standing_init(next, g->config->env);
  sc_status status = list_hashes(next, g, o);
  if (status != SC_OK)
    return status;
  next->state = next_state(g->config, o->effect);
  next->message = kept ? now->message : o->message;
  next->frozen = kept ? now->frozen : NULL;
  next->parts = g->parts == NULL ? now->parts : g->parts;
  next->needs_dump =
      now->needs_dump || !kept || g->parts_changed || !sc_config_hashes_same(&next->old, &now->old);
  o->message = NULL;
  g->parts = NULL;
  return SC_OK;
}

/* Frees the one of two standings that is not to stay, without what they share. */
static void give_up(sc_config_standing *one, const sc_config_standing *other) {
  if (one->message == other->message)
    one->message = NULL;
  if (one->frozen == other->frozen)
    one->frozen = NULL;
  if (one->parts == other->parts)
    one->parts = NULL;
  sc_config_standing_free(one);
}

static sc_status settle(gathering *g, outcome *o) {
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
  give_up(status == SC_OK ? &before : &next, &config->now);
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

static sc_status gather_and_settle(sc_config_effect *effect, gathering *g) {
  outcome o = {0};
  sc_status status = gather(g);
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
  gathering g = {.config = config, .incoming = messages, .incoming_count = count, .wall_ms = wall_ms};
  sc_config_effect effect;
  status = gather_and_settle(&effect, &g);
  bool settled = status == SC_OK || status == SC_ERR_CONFIG_NONE;
  if (settled)
    *out = effect;
  if (settled && statuses != NULL && count > 0)
    memcpy(statuses, g.statuses, count * sizeof *statuses);
  gathering_free(&g);
  return status;
}
