/* Encrypted files on the program's own disk: attachments, pictures.
 *
 * Each file has a random key, stored elsewhere; without the key the file is lost. Both directions stream in
 * constant memory. Each piece is authentic when it is released, but only `finish` proves that the file is
 * complete. Objects belong to one thread at a time; after a failure only _free may be called. */
#ifndef SC_CRYPTO_KEPT_FILE_H
#define SC_CRYPTO_KEPT_FILE_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "sink.h"

SC_API_BEGIN

#define SC_KEPT_FILE_KEY_BYTES 32

/* Returns the size of the file for content of `len` bytes; UINT64_MAX if it would be too large. */
SC_API uint64_t sc_kept_file_sealed_len(uint64_t len);

typedef struct sc_kept_sealer sc_kept_sealer;

/* Draws and returns a key, and writes the header. SC_ERR_NO_MEMORY, or the sink's status. */
SC_API SC_NODISCARD sc_status sc_kept_sealer_new(sc_kept_sealer **out, uint8_t key[SC_AT_LEAST(32)],
                                                 const sc_env *env, sc_sink sink);
/* Writes content. SC_ERR_STATE, or the sink's status. */
SC_API SC_NODISCARD sc_status sc_kept_sealer_write(sc_kept_sealer *sealer, sc_bytes content);
SC_API SC_NODISCARD sc_status sc_kept_sealer_finish(sc_kept_sealer *sealer);
SC_API void sc_kept_sealer_free(sc_kept_sealer *sealer);

typedef struct sc_kept_opener sc_kept_opener;

/* Starts decryption. SC_ERR_KEY_SIZE. */
SC_API SC_NODISCARD sc_status sc_kept_opener_new(sc_kept_opener **out, const sc_env *env, sc_sink sink,
                                                 sc_bytes key);
/* Decrypts. SC_ERR_FILE_DAMAGED if a piece is not authentic, for example with the key of another file;
 * SC_ERR_FILE_FORMAT for another format, bytes after the end, or (from finish) a missing end; or the sink's
 * status. */
SC_API SC_NODISCARD sc_status sc_kept_opener_write(sc_kept_opener *opener, sc_bytes sealed);
SC_API SC_NODISCARD sc_status sc_kept_opener_finish(sc_kept_opener *opener);
SC_API void sc_kept_opener_free(sc_kept_opener *opener);

SC_API_END

#endif
