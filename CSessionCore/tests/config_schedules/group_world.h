/* A group for schedules: people with one device each, some of them admins; what is stored for the group; and
 * a model of who was ever given which key, kept separately from the library and compared with it.
 *
 * The model is the simplest form of the rules: a rekeying gives its key to its members and to all admins, a
 * supplement gives its maker's keys to its recipients, and keys expire. A person must be able to read a
 * message, or the members, exactly if the model gives them the key. */
#ifndef SC_TESTS_SCHEDULES_GROUP_WORLD_H
#define SC_TESTS_SCHEDULES_GROUP_WORLD_H

#include "world.h"

enum { most_people = 6, most_ring = 64, most_group_keys = 64, most_key_messages = 96, most_written = 48 };

/* One key, independent of its holders. */
typedef struct group_key {
  uint8_t bytes[SC_KEY_BYTES];
  int64_t generation;
} group_key;

typedef struct model_key {
  int64_t generation;
  uint64_t timestamp_ms;
  size_t key; /* of the world's */
} model_key;

/* Sorted by generation, time and bytes. */
typedef struct model_ring {
  model_key keys[most_ring];
  size_t count;
} model_ring;

/* A message about keys, stored by admins. */
typedef struct key_message {
  sc_buffer bytes;
  uint8_t hash[stored_hash_bytes];
  uint64_t timestamp_ms; /* when the swarm received it */
  bool there;
  bool supplement;
  unsigned people;  /* its recipients, as bits */
  model_ring given; /* the keys in a supplement; for a rekeying the one key, time ignored */
} key_message;

/* A message to the group. */
typedef struct written_message {
  sc_buffer sealed;
  size_t key;
  unsigned writer;
  unsigned readers; /* the people who have opened it, as bits: with the same key it opens again */
} written_message;

typedef struct person {
  unsigned number;
  sc_keypair pair;
  sc_id id;
  bool admin;
  sc_group_keys *keys;
  sc_group_members *members;
  model_ring ring;
  bool pending;
  model_key pending_key;
  size_t to_push[8]; /* the key messages of supplements not stored yet */
  size_t to_push_count;
  uint64_t version; /* of the keys last given to the configs */
} person;

typedef struct group {
  world *w; /* for its memory, its clock and its flaw */
  person people[most_people];
  unsigned count;
  group_key keys[most_group_keys];
  size_t key_count;
  key_message key_messages[most_key_messages];
  size_t key_message_count;
  swarm documents; /* the members */
  size_t document_keys[most_stored];
  written_message written[most_written];
  size_t written_count;
  bool lost; /* a message about keys */
} group;

/* The model */

/* The key with these bytes, added if it is new. */
bool group_know_key(size_t *out, group *g, sc_bytes bytes, int64_t generation);
void model_load(group *g, person *p, const key_message *message);
bool model_has(const person *p, size_t key);
/* Claims that the library has the same keys in the same order. */
bool model_check(group *g, const person *p);

/* The group's members as one of them knows them, as bits. */
unsigned group_members_of(const group *g, const person *p);

/* Acts of people. Each makes claims, and returns true if they held. */

bool group_rekey(group *g, person *admin);
/* With the current keys, if any. */
bool group_invite(group *g, person *admin, person *who, bool with_history);
/* Marks the members, or erases them and makes another key; a marked one is erased then. */
bool group_remove(group *g, person *admin, person *who, bool mark);
bool group_promote(group *g, person *admin, person *who);
bool group_write(group *g, person *p);
bool group_restart(group *g, person *p);
/* Supplements, the key and the members, in this order. */
bool group_push(group *g, person *admin, fate fate);
bool group_needs_push(const person *p);
/* Deletes what is obsolete, without a push. */
bool group_tidy(group *g, person *admin);
/* Keys first, then the members; some messages may be missed or arrive twice. */
bool group_sync(group *g, person *p, draws *from, bool all);
bool group_merge_members(group *g, person *p, draws *from, bool all);

/* Claims for every message who can read it. */
bool group_check_readers(group *g);

/* True if the schedule holds; otherwise the flaw is in the world. */
bool group_run(world *w, const parties *who, const schedule *plan);

#endif
