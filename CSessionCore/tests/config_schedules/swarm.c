#include "swarm.h"

void swarm_begin(swarm *out, const sc_env *env) {
  out->env = env;
  out->count = 0;
}

void swarm_end(swarm *swarm) {
  for (size_t i = 0; i < swarm->count; i++)
    sc_buffer_free(&swarm->items[i].bytes);
  swarm->count = 0;
}

stored_message *swarm_find(swarm *swarm, sc_bytes hash) {
  for (size_t i = 0; i < swarm->count; i++)
    if (sc_bytes_same(SC_BYTES(swarm->items[i].hash), hash))
      return &swarm->items[i];
  return NULL;
}

static sc_status add(swarm *swarm, const uint8_t hash[static stored_hash_bytes], sc_bytes bytes) {
  if (swarm->count == most_stored)
    return SC_ERR_TOO_LARGE;
  stored_message *added = &swarm->items[swarm->count];
  *added = (stored_message){.first = swarm->count, .parts = 1};
  memcpy(added->hash, hash, sizeof added->hash);
  sc_buffer_init(&added->bytes, swarm->env);
  sc_status status = sc_buffer_append(&added->bytes, bytes);
  if (status == SC_OK)
    swarm->count++;
  return status;
}

sc_status swarm_know(size_t *first, swarm *swarm, const sc_config_stored *messages) {
  size_t parts = sc_config_stored_count(messages);
  for (size_t i = 0; i < parts; i++) {
    uint8_t hash[stored_hash_bytes];
    sc_bytes bytes = sc_config_stored_message(messages, i);
    sc_status status = sc_blake2b(hash, sizeof hash, sc_bytes_make(NULL, 0), bytes);
    stored_message *known = status == SC_OK ? swarm_find(swarm, SC_BYTES(hash)) : NULL;
    if (status == SC_OK && known == NULL) {
      status = add(swarm, hash, bytes);
      known = &swarm->items[swarm->count - 1];
    }
    if (status != SC_OK)
      return status;
    if (i == 0)
      *first = (size_t)(known - swarm->items);
    known->first = *first;
    known->parts = parts;
  }
  return SC_OK;
}

void swarm_put(swarm *swarm, size_t index) {
  swarm->items[index].there = true;
  swarm->items[index].was_there = true;
}

bool swarm_is_stray(const swarm *swarm, const stored_message *message) {
  for (size_t i = 0; i < message->parts; i++)
    if (!swarm->items[message->first + i].there)
      return message->parts > 1;
  return false;
}
