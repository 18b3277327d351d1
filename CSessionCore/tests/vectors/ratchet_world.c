#include "ratchet_world.h"

#include <stdio.h>

static void draw(void *user, uint8_t *out, size_t len) {
  ratchet_actor *actor = user;
  sc_keccak_squeeze(&actor->stream, out, len);
}

/* The environment points to its actor: the world does not move. */
static void begin_stream(ratchet_actor *actor, sc_bytes name) {
  actor->env = *sc_env_default();
  actor->env.user = actor;
  actor->env.random = draw;
  sc_keccak_init(&actor->stream, SC_SHAKE256);
  sc_keccak_absorb(&actor->stream, sc_bytes_text("SR1 vectors/"));
  sc_keccak_absorb(&actor->stream, name);
  sc_keccak_finish(&actor->stream);
}

void ratchet_actor_make(ratchet_actor *out, sc_bytes name, sc_bytes account_seed, size_t one_time_count,
                        uint64_t created_s, uint8_t device_seed[SC_KEY_BYTES]) {
  memset(out, 0, sizeof *out);
  snprintf(out->name, sizeof out->name, "%.*s", (int)name.len, (const char *)name.ptr);
  begin_stream(out, name);
  uint8_t seed[SC_SEED_BYTES] = {0};
  memcpy(seed, account_seed.ptr, account_seed.len < sizeof seed ? account_seed.len : sizeof seed);
  sc_account_from_seed(&out->account, seed);
  sc_random(&out->env, device_seed, SC_KEY_BYTES);
  sc_ratchet_device_make(&out->device, &out->account, device_seed, created_s);
  sc_ratchet_prekeys_generate(&out->prekeys, &out->env, 1, one_time_count);
}

ratchet_actor *ratchet_actor_named(ratchet_world *world, sc_bytes name) {
  for (size_t i = 0; i < world->actor_count; i++)
    if (sc_bytes_same(sc_bytes_text(world->actors[i].name), name))
      return &world->actors[i];
  return NULL;
}

ratchet_actor *ratchet_actor_with(ratchet_world *world, sc_bytes device) {
  for (size_t i = 0; i < world->actor_count; i++)
    if (sc_bytes_same(SC_BYTES(world->actors[i].device.keys.ed.public_key), device))
      return &world->actors[i];
  return NULL;
}

sc_ratchet_session *ratchet_session_with(const ratchet_actor *actor, sc_bytes device) {
  for (size_t i = actor->session_count; i-- > 0;)
    if (sc_bytes_same(sc_bytes_make(sc_ratchet_session_device(actor->sessions[i]), SC_KEY_BYTES), device))
      return actor->sessions[i];
  return NULL;
}

void ratchet_peek(const ratchet_actor *actor, uint8_t *out, size_t len) {
  sc_keccak copy = actor->stream;
  sc_keccak_squeeze(&copy, out, len);
}

bool ratchet_keep_session(ratchet_actor *actor, sc_ratchet_session *session) {
  if (actor->session_count == ratchet_most_kept) {
    sc_ratchet_session_free(session);
    return false;
  }
  actor->sessions[actor->session_count++] = session;
  return true;
}

static bool was_opened(const ratchet_actor *actor, const sc_ratchet_envelope *envelope) {
  for (size_t i = 0; i < actor->mark_count; i++)
    if (memcmp(actor->marks[i], envelope->digest, SC_RATCHET_MARK_BYTES) == 0)
      return true;
  return false;
}

static bool was_started(const ratchet_actor *actor, const sc_ratchet_start *start) {
  for (size_t i = 0; i < actor->start_count; i++)
    if (memcmp(actor->starts[i], start->start_key, SC_KEY_BYTES) == 0)
      return true;
  return false;
}

static sc_ratchet_session *session_started_by(const ratchet_actor *actor, const sc_ratchet_start *start) {
  for (size_t i = 0; i < actor->session_count; i++)
    if (memcmp(sc_ratchet_session_start_key(actor->sessions[i]), start->start_key, SC_KEY_BYTES) == 0)
      return actor->sessions[i];
  return NULL;
}

static sc_status receive_start(ratchet_outcome *out, sc_buffer *body, ratchet_actor *reader,
                               const sc_ratchet_envelope *envelope, const sc_ratchet_start *start,
                               const sc_ratchet_open_options *options) {
  sc_ratchet_session *session = session_started_by(reader, start);
  if (session != NULL) {
    sc_status status = sc_ratchet_open_slot(body, &reader->env, envelope, start->slot, session, options);
    out->session = status == SC_OK ? session : NULL;
    return status;
  }
  if (was_started(reader, start))
    return SC_ERR_RATCHET_DUPLICATE;
  sc_ratchet_certificate sender;
  const sc_ratchet_prekeys *prekeys =
      start->generation == reader->prekeys.generation ? &reader->prekeys : NULL;
  sc_status status = sc_ratchet_open_start(body, &session, &sender, &reader->env, envelope, start,
                                           &reader->device, prekeys, options);
  if (status != SC_OK)
    return status;
  if (!ratchet_keep_session(reader, session) || reader->start_count == ratchet_most_kept)
    return SC_ERR_TOO_LARGE;
  memcpy(reader->starts[reader->start_count++], start->start_key, SC_KEY_BYTES);
  out->session = session;
  out->starts_session = true;
  return SC_OK;
}

static sc_status receive_starts(ratchet_outcome *out, sc_buffer *body, ratchet_actor *reader,
                                const sc_ratchet_envelope *envelope, const sc_ratchet_open_options *options,
                                sc_status before) {
  sc_ratchet_start starts[SC_RATCHET_MAX_SLOTS];
  size_t count;
  sc_status status = sc_ratchet_starts(starts, &count, envelope, &reader->device);
  if (status != SC_OK)
    return status;
  status = before;
  for (size_t i = 0; i < count; i++) {
    status = receive_start(out, body, reader, envelope, &starts[i], options);
    if (status == SC_OK)
      break;
  }
  return status;
}

sc_status ratchet_receive(ratchet_outcome *out, sc_buffer *body, ratchet_world *world, ratchet_actor *reader,
                          sc_bytes message) {
  sc_ratchet_envelope envelope;
  *out = (ratchet_outcome){.reader = reader};
  sc_status status = sc_ratchet_envelope_parse(&envelope, message);
  if (status != SC_OK)
    return status;
  const sc_ratchet_open_options options = {.now_s = world->now_s,
                                           .was_opened = was_opened(reader, &envelope)};
  size_t index;
  status = sc_ratchet_open(body, &index, &reader->env, &envelope, reader->sessions, reader->session_count,
                           &options);
  if (status == SC_OK)
    out->session = reader->sessions[index];
  else if (status == SC_ERR_RATCHET_OTHER || status == SC_ERR_RATCHET_DAMAGED)
    status = receive_starts(out, body, reader, &envelope, &options, status);
  if (status == SC_OK && reader->mark_count < ratchet_most_kept)
    memcpy(reader->marks[reader->mark_count++], envelope.digest, SC_RATCHET_MARK_BYTES);
  return status;
}

void ratchet_world_free(ratchet_world *world) {
  for (size_t i = 0; i < world->actor_count; i++) {
    ratchet_actor *actor = &world->actors[i];
    for (size_t j = 0; j < actor->session_count; j++)
      sc_ratchet_session_free(actor->sessions[j]);
    actor->session_count = 0;
  }
}
