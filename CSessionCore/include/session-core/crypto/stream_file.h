/* Attachments and pictures in the newer format: a deterministic, padded secretstream.
 *
 * The same content from the same account gives the same file, so servers store it once. Both directions
 * stream in constant memory. Sealing is two passes over the same content: `measure` it all, then `begin` and
 * `write` it all again; content that changed in between is SC_ERR_FILE_CHANGED. Opening is one pass; each
 * piece is authentic when it is released, but only `finish` proves that nothing is missing, so write to a
 * temporary file. Bytes that are passed in must hold still during the call: read files, rather than map them.
 * Objects belong to one thread at a time; after a failure, SC_ERR_STATE included, only _free is left to call.
 */
#ifndef SC_CRYPTO_STREAM_FILE_H
#define SC_CRYPTO_STREAM_FILE_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "sink.h"

SC_API_BEGIN

#define SC_STREAM_FILE_KEY_BYTES 32
/* Content that is sent unless the caller allows more. */
#define SC_STREAM_FILE_MAX 10218286

typedef enum sc_stream_file_domain {
  SC_STREAM_FILE_ATTACHMENT = 0,
  SC_STREAM_FILE_PICTURE = 1,
} sc_stream_file_domain;

/* The size of the sealed file for content of `len` bytes; UINT64_MAX when there is no such size. */
SC_API uint64_t sc_stream_file_sealed_len(uint64_t len);

/* The most content a sealed file of `sealed_len` bytes can hold. SC_ERR_FILE_FORMAT when it is too short. */
SC_API SC_NODISCARD sc_status sc_stream_file_max_content(uint64_t *out, uint64_t sealed_len);

typedef struct sc_stream_sealer sc_stream_sealer;

/* `seed` is the account's Ed25519 seed: at least 32 bytes, of which 32 count; SC_ERR_KEY_SIZE. `any_size`
 * lifts SC_STREAM_FILE_MAX. */
SC_API SC_NODISCARD sc_status sc_stream_sealer_new(sc_stream_sealer **out, const sc_env *env, sc_sink sink,
                                                   sc_bytes seed, sc_stream_file_domain domain,
                                                   bool any_size);
/* First pass. SC_ERR_FILE_TOO_LARGE. */
SC_API SC_NODISCARD sc_status sc_stream_sealer_measure(sc_stream_sealer *sealer, sc_bytes content);
/* Between the passes: gives the key that goes into the message, and writes the header. */
SC_API SC_NODISCARD sc_status sc_stream_sealer_begin(uint8_t key[SC_AT_LEAST(32)], sc_stream_sealer *sealer);
/* Writes a chunk, at most, of the padding before the content; `*more` says whether to call again. For sinks
 * that take small writes: padding grows with the file, and without this call all of it is written with the
 * first content. */
SC_API SC_NODISCARD sc_status sc_stream_sealer_pad(bool *more, sc_stream_sealer *sealer);
/* Second pass. SC_ERR_FILE_CHANGED, at the latest from finish, or what the sink answered: destroy then what
 * was written, because another content under the same key reveals both. */
SC_API SC_NODISCARD sc_status sc_stream_sealer_write(sc_stream_sealer *sealer, sc_bytes content);
SC_API SC_NODISCARD sc_status sc_stream_sealer_finish(sc_stream_sealer *sealer);
SC_API void sc_stream_sealer_free(sc_stream_sealer *sealer);

typedef struct sc_stream_opener sc_stream_opener;

/* SC_ERR_KEY_SIZE. */
SC_API SC_NODISCARD sc_status sc_stream_opener_new(sc_stream_opener **out, const sc_env *env, sc_sink sink,
                                                   sc_bytes key);
/* SC_ERR_FILE_DAMAGED when something does not authenticate; SC_ERR_FILE_FORMAT when it is not this format,
 * goes on behind its end, or (from finish) lacks it; or what the sink answered. */
SC_API SC_NODISCARD sc_status sc_stream_opener_write(sc_stream_opener *opener, sc_bytes sealed);
SC_API SC_NODISCARD sc_status sc_stream_opener_finish(sc_stream_opener *opener);
SC_API void sc_stream_opener_free(sc_stream_opener *opener);

/* The same over bytes in memory. */
SC_API SC_NODISCARD sc_status sc_stream_file_seal(sc_buffer *out, uint8_t key[SC_AT_LEAST(32)], sc_bytes seed,
                                                  sc_stream_file_domain domain, sc_bytes content);
SC_API SC_NODISCARD sc_status sc_stream_file_open(sc_buffer *out, sc_bytes key, sc_bytes sealed);

SC_API_END

#endif
