#include "suspicions.h"

static bool is_key(const uint8_t *a, const uint8_t *b) {
  return memcmp(a, b, SC_KEY_BYTES) == 0;
}

void sc_companions_add(sc_companions *companions, const uint8_t key[static SC_KEY_BYTES]) {
  if (companions->count < sizeof companions->keys / sizeof companions->keys[0])
    memcpy(companions->keys[companions->count++], key, SC_KEY_BYTES);
}

static bool have_one_in_common(const sc_companions *a, const sc_companions *b) {
  for (size_t i = 0; i < a->count; i++)
    for (size_t j = 0; j < b->count; j++)
      if (is_key(a->keys[i], b->keys[j]))
        return true;
  return false;
}

static void remove_first(sc_suspicions *suspicions) {
  suspicions->waiting_count--;
  memmove(suspicions->waiting, suspicions->waiting + 1,
          suspicions->waiting_count * sizeof suspicions->waiting[0]);
}

void sc_suspicions_add(sc_suspicions *suspicions, const uint8_t key[static SC_KEY_BYTES],
                       const sc_companions *companions) {
  if (suspicions->waiting_count == sc_suspicions_waiting)
    remove_first(suspicions);
  sc_suspicion *suspicion = &suspicions->waiting[suspicions->waiting_count++];
  suspicion->companions = *companions;
  memcpy(suspicion->key, key, SC_KEY_BYTES);
}

void sc_suspicions_undo(sc_suspicions *suspicions) {
  suspicions->waiting_count = 0;
}

static sc_suspect *find(sc_suspicions *suspicions, const uint8_t *key) {
  for (size_t i = 0; i < suspicions->count; i++)
    if (is_key(suspicions->list[i].key, key))
      return &suspicions->list[i];
  return NULL;
}

static sc_suspect *find_or_add(sc_suspicions *suspicions, const uint8_t *key) {
  sc_suspect *suspect = find(suspicions, key);
  if (suspect != NULL)
    return suspect;
  suspect = &suspicions->list[suspicions->next];
  suspicions->next = (suspicions->next + 1) % sc_suspects_max;
  if (suspicions->count < sc_suspects_max)
    suspicions->count++;
  memcpy(suspect->key, key, SC_KEY_BYTES);
  suspect->count = 0;
  return suspect;
}

void sc_suspicions_clear(sc_suspicions *suspicions, const uint8_t key[static SC_KEY_BYTES]) {
  sc_suspect *suspect = find(suspicions, key);
  if (suspect != NULL)
    suspect->count = 0;
  size_t kept = 0;
  for (size_t i = 0; i < suspicions->waiting_count; i++)
    if (!is_key(suspicions->waiting[i].key, key))
      suspicions->waiting[kept++] = suspicions->waiting[i];
  suspicions->waiting_count = kept;
}

/* True when there are enough. One that shares a companion with another adds nothing to it. */
static bool count_in(sc_suspect *suspect, const sc_companions *companions, size_t limit) {
  for (size_t i = 0; i < suspect->count; i++)
    if (have_one_in_common(&suspect->before[i], companions))
      return false;
  if (suspect->count + 1 >= limit)
    return true;
  suspect->before[suspect->count++] = *companions;
  return false;
}

bool sc_suspicions_settle(uint8_t out[static SC_KEY_BYTES], sc_suspicions *suspicions, size_t limit) {
  limit = limit < sc_suspicions_limit ? limit : sc_suspicions_limit;
  while (suspicions->waiting_count > 0) {
    const sc_suspicion first = suspicions->waiting[0];
    remove_first(suspicions);
    sc_suspect *suspect = find_or_add(suspicions, first.key);
    if (!count_in(suspect, &first.companions, limit))
      continue;
    suspect->count = 0;
    memcpy(out, first.key, SC_KEY_BYTES);
    return true;
  }
  return false;
}
