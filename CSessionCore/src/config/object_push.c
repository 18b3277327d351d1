#include "envelope.h"
#include "hashes.h"
#include "multipart.h"
#include "state.h"

void sc_config_outgoing_init(sc_config_outgoing *outgoing, const sc_env *env) {
  *outgoing = (sc_config_outgoing){0};
  sc_config_stored_init(&outgoing->messages, env);
  sc_config_hashes_init(&outgoing->obsolete, env);
}

static void clear(sc_config_outgoing *outgoing) {
  outgoing->seqno = 0;
  sc_buffer_clear(&outgoing->messages.bytes);
  sc_config_hashes_clear(&outgoing->obsolete);
}

void sc_config_outgoing_free(sc_config_outgoing *outgoing) {
  sc_config_stored_free(&outgoing->messages);
  sc_config_hashes_free(&outgoing->obsolete);
  outgoing->seqno = 0;
}

static sc_status seal(sc_config_stored *out, const sc_config *config, const sc_config_message *message) {
  sc_config_rules rules = sc_config_rules_of(config);
  sc_config_envelope envelope = sc_config_envelope_of(config);
  sc_bytes first_key = sc_config_key(config, 0);
  sc_buffer bytes;
  sc_buffer_init(&bytes, config->env);
  envelope.keys = &first_key;
  envelope.key_count = 1;
  sc_status status = sc_config_message_write(&bytes, message, &rules);
  if (status == SC_OK)
    status = sc_config_seal(out, &envelope, message->seqno, sc_buffer_bytes(&bytes));
  sc_buffer_free(&bytes);
  return status;
}

/* Own parts need not be read when they come back. */
static sc_status remember_parts(sc_config *config, const sc_config_stored *stored, uint64_t wall_ms) {
  if (sc_config_stored_count(stored) < 2)
    return SC_OK;
  sc_status status = sc_config_parts_mark_done(config->now.parts, stored->set, wall_ms);
  if (status == SC_OK)
    config->now.needs_dump = true;
  return status;
}

static void wait(sc_config *config) {
  sc_config_message *published = config->now.frozen;
  config->now.frozen = NULL;
  sc_config_take_message(config, published);
  sc_config_enter(config, SC_CONFIG_WAITING);
}

/* They are the caller's affair from now on; one that is read only has none to delete. */
static void hand_over_old(sc_config_hashes *out, sc_config *config) {
  config->now.needs_dump = config->now.needs_dump || config->now.old.count > 0;
  if (sc_config_is_read_only(config)) {
    sc_config_hashes_clear(&config->now.old);
    return;
  }
  sc_config_hashes_free(out);
  *out = config->now.old;
  sc_config_hashes_init(&config->now.old, config->env);
}

static sc_status publish(sc_config_outgoing *out, sc_config *config, uint64_t wall_ms) {
  const sc_config_message *message;
  sc_status status = sc_config_published(&message, config);
  if (status == SC_OK)
    status = seal(&out->messages, config, message);
  if (status == SC_OK)
    status = remember_parts(config, &out->messages, wall_ms);
  if (status == SC_OK)
    out->seqno = message->seqno;
  return status;
}

static sc_status push_as_it_is(sc_config_outgoing *out, sc_config *config, uint64_t wall_ms) {
  sc_status status = publish(out, config, wall_ms);
  if (status != SC_OK) {
    clear(out);
    return status;
  }
  if (config->now.state == SC_CONFIG_DIRTY)
    wait(config);
  if (config->now.state == SC_CONFIG_WAITING)
    config->now.fresh = true; /* when it is confirmed */
  hand_over_old(&out->obsolete, config);
  return SC_OK;
}

static bool same_data(const sc_config_standing *a, const sc_config_standing *b) {
  return a->message->data == b->message->data && a->archive == b->archive;
}

/* With the kind's last edits, if there are any. */
static sc_status push_edited(sc_config_outgoing *out, sc_config *config, uint64_t wall_ms) {
  sc_config_standing edited;
  sc_config_standing before = config->now;
  sc_status status = sc_config_standing_fork(&edited, &before, config->env);
  if (status != SC_OK)
    return status;
  config->now = edited;
  status = config->type->before_push(config->object, wall_ms);
  bool as_before = status == SC_OK && same_data(&config->now, &before);
  if (status == SC_OK && !as_before)
    status = push_as_it_is(out, config, wall_ms);
  edited = config->now;
  config->now = status == SC_OK && !as_before ? edited : before;
  sc_config_standing_give_up(config->now.message == before.message ? &edited : &before, &config->now);
  return as_before ? push_as_it_is(out, config, wall_ms) : status;
}

