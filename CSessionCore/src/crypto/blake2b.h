/* BLAKE2b of concatenated pieces, for formats that hash several fields as one message. */
#ifndef SC_CRYPTO_BLAKE2B_H
#define SC_CRYPTO_BLAKE2B_H

#include "session-core/base/bytes.h"

/* `out_len` is 16 to 64, `key` up to 64 bytes (empty means none), `personal` 16 bytes or NULL: the caller
 * knows the sizes, so nothing can fail. */
void sc_blake2b_pieces(uint8_t *out, size_t out_len, sc_bytes key, const uint8_t *personal,
                       const sc_bytes *pieces, size_t count);

#endif
