/* Things of one kind that the program knows by number: memory in blocks that never move, reused, and numbers
 * that are never used twice, so that one kept too long finds nothing. */
#ifndef SC_SRC_NETWORK_SLOTS_H
#define SC_SRC_NETWORK_SLOTS_H

#include <stdbool.h>

#include "session-core/base/bytes.h"

/* The first member of every thing. */
typedef struct sc_slot {
  uint32_t index;
  uint32_t generation;
  uint32_t next_free;
  bool known; /* by its number */
} sc_slot;

typedef struct sc_slots {
  const sc_env *env;
  size_t size; /* of one thing */
  uint32_t most;
  uint32_t taken;
  uint32_t made;
  uint32_t free; /* index + 1 of the first */
  uint8_t **blocks;
  size_t block_capacity;
} sc_slots;

void sc_slots_init(sc_slots *slots, const sc_env *env, size_t size, uint32_t most);

/* Releases the memory of all things, but no memory that they own. */
void sc_slots_free(sc_slots *slots);

/* A thing of zeros but for its slot. SC_ERR_QUIC_BUSY when there are `most`. */
SC_NODISCARD sc_status sc_slots_take(void **out, sc_slots *slots);
void sc_slots_give_back(sc_slots *slots, void *thing);

/* NULL when nothing is known by this number. */
void *sc_slots_find(const sc_slots *slots, uint64_t number);

/* Frees the number but not the object. */
static inline void sc_slot_forget(sc_slot *slot) {
  slot->known = false;
}

static inline uint64_t sc_slot_number(const sc_slot *slot) {
  return (uint64_t)slot->generation << 32 | (slot->index + 1);
}

/* The thing in place `index`, in use or not; NULL beyond the last. For walking over all. */
void *sc_slots_at(const sc_slots *slots, uint32_t index);

#endif
