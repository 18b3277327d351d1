#include "arena.h"

#include <stdalign.h>

#include "session-core/base/secret.h"

enum {
  alignment = alignof(max_align_t),
  smallest_block = 512,
  largest_guess = 64 * 1024, /* a block is larger only when one piece is */
};

struct sc_arena_block {
  sc_arena_block *older;
  size_t size;
  size_t used;
  alignas(max_align_t) uint8_t memory[];
};

void sc_arena_init(sc_arena *arena, const sc_env *env, size_t expected) {
  size_t next_size = expected < smallest_block ? smallest_block : expected;
  *arena = (sc_arena){.env = env, .next_size = next_size < largest_guess ? next_size : largest_guess};
}

static bool add_block(sc_arena *arena, size_t at_least) {
  size_t size = at_least > arena->next_size ? at_least : arena->next_size;
  if (size > SIZE_MAX - sizeof(sc_arena_block))
    return false;
  sc_arena_block *block = sc_allocate(arena->env, sizeof *block + size);
  if (block == NULL)
    return false;
  *block = (sc_arena_block){.older = arena->newest, .size = size};
  arena->newest = block;
  arena->next_size = size < largest_guess / 2 ? size * 2 : largest_guess;
  return true;
}

void *sc_arena_take(sc_arena *arena, size_t size) {
  if (size > SIZE_MAX - alignment)
    return NULL;
  size_t taken = (size + alignment - 1) / alignment * alignment;
  sc_arena_block *block = arena->newest;
  if ((block == NULL || taken > block->size - block->used) && !add_block(arena, taken))
    return NULL;
  block = arena->newest;
  void *memory = block->memory + block->used;
  block->used += taken;
  return memory;
}

void sc_arena_free(sc_arena *arena) {
  while (arena->newest != NULL) {
    sc_arena_block *block = arena->newest;
    arena->newest = block->older;
    sc_wipe(block->memory, block->used);
    sc_release(arena->env, block);
  }
}
