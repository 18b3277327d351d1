/* Replies of storage nodes: one type for each call, read and written as JSON and as bt.
 *
 * A parsed reply belongs to its sc_storage_parsed_reply, borrows the parsed bytes, and is released with
 * sc_storage_parsed_reply_free. A reply that is written borrows what it points to. A node can invent
 * statements about other nodes, but not their signatures (sc_storage_reply_verify), nor messages that match
 * their hash. One thread at a time. */
#ifndef SC_NETWORK_STORAGE_REPLY_H
#define SC_NETWORK_STORAGE_REPLY_H

#include "storage_auth.h"
#include "storage_nodes.h"

SC_API_BEGIN

#define SC_STORAGE_MAX_MESSAGES 131072 /* in one reply */

/* Statements of a node about itself. Invalid ones (an impossible time, a malformed fork) read as 0 and do not
 * make the reply invalid. */
typedef struct sc_storage_clock {
  bool has_time;
  uint64_t time;
  bool has_fork;
  uint16_t fork[2]; /* hard fork and revision */
} sc_storage_clock;

/* Computes how far the node's clock is ahead of ours, from our times of the request and the reply. False if
 * the node did not state its time, or is more than ten years off. */
SC_API bool sc_storage_clock_offset(int64_t *out, const sc_storage_clock *clock, uint64_t sent,
                                    uint64_t received);

/* A message that was deleted or got another expiry. */
typedef struct sc_storage_change {
  sc_bytes hash;
  int16_t number;  /* of its namespace, if the request covered all namespaces */
  uint64_t expiry; /* for expire */
} sc_storage_change;

typedef struct sc_storage_changes {
  const sc_storage_change *list; /* ascending by namespace, if there are several, then by hash */
  size_t count;
} sc_storage_changes;

/* The result of one member of the swarm. Its signature covers hashes and expiry times; the node that replied
 * can forge the rest. */
typedef struct sc_storage_member {
  uint8_t node[SC_KEY_BYTES]; /* its Ed25519 key */
  bool failed; /* true if it failed; the five members below have the reason, and nothing else counts */
  bool timed_out;
  bool bad_peer_response;
  bool query_failure;
  int code; /* 0 if not stated */
  sc_bytes reason;
  uint8_t signature[SC_SIGNATURE_BYTES];
  sc_bytes hash;                /* for store */
  uint64_t expiry;              /* for store; for expire with a single expiry */
  bool already;                 /* for store */
  sc_storage_changes changed;   /* messages deleted, or with another expiry */
  sc_storage_changes unchanged; /* for expire, with a mode or by a signer who may only extend */
  uint64_t count;               /* for unrevoke */
} sc_storage_member;

typedef struct sc_storage_members {
  const sc_storage_member *list;
  size_t count;
} sc_storage_members;

typedef struct sc_storage_message {
  sc_bytes hash;
  uint64_t timestamp;
  uint64_t expiry;
  sc_bytes data;
  bool dropped; /* its data does not match this hash, or it is a duplicate: use it only as a cursor */
} sc_storage_message;

typedef struct sc_storage_messages {
  const sc_storage_message *list;
  size_t count;
  bool more; /* there are more messages: continue after the last hash */
} sc_storage_messages;

typedef struct sc_storage_token_list {
  const uint8_t (*list)[SC_STORAGE_TOKEN_BYTES];
  size_t count;
} sc_storage_token_list;

typedef struct sc_storage_swarm {
  uint64_t id;
  sc_storage_node_list nodes;
} sc_storage_swarm;

typedef struct sc_storage_service_nodes {
  bool unchanged; /* since the block of the poll; then there is no list */
  uint64_t height;
  sc_bytes block_hash;
  sc_storage_node_list nodes;
} sc_storage_service_nodes;

typedef struct sc_storage_name {
  bool registered;
  sc_bytes encrypted;
  uint8_t nonce[24];
} sc_storage_name;

typedef struct sc_storage_info {
  uint16_t version[3];
  uint64_t timestamp;
} sc_storage_info;

