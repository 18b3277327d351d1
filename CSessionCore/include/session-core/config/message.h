/* Config messages: one revision of a config, its data, its changes, and the changes of the last few
 * revisions. Revisions made at the same time on several devices can therefore be merged into one, identical
 * on all of them byte for byte. Programs that synchronise an account use configs (object.h), which are based
 * on this; this header is for tools that inspect and merge stored messages.
 *
 * Data is a dict of integers, strings, sets of integers and strings, and dicts. Empty sets and dicts are
 * equivalent to none. Messages share data and never copy it; parsed bytes are written unchanged. Messages
 * made from each other share data and belong to one thread at a time. Results are borrowed until the message
 * is edited or freed. */
#ifndef SC_CONFIG_MESSAGE_H
#define SC_CONFIG_MESSAGE_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/keys.h"

SC_API_BEGIN

#define SC_CONFIG_HASH_BYTES 32

/* The number of revisions that a message looks back, including itself. */
#define SC_CONFIG_LAG 5
/* The number of earlier changes in a message. */
#define SC_CONFIG_MAX_LAGGED 256
/* The maximum depth of a value, so that a change of it fits wherever it is repeated. */
#define SC_CONFIG_MAX_PATH 27
#define SC_CONFIG_MAX_SEQNO ((int64_t)1 << 62)

typedef enum sc_config_kind {
  SC_CONFIG_INTEGER,
  SC_CONFIG_STRING,
  SC_CONFIG_SET,
  SC_CONFIG_DICT,
} sc_config_kind;

typedef struct sc_config_value {
  sc_config_kind kind;
  int64_t integer;
  sc_bytes string;
} sc_config_value;

static inline sc_config_value sc_config_integer(int64_t integer) {
  sc_config_value value;
  value.kind = SC_CONFIG_INTEGER;
  value.integer = integer;
  value.string = sc_bytes_make(NULL, 0);
  return value;
}

static inline sc_config_value sc_config_string(sc_bytes string) {
  sc_config_value value;
  value.kind = SC_CONFIG_STRING;
  value.integer = 0;
  value.string = string;
  return value;
}

/* The keys that lead to a value. */
typedef struct sc_config_path {
  const sc_bytes *keys;
  size_t count;
} sc_config_path;

/* The rules for messages of one config. All zeros, or NULL, for the configs of an account, which are
 * unsigned. With a verifier and no signer, messages are read only: of several, one is chosen. */
typedef struct sc_config_rules {
  uint8_t lag;                   /* 0 selects SC_CONFIG_LAG */
  const uint8_t *verifier;       /* 32 bytes, the key of the required signature, or NULL */
  const sc_ed25519_pair *signer; /* or NULL */
  bool trust_signature;          /* without a verifier: keep a signature anyway */
} sc_config_rules;

typedef struct sc_config_message sc_config_message;

/* Parses a message; the bytes are copied. With a verifier, the signature is checked first:
 * SC_ERR_CONFIG_UNSIGNED if there is none at the end, SC_ERR_SIGNATURE. SC_ERR_SIGNATURE_SIZE;
 * SC_ERR_CONFIG_LAYOUT for a missing or misplaced part; SC_ERR_CONFIG_SEQNO, SC_ERR_CONFIG_DATA,
 * SC_ERR_CONFIG_DIFF, SC_ERR_CONFIG_LAGGED for faults inside a part; SC_ERR_TOO_LARGE for more than
 * SC_CONFIG_MAX_LAGGED earlier changes; SC_ERR_BT_DEPTH for a value deeper than SC_CONFIG_MAX_PATH; the bt
 * statuses. */
SC_API SC_NODISCARD sc_status sc_config_message_parse(sc_config_message **out, const sc_env *env,
                                                      sc_bytes bytes, const sc_config_rules *rules);

/* NULL is allowed. */
SC_API void sc_config_message_free(sc_config_message *message);

/* Writes the bytes of a message. With a signer they are signed, unless the message has kept its signature. */
SC_API SC_NODISCARD sc_status sc_config_message_write(sc_buffer *out, const sc_config_message *message,
                                                      const sc_config_rules *rules);

/* Computes the hash of the parsed bytes, otherwise of the written ones. */
SC_API SC_NODISCARD sc_status sc_config_message_hash(uint8_t out[SC_AT_LEAST(32)],
                                                     const sc_config_message *message,
                                                     const sc_config_rules *rules);

SC_API int64_t sc_config_message_seqno(const sc_config_message *message);

/* Returns the verified or trusted signature; empty if there is none. */
SC_API sc_bytes sc_config_message_signature(const sc_config_message *message);

/* The changes of an earlier revision. */
typedef struct sc_config_lagged {
  int64_t seqno;
  const uint8_t *hash; /* 32 bytes */
  sc_bytes diff;
} sc_config_lagged;

SC_API size_t sc_config_message_lagged_count(const sc_config_message *message);

/* Returns earlier changes in ascending order of seqno and hash; `index` is less than the count. Some of them
 * may no longer be written. */
SC_API sc_config_lagged sc_config_message_lagged(const sc_config_message *message, size_t index);

typedef struct sc_config_merged {
  bool
      resolved; /* true if a new message was made; otherwise one message supersedes the others or is chosen */
  size_t chosen; /* the index of that message */
} sc_config_merged;

/* Merges messages that were parsed in the same environment; entries may be NULL. Their order does not
 * matter, except for the choice among equal ones. All parsed messages can be merged. SC_ERR_CONFIG_NONE if
 * there is nothing to merge, SC_ERR_STATE for an editable message. */
SC_API SC_NODISCARD sc_status sc_config_message_merge(sc_config_message **out, sc_config_merged *how,
                                                      const sc_config_message *const *messages, size_t count,
                                                      const sc_config_rules *rules);

/* Makes the result of a merge editable under its own seqno. Its changes are either everything, as clients
 * without edits of their own write, or only later edits. */
SC_API SC_NODISCARD sc_status sc_config_message_reopen(sc_config_message **out,
                                                       const sc_config_message *merged,
                                                       bool everything_changed);

SC_API_END

#endif
