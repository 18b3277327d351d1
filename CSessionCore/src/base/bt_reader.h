/* Functions shared by reader and writer. */
#ifndef SC_SRC_BASE_BT_READER_H
#define SC_SRC_BASE_BT_READER_H

#include "session-core/base/bt.h"

/* The order of dict keys: byte by byte, a prefix first. Negative, 0 or positive, as memcmp. The first bytes
 * usually decide. */
static inline int sc_bt_compare_keys(sc_bytes a, sc_bytes b) {
  if (a.len > 0 && b.len > 0 && a.ptr[0] != b.ptr[0])
    return a.ptr[0] < b.ptr[0] ? -1 : 1;
  size_t shared = a.len < b.len ? a.len : b.len;
  int order = shared == 0 ? 0 : memcmp(a.ptr, b.ptr, shared);
  return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/* Accepts any next key, for the one dict that some peers write unordered. Call it where a key is expected. */
static inline void sc_bt_forget_key(sc_bt_reader *reader) {
  reader->levels[reader->depth].key = NULL;
}

/* Like sc_bt_validate, for a value that will be nested in `depth` containers. */
sc_status sc_bt_validate_within(sc_bytes input, unsigned depth);

#endif
