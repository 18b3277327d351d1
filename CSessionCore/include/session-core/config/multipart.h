/* Config messages in parts: cutting a large one up, and putting parts together as they arrive.
 *
 * Parts are named for what they make up: a set of them has the hash of the padded message as its name. An
 * sc_config_parts holds the sets of one config that are not complete yet, and remembers those that were, so
 * that nothing is read twice. It is part of the config's saved state. One thread at a time; it reads no
 * clock: `now_ms` is the wall clock's milliseconds. */
#ifndef SC_CONFIG_MULTIPART_H
#define SC_CONFIG_MULTIPART_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bt.h"
#include "../base/bytes.h"
#include "envelope.h"
#include "hashes.h"

SC_API_BEGIN

/* What a part adds to its piece of the message, before encryption. */
#define SC_CONFIG_PART_OVERHEAD 50
/* Bytes of the message in each part but the last. */
#define SC_CONFIG_CHUNK_BYTES (SC_STORED_MAX_BYTES - SC_CONFIG_ENCRYPT_OVERHEAD - SC_CONFIG_PART_OVERHEAD)
/* Parts that are held of one set beside others of the same index: anybody who has the key can store one that
 * does not belong there. */
#define SC_CONFIG_MAX_RIVALS 4
/* Sets that are held: a new one takes the place of the one that waited longest since its last part. */
#define SC_CONFIG_MAX_INCOMPLETE_SETS 8
/* Bytes of parts that are held of all sets together: what one message can have, and the rivals of its parts.
 * A new part takes the place of the sets that waited longest. */
#define SC_CONFIG_MAX_HELD_BYTES (SC_CONFIG_MAX_PADDED_BYTES + SC_CONFIG_MAX_RIVALS * SC_CONFIG_CHUNK_BYTES)
/* Sets that are remembered as done. */
#define SC_CONFIG_MAX_DONE_SETS 256
/* How long they are, in milliseconds: since the last part, and since they were done. */
#define SC_CONFIG_INCOMPLETE_MS ((uint64_t)7 * 24 * 60 * 60 * 1000)
#define SC_CONFIG_DONE_MS ((uint64_t)14 * 24 * 60 * 60 * 1000)

typedef struct sc_config_parts sc_config_parts;

SC_API SC_NODISCARD sc_status sc_config_parts_new(sc_config_parts **out, const sc_env *env);
/* NULL is allowed. */
SC_API void sc_config_parts_free(sc_config_parts *parts);

typedef enum sc_config_news {
  SC_CONFIG_NOTHING_NEW = 0, /* the part is here already, or its set is done */
  SC_CONFIG_PART_KEPT = 1,
  SC_CONFIG_SET_COMPLETE = 2,
} sc_config_news;

typedef struct sc_config_arrival {
  sc_config_news news;
  const sc_bytes *hashes; /* of a set that is complete, or could not be used; until `parts` is used again */
  size_t hash_count;
} sc_config_arrival;

/* Takes a part, as sc_config_open gives it, that the swarm knows by `hash`. When it completes its set,
 * `message` is replaced with the bytes of the config message, and is empty otherwise. SC_ERR_ARGUMENT for the
 * length of the hash; SC_ERR_TOO_LARGE for a part over SC_STORED_MAX_BYTES or parts of more than
 * SC_CONFIG_MAX_PADDED_BYTES in all; SC_ERR_CONFIG_PART for what is no part, or would be one more than
 * SC_CONFIG_MAX_RIVALS. SC_ERR_CONFIG_SET when there is a part of each index, but they do not make up what
 * they are named for: the set waits for other parts, if it can hold more. And, the set being done, what
 * sc_config_unpack says of the message they make up. After these two `arrival` tells the hashes of the parts;
 * after any other failure nothing has changed. */
SC_API SC_NODISCARD sc_status sc_config_parts_accept(sc_buffer *message, sc_config_arrival *arrival,
                                                     sc_config_parts *parts, sc_bytes part, sc_bytes hash,
                                                     uint64_t now_ms);

/* Where a walk over parts stands; begin with zeros. It is good until the parts change. */
typedef struct sc_config_part_cursor {
  size_t set;
  size_t part;
} sc_config_part_cursor;

/* A part that is held. */
typedef struct sc_config_held_part {
  sc_bytes set; /* the 32 bytes its set is named by */
  size_t count; /* of the parts of that set */
  size_t index;
  sc_bytes hash; /* by which the swarm knows it */
  sc_bytes chunk;
  uint64_t expires_ms; /* when its set is given up */
} sc_config_held_part;

SC_API_END

#endif