static bool has_last_edits(const sc_config *config) {
  const sc_config_type *type = config->type;
  bool also_clean = type->edits_clean != NULL && type->edits_clean(config->object);
  return type->before_push != NULL && (also_clean || config->now.state != SC_CONFIG_CLEAN);
}

sc_status sc_config_push(sc_config_outgoing *out, sc_config *config, uint64_t wall_ms) {
  clear(out);
  if (config->type->local)
    return SC_OK;
  if (sc_config_is_read_only(config) && !config->now.message->has_signature)
    return SC_ERR_CONFIG_READ_ONLY;
  if (sc_config_key_count(config) == 0)
    return SC_ERR_CONFIG_KEYLESS;
  return has_last_edits(config) ? push_edited(out, config, wall_ms) : push_as_it_is(out, config, wall_ms);
}

sc_status sc_config_close_merge(sc_config *config) {
  const sc_config_message *published;
  if (config->now.state != SC_CONFIG_DIRTY || !config->now.message->restates)
    return SC_OK;
  sc_status status = sc_config_published(&published, config);
  if (status == SC_OK)
    wait(config);
  return status;
}

static sc_status list(sc_config_hashes *out, const sc_bytes *hashes, size_t count) {
  sc_status status = count == 0 ? SC_ERR_ARGUMENT : SC_OK;
  for (size_t i = 0; i < count && status == SC_OK; i++)
    status = sc_config_hashes_add(out, hashes[i]);
  return status;
}

/* Marks messages of earlier revisions as obsolete. A whole message becomes obsolete when it comes back, but
 * own parts are not read again, so they are marked now. */
static sc_status forget_earlier(sc_config *config, sc_config_hashes *stored) {
  sc_config_hashes *old = &config->now.old;
  if (stored->count < 2)
    return SC_OK;
  sc_config_hashes_subtract(stored, &config->now.current);
  sc_config_hashes_subtract(stored, old);
  sc_status status = sc_config_hashes_reserve(old, stored->count);
  if (status != SC_OK || stored->count == 0)
    return status;
  sc_config_hashes_move(old, stored);
  config->now.needs_dump = true;
  return SC_OK;
}

static sc_status settle_push(sc_config *config, int64_t seqno, sc_config_hashes *stored) {
  sc_config_standing *now = &config->now;
  if (seqno < now->message->seqno)
    return forget_earlier(config, stored);
  if (now->state != SC_CONFIG_WAITING || seqno > now->message->seqno)
    return SC_OK;
  sc_config_hashes before = now->current;
  now->current = *stored;
  *stored = before;
  sc_config_hashes_subtract(&now->old, &now->current);
  sc_config_enter(config, SC_CONFIG_CLEAN);
  return SC_OK;
}

sc_status sc_config_confirm(sc_config *config, int64_t seqno, const sc_bytes *hashes, size_t count) {
  sc_config_hashes confirmed;
  sc_config_hashes_init(&confirmed, config->env);
  sc_status status = list(&confirmed, hashes, count);
  if (status == SC_OK && !sc_config_is_read_only(config))
    status = settle_push(config, seqno, &confirmed);
  sc_config_hashes_free(&confirmed);
  return status;
}

sc_status sc_config_active_hashes(sc_config_hashes *out, const sc_config *config, uint64_t wall_ms) {
  sc_config_part_cursor cursor = {0};
  sc_bytes hash;
  sc_status status = sc_config_hashes_copy(out, &config->now.current);
  while (status == SC_OK && sc_config_parts_next_hash(&hash, &cursor, config->now.parts, wall_ms))
    status = sc_config_hashes_add(out, hash);
  if (status != SC_OK)
    sc_config_hashes_clear(out);
  return status;
}

void sc_config_take_old_hashes(sc_config_hashes *out, sc_config *config) {
  sc_config_hashes_clear(out);
  if (!sc_config_needs_push(config))
    hand_over_old(out, config);
}
