#include "group_world.h"

bool group_know_key(size_t *out, group *g, sc_bytes bytes, int64_t generation) {
  world *w = g->w;
  for (*out = 0; *out < g->key_count; ++*out)
    if (sc_bytes_same(SC_BYTES(g->keys[*out].bytes), bytes))
      return true;
  HOLDS(g->key_count < most_group_keys, "too many keys for a schedule");
  memcpy(g->keys[g->key_count].bytes, bytes.ptr, SC_KEY_BYTES);
  g->keys[g->key_count++].generation = generation;
  return true;
}

bool model_has(const person *p, size_t key) {
  bool has = p->pending && p->pending_key.key == key;
  for (size_t i = 0; i < p->ring.count; i++)
    has = has || p->ring.keys[i].key == key;
  return has;
}

static bool comes_before(const group *g, const model_key *a, const model_key *b) {
  if (a->generation != b->generation)
    return a->generation < b->generation;
  if (a->timestamp_ms != b->timestamp_ms)
    return a->timestamp_ms < b->timestamp_ms;
  return memcmp(g->keys[a->key].bytes, g->keys[b->key].bytes, SC_KEY_BYTES) < 0;
}

static const model_key *newest(const model_ring *ring) {
  return &ring->keys[ring->count - 1];
}

static bool is_over(const model_ring *ring, uint64_t timestamp_ms) {
  return timestamp_ms + SC_GROUP_KEY_EXPIRY_MS < newest(ring)->timestamp_ms;
}

/* The index of the first key of the second generation; the count if there is only one. */
static size_t second_generation(const model_ring *ring) {
  size_t at = 1;
  while (at < ring->count && ring->keys[at].generation == ring->keys[0].generation)
    at++;
  return at;
}

static void drop_ended(model_ring *ring) {
  for (size_t at = second_generation(ring); at < ring->count && is_over(ring, ring->keys[at].timestamp_ms);
       at = second_generation(ring)) {
    ring->count -= at;
    memmove(ring->keys, ring->keys + at, ring->count * sizeof *ring->keys);
  }
}

static void insert(const group *g, model_ring *ring, const model_key *key) {
  size_t at = 0;
  for (size_t i = 0; i < ring->count; i++) {
    if (ring->keys[i].generation == key->generation && ring->keys[i].key == key->key)
      return;
    at += comes_before(g, &ring->keys[i], key);
  }
  if (ring->count >= 2 && at == 0 && key->generation < ring->keys[0].generation &&
      is_over(ring, ring->keys[0].timestamp_ms))
    return;
  memmove(ring->keys + at + 1, ring->keys + at, (ring->count - at) * sizeof *ring->keys);
  ring->keys[at] = *key;
  ring->count++;
  drop_ended(ring);
}

/* Admins open the admins' key, and ignore supplements. */
static bool is_given(const person *p, const key_message *message) {
  bool made_for = (message->people >> p->number & 1) != 0;
  return p->admin ? !message->supplement : made_for;
}

void model_load(group *g, person *p, const key_message *message) {
  if (!is_given(p, message) || message->given.count == 0)
    return;
  const model_key *first = &message->given.keys[0];
  if (p->pending && (first->generation > p->pending_key.generation || first->key == p->pending_key.key))
    p->pending = false;
  for (size_t i = 0; i < message->given.count; i++) {
    model_key key = message->given.keys[i];
    if (!message->supplement)
      key.timestamp_ms = message->timestamp_ms;
    insert(g, &p->ring, &key);
  }
}

static const uint8_t *expected_key(const group *g, const person *p, size_t index) {
  if (p->pending && index == 0)
    return g->keys[p->pending_key.key].bytes;
  size_t newer = index - (p->pending ? 1 : 0);
  return g->keys[p->ring.keys[p->ring.count - 1 - newer].key].bytes;
}

bool model_check(group *g, const person *p) {
  world *w = g->w;
  sc_group_key_list list = sc_group_keys_list(p->keys);
  size_t expected = p->ring.count + (p->pending ? 1 : 0);
  HOLDS(list.count == expected, "person %u has %zu keys, not %zu", p->number, list.count, expected);
  for (size_t i = 0; i < list.count; i++)
    HOLDS(memcmp(list.keys[i].ptr, expected_key(g, p, i), SC_KEY_BYTES) == 0,
          "key %zu of person %u is another one", i, p->number);
  return true;
}
