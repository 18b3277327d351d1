/* The difference between two states of config data, as written in messages: the changed paths and the kind
 * of change, with values only for members of sets. */
#ifndef SC_CONFIG_DIFF_H
#define SC_CONFIG_DIFF_H

#include "session-core/base/bt.h"
#include "tree.h"

/* Reads and checks a diff. */
SC_NODISCARD sc_status sc_config_diff_check(sc_bt_reader *reader);

/* Appends the difference between two states. */
SC_NODISCARD sc_status sc_config_diff_append(sc_buffer *out, const sc_config_node *before,
                                             const sc_config_node *after);

/* True if two states are equal, even with different histories. */
bool sc_config_data_same(const sc_config_node *a, const sc_config_node *b);

/* Replaces `*data` with a state that has the changes of a diff. Values come from `source`, the data of the
 * message with the diff, which may be a later revision than the one of the changes. A value that is no longer
 * there is erased with all of its content. */
SC_NODISCARD sc_status sc_config_diff_apply(sc_config_node **data, const sc_env *env, sc_bytes diff,
                                            const sc_config_node *source);

/* The same for data that others have edited meanwhile: their additions next to erased records stay, even if
 * the source no longer has the dict that held the records. */
SC_NODISCARD sc_status sc_config_diff_apply_again(sc_config_node **data, const sc_env *env, sc_bytes diff,
                                                  const sc_config_node *source);

#endif
