/* A config: what the devices of a person, or the members of a group, keep in step about one subject. Each
 * kind of config (contacts, group info, …) has one of these inside and gives it out with its own _config
 * function; what is in it is read and edited through the kind's own functions.
 *
 *   an edit -> needs_push -> push -> store what it gives, delete what is obsolete -> confirm
 *   retrieved messages -> merge
 *   needs_dump -> dump -> keep it, and make the config from it next time
 *
 * A config belongs to its kind's object and lives as long. One thread at a time. It reads no clock: `wall_ms`
 * is the wall clock in milliseconds. A call that fails has changed nothing, unless it says otherwise. */
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

/* Keys that a config can be given. */
#define SC_CONFIG_MAX_KEYS 1024
/* Messages that are merged at once. */
#define SC_CONFIG_MAX_INCOMING 1024
/* Messages that one merge opens in vain, and bytes that come out of those: when there were so many, the rest
 * is not read. */
#define SC_CONFIG_MAX_REFUSED 200
#define SC_CONFIG_MAX_REFUSED_BYTES ((size_t)64 * 1024 * 1024)

typedef struct sc_config sc_config;

typedef enum sc_config_state {
  SC_CONFIG_CLEAN = 0,   /* as it is stored */
  SC_CONFIG_DIRTY = 1,   /* edited since it was last pushed */
  SC_CONFIG_WAITING = 2, /* pushed, and not confirmed yet; or stored, and to be stored under a newer key */
} sc_config_state;

SC_API sc_config_state sc_config_state_of(const sc_config *config);
/* The number of the revision. */
SC_API int64_t sc_config_seqno(const sc_config *config);
/* The name the kind's messages are encrypted under, and the namespace they are stored in. */
SC_API sc_bytes sc_config_domain(const sc_config *config);
SC_API int32_t sc_config_namespace(const sc_config *config);
/* Whether only others can edit it: their signatures are verified here, and there is no key to sign with. Such
 * a config is clean and never needs a push. What an admin's dump had to push stays in its dumps too, until
 * there is a key to sign with again, or others push something newer. */
SC_API bool sc_config_is_read_only(const sc_config *config);

/* Keys: the first encrypts, each may decrypt. A user's config has the account's from the beginning; those of
 * a group follow the group's keys. SC_ERR_KEY_SIZE unless 32 bytes; SC_ERR_TOO_LARGE for more than
 * SC_CONFIG_MAX_KEYS. With `dirty`, a config that will be encrypted with another key is pushed again, unless
 * it is read only. */
SC_API SC_NODISCARD sc_status sc_config_replace_keys(sc_config *config, const sc_bytes *keys, size_t count,
                                                     bool dirty);
SC_API size_t sc_config_key_count(const sc_config *config);
/* `index` is less than the count; borrowed until the keys change. */
SC_API sc_bytes sc_config_key(const sc_config *config, size_t index);

/* Gives a group's config the key its messages are signed with: it is not read only any more.
 * SC_ERR_KEY_MISMATCH for another key than the one its messages are verified with. */
SC_API SC_NODISCARD sc_status sc_config_set_signer(sc_config *config, const sc_ed25519_pair *signer);

/* Whether there is something to push: edits, the result of a merge, a push that was not confirmed, or, for
 * who may edit, a message that came encrypted with another key than the first. */
SC_API bool sc_config_needs_push(const sc_config *config);

/* What is to be stored, and then to be deleted. The caller's, to be freed. */
typedef struct sc_config_outgoing {
  int64_t seqno;
  sc_config_stored messages; /* see sc_config_stored_count */
  sc_config_hashes obsolete; /* from now on the caller's affair: the config has forgotten them */
} sc_config_outgoing;

SC_API void sc_config_outgoing_init(sc_config_outgoing *outgoing, const sc_env *env);
SC_API void sc_config_outgoing_free(sc_config_outgoing *outgoing);

