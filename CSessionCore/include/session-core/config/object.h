/* Configs: documents that the devices of a person, or the members of a group, share. Each kind (contacts,
 * group info, …) contains one and returns it from its _config function; its content is read and edited
 * through the kind's own functions.
 *
 *   an edit -> needs_push -> push -> store the messages, delete the obsolete ones -> confirm
 *   retrieved messages -> merge
 *   needs_dump -> dump -> store it, and create the config from it next time
 *
 * A config belongs to its kind's object and lives as long. `wall_ms` is the wall clock in milliseconds; no
 * clock is read. A failed call changes nothing, unless stated otherwise. One thread at a time. */
#ifndef SC_CONFIG_OBJECT_H
#define SC_CONFIG_OBJECT_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/keys.h"
#include "envelope.h"
#include "hashes.h"
#include "multipart.h"

SC_API_BEGIN

/* The number of keys. */
#define SC_CONFIG_MAX_KEYS 1024
/* The number of messages in one merge. */
#define SC_CONFIG_MAX_INCOMING 1024
/* The limits of unusable messages in one merge: their number, and the size of their decrypted content. Beyond
 * them the rest is not read. */
#define SC_CONFIG_MAX_REFUSED 200
#define SC_CONFIG_MAX_REFUSED_BYTES ((size_t)64 * 1024 * 1024)

typedef struct sc_config sc_config;

typedef enum sc_config_state {
  SC_CONFIG_CLEAN = 0,   /* as stored in the swarm */
  SC_CONFIG_DIRTY = 1,   /* edited since the last push */
  SC_CONFIG_WAITING = 2, /* pushed but not confirmed; or stored, but to be stored again under a newer key */
} sc_config_state;

SC_API sc_config_state sc_config_state_of(const sc_config *config);
/* Returns the number of the revision. */
SC_API int64_t sc_config_seqno(const sc_config *config);
/* Return the name under which the kind's messages are encrypted, and the namespace where they are stored. */
SC_API sc_bytes sc_config_domain(const sc_config *config);
SC_API int32_t sc_config_namespace(const sc_config *config);
/* True if only others can edit it: their signatures are verified and there is no key to sign with. Such a
 * config is clean and never needs a push. Unpushed changes in an admin's dump stay in later dumps, until
 * there is a signing key again or others push something newer. */
SC_API bool sc_config_is_read_only(const sc_config *config);

/* Replaces the keys: the first key encrypts, any key can decrypt. A config of an account has the account's
 * key from the start; for a group use sc_group_keys_hand_on. SC_ERR_KEY_SIZE unless 32 bytes;
 * SC_ERR_TOO_LARGE for more than SC_CONFIG_MAX_KEYS. With `dirty`, a config whose encryption key changes is
 * pushed again, unless it is read only. */
SC_API SC_NODISCARD sc_status sc_config_replace_keys(sc_config *config, const sc_bytes *keys, size_t count,
                                                     bool dirty);
SC_API size_t sc_config_key_count(const sc_config *config);
/* Returns a key, borrowed until the keys change; `index` is less than the count. */
SC_API sc_bytes sc_config_key(const sc_config *config, size_t index);

/* Sets the signing key of a group's config, which is then no longer read only. SC_ERR_KEY_MISMATCH if it is
 * not the key that verifies its messages. */
SC_API SC_NODISCARD sc_status sc_config_set_signer(sc_config *config, const sc_ed25519_pair *signer);

/* True if there is something to push: edits, the result of a merge, an unconfirmed push or, for admins, a
 * message encrypted with another key than the first. */
SC_API bool sc_config_needs_push(const sc_config *config);

/* Messages to store, and hashes to delete afterwards. The caller frees it. */
typedef struct sc_config_outgoing {
  int64_t seqno;
  sc_config_stored messages; /* see sc_config_stored_count */
  sc_config_hashes obsolete; /* the caller's responsibility from now on: the config forgets them */
} sc_config_outgoing;

SC_API void sc_config_outgoing_init(sc_config_outgoing *outgoing, const sc_env *env);
SC_API void sc_config_outgoing_free(sc_config_outgoing *outgoing);

