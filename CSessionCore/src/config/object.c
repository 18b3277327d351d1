#include "object.h"
#include "data.h"
#include "hashes.h"
#include "message.h"
#include "session-core/base/secret.h"
#include "state.h"

void sc_config_standing_init(sc_config_standing *out, const sc_env *env) {
  *out = (sc_config_standing){.state = SC_CONFIG_CLEAN};
  sc_config_hashes_init(&out->current, env);
  sc_config_hashes_init(&out->old, env);
}

void sc_config_standing_free(sc_config_standing *standing) {
  sc_config_tree_drop(standing->current.env, standing->archive);
  sc_config_parts_free(standing->parts);
  sc_config_hashes_free(&standing->current);
  sc_config_hashes_free(&standing->old);
  sc_config_message_free(standing->frozen);
  sc_config_message_free(standing->message);
}

void sc_config_standing_give_up(sc_config_standing *one, const sc_config_standing *other) {
  if (one->message == other->message)
    one->message = NULL;
  if (one->frozen == other->frozen)
    one->frozen = NULL;
  if (one->parts == other->parts)
    one->parts = NULL;
  sc_config_standing_free(one);
}

sc_status sc_config_standing_fork(sc_config_standing *out, const sc_config_standing *standing,
                                  const sc_env *env) {
  sc_config_standing_init(out, env);
  out->state = standing->state;
  out->fresh = standing->fresh;
  out->parts = standing->parts;
  out->archive = sc_config_tree_keep(standing->archive);
  out->needs_dump = standing->needs_dump;
  sc_status status = sc_config_hashes_copy(&out->current, &standing->current);
  if (status == SC_OK)
    status = sc_config_hashes_copy(&out->old, &standing->old);
  if (status == SC_OK)
    status = sc_config_message_share(&out->message, standing->message);
  if (status != SC_OK)
    sc_config_standing_give_up(out, standing);
  return status;
}

/* Making */

static sc_status set_signing(sc_config *config, const sc_config_setup *setup) {
  if (setup->verifier != NULL) {
    config->has_verifier = true;
    memcpy(config->verifier, setup->verifier, sizeof config->verifier);
  }
  return setup->signer == NULL ? SC_OK : sc_config_set_signer(config, setup->signer);
}

static sc_status set_account(sc_config *config, const sc_keypair *account) {
  if (account == NULL)
    return SC_OK;
  config->has_account = true;
  config->account = *account;
  return sc_config_add_key(config, sc_bytes_make(account->ed.secret, SC_ED25519_SEED_BYTES), true, false);
}

/* The state before the first revision has no author, so treat it as received. */
static sc_status begin_anew(sc_config *config) {
  sc_config_message *initial;
  sc_status status = sc_config_message_new(&initial, config->env, 0);
  if (status != SC_OK)
    return status;
  status = sc_config_message_freeze(&config->now.message, initial, NULL);
  sc_config_message_free(initial);
  return status;
}

static sc_status fill(sc_config *config, const sc_config_setup *setup) {
  sc_status status = set_signing(config, setup);
  if (status == SC_OK)
    status = set_account(config, setup->account);
  if (status == SC_OK && setup->dump.len > 0)
    return sc_config_load(config, setup->dump);
  if (status == SC_OK)
    status = sc_config_parts_new(&config->now.parts, config->env);
  return status == SC_OK ? begin_anew(config) : status;
}

sc_status sc_config_new(sc_config **out, const sc_env *env, const sc_config_setup *setup) {
  *out = NULL;
  sc_config *config = sc_allocate(env, sizeof *config);
  if (config == NULL)
    return SC_ERR_NO_MEMORY;
  *config = (sc_config){.env = env, .type = setup->type, .object = setup->object};
  sc_buffer_init(&config->keys, env);
  sc_config_standing_init(&config->now, env);
  sc_status status = fill(config, setup);
  if (status == SC_OK)
    *out = config;
  else
    sc_config_free(config);
  return status;
}

void sc_config_free(sc_config *config) {
  if (config == NULL)
    return;
  sc_config_standing_free(&config->now);
  sc_buffer_free(&config->keys);
  const sc_env *env = config->env;
  sc_wipe(config, sizeof *config);
  sc_release(env, config);
}

/* Asking */

const sc_env *sc_config_env(const sc_config *config) {
  return config->env;
}

const sc_config_node *sc_config_data(const sc_config *config) {
  return config->now.message->data;
}

/* Changes of a read-only config wait for a signing key. */
sc_config_state sc_config_state_of(const sc_config *config) {
  return sc_config_is_read_only(config) ? SC_CONFIG_CLEAN : config->now.state;
}

int64_t sc_config_seqno(const sc_config *config) {
  return config->now.message->seqno;
}