/* Replaces `out` with what is to be stored. A clean config gives the very bytes that are stored already, with
 * which a swarm that has lost them can be helped. A config that is never pushed gives nothing.
 * SC_ERR_CONFIG_READ_ONLY for an unsigned message that cannot be signed here; SC_ERR_CONFIG_KEYLESS;
 * SC_ERR_TOO_LARGE for more than SC_CONFIG_MAX_PADDED_BYTES. */
SC_API SC_NODISCARD sc_status sc_config_push(sc_config_outgoing *out, sc_config *config, uint64_t wall_ms);

/* Tells the config under which hashes all messages of the push of that seqno were stored. When it was edited
 * since, parts are obsolete at once, and a whole message is when it is retrieved. SC_ERR_ARGUMENT for the
 * length of a hash, or when there is none. */
SC_API SC_NODISCARD sc_status sc_config_confirm(sc_config *config, int64_t seqno, const sc_bytes *hashes,
                                                size_t count);

/* A message as it was retrieved. */
typedef struct sc_config_incoming {
  sc_bytes hash;
  sc_bytes stored;
} sc_config_incoming;

typedef enum sc_config_effect {
  SC_CONFIG_KEPT,     /* the config is what it was */
  SC_CONFIG_ADOPTED,  /* it is what one of the messages says */
  SC_CONFIG_RESOLVED, /* it is made of several revisions, and has to be pushed */
} sc_config_effect;

/* Merges what was retrieved: all that came from one namespace at once. `statuses` (or NULL) has room for one
 * of each message: SC_OK for one that was understood, whatever became of it, and otherwise why it was not;
 * such a message is to be left where it is stored; after SC_ERR_CONFIG_UNREAD it may be merged again, without
 * those before it. SC_ERR_CONFIG_NONE when none was, and the config has never
 * had a revision either: `statuses` then says why not. SC_ERR_CONFIG_KEYLESS; SC_ERR_TOO_LARGE for more than
 * SC_CONFIG_MAX_INCOMING; SC_ERR_STATE for a config that is never pushed. */
SC_API SC_NODISCARD sc_status sc_config_merge(sc_config_effect *out, sc_status *statuses, sc_config *config,
                                              const sc_config_incoming *messages, size_t count,
                                              uint64_t wall_ms);

/* Replaces `out` with the hashes of everything the swarm must keep for this config. */
SC_API SC_NODISCARD sc_status sc_config_active_hashes(sc_config_hashes *out, const sc_config *config,
                                                      uint64_t wall_ms);

/* Replaces `out` with the hashes of what can be deleted, which are then the caller's affair. None while there
 * is something to push, which may have to be stored first: the push gives them. */
SC_API void sc_config_take_old_hashes(sc_config_hashes *out, sc_config *config);

/* Whether something is not in the last dump. */
SC_API bool sc_config_needs_dump(const sc_config *config);

/* Replaces `out` with the state, without the keys. It holds secrets: keep it as one. */
SC_API SC_NODISCARD sc_status sc_config_dump(sc_buffer *out, sc_config *config, uint64_t wall_ms);

/* A dump carries the parts of incomplete messages, up to SC_CONFIG_MAX_HELD_BYTES, and anyone with the key
 * can force another dump by sending one more part. To save writes, store each part once, separately: dump
 * without parts, then walk the parts, store the new ones and delete the others, all in one transaction. */
SC_API SC_NODISCARD sc_status sc_config_dump_without_parts(sc_buffer *out, sc_config *config,
                                                           uint64_t wall_ms);
/* As sc_config_parts_next. */
SC_API bool sc_config_next_part(sc_config_held_part *out, sc_config_part_cursor *cursor,
                                const sc_config *config, uint64_t wall_ms);
/* As sc_config_parts_hold: for a config that was just made from such a dump. */
SC_API SC_NODISCARD sc_status sc_config_hold_part(sc_config *config, const sc_config_held_part *part);

SC_API_END

#endif
