/* The messages of the ratchet's vectors: sealed, opened and refused in their order. */
#include "ratchet/session_object.h"
#include "ratchet/wire.h"
#include "ratchet_world.h"

static ratchet_actor *actor_of(ratchet_world *world, known_case *c) {
  ratchet_actor *actor = ratchet_actor_named(world, known_text(c, "device"));
  if (actor == NULL)
    known_differs(c, "there is no such device");
  return actor;
}

/* The recorded message of the step with this name. */
static sc_bytes message_of(ratchet_world *world, known_case *c) {
  const sc_json *steps = vector_member(world->document, "messages");
  const sc_bytes name = known_text(c, "of");
  for (size_t i = 0; i < sc_json_count(steps); i++) {
    const sc_json *step = vector_element(steps, i);
    sc_bytes full;
    if (!vector_says(step, "op", "seal") || sc_json_member_string(&full, step, "name") != SC_OK ||
        full.len < name.len || memcmp(full.ptr, name.ptr, name.len) != 0 ||
        (full.len > name.len && full.ptr[name.len] != ' '))
      continue;
    return known_hex_of(c, vector_member(step, "wire"));
  }
  known_differs(c, "there is no such message");
  return sc_bytes_text("");
}

static void same_state(known_case *c, const sc_json *recorded, const sc_ratchet_session *session) {
  sc_buffer *state = known_buffer(c);
  if (sc_ratchet_session_save(state, session) != SC_OK ||
      !sc_bytes_same(known_hex_of(c, recorded), sc_buffer_bytes(state)))
    known_differs(c, "the state is another one");
  sc_ratchet_session *loaded;
  if (sc_ratchet_session_load(&loaded, known_env(c), sc_buffer_bytes(state), NULL, 0) != SC_OK)
    known_differs(c, "the state cannot be loaded");
  else if (memcmp(&loaded->state, &session->state, sizeof loaded->state) != 0)
    known_differs(c, "the state is loaded as another one");
  sc_ratchet_session_free(loaded);
}

/* Compares the contents of a slot, from the state before the step; the recorded slot is `c`. */
static void compare_slot(ratchet_world *world, known_case *c, const sc_ratchet_envelope *envelope,
                         sc_ratchet_state *before, const uint8_t payload_key[32]) {
  const size_t slot = (size_t)known_unsigned(c, "slot");
  if (slot >= envelope->slot_count) {
    known_differs(c, "there is no such slot");
    return;
  }
  const uint8_t *ephemeral = sc_ratchet_ephemeral(envelope);
  uint8_t message_key[32], tag_key[16], tag[4], agreed[32];
  known_same(c, "hn", sc_bytes_make(sc_ratchet_letter_in(envelope, slot).nonce, 24));
  known_same_integer(c, "N", before->sent);
  sc_ratchet_chain_step(before->chain_s, message_key);
  known_same(c, "mk", SC_BYTES(message_key));
  known_same(c, "PH", SC_BYTES(envelope->digest));
  known_same(c, "payload_key", sc_bytes_make(payload_key, 32));
  if (!sc_ratchet_state_has(before, sc_ratchet_pending)) {
    sc_ratchet_tag_key(tag_key, before->header_s);
    sc_ratchet_tag(tag, tag_key, ephemeral);
    known_same(c, "tag", SC_BYTES(tag));
    if (memcmp(tag, sc_ratchet_slot(envelope, slot), sizeof tag) != 0)
      known_differs(c, "the slot has another tag");
    return;
  }
  ratchet_actor *to = ratchet_actor_with(world, known_hex(c, "to"));
  sc_ratchet_mask mask;
  if (to == NULL || sc_x25519(agreed, to->device.keys.x.secret, ephemeral) != SC_OK) {
    known_differs(c, "the recipient cannot agree on a mask");
    return;
  }
  sc_ratchet_slot_mask(&mask, ephemeral, agreed, (uint8_t)slot, to->device.keys.ed.public_key);
  known_same(c, "tag", SC_BYTES(mask.tag));
  known_same(c, "prekey_mask_key", SC_BYTES(mask.cipher.key));
  known_same(c, "prekey_mask_nonce", SC_BYTES(mask.cipher.nonce));
}

typedef struct sealed_step {
  sc_ratchet_session *sessions[SC_RATCHET_MAX_SLOTS];
  sc_ratchet_state before[SC_RATCHET_MAX_SLOTS];
  uint8_t places[SC_RATCHET_MAX_SLOTS];
  size_t count;
  uint8_t drawn[64]; /* the ephemeral, then the payload key */
} sealed_step;

static bool prepare(sealed_step *out, known_case *c, const ratchet_actor *from) {
  const sc_json *step = c->json, *slots = vector_member(step, "slots");
  out->count = sc_json_count(slots);
  if (out->count > SC_RATCHET_MAX_SLOTS)
    return false;
  for (size_t i = 0; i < out->count; i++) {
    c->json = vector_element(slots, i);
    out->places[i] = (uint8_t)known_unsigned(c, "slot");
    out->sessions[i] = ratchet_session_with(from, known_hex(c, "to"));
    if (out->sessions[i] == NULL)
      return false;
    out->before[i] = out->sessions[i]->state;
  }
  c->json = step;
  ratchet_peek(from, out->drawn, sizeof out->drawn);
  return true;
}

