/* The devices of the ratchet's vectors: each has a stream of random bytes of its own, its prekeys, and what a
 * program keeps of its sessions. */
#ifndef SC_TESTS_VECTORS_RATCHET_WORLD_H
#define SC_TESTS_VECTORS_RATCHET_WORLD_H

#include "crypto/keccak.h"
#include "documents.h"

enum { ratchet_most_devices = 16, ratchet_most_kept = 64, ratchet_name_chars = 16 };

typedef struct ratchet_actor {
  char name[ratchet_name_chars];
  sc_env env;
  sc_keccak stream;
  sc_account account;
  sc_ratchet_device device;
  sc_ratchet_prekeys prekeys;
  sc_ratchet_session *sessions[ratchet_most_kept];
  size_t session_count;
  uint8_t marks[ratchet_most_kept][SC_RATCHET_MARK_BYTES]; /* of opened messages */
  size_t mark_count;
  uint8_t starts[ratchet_most_kept][SC_KEY_BYTES]; /* that were seen */
  size_t start_count;
} ratchet_actor;

typedef struct ratchet_world {
  vector_report *report;
  const sc_json *document;
  uint64_t now_s;
  ratchet_actor actors[ratchet_most_devices];
  size_t actor_count;
} ratchet_world;

/* The outcome of receiving a message. */
typedef struct ratchet_outcome {
  ratchet_actor *reader;
  sc_ratchet_session *session; /* NULL if it did not open */
  bool starts_session;
} ratchet_outcome;

/* NULL if there is none. */
ratchet_actor *ratchet_actor_named(ratchet_world *world, sc_bytes name);
ratchet_actor *ratchet_actor_with(ratchet_world *world, sc_bytes device);

/* The latest session with a device; NULL if there is none. */
sc_ratchet_session *ratchet_session_with(const ratchet_actor *actor, sc_bytes device);

/* Begins an actor's stream, and draws its secrets from it. */
void ratchet_actor_make(ratchet_actor *out, sc_bytes name, sc_bytes account_seed, size_t one_time_count,
                        uint64_t created_s, uint8_t device_seed[SC_KEY_BYTES]);

/* The next bytes of the stream, which stay in it. */
void ratchet_peek(const ratchet_actor *actor, uint8_t *out, size_t len);

bool ratchet_keep_session(ratchet_actor *actor, sc_ratchet_session *session);

/* Receives a message as the header tells programs to. */
sc_status ratchet_receive(ratchet_outcome *out, sc_buffer *body, ratchet_world *world, ratchet_actor *reader,
                          sc_bytes message);

/* Runs the steps that seal, open and refuse messages. */
void ratchet_run_messages(ratchet_world *world);

void ratchet_world_free(ratchet_world *world);

#endif
