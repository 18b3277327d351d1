/* The responder's side of a start. The sender is known after the agreement, and believed after the message
 * has opened. */
#include "../base/declassify.h"
#include "../base/little.h"
#include "agreement.h"
#include "payload.h"
#include "receive.h"
#include "session-core/base/secret.h"

enum { most_ahead_s = 600 };

static void read_start(sc_ratchet_start *out, size_t slot, const uint8_t bytes[static 1282]) {
  out->slot = slot;
  out->generation = sc_load_u32(bytes);
  out->one_time = sc_load_u16(bytes + sc_ratchet_start_one_time_at);
  out->started_s = sc_load_u32(bytes + sc_ratchet_start_time_at);
  memcpy(out->start_key, bytes + sc_ratchet_start_key_at, SC_KEY_BYTES);
  memcpy(out->ciphertext, bytes + sc_ratchet_start_ciphertext_at, sizeof out->ciphertext);
  memcpy(out->identity, bytes + sc_ratchet_start_identity_at, sizeof out->identity);
}

static void find_starts(sc_ratchet_start *out, size_t *count, const sc_ratchet_envelope *envelope,
                        const uint8_t agreed[static 32], const uint8_t device[static 32]) {
  for (size_t slot = 0; slot < envelope->slot_count; slot++) {
    const uint8_t *at = sc_ratchet_slot(envelope, slot);
    sc_ratchet_mask mask;
    sc_ratchet_slot_mask(&mask, sc_ratchet_ephemeral(envelope), agreed, (uint8_t)slot, device);
    if (memcmp(mask.tag, at, sizeof mask.tag) == 0) {
      uint8_t bytes[sc_ratchet_start_bytes];
      sc_ratchet_mask_apply(bytes, sc_bytes_make(at + sizeof mask.tag, sizeof bytes), &mask.cipher);
      sc_declassify(bytes, sizeof bytes); /* sealed again but for keys and numbers that are no secrets */
      read_start(&out[(*count)++], slot, bytes);
    }
    sc_wipe(&mask, sizeof mask);
  }
}

sc_status sc_ratchet_starts(sc_ratchet_start *out, size_t *count, const sc_ratchet_envelope *envelope,
                            const sc_ratchet_device *own) {
  uint8_t agreed[SC_KEY_BYTES];
  *count = 0;
  if (!envelope->has_starts)
    return SC_OK;
  if (sc_x25519(agreed, own->keys.x.secret, sc_ratchet_ephemeral(envelope)) != SC_OK)
    return SC_ERR_RATCHET_DAMAGED;
  find_starts(out, count, envelope, agreed, own->keys.ed.public_key);
  sc_wipe(agreed, sizeof agreed);
  return SC_OK;
}

/* The secrets of the prekeys that a start used. */
typedef struct used_prekeys {
  sc_x25519_pair signed_prekey;
  sc_x25519_pair one_time;
  bool has_one_time;
  uint8_t kem_key[SC_MLKEM768_PUBLIC_BYTES];
  uint8_t kem_secret[SC_MLKEM768_SECRET_BYTES];
} used_prekeys;

static bool is_lost(const sc_ratchet_start *start, const sc_ratchet_prekeys *prekeys, uint64_t now_s) {
  if (start->started_s == 0 || start->started_s > now_s + most_ahead_s)
    return true;
  if (prekeys == NULL || prekeys->generation != start->generation)
    return true;
  return start->one_time != SC_RATCHET_NO_ONE_TIME &&
         (start->one_time >= SC_RATCHET_MAX_ONE_TIME || (prekeys->one_time_kept >> start->one_time & 1) == 0);
}

static void expand_prekeys(used_prekeys *out, const sc_ratchet_start *start,
                           const sc_ratchet_prekeys *prekeys) {
  sc_x25519_pair_from_secret(&out->signed_prekey, prekeys->secret);
  out->has_one_time = start->one_time != SC_RATCHET_NO_ONE_TIME;
  if (out->has_one_time)
    sc_x25519_pair_from_secret(&out->one_time, prekeys->one_time[start->one_time]);
  sc_mlkem768_from_seed(out->kem_key, out->kem_secret, prekeys->kem_seed);
}

static sc_status agree_without_sender(sc_ratchet_agreed *out, const sc_ratchet_start *start,
                                      const sc_ratchet_device *own, const used_prekeys *prekeys) {
  sc_status status = sc_x25519(out->start_identity, own->keys.x.secret, start->start_key);
  if (status == SC_OK)
    status = sc_x25519(out->start_prekey, prekeys->signed_prekey.secret, start->start_key);
  if (status == SC_OK && prekeys->has_one_time)
    status = sc_x25519(out->start_one_time, prekeys->one_time.secret, start->start_key);
  if (status == SC_OK)
    status = sc_mlkem768_decapsulate(out->kem, SC_BYTES(prekeys->kem_secret), SC_BYTES(start->ciphertext));
  return status;
}

