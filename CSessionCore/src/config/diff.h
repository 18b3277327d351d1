/* What changed between two states of config data, as it is written in messages: the paths that changed and
 * how, but of the values only the members of sets. */
#ifndef SC_CONFIG_DIFF_H
#define SC_CONFIG_DIFF_H

#include "session-core/base/bt.h"
#include "tree.h"

/* Reads a diff that is well formed. */
SC_NODISCARD sc_status sc_config_diff_check(sc_bt_reader *reader);

/* Appends the difference between two states. */
SC_NODISCARD sc_status sc_config_diff_append(sc_buffer *out, const sc_config_node *before,
                                             const sc_config_node *after);

/* Whether two states are the same, however each came to be. */
bool sc_config_data_same(const sc_config_node *a, const sc_config_node *b);

/* Replaces `*data` by a state with the changes of a diff, with the values that they have in `source`: the
 * data of the message that carries the diff, which may be a later revision than the one that made them. What
 * is no longer there is erased, with everything in it. */
SC_NODISCARD sc_status sc_config_diff_apply(sc_config_node **data, const sc_env *env, sc_bytes diff,
                                            const sc_config_node *source);

/* The same for data that others have edited meanwhile: their additions next to erased records stay, even if
 * the source no longer has the dict that held the records. */
SC_NODISCARD sc_status sc_config_diff_apply_again(sc_config_node **data, const sc_env *env, sc_bytes diff,
                                                  const sc_config_node *source);

#endif
