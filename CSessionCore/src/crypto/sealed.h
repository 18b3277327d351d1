/* Memory for sealed messages, and opening messages of an account to itself. */
#ifndef SC_CRYPTO_SEALED_H
#define SC_CRYPTO_SEALED_H

#include "session-core/base/bytes.h"
#include "session-core/crypto/keys.h"

/* Replaces `out` with message.len + `overhead` bytes for the caller to fill, with at most one allocation: the
 * first step of every format with a fixed overhead. */
SC_NODISCARD static inline sc_status sc_sealed_room(uint8_t **room, sc_buffer *out, sc_bytes message,
                                                    size_t overhead) {
  sc_buffer_clear(out);
  if (message.len > SIZE_MAX - overhead)
    return SC_ERR_NO_MEMORY;
  return sc_buffer_extend(room, out, message.len + overhead);
}

/* Decrypts a message of an account to itself, without computing the sender's id: as sc_seal_open, and
 * SC_ERR_KEY_MISMATCH for another sender. */
SC_NODISCARD sc_status sc_seal_open_own(sc_buffer *out, const sc_keypair *own, sc_bytes sealed);

#endif
