/* The steps by which a config message is stored: packed, padded, encrypted. */
#ifndef SC_SRC_CONFIG_ENVELOPE_H
#define SC_SRC_CONFIG_ENVELOPE_H

#include "session-core/config/envelope.h"

/* Returns the padded length of a message of `len` bytes: with `overhead` more bytes it is a multiple of 256,
 * or of more for longer messages. */
size_t sc_config_padded_len(size_t len, size_t overhead);

/* Replaces `out` with the padding, which is zeros, followed by the message. */
SC_NODISCARD sc_status sc_config_pad(sc_buffer *out, sc_bytes message, size_t overhead);

/* Returns the message without the leading zeros; empty if there is nothing else. */
sc_bytes sc_config_unpadded(sc_bytes padded);

/* Replaces `out` with the compressed message, or the message itself if that is not larger. */
SC_NODISCARD sc_status sc_config_pack(sc_buffer *out, sc_bytes message);

/* Encrypts with a key of 32 bytes. SC_ERR_ARGUMENT for the length of the domain, SC_ERR_KEY_SIZE. */
SC_NODISCARD sc_status sc_config_encrypt(sc_buffer *out, sc_bytes key, sc_bytes domain, sc_bytes message);

/* Decrypts with the first of `keys` that fits. As above, then SC_ERR_TRUNCATED below
 * SC_CONFIG_ENCRYPT_OVERHEAD, SC_ERR_NO_KEY. */
SC_NODISCARD sc_status sc_config_decrypt(sc_buffer *out, const sc_bytes *keys, size_t key_count,
                                         sc_bytes domain, sc_bytes encrypted);
void sc_config_stored_init(sc_config_stored *stored, const sc_env *env);
void sc_config_stored_free(sc_config_stored *stored);

/* Replaces `out` with the stored form of a config message: wrapped if required and it still fits, in parts if
 * it is too large for one message. `seqno` is that of the message. SC_ERR_ARGUMENT if it does not begin like
 * a config message, for an envelope without a key, and for the length of its domain; SC_ERR_KEY_SIZE;
 * SC_ERR_TOO_LARGE over SC_CONFIG_MAX_BYTES, or SC_CONFIG_MAX_PADDED_BYTES when padded. */
SC_NODISCARD sc_status sc_config_seal(sc_config_stored *out, const sc_config_envelope *envelope,
                                      int64_t seqno, sc_bytes message);

#endif
