/* Memory for parsed values, wiped and released all at once. */
#ifndef SC_SRC_BASE_ARENA_H
#define SC_SRC_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session-core/base/env.h"

typedef struct sc_arena_block sc_arena_block;

typedef struct sc_arena {
  const sc_env *env;
  sc_arena_block *newest;
  size_t next_size; /* minimum size of the next block */
} sc_arena;

/* Allocates nothing yet; the first use allocates `expected` bytes. */
void sc_arena_init(sc_arena *arena, const sc_env *env, size_t expected);

/* Returns memory aligned for any type, or NULL if there is none. */
void *sc_arena_take(sc_arena *arena, size_t size);

/* Wipes and releases everything. The arena can be reused. */
void sc_arena_free(sc_arena *arena);

#endif
