#include "memory.h"

#include <string.h>

/* The size of each block precedes it, for reallocation. */
typedef union block_head {
  size_t size;
  max_align_t alignment;
} block_head;

static block_head *take_reserve(sc_quic_memory *memory, size_t size) {
  memory->short_of = true;
  if (size > sc_quic_reserve_block_bytes)
    return NULL;
  for (size_t i = 0; i < sc_quic_reserve_blocks; i++)
    if (!memory->lent[i]) {
      memory->lent[i] = true;
      return (block_head *)(void *)(memory->reserve + i * sc_quic_reserve_block_bytes);
    }
  return NULL;
}

static void *allocate(size_t size, void *user) {
  sc_quic_memory *memory = user;
  if (size > SIZE_MAX - sizeof(block_head))
    return NULL;
  size += sizeof(block_head);
  block_head *head = sc_allocate(memory->env, size);
  if (head == NULL)
    head = take_reserve(memory, size);
  if (head == NULL)
    return NULL;
  head->size = size - sizeof *head;
  return head + 1;
}

static void release(void *ptr, void *user) {
  sc_quic_memory *memory = user;
  if (ptr == NULL)
    return;
  uintptr_t at = (uintptr_t)((block_head *)ptr - 1);
  uintptr_t reserve = (uintptr_t)memory->reserve;
  if (at >= reserve && at - reserve < sc_quic_reserve_blocks * sc_quic_reserve_block_bytes)
    memory->lent[(at - reserve) / sc_quic_reserve_block_bytes] = false;
  else
    sc_release(memory->env, (block_head *)ptr - 1);
}

static void *allocate_zeros(size_t count, size_t size, void *user) {
  if (size > 0 && count > SIZE_MAX / size)
    return NULL;
  void *ptr = allocate(count * size, user);
  if (ptr != NULL)
    memset(ptr, 0, count * size);
  return ptr;
}

static void *reallocate(void *ptr, size_t size, void *user) {
  void *moved = allocate(size, user);
  if (moved == NULL || ptr == NULL)
    return moved;
  size_t old = ((block_head *)ptr - 1)->size;
  memcpy(moved, ptr, old < size ? old : size);
  release(ptr, user);
  return moved;
}

sc_status sc_quic_memory_init(sc_quic_memory *memory, const sc_env *env) {
  *memory = (sc_quic_memory){.env = env,
                             .mem = {.user_data = memory,
                                     .malloc = allocate,
                                     .free = release,
                                     .calloc = allocate_zeros,
                                     .realloc = reallocate}};
  memory->reserve = sc_allocate(env, sc_quic_reserve_blocks * sc_quic_reserve_block_bytes);
  return memory->reserve != NULL ? SC_OK : SC_ERR_NO_MEMORY;
}

void sc_quic_memory_free(sc_quic_memory *memory) {
  sc_release(memory->env, memory->reserve);
  memory->reserve = NULL;
}

bool sc_quic_memory_was_short(sc_quic_memory *memory) {
  bool was = memory->short_of;
  memory->short_of = false;
  return was;
}
