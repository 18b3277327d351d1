/* The first step of a merge: decrypting, assembling and parsing the retrieved messages. */
#include "gathering.h"
#include "hashes.h"

static sc_status allocate(sc_config_gathering *g) {
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

void sc_config_gathering_free(sc_config_gathering *g) {
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
static sc_status add_candidate(sc_config_gathering *g, const sc_config_message *message,
                               sc_config_message *owned, const sc_bytes *hashes, size_t hash_count) {
  sc_config_candidate *added = &g->candidates[g->count];
  *added = (sc_config_candidate){.message = message};
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
static sc_status add_mine(sc_config_gathering *g) {
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

/* A message that cannot be used takes all that it came in with it; and parts that could not be used may turn
 * out to have waited for another one. */
static void judge(sc_config_gathering *g, const sc_bytes *hashes, size_t hash_count, sc_status verdict) {
  for (size_t i = 0; i < g->incoming_count; i++)
    for (size_t h = 0; h < hash_count; h++)
      if (sc_bytes_same(g->incoming[i].hash, hashes[h]))
        g->statuses[i] = verdict;
}

/* Opening a message costs time even if it is refused, and anyone with the keys can send any number of them.
 */
static void count_refusal(sc_config_gathering *g, size_t bytes) {
  g->refused += bytes > 0;
  g->refused_bytes += bytes;
}

static bool has_had_enough(const sc_config_gathering *g) {
  return g->refused >= SC_CONFIG_MAX_REFUSED || g->refused_bytes >= SC_CONFIG_MAX_REFUSED_BYTES;
}

/* Checks if a well-formed message may belong to this config. */
static sc_status check_message(const sc_config *config, const sc_config_message *message) {
  if (message->seqno < 0)
    return SC_ERR_CONFIG_SEQNO;
  bool accepted = config->type->accepts == NULL || config->type->accepts(message->data);
  return accepted ? SC_OK : SC_ERR_CONFIG_OTHER_KIND;
}

static sc_status parse(sc_config_message **out, const sc_config *config, sc_buffer *bytes) {
  sc_config_rules rules = sc_config_rules_of(config);
  sc_status status = sc_config_message_take(out, bytes, &rules);
  if (status == SC_OK)
    status = check_message(config, *out);
  if (status != SC_OK) {
    sc_config_message_free(*out);
    *out = NULL;
  }
  return status;
}

static sc_status read_message(sc_config_gathering *g, sc_buffer *bytes, const sc_bytes *hashes,
                              size_t hash_count, bool fresh) {
  sc_config_message *message;
  sc_status status = parse(&message, g->config, bytes);
  if (status == SC_OK)
    status = add_candidate(g, message, message, hashes, hash_count);
  if (status == SC_OK) {
    g->candidates[g->count - 1].fresh = fresh;
    return SC_OK;
  }
  sc_config_message_free(message);
  judge(g, hashes, hash_count, status);
  return status;
}

static sc_status read_part(sc_config_gathering *g, sc_bytes part, sc_bytes hash, bool fresh) {
  sc_config_arrival arrival;
  sc_buffer message;
  sc_status status = g->parts == NULL ? sc_config_parts_fork(&g->parts, g->config->now.parts) : SC_OK;
  if (status != SC_OK)
    return status;
  sc_buffer_init(&message, g->config->env);
  status = sc_config_parts_accept(&message, &arrival, g->parts, part, hash, g->wall_ms);
  g->parts_changed = g->parts_changed || arrival.news != SC_CONFIG_NOTHING_NEW || arrival.hash_count > 0;
  const size_t made = message.capacity;
  judge(g, arrival.hashes, arrival.hash_count, status);
  if (status == SC_OK && arrival.news == SC_CONFIG_SET_COMPLETE)
    status = read_message(g, &message, arrival.hashes, arrival.hash_count, fresh);
  if (status != SC_OK)
    count_refusal(g, made);
  sc_buffer_free(&message);
  return status;
}

/* With the first key, or else with one of the others. */
static sc_status open_stored(sc_buffer *out, sc_config_form *form, bool *fresh, const sc_config_gathering *g,
                             sc_bytes stored) {
  sc_config_envelope envelope = g->envelope;
  envelope.key_count = 1;
  sc_status status = sc_config_open(out, form, &envelope, stored);
  *fresh = status == SC_OK;
  if (status != SC_ERR_NO_KEY || g->envelope.key_count == 1)
    return status;
  envelope.keys++;
  envelope.key_count = g->envelope.key_count - 1;
  return sc_config_open(out, form, &envelope, stored);
}

static sc_status read_stored(sc_config_gathering *g, const sc_config_incoming *incoming) {
  sc_config_form form;
  bool fresh;
  sc_buffer opened;
  if (!sc_config_is_hash(incoming->hash))
    return SC_ERR_ARGUMENT;
  if (has_had_enough(g))
    return SC_ERR_CONFIG_UNREAD;
  sc_buffer_init(&opened, g->config->env);
  sc_status status = open_stored(&opened, &form, &fresh, g, incoming->stored);
  const size_t made = opened.capacity;
  if (status == SC_OK)
    status = form == SC_CONFIG_PART ? read_part(g, sc_buffer_bytes(&opened), incoming->hash, fresh)
                                    : read_message(g, &opened, &incoming->hash, 1, fresh);
  if (status != SC_OK)
    count_refusal(g, made);
  sc_buffer_free(&opened);
  return status;
}

static sc_status read_all(sc_config_gathering *g) {
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

/* The greatest seqno of the messages that were read; less than any when there is none. */
static int64_t newest(const sc_config_gathering *g) {
  int64_t greatest = INT64_MIN;
  for (size_t i = 0; i < g->count; i++)
    if (g->messages[i]->seqno > greatest)
      greatest = g->messages[i]->seqno;
  return greatest;
}

/* add_mine places our own message. An unsigned one that we cannot sign loses to signed ones: it counts only
 * if it is ahead of all others. */
sc_status sc_config_gather(sc_config_gathering *g) {
  const sc_config *config = g->config;
  bool unsigned_one = sc_config_is_unsigned(config);
  bool goes_first = config->now.current.count > 0 && !unsigned_one;
  sc_status status = allocate(g);
  g->mine = SIZE_MAX;
  if (status == SC_OK && goes_first)
    status = add_mine(g);
  if (status == SC_OK)
    status = read_all(g);
  g->gave_way = unsigned_one && newest(g) >= config->now.message->seqno;
  if (status == SC_OK && !goes_first && !g->gave_way)
    status = add_mine(g);
  return status;
}
