/* Storage requests, node side: authorising requests and writing replies.
 *
 * Nothing is stored here. One thread at a time. */
#ifndef SC_NODE_STORAGE_H
#define SC_NODE_STORAGE_H

#include "../network/storage_auth.h"
#include "../network/storage_reply.h"

SC_API_BEGIN

/* The facts on which a node bases its decision. */
typedef struct sc_storage_judge {
  uint64_t now;
  bool forwarded; /* true if another node of the swarm forwarded it; that node's clock may differ too */
  /* True if the owner revoked the subaccount; may be NULL. */
  bool (*is_revoked)(void *user, const uint8_t *account, const uint8_t *token);
  void *user;
} sc_storage_judge;

/* The rights of the signer, if less than requested. */
typedef struct sc_storage_grant {
  bool extend_only; /* for expire: the mode is SC_STORAGE_EXPIRE_EXTEND, even if another was requested */
} sc_storage_grant;

/* Judges a request for an account that belongs to the caller's swarm. Other requests need no authorisation;
 * requests in a batch or branch are judged one by one before each is carried out. SC_ERR_STORAGE_LIFETIME,
 * SC_ERR_STORAGE_CLOCK, SC_ERR_STORAGE_UNAUTHORIZED; SC_ERR_STORAGE_PARAMETER for a member that would
 * shorten lifetimes but may only extend them. */
SC_API SC_NODISCARD sc_status sc_storage_request_authorize(sc_storage_grant *out, const sc_env *env,
                                                           const sc_storage_request *request,
                                                           const sc_storage_judge *judge);

/* Replaces `out` with the body of a reply. */
SC_API SC_NODISCARD sc_status sc_storage_reply_write(sc_buffer *out, sc_storage_form form,
                                                     const sc_storage_request *request,
                                                     const sc_storage_reply *reply);

/* Replaces `out` with the body for code 421: the swarm to use instead. */
SC_API SC_NODISCARD sc_status sc_storage_swarm_write(sc_buffer *out, sc_storage_form form,
                                                     const sc_storage_swarm *swarm,
                                                     const sc_storage_clock *clock);

SC_API_END

#endif
