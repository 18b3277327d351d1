/* Opens files that are some fixed bytes, the header of a secretstream and its chunks, as they come in.
 *
 * It lives in the reader of a format, with the room that the chunks need; wipe them together. */
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
  size_t chunk_bytes;  /* of content, but for the last chunk */
  size_t least_sealed; /* of the last chunk */
} sc_chunk_form;

typedef struct sc_chunk_reader {
  sc_chunk_form form;
  sc_status (*plain)(void *user, sc_bytes plain); /* is given what each chunk holds, nothing as well */
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

/* A stream under a given header and key. The library's own way to start one for sealing draws the header from
 * its own source of randomness, so sealers use this as well. */
SC_NODISCARD sc_status sc_chunk_stream_start(crypto_secretstream_xchacha20poly1305_state *stream,
                                             const uint8_t *header, const uint8_t *key);

/* The form's magic and header fit into the room of a chunk. SC_ERR_KEY_SIZE. */
SC_NODISCARD sc_status sc_chunk_reader_init(sc_chunk_reader *out, const sc_chunk_form *form, sc_bytes key,
                                            uint8_t *sealed, uint8_t *chunk);

/* Reads the next bytes of the file. SC_ERR_FILE_FORMAT for another magic and for bytes after the end,
 * SC_ERR_FILE_DAMAGED for a chunk that is not authentic, or the status of `plain`. */
SC_NODISCARD sc_status sc_chunk_reader_write(sc_chunk_reader *reader, sc_bytes sealed);

/* Ends the file. SC_ERR_FILE_FORMAT if its end is missing. */
SC_NODISCARD sc_status sc_chunk_reader_finish(sc_chunk_reader *reader);

#endif
