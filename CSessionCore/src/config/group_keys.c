#include "group_keys.h"

#include "../crypto/blake2b.h"
#include "session-core/base/secret.h"

static sc_status meet_group(sc_group_keys *keys, const sc_id *group_id) {
  if (sc_id_kind_of(group_id) != SC_ID_GROUP)
    return SC_ERR_ID_KIND;
  uint8_t group_x25519[SC_KEY_BYTES];
  sc_status status = sc_x25519_from_ed25519(group_x25519, sc_bytes_make(sc_id_key(group_id), SC_KEY_BYTES));
  if (status == SC_OK)
    status = sc_member_key_of_mine(keys->own_member_key, &keys->user, group_x25519);
  keys->group_id = *group_id;
  return status;
}

/* The object around the keys, and what goes into it that is not in a dump. */
static sc_status set_up(sc_group_keys *keys, const sc_id *group_id, const sc_ed25519_pair *admin) {
  sc_buffer_init(&keys->pending.message, keys->env);
  sc_status status = meet_group(keys, group_id);
  if (status == SC_OK && admin != NULL)
    status = sc_group_keys_load_admin_key(keys, SC_BYTES(admin->secret));
  return status == SC_OK ? sc_group_keys_reserve(keys, 1) : status;
}

sc_status sc_group_keys_new(sc_group_keys **out, const sc_env *env, const sc_keypair *user,
                            const sc_id *group_id, const sc_ed25519_pair *admin, sc_bytes dump) {
  *out = NULL;
  sc_group_keys *keys = sc_allocate(env, sizeof *keys);
  if (keys == NULL)
    return SC_ERR_NO_MEMORY;
  *keys = (sc_group_keys){.env = env, .user = *user, .messages = {.env = env}};
  sc_status status = set_up(keys, group_id, admin);
  if (status == SC_OK && dump.len > 0)
    status = sc_group_keys_read_dump(keys, dump);
  if (status != SC_OK) {
    sc_group_keys_free(keys);
    return status;
  }
  *out = keys;
  return SC_OK;
}

void sc_group_keys_free(sc_group_keys *keys) {
  if (keys == NULL)
    return;
  const sc_env *env = keys->env;
  sc_key_ring_free(&keys->ring, env);
  sc_key_messages_free(&keys->messages);
  sc_member_keys_free(&keys->member_keys, env);
  sc_buffer_free(&keys->pending.message);
  sc_release(env, keys->list);
  sc_wipe(keys, sizeof *keys);
  sc_release(env, keys);
}

static sc_status reserve_list(sc_group_keys *keys, size_t capacity) {
  if (capacity <= keys->list_capacity)
    return SC_OK;
  sc_bytes *list = sc_allocate(keys->env, capacity * sizeof *list);
  if (list == NULL)
    return SC_ERR_NO_MEMORY;
  sc_release(keys->env, keys->list);
  keys->list = list;
  keys->list_capacity = capacity;
  return SC_OK;
}

static void point_to_keys(sc_group_keys *keys) {
  size_t count = 0;
  if (keys->pending.there)
    keys->list[count++] = SC_BYTES(keys->pending.key);
  for (size_t i = keys->ring.count; i-- > 0;)
    keys->list[count++] = SC_BYTES(keys->ring.keys[i].key);
  keys->list_count = count;
}

sc_status sc_group_keys_reserve(sc_group_keys *keys, size_t extra) {
  sc_status status = sc_key_ring_reserve(&keys->ring, keys->env, extra);
  if (status == SC_OK)
    status = reserve_list(keys, keys->ring.capacity + 1);
  /* The ring may have moved, and the list as well; even when there was room for one of them alone. */
  if (keys->list != NULL)
    point_to_keys(keys);
  return status;
}

void sc_group_keys_renew_list(sc_group_keys *keys) {
  point_to_keys(keys);
  keys->version++;
}

void sc_group_keys_drop_pending(sc_group_keys *keys) {
  sc_buffer_clear(&keys->pending.message);
  sc_wipe(keys->pending.key, sizeof keys->pending.key);
  keys->pending.there = false;
}

void sc_group_keys_admin_key(uint8_t out[static SC_KEY_BYTES], const sc_group_keys *keys) {
  const sc_bytes seed = sc_bytes_make(keys->admin.ed.secret, SC_ED25519_SEED_BYTES);
  sc_blake2b_pieces(out, SC_KEY_BYTES, sc_bytes_text("SessionGroupKeyAdminKey"), NULL, &seed, 1);
}

sc_status sc_group_keys_load_admin_key(sc_group_keys *keys, sc_bytes secret) {
  if (keys->is_admin)
    return SC_OK;
  sc_keypair pair;
  sc_status status = sc_keypair_from_secret(&pair, secret);
  if (status != SC_OK)
    return status;
  if (memcmp(pair.ed.public_key, sc_id_key(&keys->group_id), SC_KEY_BYTES) != 0) {
    status = SC_ERR_KEY_MISMATCH;
  } else {
    keys->admin = pair;
    keys->is_admin = true;
  }
  sc_keypair_wipe(&pair);
  return status;
}

const sc_keypair *sc_group_keys_admin(const sc_group_keys *keys) {
  return keys->is_admin ? &keys->admin : NULL;
}

bool sc_group_keys_needs_dump(const sc_group_keys *keys) {
  return keys->needs_dump;
}

sc_group_key_list sc_group_keys_list(const sc_group_keys *keys) {
  return (sc_group_key_list){keys->list, keys->list_count};
}

uint64_t sc_group_keys_version(const sc_group_keys *keys) {
  return keys->version;
}

sc_status sc_group_keys_hand_on(const sc_group_keys *keys, sc_config *config, bool dirty) {
  return sc_config_replace_keys(config, keys->list, keys->list_count, dirty);
}

bool sc_group_keys_generation(int64_t *out, const sc_group_keys *keys) {
  const sc_ring_key *newest = sc_key_ring_newest(&keys->ring);
  if (newest != NULL)
    *out = newest->generation;
  return newest != NULL;
}

sc_bytes sc_group_keys_pending(const sc_group_keys *keys) {
  return sc_buffer_bytes(&keys->pending.message);
}

bool sc_group_keys_needs_rekey(const sc_group_keys *keys) {
  const sc_key_ring *ring = &keys->ring;
  return keys->is_admin && ring->count >= 2 &&
         ring->keys[ring->count - 2].generation == ring->keys[ring->count - 1].generation;
}

size_t sc_group_keys_active_count(const sc_group_keys *keys) {
  return keys->messages.message_count;
}

sc_group_keys_message sc_group_keys_active(const sc_group_keys *keys, size_t index) {
  const sc_key_message *message = keys->messages.messages[index];
  return (sc_group_keys_message){sc_key_message_hash(message), sc_key_message_content(message)};
}

sc_status sc_group_keys_seal(sc_buffer *out, const sc_group_keys *keys, sc_bytes message,
                             const sc_group_seal_options *options) {
  sc_buffer_clear(out);
  if (keys->list_count == 0)
    return SC_ERR_CONFIG_KEYLESS;
  return sc_group_seal(out, keys->env, &keys->user, sc_id_key(&keys->group_id), keys->list[0], message,
                       options);
}

sc_status sc_group_keys_open(sc_buffer *out, sc_sender *sender, const sc_group_keys *keys, sc_bytes sealed) {
  return sc_group_open(out, sender, NULL, keys->env, sc_id_key(&keys->group_id), keys->list, keys->list_count,
                       sealed);
}
