#include "nodes.h"

#include "../moment.h"
#include "state.h"

static bool options_are_sound(const sc_node_options *options) {
  bool agree =
      options->lists == 0 || (options->agreeing_lists > 0 && options->agreeing_lists <= options->lists);
  bool sound = agree && options->lists <= SC_NODE_MAX_LISTS && options->smallest_pool > 0 &&
               options->struck_out > 0 && options->struck_out <= SC_NODE_MAX_STRIKES &&
               options->retry_delay > 0 && options->seed_count <= SC_NODE_MAX_SEEDS;
  for (size_t i = 0; sound && i < options->seed_count; i++)
    sound = sc_node_is_usable(&options->seeds[i], options->private_addresses);
  return sound;
}

static bool has_seeds(const sc_node_options *options) {
  size_t built_in;
  (void)sc_seeds(&built_in, options->kind);
  return options->seed_count > 0 || built_in > 0;
}

sc_status sc_nodes_new(sc_nodes **out, const sc_env *env, const sc_node_options *options,
                       const sc_nodes_host *host) {
  *out = NULL;
  if (!options_are_sound(options))
    return SC_ERR_ARGUMENT;
  if (!has_seeds(options))
    return SC_ERR_NO_SEEDS;
  sc_nodes *nodes = sc_allocate(env, sizeof *nodes);
  if (nodes == NULL)
    return SC_ERR_NO_MEMORY;
  *nodes = (sc_nodes){.env = env, .options = *options, .host = *host, .strikes_due = UINT64_MAX};
  sc_node_pool_init(&nodes->pool, env);
  sc_swarms_init(&nodes->swarms, env);
  sc_strikes_init(&nodes->strikes, env, options);
  sc_refresh_init(nodes);
  *out = nodes;
  return SC_OK;
}

void sc_nodes_free(sc_nodes *nodes) {
  if (nodes == NULL)
    return;
  nodes->refresh.suspended = true;
  sc_refresh_stop(nodes);
  sc_node_pool_free(&nodes->pool);
  sc_swarms_free(&nodes->swarms);
  sc_strikes_free(&nodes->strikes);
  sc_release(nodes->env, nodes);
}

const sc_node_pool *sc_nodes_pool(const sc_nodes *nodes) {
  return &nodes->pool;
}

bool sc_nodes_are_of_seed(const sc_nodes *nodes) {
  return nodes->refresh.by_seed;
}

/* ---- choosing ---- */

typedef struct moment {
  sc_nodes *nodes;
  uint64_t wall;
} moment;

static bool is_struck_out(void *user, const sc_node *node) {
  const moment *at = user;
  return sc_nodes_is_struck_out(at->nodes, at->wall, node->key);
}

size_t sc_nodes_pick(const sc_node **out, sc_nodes *nodes, uint64_t wall, size_t count,
                     const sc_node *excluded, size_t excluded_count) {
  moment at = {nodes, wall};
  const sc_node_wish wish = {.excluded = excluded,
                             .excluded_count = excluded_count,
                             .diverse = nodes->options.subnet_diversity,
                             .refuse = is_struck_out,
                             .user = &at};
  return sc_node_pool_pick(out, &nodes->pool, count, &wish);
}

const sc_node *sc_nodes_find(const sc_nodes *nodes, const uint8_t key[static SC_KEY_BYTES]) {
  return sc_node_pool_find(&nodes->pool, key);
}

size_t sc_nodes_usable(sc_nodes *nodes, uint64_t wall, size_t most) {
  moment at = {nodes, wall};
  const sc_node_wish wish = {.refuse = is_struck_out, .user = &at};
  return sc_node_pool_usable(&nodes->pool, most, &wish);
}

/* ---- strikes ---- */

static void strikes_changed(sc_nodes *nodes, uint64_t now) {
  uint64_t next = nodes->strikes_saved ? sc_later(nodes->strikes_saved_at, nodes->options.strikes_save) : now;
  if (nodes->strikes_due == UINT64_MAX)
    nodes->strikes_due = next > now ? next : now;
}

sc_status sc_nodes_strike(sc_nodes *nodes, uint64_t now, uint64_t wall,
                          const uint8_t key[static SC_KEY_BYTES], bool permanent) {
  sc_status status = sc_strikes_add(&nodes->strikes, wall, key, permanent);
  if (status == SC_OK)
    strikes_changed(nodes, now);
  return status;
}

