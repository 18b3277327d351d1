/* A set of hashes: the names a swarm has given to the messages it stores.
 *
 * It owns copies of them and keeps them sorted, so that equal sets look alike. The code that declares it
 * frees it; a zeroed set is empty and ready. One thread at a time. */
#ifndef SC_CONFIG_HASHES_H
#define SC_CONFIG_HASHES_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

/* Bytes of a hash; it has one at least. */
#define SC_CONFIG_MAX_HASH_BYTES 128
/* Hashes in one set, at most. */
#define SC_CONFIG_MAX_HASHES 4096

typedef struct sc_config_hashes {
  sc_bytes *items; /* ascending, each once; for reading */
  size_t count;
  size_t capacity;
  const sc_env *env;
} sc_config_hashes;

SC_API void sc_config_hashes_init(sc_config_hashes *hashes, const sc_env *env);
SC_API void sc_config_hashes_free(sc_config_hashes *hashes);

SC_API_END

#endif
