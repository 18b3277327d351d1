#include "ratchet/agreement.h"
#include "ratchet/session_object.h"
#include "ratchet_world.h"

#include <stdlib.h>

static sc_status hkdf(known_case *c) {
  uint8_t out[96];
  sc_ratchet_derive(out, sizeof out, known_hex(c, "salt"), known_hex(c, "ikm"), known_hex(c, "info"));
  known_same(c, "out", SC_BYTES(out));
  return SC_OK;
}

static sc_status kdf_rk(known_case *c) {
  sc_ratchet_root step;
  sc_ratchet_root_step(&step, known_key(c, "rk"), known_key(c, "dh"));
  const sc_bytes keys[] = {SC_BYTES(step.root), SC_BYTES(step.chain), SC_BYTES(step.next_header)};
  known_same_list(c, "out", keys, 3);
  return SC_OK;
}

static sc_status kdf_ck(known_case *c) {
  uint8_t chain[32], message_key[32];
  memcpy(chain, known_key(c, "ck"), sizeof chain);
  sc_ratchet_chain_step(chain, message_key);
  known_same(c, "next_ck", SC_BYTES(chain));
  known_same(c, "mk", SC_BYTES(message_key));
  return SC_OK;
}

static sc_status mkey(known_case *c) {
  sc_ratchet_cipher_key cipher;
  sc_ratchet_message_key(&cipher, known_key(c, "mk"), known_array(c, "hn", 24));
  known_same(c, "key", SC_BYTES(cipher.key));
  known_same(c, "nonce", SC_BYTES(cipher.nonce));
  return SC_OK;
}

static sc_status payload(known_case *c) {
  sc_ratchet_payload_keys keys;
  sc_ratchet_payload(&keys, known_key(c, "payload_key"));
  known_same(c, "commit_key_nonce", sc_bytes_make(&keys, sizeof keys));
  return SC_OK;
}

static sc_status tag(known_case *c) {
  uint8_t tag_key[16], out[4];
  sc_ratchet_tag_key(tag_key, known_key(c, "header_key"));
  sc_ratchet_tag(out, tag_key, known_key(c, "E"));
  known_same(c, "tag_key", SC_BYTES(tag_key));
  known_same(c, "tag", SC_BYTES(out));
  return SC_OK;
}

static sc_status slot_mask(known_case *c) {
  sc_ratchet_mask mask;
  sc_ratchet_slot_mask(&mask, known_key(c, "E"), known_key(c, "es"), (uint8_t)known_unsigned(c, "slot"),
                       known_key(c, "D"));
  known_same(c, "tag", SC_BYTES(mask.tag));
  known_same(c, "key", SC_BYTES(mask.cipher.key));
  known_same(c, "nonce", SC_BYTES(mask.cipher.nonce));
  return SC_OK;
}

static const struct unit {
  const char *name;
  sc_status (*run)(known_case *c);
} units[] = {
    {"hkdf", hkdf},       {"kdf_rk", kdf_rk}, {"kdf_ck", kdf_ck},       {"mkey", mkey},
    {"payload", payload}, {"tag", tag},       {"slot_mask", slot_mask},
};

static sc_status run_unit(void *user, sc_bytes key, const sc_json *value) {
  ratchet_world *world = user;
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (!sc_bytes_same(key, sc_bytes_text(units[i].name)))
      continue;
    known_case c;
    known_case_begin(&c, value, true);
    sc_status status = units[i].run(&c);
    vector_report_case(world->report, units[i].name, &c, status);
    return SC_OK;
  }
  world->report->tally.skipped++;
  return SC_OK;
}

static void compare_one_time(known_case *c, const ratchet_actor *actor,
                             const sc_ratchet_public_prekeys *prekeys) {
  sc_bytes secrets[SC_RATCHET_MAX_ONE_TIME], keys[SC_RATCHET_MAX_ONE_TIME];
  size_t count = prekeys->one_time_bytes / SC_KEY_BYTES;
  for (size_t i = 0; i < count; i++) {
    secrets[i] = SC_BYTES(actor->prekeys.one_time[i]);
    keys[i] = sc_bytes_make(prekeys->one_time + i * SC_KEY_BYTES, SC_KEY_BYTES);
  }
  known_same_list(c, "one_time_sec", secrets, count);
  known_same_list(c, "one_time_pub", keys, count);
}

