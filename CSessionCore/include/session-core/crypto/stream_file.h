/* Attachments and pictures in the newer format: a deterministic, padded secretstream.
 *
 * The same content from the same account gives the same file, so servers store it once. Both directions
 * stream in constant memory. Encryption takes two passes over the same content: `measure` all of it, then
 * `begin` and `write` all of it again; SC_ERR_FILE_CHANGED if it changed in between. Decryption takes one
 * pass. Each piece is authentic when it is released, but only `finish` proves that the file is complete, so
 * write to a temporary file. Input must not change during a call: read files instead of mapping them.
 * Objects belong to one thread at a time; after a failure, including SC_ERR_STATE, only _free may be called.
 */
#ifndef SC_CRYPTO_STREAM_FILE_H
#define SC_CRYPTO_STREAM_FILE_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "sink.h"

SC_API_BEGIN

#define SC_STREAM_FILE_KEY_BYTES 32
/* The size limit of content, unless the caller lifts it. */
#define SC_STREAM_FILE_MAX 10218286

typedef enum sc_stream_file_domain {
  SC_STREAM_FILE_ATTACHMENT = 0,
  SC_STREAM_FILE_PICTURE = 1,
} sc_stream_file_domain;

/* Returns the size of the encrypted file for content of `len` bytes; UINT64_MAX if it would be too large. */
SC_API uint64_t sc_stream_file_sealed_len(uint64_t len);

/* Returns the largest content of an encrypted file of `sealed_len` bytes. SC_ERR_FILE_FORMAT if that is too
 * short. */
SC_API SC_NODISCARD sc_status sc_stream_file_max_content(uint64_t *out, uint64_t sealed_len);

typedef struct sc_stream_sealer sc_stream_sealer;

/* `seed` is the account's Ed25519 seed: the first 32 bytes count, fewer are SC_ERR_KEY_SIZE. `any_size` lifts
 * the limit SC_STREAM_FILE_MAX. */
SC_API SC_NODISCARD sc_status sc_stream_sealer_new(sc_stream_sealer **out, const sc_env *env, sc_sink sink,
                                                   sc_bytes seed, sc_stream_file_domain domain,
                                                   bool any_size);
/* First pass. SC_ERR_FILE_TOO_LARGE. */
SC_API SC_NODISCARD sc_status sc_stream_sealer_measure(sc_stream_sealer *sealer, sc_bytes content);
/* Between the passes: returns the key for the message and writes the header. */
SC_API SC_NODISCARD sc_status sc_stream_sealer_begin(uint8_t key[SC_AT_LEAST(32)], sc_stream_sealer *sealer);
/* Writes at most one chunk of the padding before the content; call again if `*more`. For sinks that need
 * small writes: without this call all padding, which grows with the file, is written with the first content.
 */
SC_API SC_NODISCARD sc_status sc_stream_sealer_pad(bool *more, sc_stream_sealer *sealer);
/* Second pass. SC_ERR_FILE_CHANGED, from finish at the latest, or the sink's status. Then destroy what was
 * written: other content under the same key would reveal both. */
SC_API SC_NODISCARD sc_status sc_stream_sealer_write(sc_stream_sealer *sealer, sc_bytes content);
SC_API SC_NODISCARD sc_status sc_stream_sealer_finish(sc_stream_sealer *sealer);
SC_API void sc_stream_sealer_free(sc_stream_sealer *sealer);

typedef struct sc_stream_opener sc_stream_opener;

/* Starts decryption. SC_ERR_KEY_SIZE. */
SC_API SC_NODISCARD sc_status sc_stream_opener_new(sc_stream_opener **out, const sc_env *env, sc_sink sink,
                                                   sc_bytes key);
/* Decrypts. SC_ERR_FILE_DAMAGED if a piece is not authentic; SC_ERR_FILE_FORMAT for another format, bytes
 * after the end, or (from finish) a missing end; or the sink's status. */
SC_API SC_NODISCARD sc_status sc_stream_opener_write(sc_stream_opener *opener, sc_bytes sealed);
SC_API SC_NODISCARD sc_status sc_stream_opener_finish(sc_stream_opener *opener);
SC_API void sc_stream_opener_free(sc_stream_opener *opener);

/* Encrypt and decrypt bytes in memory. */
SC_API SC_NODISCARD sc_status sc_stream_file_seal(sc_buffer *out, uint8_t key[SC_AT_LEAST(32)], sc_bytes seed,
                                                  sc_stream_file_domain domain, sc_bytes content);
SC_API SC_NODISCARD sc_status sc_stream_file_open(sc_buffer *out, sc_bytes key, sc_bytes sealed);

SC_API_END

#endif