size_t sc_nodes_strikes(sc_nodes *nodes, uint64_t wall, const uint8_t key[static SC_KEY_BYTES]) {
  return sc_strikes_count(&nodes->strikes, wall, key);
}

bool sc_nodes_is_struck_out(sc_nodes *nodes, uint64_t wall, const uint8_t key[static SC_KEY_BYTES]) {
  return sc_strikes_is_out(&nodes->strikes, wall, key);
}

static void save_strikes(sc_nodes *nodes, uint64_t now) {
  nodes->strikes_due = UINT64_MAX;
  nodes->strikes_saved = true;
  nodes->strikes_saved_at = now;
  sc_nodes_save(nodes, SC_NODES_FILE_STRIKES);
}

void sc_nodes_clear_strikes(sc_nodes *nodes, uint64_t now) {
  sc_strikes_free(&nodes->strikes);
  save_strikes(nodes, now);
}

/* ---- swarms ---- */

sc_status sc_nodes_swarm(sc_swarm *out, sc_nodes *nodes, uint64_t wall,
                         const uint8_t account[static SC_KEY_BYTES], bool ignore_strikes) {
  sc_status status = sc_swarms_find(out, &nodes->swarms, &nodes->pool, account);
  if (status == SC_OK && !ignore_strikes)
    sc_swarm_leave_out(out, &nodes->strikes, wall, nodes->options.smallest_swarm);
  return status;
}

bool sc_nodes_hint(uint64_t *out, const sc_nodes *nodes, const uint8_t account[static SC_KEY_BYTES],
                   const sc_storage_swarm *swarm) {
  return sc_swarms_hint(out, &nodes->swarms, &nodes->pool, account, &swarm->nodes);
}

bool sc_nodes_of_swarm(sc_swarm *out, const sc_nodes *nodes, uint64_t swarm) {
  return sc_swarms_members(out, &nodes->swarms, &nodes->pool, swarm);
}

/* ---- the pool as a whole ---- */

sc_status sc_nodes_adopt(sc_nodes *nodes, sc_node_list *list) {
  sc_swarms swarms;
  sc_node_list_shuffle(list);
  sc_status status = sc_swarms_make(&swarms, nodes->env, sc_node_list_nodes(list), sc_node_list_count(list));
  if (status != SC_OK)
    return status;
  sc_node_pool_replace(&nodes->pool, list);
  sc_swarms_free(&nodes->swarms);
  nodes->swarms = swarms;
  return SC_OK;
}

void sc_nodes_tell_replaced(sc_nodes *nodes) {
  if (nodes->host.replaced != NULL)
    nodes->host.replaced(nodes->host.user);
}

void sc_nodes_save(sc_nodes *nodes, sc_nodes_file file) {
  if (nodes->host.save != NULL)
    nodes->host.save(nodes->host.user, file);
}

void sc_nodes_clear(sc_nodes *nodes, uint64_t now) {
  sc_node_pool_forget(&nodes->pool);
  sc_swarms_free(&nodes->swarms);
  nodes->refresh.refreshed = nodes->refresh.by_seed = false;
  nodes->refresh.refreshed_wall = 0;
  nodes->refresh.changes = (sc_day_changes){0};
  sc_nodes_tell_replaced(nodes);
  sc_nodes_save(nodes, SC_NODES_FILE_POOL);
  sc_nodes_clear_strikes(nodes, now);
  sc_refresh_stop(nodes);
}

/* ---- time ---- */

uint64_t sc_nodes_deadline(const sc_nodes *nodes) {
  uint64_t refresh = sc_refresh_deadline(nodes);
  return refresh < nodes->strikes_due ? refresh : nodes->strikes_due;
}

sc_status sc_nodes_advance(sc_nodes *nodes, uint64_t now, uint64_t wall) {
  if (nodes->strikes_due <= now)
    save_strikes(nodes, now);
  return sc_refresh_advance(nodes, now, wall);
}

void sc_nodes_suspend(sc_nodes *nodes, uint64_t now) {
  nodes->refresh.suspended = true;
  if (nodes->strikes_due != UINT64_MAX)
    save_strikes(nodes, now);
  sc_refresh_stop(nodes);
}

void sc_nodes_resume(sc_nodes *nodes) {
  nodes->refresh.suspended = false;
}
