/* Sets of message hashes, by which a swarm identifies stored messages.
 *
 * A set owns copies and keeps them sorted, so that equal sets have equal content. The code that declares a
 * set frees it; a zeroed set is empty and ready. One thread at a time. */
#ifndef SC_CONFIG_HASHES_H
#define SC_CONFIG_HASHES_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

/* The length of a hash; at least 1. */
#define SC_CONFIG_MAX_HASH_BYTES 128
/* The number of hashes in a set. */
#define SC_CONFIG_MAX_HASHES 4096

typedef struct sc_config_hashes {
  sc_bytes *items; /* ascending, without duplicates; read only */
  size_t count;
  size_t capacity;
  const sc_env *env;
} sc_config_hashes;

SC_API void sc_config_hashes_init(sc_config_hashes *hashes, const sc_env *env);
SC_API void sc_config_hashes_free(sc_config_hashes *hashes);

SC_API_END

#endif