sc_bytes sc_config_domain(const sc_config *config) {
  return sc_bytes_text(config->type->domain);
}

int32_t sc_config_namespace(const sc_config *config) {
  return config->type->name_space;
}

bool sc_config_is_read_only(const sc_config *config) {
  return config->has_verifier && !config->has_signer;
}

bool sc_config_needs_push(const sc_config *config) {
  return sc_config_state_of(config) != SC_CONFIG_CLEAN && !config->type->local;
}

bool sc_config_needs_dump(const sc_config *config) {
  return config->now.needs_dump;
}

void sc_config_want_dump(sc_config *config) {
  config->now.needs_dump = true;
}

sc_config_node *sc_config_archive(const sc_config *config) {
  return config->now.archive;
}

void sc_config_set_archive(sc_config *config, sc_config_node *archive) {
  sc_config_tree_keep(archive);
  sc_config_tree_drop(config->env, config->now.archive);
  config->now.archive = archive;
  sc_config_want_dump(config);
}

/* Signing */

sc_config_rules sc_config_rules_of(const sc_config *config) {
  return (sc_config_rules){.verifier = config->has_verifier ? config->verifier : NULL,
                           .signer = config->has_signer ? &config->signer : NULL};
}

/* The state before the first revision is never signed. */
static bool lacks_signature(const sc_config_message *message) {
  return message != NULL && !message->editable && !message->has_signature && message->seqno != 0;
}

bool sc_config_is_unsigned(const sc_config *config) {
  return sc_config_is_read_only(config) && lacks_signature(config->now.message);
}

void sc_config_note_unsigned(sc_config *config) {
  sc_config_message *message = config->now.message;
  if (config->has_signer && lacks_signature(message))
    message->hash_is_due = true;
}

sc_status sc_config_set_signer(sc_config *config, const sc_ed25519_pair *signer) {
  if (!config->has_verifier || memcmp(config->verifier, signer->public_key, sizeof config->verifier) != 0)
    return SC_ERR_KEY_MISMATCH;
  bool had_signer = config->has_signer;
  config->signer = *signer;
  config->has_signer = true;
  if (!had_signer)
    sc_config_note_unsigned(config);
  return SC_OK;
}

/* Changing */

void sc_config_enter(sc_config *config, sc_config_state state) {
  if (sc_config_is_read_only(config))
    sc_config_hashes_clear(&config->now.current);
  else if (config->now.state == SC_CONFIG_CLEAN)
    sc_config_hashes_move(&config->now.old, &config->now.current);
  config->now.state = state;
  config->now.needs_dump = true;
}

static void forget_frozen(sc_config *config) {
  sc_config_message_free(config->now.frozen);
  config->now.frozen = NULL;
}

void sc_config_take_message(sc_config *config, sc_config_message *message) {
  forget_frozen(config);
  sc_config_message_free(config->now.message);
  config->now.message = message;
}

static void replace_data(sc_config_message *message, sc_config_node *data) {
  sc_config_tree_keep(data);
  sc_config_tree_drop(message->env, message->data);
  message->data = data;
}

sc_status sc_config_revise(sc_config *config, sc_config_node *data) {
  sc_config_rules rules = sc_config_rules_of(config);
  sc_config_message *next = config->now.message;
  if (config->now.state != SC_CONFIG_DIRTY) {
    sc_status status = sc_config_hashes_reserve(&config->now.old, config->now.current.count);
    if (status == SC_OK)
      status = sc_config_message_increment(&next, config->now.message, &rules);
    if (status != SC_OK)
      return status;
    sc_config_take_message(config, next);
  }
  forget_frozen(config);
  replace_data(next, data);
  sc_config_enter(config, SC_CONFIG_DIRTY);
  return SC_OK;
}

sc_status sc_config_amend(sc_config *config, sc_config_path path, const sc_config_entry *entry) {
  sc_status status = sc_config_data_put_entry(&config->now.message->data, config->env, path, entry);
  if (status != SC_OK)
    return status;
  forget_frozen(config);
  sc_config_enter(config, SC_CONFIG_DIRTY);
  return SC_OK;
}

sc_status sc_config_published(const sc_config_message **out, sc_config *config) {
  sc_config_rules rules = sc_config_rules_of(config);
  sc_status status = SC_OK;
  if (config->now.message->editable && config->now.frozen == NULL)
    status = sc_config_message_freeze(&config->now.frozen, config->now.message, &rules);
  if (config->now.message->hash_is_due) {
    status = sc_config_message_rehash(config->now.message, &rules);
    config->now.message->hash_is_due = status != SC_OK;
  }
  if (status == SC_OK)
    status = sc_config_message_finish_hash(config->now.message);
  if (status == SC_OK)
    *out = config->now.message->editable ? config->now.frozen : config->now.message;
  return status;
}
