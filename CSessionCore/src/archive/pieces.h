/* Bytes taken from the front of others, and given to a sink in the sizes it takes. */
#ifndef SC_SRC_ARCHIVE_PIECES_H
#define SC_SRC_ARCHIVE_PIECES_H

#include "session-core/crypto/sink.h"

/* Removes `len` bytes, or all if there are fewer. */
static inline sc_bytes sc_pieces_take(sc_bytes *rest, size_t len) {
  sc_bytes piece = sc_bytes_make(rest->ptr, len < rest->len ? len : rest->len);
  if (piece.len > 0)
    *rest = sc_bytes_make(rest->ptr + piece.len, rest->len - piece.len);
  return piece;
}

SC_NODISCARD static inline sc_status sc_pieces_put(sc_sink sink, sc_bytes bytes) {
  sc_status status = SC_OK;
  while (bytes.len > 0 && status == SC_OK)
    status = sink.write(sink.user, sc_pieces_take(&bytes, SC_SINK_MAX_BYTES));
  return status;
}

#endif
