#include "accusations.h"

static bool is_among(const sc_accusers *accusers, const uint8_t *key) {
  for (size_t i = 0; i < accusers->count; i++)
    if (memcmp(accusers->keys[i], key, SC_KEY_BYTES) == 0)
      return true;
  return false;
}

void sc_accusers_add(sc_accusers *accusers, const uint8_t key[static SC_KEY_BYTES]) {
  if (is_among(accusers, key))
    return;
  accusers->are_more |= accusers->count == sc_accusers_max;
  if (accusers->count < sc_accusers_max)
    memcpy(accusers->keys[accusers->count++], key, SC_KEY_BYTES);
}

static bool may_share(const sc_accusers *a, const sc_accusers *b) {
  if (a->are_more || b->are_more)
    return true;
  for (size_t i = 0; i < b->count; i++)
    if (is_among(a, b->keys[i]))
      return true;
  return false;
}

static bool is_fresh(const sc_accusation *accusation, uint64_t wall, uint64_t memory) {
  return accusation->at <= wall && wall - accusation->at <= memory;
}

static bool is_of(const sc_accusation *accusation, const uint8_t *accused) {
  return memcmp(accusation->accused, accused, SC_KEY_BYTES) == 0;
}

static bool is_corroborated(const sc_accusations *accusations, const uint8_t *accused,
                            const sc_accusers *accusers, uint64_t wall, uint64_t memory) {
  for (size_t i = 0; i < accusations->count; i++) {
    const sc_accusation *accusation = &accusations->list[i];
    if (is_of(accusation, accused) && is_fresh(accusation, wall, memory) &&
        !may_share(&accusation->accusers, accusers))
      return true;
  }
  return false;
}

/* Where to write: over the same accusation by the same first hop, else over the oldest. */
static sc_accusation *place_for(sc_accusations *accusations, const uint8_t *accused, const uint8_t *first) {
  for (size_t i = 0; i < accusations->count; i++)
    if (is_of(&accusations->list[i], accused) && is_among(&accusations->list[i].accusers, first))
      return &accusations->list[i];
  size_t place = accusations->next;
  accusations->next = (place + 1) % sc_accusations_max;
  if (accusations->count < sc_accusations_max)
    accusations->count++;
  return &accusations->list[place];
}

bool sc_accuse(sc_accusations *accusations, const uint8_t accused[static SC_KEY_BYTES],
               const sc_accusers *accusers, uint64_t wall, uint64_t memory) {
  if (accusers == NULL || accusers->count == 0)
    return true;
  bool corroborated = is_corroborated(accusations, accused, accusers, wall, memory);
  sc_accusation *accusation = place_for(accusations, accused, accusers->keys[0]);
  *accusation = (sc_accusation){.accusers = *accusers, .at = wall};
  memcpy(accusation->accused, accused, SC_KEY_BYTES);
  return corroborated;
}
