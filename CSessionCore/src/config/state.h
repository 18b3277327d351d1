/* The state of a config object, for the files that implement it. */
#ifndef SC_CONFIG_STATE_H
#define SC_CONFIG_STATE_H

#include "hashes.h"
#include "message.h"
#include "multipart.h"
#include "object.h"

/* Everything that a merge replaces at once. */
typedef struct sc_config_standing {
  sc_config_state state;
  sc_config_message *message; /* editable if and only if the config is dirty */
  sc_config_message *frozen;  /* if dirty: the message as it would be pushed; NULL until needed */
  sc_config_hashes current;   /* of the message; empty if unknown */
  bool fresh;                 /* true if it is known to be stored under the first key */
  sc_config_hashes old;       /* of obsolete messages */
  sc_config_parts *parts;
  sc_config_node *archive; /* data of this device only, for kinds with an archive */
  bool needs_dump;
} sc_config_standing;

struct sc_config {
  const sc_env *env;
  const sc_config_type *type;
  void *object;
  bool has_account;
  sc_keypair account;
  bool has_verifier;
  uint8_t verifier[SC_KEY_BYTES];
  bool has_signer;
  sc_ed25519_pair signer;
  sc_buffer keys; /* concatenated */
  sc_config_standing now;
};

void sc_config_standing_init(sc_config_standing *out, const sc_env *env);
void sc_config_standing_free(sc_config_standing *standing);

/* Makes a copy for tentative changes: edits of one do not affect the other. Only the parts are shared. */
SC_NODISCARD sc_status sc_config_standing_fork(sc_config_standing *out, const sc_config_standing *standing,
                                               const sc_env *env);

/* Frees the copy that is not kept, except for the parts, which it shares with `other`. */
void sc_config_standing_give_up(sc_config_standing *one, const sc_config_standing *other);

/* Returns the rules for messages of this config, borrowed from it. */
sc_config_rules sc_config_rules_of(const sc_config *config);

/* Changes the state of the config; leaving the clean state makes its message obsolete. The old hashes must
 * have room for the current ones: see sc_config_hashes_reserve. */
void sc_config_enter(sc_config *config, sc_config_state state);

/* Replaces the message; the config takes ownership. */
void sc_config_take_message(sc_config *config, sc_config_message *message);

/* Makes the config dirty unless it is: with the next seqno, and `data` in place of its own. */
SC_NODISCARD sc_status sc_config_revise(sc_config *config, sc_config_node *data);

/* Puts an entry, whose key is the last key of the path, into the data of a dirty config. A failure changes
 * nothing. */
SC_NODISCARD sc_status sc_config_amend(sc_config *config, sc_config_path path, const sc_config_entry *entry);

/* Returns the message as it was or would be pushed, borrowed until the config is edited or merged. */
SC_NODISCARD sc_status sc_config_published(const sc_config_message **out, sc_config *config);

/* True if the message has no signature and there is no key to sign it. */
bool sc_config_is_unsigned(const sc_config *config);

/* Records that the hash of a message saved without its signature is not the one that others see. Computing
 * that one takes a signature: see sc_config_published. */
void sc_config_note_unsigned(sc_config *config);

/* Returns the envelope of its messages without keys, borrowed from it. */
sc_config_envelope sc_config_envelope_of(const sc_config *config);

/* Fills in `keys`, which has room for all of them. */
void sc_config_list_keys(sc_bytes *keys, const sc_config *config);

SC_NODISCARD sc_status sc_config_load(sc_config *config, sc_bytes dump);

#endif
