/* The config message: one revision of a config, its data, what changed in it, and what changed in the few
 * revisions before, so that revisions made at the same time on several devices can be merged into one that
 * all of them agree on, byte for byte. Programs that sync an account use the configs (object.h), which are
 * built on this.
 *
 * Data is a dict: its values are integers, strings, sets of integers and strings, and dicts again. Empty sets
 * and empty dicts are the same as none. Data is shared between messages and never copied; bytes that were
 * parsed are written again as they are. Messages, and what they share, belong to one thread at a time: those
 * that were made from each other are not independent. What a message gives back is borrowed from it, until it
 * is edited or freed. */
#ifndef SC_CONFIG_MESSAGE_H
#define SC_CONFIG_MESSAGE_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/keys.h"

SC_API_BEGIN

#define SC_CONFIG_HASH_BYTES 32

/* Revisions that a message looks back, itself included. */
#define SC_CONFIG_LAG 5
/* Earlier changes that one message carries at most. */
#define SC_CONFIG_MAX_LAGGED 256
/* Keys on the way to a value, so that the change of each value has room in every place it is carried to. */
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

/* How the messages of one config are read and written. All zeros, or NULL, for the configs of an account,
 * which are not signed. With a verifier and no signer messages are read only: of several, one is chosen. */
typedef struct sc_config_rules {
  uint8_t lag;                   /* 0 stands for SC_CONFIG_LAG */
  const uint8_t *verifier;       /* 32 bytes, the key that must have signed, or NULL */
  const sc_ed25519_pair *signer; /* or NULL */
  bool trust_signature;          /* without a verifier: keep a signature nevertheless */
} sc_config_rules;

typedef struct sc_config_message sc_config_message;

/* Reads a message; the bytes are copied. With a verifier its signature is checked before anything else:
 * SC_ERR_CONFIG_UNSIGNED when it does not end with one, SC_ERR_SIGNATURE. SC_ERR_SIGNATURE_SIZE;
 * SC_ERR_CONFIG_LAYOUT when a part is missing or out of place, SC_ERR_CONFIG_SEQNO, SC_ERR_CONFIG_DATA,
 * SC_ERR_CONFIG_DIFF, SC_ERR_CONFIG_LAGGED for what is wrong in a part, SC_ERR_TOO_LARGE for more than
 * SC_CONFIG_MAX_LAGGED earlier changes, SC_ERR_BT_DEPTH for more than SC_CONFIG_MAX_PATH keys to a value, and
 * what a bt reader says. */
SC_API SC_NODISCARD sc_status sc_config_message_parse(sc_config_message **out, const sc_env *env,
                                                      sc_bytes bytes, const sc_config_rules *rules);

/* NULL is allowed. */
SC_API void sc_config_message_free(sc_config_message *message);

/* The message's bytes. With a signer they are signed, unless the message has kept its signature. */
SC_API SC_NODISCARD sc_status sc_config_message_write(sc_buffer *out, const sc_config_message *message,
                                                      const sc_config_rules *rules);

/* The hash of the bytes: those that were parsed, otherwise those that are written. */
SC_API SC_NODISCARD sc_status sc_config_message_hash(uint8_t out[SC_AT_LEAST(32)],
                                                     const sc_config_message *message,
                                                     const sc_config_rules *rules);

SC_API int64_t sc_config_message_seqno(const sc_config_message *message);

/* The signature that was verified or trusted; empty when there is none. */
SC_API sc_bytes sc_config_message_signature(const sc_config_message *message);

/* The changes of an earlier revision. */
typedef struct sc_config_lagged {
  int64_t seqno;
  const uint8_t *hash; /* 32 bytes */
  sc_bytes diff;
} sc_config_lagged;

SC_API size_t sc_config_message_lagged_count(const sc_config_message *message);

/* In ascending order of seqno and hash; `index` is less than the count. Not all of them need still be
 * written. */
SC_API sc_config_lagged sc_config_message_lagged(const sc_config_message *message, size_t index);

typedef struct sc_config_merged {
  bool resolved; /* a new message was made; otherwise one of them supersedes, or is chosen over, the others */
  size_t chosen; /* which one, when none was made */
} sc_config_merged;

/* One message from several that were parsed or frozen, in the same environment; those that could not be are
 * NULL. Their order does not matter, except to which of two equal ones is chosen. Whatever can be parsed can
 * be merged. SC_ERR_CONFIG_NONE when there is nothing to merge, SC_ERR_STATE for one that is editable. */
SC_API SC_NODISCARD sc_status sc_config_message_merge(sc_config_message **out, sc_config_merged *how,
                                                      const sc_config_message *const *messages, size_t count,
                                                      const sc_config_rules *rules);

/* The result of a merge, to be edited under its own seqno. What it then says has changed is everything (which
 * is what a client writes that had no edits of its own), or else only later edits. */
SC_API SC_NODISCARD sc_status sc_config_message_reopen(sc_config_message **out,
                                                       const sc_config_message *merged,
                                                       bool everything_changed);

SC_API_END

#endif