static sc_status compare_device(known_case *c, const ratchet_actor *actor, uint64_t now_s) {
  sc_ratchet_public_prekeys prekeys;
  sc_ratchet_certificate certificate;
  uint8_t hash[32];
  const sc_ratchet_device *device = &actor->device;
  known_same_id(c, "session_id", &device->account);
  known_same(c, "device_id", SC_BYTES(device->keys.ed.public_key));
  known_same(c, "identity_x25519_sec", SC_BYTES(device->keys.x.secret));
  known_same(c, "identity_x25519_pub", SC_BYTES(device->keys.x.public_key));
  known_same(c, "cert", SC_BYTES(device->certificate));
  known_same_integer(c, "generation", actor->prekeys.generation);
  known_same(c, "signed_prekey_sec", SC_BYTES(actor->prekeys.secret));
  known_same(c, "mlkem_seed", SC_BYTES(actor->prekeys.kem_seed));
  sc_ratchet_prekeys_public(&prekeys, &actor->prekeys);
  known_same(c, "signed_prekey_pub", SC_BYTES(prekeys.signed_prekey));
  const sc_bytes kem_key = SC_BYTES(prekeys.kem_key);
  sc_ratchet_hash(hash, &kem_key, 1);
  known_same(c, "mlkem_pub_sha256", SC_BYTES(hash));
  compare_one_time(c, actor, &prekeys);
  sc_status status = sc_ratchet_certificate_verify(&certificate, known_hex(c, "cert"), now_s);
  if (status == SC_OK)
    known_same(c, "device_id", SC_BYTES(certificate.device));
  return status;
}

static sc_status run_device(void *user, sc_bytes key, const sc_json *value) {
  ratchet_world *world = user;
  if (world->actor_count == ratchet_most_devices)
    return SC_ERR_TOO_LARGE;
  ratchet_actor *actor = &world->actors[world->actor_count++];
  known_case c;
  uint8_t seed[SC_KEY_BYTES];
  known_case_begin(&c, value, true);
  ratchet_actor_make(actor, key, known_hex(&c, "account_seed"),
                     sc_json_count(vector_member(value, "one_time_sec")), world->now_s, seed);
  actor->prekeys.generation = (uint32_t)known_unsigned(&c, "generation");
  known_same(&c, "device_seed", SC_BYTES(seed));
  sc_status status = compare_device(&c, actor, world->now_s);
  vector_report_case(world->report, "devices", &c, status);
  return SC_OK;
}

/* A bundle opens, and is written again with the same bytes. */
static sc_status compare_bundle(known_case *c, const ratchet_actor *actor, uint64_t now_s) {
  sc_ratchet_bundle bundle;
  sc_buffer *written = known_buffer(c);
  sc_status status =
      sc_ratchet_bundle_open(&bundle, known_env(c), known_hex(c, "message"), &actor->account.id, now_s);
  if (status == SC_OK)
    status = sc_ratchet_bundle_write(written, &bundle, &actor->device, &actor->account);
  if (status != SC_OK)
    return status;
  known_same(c, "message", sc_buffer_bytes(written));
  known_same_integer(c, "len", (int64_t)written->len);
  return SC_OK;
}

static void run_bundle(ratchet_world *world, const char *part, const sc_json *value, ratchet_actor *actor) {
  known_case c;
  sc_status status = SC_OK;
  known_case_begin(&c, value, true);
  if (actor == NULL)
    known_differs(&c, "there is no such device");
  else
    status = compare_bundle(&c, actor, world->now_s);
  vector_report_case(world->report, part, &c, status);
}

static sc_status run_named_bundle(void *user, sc_bytes key, const sc_json *value) {
  ratchet_world *world = user;
  run_bundle(world, "bundles", value, ratchet_actor_named(world, key));
  return SC_OK;
}

