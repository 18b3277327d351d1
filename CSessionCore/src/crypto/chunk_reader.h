/* Decrypts files that consist of magic bytes, a secretstream header and its chunks, as the bytes arrive.
 *
 * It is part of the reader of a format, which provides the memory for chunks; wipe them together. */
#ifndef SC_SRC_CRYPTO_CHUNK_READER_H
#define SC_SRC_CRYPTO_CHUNK_READER_H

#include <sodium.h>
#include <stdbool.h>

#include "session-core/base/bytes.h"

enum {
  sc_chunk_key_bytes = crypto_secretstream_xchacha20poly1305_KEYBYTES,
  sc_chunk_header_bytes = crypto_secretstream_xchacha20poly1305_HEADERBYTES,
  sc_chunk_overhead = crypto_secretstream_xchacha20poly1305_ABYTES,
};

typedef struct sc_chunk_form {
  sc_bytes magic;      /* the first bytes of the file */
  size_t chunk_bytes;  /* of content, except in the last chunk */
  size_t least_sealed; /* minimum size of the last chunk */
} sc_chunk_form;

typedef struct sc_chunk_reader {
  sc_chunk_form form;
  sc_status (*plain)(void *user, sc_bytes plain); /* receives the content of each chunk, even if empty */
  void *user;
  uint8_t *sealed; /* room for chunk_bytes and sc_chunk_overhead */
  uint8_t *chunk;  /* room for chunk_bytes */
  size_t sealed_len;
  bool over;    /* finished or failed */
  bool started; /* the header was read */
  bool ended;   /* the final chunk was opened */
  uint8_t key[sc_chunk_key_bytes];
  crypto_secretstream_xchacha20poly1305_state stream;
} sc_chunk_reader;

/* Starts a stream with a given header and key. Sealers use it too, because libsodium's own function draws the
 * header from its own random generator. */
SC_NODISCARD sc_status sc_chunk_stream_start(crypto_secretstream_xchacha20poly1305_state *stream,
                                             const uint8_t *header, const uint8_t *key);

/* The form's magic and header must fit into a chunk. SC_ERR_KEY_SIZE. */
SC_NODISCARD sc_status sc_chunk_reader_init(sc_chunk_reader *out, const sc_chunk_form *form, sc_bytes key,
                                            uint8_t *sealed, uint8_t *chunk);

/* Reads the next bytes of the file. SC_ERR_FILE_FORMAT for another magic and for bytes after the end,
 * SC_ERR_FILE_DAMAGED for a chunk that is not authentic, or the status of `plain`. */
SC_NODISCARD sc_status sc_chunk_reader_write(sc_chunk_reader *reader, sc_bytes sealed);

/* Ends the file. SC_ERR_FILE_FORMAT if its end is missing. */
SC_NODISCARD sc_status sc_chunk_reader_finish(sc_chunk_reader *reader);

#endif
