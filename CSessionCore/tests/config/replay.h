/* Stores a message of one of a group's configs as another's, as anyone with the group's encryption key can do
 * without the signing key. */
#ifndef SC_TESTS_CONFIG_REPLAY_H
#define SC_TESTS_CONFIG_REPLAY_H

#include "config/change.h"
#include "config/envelope.h"
#include "config/object.h"

/* A config, of any content, of the group of the seed 11 and 31 times `seed_fill`, whose encryption key is 07
 * 00 00…. */
static inline sc_status replay_forger(sc_config **out, const sc_env *env, uint8_t seed_fill) {
  static const uint8_t key[32] = {7};
  static const sc_config_type type = {.domain = "groups::Other"};
  uint8_t seed[32] = {0x11};
  sc_ed25519_pair pair;
  memset(seed + 1, seed_fill, sizeof seed - 1);
  sc_ed25519_pair_from_seed(&pair, seed);
  sc_status status = sc_config_new(
      out, env, &(sc_config_setup){.type = &type, .verifier = pair.public_key, .signer = &pair});
  return status == SC_OK ? sc_config_add_key(*out, SC_BYTES(key), true, false) : status;
}

/* Under `key`, or in the dict there when `inner` is not NULL. */
static inline sc_status replay_set(sc_config *config, const char *key, const char *inner) {
  const sc_bytes keys[] = {sc_bytes_text(key), sc_bytes_text(inner == NULL ? "" : inner)};
  sc_config_change change;
  sc_config_change_begin(&change, config);
  sc_config_change_set(&change, (sc_config_path){keys, inner == NULL ? 1 : 2}, sc_config_integer(1));
  return sc_config_change_end(&change);
}

/* Decrypts a message and encrypts it again, under the name of the other config. */
static inline sc_status replay_seal(sc_config_stored *out, const sc_config *from, const sc_config *to,
                                    sc_bytes stored) {
  const sc_bytes key = sc_config_key(from, 0);
  sc_config_envelope envelope = {.domain = sc_config_domain(from), .keys = &key, .key_count = 1};
  sc_config_form form;
  sc_buffer plain;
  sc_buffer_init(&plain, sc_config_env(from));
  sc_status status = sc_config_open(&plain, &form, &envelope, stored);
  envelope.domain = sc_config_domain(to);
  if (status == SC_OK)
    status = sc_config_seal(out, &envelope, 1, sc_buffer_bytes(&plain));
  sc_buffer_free(&plain);
  return status;
}

/* Returns what merging reports for the message `from` would push, stored for `to`. */
static inline sc_status replay(sc_config *from, sc_config *to) {
  sc_config_outgoing pushed;
  sc_config_stored stored;
  sc_config_effect effect;
  sc_status understood = SC_OK;
  sc_config_outgoing_init(&pushed, sc_config_env(from));
  sc_config_stored_init(&stored, sc_config_env(from));
  sc_status status = sc_config_push(&pushed, from, 1700000000000);
  if (status == SC_OK)
    status = replay_seal(&stored, from, to, sc_config_stored_message(&pushed.messages, 0));
  if (status == SC_OK) {
    sc_config_incoming incoming = {sc_bytes_text("replayed"), sc_config_stored_message(&stored, 0)};
    status = sc_config_merge(&effect, &understood, to, &incoming, 1, 1700000000000);
  }
  sc_config_stored_free(&stored);
  sc_config_outgoing_free(&pushed);
  return status == SC_OK || status == SC_ERR_CONFIG_NONE ? understood : status;
}

#endif
