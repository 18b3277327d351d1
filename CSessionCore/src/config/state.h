/* The content of a config object, for the files that implement it. */
#ifndef SC_CONFIG_STATE_H
#define SC_CONFIG_STATE_H

#include "hashes.h"
#include "message.h"
#include "multipart.h"
#include "object.h"

/* Everything about a config that a merge replaces, at once. */
typedef struct sc_config_standing {
  sc_config_state state;
  sc_config_message *message; /* editable while, and only while, the config is dirty */
  sc_config_message *frozen;  /* of a dirty config: as it would be pushed; NULL until needed */
  sc_config_hashes current;   /* of the message; empty when they are not known */
  bool fresh;                 /* it is known to be encrypted there with the first key */
  sc_config_hashes old;       /* of obsolete messages */
  sc_config_parts *parts;
  sc_config_node *archive; /* data that only this device has, of kinds that keep some */
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
  sc_buffer keys; /* one behind the other */
  sc_config_standing now;
};

void sc_config_standing_init(sc_config_standing *out, const sc_env *env);
void sc_config_standing_free(sc_config_standing *standing);

/* The same standing again, to try something out: edits of the one leave the other as it is. But the parts are
 * the same ones. */
SC_NODISCARD sc_status sc_config_standing_fork(sc_config_standing *out, const sc_config_standing *standing,
                                               const sc_env *env);

/* Frees the state that is not kept, without the shared parts. */
void sc_config_standing_give_up(sc_config_standing *one, const sc_config_standing *other);

/* Returns the rules for messages of this config, borrowed from it. */
sc_config_rules sc_config_rules_of(const sc_config *config);

/* Puts the config into another state; leaving the clean state makes its message obsolete. The old hashes must
 * have room for the current ones: sc_config_hashes_reserve. */
void sc_config_enter(sc_config *config, sc_config_state state);

/* Takes another message, which the config then owns. */
void sc_config_take_message(sc_config *config, sc_config_message *message);

/* Makes the config dirty, if it is not: under the next seqno, with `data` instead of its own. */
SC_NODISCARD sc_status sc_config_revise(sc_config *config, sc_config_node *data);

/* Puts an entry, whose key is the last one of a path, into the data of a config that is dirty. On failure
 * nothing has changed. */
SC_NODISCARD sc_status sc_config_amend(sc_config *config, sc_config_path path, const sc_config_entry *entry);

/* The message as it is, or would be, pushed. Borrowed, until the config is edited or merged. */
SC_NODISCARD sc_status sc_config_published(const sc_config_message **out, sc_config *config);

/* True if it cannot sign, and its message is not signed by others. */
bool sc_config_is_unsigned(const sc_config *config);

/* Notes that a message which was saved without its signature has another hash than the one by which others
 * know it. To make that, it has to be signed: sc_config_published does. */
void sc_config_note_unsigned(sc_config *config);

/* Returns the envelope of its messages without keys, borrowed from it. */
sc_config_envelope sc_config_envelope_of(const sc_config *config);

/* Fills `keys`, which has room for all of them. */
void sc_config_list_keys(sc_bytes *keys, const sc_config *config);

SC_NODISCARD sc_status sc_config_load(sc_config *config, sc_bytes dump);

#endif
