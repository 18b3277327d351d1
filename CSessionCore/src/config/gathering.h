/* The input of a merge: usable retrieved messages, and the config's own. */
#ifndef SC_CONFIG_GATHERING_H
#define SC_CONFIG_GATHERING_H

#include "state.h"

/* A retrieved message, or the config's own. */
typedef struct sc_config_candidate {
  const sc_config_message *message;
  sc_config_message *owned;
  sc_config_hashes hashes;
  bool fresh; /* encrypted with the first key, which the newest member also has */
} sc_config_candidate;

typedef struct sc_config_gathering {
  sc_config *config;
  const sc_config_incoming *incoming;
  size_t incoming_count;
  sc_status *statuses; /* one for each incoming message */
  uint64_t wall_ms;
  sc_bytes *keys;
  sc_config_envelope envelope;
  sc_config_candidate *candidates;
  const sc_config_message **messages; /* the same, as input of the merge */
  size_t count;
  size_t mine;   /* index of the config's own message; SIZE_MAX if there is none */
  bool gave_way; /* true if the config's own message was left out */
  size_t understood;
  size_t refused;         /* messages that could not be used */
  size_t refused_bytes;   /* size of their decrypted content */
  sc_config_parts *parts; /* the new state of the parts; NULL while unchanged */
  bool parts_changed;
} sc_config_gathering;

/* Opens and reads the incoming messages, which must be set. Does not change the config. */
SC_NODISCARD sc_status sc_config_gather(sc_config_gathering *g);

/* Frees everything that was not moved out. */
void sc_config_gathering_free(sc_config_gathering *g);

/* Returns the index of the best copy of the chosen candidate. */
size_t sc_config_best_copy(const sc_config_gathering *g, size_t chosen);

/* True if two candidates are the same message. */
bool sc_config_is_copy(const sc_config_gathering *g, size_t a, size_t b);

#endif
