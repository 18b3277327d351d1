/* The keys of a group: they encrypt its configs and messages.
 *
 * Keys have generations. An admin makes a new key with sc_group_keys_rekey and stores the message from
 * sc_group_keys_pending. A supplement gives the existing keys to later members. All members pass the stored
 * key messages, in the order of the swarm, to sc_group_keys_load before anything encrypted with the keys.
 * When sc_group_keys_version changes, pass the list of keys to the group's other configs. No clock is read:
 * keys expire by the times at which the swarm stored messages.
 *
 * The object keeps copies of its inputs and wipes them. Results are borrowed until the next call that can
 * change it. A failed call changes nothing. One thread at a time. */
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

/* The number of encrypted keys in a message is a multiple of this, to hide the number of members. */
#define SC_GROUP_KEYS_PAD_TO 75
/* The number of members, limited by the size of a stored message. */
#define SC_GROUP_MAX_MEMBERS 1500
/* The size limit of a loaded message. */
#define SC_GROUP_KEYS_MAX_BYTES 100000
#define SC_GROUP_MAX_GENERATION ((int64_t)1 << 62)
/* Later than the time of any key, in milliseconds. */
#define SC_GROUP_TIME_END_MS ((uint64_t)1 << 63)
/* A key expires when its successor is older than the newest key by this, in milliseconds. */
#define SC_GROUP_KEY_EXPIRY_MS ((uint64_t)60 * 24 * 60 * 60 * 1000)
/* The number of keys; a new key replaces the oldest. Together with a pending key they fit into a config. */
#define SC_GROUP_MAX_KEYS (SC_CONFIG_MAX_KEYS - 1)
/* The number of messages kept alive, each counted once for every generation in it; a new one replaces the
 * oldest. */
#define SC_GROUP_MAX_ACTIVE 4096
/* The size of their content in memory; beyond it only the hash of a message is kept. */
#define SC_GROUP_MAX_KEPT_BYTES ((size_t)4 * 1024 * 1024)

typedef struct sc_group_keys sc_group_keys;

/* Creates the keys of a group that `user` is in, empty or from a dump. `admin` is the group's key pair, NULL
 * for members who only read. SC_ERR_ID_KIND, SC_ERR_KEY_INVALID for an id that is not a group's,
 * SC_ERR_KEY_MISMATCH for the pair of another group, SC_ERR_CONFIG_DUMP. */
SC_API SC_NODISCARD sc_status sc_group_keys_new(sc_group_keys **out, const sc_env *env,
                                                const sc_keypair *user, const sc_id *group_id,
                                                const sc_ed25519_pair *admin, sc_bytes dump);
/* NULL is allowed. */
SC_API void sc_group_keys_free(sc_group_keys *keys);

typedef enum sc_group_dump_form {
  SC_GROUP_DUMP_KEYS,     /* keys and hashes: byte for byte the dump of other implementations */
  SC_GROUP_DUMP_MESSAGES, /* also the content of the active messages, which other implementations skip */
} sc_group_dump_form;

/* Saves the state and clears the need for a dump. The admin's secret is not included. */
SC_API SC_NODISCARD sc_status sc_group_keys_dump(sc_buffer *out, sc_group_keys *keys,
                                                 sc_group_dump_form form);
SC_API bool sc_group_keys_needs_dump(const sc_group_keys *keys);

/* Makes the user an admin, with the group's seed of 32 bytes or secret of 64. Does nothing for an admin.
 * SC_ERR_KEY_SIZE; SC_ERR_KEY_MISMATCH for another group's key, or halves that do not match. */
SC_API SC_NODISCARD sc_status sc_group_keys_load_admin_key(sc_group_keys *keys, sc_bytes secret);

/* Returns the group's key pair; NULL unless the user is an admin. */
SC_API const sc_keypair *sc_group_keys_admin(const sc_group_keys *keys);

typedef struct sc_group_key_list {
  const sc_bytes *keys;
  size_t count;
} sc_group_key_list;

/* Returns the keys: the pending key, if any, then the others, newest first. The first key encrypts; any key
 * can decrypt. A key with several generations occurs several times. */
SC_API sc_group_key_list sc_group_keys_list(const sc_group_keys *keys);

/* Returns a number that changes whenever the list may have changed. */
SC_API uint64_t sc_group_keys_version(const sc_group_keys *keys);

/* Passes the list to another config of the group. Set `dirty` after rekeying, so that the config is pushed
 * under the new key, but not after loading. The statuses of sc_config_replace_keys. */
