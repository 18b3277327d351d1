/* Subaccounts: access of group members to the group's swarm without the group's secret key.
 *
 * An admin grants a member access: a blinding factor that only this member can use, and the group's
 * signature of the token derived from it. The member authenticates requests with both. The swarm knows the
 * member only by the token, and an admin revokes access by the token. Everything is deterministic. */
#ifndef SC_CRYPTO_SUBACCOUNT_H
#define SC_CRYPTO_SUBACCOUNT_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "id.h"
#include "keys.h"
#include "signature.h"

SC_API_BEGIN

#define SC_SUBACCOUNT_TOKEN_BYTES 36
/* The access that a member receives, known only to the admins and this member. */
#define SC_SUBACCOUNT_ACCESS_BYTES 100

/* The rights of a token, one bit each. */
enum {
  SC_SUBACCOUNT_READ = 1,
  SC_SUBACCOUNT_WRITE = 2,
  SC_SUBACCOUNT_DELETE = 4,
  SC_SUBACCOUNT_ANY_PREFIX = 8, /* also in swarms of accounts other than groups */
  SC_SUBACCOUNT_MEMBER = SC_SUBACCOUNT_READ | SC_SUBACCOUNT_WRITE,
};

/* Derives the token of a member (an account id) in the group of this key pair. SC_ERR_ID_KIND,
 * SC_ERR_ARGUMENT for rights other than those above, SC_ERR_KEY_INVALID if the id is not a safe key. */
SC_API SC_NODISCARD sc_status sc_subaccount_token(uint8_t out[SC_AT_LEAST(36)], const sc_ed25519_pair *group,
                                                  const sc_id *member, unsigned rights);

/* Makes the access to send to the member; wipe it. Fails like sc_subaccount_token. */
SC_API SC_NODISCARD sc_status sc_subaccount_grant(uint8_t out[SC_AT_LEAST(100)], const sc_ed25519_pair *group,
                                                  const sc_id *member, unsigned rights);

/* Checks received access. SC_ERR_SUBACCOUNT unless `group_id` granted it to `me`, SC_ERR_SUBACCOUNT_RIGHTS
 * if it does not allow reading and the rights in `needed`; SC_ERR_ID_KIND. */
SC_API SC_NODISCARD sc_status sc_subaccount_verify(const sc_id *group_id, const sc_keypair *me,
                                                   sc_bytes access, unsigned needed);

/* The authentication of a request. */
typedef struct sc_subaccount_proof {
  uint8_t token[SC_SUBACCOUNT_TOKEN_BYTES];
  uint8_t token_signature[SC_SIGNATURE_BYTES]; /* signature of the token by the group */
  uint8_t signature[SC_SIGNATURE_BYTES];       /* signature of the request by the key in the token */
} sc_subaccount_proof;

/* Signs a request with verified access. SC_ERR_SUBACCOUNT if `access` has another form. */
SC_API SC_NODISCARD sc_status sc_subaccount_sign(sc_subaccount_proof *out, const sc_keypair *me,
                                                 sc_bytes access, sc_bytes request);

SC_API_END

#endif
