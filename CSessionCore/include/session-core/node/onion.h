/* Onion requests, the side of a node: reading what arrives, opening one layer, and replying.
 *
 * A block borrows the bytes it was read from. An opened layer owns what it shows, until
 * sc_onion_layer_free. Objects belong to one thread at a time. */
#ifndef SC_NODE_ONION_H
#define SC_NODE_ONION_H

#include "../network/onion.h"

SC_API_BEGIN

#define SC_ONION_MAX_HOP_NUMBER 15                            /* a request that came further goes nowhere */
#define SC_ONION_MAX_CONTROL_BYTES ((size_t)16 * 1024)        /* of the JSON behind a ciphertext */
#define SC_ONION_MAX_REPLY_BYTES (SC_ONION_MAX_BYTES / 4 * 3) /* of a node's, before base64 */

/* One layer as it travels. */
typedef struct sc_onion_block {
  sc_hop_cipher cipher;
  uint8_t ephemeral_key[SC_KEY_BYTES];
  unsigned hop_number; /* up to SC_ONION_MAX_HOP_NUMBER + 1, which stands for all that is more */
  sc_bytes sealed;
} sc_onion_block;

typedef enum sc_onion_reader {
  SC_ONION_AT_NODE,   /* keys are hexadecimal */
  SC_ONION_AT_SERVER, /* keys are hexadecimal, base64 or base32z */
} sc_onion_reader;

/* Reads what a client sends to the first hop, or the last hop to a server. SC_ERR_TOO_LARGE over `max_len`
 * (SC_ONION_MAX_BYTES where nothing else is agreed); SC_ERR_ONION_BLOCK when it is cut off or its control
 * part is no JSON object; SC_ERR_ONION_CONTROL for a control part that lacks something or has it wrong;
 * SC_ERR_CIPHER. */
SC_API SC_NODISCARD sc_status sc_onion_block_parse(sc_onion_block *out, sc_onion_reader at, size_t max_len,
                                                   sc_bytes bytes);

/* The form in which one hop hands a layer to the next. SC_ERR_ONION_BLOCK, SC_ERR_ONION_CONTROL,
 * SC_ERR_CIPHER, SC_ERR_TOO_LARGE; SC_ERR_ONION_HOPS when it came too far. */
SC_API SC_NODISCARD sc_status sc_onion_relay_parse(sc_onion_block *out, sc_bytes bytes);
SC_API SC_NODISCARD sc_status sc_onion_relay_write(sc_buffer *out, const sc_onion_block *block);

typedef enum sc_onion_role {
  SC_ONION_FINAL, /* the request is for this node */
  SC_ONION_RELAY, /* for the next node */
  SC_ONION_PROXY, /* for a server */
} sc_onion_role;

/* One opened layer. */
typedef struct sc_onion_layer {
  sc_onion_role role;
  sc_bytes payload;                  /* final: the storage request; proxy: the body to post */
  bool wants_json;                   /* final: a reply that is JSON is embedded, not made a text */
  bool wants_base64;                 /* final */
  uint8_t destination[SC_KEY_BYTES]; /* relay: the Ed25519 key of the next node */
  sc_onion_block next;               /* relay: what to hand on */
  sc_onion_url url;                  /* proxy: where to post; it has been checked */
  sc_json *document;
  sc_buffer plaintext;
} sc_onion_layer;

/* Opens the layer that is for the node of this pair. SC_ERR_KEY_INVALID, SC_ERR_TRUNCATED and SC_ERR_DECRYPT
 * when it does not open; SC_ERR_ONION_BLOCK, SC_ERR_ONION_CONTROL and SC_ERR_CIPHER when what is in it cannot
 * be read; SC_ERR_ONION_URL for a server that requests may not go to; SC_ERR_ONION_LOOP when the next node is
 * this one. Then there is nothing to free. */
SC_API SC_NODISCARD sc_status sc_onion_peel(sc_onion_layer *out, const sc_env *env,
                                            const sc_onion_block *block, const sc_keypair *node);
SC_API void sc_onion_layer_free(sc_onion_layer *layer);

typedef struct sc_onion_answer {
  int status;
  sc_bytes body;   /* text */
  bool is_json;    /* the body is JSON, which is embedded when it was asked for */
  bool wants_json; /* the two wishes of the request */
  bool wants_base64;
} sc_onion_answer;

/* Replaces `out` with a node's reply to the client who sealed `block`; its outer status is always 200.
 * SC_ERR_ARGUMENT for a status out of range, SC_ERR_UTF8, SC_ERR_KEY_INVALID, SC_ERR_TOO_LARGE over
 * SC_ONION_MAX_REPLY_BYTES. */
SC_API SC_NODISCARD sc_status sc_onion_reply_seal(sc_buffer *out, const sc_env *env,
                                                  const sc_onion_block *block, const sc_x25519_pair *node,
                                                  const sc_onion_answer *answer);

/* The same with what a server wrote with sc_onion_response_write, or with any bytes. */
SC_API SC_NODISCARD sc_status sc_onion_reply_seal_raw(sc_buffer *out, const sc_env *env,
                                                      const sc_onion_block *block, const sc_x25519_pair *mine,
                                                      sc_bytes reply);

/* Replaces `out` with the reply to a block that was refused: by sc_onion_block_parse or sc_onion_relay_parse
 * when `arrival` says so (then `block` is not looked at), otherwise by sc_onion_peel. `*code` is the status
 * that goes with it. It is sealed for the client where the layer did open, and plain text where it did not.
 * SC_ERR_ARGUMENT for SC_OK; SC_ERR_NO_MEMORY comes back, because it refuses nothing. */
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
