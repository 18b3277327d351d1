/* Bytes that several owners share, such as a message that each member of a swarm keeps. The last one to drop
 * them frees them. */
#ifndef SC_SIM_BLOB_H
#define SC_SIM_BLOB_H

#include "session-core/base/bytes.h"

typedef struct blob {
  size_t owners;
  size_t len;
  uint8_t bytes[];
} blob;

/* A copy, with one owner. */
blob *blob_make(sc_bytes bytes);
blob *blob_share(blob *b);
void blob_drop(blob *b); /* NULL is allowed */

static inline sc_bytes blob_bytes(const blob *b) {
  return b == NULL ? (sc_bytes){0} : sc_bytes_make(b->bytes, b->len);
}

#endif
