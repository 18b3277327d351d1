#include "node_store.h"

#include <stdlib.h>

#include "memory.h"

void node_store_free(node_store *store) {
  for (size_t i = 0; i < store->count; i++)
    blob_drop(store->list[i].data);
  free(store->list);
  free(store->graves);
  free(store->revoked);
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

/* Deleted messages */

static char *grave_of(const node_store *store, const char *hash) {
  size_t count = store->buried < node_store_most_graves ? store->buried : node_store_most_graves;
  for (size_t i = 0; i < count; i++)
    if (memcmp(store->graves[i], hash, SC_STORAGE_HASH_CHARS) == 0)
      return store->graves[i];
  return NULL;
}

static void bury(node_store *store, const char *hash) {
  if (store->graves == NULL)
    store->graves = memory_new(node_store_most_graves, sizeof *store->graves);
  if (grave_of(store, hash) == NULL)
    memcpy(store->graves[store->buried++ % node_store_most_graves], hash, SC_STORAGE_HASH_CHARS);
}

static void exhume(node_store *store, const char *hash) {
  char *grave = grave_of(store, hash);
  if (grave != NULL)
    memset(grave, 0, SC_STORAGE_HASH_CHARS);
}

/* Messages */

static void remove_at(node_store *store, size_t index) {
  blob_drop(store->list[index].data);
  store->count--;
  memmove(&store->list[index], &store->list[index + 1], (store->count - index) * sizeof *store->list);
}

static void empty_outbox(node_store *store, const stored *message) {
  const sc_storage_namespace outbox = {.number = message->number};
  if (sc_storage_namespace_access(message->number) != SC_STORAGE_ACCESS_OUTBOX)
    return;
  for (size_t i = 0; node_store_next(store, &i, message->account, outbox) != NULL;)
    remove_at(store, --i);
}

static const stored *keep(bool *already, node_store *store, const stored *message) {
  size_t place = place_of(store, sc_bytes_text(message->hash));
  *already = place > 0;
  if (*already) {
    stored *known = &store->list[place - 1];
    known->expiry = message->expiry > known->expiry ? message->expiry : known->expiry;
    return known;
  }
  empty_outbox(store, message);
  store->list = memory_grow(store->list, store->count, &store->capacity, sizeof *store->list);
  store->list[store->count] = *message;
  blob_share(message->data);
  return &store->list[store->count++];
}

const stored *node_store_put(bool *already, node_store *store, const stored *message) {
  stored copy = *message;
  sc_storage_message_hash(copy.hash, copy.account, copy.number, blob_bytes(copy.data));
  exhume(store, copy.hash);
  return keep(already, store, &copy);
}

void node_store_take_over(node_store *store, const stored *message) {
  bool already;
  stored copy = *message;
  sc_storage_message_hash(copy.hash, copy.account, copy.number, blob_bytes(copy.data));
  if (grave_of(store, copy.hash) == NULL)
    (void)keep(&already, store, &copy);
}

bool node_store_remove(node_store *store, const uint8_t account[static 33], sc_bytes hash) {
  size_t place = place_of(store, hash);
  bool is_there = place > 0 && memcmp(store->list[place - 1].account, account, SC_STORAGE_ACCOUNT_BYTES) == 0;
  if (is_there)
    remove_at(store, place - 1);
  if (is_there || (place == 0 && hash.len == SC_STORAGE_HASH_CHARS))
    bury(store, (const char *)hash.ptr);
  return is_there;
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

stored *node_store_next(node_store *store, size_t *index, const uint8_t account[static 33],
                        sc_storage_namespace where) {
  while (*index < store->count) {
    stored *message = &store->list[(*index)++];
    if ((where.all || message->number == where.number) &&
        memcmp(message->account, account, sizeof message->account) == 0)
      return message;
  }
  return NULL;
}

/* Rights */

static size_t place_of_revocation(const node_store *store, const stored_revocation *revocation) {
  size_t place = store->revoked_count;
  while (place > 0 && memcmp(&store->revoked[place - 1], revocation, sizeof *revocation) != 0)
    place--;
  return place;
}

static void forget_revocation(node_store *store, size_t index) {
  store->revoked_count--;
  memmove(&store->revoked[index], &store->revoked[index + 1],
          (store->revoked_count - index) * sizeof *store->revoked);
}

static void forget_oldest(node_store *store, const uint8_t account[static 33]) {
  size_t count = 0, oldest = 0;
  for (size_t i = store->revoked_count; i-- > 0;)
    if (memcmp(store->revoked[i].account, account, SC_STORAGE_ACCOUNT_BYTES) == 0) {
      count++;
      oldest = i;
    }
  if (count > node_store_most_tokens)
    forget_revocation(store, oldest);
}

void node_store_revoke(node_store *store, const stored_revocation *revocation) {
  (void)node_store_unrevoke(store, revocation);
  store->revoked =
      memory_grow(store->revoked, store->revoked_count, &store->revoked_capacity, sizeof *store->revoked);
  store->revoked[store->revoked_count++] = *revocation;
  forget_oldest(store, revocation->account);
}

bool node_store_unrevoke(node_store *store, const stored_revocation *revocation) {
  size_t place = place_of_revocation(store, revocation);
  if (place > 0)
    forget_revocation(store, place - 1);
  return place > 0;
}

bool node_store_is_revoked(const node_store *store, const stored_revocation *revocation) {
  return place_of_revocation(store, revocation) > 0;
}
