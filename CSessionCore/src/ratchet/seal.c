/* Everything that can fail comes before the first step of a session, so that a message is made as a whole or
 * not at all. The payload is sealed before the slots, for they are bound to it. */
#include "seal.h"

#include "../base/draws.h"
#include "../base/little.h"
#include "session-core/base/secret.h"
#include "session-core/ratchet/body.h"
#include "session_object.h"
#include "wire.h"

enum {
  slots_step = 4,
  size_step = 256,
  short_slots = 1,
  long_slots = 2,
};

/* One message in the making. */
typedef struct sealing {
  const sc_env *env;
  sc_ratchet_session *const *sessions;
  size_t session_count;
  sc_bytes body;
  bool long_slots;
  size_t slot_count;
  size_t size;
  uint8_t places[SC_RATCHET_MAX_SLOTS];
  uint8_t ephemeral_secret[SC_KEY_BYTES];
  uint8_t agreed[SC_RATCHET_MAX_SLOTS][SC_KEY_BYTES]; /* with the device of each pending session */
  uint8_t payload_key[SC_KEY_BYTES];
  uint8_t digest[sc_ratchet_hash_bytes];
  uint8_t *message;
} sealing;

static sc_status check_sessions(const sealing *s) {
  if (s->session_count == 0)
    return SC_ERR_ARGUMENT;
  if (s->session_count > SC_RATCHET_MAX_SLOTS)
    return SC_ERR_TOO_LARGE;
  for (size_t i = 0; i < s->session_count; i++) {
    for (size_t j = 0; j < i; j++)
      if (s->sessions[i] == s->sessions[j])
        return SC_ERR_ARGUMENT;
    if (!sc_ratchet_session_can_send(s->sessions[i]))
      return SC_ERR_RATCHET_CLOSED;
  }
  return SC_OK;
}

static sc_status lay_out(sealing *s) {
  for (size_t i = 0; i < s->session_count; i++)
    s->long_slots |= sc_ratchet_session_is_pending(s->sessions[i]);
  s->slot_count = (s->session_count + slots_step - 1) / slots_step * slots_step;
  const size_t around =
      sc_ratchet_head_bytes + s->slot_count * sc_ratchet_slot_size(s->long_slots) + SC_AEAD_TAG_BYTES;
  if (s->body.len > SC_RATCHET_MAX_MESSAGE_BYTES - around)
    return SC_ERR_TOO_LARGE;
  s->size = (around + s->body.len + size_step - 1) / size_step * size_step;
  if (s->size < SC_RATCHET_MIN_MESSAGE_BYTES)
    s->size = SC_RATCHET_MIN_MESSAGE_BYTES;
  return s->size <= SC_RATCHET_MAX_MESSAGE_BYTES ? SC_OK : SC_ERR_TOO_LARGE;
}

static sc_status take_places(sealing *s, const uint8_t *places) {
  uint32_t taken = 0;
  for (size_t i = 0; i < s->session_count; i++) {
    if (places[i] >= s->slot_count || (taken >> places[i] & 1) != 0)
      return SC_ERR_ARGUMENT;
    taken |= (uint32_t)1 << places[i];
    s->places[i] = places[i];
  }
  return SC_OK;
}

/* A random order of all slots, of which the sessions have the first. */
static void draw_places(sealing *s) {
  uint8_t order[SC_RATCHET_MAX_SLOTS];
  sc_draws draws;
  sc_draws_init(&draws, s->env, s->session_count);
  for (size_t i = 0; i < s->slot_count; i++)
    order[i] = (uint8_t)i;
  for (size_t i = 0; i < s->session_count; i++) {
    size_t other = i + sc_draws_below(&draws, (uint32_t)(s->slot_count - i));
    s->places[i] = order[other];
    order[other] = order[i];
  }
}

static void write_head(sealing *s) {
  const uint8_t head[] = {0x00, 0xd1, s->long_slots ? long_slots : short_slots, (uint8_t)s->slot_count};
  memcpy(s->message, head, sizeof head);
  sc_random(s->env, s->ephemeral_secret, SC_KEY_BYTES);
  if (s->long_slots) {
    sc_x25519_pair pair;
    sc_x25519_pair_from_secret(&pair, s->ephemeral_secret);
    memcpy(s->message + sc_ratchet_ephemeral_at, pair.public_key, SC_KEY_BYTES);
    sc_x25519_pair_wipe(&pair);
  } else {
    memcpy(s->message + sc_ratchet_ephemeral_at, s->ephemeral_secret, SC_KEY_BYTES);
  }
}

