#include "node_store.h"

#include <stdlib.h>

#include "memory.h"

void node_store_free(node_store *store) {
  for (size_t i = 0; i < store->count; i++)
    blob_drop(store->list[i].data);
  free(store->list);
  *store = (node_store){0};
}

static bool has_hash(const stored *message, sc_bytes hash) {
  return hash.len == SC_STORAGE_HASH_CHARS && memcmp(message->hash, hash.ptr, SC_STORAGE_HASH_CHARS) == 0;
}

static size_t place_of(const node_store *store, sc_bytes hash) {
  size_t place = store->count;
  while (place > 0 && !has_hash(&store->list[place - 1], hash))
    place--;
  return place; /* counts from 1; 0 for none */
}

const stored *node_store_find(const node_store *store, sc_bytes hash) {
  size_t place = place_of(store, hash);
  return place == 0 ? NULL : &store->list[place - 1];
}

const stored *node_store_put(bool *already, node_store *store, const stored *message) {
  stored copy = *message;
  sc_storage_message_hash(copy.hash, copy.account, copy.number, blob_bytes(copy.data));
  size_t place = place_of(store, sc_bytes_text(copy.hash));
  *already = place > 0;
  if (*already) {
    stored *known = &store->list[place - 1];
    known->expiry = copy.expiry > known->expiry ? copy.expiry : known->expiry;
    return known;
  }
  copy.data = blob_share(copy.data);
  store->list = memory_grow(store->list, store->count, &store->capacity, sizeof *store->list);
  store->list[store->count] = copy;
  return &store->list[store->count++];
}

static void remove_at(node_store *store, size_t index) {
  blob_drop(store->list[index].data);
  store->count--;
  memmove(&store->list[index], &store->list[index + 1], (store->count - index) * sizeof *store->list);
}

bool node_store_remove(node_store *store, const uint8_t account[static 33], sc_bytes hash) {
  size_t place = place_of(store, hash);
  if (place == 0 || memcmp(store->list[place - 1].account, account, SC_STORAGE_ACCOUNT_BYTES) != 0)
    return false;
  remove_at(store, place - 1);
  return true;
}

void node_store_sweep(node_store *store, uint64_t wall_ms) {
  size_t kept = 0;
  for (size_t i = 0; i < store->count; i++) {
    if (store->list[i].expiry <= wall_ms)
      blob_drop(store->list[i].data);
    else
      store->list[kept++] = store->list[i];
  }
  store->count = kept;
}
