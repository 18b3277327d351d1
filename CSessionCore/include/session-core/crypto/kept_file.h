/* Files that a program keeps for itself, encrypted on its own disk: attachments, pictures.
 *
 * Each file has a random key, stored elsewhere; losing the key destroys the file. Both directions stream in
 * constant memory. Each piece is authentic when it is released, but only `finish` proves that nothing is
 * missing. Objects belong to one thread at a time; after a failure only _free is left to call. */
#ifndef SC_CRYPTO_KEPT_FILE_H
#define SC_CRYPTO_KEPT_FILE_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "sink.h"

SC_API_BEGIN

#define SC_KEPT_FILE_KEY_BYTES 32

/* The size of the file for content of `len` bytes; UINT64_MAX when there is no such size. */
SC_API uint64_t sc_kept_file_sealed_len(uint64_t len);

typedef struct sc_kept_sealer sc_kept_sealer;

/* Draws a key, which is returned, and writes the header. SC_ERR_NO_MEMORY, or what the sink answered. */
SC_API SC_NODISCARD sc_status sc_kept_sealer_new(sc_kept_sealer **out, uint8_t key[SC_AT_LEAST(32)],
                                                 const sc_env *env, sc_sink sink);
/* SC_ERR_STATE, or what the sink answered. */
SC_API SC_NODISCARD sc_status sc_kept_sealer_write(sc_kept_sealer *sealer, sc_bytes content);
SC_API SC_NODISCARD sc_status sc_kept_sealer_finish(sc_kept_sealer *sealer);
SC_API void sc_kept_sealer_free(sc_kept_sealer *sealer);

typedef struct sc_kept_opener sc_kept_opener;

/* SC_ERR_KEY_SIZE. */
SC_API SC_NODISCARD sc_status sc_kept_opener_new(sc_kept_opener **out, const sc_env *env, sc_sink sink,
                                                 sc_bytes key);
/* SC_ERR_FILE_DAMAGED when something does not authenticate, be it that the key is another file's;
 * SC_ERR_FILE_FORMAT when it is not this format, goes on behind its end, or (from finish) lacks it; or what
 * the sink answered. */
SC_API SC_NODISCARD sc_status sc_kept_opener_write(sc_kept_opener *opener, sc_bytes sealed);
SC_API SC_NODISCARD sc_status sc_kept_opener_finish(sc_kept_opener *opener);
SC_API void sc_kept_opener_free(sc_kept_opener *opener);

SC_API_END

#endif