/* Replaces `out` with the messages to store. A clean config returns the bytes that are already stored, to
 * restore them in a swarm that lost them. A config that is never pushed returns nothing.
 * SC_ERR_CONFIG_READ_ONLY for an unsigned message without a signing key; SC_ERR_CONFIG_KEYLESS;
 * SC_ERR_TOO_LARGE over SC_CONFIG_MAX_PADDED_BYTES. */
SC_API SC_NODISCARD sc_status sc_config_push(sc_config_outgoing *out, sc_config *config, uint64_t wall_ms);

/* Reports the hashes under which all messages of the push of this seqno were stored. If the config was
 * edited since, parts are obsolete at once, and a whole message when it is retrieved. SC_ERR_ARGUMENT for
 * the length of a hash, or without hashes. */
SC_API SC_NODISCARD sc_status sc_config_confirm(sc_config *config, int64_t seqno, const sc_bytes *hashes,
                                                size_t count);

/* A retrieved message. */
typedef struct sc_config_incoming {
  sc_bytes hash;
  sc_bytes stored;
} sc_config_incoming;

typedef enum sc_config_effect {
  SC_CONFIG_KEPT,     /* unchanged */
  SC_CONFIG_ADOPTED,  /* equal to one of the messages */
  SC_CONFIG_RESOLVED, /* merged from several revisions; must be pushed */
} sc_config_effect;

/* Merges retrieved messages: all messages of one namespace at once. `statuses`, unless NULL, receives one
 * status for each message: SC_OK if it was read, whatever the result, otherwise the reason. Leave unread
 * messages where they are stored. After SC_ERR_CONFIG_UNREAD a message can be merged again, without those
 * before it. SC_ERR_CONFIG_NONE if no message was read and the config never had a revision; `statuses` has
 * the reasons. SC_ERR_CONFIG_KEYLESS; SC_ERR_TOO_LARGE for more than SC_CONFIG_MAX_INCOMING; SC_ERR_STATE
 * for a config that is never pushed. */
SC_API SC_NODISCARD sc_status sc_config_merge(sc_config_effect *out, sc_status *statuses, sc_config *config,
                                              const sc_config_incoming *messages, size_t count,
                                              uint64_t wall_ms);

/* Ends the revision that a merge of unedited messages made, as a push would: later edits begin the next one.
 * Such a merge marks all of its data as changed, so an edit inside of it that erases something would be
 * undone by the devices that store the same merge without the edit. Has no effect on other revisions. */
SC_API SC_NODISCARD sc_status sc_config_close_merge(sc_config *config);

/* Replaces `out` with the hashes of all messages that the swarm must keep for this config. */
SC_API SC_NODISCARD sc_status sc_config_active_hashes(sc_config_hashes *out, const sc_config *config,
                                                      uint64_t wall_ms);

/* Replaces `out` with the hashes that can be deleted, which become the caller's responsibility. Empty while
 * a push is needed, because the push must be stored first; it returns them. */
SC_API void sc_config_take_old_hashes(sc_config_hashes *out, sc_config *config);

/* True if the state has changed since the last dump. */
SC_API bool sc_config_needs_dump(const sc_config *config);

/* Replaces `out` with the state, without the keys. It contains secrets. */
SC_API SC_NODISCARD sc_status sc_config_dump(sc_buffer *out, sc_config *config, uint64_t wall_ms);

/* Dumps without the parts of incomplete messages. Those have up to SC_CONFIG_MAX_HELD_BYTES, and anyone with
 * the key can force another dump by sending one more part. To save writes, store each part once, separately:
 * dump without parts, iterate over the parts, store the new ones and delete the others, all in one
 * transaction. */
SC_API SC_NODISCARD sc_status sc_config_dump_without_parts(sc_buffer *out, sc_config *config,
                                                           uint64_t wall_ms);
/* Returns the next part of an incomplete set that has not expired; false at the end. Borrowed until the
 * config changes. */
SC_API bool sc_config_next_part(sc_config_held_part *out, sc_config_part_cursor *cursor,
                                const sc_config *config, uint64_t wall_ms);
/* Restores a part from sc_config_next_part, in the same order, in a config just created from such a dump. A
 * duplicate is ignored. SC_ERR_CONFIG_PART for an impossible part. */
SC_API SC_NODISCARD sc_status sc_config_hold_part(sc_config *config, const sc_config_held_part *part);

SC_API_END

#endif
