/* Checks that a second reading of a file gives the same bytes as the first, without keeping them.
 *
 * Both readings are hashed with UMAC-64 under a fresh random key that never leaves this object: a change goes
 * unnoticed with a probability below 2^-58, however it was chosen. A cryptographic hash would cost as much as
 * the encryption itself; this costs a fraction of it. */
#ifndef SC_SRC_CRYPTO_REREAD_H
#define SC_SRC_CRYPTO_REREAD_H

#include <nettle/umac.h>
#include <stdbool.h>

#include "session-core/base/bytes.h"

typedef struct sc_reread {
  struct umac64_ctx umac;
  uint8_t first[UMAC64_DIGEST_SIZE];
} sc_reread;

/* The first reading begins. Wipe the struct when done. */
void sc_reread_init(sc_reread *reread, const sc_env *env);

void sc_reread_update(sc_reread *reread, sc_bytes bytes);

/* The first reading is complete, the second begins. */
void sc_reread_again(sc_reread *reread);

/* The second reading is complete. True if it was the same. */
bool sc_reread_same(sc_reread *reread);

#endif
