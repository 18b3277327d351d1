/* Objects of one kind with numbers as handles. Memory is reused and never moves; numbers are never reused, so
 * a stale one finds nothing. */
#ifndef SC_SRC_NETWORK_SLOTS_H
#define SC_SRC_NETWORK_SLOTS_H

#include <stdbool.h>

#include "session-core/base/bytes.h"

/* The first member of every object. */
typedef struct sc_slot {
  uint32_t index;
  uint32_t generation;
  uint32_t next_free;
  bool known; /* true if its number finds it */
} sc_slot;

typedef struct sc_slots {
  const sc_env *env;
  size_t size; /* size of one object */
  uint32_t most;
  uint32_t taken;
  uint32_t made;
  uint32_t free; /* index + 1 of the first */
  uint8_t **blocks;
  size_t block_capacity;
} sc_slots;

void sc_slots_init(sc_slots *slots, const sc_env *env, size_t size, uint32_t most);

/* Releases the memory of all objects, but nothing that they own. */
void sc_slots_free(sc_slots *slots);

/* Returns a new object, zeroed except for its slot. SC_ERR_QUIC_BUSY if there are `most`. */
SC_NODISCARD sc_status sc_slots_take(void **out, sc_slots *slots);
void sc_slots_give_back(sc_slots *slots, void *thing);

/* Returns the object with this number, or NULL. */
void *sc_slots_find(const sc_slots *slots, uint64_t number);

/* Invalidates the number but keeps the object. */
static inline void sc_slot_forget(sc_slot *slot) {
  slot->known = false;
}

static inline uint64_t sc_slot_number(const sc_slot *slot) {
  return (uint64_t)slot->generation << 32 | (slot->index + 1);
}

/* Returns the object at `index`, in use or not; NULL beyond the last. For iteration. */
void *sc_slots_at(const sc_slots *slots, uint32_t index);

#endif
