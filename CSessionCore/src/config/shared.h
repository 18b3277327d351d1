/* Bytes with several owners; wiped when the last one releases them. */
#ifndef SC_CONFIG_SHARED_H
#define SC_CONFIG_SHARED_H

#include "session-core/base/bytes.h"

typedef struct sc_shared {
  size_t owners;
  size_t len;
  uint8_t *bytes;
} sc_shared;

/* Allocates `len` bytes with one owner; NULL without memory. */
sc_shared *sc_shared_new(const sc_env *env, size_t len);

/* Adds or removes an owner. NULL is allowed. */
sc_shared *sc_shared_keep(sc_shared *shared);
void sc_shared_drop(const sc_env *env, sc_shared *shared);

/* A part of shared bytes, and a share of their ownership. */
typedef struct sc_slice {
  sc_shared *owner;
  sc_bytes bytes;
} sc_slice;

static inline sc_slice sc_slice_keep(sc_slice slice) {
  sc_shared_keep(slice.owner);
  return slice;
}

/* Copies `bytes`. */
SC_NODISCARD sc_status sc_slice_copy(sc_slice *out, const sc_env *env, sc_bytes bytes);

/* Takes the content of a buffer: its memory, or a copy if much of the memory is unused. */
SC_NODISCARD sc_status sc_slice_take(sc_slice *out, sc_buffer *buffer);

#endif
