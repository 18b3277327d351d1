/* The strict half of reading JSON: says whether a text is JSON, before json-c, which is more forgiving,
 * builds its values. */
#ifndef SC_SRC_BASE_JSON_SCAN_H
#define SC_SRC_BASE_JSON_SCAN_H

#include "session-core/base/json.h"

/* Checks that `text` is one JSON document by the rules of sc_json_parse, except for what only the values
 * show: equal keys, and doubles too large. `*members` is how many members its objects have in all. */
sc_status sc_json_scan(size_t *members, sc_bytes text, unsigned max_depth);

#endif
