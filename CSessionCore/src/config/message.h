/* The state of a config message, for the files that read, write and merge messages. */
#ifndef SC_SRC_CONFIG_MESSAGE_H
#define SC_SRC_CONFIG_MESSAGE_H

#include "session-core/config/message.h"
#include "session-core/crypto/signature.h"
#include "tree.h"

/* The changes of an earlier revision. */
typedef struct sc_config_earlier {
  int64_t seqno;
  uint8_t hash[SC_CONFIG_HASH_BYTES];
  sc_slice diff;
} sc_config_earlier;

/* The gaps between the known parts, where unknown keys may be. */
enum { sc_config_gaps = 4 };

struct sc_config_message {
  const sc_env *env;
  int64_t seqno;
  bool editable;
  bool restates; /* an editable merge that marks all of its data as changed */
  bool has_signature;
  uint8_t signature[SC_SIGNATURE_BYTES];
  uint8_t hash[SC_CONFIG_HASH_BYTES]; /* unless editable or not computed yet */
  sc_slice unhashed;                  /* the bytes to hash, until it is computed */
  bool hash_is_due;                   /* true if the hash is not that of the signed message */
  sc_config_node *data;
  sc_config_node *origin;    /* if editable: the data before its changes */
  sc_slice diff;             /* if not editable: its changes */
  sc_config_earlier *lagged; /* ascending */
  size_t lagged_count;
  sc_shared *unknown_owner;
  sc_bytes unknown[sc_config_gaps]; /* unknown keys and their values, as received */
};

/* Creates an empty message. */
SC_NODISCARD sc_status sc_config_message_begin(sc_config_message **out, const sc_env *env, int64_t seqno);

/* Reserves memory for this many earlier changes. Call it once. */
SC_NODISCARD sc_status sc_config_message_expect_earlier(sc_config_message *message, size_t count);

/* Appends an earlier change, for which there must be room; shares the diff. */
void sc_config_message_add_earlier(sc_config_message *message, int64_t seqno, const uint8_t *hash,
                                   sc_slice diff);

/* Like sc_config_message_parse for the whole content of a buffer, whose memory it may take over. Memory comes
 * from the buffer's environment. */
SC_NODISCARD sc_status sc_config_message_take(sc_config_message **out, sc_buffer *bytes,
                                              const sc_config_rules *rules);

/* Parses bytes that we wrote ourselves; the hash is computed when it is needed. */
SC_NODISCARD sc_status sc_config_message_load(sc_config_message **out, const sc_env *env, sc_bytes bytes);

/* Returns a copy that shares its content. */
SC_NODISCARD sc_status sc_config_message_share(sc_config_message **out, const sc_config_message *message);

/* Merges like sc_config_message_merge, for a result that will be reopened: its hash is not computed. */
SC_NODISCARD sc_status sc_config_message_merge_to_reopen(sc_config_message **out, sc_config_merged *how,
                                                         const sc_config_message *const *messages,
                                                         size_t count, const sc_config_rules *rules);

/* Computes the hash of a loaded message, if not done yet. */
SC_NODISCARD sc_status sc_config_message_finish_hash(sc_config_message *message);

/* Sets the hash of a message that is not editable to that of its bytes. */
SC_NODISCARD sc_status sc_config_message_rehash(sc_config_message *message, const sc_config_rules *rules);

/* Returns the encoding of an empty diff. */
sc_slice sc_config_no_change(void);

/* Returns the next seqno. SC_ERR_CONFIG_SEQNO if it would be out of range. */
SC_NODISCARD sc_status sc_config_next_seqno(int64_t *out, int64_t seqno);

/* Returns the rules, or the default for NULL. */
const sc_config_rules *sc_config_rules_or_default(const sc_config_rules *rules);

/* True if a message of `seqno` still looks back to an earlier one. */
bool sc_config_looks_back(const sc_config_rules *rules, int64_t seqno, int64_t earlier);

/* Creates an editable message with no data. SC_ERR_CONFIG_SEQNO for a negative seqno or one over
 * SC_CONFIG_MAX_SEQNO. */
SC_NODISCARD sc_status sc_config_message_new(sc_config_message **out, const sc_env *env, int64_t seqno);
bool sc_config_message_editable(const sc_config_message *message);

/* Replace `out` with the bt encoding of the data, or of the message's own changes. */
SC_NODISCARD sc_status sc_config_message_data(sc_buffer *out, const sc_config_message *message);
SC_NODISCARD sc_status sc_config_message_diff(sc_buffer *out, const sc_config_message *message);

/* Reads the value at the end of a path: a scalar with its value, a set or dict by its kind.
 * SC_ERR_NOT_FOUND. */
SC_NODISCARD sc_status sc_config_message_get(sc_config_value *out, const sc_config_message *message,
                                             sc_config_path path);

/* Makes the next revision, to be edited: with the next seqno, and the changes of this one among the earlier
 * ones. SC_ERR_CONFIG_SEQNO after the last seqno. */
SC_NODISCARD sc_status sc_config_message_increment(sc_config_message **out, const sc_config_message *message,
                                                   const sc_config_rules *rules);

/* Makes a copy as if the message was written and parsed: it can be merged but not edited. */
SC_NODISCARD sc_status sc_config_message_freeze(sc_config_message **out, const sc_config_message *message,
                                                const sc_config_rules *rules);

/* Edit an editable message; SC_ERR_STATE for others. SC_ERR_ARGUMENT for an empty path or a value that is a
 * set or dict, SC_ERR_BT_DEPTH for more than SC_CONFIG_MAX_PATH keys. A failure changes nothing. Missing
 * dicts of the path are created, replacing values of other kinds; erasing or removing something that is
 * missing does nothing; empty containers are removed. */
SC_NODISCARD sc_status sc_config_message_set(sc_config_message *message, sc_config_path path,
                                             sc_config_value value);
SC_NODISCARD sc_status sc_config_message_erase(sc_config_message *message, sc_config_path path);

/* Add a member to, or remove it from, the set at the end of the path. Adding replaces a value that is not a
 * set; removing leaves it alone. */
SC_NODISCARD sc_status sc_config_message_add(sc_config_message *message, sc_config_path path,
                                             sc_config_value member);
SC_NODISCARD sc_status sc_config_message_remove(sc_config_message *message, sc_config_path path,
                                                sc_config_value member);

#endif
