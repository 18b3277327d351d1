/* Config messages in parts: putting large messages together as their parts arrive.
 *
 * The hash of the padded message names the set of its parts. An sc_config_parts holds the incomplete sets of
 * one config and remembers completed ones, so that nothing is read twice. It is part of the config's dump.
 * `now_ms` is the wall clock in milliseconds; no clock is read. One thread at a time. */
#ifndef SC_CONFIG_MULTIPART_H
#define SC_CONFIG_MULTIPART_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bt.h"
#include "../base/bytes.h"
#include "envelope.h"
#include "hashes.h"

SC_API_BEGIN

/* The overhead of a part before encryption. */
#define SC_CONFIG_PART_OVERHEAD 50
/* The bytes of the message in each part except the last. */
#define SC_CONFIG_CHUNK_BYTES (SC_STORED_MAX_BYTES - SC_CONFIG_ENCRYPT_OVERHEAD - SC_CONFIG_PART_OVERHEAD)
/* The number of additional parts of a set with the same index: anyone with the key can store a part that
 * does not belong to the set. */
#define SC_CONFIG_MAX_RIVALS 4
/* The number of incomplete sets; a new set replaces the one whose last part is oldest. */
#define SC_CONFIG_MAX_INCOMPLETE_SETS 8
/* The size of all held parts: those of one message, and additional ones. A new part replaces the oldest
 * sets. */
#define SC_CONFIG_MAX_HELD_BYTES (SC_CONFIG_MAX_PADDED_BYTES + SC_CONFIG_MAX_RIVALS * SC_CONFIG_CHUNK_BYTES)
/* The number of remembered completed sets. */
#define SC_CONFIG_MAX_DONE_SETS 256
/* How long incomplete sets are held since their last part, and completed ones remembered, in milliseconds. */
#define SC_CONFIG_INCOMPLETE_MS ((uint64_t)7 * 24 * 60 * 60 * 1000)
#define SC_CONFIG_DONE_MS ((uint64_t)14 * 24 * 60 * 60 * 1000)

typedef struct sc_config_parts sc_config_parts;

SC_API SC_NODISCARD sc_status sc_config_parts_new(sc_config_parts **out, const sc_env *env);
/* NULL is allowed. */
SC_API void sc_config_parts_free(sc_config_parts *parts);

typedef enum sc_config_news {
  SC_CONFIG_NOTHING_NEW = 0, /* the part is a duplicate, or its set is complete */
  SC_CONFIG_PART_KEPT = 1,
  SC_CONFIG_SET_COMPLETE = 2,
} sc_config_news;

typedef struct sc_config_arrival {
  sc_config_news news;
  const sc_bytes *hashes; /* of a set that is complete or invalid; valid until `parts` is used again */
  size_t hash_count;
} sc_config_arrival;

/* Takes a part from sc_config_open that the swarm identifies by `hash`. If it completes its set, `message`
 * is replaced with the config message; otherwise it is empty. SC_ERR_ARGUMENT for the length of the hash;
 * SC_ERR_TOO_LARGE for a part over SC_STORED_MAX_BYTES or a set over SC_CONFIG_MAX_PADDED_BYTES;
 * SC_ERR_CONFIG_PART for an invalid part or one more than SC_CONFIG_MAX_RIVALS; SC_ERR_CONFIG_SET if all
 * indices are present but do not form the message: the set then waits for other parts, if it can hold more.
 * If the set is complete, the statuses of sc_config_unpack. After these two, `arrival` has the hashes of the
 * parts; after any other failure nothing has changed. */
SC_API SC_NODISCARD sc_status sc_config_parts_accept(sc_buffer *message, sc_config_arrival *arrival,
                                                     sc_config_parts *parts, sc_bytes part, sc_bytes hash,
                                                     uint64_t now_ms);

/* The position of an iteration over parts; start with zeros. Valid until the parts change. */
typedef struct sc_config_part_cursor {
  size_t set;
  size_t part;
} sc_config_part_cursor;

/* A part of an incomplete set. */
typedef struct sc_config_held_part {
  sc_bytes set; /* the 32-byte name of its set */
  size_t count; /* number of parts in the set */
  size_t index;
  sc_bytes hash; /* its hash in the swarm */
  sc_bytes chunk;
  uint64_t expires_ms; /* when its set is dropped */
} sc_config_held_part;

SC_API_END

#endif
