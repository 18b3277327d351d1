/* The encrypted file: a header with slots, then chunks.
 *
 * Each slot holds the archive's key, encrypted for one secret: a passphrase, the account's seed, or a key
 * file. Each chunk is authentic by itself and knows its place, so nothing can be swapped, and a file that was
 * cut does not open to its end. Objects belong to one thread at a time; after a failure only _free may be
 * called.
 */
#ifndef SC_ARCHIVE_SEALED_H
#define SC_ARCHIVE_SEALED_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/passphrase.h"
#include "../crypto/sink.h"

SC_API_BEGIN

#define SC_ARCHIVE_ID_BYTES 16
#define SC_ARCHIVE_MAX_SLOTS 3
#define SC_ARCHIVE_MAX_HEADER 65536
#define SC_ARCHIVE_MAX_PASSPHRASE 1024
#define SC_ARCHIVE_SECRET_BYTES 32
/* Chunk sizes are powers of two: this one is used unless there is a reason for another. */
#define SC_ARCHIVE_CHUNK_LOG2 16
#define SC_ARCHIVE_MIN_CHUNK_LOG2 12
#define SC_ARCHIVE_MAX_CHUNK_LOG2 20

typedef enum sc_archive_slot_kind {
  SC_ARCHIVE_SLOT_PASSPHRASE = 1,
  SC_ARCHIVE_SLOT_ACCOUNT = 2,
  SC_ARCHIVE_SLOT_KEY_FILE = 3,
} sc_archive_slot_kind;

typedef struct sc_archive_secret {
  sc_archive_slot_kind kind;
  /* 1 to SC_ARCHIVE_MAX_PASSPHRASE bytes of a passphrase, in Unicode's form NFC; for the other kinds
   * SC_ARCHIVE_SECRET_BYTES: the account's Ed25519 seed, or the content of the key file. */
  sc_bytes value;
  sc_passphrase_cost cost; /* of a passphrase, for sealing */
} sc_archive_secret;

typedef struct sc_archive_slot {
  sc_archive_slot_kind kind;
  sc_passphrase_cost cost; /* zero but for passphrases; may be outside the allowed range */
} sc_archive_slot;

/* What everybody can read. It is proved authentic only when the archive is opened. */
typedef struct sc_archive_header {
  uint8_t minor_version;
  uint8_t chunk_log2;
  size_t len; /* of the header */
  uint8_t id[SC_ARCHIVE_ID_BYTES];
  sc_archive_slot slots[SC_ARCHIVE_MAX_SLOTS];
  size_t slot_count;
} sc_archive_header;

/* Reads the header from the first bytes of a file, SC_ARCHIVE_MAX_HEADER at most. SC_ERR_ARCHIVE_MAGIC,
 * SC_ERR_ARCHIVE_VERSION, SC_ERR_ARCHIVE_HEADER, SC_ERR_ARCHIVE_TRUNCATED if `start` ends before it. */
SC_API SC_NODISCARD sc_status sc_archive_header_read(sc_archive_header *out, sc_bytes start);

typedef struct sc_archive_sealer sc_archive_sealer;

/* Writes the header of a new archive that each of these secrets opens, one of a kind. With a passphrase it
 * can take seconds. SC_ERR_ARGUMENT for no or too many secrets, two of a kind, an empty passphrase or another
 * chunk size; SC_ERR_KEY_SIZE, SC_ERR_TOO_LARGE, SC_ERR_PASSPHRASE_COST, or the sink's status. */
SC_API SC_NODISCARD sc_status sc_archive_sealer_new(sc_archive_sealer **out, const sc_env *env, sc_sink file,
                                                    const sc_archive_secret *secrets, size_t count,
                                                    unsigned chunk_log2);
SC_API SC_NODISCARD sc_status sc_archive_sealer_write(sc_archive_sealer *sealer, sc_bytes frames);
/* SC_ERR_STATE if nothing was written: an archive has a content. */
SC_API SC_NODISCARD sc_status sc_archive_sealer_finish(sc_archive_sealer *sealer);
SC_API void sc_archive_sealer_free(sc_archive_sealer *sealer);

/* Returns a sink that writes to the sealer. */
SC_API sc_sink sc_archive_sealer_sink(sc_archive_sealer *sealer);

typedef struct sc_archive_opener sc_archive_opener;

/* Opens with any of these secrets, which are borrowed until the header was read. SC_ERR_ARGUMENT,
 * SC_ERR_KEY_SIZE, SC_ERR_TOO_LARGE as above. */
SC_API SC_NODISCARD sc_status sc_archive_opener_new(sc_archive_opener **out, const sc_env *env,
                                                    sc_sink frames, const sc_archive_secret *secrets,
                                                    size_t count);
/* Reads the file. The call that completes the header can take seconds. The failures of
 * sc_archive_header_read; SC_ERR_ARCHIVE_NO_SLOT if no slot is for a secret of these kinds,
 * SC_ERR_ARCHIVE_WRONG_KEY if none of them opens, SC_ERR_PASSPHRASE_COST before anything is derived;
 * SC_ERR_ARCHIVE_DAMAGED, or the sink's status. */
SC_API SC_NODISCARD sc_status sc_archive_opener_write(sc_archive_opener *opener, sc_bytes file);
/* SC_ERR_ARCHIVE_TRUNCATED if the file was cut at the end of a chunk or in the header, and
 * SC_ERR_ARCHIVE_DAMAGED if it was cut elsewhere. */
SC_API SC_NODISCARD sc_status sc_archive_opener_finish(sc_archive_opener *opener);
/* Returns the number of chunks that were opened: after SC_ERR_ARCHIVE_DAMAGED the index of the damaged one.
 */
SC_API uint64_t sc_archive_opener_chunks(const sc_archive_opener *opener);
SC_API void sc_archive_opener_free(sc_archive_opener *opener);

SC_API_END

#endif
