/* The initiator's side of a start; the responder's is in respond.c. */
#include "agreement.h"
#include "session-core/base/secret.h"
#include "session_object.h"

/* The initiator's random secrets, drawn in this order. */
typedef struct draws {
  uint8_t start_secret[SC_KEY_BYTES];
  uint8_t kem[SC_KEY_BYTES];
  uint8_t ratchet_secret[SC_KEY_BYTES];
} draws;

static sc_status agree_with_keys(sc_ratchet_agreed *out, const sc_ratchet_public_start *start,
                                 const sc_ratchet_device *own, const uint8_t start_secret[static 32],
                                 const uint8_t identity[static 32]) {
  sc_status status = sc_x25519(out->identity_prekey, own->keys.x.secret, start->signed_prekey);
  if (status == SC_OK)
    status = sc_x25519(out->start_identity, start_secret, identity);
  if (status == SC_OK)
    status = sc_x25519(out->start_prekey, start_secret, start->signed_prekey);
  if (status == SC_OK && start->one_time_key != NULL)
    status = sc_x25519(out->start_one_time, start_secret, start->one_time_key);
  return status;
}

/* The first step of the ratchet goes against the signed prekey. */
static sc_status begin_chain(sc_ratchet_state *state, const sc_ratchet_first_keys *keys) {
  uint8_t agreed[SC_KEY_BYTES];
  sc_ratchet_root step;
  sc_status status = sc_x25519(agreed, state->own_secret, state->peer_key);
  if (status == SC_OK) {
    sc_ratchet_root_step(&step, keys->session, agreed);
    memcpy(state->root, step.root, SC_KEY_BYTES);
    memcpy(state->chain_s, step.chain, SC_KEY_BYTES);
    memcpy(state->next_header_s, step.next_header, SC_KEY_BYTES);
    memcpy(state->header_s, keys->initiator, SC_KEY_BYTES);
    memcpy(state->next_header_r, keys->responder, SC_KEY_BYTES);
  }
  sc_wipe(agreed, sizeof agreed);
  sc_wipe(&step, sizeof step);
  return status;
}

static sc_status start(sc_ratchet_state *state, sc_ratchet_agreed *agreed, const sc_ratchet_device *own,
                       const sc_ratchet_bundle *bundle, const sc_id *responder, const draws *draws) {
  uint8_t identity[SC_KEY_BYTES], transcript[sc_ratchet_hash_bytes];
  const bool has_one_time = state->one_time != SC_RATCHET_NO_ONE_TIME;
  const sc_ratchet_public_start public_start = {
      .responder = responder,
      .device = bundle->device.ptr,
      .signed_prekey = bundle->signed_prekey.ptr,
      .kem_key = bundle->kem_key.ptr,
      .generation = state->generation,
      .one_time = state->one_time,
      .started_s = (uint32_t)state->started_s,
      .one_time_key = has_one_time ? bundle->one_time.ptr + SC_KEY_BYTES * (size_t)state->one_time : NULL,
      .start_key = state->start_key,
      .ciphertext = state->ciphertext,
  };
  sc_status status = sc_x25519_from_ed25519(identity, bundle->device);
  if (status == SC_OK)
    status = sc_mlkem768_encapsulate_with(state->ciphertext, agreed->kem, bundle->kem_key, draws->kem);
  if (status == SC_OK)
    status = agree_with_keys(agreed, &public_start, own, draws->start_secret, identity);
  if (status != SC_OK)
    return status;
  sc_ratchet_cipher_key identity_key;
  sc_ratchet_first_keys keys;
  sc_ratchet_start_transcript(transcript, &public_start);
  sc_ratchet_identity_key(&identity_key, transcript, agreed, has_one_time);
  sc_ratchet_encrypt(state->identity, identity_key.key, identity_key.nonce, SC_BYTES(transcript),
                     SC_BYTES(own->certificate));
  sc_ratchet_agree(&keys, state->transcript, transcript, &own->account, own->certificate, agreed,
                   has_one_time);
  memcpy(state->own_secret, draws->ratchet_secret, SC_KEY_BYTES);
  memcpy(state->peer_key, bundle->signed_prekey.ptr, SC_KEY_BYTES);
  status = begin_chain(state, &keys);
  sc_wipe(&identity_key, sizeof identity_key);
  sc_wipe(&keys, sizeof keys);
  return status;
}

/* The id of a bundle's account. */
static sc_status account_of(sc_id *out, const sc_ratchet_bundle *bundle) {
  uint8_t key[SC_KEY_BYTES];
  sc_status status = sc_x25519_from_ed25519(key, bundle->account);
  if (status == SC_OK)
    sc_id_make(out, SC_ID_STANDARD, key);
  return status;
}

static bool is_usable(const sc_ratchet_bundle *bundle, uint16_t one_time, uint32_t started_s) {
  bool has_place = one_time == SC_RATCHET_NO_ONE_TIME || one_time < bundle->one_time.len / SC_KEY_BYTES;
  return !bundle->is_withdrawal && bundle->generation > 0 && bundle->device.len == SC_KEY_BYTES &&
         bundle->signed_prekey.len == SC_KEY_BYTES && has_place && started_s > 0;
}

static sc_status start_session(sc_ratchet_session *session, const sc_env *env, const sc_ratchet_device *own,
                               const sc_ratchet_bundle *bundle) {
  sc_ratchet_state *state = &session->state;
  sc_status status = account_of(&state->peer, bundle);
  if (status != SC_OK)
    return status;
  draws draws;
  sc_ratchet_agreed agreed;
  sc_x25519_pair pair;
  memset(&agreed, 0, sizeof agreed);
  sc_random(env, draws.start_secret, sizeof draws.start_secret);
  sc_random(env, draws.kem, sizeof draws.kem);
  sc_random(env, draws.ratchet_secret, sizeof draws.ratchet_secret);
  sc_x25519_pair_from_secret(&pair, draws.start_secret);
  memcpy(state->start_key, pair.public_key, SC_KEY_BYTES);
  memcpy(state->device, bundle->device.ptr, SC_KEY_BYTES);
  state->generation = bundle->generation;
  state->flags = sc_ratchet_has_chain_s | sc_ratchet_has_peer_key | sc_ratchet_has_header_s |
                 sc_ratchet_initiator | sc_ratchet_pending;
  status = start(state, &agreed, own, bundle, &state->peer, &draws);
  sc_wipe(&draws, sizeof draws);
  sc_wipe(&agreed, sizeof agreed);
  sc_x25519_pair_wipe(&pair);
  return status;
}

sc_status sc_ratchet_session_start(sc_ratchet_session **out, const sc_env *env, const sc_ratchet_device *own,
                                   const sc_ratchet_bundle *bundle, uint16_t one_time, uint32_t started_s) {
  *out = NULL;
  if (!is_usable(bundle, one_time, started_s))
    return SC_ERR_ARGUMENT;
  sc_status status = sc_ratchet_session_make(out, env);
  if (status != SC_OK)
    return status;
  (*out)->state.one_time = one_time;
  (*out)->state.started_s = started_s;
  status = start_session(*out, env, own, bundle);
  if (status != SC_OK) {
    sc_ratchet_session_free(*out);
    *out = NULL;
  }
  return status;
}
