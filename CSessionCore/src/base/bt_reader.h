/* Functions shared by reader and writer. */
#ifndef SC_SRC_BASE_BT_READER_H
#define SC_SRC_BASE_BT_READER_H

#include "session-core/base/bt.h"

/* The order of dict keys: byte by byte, a prefix first. Negative, 0 or positive, as memcmp. Most often the
 * first bytes tell. */
static inline int sc_bt_compare_keys(sc_bytes a, sc_bytes b) {
  if (a.len > 0 && b.len > 0 && a.ptr[0] != b.ptr[0])
    return a.ptr[0] < b.ptr[0] ? -1 : 1;
  size_t shared = a.len < b.len ? a.len : b.len;
  int order = shared == 0 ? 0 : memcmp(a.ptr, b.ptr, shared);
  return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/* Lets the next key of the dict be any, for the one dict that some write in no order. Call it where a key may
 * stand. */
static inline void sc_bt_forget_key(sc_bt_reader *reader) {
  reader->levels[reader->depth].key = NULL;
}

/* sc_bt_validate for a value that is to stand inside `depth` containers. */
sc_status sc_bt_validate_within(sc_bytes input, unsigned depth);

#endif
