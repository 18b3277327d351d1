/* Attachments in the older format: AES-256-CBC, then HMAC-SHA256, and a separate SHA-256 digest.
 *
 * Both directions stream in constant memory. Encryption takes one pass. Decryption takes two over the same
 * bytes: `check` reads and verifies the whole file, then `open` releases plaintext and verifies that the
 * bytes are the same. The plaintext is final only when `open_finish` returns SC_OK, so write it to a
 * temporary file. Input must not change during a call: read files instead of mapping them. Objects belong to
 * one thread at a time; after a failure, including SC_ERR_STATE, only _free may be called. */
#ifndef SC_CRYPTO_LEGACY_FILE_H
#define SC_CRYPTO_LEGACY_FILE_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "sink.h"

SC_API_BEGIN

#define SC_LEGACY_FILE_KEY_BYTES 64
#define SC_LEGACY_FILE_DIGEST_BYTES 32
/* The largest encrypted file that file servers accept. */
#define SC_LEGACY_FILE_MAX_SEALED 10000000

/* Returns the padded size for content of `len` bytes: the next power of 1.05, at least 541. Content is
 * padded only as far as the encrypted file stays within SC_LEGACY_FILE_MAX_SEALED. */
SC_API uint64_t sc_legacy_file_padded_len(uint64_t len);

/* Returns the size of the encrypted file for content of `len` bytes; UINT64_MAX if it would be too large. */
SC_API uint64_t sc_legacy_file_sealed_len(uint64_t len);

/* The part of the message that belongs to an encrypted file. */
typedef struct sc_legacy_file_pointer {
  uint8_t key[SC_LEGACY_FILE_KEY_BYTES];
  uint8_t digest[SC_LEGACY_FILE_DIGEST_BYTES];
  uint64_t size; /* size of the content, without padding */
} sc_legacy_file_pointer;

SC_API void sc_legacy_file_pointer_wipe(sc_legacy_file_pointer *pointer);

typedef struct sc_legacy_sealer sc_legacy_sealer;

/* `any_size` lifts the limit SC_LEGACY_FILE_MAX_SEALED, for servers that accept more. `sink` receives the
 * encrypted file. */
SC_API SC_NODISCARD sc_status sc_legacy_sealer_new(sc_legacy_sealer **out, const sc_env *env, sc_sink sink,
                                                   bool any_size);
/* Writes content. SC_ERR_FILE_TOO_LARGE, or the sink's status. */
SC_API SC_NODISCARD sc_status sc_legacy_sealer_write(sc_legacy_sealer *sealer, sc_bytes content);
SC_API SC_NODISCARD sc_status sc_legacy_sealer_finish(sc_legacy_file_pointer *out, sc_legacy_sealer *sealer);
SC_API void sc_legacy_sealer_free(sc_legacy_sealer *sealer);

typedef struct sc_legacy_opener sc_legacy_opener;

/* `key` and `digest` are those of the message; `size` is 0 if the sender did not state it. `sink` receives
 * the content. SC_ERR_KEY_SIZE, SC_ERR_FILE_FORMAT if the digest does not have 32 bytes. */
SC_API SC_NODISCARD sc_status sc_legacy_opener_new(sc_legacy_opener **out, const sc_env *env, sc_sink sink,
                                                   sc_bytes key, sc_bytes digest, uint64_t size);
/* First pass. */
SC_API SC_NODISCARD sc_status sc_legacy_opener_check(sc_legacy_opener *opener, sc_bytes sealed);
/* SC_ERR_FILE_FORMAT for an impossible length, SC_ERR_FILE_DAMAGED, SC_ERR_FILE_SIZE. Every fault of a file
 * is found before any content is released. */
SC_API SC_NODISCARD sc_status sc_legacy_opener_check_finish(sc_legacy_opener *opener);
/* Second pass. SC_ERR_STATE before check_finish has succeeded, SC_ERR_FILE_CHANGED, or the sink's status. */
SC_API SC_NODISCARD sc_status sc_legacy_opener_open(sc_legacy_opener *opener, sc_bytes sealed);
SC_API SC_NODISCARD sc_status sc_legacy_opener_open_finish(sc_legacy_opener *opener);
SC_API void sc_legacy_opener_free(sc_legacy_opener *opener);

/* Encrypt and decrypt bytes in memory. */
SC_API SC_NODISCARD sc_status sc_legacy_file_seal(sc_buffer *out, sc_legacy_file_pointer *pointer,
                                                  const sc_env *env, sc_bytes content);
SC_API SC_NODISCARD sc_status sc_legacy_file_open(sc_buffer *out, sc_bytes key, sc_bytes digest,
                                                  uint64_t size, sc_bytes sealed);

SC_API_END

#endif
