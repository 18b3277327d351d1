#include "accusations.h"

static bool is_accuser(const sc_accusation *accusation, const sc_onion_node *node) {
  for (size_t i = 0; i < accusation->accuser_count; i++)
    if (memcmp(accusation->accusers[i], node->ed25519, SC_KEY_BYTES) == 0)
      return true;
  return false;
}

static bool shares_accuser(const sc_accusation *accusation, const sc_onion_node *accusers, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (is_accuser(accusation, &accusers[i]))
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
                            const sc_onion_node *accusers, size_t accuser_count, uint64_t wall,
                            uint64_t memory) {
  for (size_t i = 0; i < accusations->count; i++) {
    const sc_accusation *accusation = &accusations->list[i];
    if (is_of(accusation, accused) && is_fresh(accusation, wall, memory) &&
        !shares_accuser(accusation, accusers, accuser_count))
      return true;
  }
  return false;
}

/* Where to write: over the same accusation by the same first hop, else over the oldest. */
static sc_accusation *place_for(sc_accusations *accusations, const uint8_t *accused,
                                const sc_onion_node *first) {
  for (size_t i = 0; i < accusations->count; i++)
    if (is_of(&accusations->list[i], accused) && is_accuser(&accusations->list[i], first))
      return &accusations->list[i];
  size_t place = accusations->next;
  accusations->next = (place + 1) % sc_accusations_max;
  if (accusations->count < sc_accusations_max)
    accusations->count++;
  return &accusations->list[place];
}

bool sc_accuse(sc_accusations *accusations, const uint8_t accused[static SC_KEY_BYTES],
               const sc_onion_node *accusers, size_t accuser_count, uint64_t wall, uint64_t memory) {
  if (accuser_count == 0)
    return true;
  bool corroborated = is_corroborated(accusations, accused, accusers, accuser_count, wall, memory);
  sc_accusation *accusation = place_for(accusations, accused, &accusers[0]);
  *accusation = (sc_accusation){.accuser_count = accuser_count, .at = wall};
  memcpy(accusation->accused, accused, SC_KEY_BYTES);
  for (size_t i = 0; i < accuser_count; i++)
    memcpy(accusation->accusers[i], accusers[i].ed25519, SC_KEY_BYTES);
  return corroborated;
}