/* The devices that have not answered find their slot by agreement. */
static sc_status agree(sealing *s) {
  for (size_t i = 0; i < s->session_count; i++) {
    const sc_ratchet_state *state = &s->sessions[i]->state;
    uint8_t identity[SC_KEY_BYTES];
    if (!sc_ratchet_state_has(state, sc_ratchet_pending))
      continue;
    sc_status status = sc_x25519_from_ed25519(identity, SC_BYTES(state->device));
    if (status == SC_OK)
      status = sc_x25519(s->agreed[i], s->ephemeral_secret, identity);
    if (status != SC_OK)
      return status;
  }
  return SC_OK;
}

static sc_status seal_payload(sealing *s) {
  const size_t at = sc_ratchet_head_bytes + s->slot_count * sc_ratchet_slot_size(s->long_slots);
  const size_t padded_len = s->size - at - SC_AEAD_TAG_BYTES;
  sc_buffer padded;
  uint8_t *space;
  sc_buffer_init(&padded, s->env);
  sc_status status = sc_buffer_extend(&space, &padded, padded_len);
  if (status == SC_OK) {
    sc_ratchet_payload_keys keys;
    memset(space, 0, padded_len);
    memcpy(space, s->body.ptr, s->body.len);
    sc_random(s->env, s->payload_key, SC_KEY_BYTES);
    sc_ratchet_payload(&keys, s->payload_key);
    memcpy(s->message + sc_ratchet_commitment_at, keys.commitment, sizeof keys.commitment);
    const sc_bytes head = sc_bytes_make(s->message, sc_ratchet_head_bytes);
    sc_ratchet_encrypt(s->message + at, keys.cipher.key, keys.cipher.nonce, head, sc_buffer_bytes(&padded));
    sc_ratchet_digest(s->digest, head, sc_bytes_make(s->message + at, padded_len + SC_AEAD_TAG_BYTES));
    sc_wipe(&keys, sizeof keys);
  }
  sc_buffer_free(&padded);
  return status;
}

static const uint8_t *own_key(sc_ratchet_session *session) {
  if (!session->has_own_key) {
    sc_x25519_pair pair;
    sc_x25519_pair_from_secret(&pair, session->state.own_secret);
    memcpy(session->own_key, pair.public_key, SC_KEY_BYTES);
    session->has_own_key = true;
    sc_x25519_pair_wipe(&pair);
  }
  return session->own_key;
}

/* Steps the session, and writes what is for its device behind the nonce, which is already there. */
static void write_letter(const sc_ratchet_letter *letter, uint8_t *at, sc_ratchet_session *session,
                         const sealing *s) {
  sc_ratchet_state *state = &session->state;
  uint8_t header[sc_ratchet_header_bytes], message_key[SC_KEY_BYTES];
  sc_ratchet_cipher_key cipher;
  memcpy(header, own_key(session), SC_KEY_BYTES);
  sc_store_u32(header + SC_KEY_BYTES, state->previous);
  sc_store_u32(header + SC_KEY_BYTES + 4, state->sent++);
  sc_ratchet_chain_step(state->chain_s, message_key);
  const sc_ratchet_associated associated = sc_ratchet_header_associated(state->transcript, s->digest);
  sc_ratchet_encrypt(at + SC_XCHACHA_NONCE_BYTES, state->header_s, letter->nonce,
                     sc_bytes_make(associated.bytes, associated.len), SC_BYTES(header));
  const sc_ratchet_associated with_header = sc_ratchet_key_associated(state->transcript, letter, s->digest);
  sc_ratchet_message_key(&cipher, message_key, letter->nonce);
  sc_ratchet_encrypt(at + SC_XCHACHA_NONCE_BYTES + sc_ratchet_sealed_header_bytes, cipher.key, cipher.nonce,
                     sc_bytes_make(with_header.bytes, with_header.len), SC_BYTES(s->payload_key));
  sc_wipe(header, sizeof header);
  sc_wipe(message_key, sizeof message_key);
  sc_wipe(&cipher, sizeof cipher);
}

