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

/* The state before the first revision, to be edited and written. SC_ERR_CONFIG_SEQNO when negative or beyond
 * SC_CONFIG_MAX_SEQNO. */
SC_API SC_NODISCARD sc_status sc_config_message_new(sc_config_message **out, const sc_env *env,
                                                    int64_t seqno);

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
SC_API bool sc_config_message_editable(const sc_config_message *message);

/* The signature that was verified or trusted; empty when there is none. */
SC_API sc_bytes sc_config_message_signature(const sc_config_message *message);

/* The bt encodings of the data and of the message's own changes. */
SC_API SC_NODISCARD sc_status sc_config_message_data(sc_buffer *out, const sc_config_message *message);
SC_API SC_NODISCARD sc_status sc_config_message_diff(sc_buffer *out, const sc_config_message *message);

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

/* What is at the end of a path: a scalar with its value, a set or a dict by its kind. SC_ERR_NOT_FOUND. */
SC_API SC_NODISCARD sc_status sc_config_message_get(sc_config_value *out, const sc_config_message *message,
                                                    sc_config_path path);

/* A message that follows this one, to be edited: of the next seqno, with the changes of this one among the
 * earlier ones. SC_ERR_CONFIG_SEQNO after the last one. */
SC_API SC_NODISCARD sc_status sc_config_message_increment(sc_config_message **out,
                                                          const sc_config_message *message,
                                                          const sc_config_rules *rules);

/* The result of a merge, to be edited under its own seqno. What it then says has changed is everything (which
 * is what a client writes that had no edits of its own), or else only later edits. */
SC_API SC_NODISCARD sc_status sc_config_message_reopen(sc_config_message **out,
                                                       const sc_config_message *merged,
                                                       bool everything_changed);

/* The message as it stands, as if it was written and parsed: to be merged, not to be edited. */
SC_API SC_NODISCARD sc_status sc_config_message_freeze(sc_config_message **out,
                                                       const sc_config_message *message,
                                                       const sc_config_rules *rules);

/* Edits of a message that can be edited; SC_ERR_STATE otherwise. SC_ERR_ARGUMENT for an empty path or a value
 * that is a set or a dict, SC_ERR_BT_DEPTH for a path of more than SC_CONFIG_MAX_PATH keys. A failure changes
 * nothing. Dicts on the way are made as needed, in place of anything else that stands there; erasing or
 * removing what is not there does nothing, and what becomes empty is gone. */
SC_API SC_NODISCARD sc_status sc_config_message_set(sc_config_message *message, sc_config_path path,
                                                    sc_config_value value);
SC_API SC_NODISCARD sc_status sc_config_message_erase(sc_config_message *message, sc_config_path path);

/* Puts a member into, or takes it out of, the set at the end of the path; a set is made in place of anything
 * else, but nothing is taken out of anything else. */
SC_API SC_NODISCARD sc_status sc_config_message_add(sc_config_message *message, sc_config_path path,
                                                    sc_config_value member);
SC_API SC_NODISCARD sc_status sc_config_message_remove(sc_config_message *message, sc_config_path path,
                                                       sc_config_value member);

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

SC_API_END

#endif
