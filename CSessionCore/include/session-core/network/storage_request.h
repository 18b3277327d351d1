/* Requests to storage nodes: one type for each call, written and read as JSON and as bt.
 *
 * A request that is written borrows everything it points to. A parsed request belongs to its
 * sc_storage_parsed_request, borrows the parsed bytes, and is released with sc_storage_parsed_request_free.
 * Times are in milliseconds since 1970; the caller provides the clock. One thread at a time. */
#ifndef SC_NETWORK_STORAGE_REQUEST_H
#define SC_NETWORK_STORAGE_REQUEST_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/keys.h"
#include "../crypto/signature.h"
#include "../crypto/subaccount.h"

SC_API_BEGIN

#define SC_STORAGE_ACCOUNT_BYTES 33 /* a prefix and a key */
#define SC_STORAGE_TOKEN_BYTES SC_SUBACCOUNT_TOKEN_BYTES
#define SC_STORAGE_HASH_CHARS 43
#define SC_STORAGE_MAX_BYTES ((size_t)10 * 1024 * 1024) /* of a request or a reply */
#define SC_STORAGE_MAX_DATA_BYTES 76800                 /* of a message */
#define SC_STORAGE_MAX_HASHES 65536                     /* in one request */
#define SC_STORAGE_MAX_TOKENS 50                        /* in one request; a returned list may be as long */
#define SC_STORAGE_MAX_BATCH 20                         /* requests in one batch or sequence */
#define SC_STORAGE_MAX_BRANCHES 8                       /* nested conditional requests */
#define SC_STORAGE_RETRIEVE_MAX_BYTES 7800000 /* the size limit of one retrieve, as nodes count it */

typedef enum sc_storage_method {
  SC_STORAGE_STORE,
  SC_STORAGE_RETRIEVE,
  SC_STORAGE_DELETE,
  SC_STORAGE_DELETE_ALL,
  SC_STORAGE_DELETE_BEFORE,
  SC_STORAGE_EXPIRE,
  SC_STORAGE_EXPIRE_ALL,
  SC_STORAGE_GET_EXPIRIES,
  SC_STORAGE_REVOKE,
  SC_STORAGE_UNREVOKE,
  SC_STORAGE_REVOKED,
  SC_STORAGE_GET_SWARM,
  SC_STORAGE_SERVICE_NODES, /* the daemon's list, through oxend_request */
  SC_STORAGE_NAME,          /* a name's record, through oxend_request */
  SC_STORAGE_INFO,
  SC_STORAGE_ACTIVE_NODES,
  SC_STORAGE_BATCH,
  SC_STORAGE_SEQUENCE,
  SC_STORAGE_BRANCH, /* ifelse */
} sc_storage_method;

/* Returns the name, such as "store"; both methods of the daemon are "oxend_request". */
SC_API const char *sc_storage_method_name(sc_storage_method method);

/* True if the node that gets the request forwards it to its whole swarm. */
SC_API bool sc_storage_method_is_recursive(sc_storage_method method);

/* True if the request is about one account and must go to its swarm. */
SC_API bool sc_storage_method_has_account(sc_storage_method method);

typedef enum sc_storage_form {
  SC_STORAGE_JSON,
  SC_STORAGE_BT,
} sc_storage_form;

typedef struct sc_storage_namespace {
  int16_t number;
  bool all; /* all namespaces of the account, where allowed */
} sc_storage_namespace;

/* The rights in a namespace of accounts other than the owner and its subaccounts. */
typedef enum sc_storage_access {
  SC_STORAGE_ACCESS_PRIVATE,
  SC_STORAGE_ACCESS_INBOX,        /* anyone stores */
  SC_STORAGE_ACCESS_OUTBOX,       /* anyone retrieves; holds only one message */
  SC_STORAGE_ACCESS_UNREVOCABLE,  /* private, but revoked subaccounts may still retrieve */
  SC_STORAGE_ACCESS_LEGACY_GROUP, /* anyone stores and retrieves */
} sc_storage_access;

SC_API sc_storage_access sc_storage_namespace_access(int16_t number);

/* Returns the longest lifetime of a message in a namespace, in milliseconds. */
SC_API uint64_t sc_storage_namespace_max_ttl(int16_t number);

typedef struct sc_storage_auth {
  bool has_signature;
  uint8_t signature[SC_SIGNATURE_BYTES];
  bool has_ed25519; /* the signing key, for accounts whose id is an X25519 key */
  uint8_t ed25519[SC_KEY_BYTES];
  bool has_subaccount;
  uint8_t subaccount[SC_STORAGE_TOKEN_BYTES];
  uint8_t subaccount_signature[SC_SIGNATURE_BYTES]; /* the owner's signature of the token */
} sc_storage_auth;

typedef struct sc_storage_hashes {
  const sc_bytes *list;
  size_t count;
} sc_storage_hashes;

typedef struct sc_storage_store {
  int16_t number; /* of the namespace */
  uint64_t timestamp;
  uint64_t expiry;
  uint64_t signed_at; /* 0 selects the timestamp */
  sc_bytes data;
} sc_storage_store;

typedef struct sc_storage_retrieve {
  int16_t number;
  sc_bytes last_hash; /* empty for none */
  uint64_t max_count; /* 0 for no limit */
  int64_t max_size;   /* bytes, or -k for the k-th part of the maximum, or 0 */
  uint64_t signed_at; /* 0 without a signature */
} sc_storage_retrieve;

typedef struct sc_storage_deletion {
  sc_storage_hashes hashes;
  bool required; /* 404 if nothing was deleted anywhere; not forwarded to other nodes */
} sc_storage_deletion;

/* delete_all: signed_at; delete_before: messages not newer than `time`; expire_all: messages that would live
 * longer. */
