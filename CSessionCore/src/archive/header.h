/* The layout of the header:
 *
 *   magic 8 | major version 1 | minor version 1 | log2 of the chunk size 1 | number of slots 1 | length of
 * the header 4 | archive id 16 | nonce prefix 16 | slots, 104 each | extensions | MAC 32
 *
 * and of an extension: kind 2 | length 2 | value. Those of odd kinds are for programs that know them. */
#ifndef SC_SRC_ARCHIVE_HEADER_H
#define SC_SRC_ARCHIVE_HEADER_H

#include "session-core/archive/sealed.h"

enum {
  sc_archive_magic_bytes = 8,
  sc_archive_id_at = 16,
  sc_archive_prefix_at = 32,
  sc_archive_prefix_bytes = 16,
  sc_archive_slots_at = 48,
  sc_archive_slot_bytes = 104,
  sc_archive_mac_bytes = 32,
};

/* Writes everything in front of the slots. */
void sc_archive_header_begin(uint8_t out[static sc_archive_slots_at], const uint8_t *id,
                             const uint8_t *nonce_prefix, unsigned chunk_log2, size_t slot_count);

/* Returns the length of a header without extensions. */
static inline size_t sc_archive_header_len(size_t slot_count) {
  return sc_archive_slots_at + slot_count * sc_archive_slot_bytes + sc_archive_mac_bytes;
}

#endif
