/* The notice that tells a member that they were removed from a group. */
#ifndef SC_CRYPTO_KICK_H
#define SC_CRYPTO_KICK_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "id.h"
#include "keys.h"
#include "multi_seal.h"

SC_API_BEGIN

/* Seals a notice for `members` (account ids), signed off by the group's key pair. `generation` is that of the
 * group's current keys. SC_ERR_ARGUMENT without members, SC_ERR_ID_KIND, SC_ERR_KEY_INVALID, SC_ERR_TOO_LARGE
 * over SC_MULTI_MAX_ENTRIES. */
SC_API SC_NODISCARD sc_status sc_kick_seal(sc_buffer *out, const sc_env *env, const sc_keypair *group,
                                           const sc_id *members, size_t member_count, uint64_t generation);

/* Opens a notice for `me` from the group `group_id`. `*generation` is the generation of keys that ended; the
 * caller ignores a notice older than its own keys. SC_ERR_ID_KIND, SC_ERR_KEY_INVALID for an id that is no
 * group's; SC_ERR_NO_KEY when it is for somebody else, SC_ERR_KICK when it names somebody else or no number,
 * and what sc_multi_open says of a blob of another form. */
SC_API SC_NODISCARD sc_status sc_kick_open(uint64_t *generation, const sc_env *env, const sc_keypair *me,
                                           const sc_id *group_id, sc_bytes notice);

SC_API_END

#endif
