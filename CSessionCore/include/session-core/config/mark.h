/* Marks: the differences of a config since a moment. Mark it, edit or merge it, then list the changes. The
 * cost is proportional to the changes; a mark itself costs nothing.
 *
 * The caller that created a mark frees it before the config's environment ends. A mark belongs to the thread
 * of its config. */
#ifndef SC_CONFIG_MARK_H
#define SC_CONFIG_MARK_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "object.h"

SC_API_BEGIN

typedef struct sc_config_mark sc_config_mark;

/* Remembers the current data of a config. */
SC_API SC_NODISCARD sc_status sc_config_mark_new(sc_config_mark **out, const sc_config *config);

/* NULL is allowed. */
SC_API void sc_config_mark_free(sc_config_mark *mark);

/* Receives the keys of a value that was added, removed or changed: an integer, a string or a set. The keys
 * are borrowed during the call. */
typedef void (*sc_config_changed)(void *user, const sc_bytes *keys, size_t count);

/* Calls `changed` for each difference between the marked and the current data, in ascending order. `changed`
 * must not use the config. */
SC_API void sc_config_changes_since(const sc_config_mark *mark, const sc_config *config,
                                    sc_config_changed changed, void *user);

/* Repeats the changes between two marks, for edits that a merge dropped. Where others changed or removed the
 * same value since, their change wins; in dicts and sets this applies to each element. `*changed` is true if
 * anything changed. SC_ERR_CONFIG_READ_ONLY.
 *
 * If the earlier state is unknown, `from` is NULL: the changes of the last revision that `to` was read from,
 * or pushed as, are repeated, and win over others. The changes that a merge reports, which are everything,
 * are ignored, and removals do not affect what others added next to the removed value. */
SC_API SC_NODISCARD sc_status sc_config_redo(bool *changed, sc_config *config, const sc_config_mark *from,
                                             const sc_config_mark *to);

SC_API_END

#endif
