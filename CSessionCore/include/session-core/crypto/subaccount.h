/* Subaccounts: how the members of a group get at its swarm without the group's secret key.
 *
 * An admin grants a member access: a blinding factor that only this member can use, and the group's signature
 * of the token that follows from it. The member proves requests with both; the swarm knows the member by the
 * token alone, and an admin revokes it by the token. All is deterministic. */
#ifndef SC_CRYPTO_SUBACCOUNT_H
#define SC_CRYPTO_SUBACCOUNT_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "id.h"
#include "keys.h"
#include "signature.h"

SC_API_BEGIN

#define SC_SUBACCOUNT_TOKEN_BYTES 36
/* What a member is sent: a secret between the group's admins and this member. */
#define SC_SUBACCOUNT_ACCESS_BYTES 100

/* What a token allows, one bit each. */
enum {
  SC_SUBACCOUNT_READ = 1,
  SC_SUBACCOUNT_WRITE = 2,
  SC_SUBACCOUNT_DELETE = 4,
  SC_SUBACCOUNT_ANY_PREFIX = 8, /* also in swarms of accounts that are no groups */
  SC_SUBACCOUNT_MEMBER = SC_SUBACCOUNT_READ | SC_SUBACCOUNT_WRITE,
};

/* The token of a member, who is an account id, in the group with this key pair. SC_ERR_ID_KIND,
 * SC_ERR_ARGUMENT for other rights than those above, SC_ERR_KEY_INVALID when the id is no safe key. */
SC_API SC_NODISCARD sc_status sc_subaccount_token(uint8_t out[SC_AT_LEAST(36)], const sc_ed25519_pair *group,
                                                  const sc_id *member, unsigned rights);

/* The access to send to the member; wipe it. The same failures. */
SC_API SC_NODISCARD sc_status sc_subaccount_grant(uint8_t out[SC_AT_LEAST(100)], const sc_ed25519_pair *group,
                                                  const sc_id *member, unsigned rights);

/* Checks access that was received: SC_ERR_SUBACCOUNT unless `group_id` granted it to `me`,
 * SC_ERR_SUBACCOUNT_RIGHTS when it does not allow reading and what else is `needed`; SC_ERR_ID_KIND. */
SC_API SC_NODISCARD sc_status sc_subaccount_verify(const sc_id *group_id, const sc_keypair *me,
                                                   sc_bytes access, unsigned needed);

/* What a request carries. */
typedef struct sc_subaccount_proof {
  uint8_t token[SC_SUBACCOUNT_TOKEN_BYTES];
  uint8_t token_signature[SC_SIGNATURE_BYTES]; /* by the group */
  uint8_t signature[SC_SIGNATURE_BYTES];       /* of the request, by the key in the token */
} sc_subaccount_proof;

/* Signs a request with access that was verified. SC_ERR_SUBACCOUNT for what cannot be access at all. */
SC_API SC_NODISCARD sc_status sc_subaccount_sign(sc_subaccount_proof *out, const sc_keypair *me,
                                                 sc_bytes access, sc_bytes request);

SC_API_END

#endif