/* Whose withdrawal it is, its bytes say. */
static void run_withdrawal(ratchet_world *world, const sc_json *value) {
  known_case c;
  known_case_begin(&c, value, true);
  const sc_bytes message = known_hex(&c, "message");
  ratchet_actor *actor = NULL;
  for (size_t i = 0; i < world->actor_count && actor == NULL; i++)
    for (size_t at = 0; at + SC_KEY_BYTES <= message.len && actor == NULL; at++)
      if (memcmp(message.ptr + at, world->actors[i].device.keys.ed.public_key, SC_KEY_BYTES) == 0)
        actor = &world->actors[i];
  known_case_end(&c);
  run_bundle(world, "withdrawal", value, actor);
}

/* Compares the responder's result for the start, computed from its own secrets. */
static sc_status compare_agreement(known_case *c, const ratchet_actor *from, const ratchet_actor *to,
                                   const sc_ratchet_state *state) {
  sc_ratchet_public_prekeys prekeys;
  uint8_t kem_key[SC_MLKEM768_PUBLIC_BYTES], kem_secret[SC_MLKEM768_SECRET_BYTES];
  sc_ratchet_prekeys_public(&prekeys, &to->prekeys);
  sc_mlkem768_from_seed(kem_key, kem_secret, to->prekeys.kem_seed);
  const bool has_one_time = state->one_time != SC_RATCHET_NO_ONE_TIME;
  const sc_ratchet_public_start start = {
      .responder = &to->account.id,
      .device = to->device.keys.ed.public_key,
      .signed_prekey = prekeys.signed_prekey,
      .kem_key = kem_key,
      .generation = state->generation,
      .one_time = state->one_time,
      .started_s = (uint32_t)state->started_s,
      .one_time_key = has_one_time ? prekeys.one_time + SC_KEY_BYTES * (size_t)state->one_time : NULL,
      .start_key = state->start_key,
      .ciphertext = state->ciphertext,
  };
  sc_ratchet_agreed agreed;
  sc_status status = sc_x25519(agreed.identity_prekey, to->prekeys.secret, from->device.keys.x.public_key);
  if (status == SC_OK)
    status = sc_x25519(agreed.start_identity, to->device.keys.x.secret, state->start_key);
  if (status == SC_OK)
    status = sc_x25519(agreed.start_prekey, to->prekeys.secret, state->start_key);
  if (status == SC_OK && has_one_time)
    status = sc_x25519(agreed.start_one_time, to->prekeys.one_time[state->one_time], state->start_key);
  if (status == SC_OK)
    status = sc_mlkem768_decapsulate(agreed.kem, SC_BYTES(kem_secret), SC_BYTES(state->ciphertext));
  if (status != SC_OK)
    return status;
  uint8_t start_transcript[32], transcript[32];
  sc_ratchet_cipher_key identity;
  sc_ratchet_first_keys keys;
  sc_ratchet_start_transcript(start_transcript, &start);
  sc_ratchet_identity_key(&identity, start_transcript, &agreed, has_one_time);
  sc_ratchet_agree(&keys, transcript, start_transcript, &from->account.id, from->device.certificate, &agreed,
                   has_one_time);
  known_same(c, "TH0", SC_BYTES(start_transcript));
  known_same(c, "K_id", SC_BYTES(identity.key));
  known_same(c, "N_id", SC_BYTES(identity.nonce));
  known_same(c, "TH", SC_BYTES(transcript));
  known_same(c, "SK", SC_BYTES(keys.session));
  known_same(c, "HKa", SC_BYTES(keys.initiator));
  known_same(c, "NHKb", SC_BYTES(keys.responder));
  return SC_OK;
}

