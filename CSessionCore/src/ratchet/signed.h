/* Signed texts begin with a label and a zero byte, so that no signature serves two purposes. */
#ifndef SC_RATCHET_SIGNED_H
#define SC_RATCHET_SIGNED_H

#include "session-core/base/bytes.h"
#include "session-core/crypto/signature.h"

/* `out` has room for the label, its zero byte and the text. */
static inline void sc_ratchet_labelled(uint8_t *out, const char *label, sc_bytes text) {
  size_t len = strlen(label) + 1;
  memcpy(out, label, len);
  memcpy(out + len, text.ptr, text.len);
}

#endif
