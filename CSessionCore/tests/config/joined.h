/* Shared by the tests of groups: configs made from data, and groups whose seed is known. */
#ifndef SC_TESTS_CONFIG_JOINED_H
#define SC_TESTS_CONFIG_JOINED_H

#include "config/user_groups.h"
#include "saved.h"

static inline sc_status groups_fresh(sc_user_groups **out, const sc_env *env) {
  sc_keypair account;
  worked_account(&account);
  return sc_user_groups_new(out, env, &account, (sc_bytes){0});
}

/* With these data, synced and clean. */
static inline sc_status groups_saved(sc_user_groups **out, const sc_env *env, const char *data) {
  sc_keypair account;
  sc_buffer dump;
  worked_account(&account);
  sc_buffer_init(&dump, env);
  *out = NULL;
  sc_status status = saved_dump(&dump, data, "de");
  if (status == SC_OK)
    status = sc_user_groups_new(out, env, &account, sc_buffer_bytes(&dump));
  sc_buffer_free(&dump);
  return status;
}

static inline void groups_are(sc_test *t, const char *expected, const sc_user_groups *groups) {
  device_data_is(t, expected, sc_user_groups_config(groups));
}

static inline bool groups_are_clean(const sc_user_groups *groups) {
  const sc_config *config = sc_user_groups_config(groups);
  return sc_config_state_of(config) == SC_CONFIG_CLEAN && !sc_config_needs_dump(config);
}

/* The group whose key has 32 times this letter as its seed. */
static inline sc_id group_of_seed(char letter) {
  uint8_t seed[SC_ED25519_SEED_BYTES];
  sc_ed25519_pair pair;
  sc_id id;
  memset(seed, letter, sizeof seed);
  sc_ed25519_pair_from_seed(&pair, seed);
  sc_id_make(&id, SC_ID_GROUP, pair.public_key);
  return id;
}

/* A nonblank value in each field. */
static inline sc_membership a_membership(void) {
  return (sc_membership){.notify = SC_CONFIG_NOTIFY_MENTIONS,
                         .mute_until_s = 1800000000,
                         .joined_s = 1700000000,
                         .priority = -1,
                         .invited = true};
}

static inline bool same_membership(const sc_membership *a, const sc_membership *b) {
  return a->notify == b->notify && a->mute_until_s == b->mute_until_s && a->joined_s == b->joined_s &&
         a->priority == b->priority && a->invited == b->invited;
}

/* The encoded fields of a_membership that come before, between and after those of the kinds. */
#define MEMBERSHIP_FRONT "1:!i1800000000e1:+i-1e1:@i3e"
#define MEMBERSHIP_BACK "1:ii1e1:ji1700000000e"

#endif
