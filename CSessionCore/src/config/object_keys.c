/* The keys of a config. Only the first one encrypts, so only another first one is worth another push. */
#include "object.h"
#include "session-core/base/secret.h"
#include "state.h"

static size_t key_count(const sc_buffer *keys) {
  return keys->len / SC_KEY_BYTES;
}

static sc_bytes key_at(const sc_buffer *keys, size_t index) {
  return sc_bytes_make(keys->ptr + index * SC_KEY_BYTES, SC_KEY_BYTES);
}

size_t sc_config_key_count(const sc_config *config) {
  return key_count(&config->keys);
}

sc_bytes sc_config_key(const sc_config *config, size_t index) {
  return key_at(&config->keys, index);
}

static bool same_first(const sc_buffer *a, const sc_buffer *b) {
  if (a->len == 0 || b->len == 0)
    return a->len == b->len;
  return sc_equal(a->ptr, b->ptr, SC_KEY_BYTES);
}

/* Takes over `keys`, which is then empty. */
static sc_status take_keys(sc_config *config, sc_buffer *keys, bool dirty) {
  bool push_again = dirty && !sc_config_is_read_only(config) && !same_first(&config->keys, keys);
  sc_status status = push_again ? sc_config_revise(config, config->now.message->data) : SC_OK;
  if (status == SC_OK) {
    sc_buffer before = config->keys;
    config->now.fresh = config->now.fresh && same_first(&before, keys);
    config->keys = *keys;
    *keys = before;
  }
  sc_buffer_free(keys);
  return status;
}

static sc_status append_key(sc_buffer *keys, sc_bytes key) {
  if (key.len != SC_KEY_BYTES)
    return SC_ERR_KEY_SIZE;
  return key_count(keys) == SC_CONFIG_MAX_KEYS ? SC_ERR_TOO_LARGE : sc_buffer_append(keys, key);
}

/* Those of the config from `from` on, without one of them, or all when it is empty. */
static sc_status append_others(sc_buffer *keys, const sc_config *config, size_t from, sc_bytes without) {
  sc_status status = SC_OK;
  for (size_t i = 0; i < sc_config_key_count(config) && status == SC_OK; i++) {
    sc_bytes key = sc_config_key(config, i);
    if (i < from || without.len == 0 || !sc_equal(key.ptr, without.ptr, SC_KEY_BYTES))
      status = append_key(keys, key);
  }
  return status;
}

static bool has_key(const sc_config *config, size_t from, sc_bytes key) {
  for (size_t i = from; i < sc_config_key_count(config); i++)
    if (sc_equal(sc_config_key(config, i).ptr, key.ptr, SC_KEY_BYTES))
      return true;
  return false;
}

/* Uses the new keys, if they could be made. */
static sc_status finish(sc_config *config, sc_buffer *keys, sc_status status, bool dirty) {
  if (status == SC_OK)
    return take_keys(config, keys, dirty);
  sc_buffer_free(keys);
  return status;
}

sc_status sc_config_replace_keys(sc_config *config, const sc_bytes *keys, size_t count, bool dirty) {
  sc_buffer made;
  sc_buffer_init(&made, config->env);
  sc_status status = SC_OK;
  for (size_t i = 0; i < count && status == SC_OK; i++)
    status = append_key(&made, keys[i]);
  return finish(config, &made, status, dirty);
}

sc_status sc_config_add_key(sc_config *config, sc_bytes key, bool first, bool dirty) {
  sc_buffer made;
  if (key.len != SC_KEY_BYTES)
    return SC_ERR_KEY_SIZE;
  if (!first && has_key(config, 0, key))
    return SC_OK;
  sc_buffer_init(&made, config->env);
  sc_status status = first ? append_key(&made, key) : SC_OK;
  if (status == SC_OK)
    status = append_others(&made, config, 0, key);
  if (status == SC_OK && !first)
    status = append_key(&made, key);
  return finish(config, &made, status, dirty);
}

sc_status sc_config_remove_key(bool *removed, sc_config *config, sc_bytes key, size_t from, bool dirty) {
  sc_buffer made;
  *removed = false;
  if (key.len != SC_KEY_BYTES)
    return SC_ERR_KEY_SIZE;
  if (!has_key(config, from, key))
    return SC_OK;
  sc_buffer_init(&made, config->env);
  sc_status status = append_others(&made, config, from, key);
  status = finish(config, &made, status, dirty);
  *removed = status == SC_OK;
  return status;
}

sc_config_envelope sc_config_envelope_of(const sc_config *config) {
  return (sc_config_envelope){.domain = sc_config_domain(config),
                              .account = config->has_account ? &config->account : NULL,
                              .kind = config->type->kind};
}

void sc_config_list_keys(sc_bytes *keys, const sc_config *config) {
  for (size_t i = 0; i < sc_config_key_count(config); i++)
    keys[i] = sc_config_key(config, i);
}
