/* The input of a merge: usable retrieved messages, and the config's own. */
#ifndef SC_CONFIG_GATHERING_H
#define SC_CONFIG_GATHERING_H

#include "state.h"

/* A message that was read, or the config's own. */
typedef struct sc_config_candidate {
  const sc_config_message *message;
  sc_config_message *owned;
  sc_config_hashes hashes;
  bool fresh; /* it was encrypted with the first key, which the newest member has, too */
} sc_config_candidate;

typedef struct sc_config_gathering {
  sc_config *config;
  const sc_config_incoming *incoming;
  size_t incoming_count;
  sc_status *statuses; /* of each incoming message */
  uint64_t wall_ms;
  sc_bytes *keys;
  sc_config_envelope envelope;
  sc_config_candidate *candidates;
  const sc_config_message **messages; /* the same, to be merged */
  size_t count;
  size_t mine;   /* which of them is the config's own; SIZE_MAX when it has none */
  bool gave_way; /* the config's own is none of them, though it has one */
  size_t understood;
  size_t refused;         /* messages that could not be used */
  size_t refused_bytes;   /* size of their decrypted content */
  sc_config_parts *parts; /* as they are afterwards; NULL while they are as the config has them */
  bool parts_changed;
} sc_config_gathering;

/* Opens and reads what came in, which is set already, and nothing else. Changes nothing of the config. */
SC_NODISCARD sc_status sc_config_gather(sc_config_gathering *g);

/* Frees everything that was not taken out. */
void sc_config_gathering_free(sc_config_gathering *g);

/* Which of the candidates, one of which was chosen, is the copy of it to be kept. */
size_t sc_config_best_copy(const sc_config_gathering *g, size_t chosen);

/* True if two candidates are the same message. */
bool sc_config_is_copy(const sc_config_gathering *g, size_t a, size_t b);

#endif
