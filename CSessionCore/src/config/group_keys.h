/* Definitions shared by the files that implement group keys. */
#ifndef SC_SRC_CONFIG_GROUP_KEYS_H
#define SC_SRC_CONFIG_GROUP_KEYS_H

#include "key_messages.h"
#include "key_ring.h"
#include "member_keys.h"
#include "session-core/config/group_keys.h"

/* The size of a wrapped key. */
#define SC_WRAPPED_KEY_BYTES 48

/* A key made on this device that has not come back from the swarm yet. */
typedef struct sc_pending_key {
  bool there;
  int64_t generation;
  uint8_t key[SC_KEY_BYTES];
  sc_buffer message;
} sc_pending_key;

struct sc_group_keys {
  const sc_env *env;
  sc_keypair user;
  sc_id group_id;
  uint8_t own_member_key[SC_KEY_BYTES]; /* decrypts the copies for the user */
  bool is_admin;
  sc_keypair admin;
  sc_key_ring ring;
  sc_pending_key pending;
  sc_key_messages messages;
  sc_member_keys member_keys;
  sc_bytes *list; /* points into `pending` and `ring` */
  size_t list_count;
  size_t list_capacity;
  uint64_t version;
  bool needs_dump;
};

/* Reserves memory for `extra` more keys in the ring and the list. */
SC_NODISCARD sc_status sc_group_keys_reserve(sc_group_keys *keys, size_t extra);

/* Rebuilds the list; call it after the ring or the pending key changed or moved. */
void sc_group_keys_renew_list(sc_group_keys *keys);

void sc_group_keys_drop_pending(sc_group_keys *keys);

/* Derives the key of the copy for admins; the user must be an admin. Wipe it. */
void sc_group_keys_admin_key(uint8_t out[static SC_KEY_BYTES], const sc_group_keys *keys);

/* Reads a dump into an object without keys. */
SC_NODISCARD sc_status sc_group_keys_read_dump(sc_group_keys *keys, sc_bytes dump);

#endif
