/* What changed in a config since a moment: mark it, merge or edit it, and ask where it is another now. It
 * costs in proportion to what changed, and the mark itself costs nothing.
 *
 * A mark is freed by whoever made it, not later than the config's environment. It belongs to the thread of
 * the config. */
#ifndef SC_CONFIG_MARK_H
#define SC_CONFIG_MARK_H

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

SC_API_END

#endif
