/* Two devices that write to each other, with everything at hand to do it wrongly. */
#ifndef SC_TESTS_RATCHET_SCENE_H
#define SC_TESTS_RATCHET_SCENE_H

#include "ratchet/seal.h"
#include "ratchet/session_object.h"
#include "ratchet/wire.h"
#include "support/test.h"
#include "support/test_env.h"

enum { now_s = 1800000000, one_time_keys = 2 };

static const char hello[] = "d1:c5:helloe";

typedef struct party {
  sc_account account;
  sc_ratchet_device device;
  sc_ratchet_prekeys prekeys;
  sc_buffer published;
  sc_ratchet_bundle bundle; /* borrows from `published` */
} party;

typedef struct scene {
  const sc_env *env;
  party alice;
  party bob;
  sc_ratchet_session *from_alice; /* Alice's session with Bob */
  sc_ratchet_session *from_bob;
  sc_ratchet_session *other;
  sc_buffer sealed;
  sc_buffer opened;
  sc_ratchet_envelope envelope; /* of `sealed` */
  sc_ratchet_start starts[SC_RATCHET_MAX_SLOTS];
  size_t start_count;
  sc_ratchet_certificate sender;
  sc_ratchet_open_options options;
} scene;

static inline sc_status publish(sc_buffer *out, const party *p, uint64_t sequence) {
  sc_ratchet_public_prekeys prekeys;
  sc_ratchet_prekeys_public(&prekeys, &p->prekeys);
  const sc_ratchet_bundle bundle = {
      .sequence = sequence,
      .signed_s = now_s,
      .generation = p->prekeys.generation,
      .capabilities = SC_RATCHET_RECEIVES | SC_RATCHET_CLOSED_ROSTER,
      .signed_prekey = SC_BYTES(prekeys.signed_prekey),
      .kem_key = SC_BYTES(prekeys.kem_key),
      .one_time = sc_bytes_make(prekeys.one_time, prekeys.one_time_bytes),
      .roster = SC_BYTES(p->device.keys.ed.public_key),
  };
  return sc_ratchet_bundle_write(out, &bundle, &p->device, &p->account);
}

static inline sc_status party_make(party *out, const sc_env *env, uint8_t number) {
  const uint8_t account_seed[SC_SEED_BYTES] = {number}, device_seed[SC_KEY_BYTES] = {number, 1};
  sc_account_from_seed(&out->account, account_seed);
  sc_ratchet_device_make(&out->device, &out->account, device_seed, now_s);
  sc_ratchet_prekeys_generate(&out->prekeys, env, 1, one_time_keys);
  sc_buffer_init(&out->published, env);
  sc_status status = publish(&out->published, out, 1);
  return status != SC_OK ? status
                         : sc_ratchet_bundle_open(&out->bundle, env, sc_buffer_bytes(&out->published),
                                                  &out->account.id, now_s);
}

static inline void scene_init(scene *out, const sc_env *env) {
  memset(out, 0, sizeof *out);
  out->env = env;
  out->options.now_s = now_s;
  sc_buffer_init(&out->sealed, env);
  sc_buffer_init(&out->opened, env);
}

static inline void scene_free(scene *s) {
  sc_ratchet_session_free(s->from_alice);
  sc_ratchet_session_free(s->from_bob);
  sc_ratchet_session_free(s->other);
  sc_buffer_free(&s->sealed);
  sc_buffer_free(&s->opened);
  sc_buffer_free(&s->alice.published);
  sc_buffer_free(&s->bob.published);
}

/* Alice starts a session with Bob. */
static inline sc_status scene_start(scene *s, const sc_env *env) {
  scene_init(s, env);
  sc_status status = party_make(&s->alice, env, 1);
  if (status == SC_OK)
    status = party_make(&s->bob, env, 2);
  if (status == SC_OK)
    status = sc_ratchet_session_start(&s->from_alice, env, &s->alice.device, &s->bob.bundle, 0, now_s);
  return status;
}

static inline sc_status parse_sealed(scene *s) {
  return sc_ratchet_envelope_parse(&s->envelope, sc_buffer_bytes(&s->sealed));
}

static inline sc_status seal_body(scene *s, sc_ratchet_session *session, sc_bytes body) {
  sc_status status = sc_ratchet_seal_any(&s->sealed, s->env, &session, 1, body, NULL);
  return status == SC_OK ? parse_sealed(s) : status;
}

static inline sc_status seal_hello(scene *s, sc_ratchet_session *session) {
  return seal_body(s, session, sc_bytes_text(hello));
}

static inline sc_status open_sealed(scene *s, sc_ratchet_session *session) {
  size_t index;
  sc_ratchet_session *const sessions[] = {session};
  return sc_ratchet_open(&s->opened, &index, s->env, &s->envelope, sessions, 1, &s->options);
}

/* Bob finds the start in what is sealed, and opens it; SC_ERR_RATCHET_OTHER if there is none. */
static inline sc_status open_first_start(scene *s) {
  sc_status status = sc_ratchet_starts(s->starts, &s->start_count, &s->envelope, &s->bob.device);
  if (status == SC_OK && s->start_count != 1)
    status = SC_ERR_RATCHET_OTHER;
  if (status != SC_OK)
    return status;
  sc_ratchet_session *made;
  status = sc_ratchet_open_start(&s->opened, &made, &s->sender, s->env, &s->envelope, &s->starts[0],
                                 &s->bob.device, &s->bob.prekeys, &s->options);
  if (status == SC_OK) {
    sc_ratchet_session_free(s->from_bob);
    s->from_bob = made;
  }
  return status;
}

/* Both have heard each other. */
static inline sc_status scene_meet(scene *s, const sc_env *env) {
  sc_status status = scene_start(s, env);
  if (status == SC_OK)
    status = seal_hello(s, s->from_alice);
  if (status == SC_OK)
    status = open_first_start(s);
  if (status == SC_OK)
    status = seal_hello(s, s->from_bob);
  if (status == SC_OK)
    status = open_sealed(s, s->from_alice);
  return status;
}

/* Skips messages of a session without making them. */
static inline void send_nothing(sc_ratchet_session *session, uint32_t count) {
  uint8_t message_key[SC_KEY_BYTES];
  for (uint32_t i = 0; i < count; i++)
    sc_ratchet_chain_step(session->state.chain_s, message_key);
  session->state.sent += count;
}

/* The slot of a session in what is sealed. */
static inline size_t slot_of(const scene *s, const sc_ratchet_session *reader) {
  for (size_t i = 0; i < s->envelope.slot_count; i++) {
    const uint8_t *const keys[] = {reader->state.header_r, reader->state.next_header_r};
    for (size_t k = 0; k < 2; k++) {
      uint8_t tag_key[SC_RATCHET_TAG_KEY_BYTES], tag[4];
      sc_ratchet_tag_key(tag_key, keys[k]);
      sc_ratchet_tag(tag, tag_key, sc_ratchet_ephemeral(&s->envelope));
      if (memcmp(tag, sc_ratchet_slot(&s->envelope, i), sizeof tag) == 0)
        return i;
    }
  }
  return SIZE_MAX;
}

/* The byte at an offset of a slot, to be changed. */
static inline uint8_t *slot_byte(scene *s, size_t slot, size_t offset) {
  return s->sealed.ptr + (sc_ratchet_slot(&s->envelope, slot) - s->sealed.ptr) + offset;
}

/* True if the session is as it was when `before` was copied. */
static inline bool is_unchanged(const sc_ratchet_session *session, const sc_ratchet_state *before) {
  return memcmp(&session->state, before, sizeof *before) == 0 && session->skipped.len == 0;
}

#endif
