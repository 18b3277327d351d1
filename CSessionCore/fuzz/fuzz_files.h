/* Shared by the fuzz targets of the file formats: pieces of sizes that the fuzzer chose, and changes to a
 * genuine file. */
#ifndef SC_FUZZ_FUZZ_FILES_H
#define SC_FUZZ_FUZZ_FILES_H

#include <stdbool.h>

#include "fuzz.h"

typedef sc_status (*fuzz_feed)(void *object, sc_bytes piece);

/* The sizes of the pieces are the squares of the bytes in `sizes`, over and over. */
static inline sc_status fuzz_in_pieces(fuzz_feed feed, void *object, sc_bytes bytes, sc_bytes sizes) {
  sc_status status = SC_OK;
  for (size_t i = 0; bytes.len > 0 && status == SC_OK; i++) {
    size_t root = sizes.len > 0 ? sizes.ptr[i % sizes.len] : 0;
    size_t len = root * root + (i % 8 == 7);
    sc_bytes piece = fuzz_take(&bytes, sizes.len > 0 ? len : bytes.len);
    status = feed(object, piece);
  }
  return status;
}

/* Each four bytes of `changes` do one thing to the file: flip a bit, cut it, or append a byte. */
static inline void fuzz_change(sc_buffer *file, sc_bytes changes) {
  while (changes.len > 0) {
    sc_bytes change = fuzz_take(&changes, 4);
    uint8_t what[4] = {0};
    memcpy(what, change.ptr, change.len);
    size_t place = (size_t)what[1] << 8 | what[2];
    if (what[0] % 8 == 0)
      sc_buffer_truncate(file, file->len > place ? file->len - place : 0);
    else if (what[0] % 8 == 1)
      REQUIRE(sc_buffer_append_byte(file, what[3]) == SC_OK);
    else if (file->len > 0)
      file->ptr[place % file->len] ^= (uint8_t)(1 << what[3] % 8);
  }
}

#endif
