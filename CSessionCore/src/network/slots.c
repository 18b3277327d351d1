#include "slots.h"

#include <assert.h>

enum {
  block_things = 64,
  first_blocks = 8,
};

void sc_slots_init(sc_slots *slots, const sc_env *env, size_t size, uint32_t most) {
  enum { alignment = 16 };
  size = (size + alignment - 1) / alignment * alignment;
  *slots = (sc_slots){.env = env, .size = size, .most = most};
}

void sc_slots_free(sc_slots *slots) {
  for (uint32_t i = 0; i < slots->made / block_things; i++)
    sc_release(slots->env, slots->blocks[i]);
  sc_release(slots->env, slots->blocks);
  *slots = (sc_slots){0};
}

static uint8_t *place(const sc_slots *slots, uint32_t index) {
  return slots->blocks[index / block_things] + index % block_things * slots->size;
}

static sc_status grow_list(sc_slots *slots) {
  if (slots->made / block_things < slots->block_capacity)
    return SC_OK;
  size_t capacity = slots->block_capacity == 0 ? first_blocks : slots->block_capacity * 2;
  uint8_t **blocks = sc_allocate(slots->env, capacity * sizeof *blocks);
  if (blocks == NULL)
    return SC_ERR_NO_MEMORY;
  if (slots->block_capacity > 0)
    memcpy(blocks, slots->blocks, slots->block_capacity * sizeof *blocks);
  sc_release(slots->env, slots->blocks);
  slots->blocks = blocks;
  slots->block_capacity = capacity;
  return SC_OK;
}

static sc_status add_block(sc_slots *slots) {
  sc_status status = grow_list(slots);
  if (status != SC_OK)
    return status;
  uint8_t *block = sc_allocate(slots->env, block_things * slots->size);
  if (block == NULL)
    return SC_ERR_NO_MEMORY;
  memset(block, 0, block_things * slots->size);
  uint32_t first = slots->made;
  slots->blocks[first / block_things] = block;
  slots->made += block_things;
  for (uint32_t index = slots->made; index-- > first;) {
    sc_slot *slot = (sc_slot *)(void *)place(slots, index);
    *slot = (sc_slot){.index = index, .next_free = slots->free};
    slots->free = index + 1;
  }
  return SC_OK;
}

sc_status sc_slots_take(void **out, sc_slots *slots) {
  if (slots->taken == slots->most)
    return SC_ERR_QUIC_BUSY;
  if (slots->free == 0) {
    sc_status status = add_block(slots);
    if (status != SC_OK)
      return status;
  }
  sc_slot *slot = (sc_slot *)(void *)place(slots, slots->free - 1);
  slots->free = slot->next_free;
  slots->taken++;
  slot->known = true;
  *out = slot;
  return SC_OK;
}

void sc_slots_give_back(sc_slots *slots, void *thing) {
  sc_slot slot = *(sc_slot *)thing;
  memset(thing, 0, slots->size);
  *(sc_slot *)thing =
      (sc_slot){.index = slot.index, .generation = slot.generation + 1, .next_free = slots->free};
  slots->free = slot.index + 1;
  assert(slots->taken > 0);
  slots->taken--;
}

void *sc_slots_at(const sc_slots *slots, uint32_t index) {
  return index < slots->made ? place(slots, index) : NULL;
}

void *sc_slots_find(const sc_slots *slots, uint64_t number) {
  uint32_t index = (uint32_t)number;
  if (index == 0 || index > slots->made)
    return NULL;
  sc_slot *slot = (sc_slot *)(void *)place(slots, index - 1);
  return slot->known && slot->generation == (uint32_t)(number >> 32) ? slot : NULL;
}
