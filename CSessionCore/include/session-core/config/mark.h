/* What changed in a config since a moment: mark it, merge or edit it, and ask where it is another now. It
 * costs in proportion to what changed, and the mark itself costs nothing.
 *
 * The caller that created a mark frees it, before the config's environment goes. It belongs to the thread of
 * the config. */
#ifndef SC_CONFIG_MARK_H
#define SC_CONFIG_MARK_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "object.h"

SC_API_BEGIN

typedef struct sc_config_mark sc_config_mark;

/* Remembers the data that a config has now. */
SC_API SC_NODISCARD sc_status sc_config_mark_new(sc_config_mark **out, const sc_config *config);

/* NULL is allowed. */
SC_API void sc_config_mark_free(sc_config_mark *mark);

/* Told the keys that lead to a value which came, went or changed: an integer, a string or a set. They are
 * borrowed for the call. */
typedef void (*sc_config_changed)(void *user, const sc_bytes *keys, size_t count);

/* Goes through all differences between the marked data and the data now, in ascending order. `changed` must
 * not touch the config. */
SC_API void sc_config_changes_since(const sc_config_mark *mark, const sc_config *config,
                                    sc_config_changed changed, void *user);

/* Changes the config as it was changed between two marks of it: for edits that a merge has left behind. Where
 * others have changed the same value since, theirs stays, and what they have removed stays away; of dicts and
 * sets this goes for what is inside. `*changed` tells whether that changed anything. SC_ERR_CONFIG_READ_ONLY.
 *
 * When it is not known what the config was before, `from` is NULL: what was changed by the last revision that
 * `to` was read from, or pushed as, is then changed again, whatever others have done. But what a merge says
 * has changed, which is everything, is left alone; and of what was removed, what others have put beside it.
 */
SC_API SC_NODISCARD sc_status sc_config_redo(bool *changed, sc_config *config, const sc_config_mark *from,
                                             const sc_config_mark *to);

SC_API_END

#endif
