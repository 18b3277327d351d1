/* Attachments in their older format: AES-256-CBC, then HMAC-SHA256, with a SHA-256 digest beside it.
 *
 * Both directions stream in constant memory. Sealing is one pass. Opening is two over the same bytes: `check`
 * reads the whole file and verifies it, only then `open` releases plaintext, watching that the bytes are the
 * same; plaintext is provisional until `open_finish` returns SC_OK, so write it to a temporary file. Bytes
 * that are passed in must hold still during the call: read files, rather than map them. Objects belong to one
 * thread at a time; after a failure, SC_ERR_STATE included, only _free is left to call. */
#ifndef SC_CRYPTO_LEGACY_FILE_H
#define SC_CRYPTO_LEGACY_FILE_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "sink.h"

SC_API_BEGIN

#define SC_LEGACY_FILE_KEY_BYTES 64
#define SC_LEGACY_FILE_DIGEST_BYTES 32
/* What file servers take, encrypted. */
#define SC_LEGACY_FILE_MAX_SEALED 10000000

/* The size content of `len` bytes is padded to: the next power of 1.05, 541 at least, but never so much that
 * the sealed file outgrows SC_LEGACY_FILE_MAX_SEALED. Content too large for that is not padded. */
SC_API uint64_t sc_legacy_file_padded_len(uint64_t len);

/* The size of the sealed file for content of `len` bytes; UINT64_MAX when there is no such size. */
SC_API uint64_t sc_legacy_file_sealed_len(uint64_t len);

/* What goes with a sealed file into the message. */
typedef struct sc_legacy_file_pointer {
  uint8_t key[SC_LEGACY_FILE_KEY_BYTES];
  uint8_t digest[SC_LEGACY_FILE_DIGEST_BYTES];
  uint64_t size; /* of the content, without padding */
} sc_legacy_file_pointer;

SC_API void sc_legacy_file_pointer_wipe(sc_legacy_file_pointer *pointer);

typedef struct sc_legacy_sealer sc_legacy_sealer;

/* `any_size` lifts SC_LEGACY_FILE_MAX_SEALED, for servers that take more. `sink` receives the sealed file. */
SC_API SC_NODISCARD sc_status sc_legacy_sealer_new(sc_legacy_sealer **out, const sc_env *env, sc_sink sink,
                                                   bool any_size);
/* SC_ERR_FILE_TOO_LARGE, or what the sink answered. */
SC_API SC_NODISCARD sc_status sc_legacy_sealer_write(sc_legacy_sealer *sealer, sc_bytes content);
SC_API SC_NODISCARD sc_status sc_legacy_sealer_finish(sc_legacy_file_pointer *out, sc_legacy_sealer *sealer);
SC_API void sc_legacy_sealer_free(sc_legacy_sealer *sealer);

typedef struct sc_legacy_opener sc_legacy_opener;

/* `key` and `digest` as they came in the message; `size` 0 means that the sender did not tell. `sink`
 * receives the content. SC_ERR_KEY_SIZE, SC_ERR_FILE_FORMAT when the digest is not 32 bytes. */
SC_API SC_NODISCARD sc_status sc_legacy_opener_new(sc_legacy_opener **out, const sc_env *env, sc_sink sink,
                                                   sc_bytes key, sc_bytes digest, uint64_t size);
/* First pass. */
SC_API SC_NODISCARD sc_status sc_legacy_opener_check(sc_legacy_opener *opener, sc_bytes sealed);
/* SC_ERR_FILE_FORMAT for an impossible length, SC_ERR_FILE_DAMAGED, SC_ERR_FILE_SIZE: all that can be wrong
 * with a file is known before any content is released. */
SC_API SC_NODISCARD sc_status sc_legacy_opener_check_finish(sc_legacy_opener *opener);
/* Second pass. SC_ERR_STATE before check_finish succeeded, SC_ERR_FILE_CHANGED, or what the sink answered. */
SC_API SC_NODISCARD sc_status sc_legacy_opener_open(sc_legacy_opener *opener, sc_bytes sealed);
SC_API SC_NODISCARD sc_status sc_legacy_opener_open_finish(sc_legacy_opener *opener);
SC_API void sc_legacy_opener_free(sc_legacy_opener *opener);

/* Both passes at once over bytes in memory. */
SC_API SC_NODISCARD sc_status sc_legacy_file_seal(sc_buffer *out, sc_legacy_file_pointer *pointer,
                                                  const sc_env *env, sc_bytes content);
SC_API SC_NODISCARD sc_status sc_legacy_file_open(sc_buffer *out, sc_bytes key, sc_bytes digest,
                                                  uint64_t size, sc_bytes sealed);

SC_API_END

#endif
