/* The notice to members who were removed from a group. */
#ifndef SC_CRYPTO_KICK_H
#define SC_CRYPTO_KICK_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "id.h"
#include "keys.h"
#include "multi_seal.h"

SC_API_BEGIN

/* Encrypts a notice for `members` (account ids), authenticated by the group's key pair. `generation` is that
 * of the group's current keys. SC_ERR_ARGUMENT without members, SC_ERR_ID_KIND, SC_ERR_KEY_INVALID,
 * SC_ERR_TOO_LARGE over SC_MULTI_MAX_ENTRIES. */
SC_API SC_NODISCARD sc_status sc_kick_seal(sc_buffer *out, const sc_env *env, const sc_keypair *group,
                                           const sc_id *members, size_t member_count, uint64_t generation);

/* Decrypts a notice for `me` from the group `group_id`. `*generation` is the last generation of keys for
 * this member; ignore the notice if it is older than the keys you have. SC_ERR_ID_KIND; SC_ERR_KEY_INVALID
 * if the id is not a group's; SC_ERR_NO_KEY if the notice is for other members; SC_ERR_KICK if it names
 * another member or no number; the statuses of sc_multi_open for another form. */
SC_API SC_NODISCARD sc_status sc_kick_open(uint64_t *generation, const sc_env *env, const sc_keypair *me,
                                           const sc_id *group_id, sc_bytes notice);

SC_API_END

#endif
