#include "change.h"

#include "diff.h"
#include "state.h"

void sc_config_change_begin(sc_config_change *out, sc_config *config) {
  *out = (sc_config_change){.config = config,
                            .data = sc_config_tree_keep(config->now.message->data),
                            .status = sc_config_is_read_only(config) ? SC_ERR_CONFIG_READ_ONLY : SC_OK};
}

static void edit(sc_config_change *change, sc_config_action action, sc_config_path path,
                 sc_config_value value) {
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

static sc_status take(sc_config_change *change) {
  sc_config *config = change->config;
  bool same = sc_config_data_same(config->now.message->data, change->data);
  return same ? SC_OK : sc_config_revise(config, change->data);
}

sc_status sc_config_change_end(sc_config_change *change) {
  sc_status status = change->status == SC_OK ? take(change) : change->status;
  sc_config_tree_drop(change->config->env, change->data);
  change->data = NULL;
  return status;
}
