/* The keys that wrap the copies for members. Each costs a key agreement with a constant result, so they are
 * cached from one rekeying to the next. */
#ifndef SC_CONFIG_MEMBER_KEYS_H
#define SC_CONFIG_MEMBER_KEYS_H

#include <stdbool.h>

#include "session-core/base/bytes.h"
#include "session-core/crypto/id.h"
#include "session-core/crypto/keys.h"

typedef struct sc_member_key {
  uint8_t member[SC_KEY_BYTES];
  uint8_t key[SC_KEY_BYTES];
  bool safe; /* false if no key can be agreed with this member */
} sc_member_key;

/* In ascending order of the members. */
typedef struct sc_member_keys {
  sc_member_key *keys;
  size_t count;
} sc_member_keys;

/* Wipes and releases the keys. */
void sc_member_keys_free(sc_member_keys *keys, const sc_env *env);

/* Derives the key by which an admin encrypts copies for a member. SC_ERR_KEY_INVALID; wipe the key. */
SC_NODISCARD sc_status sc_member_key_of(uint8_t out[static SC_KEY_BYTES], const sc_keypair *group,
                                        const uint8_t member[static SC_KEY_BYTES]);

/* The same for the member. */
SC_NODISCARD sc_status sc_member_key_of_mine(uint8_t out[static SC_KEY_BYTES], const sc_keypair *me,
                                             const uint8_t group_x25519[static SC_KEY_BYTES]);

/* Replaces the keys with those of these members, in ascending order of ids. After a failure the keys are
 * unchanged. */
SC_NODISCARD sc_status sc_member_keys_renew(sc_member_keys *keys, const sc_env *env, const sc_keypair *group,
                                            const sc_id *members, size_t count);

#endif