SC_API SC_NODISCARD sc_status sc_group_keys_hand_on(const sc_group_keys *keys, sc_config *config, bool dirty);

/* Returns the generation of the newest key that is not pending; false if there is none. */
SC_API bool sc_group_keys_generation(int64_t *out, const sc_group_keys *keys);

/* Makes a new key for `members`: all members of the group including admins, in strictly ascending order of
 * ids. The key is pending, and encrypts, until its message comes back from the swarm; it replaces a pending
 * key. Admins with the same keys and members make the same message. Members with an unsafe key are left out.
 * SC_ERR_CONFIG_READ_ONLY, SC_ERR_ARGUMENT for another order, SC_ERR_ID_KIND for other ids, SC_ERR_TOO_LARGE
 * over SC_GROUP_MAX_MEMBERS, SC_ERR_GROUP_GENERATION after the last generation. */
SC_API SC_NODISCARD sc_status sc_group_keys_rekey(sc_group_keys *keys, const sc_id *members, size_t count);

/* The same for all entries of `members`, including those marked for removal: erase them first. */
SC_API SC_NODISCARD sc_status sc_group_keys_rekey_members(sc_group_keys *keys,
                                                          const sc_group_members *members);

/* Returns the message to store while a key is pending, empty otherwise. Storing it twice is harmless. */
SC_API sc_bytes sc_group_keys_pending(const sc_group_keys *keys);

/* True if an admin must rekey, because two admins rekeyed at the same time with different members. Check it
 * after all messages of a poll are loaded. */
SC_API bool sc_group_keys_needs_rekey(const sc_group_keys *keys);

/* Replaces `out` with a message to store that gives all keys except the pending one to `recipients`. Their
 * order affects only the bytes: with ascending order every admin makes the same message.
 * SC_ERR_CONFIG_READ_ONLY, SC_ERR_CONFIG_KEYLESS, SC_ERR_ARGUMENT without recipients or with duplicates,
 * SC_ERR_ID_KIND, SC_ERR_KEY_INVALID if no recipient has a safe key, SC_ERR_TOO_LARGE if the message could
 * not be stored: then use fewer recipients. */
SC_API SC_NODISCARD sc_status sc_group_keys_supplement(sc_buffer *out, const sc_group_keys *keys,
                                                       const sc_id *recipients, size_t count);

/* Loads a message with this hash that the swarm stored at `timestamp_ms`; `*found` is true if it contains a
 * key for this user. Expiry uses no time later than `wall_ms`, so a node with a fast clock cannot expire
 * keys early. Loading a message twice is harmless. The signature is checked first. After a failure continue
 * polling; the message is not kept alive. SC_ERR_ARGUMENT for an empty hash, a hash over
 * SC_CONFIG_MAX_HASH_BYTES or an impossible time; SC_ERR_TOO_LARGE over SC_GROUP_KEYS_MAX_BYTES;
 * SC_ERR_CONFIG_UNSIGNED if there is no signature at the end; SC_ERR_SIGNATURE; the bt statuses;
 * SC_ERR_GROUP_KEYS for another form; SC_ERR_GROUP_GENERATION; SC_ERR_DECRYPT if an admin cannot decrypt the
 * part for admins; SC_ERR_GROUP_SUPPLEMENT for a supplement with invalid content. */
SC_API SC_NODISCARD sc_status sc_group_keys_load(bool *found, sc_group_keys *keys, sc_bytes hash,
                                                 sc_bytes message, uint64_t timestamp_ms, uint64_t wall_ms);

/* A message that the swarm must keep: extend its lifetime, and store its content again if it was lost. */
typedef struct sc_group_keys_message {
  sc_bytes hash;
  sc_bytes content; /* empty if unknown */
} sc_group_keys_message;

/* Return the messages in ascending order of hashes; `index` is less than the count. */
SC_API size_t sc_group_keys_active_count(const sc_group_keys *keys);
SC_API sc_group_keys_message sc_group_keys_active(const sc_group_keys *keys, size_t index);

/* Encrypt a message of the user for the group, and decrypt one: as sc_group_seal and sc_group_open, with the
 * list of keys. SC_ERR_CONFIG_KEYLESS. `options` may be NULL. */
SC_API SC_NODISCARD sc_status sc_group_keys_seal(sc_buffer *out, const sc_group_keys *keys, sc_bytes message,
                                                 const sc_group_seal_options *options);
SC_API SC_NODISCARD sc_status sc_group_keys_open(sc_buffer *out, sc_sender *sender, const sc_group_keys *keys,
                                                 sc_bytes sealed);

SC_API_END

#endif
