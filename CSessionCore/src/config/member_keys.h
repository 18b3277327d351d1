/* The keys that copies for members are wrapped with. Each costs an agreement, and always comes out the same,
 * so those of the members are remembered from one rekeying to the next. */
#ifndef SC_CONFIG_MEMBER_KEYS_H
#define SC_CONFIG_MEMBER_KEYS_H

#include <stdbool.h>

#include "session-core/base/bytes.h"
#include "session-core/crypto/id.h"
#include "session-core/crypto/keys.h"

typedef struct sc_member_key {
  uint8_t member[SC_KEY_BYTES];
  uint8_t key[SC_KEY_BYTES];
  bool safe; /* otherwise there is no key, for no agreement with this member is */
} sc_member_key;

/* In ascending order of the members. */
typedef struct sc_member_keys {
  sc_member_key *keys;
  size_t count;
} sc_member_keys;

/* Wipes what it held. */
void sc_member_keys_free(sc_member_keys *keys, const sc_env *env);

/* What an admin wraps copies for a member with. SC_ERR_KEY_INVALID; wipe the key. */
SC_NODISCARD sc_status sc_member_key_of(uint8_t out[static SC_KEY_BYTES], const sc_keypair *group,
                                        const uint8_t member[static SC_KEY_BYTES]);

/* The same for the member. */
SC_NODISCARD sc_status sc_member_key_of_mine(uint8_t out[static SC_KEY_BYTES], const sc_keypair *me,
                                             const uint8_t group_x25519[static SC_KEY_BYTES]);

/* Holds the keys of these members, in ascending order of their ids, and of no others. After a failure it
 * holds what it held. */
SC_NODISCARD sc_status sc_member_keys_renew(sc_member_keys *keys, const sc_env *env, const sc_keypair *group,
                                            const sc_id *members, size_t count);

#endif