typedef struct sc_storage_sweep {
  sc_storage_namespace where;
  uint64_t time;
} sc_storage_sweep;

typedef enum sc_storage_expire_mode {
  SC_STORAGE_EXPIRE_SET,
  SC_STORAGE_EXPIRE_SHORTEN,
  SC_STORAGE_EXPIRE_EXTEND,
} sc_storage_expire_mode;

typedef struct sc_storage_expire {
  sc_storage_hashes hashes;
  const uint64_t *expiries; /* one for all, or one for each hash */
  size_t expiry_count;
  sc_storage_expire_mode mode;
} sc_storage_expire;

typedef struct sc_storage_expiries {
  sc_storage_hashes hashes;
  uint64_t signed_at;
} sc_storage_expiries;

typedef struct sc_storage_tokens {
  const uint8_t (*list)[SC_STORAGE_TOKEN_BYTES];
  size_t count;
  uint64_t signed_at;
} sc_storage_tokens;

typedef struct sc_storage_service_nodes_request {
  bool active_only;
  uint64_t limit;           /* 0 for none */
  sc_bytes poll_block_hash; /* hexadecimal, from the last list; empty for none */
  uint32_t fields;          /* a bit for each requested field of a node; 0 for all */
} sc_storage_service_nodes_request;

typedef struct sc_storage_name_request {
  uint8_t name_hash[32];
} sc_storage_name_request;

typedef struct sc_storage_request sc_storage_request;

typedef struct sc_storage_batch {
  const sc_storage_request *requests; /* none of them a batch, a sequence or a branch */
  size_t count;
} sc_storage_batch;

typedef struct sc_storage_conditions {
  bool has_fork_at_least, has_fork_before;
  uint16_t fork_at_least[2], fork_before[2];
  bool has_version_at_least, has_version_before;
  uint16_t version_at_least[3], version_before[3];
  bool has_height_at_least, has_height_before;
  uint64_t height_at_least, height_before;
} sc_storage_conditions;

typedef struct sc_storage_branch {
  sc_storage_conditions conditions; /* all must hold; at least one */
  const sc_storage_request *then;   /* NULL for nothing; at least one of both is set */
  const sc_storage_request *otherwise;
} sc_storage_branch;

struct sc_storage_request {
  sc_storage_method method;
  uint8_t account[SC_STORAGE_ACCOUNT_BYTES];
  sc_storage_auth auth;
  union {
    sc_storage_store store;
    sc_storage_retrieve retrieve;
    sc_storage_deletion deletion;
    sc_storage_sweep sweep;
    sc_storage_expire expire;
    sc_storage_expiries expiries;
    sc_storage_tokens tokens; /* for REVOKED no list */
    sc_storage_service_nodes_request service_nodes;
    sc_storage_name_request name;
    sc_storage_batch batch;
    sc_storage_branch branch;
  } of;
};

/* Replaces `out` with only the parameters; QUIC sends the method's name separately. SC_ERR_STORAGE_PARAMETER
 * for a request that sc_storage_request_parse would refuse. */
SC_API SC_NODISCARD sc_status sc_storage_request_write(sc_buffer *out, sc_storage_form form,
                                                       const sc_storage_request *request);

/* Replaces `out` with method and parameters in JSON, for onion requests. */
SC_API SC_NODISCARD sc_status sc_storage_call_write(sc_buffer *out, const sc_storage_request *request);

/* The memory of parsed requests and replies. */
typedef struct sc_storage_memory sc_storage_memory;

typedef struct sc_storage_parsed_request {
  sc_storage_request request;
  sc_storage_form form; /* the reply should use the same form */
  sc_storage_memory *memory;
} sc_storage_parsed_request;

/* Parses the parameters of a method. SC_ERR_STORAGE_SYNTAX for neither JSON nor bt, SC_ERR_STORAGE_METHOD,
 * SC_ERR_STORAGE_PARAMETER, SC_ERR_STORAGE_BATCH for nested batches and too many requests, SC_ERR_TOO_LARGE.
 * Nothing is verified: see sc_storage_request_authorize. */
SC_API SC_NODISCARD sc_status sc_storage_request_parse(sc_storage_parsed_request *out, const sc_env *env,
                                                       sc_bytes method, sc_bytes parameters);

/* Parses method and parameters in JSON. The same failures, and SC_ERR_STORAGE_NO_METHOD,
 * SC_ERR_STORAGE_NO_PARAMETERS. */
SC_API SC_NODISCARD sc_status sc_storage_call_parse(sc_storage_parsed_request *out, const sc_env *env,
                                                    sc_bytes call);
/* Replaces `out` with the name of the first unknown method in a request, for an error text. `method` belongs
 * to the parameters in `body`; it is empty if `body` is a call in JSON. SC_ERR_NOT_FOUND. */
SC_API SC_NODISCARD sc_status sc_storage_unknown_method(sc_buffer *out, const sc_env *env, sc_bytes method,
                                                        sc_bytes body);
SC_API void sc_storage_parsed_request_free(sc_storage_parsed_request *request);

/* Computes the hash of a stored message: SC_STORAGE_HASH_CHARS characters and a NUL. */
SC_API void sc_storage_message_hash(char out[SC_AT_LEAST(44)], const uint8_t account[SC_AT_LEAST(33)],
                                    int16_t number, sc_bytes data);

/* Returns the most bytes that a retrieve may return, as counted by sc_storage_message_cost; at least one
 * message is always returned. */
SC_API uint64_t sc_storage_retrieve_budget(const sc_storage_retrieve *retrieve);
SC_API uint64_t sc_storage_message_cost(size_t hash_chars, size_t data_bytes);

SC_API_END

#endif
