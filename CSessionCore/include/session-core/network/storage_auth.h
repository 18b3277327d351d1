/* Signatures of requests.
 *
 * The caller owns signers, which must outlive their use. Nothing is stored here. One thread at a time. */
#ifndef SC_NETWORK_STORAGE_AUTH_H
#define SC_NETWORK_STORAGE_AUTH_H

#include "storage_request.h"

SC_API_BEGIN

/* The signer of a request: the owner of an account or group, or a subaccount of it. */
typedef struct sc_storage_signer {
  /* Fills in all of `auth`, which is empty, with the signature of `message`. */
  sc_status (*sign)(const void *user, sc_storage_auth *auth, sc_bytes message);
  const void *user;
} sc_storage_signer;

/* Makes a signer for the owner of an account, whose id is an X25519 key, so that the signing key is sent
 * too. */
SC_API sc_storage_signer sc_storage_account_signer(const sc_ed25519_pair *pair);

/* Makes a signer for the admin of a group, whose id is the signing key. */
SC_API sc_storage_signer sc_storage_group_signer(const sc_ed25519_pair *pair);

typedef struct sc_storage_subaccount {
  const sc_keypair *me;
  sc_bytes access; /* granted by an admin, after sc_subaccount_verify */
} sc_storage_subaccount;

/* Makes a signer for a member of a group. Signing fails with SC_ERR_SUBACCOUNT. */
SC_API sc_storage_signer sc_storage_subaccount_signer(const sc_storage_subaccount *subaccount);

/* Replaces `out` with the bytes that the signature of a request covers. SC_ERR_ARGUMENT for methods without
 * a signature. */
SC_API SC_NODISCARD sc_status sc_storage_request_signed(sc_buffer *out, const sc_storage_request *request);

/* Signs the request. The signer's status, or SC_ERR_ARGUMENT for methods without a signature. */
SC_API SC_NODISCARD sc_status sc_storage_request_sign(sc_storage_request *request, const sc_env *env,
                                                      const sc_storage_signer *signer);

SC_API_END

#endif
