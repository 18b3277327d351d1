/* Onion requests, node side: reading them, peeling one layer, and replying.
 *
 * A block borrows the parsed bytes. A peeled layer owns its content until sc_onion_layer_free. One thread at
 * a time. */
#ifndef SC_NODE_ONION_H
#define SC_NODE_ONION_H

#include "../network/onion.h"

SC_API_BEGIN

#define SC_ONION_MAX_HOP_NUMBER 15                     /* requests with a greater hop number are refused */
#define SC_ONION_MAX_CONTROL_BYTES ((size_t)16 * 1024) /* of the JSON after a ciphertext */
#define SC_ONION_MAX_REPLY_BYTES (SC_ONION_MAX_BYTES / 4 * 3) /* of a node's reply, before base64 */

/* One encrypted layer. */
typedef struct sc_onion_block {
  sc_hop_cipher cipher;
  uint8_t ephemeral_key[SC_KEY_BYTES];
  unsigned hop_number; /* up to SC_ONION_MAX_HOP_NUMBER + 1, which stands for all greater numbers */
  sc_bytes sealed;
} sc_onion_block;

typedef enum sc_onion_reader {
  SC_ONION_AT_NODE,   /* keys are hexadecimal */
  SC_ONION_AT_SERVER, /* keys are hexadecimal, base64 or base32z */
} sc_onion_reader;

/* Reads a request from a client to the guard, or from the last hop to a server. SC_ERR_TOO_LARGE over
 * `max_len` (usually SC_ONION_MAX_BYTES); SC_ERR_ONION_BLOCK if it is truncated or its control part is not a
 * JSON object; SC_ERR_ONION_CONTROL for a missing or invalid field of the control part; SC_ERR_CIPHER. */
SC_API SC_NODISCARD sc_status sc_onion_block_parse(sc_onion_block *out, sc_onion_reader at, size_t max_len,
                                                   sc_bytes bytes);

/* Reads a layer that another hop relayed. SC_ERR_ONION_BLOCK, SC_ERR_ONION_CONTROL, SC_ERR_CIPHER,
 * SC_ERR_TOO_LARGE; SC_ERR_ONION_HOPS if the hop number is too great. */
SC_API SC_NODISCARD sc_status sc_onion_relay_parse(sc_onion_block *out, sc_bytes bytes);
SC_API SC_NODISCARD sc_status sc_onion_relay_write(sc_buffer *out, const sc_onion_block *block);

typedef enum sc_onion_role {
  SC_ONION_FINAL, /* the request is for this node */
  SC_ONION_RELAY, /* for the next node */
  SC_ONION_PROXY, /* for a server */
} sc_onion_role;

/* A peeled layer. */
typedef struct sc_onion_layer {
  sc_onion_role role;
  sc_bytes payload;                  /* final: the storage request; proxy: the body to post */
  bool wants_json;                   /* final: embed a JSON reply instead of quoting it as text */
  bool wants_base64;                 /* final: encode the reply in base64 */
  uint8_t destination[SC_KEY_BYTES]; /* relay: the Ed25519 key of the next node */
  sc_onion_block next;               /* relay: the block for the next node */
  sc_onion_url url;                  /* proxy: the address to post to, already checked */
  sc_json *document;
  sc_buffer plaintext;
} sc_onion_layer;

/* Decrypts the layer for the node with this pair. SC_ERR_KEY_INVALID, SC_ERR_TRUNCATED and SC_ERR_DECRYPT if
 * it does not decrypt; SC_ERR_ONION_BLOCK, SC_ERR_ONION_CONTROL and SC_ERR_CIPHER if its content is invalid;
 * SC_ERR_ONION_URL for a forbidden server; SC_ERR_ONION_LOOP if the next node is this one. After a failure
 * there is nothing to free. */
SC_API SC_NODISCARD sc_status sc_onion_peel(sc_onion_layer *out, const sc_env *env,
                                            const sc_onion_block *block, const sc_keypair *node);
SC_API void sc_onion_layer_free(sc_onion_layer *layer);

typedef struct sc_onion_answer {
  int status;
  sc_bytes body;   /* text */
  bool is_json;    /* true if the body is JSON, which is embedded if requested */
  bool wants_json; /* options of the request, both */
  bool wants_base64;
  bool padded; /* padded with spaces to one of a few sizes */
} sc_onion_answer;

/* Replaces `out` with a node's reply to the client that encrypted `block`; its outer status is always 200.
 * SC_ERR_ARGUMENT for a status out of range, SC_ERR_UTF8, SC_ERR_KEY_INVALID, SC_ERR_TOO_LARGE over
 * SC_ONION_MAX_REPLY_BYTES. */
SC_API SC_NODISCARD sc_status sc_onion_reply_seal(sc_buffer *out, const sc_env *env,
                                                  const sc_onion_block *block, const sc_x25519_pair *node,
                                                  const sc_onion_answer *answer);

/* The same for the result of sc_onion_response_write, or any other bytes. */
SC_API SC_NODISCARD sc_status sc_onion_reply_seal_raw(sc_buffer *out, const sc_env *env,
                                                      const sc_onion_block *block, const sc_x25519_pair *mine,
                                                      sc_bytes reply);

/* Replaces `out` with the reply to a refused block: refused by sc_onion_block_parse or sc_onion_relay_parse
 * if `arrival` is true (`block` is then ignored), otherwise by sc_onion_peel. `*code` is the matching status.
 * The reply is encrypted for the client if the layer decrypted, otherwise plain text. SC_ERR_ARGUMENT for
 * SC_OK; SC_ERR_NO_MEMORY is returned unchanged, because it is not a refusal. */
typedef enum sc_onion_arrival {
  SC_ONION_FROM_CLIENT,
  SC_ONION_FROM_NODE,
  SC_ONION_PEELING,
} sc_onion_arrival;

SC_API SC_NODISCARD sc_status sc_onion_refuse(sc_buffer *out, int *code, const sc_env *env,
                                              sc_onion_arrival arrival, sc_status why,
                                              const sc_onion_block *block, const sc_keypair *node);

SC_API_END

#endif