static void transcribe(uint8_t out[static 32], const sc_ratchet_start *start, const sc_ratchet_device *own,
                       const used_prekeys *prekeys) {
  const sc_ratchet_public_start public_start = {
      .responder = &own->account,
      .device = own->keys.ed.public_key,
      .signed_prekey = prekeys->signed_prekey.public_key,
      .kem_key = prekeys->kem_key,
      .generation = start->generation,
      .one_time = start->one_time,
      .started_s = start->started_s,
      .one_time_key = prekeys->has_one_time ? prekeys->one_time.public_key : NULL,
      .start_key = start->start_key,
      .ciphertext = start->ciphertext,
  };
  sc_ratchet_start_transcript(out, &public_start);
}

/* Opens the certificate, and agrees with the identity of the device in it. */
static sc_status identify(sc_ratchet_certificate *sender, uint8_t certificate[static 136],
                          sc_ratchet_agreed *agreed, const sc_ratchet_start *start,
                          const uint8_t transcript[static 32], const sc_ratchet_device *own,
                          const used_prekeys *prekeys, uint64_t now_s) {
  sc_ratchet_cipher_key cipher;
  uint8_t identity[SC_KEY_BYTES];
  sc_ratchet_identity_key(&cipher, transcript, agreed, prekeys->has_one_time);
  bool opens =
      sc_ratchet_decrypt(certificate, cipher.key, cipher.nonce,
                         sc_bytes_make(transcript, sc_ratchet_hash_bytes), SC_BYTES(start->identity));
  sc_wipe(&cipher, sizeof cipher);
  sc_declassify(certificate, SC_RATCHET_CERTIFICATE_BYTES); /* which the program learns */
  if (!opens ||
      sc_ratchet_certificate_verify(sender, sc_bytes_make(certificate, SC_RATCHET_CERTIFICATE_BYTES),
                                    now_s) != SC_OK ||
      memcmp(sender->device, own->keys.ed.public_key, SC_KEY_BYTES) == 0)
    return SC_ERR_RATCHET_DAMAGED;
  sc_status status = sc_x25519_from_ed25519(identity, SC_BYTES(sender->device));
  if (status == SC_OK)
    status = sc_x25519(agreed->identity_prekey, prekeys->signed_prekey.secret, identity);
  return status;
}

static sc_status respond(sc_ratchet_state *state, sc_ratchet_certificate *sender,
                         const sc_ratchet_start *start, const sc_ratchet_device *own,
                         const used_prekeys *prekeys, uint64_t now_s) {
  uint8_t transcript[sc_ratchet_hash_bytes], certificate[SC_RATCHET_CERTIFICATE_BYTES];
  sc_ratchet_agreed agreed;
  sc_ratchet_first_keys keys;
  memset(&agreed, 0, sizeof agreed);
  sc_status status = agree_without_sender(&agreed, start, own, prekeys);
  if (status == SC_OK) {
    transcribe(transcript, start, own, prekeys);
    status = identify(sender, certificate, &agreed, start, transcript, own, prekeys, now_s);
  }
  if (status == SC_OK) {
    sc_ratchet_agree(&keys, state->transcript, transcript, &sender->account, certificate, &agreed,
                     prekeys->has_one_time);
    state->peer = sender->account;
    memcpy(state->device, sender->device, SC_KEY_BYTES);
    memcpy(state->root, keys.session, SC_KEY_BYTES);
    memcpy(state->own_secret, prekeys->signed_prekey.secret, SC_KEY_BYTES);
    memcpy(state->next_header_s, keys.responder, SC_KEY_BYTES);
    memcpy(state->next_header_r, keys.initiator, SC_KEY_BYTES);
    state->started_s = start->started_s;
    memcpy(state->start_key, start->start_key, SC_KEY_BYTES);
    sc_wipe(&keys, sizeof keys);
  }
  sc_wipe(&agreed, sizeof agreed);
  sc_wipe(certificate, sizeof certificate);
  return status == SC_OK ? SC_OK : SC_ERR_RATCHET_DAMAGED;
}

sc_status sc_ratchet_open_start(sc_buffer *out, sc_ratchet_session **session, sc_ratchet_certificate *sender,
                                const sc_env *env, const sc_ratchet_envelope *envelope,
                                const sc_ratchet_start *start, const sc_ratchet_device *own,
                                const sc_ratchet_prekeys *prekeys, const sc_ratchet_open_options *options) {
  sc_buffer_clear(out);
  *session = NULL;
  memset(sender, 0, sizeof *sender);
  if (is_lost(start, prekeys, options->now_s))
    return SC_ERR_RATCHET_LOST_START;
  sc_ratchet_session *made;
  sc_status status = sc_ratchet_session_make(&made, env);
  if (status != SC_OK)
    return status;
  used_prekeys used;
  expand_prekeys(&used, start, prekeys);
  status = respond(&made->state, sender, start, own, &used, options->now_s);
  sc_wipe(&used, sizeof used);
  if (status == SC_OK)
    status = sc_ratchet_open_slot(out, env, envelope, start->slot, made, options);
  if (status == SC_OK) {
    *session = made;
    return SC_OK;
  }
  sc_ratchet_session_free(made);
  if (status == SC_ERR_RATCHET_BROKEN)
    return status; /* its header is proof of the sender */
  memset(sender, 0, sizeof *sender);
  return status == SC_ERR_NO_MEMORY || status == SC_ERR_RATCHET_BODY ? status : SC_ERR_RATCHET_DAMAGED;
}
