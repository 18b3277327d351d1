/* The state of marks, for the files that use them. */
#ifndef SC_CONFIG_MARK_STATE_H
#define SC_CONFIG_MARK_STATE_H

#include "session-core/config/mark.h"
#include "tree.h"

struct sc_config_mark {
  const sc_env *env;
  sc_config_node *data;
  sc_slice diff;           /* of the revision read or pushed last */
  sc_config_node *revised; /* the data of the marked revision */
  bool may_be_merge;       /* true if it follows several revisions */
};

#endif
