#include "blob.h"

#include <stdlib.h>

#include "memory.h"

blob *blob_make(sc_bytes bytes) {
  blob *b = memory_new(1, sizeof *b + bytes.len);
  b->owners = 1;
  b->len = bytes.len;
  if (bytes.len > 0)
    memcpy(b->bytes, bytes.ptr, bytes.len);
  return b;
}

blob *blob_share(blob *b) {
  b->owners++;
  return b;
}

void blob_drop(blob *b) {
  if (b != NULL && --b->owners == 0)
    free(b);
}
