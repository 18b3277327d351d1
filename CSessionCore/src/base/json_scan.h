/* The strict half of reading JSON: checks the text before json-c, which is more lenient, builds values from
 * it. */
#ifndef SC_SRC_BASE_JSON_SCAN_H
#define SC_SRC_BASE_JSON_SCAN_H

#include "session-core/base/json.h"

/* Checks that `text` is one JSON document by the rules of sc_json_parse, except for those that need the
 * values: duplicate keys and doubles out of range. `*members` is the total number of members of all objects.
 */
sc_status sc_json_scan(size_t *members, sc_bytes text, unsigned max_depth);

#endif
