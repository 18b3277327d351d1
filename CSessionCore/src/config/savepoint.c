#include "session-core/config/savepoint.h"

#include <assert.h>

#include "multipart.h"
#include "session-core/base/secret.h"
#include "state.h"

struct sc_config_savepoint {
  const sc_env *env;
  const sc_config_type *type;
  bool used;
  sc_config_standing then;
  sc_buffer keys;
  bool had_signer;
  sc_ed25519_pair signer;
  void *extra;
};

static sc_status remember_standing(sc_config_standing *out, const sc_config *config) {
  sc_status status = sc_config_standing_fork(out, &config->now, config->env);
  if (status != SC_OK) {
    sc_config_standing_init(out, config->env);
    return status;
  }
  return sc_config_parts_fork(&out->parts, config->now.parts);
}

static sc_status remember(sc_config_savepoint *savepoint, const sc_config *config) {
  savepoint->had_signer = config->has_signer;
  savepoint->signer = config->signer;
  sc_status status = remember_standing(&savepoint->then, config);
  if (status == SC_OK)
    status = sc_buffer_append(&savepoint->keys, sc_buffer_bytes(&config->keys));
  if (status == SC_OK && config->type->keep_extra != NULL)
    status = config->type->keep_extra(&savepoint->extra, config->object);
  /* After a failure the result may be incomplete. */
  savepoint->used = status != SC_OK;
  return status;
}

sc_status sc_config_savepoint_new(sc_config_savepoint **out, const sc_config *config) {
  *out = NULL;
  sc_config_savepoint *savepoint = sc_allocate(config->env, sizeof *savepoint);
  if (savepoint == NULL)
    return SC_ERR_NO_MEMORY;
  *savepoint = (sc_config_savepoint){.env = config->env, .type = config->type};
  sc_config_standing_init(&savepoint->then, config->env);
  sc_buffer_init(&savepoint->keys, config->env);
  sc_status status = remember(savepoint, config);
  if (status == SC_OK)
    *out = savepoint;
  else
    sc_config_savepoint_free(savepoint);
  return status;
}

void sc_config_savepoint_free(sc_config_savepoint *savepoint) {
  if (savepoint == NULL)
    return;
  const sc_env *env = savepoint->env;
  if (!savepoint->used && savepoint->type->drop_extra != NULL)
    savepoint->type->drop_extra(env, savepoint->extra);
  sc_config_standing_free(&savepoint->then);
  sc_buffer_free(&savepoint->keys);
  sc_wipe(savepoint, sizeof *savepoint);
  sc_release(env, savepoint);
}

void sc_config_savepoint_roll_back(sc_config_savepoint *savepoint, sc_config *config) {
  assert(!savepoint->used && savepoint->type == config->type);
  sc_config_standing given_up = config->now;
  config->now = savepoint->then;
  savepoint->then = given_up;
  sc_buffer other_keys = config->keys;
  config->keys = savepoint->keys;
  savepoint->keys = other_keys;
  config->has_signer = savepoint->had_signer;
  config->signer = savepoint->signer;
  if (config->type->put_back_extra != NULL)
    config->type->put_back_extra(config->object, savepoint->extra);
  savepoint->used = true;
}
