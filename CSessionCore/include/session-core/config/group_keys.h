/* The keys of a group: what its configs and messages are encrypted with, and how they reach its members.
 *
 * Keys come in generations. An admin makes a new one with sc_group_keys_rekey and stores the message that
 * sc_group_keys_pending gives; to those who join later, a supplement gives the keys there are. Everybody
 * feeds the stored messages of the group's keys, in the order the swarm gives them, to sc_group_keys_load,
 * before anything that is encrypted with the keys. Whenever sc_group_keys_version has changed, the list of
 * keys is handed on to the group's other configs. Nothing here reads a clock: keys expire by the times at
 * which the swarm says that messages were stored.
 *
 * The object keeps copies of all it is given and wipes them. What it gives back is borrowed until the next
 * call that could change it. One thread at a time. A call that fails changes nothing. */
#ifndef SC_CONFIG_GROUP_KEYS_H
#define SC_CONFIG_GROUP_KEYS_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/group_seal.h"
#include "../crypto/id.h"
#include "../crypto/keys.h"
#include "group_members.h"
#include "hashes.h"
#include "object.h"

SC_API_BEGIN

/* The number of wrapped keys in a message is a multiple of this, so that it tells little about the members.
 */
#define SC_GROUP_KEYS_PAD_TO 75
/* Members of a group, at most: what one stored message has room for. */
#define SC_GROUP_MAX_MEMBERS 1500
/* Bytes of a message that is loaded, at most. */
#define SC_GROUP_KEYS_MAX_BYTES 100000
#define SC_GROUP_MAX_GENERATION ((int64_t)1 << 62)
/* Later than all times that a key may have, in milliseconds. */
#define SC_GROUP_TIME_END_MS ((uint64_t)1 << 63)
/* Keys end when the ones after them are older than the newest by this, in milliseconds. */
#define SC_GROUP_KEY_EXPIRY_MS ((uint64_t)60 * 24 * 60 * 60 * 1000)
/* Keys that are held: a new one takes the place of the oldest. With a pending one, a config takes them all.
 */
#define SC_GROUP_MAX_KEYS (SC_CONFIG_MAX_KEYS - 1)
/* Messages that are kept alive, each counted once for every generation in it: likewise. */
#define SC_GROUP_MAX_ACTIVE 4096
/* Bytes of their content that are kept; what goes beyond is known by its hash alone. */
#define SC_GROUP_MAX_KEPT_BYTES ((size_t)4 * 1024 * 1024)

typedef struct sc_group_keys sc_group_keys;

/* The keys of a group that `user` is in: from a dump, or none when that is empty. `admin` is the group's key
 * pair, NULL for those who only read. SC_ERR_ID_KIND, SC_ERR_KEY_INVALID for an id that is no group's;
 * SC_ERR_KEY_MISMATCH for the pair of another group, SC_ERR_CONFIG_DUMP. */
SC_API SC_NODISCARD sc_status sc_group_keys_new(sc_group_keys **out, const sc_env *env,
                                                const sc_keypair *user, const sc_id *group_id,
                                                const sc_ed25519_pair *admin, sc_bytes dump);
/* NULL is allowed. */
SC_API void sc_group_keys_free(sc_group_keys *keys);

typedef enum sc_group_dump_form {
  SC_GROUP_DUMP_KEYS,     /* keys and hashes: byte for byte what other implementations save */
  SC_GROUP_DUMP_MESSAGES, /* also the content of the active messages, which those pass over */
} sc_group_dump_form;

/* Saves the state; a dump is then no longer needed. The admin's secret is not part of it. */
SC_API SC_NODISCARD sc_status sc_group_keys_dump(sc_buffer *out, sc_group_keys *keys,
                                                 sc_group_dump_form form);
SC_API bool sc_group_keys_needs_dump(const sc_group_keys *keys);

/* Makes the user an admin, with the group's seed of 32 bytes or secret of 64; does nothing when they are one.
 * SC_ERR_KEY_SIZE; SC_ERR_KEY_MISMATCH when it is another group's, or its two halves do not go together. */
SC_API SC_NODISCARD sc_status sc_group_keys_load_admin_key(sc_group_keys *keys, sc_bytes secret);

/* The group's key pair; NULL unless the user is an admin. */
SC_API const sc_keypair *sc_group_keys_admin(const sc_group_keys *keys);

typedef struct sc_group_key_list {
  const sc_bytes *keys;
  size_t count;
} sc_group_key_list;

/* The pending key, if any, and then all others, newest first: the first encrypts, each may decrypt. A key
 * that came in several generations is there several times. */
SC_API sc_group_key_list sc_group_keys_list(const sc_group_keys *keys);

/* Another number whenever the list may have changed. */
SC_API uint64_t sc_group_keys_version(const sc_group_keys *keys);

