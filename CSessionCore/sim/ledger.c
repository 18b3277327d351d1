#include "ledger.h"

#include <stdlib.h>

#include "memory.h"
#include "session-core/node/storage.h"

enum { first_capacity = 1024 };

void ledger_free(ledger *l) {
  free(l->set);
  *l = (ledger){0};
}

static void mix(uint64_t *hash, const void *ptr, size_t len) {
  const uint8_t *bytes = ptr;
  for (size_t i = 0; i < len; i++)
    *hash = (*hash ^ bytes[i]) * UINT64_C(0x100000001b3);
}

static uint64_t hash_of(const ledger_entry *entry) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  mix(&hash, &entry->client, sizeof entry->client);
  mix(&hash, &entry->host, sizeof entry->host);
  mix(&hash, &entry->code, sizeof entry->code);
  mix(&hash, entry->body.ptr, entry->body.len);
  hash ^= hash >> 29;
  return hash == 0 ? 1 : hash;
}

/* Returns the place of the hash, or the free place for it. */
static size_t place_of(const ledger *l, uint64_t hash) {
  size_t place = (size_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (l->capacity - 1);
  while (l->set[place] != 0 && l->set[place] != hash)
    place = (place + 1) & (l->capacity - 1);
  return place;
}

static void grow(ledger *l) {
  ledger larger = {.capacity = l->capacity == 0 ? first_capacity : 2 * l->capacity, .count = l->count};
  larger.set = memory_new(larger.capacity, sizeof *larger.set);
  for (size_t i = 0; i < l->capacity; i++)
    if (l->set[i] != 0)
      larger.set[place_of(&larger, l->set[i])] = l->set[i];
  free(l->set);
  *l = larger;
}

bool ledger_form(sc_buffer *out, const sc_storage_request *request, sc_bytes body) {
  sc_storage_parsed_reply parsed;
  if (sc_storage_reply_parse(&parsed, NULL, request, body) != SC_OK)
    return false;
  sc_status status = sc_storage_reply_write(out, SC_STORAGE_JSON, request, &parsed.reply);
  sc_storage_parsed_reply_free(&parsed);
  return status == SC_OK;
}

void ledger_note(ledger *l, const ledger_entry *entry) {
  if (2 * l->count >= l->capacity)
    grow(l);
  uint64_t hash = hash_of(entry);
  size_t place = place_of(l, hash);
  l->count += l->set[place] == 0;
  l->set[place] = hash;
}

bool ledger_has(const ledger *l, const ledger_entry *entry) {
  return l->capacity > 0 && l->set[place_of(l, hash_of(entry))] != 0;
}
