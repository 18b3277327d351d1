/* Storage requests, the side of a node: judging those that arrive, and writing replies.
 *
 * Nothing here keeps anything; one thread at a time. */
#ifndef SC_NODE_STORAGE_H
#define SC_NODE_STORAGE_H

#include "../network/storage_auth.h"
#include "../network/storage_reply.h"

SC_API_BEGIN

/* What a node judges by. */
typedef struct sc_storage_judge {
  uint64_t now;
  bool forwarded; /* by another node of the swarm: its clock may differ too */
  /* Whether the owner took the subaccount's rights back; may be NULL. */
  bool (*is_revoked)(void *user, const uint8_t *account, const uint8_t *token);
  void *user;
} sc_storage_judge;

/* What the requester may do, where that is less than requested. */
typedef struct sc_storage_grant {
  bool extend_only; /* of expire: the mode is SC_STORAGE_EXPIRE_EXTEND, whatever was asked */
} sc_storage_grant;

/* Judges a request that has an account, which the caller knows to be of its swarm. Others need no leave: the
 * requests in a batch or a branch are judged one by one, with this again, before each is carried out.
 * SC_ERR_STORAGE_LIFETIME, SC_ERR_STORAGE_CLOCK, SC_ERR_STORAGE_UNAUTHORIZED; SC_ERR_STORAGE_PARAMETER for a
 * member that would shorten lives and may only extend them. */
SC_API SC_NODISCARD sc_status sc_storage_request_authorize(sc_storage_grant *out, const sc_env *env,
                                                           const sc_storage_request *request,
                                                           const sc_storage_judge *judge);

/* Replaces `out` with the body of a reply. */
SC_API SC_NODISCARD sc_status sc_storage_reply_write(sc_buffer *out, sc_storage_form form,
                                                     const sc_storage_request *request,
                                                     const sc_storage_reply *reply);

/* Replaces `out` with the body that goes with code 421: the swarm to ask instead. */
SC_API SC_NODISCARD sc_status sc_storage_swarm_write(sc_buffer *out, sc_storage_form form,
                                                     const sc_storage_swarm *swarm,
                                                     const sc_storage_clock *clock);

SC_API_END

#endif
