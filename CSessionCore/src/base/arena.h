/* Memory for parsed things, given back and wiped all at once. */
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
  size_t next_size; /* of the memory the next block will have, at least */
} sc_arena;

/* Takes nothing yet; `expected` bytes will be taken at the first use. */
void sc_arena_init(sc_arena *arena, const sc_env *env, size_t expected);

/* Memory for any type, or NULL when there is none. */
void *sc_arena_take(sc_arena *arena, size_t size);

/* Wipes and releases everything; the arena may be used again. */
void sc_arena_free(sc_arena *arena);

#endif