/* Gives the list to one of the group's other configs. `dirty` after a rekeying, so that the config is pushed
 * under the new key; not after loading. What sc_config_replace_keys says. */
SC_API SC_NODISCARD sc_status sc_group_keys_hand_on(const sc_group_keys *keys, sc_config *config, bool dirty);

/* The generation of the newest key, the pending one aside; false when there is none. */
SC_API bool sc_group_keys_generation(int64_t *out, const sc_group_keys *keys);

/* Makes a new key for `members`: all of the group's, admins included, in strictly ascending order of their
 * ids. It is pending, and encrypts, until its message comes back from the swarm; in place of one that was
 * pending before. Admins with the same keys and members make the same message. Members whose id is no safe
 * key are left out. SC_ERR_CONFIG_READ_ONLY, SC_ERR_ARGUMENT for another order, SC_ERR_ID_KIND for other ids,
 * SC_ERR_TOO_LARGE over SC_GROUP_MAX_MEMBERS, SC_ERR_GROUP_GENERATION after the last one. */
SC_API SC_NODISCARD sc_status sc_group_keys_rekey(sc_group_keys *keys, const sc_id *members, size_t count);

/* The same for all that are in `members`, those who are to be removed included: erase them before. */
SC_API SC_NODISCARD sc_status sc_group_keys_rekey_members(sc_group_keys *keys,
                                                          const sc_group_members *members);

/* The message to store while a key is pending, empty otherwise. Storing it twice does no harm. */
SC_API sc_bytes sc_group_keys_pending(const sc_group_keys *keys);

/* Whether an admin has to rekey, because two others did at once with different members. Ask when all messages
 * of a poll are loaded. */
SC_API bool sc_group_keys_needs_rekey(const sc_group_keys *keys);

/* Replaces `out` with a message, to be stored, that gives all keys but the pending one to `recipients`. Their
 * order matters to its bytes alone: pass them in ascending order for the same message from every admin.
 * SC_ERR_CONFIG_READ_ONLY, SC_ERR_CONFIG_KEYLESS, SC_ERR_ARGUMENT without recipients, or for one who is there
 * twice, SC_ERR_ID_KIND, SC_ERR_KEY_INVALID when none of them is a safe key, SC_ERR_TOO_LARGE when it could
 * not be stored: then give it to fewer at a time. */
SC_API SC_NODISCARD sc_status sc_group_keys_supplement(sc_buffer *out, const sc_group_keys *keys,
                                                       const sc_id *recipients, size_t count);

/* Loads a message that the swarm knows by `hash` and stored at `timestamp_ms`; `*found` says whether it had a
 * key for this user. Of keys that end, no time is later than now, `wall_ms`: no node can end keys early by
 * its clock. Loading again does no harm. The signature is checked before anything else. After a failure keep
 * polling; the message is not kept alive. SC_ERR_ARGUMENT for a hash without bytes or over
 * SC_CONFIG_MAX_HASH_BYTES, and for a time that cannot be; SC_ERR_TOO_LARGE over SC_GROUP_KEYS_MAX_BYTES;
 * SC_ERR_CONFIG_UNSIGNED when it does not end with a signature, SC_ERR_SIGNATURE; the bt statuses,
 * SC_ERR_GROUP_KEYS for another form, SC_ERR_GROUP_GENERATION; SC_ERR_DECRYPT when an admin cannot open what
 * is meant for admins; SC_ERR_GROUP_SUPPLEMENT for a supplement that opens to something else. */
SC_API SC_NODISCARD sc_status sc_group_keys_load(bool *found, sc_group_keys *keys, sc_bytes hash,
                                                 sc_bytes message, uint64_t timestamp_ms, uint64_t wall_ms);

/* A message that the swarm has to keep: its lifetime is to be extended, and its content stored again if it
 * got lost. */
typedef struct sc_group_keys_message {
  sc_bytes hash;
  sc_bytes content; /* empty when it is not known */
} sc_group_keys_message;

/* In ascending order of their hashes; `index` is less than the count. */
SC_API size_t sc_group_keys_active_count(const sc_group_keys *keys);
SC_API sc_group_keys_message sc_group_keys_active(const sc_group_keys *keys, size_t index);

/* Seals a message of the user for the group, and opens one: as sc_group_seal and sc_group_open with the list
 * of keys. SC_ERR_CONFIG_KEYLESS. `options` may be NULL. */
SC_API SC_NODISCARD sc_status sc_group_keys_seal(sc_buffer *out, const sc_group_keys *keys, sc_bytes message,
                                                 const sc_group_seal_options *options);
SC_API SC_NODISCARD sc_status sc_group_keys_open(sc_buffer *out, sc_sender *sender, const sc_group_keys *keys,
                                                 sc_bytes sealed);

SC_API_END

#endif
