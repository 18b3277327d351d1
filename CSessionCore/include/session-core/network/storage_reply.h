/* What storage nodes reply: one type for each call, read and written as JSON and as bt.
 *
 * A reply that was read lives in its sc_storage_parsed_reply, borrows the bytes it was read from, and is
 * released with sc_storage_parsed_reply_free. One that is written borrows what it points at. One thread at a
 * time. What a node says about others it can make up; what it signed (sc_storage_reply_verify), and
 * messages whose hash fits, it cannot. */
#ifndef SC_NETWORK_STORAGE_REPLY_H
#define SC_NETWORK_STORAGE_REPLY_H

#include "storage_auth.h"
#include "storage_nodes.h"

SC_API_BEGIN

#define SC_STORAGE_MAX_MESSAGES 131072 /* in one reply */

/* What a node says about itself in passing. What makes no sense (a time that is none, a fork that is not two
 * numbers) counts as not said, is 0 here, and does not make the reply a wrong one. */
typedef struct sc_storage_clock {
  bool has_time;
  uint64_t time;
  bool has_fork;
  uint16_t fork[2]; /* hard fork and revision */
} sc_storage_clock;

/* How far the node's clock is ahead of ours, given when by ours the request was sent and the reply came.
 * False when the node did not say, or is more than ten years away. */
SC_API bool sc_storage_clock_offset(int64_t *out, const sc_storage_clock *clock, uint64_t sent,
                                    uint64_t received);

/* One message that was deleted or whose life was changed. */
typedef struct sc_storage_change {
  sc_bytes hash;
  int16_t number;  /* of its namespace, when the request was about all of them */
  uint64_t expiry; /* of expire */
} sc_storage_change;

typedef struct sc_storage_changes {
  const sc_storage_change *list; /* ascending: by namespace when there are several, then by hash */
  size_t count;
} sc_storage_changes;

/* What one node of the swarm did. Its signature covers hashes and expiry times; the node that replied can
 * forge the rest. */
typedef struct sc_storage_member {
  uint8_t node[SC_KEY_BYTES]; /* its Ed25519 key */
  bool failed;                /* then one of the five below says how, and nothing else counts */
  bool timed_out;
  bool bad_peer_response;
  bool query_failure;
  int code; /* 0 when not said */
  sc_bytes reason;
  uint8_t signature[SC_SIGNATURE_BYTES];
  sc_bytes hash;                /* store */
  uint64_t expiry;              /* store; expire, when one was asked for */
  bool already;                 /* store */
  sc_storage_changes changed;   /* what was deleted, or given another life */
  sc_storage_changes unchanged; /* expire, with a mode or by an extend-only signer */
  uint64_t count;               /* unrevoke */
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
  bool dropped; /* its data does not have this hash, or it came before: only good to go on from */
} sc_storage_message;

typedef struct sc_storage_messages {
  const sc_storage_message *list;
  size_t count;
  bool more; /* ask again from the last hash */
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
  bool unchanged; /* since the block that was polled for; then there is no list */
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

/* The answer to one request of a batch. */
typedef struct sc_storage_result {
  int code;
  sc_status status;              /* SC_OK, or why what follows could not be read */
  const sc_storage_reply *reply; /* of 200 to 299, and of 404 to a deletion */
  const sc_storage_swarm *swarm; /* of 421 */
  sc_bytes text;                 /* of everything else */
} sc_storage_result;

typedef struct sc_storage_results {
  const sc_storage_result *list; /* of a sequence perhaps fewer than were asked */
  size_t count;
} sc_storage_results;

typedef struct sc_storage_outcome {
  bool condition;
  uint64_t height;
  uint16_t version[3];
  const sc_storage_result *result; /* NULL when there was nothing to do */
} sc_storage_outcome;

struct sc_storage_reply {
  sc_storage_clock clock;
  union {
    sc_storage_members members; /* of the recursive methods */
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

/* Reads the body that came with a code of success (or 404, of a deletion). The active nodes come in binary.
 * SC_ERR_STORAGE_REPLY for what is no reply to this request, SC_ERR_TOO_LARGE. */
SC_API SC_NODISCARD sc_status sc_storage_reply_parse(sc_storage_parsed_reply *out, const sc_env *env,
                                                     const sc_storage_request *request, sc_bytes body);
SC_API void sc_storage_parsed_reply_free(sc_storage_parsed_reply *reply);

typedef struct sc_storage_parsed_swarm {
  sc_storage_swarm swarm;
  sc_storage_clock clock;
  sc_storage_memory *memory;
} sc_storage_parsed_swarm;

/* Reads the body that came with code 421: the swarm to ask instead. SC_ERR_STORAGE_SWARM when it names no
 * node that can be asked. */
SC_API SC_NODISCARD sc_status sc_storage_swarm_parse(sc_storage_parsed_swarm *out, const sc_env *env,
                                                     sc_bytes body);
SC_API void sc_storage_parsed_swarm_free(sc_storage_parsed_swarm *swarm);

/* Replaces `out` with what a member's signature covers: parts of the request, and what the member says it
 * did. */
SC_API SC_NODISCARD sc_status sc_storage_member_signed(sc_buffer *out, const sc_storage_request *request,
                                                       const sc_storage_member *member);

/* Signs what this node did. SC_ERR_ARGUMENT for changes that are not in ascending order, or for a method
 * without members. */
SC_API SC_NODISCARD sc_status sc_storage_member_sign(sc_storage_member *member, const sc_env *env,
                                                     const sc_storage_request *request,
                                                     const sc_ed25519_pair *node);

typedef struct sc_storage_tally {
  size_t members;   /* that count */
  size_t succeeded; /* of them, by their own signature */
  bool enough;      /* by the rule of the method */
} sc_storage_tally;

/* Checks the signatures of all members that did not fail. `swarm` are the keys that count: other nodes are
 * ignored, and a node missing from the reply did nothing. NULL accepts the nodes that the reply names, of
 * which the replying node can invent any number. SC_ERR_STORAGE_NODE_SIGNATURE when a signature is wrong, or
 * a node stored something else: then nothing of the reply is to be believed. SC_ERR_ARGUMENT for methods
 * without members: the replies inside of a batch are checked one by one. */
SC_API SC_NODISCARD sc_status sc_storage_reply_verify(sc_storage_tally *out, const sc_env *env,
                                                      const sc_storage_request *request,
                                                      const sc_storage_reply *reply,
                                                      const uint8_t (*swarm)[SC_KEY_BYTES],
                                                      size_t swarm_count);

SC_API_END

#endif
