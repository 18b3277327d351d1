/* Appending to a buffer piece by piece: the first failure is kept, and nothing is appended after it. */
#ifndef SC_CONFIG_DRAFT_H
#define SC_CONFIG_DRAFT_H

#include "session-core/base/bytes.h"

typedef struct sc_draft {
  sc_buffer *out;
  sc_status status;
} sc_draft;

static inline void sc_draft_bytes(sc_draft *draft, sc_bytes bytes) {
  if (draft->status == SC_OK)
    draft->status = sc_buffer_append(draft->out, bytes);
}

static inline void sc_draft_text(sc_draft *draft, const char *text) {
  sc_draft_bytes(draft, sc_bytes_text(text));
}

#endif