/* The start of a session, masked: the same in all its messages, and no two alike. */
static void write_start(uint8_t *at, const sc_ratchet_state *state, const sealing *s, size_t i) {
  uint8_t start[sc_ratchet_start_bytes];
  sc_ratchet_mask mask;
  sc_store_u32(start, state->generation);
  sc_store_u16(start + sc_ratchet_start_one_time_at, state->one_time);
  sc_store_u32(start + sc_ratchet_start_time_at, (uint32_t)state->started_s);
  memcpy(start + sc_ratchet_start_key_at, state->start_key, SC_KEY_BYTES);
  memcpy(start + sc_ratchet_start_ciphertext_at, state->ciphertext, sizeof state->ciphertext);
  memcpy(start + sc_ratchet_start_identity_at, state->identity, sizeof state->identity);
  sc_ratchet_slot_mask(&mask, s->message + sc_ratchet_ephemeral_at, s->agreed[i], s->places[i],
                       state->device);
  memcpy(at, mask.tag, sizeof mask.tag);
  sc_ratchet_mask_apply(at + sizeof mask.tag, SC_BYTES(start), &mask.cipher);
  sc_wipe(&mask, sizeof mask);
}

static void write_tag(uint8_t *at, const sc_ratchet_state *state, const sealing *s) {
  uint8_t tag_key[SC_RATCHET_TAG_KEY_BYTES];
  sc_ratchet_tag_key(tag_key, state->header_s);
  sc_ratchet_tag(at, tag_key, s->message + sc_ratchet_ephemeral_at);
  sc_wipe(tag_key, sizeof tag_key);
}

static void write_slot(uint8_t *slot, const sealing *s, size_t i) {
  sc_ratchet_session *session = s->sessions[i];
  uint8_t *letter_at = slot + sc_ratchet_slot_size(s->long_slots) - sc_ratchet_letter_bytes;
  const sc_ratchet_letter letter = {letter_at, letter_at + SC_XCHACHA_NONCE_BYTES,
                                    letter_at + SC_XCHACHA_NONCE_BYTES + sc_ratchet_sealed_header_bytes};
  sc_random(s->env, letter_at, SC_XCHACHA_NONCE_BYTES);
  if (sc_ratchet_session_is_pending(session)) {
    write_start(slot, &session->state, s, i);
  } else {
    write_tag(slot, &session->state, s);
    if (s->long_slots)
      sc_random(s->env, slot + sc_ratchet_tag_bytes, sc_ratchet_start_bytes);
  }
  write_letter(&letter, letter_at, session, s);
}

static void write_slots(const sealing *s) {
  const size_t size = sc_ratchet_slot_size(s->long_slots);
  uint32_t taken = 0;
  for (size_t i = 0; i < s->session_count; i++) {
    write_slot(s->message + sc_ratchet_head_bytes + s->places[i] * size, s, i);
    taken |= (uint32_t)1 << s->places[i];
  }
  for (size_t i = 0; i < s->slot_count; i++)
    if ((taken >> i & 1) == 0)
      sc_random(s->env, s->message + sc_ratchet_head_bytes + i * size, size);
}

static sc_status seal(sealing *s, sc_buffer *out) {
  sc_status status = sc_buffer_extend(&s->message, out, s->size);
  if (status != SC_OK)
    return status;
  write_head(s);
  status = agree(s);
  if (status == SC_OK)
    status = seal_payload(s);
  if (status == SC_OK)
    write_slots(s);
  return status;
}

sc_status sc_ratchet_seal_any(sc_buffer *out, const sc_env *env, sc_ratchet_session *const *sessions,
                              size_t session_count, sc_bytes body, const uint8_t *places) {
  sc_buffer_clear(out);
  sealing s = {.env = env, .sessions = sessions, .session_count = session_count, .body = body};
  sc_status status = check_sessions(&s);
  if (status == SC_OK)
    status = lay_out(&s);
  if (status == SC_OK && places != NULL)
    status = take_places(&s, places);
  else if (status == SC_OK)
    draw_places(&s);
  if (status == SC_OK)
    status = seal(&s, out);
  if (status != SC_OK)
    sc_buffer_clear(out);
  sc_wipe(&s, sizeof s);
  return status;
}

sc_status sc_ratchet_seal(sc_buffer *out, const sc_env *env, sc_ratchet_session *const *sessions,
                          size_t session_count, sc_bytes body, const uint8_t *places) {
  sc_ratchet_body readable;
  sc_status status = sc_ratchet_body_read(&readable, body);
  if (status == SC_OK)
    return sc_ratchet_seal_any(out, env, sessions, session_count, body, places);
  sc_buffer_clear(out);
  return status;
}
