/* Sets of parts from the side of the config object. */
#ifndef SC_SRC_CONFIG_MULTIPART_H
#define SC_SRC_CONFIG_MULTIPART_H

#include "session-core/config/multipart.h"

/* The same sets again, to try something out: the parts are shared. */
SC_NODISCARD sc_status sc_config_parts_fork(sc_config_parts **out, const sc_config_parts *parts);

#endif
