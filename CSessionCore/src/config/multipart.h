/* Sets of parts from the side of the config object, and of the files that hold them. */
#ifndef SC_SRC_CONFIG_MULTIPART_H
#define SC_SRC_CONFIG_MULTIPART_H

#include "part_set.h"
#include "session-core/config/multipart.h"

enum { sc_config_most_sets = SC_CONFIG_MAX_INCOMPLETE_SETS + SC_CONFIG_MAX_DONE_SETS };

struct sc_config_parts {
  const sc_env *env;
  /* In the order of their names and then of their counts; one is too many for a moment. One that is done is
   * the only one of its name. */
  sc_part_set *sets[sc_config_most_sets + 1];
  size_t set_count;
  sc_bytes *listed; /* the hashes of a set that was told last, and behind them their bytes */
};

/* The same sets again, to try something out: the parts are shared. */
SC_NODISCARD sc_status sc_config_parts_fork(sc_config_parts **out, const sc_config_parts *parts);

/* Takes the set over, and drops the oldest one of its sort when there are too many. */
void sc_config_parts_insert(sc_config_parts *parts, sc_part_set *set);

#endif
