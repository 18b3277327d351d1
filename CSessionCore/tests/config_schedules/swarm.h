/* A swarm for schedules: it keeps every message ever stored, so that deleted ones can still arrive late, and
 * knows which are currently stored. Memory comes from the schedule's environment. */
#ifndef SC_TESTS_SCHEDULES_SWARM_H
#define SC_TESTS_SCHEDULES_SWARM_H

#include <stdbool.h>

#include "session-core/session-core.h"

enum { most_stored = 512, stored_hash_bytes = 16 };

typedef struct stored_message {
  uint8_t hash[stored_hash_bytes];
  sc_buffer bytes;
  size_t first; /* the first of the messages it was pushed with, in parts; itself if it is whole */
  size_t parts;
  bool there;
  bool was_there; /* at some time */
  bool litter;    /* no config */
} stored_message;

typedef struct swarm {
  const sc_env *env;
  stored_message items[most_stored];
  size_t count;
} swarm;

void swarm_begin(swarm *out, const sc_env *env);
void swarm_end(swarm *swarm);

/* Records a push: each of its messages gets an index, but is not stored yet. `*first` is the first one's, new
 * or not. SC_ERR_TOO_LARGE over most_stored. */
SC_NODISCARD sc_status swarm_know(size_t *first, swarm *swarm, const sc_config_stored *messages);

void swarm_put(swarm *swarm, size_t index);

/* The message with this hash; NULL if it was never stored. */
stored_message *swarm_find(swarm *swarm, sc_bytes hash);

static inline sc_bytes swarm_hash(const swarm *swarm, size_t index) {
  return SC_BYTES(swarm->items[index].hash);
}

/* True if it is a part of an incomplete set, so that no device can tell its purpose. */
bool swarm_is_stray(const swarm *swarm, const stored_message *message);

#endif