static sc_status seal(ratchet_world *world, known_case *c) {
  static sealed_step sealed;
  const sc_json *step = c->json;
  ratchet_actor *from = actor_of(world, c);
  if (from == NULL || !prepare(&sealed, c, from)) {
    known_differs(c, "there is no session to seal with");
    return SC_OK;
  }
  sc_buffer *out = known_buffer(c);
  sc_status status =
      sc_ratchet_seal(out, &from->env, sealed.sessions, sealed.count, known_hex(c, "body"), sealed.places);
  if (status != SC_OK)
    return status;
  known_same(c, "wire", sc_buffer_bytes(out));
  known_same_integer(c, "wire_len", (int64_t)out->len);
  sc_ratchet_envelope envelope;
  status = sc_ratchet_envelope_parse(&envelope, sc_buffer_bytes(out));
  if (status != SC_OK)
    return status;
  known_same_integer(c, "kind", envelope.has_starts ? 2 : 1);
  const sc_json *slots = vector_member(step, "slots"), *states = vector_member(step, "state_after_send");
  for (size_t i = 0; i < sealed.count; i++) {
    same_state(c, vector_element(states, i), sealed.sessions[i]);
    c->json = vector_element(slots, i);
    compare_slot(world, c, &envelope, &sealed.before[i], sealed.drawn + 32);
    c->json = step;
  }
  return SC_OK;
}

static void compare_skipped(known_case *c, const sc_ratchet_session *session) {
  const sc_json *step = c->json, *recorded = vector_member(step, "skipped");
  size_t count;
  const sc_ratchet_skipped *skipped = sc_ratchet_session_skipped(session, &count);
  if (count != sc_json_count(recorded))
    known_differs(c, "%zu keys are skipped, recorded are %zu", count, sc_json_count(recorded));
  for (size_t i = 0; i < count && i < sc_json_count(recorded); i++) {
    c->json = vector_element(recorded, i);
    known_same(c, "hk", SC_BYTES(skipped[i].header_key));
    known_same_integer(c, "n", skipped[i].number);
    known_same(c, "mk", SC_BYTES(skipped[i].message_key));
  }
  c->json = step;
}

static sc_status open_message(ratchet_world *world, known_case *c) {
  ratchet_actor *reader = actor_of(world, c);
  const sc_bytes message = message_of(world, c);
  if (reader == NULL)
    return SC_OK;
  ratchet_outcome outcome;
  sc_buffer *body = known_buffer(c);
  sc_status status = ratchet_receive(&outcome, body, world, reader, message);
  if (status != SC_OK)
    return status;
  known_same(c, "opens", sc_buffer_bytes(body));
  known_same_flag(c, "starts_session", outcome.starts_session);
  known_same_id(c, "sender_session_id", sc_ratchet_session_peer(outcome.session));
  known_same(c, "sender_device", sc_bytes_make(sc_ratchet_session_device(outcome.session), 32));
  same_state(c, vector_member(c->json, "state_after"), outcome.session);
  compare_skipped(c, outcome.session);
  return SC_OK;
}

/* Random bytes that were drawn for a refused message are given back, and its reader has not changed. */
static sc_status refuse(ratchet_world *world, known_case *c) {
  ratchet_actor *reader = actor_of(world, c);
  const sc_bytes message = message_of(world, c);
  if (reader == NULL)
    return SC_OK;
  const bool session_is_gone = vector_says(c->json, "reason", "replayed EK");
  const bool is_old = vector_says(c->json, "reason", "old message");
  const size_t session_count = reader->session_count;
  const sc_keccak stream = reader->stream;
  ratchet_outcome outcome;
  sc_buffer *body = known_buffer(c);
  if (session_is_gone)
    reader->session_count = 0;
  sc_status status = ratchet_receive(&outcome, body, world, reader, message);
  if (session_is_gone)
    reader->session_count = session_count;
  reader->stream = stream;
  if ((session_is_gone || is_old) && status != SC_ERR_RATCHET_DUPLICATE)
    known_differs(c, "refused with %s", sc_status_name(status));
  return status;
}

void ratchet_run_messages(ratchet_world *world) {
  const sc_json *steps = vector_member(world->document, "messages");
  for (size_t i = 0; i < sc_json_count(steps); i++) {
    const sc_json *step = vector_element(steps, i);
    known_case c;
    sc_status status = SC_OK;
    known_case_begin(&c, step, !vector_says(step, "op", "refuse"));
    if (vector_says(step, "op", "seal"))
      status = seal(world, &c);
    else if (vector_says(step, "op", "open"))
      status = open_message(world, &c);
    else if (vector_says(step, "op", "refuse"))
      status = refuse(world, &c);
    else
      known_differs(&c, "unknown kind of step");
    vector_report_case(world->report, "messages", &c, status);
  }
}
