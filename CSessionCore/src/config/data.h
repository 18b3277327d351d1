/* Config data: checked when it comes in, looked up and edited by path. */
#ifndef SC_CONFIG_DATA_H
#define SC_CONFIG_DATA_H

#include "session-core/base/bt.h"
#include "tree.h"

/* Reads and checks the data of a message: a well-formed dict without empty values. */
SC_NODISCARD sc_status sc_config_data_check(sc_bt_reader *reader);

/* Reads a set, in order and without duplicates. */
SC_NODISCARD sc_status sc_config_set_check(sc_bt_reader *reader);

/* Dicts and sets up to this size are kept as bytes and scanned; larger ones become trees at the first lookup.
 */
enum { sc_config_flat_bytes = 1024 };

/* A found entry: in a tree, or scanned from bytes. */
typedef struct sc_config_place {
  sc_config_entry *entry; /* NULL if there is none */
  sc_config_entry scanned;
} sc_config_place;

/* Looks a key up in the dict or set that is the value of `container`. */
SC_NODISCARD sc_status sc_config_find(sc_config_place *out, const sc_env *env, sc_config_entry *container,
                                      sc_config_value key);

/* The same for each key of a path, from the root. */
SC_NODISCARD sc_status sc_config_data_find(sc_config_place *out, const sc_env *env,
                                           const sc_config_node *data, sc_config_path path);

/* Returns the tree of an entry whose value is a dict or a set. The caller drops it. */
SC_NODISCARD sc_status sc_config_tree_of(sc_config_node **out, const sc_env *env, sc_config_entry *entry);

/* True if the entry exists and its value is this scalar. */
bool sc_config_entry_has(const sc_config_entry *entry, sc_config_value scalar);

/* Makes an entry for a key with room for a value of `size` bytes, to which `*value` points. The caller drops
 * the owner. */
SC_NODISCARD sc_status sc_config_make_entry(sc_config_entry *out, uint8_t **value, const sc_env *env,
                                            sc_config_value key, size_t size);

/* Put a copy of a scalar or member into `*dict` or `*set`, which is unchanged if it has it already. */
SC_NODISCARD sc_status sc_config_put_scalar(sc_config_node **dict, const sc_env *env, sc_config_value key,
                                            sc_config_value scalar);
SC_NODISCARD sc_status sc_config_put_member(sc_config_node **set, const sc_env *env, sc_config_value member);

/* Replaces the value of a key in `*dict` by a tree; NULL removes it. */
SC_NODISCARD sc_status sc_config_put_tree(sc_config_node **dict, const sc_env *env, sc_config_value key,
                                          sc_config_node *tree);

typedef enum sc_config_action {
  SC_CONFIG_PUT,    /* the scalar at the end of the path */
  SC_CONFIG_ERASE,  /* the current value */
  SC_CONFIG_ADD,    /* a member of the existing set */
  SC_CONFIG_REMOVE, /* the same */
} sc_config_action;

/* Edits `*data`, which keeps its identity if nothing changes. After a failure it is unchanged:
 * SC_ERR_ARGUMENT, SC_ERR_BT_DEPTH as for the edits of a message. */
SC_NODISCARD sc_status sc_config_data_edit(sc_config_node **data, const sc_env *env, sc_config_action action,
                                           sc_config_path path, sc_config_value scalar);

/* Replaces the entry of the last key of the path with this one, which the caller still owns. */
SC_NODISCARD sc_status sc_config_data_put_entry(sc_config_node **data, const sc_env *env, sc_config_path path,
                                                const sc_config_entry *entry);

#endif
