/* One chunk of an archive. It is encrypted with its index and with whether it is the last one, so that none
 * can be moved or dropped. */
#ifndef SC_SRC_ARCHIVE_CHUNK_H
#define SC_SRC_ARCHIVE_CHUNK_H

#include <stdbool.h>

#include "slots.h"

enum { sc_archive_tag_bytes = 16 };

/* Indices stay below this. */
#define SC_ARCHIVE_MAX_CHUNKS ((uint64_t)1 << 32)

typedef struct sc_archive_chunk_keys {
  uint8_t header[sc_archive_key_bytes];
  uint8_t body[sc_archive_key_bytes];
  uint8_t nonce_prefix[sc_archive_prefix_bytes];
  uint8_t mac[sc_archive_mac_bytes]; /* of the header */
} sc_archive_chunk_keys;

/* Derives the keys of an archive from its own, and computes the MAC of the header, whose last bytes are not
 * looked at. */
void sc_archive_chunk_keys_init(sc_archive_chunk_keys *out, const uint8_t key[static sc_archive_key_bytes],
                                sc_bytes header);

/* Writes plain.len + sc_archive_tag_bytes. */
void sc_archive_chunk_seal(uint8_t *out, const sc_archive_chunk_keys *keys, uint64_t index, bool last,
                           sc_bytes plain);

/* Writes sealed.len - sc_archive_tag_bytes. False if the chunk is not authentic. */
bool sc_archive_chunk_open(uint8_t *out, const sc_archive_chunk_keys *keys, uint64_t index, bool last,
                           sc_bytes sealed);

#endif