typedef struct sc_storage_reply sc_storage_reply;

/* The reply to one request of a batch. */
typedef struct sc_storage_result {
  int code;
  sc_status status;              /* SC_OK, or why the rest could not be read */
  const sc_storage_reply *reply; /* for codes 200 to 299, and 404 for a deletion */
  const sc_storage_swarm *swarm; /* for code 421 */
  sc_bytes text;                 /* for other codes */
} sc_storage_result;

typedef struct sc_storage_results {
  const sc_storage_result *list; /* a sequence may have fewer results than requests */
  size_t count;
} sc_storage_results;

typedef struct sc_storage_outcome {
  bool condition;
  uint64_t height;
  uint16_t version[3];
  const sc_storage_result *result; /* NULL if nothing was to be done */
} sc_storage_outcome;

struct sc_storage_reply {
  sc_storage_clock clock;
  union {
    sc_storage_members members; /* for the recursive methods */
    sc_storage_messages messages;
    sc_storage_changes expiries;
    sc_storage_token_list tokens;
    sc_storage_swarm swarm;
    sc_storage_service_nodes service_nodes;
    sc_storage_name name;
    sc_storage_info info;
    sc_storage_node_list active_nodes;
    sc_storage_results results;
    sc_storage_outcome outcome;
  } of;
};

typedef struct sc_storage_parsed_reply {
  sc_storage_reply reply;
  sc_storage_memory *memory;
} sc_storage_parsed_reply;

/* Parses the body of a reply with a success code (or 404, for a deletion). Active nodes are binary.
 * SC_ERR_STORAGE_REPLY for a body that is no reply to this request, SC_ERR_TOO_LARGE. */
SC_API SC_NODISCARD sc_status sc_storage_reply_parse(sc_storage_parsed_reply *out, const sc_env *env,
                                                     const sc_storage_request *request, sc_bytes body);
SC_API void sc_storage_parsed_reply_free(sc_storage_parsed_reply *reply);

typedef struct sc_storage_parsed_swarm {
  sc_storage_swarm swarm;
  sc_storage_clock clock;
  sc_storage_memory *memory;
} sc_storage_parsed_swarm;

/* Parses the body of a reply with code 421: the swarm to use instead. SC_ERR_STORAGE_SWARM if it has no
 * usable node. */
SC_API SC_NODISCARD sc_status sc_storage_swarm_parse(sc_storage_parsed_swarm *out, const sc_env *env,
                                                     sc_bytes body);
SC_API void sc_storage_parsed_swarm_free(sc_storage_parsed_swarm *swarm);

/* Replaces `out` with the bytes that a member's signature covers: parts of the request and the member's
 * result. */
SC_API SC_NODISCARD sc_status sc_storage_member_signed(sc_buffer *out, const sc_storage_request *request,
                                                       const sc_storage_member *member);

/* Signs this node's result. SC_ERR_ARGUMENT for changes that are not in ascending order, or for a method
 * without members. */
SC_API SC_NODISCARD sc_status sc_storage_member_sign(sc_storage_member *member, const sc_env *env,
                                                     const sc_storage_request *request,
                                                     const sc_ed25519_pair *node);

typedef struct sc_storage_tally {
  size_t members;   /* number of members that count */
  size_t succeeded; /* members whose signed result is a success */
  bool enough;      /* true if the method's rule is met */
} sc_storage_tally;

/* Verifies the signatures of all members that did not fail. Exactly the nodes in `keepers` count; one that is
 * missing in the reply did nothing. NULL accepts all nodes in the reply, which the replying node can invent.
 * SC_ERR_STORAGE_NODE_SIGNATURE if a signature is wrong, or a node stored something else: ignore the whole
 * reply then. SC_ERR_ARGUMENT for methods without members: verify the replies inside a batch one by one. */
SC_API SC_NODISCARD sc_status sc_storage_reply_verify(sc_storage_tally *out, const sc_env *env,
                                                      const sc_storage_request *request,
                                                      const sc_storage_reply *reply,
                                                      const sc_storage_keepers *keepers);

SC_API_END

#endif