static void compare_state(known_case *c, const sc_ratchet_state *state, const uint8_t drawn[96]) {
  uint8_t hash[32];
  const sc_bytes ciphertext = SC_BYTES(state->ciphertext);
  sc_ratchet_hash(hash, &ciphertext, 1);
  known_same(c, "ek", sc_bytes_make(drawn, 32));
  known_same(c, "mlkem_m", sc_bytes_make(drawn + 32, 32));
  known_same(c, "EK", SC_BYTES(state->start_key));
  known_same(c, "mlkem_ct_sha256", SC_BYTES(hash));
  known_same(c, "id_blob", SC_BYTES(state->identity));
  known_same(c, "ratchet_sec", SC_BYTES(state->own_secret));
  known_same(c, "TH", SC_BYTES(state->transcript));
  known_same(c, "HKa", SC_BYTES(state->header_s));
  known_same(c, "NHKb", SC_BYTES(state->next_header_r));
  known_same(c, "RK", SC_BYTES(state->root));
  known_same(c, "CKs", SC_BYTES(state->chain_s));
}

static sc_status initiate(ratchet_world *world, known_case *c, ratchet_actor *from, ratchet_actor *to) {
  const sc_json *start = c->json;
  const sc_json *bundles = vector_member(world->document, "bundles");
  uint8_t drawn[96];
  sc_ratchet_bundle bundle;
  c->json = vector_member(bundles, to->name);
  sc_bytes message = known_hex(c, "message");
  c->json = start;
  sc_status status = sc_ratchet_bundle_open(&bundle, known_env(c), message, &to->account.id, world->now_s);
  if (status != SC_OK)
    return status;
  sc_ratchet_session *session;
  ratchet_peek(from, drawn, sizeof drawn);
  status = sc_ratchet_session_start(&session, &from->env, &from->device, &bundle,
                                    (uint16_t)known_unsigned(c, "one_time_index"),
                                    (uint32_t)known_unsigned(c, "started"));
  if (status != SC_OK)
    return status;
  compare_state(c, &session->state, drawn);
  status = compare_agreement(c, from, to, &session->state);
  return ratchet_keep_session(from, session) ? status : SC_ERR_TOO_LARGE;
}

/* The key is "from->to". */
static sc_status run_start(void *user, sc_bytes key, const sc_json *value) {
  ratchet_world *world = user;
  known_case c;
  sc_status status = SC_OK;
  size_t arrow = 0;
  while (arrow + 1 < key.len && (key.ptr[arrow] != '-' || key.ptr[arrow + 1] != '>'))
    arrow++;
  known_case_begin(&c, value, true);
  ratchet_actor *from = ratchet_actor_named(world, sc_bytes_make(key.ptr, arrow)), *to = NULL;
  if (arrow + 2 < key.len)
    to = ratchet_actor_named(world, sc_bytes_make(key.ptr + arrow + 2, key.len - arrow - 2));
  if (from == NULL || to == NULL)
    known_differs(&c, "there is no such device");
  else
    status = initiate(world, &c, from, to);
  vector_report_case(world->report, "initiate", &c, status);
  return SC_OK;
}

/* Calls `visit` for each member of a part of the document. */
static void each(ratchet_world *world, const char *part, sc_json_visitor visit) {
  known_case c;
  known_case_begin(&c, world->document, true);
  if (sc_json_each(known_field(&c, part), visit, world) != SC_OK)
    known_differs(&c, "%s cannot be read", part);
  if (c.flaw[0] != '\0')
    vector_report_case(world->report, part, &c, SC_OK);
  else
    known_case_end(&c);
}

static void run(vector_report *report, const sc_json *document) {
  ratchet_world *world = calloc(1, sizeof *world);
  if (world == NULL)
    abort();
  world->report = report;
  world->document = document;
  if (sc_json_member_u64(&world->now_s, document, "time") != SC_OK)
    world->now_s = 0;
  each(world, "kdf", run_unit);
  each(world, "devices", run_device);
  each(world, "bundles", run_named_bundle);
  run_withdrawal(world, vector_member(document, "withdrawal"));
  each(world, "initiate", run_start);
  ratchet_run_messages(world);
  ratchet_world_free(world);
  free(world);
}

static bool recognises(const sc_json *document) {
  return vector_member(document, "kdf") != NULL && vector_member(document, "devices") != NULL &&
         vector_member(document, "initiate") != NULL && vector_member(document, "messages") != NULL;
}

const vector_document ratchet_document = {"ratchet", recognises, run};
