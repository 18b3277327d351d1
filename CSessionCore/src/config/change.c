#include "change.h"

#include <assert.h>

#include "diff.h"
#include "state.h"

void sc_config_change_begin(sc_config_change *out, sc_config *config) {
  *out = (sc_config_change){.config = config,
                            .data = sc_config_tree_keep(config->now.message->data),
                            .status = sc_config_is_read_only(config) ? SC_ERR_CONFIG_READ_ONLY : SC_OK};
}

static bool waits(const sc_config_change *change) {
  return change->waiting.owner != NULL;
}

static sc_config_path waiting_path(const sc_config_change *change) {
  return (sc_config_path){change->waiting_keys, change->waiting_key_count};
}

static void forget_waiting(sc_config_change *change) {
  sc_shared_drop(change->config->env, change->waiting.owner);
  change->waiting.owner = NULL;
}

void sc_config_change_settle(sc_config_change *change) {
  if (waits(change) && change->status == SC_OK)
    change->status =
        sc_config_data_put_entry(&change->data, change->config->env, waiting_path(change), &change->waiting);
  forget_waiting(change);
}

void sc_config_change_put_last(sc_config_change *change, sc_config_path path, const sc_config_entry *entry) {
  assert(path.count > 0 && path.count <= sc_config_most_record_keys);
  sc_config_change_settle(change);
  if (change->status != SC_OK)
    return;
  change->waiting = *entry;
  sc_shared_keep(entry->owner);
  memcpy(change->waiting_keys, path.keys, path.count * sizeof *path.keys);
  change->waiting_key_count = path.count;
}

static void edit(sc_config_change *change, sc_config_action action, sc_config_path path,
                 sc_config_value value) {
  sc_config_change_settle(change);
  if (change->status == SC_OK)
    change->status = sc_config_data_edit(&change->data, change->config->env, action, path, value);
}

void sc_config_change_set(sc_config_change *change, sc_config_path path, sc_config_value value) {
  edit(change, SC_CONFIG_PUT, path, value);
}

void sc_config_change_erase(sc_config_change *change, sc_config_path path) {
  edit(change, SC_CONFIG_ERASE, path, sc_config_integer(0));
}

void sc_config_change_add(sc_config_change *change, sc_config_path path, sc_config_value member) {
  edit(change, SC_CONFIG_ADD, path, member);
}

void sc_config_change_remove(sc_config_change *change, sc_config_path path, sc_config_value member) {
  edit(change, SC_CONFIG_REMOVE, path, member);
}

void sc_config_change_bits(sc_config_change *change, sc_config_path path, uint64_t on, uint64_t off) {
  enum { bits = 64 };
  for (int64_t bit = 0; bit < bits; bit++) {
    if (on >> bit & 1)
      sc_config_change_add(change, path, sc_config_integer(bit));
    if (off >> bit & 1)
      sc_config_change_remove(change, path, sc_config_integer(bit));
  }
}

void sc_config_change_fail(sc_config_change *change, sc_status status) {
  if (change->status == SC_OK)
    change->status = status;
}

/* Nothing but what waits has changed, and no earlier revision needs the data. */
static bool may_amend(const sc_config_change *change) {
  const sc_config *config = change->config;
  return waits(change) && config->now.state == SC_CONFIG_DIRTY && change->data == config->now.message->data;
}

static sc_status take(sc_config_change *change) {
  sc_config *config = change->config;
  if (may_amend(change)) {
    sc_config_tree_drop(config->env, change->data);
    change->data = NULL;
    return sc_config_amend(config, waiting_path(change), &change->waiting);
  }
  sc_config_change_settle(change);
  if (change->status != SC_OK || sc_config_data_same(config->now.message->data, change->data))
    return change->status;
  return sc_config_revise(config, change->data);
}

sc_status sc_config_change_end(sc_config_change *change) {
  sc_status status = change->status == SC_OK ? take(change) : change->status;
  forget_waiting(change);
  sc_config_tree_drop(change->config->env, change->data);
  change->data = NULL;
  return status;
}
