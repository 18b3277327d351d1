/* The frames of a request stream: "N:" and a bt list of N bytes: a command, a reply or an error.
 *
 * The reader accepts a stream in any pieces. Complete frames are read in place; only an incomplete one is
 * copied, at most one unless more is held on purpose. */
#ifndef SC_NETWORK_QUIC_FRAME_H
#define SC_NETWORK_QUIC_FRAME_H

#include "blocks.h"

typedef enum sc_quic_frame_kind {
  SC_QUIC_FRAME_COMMAND,
  SC_QUIC_FRAME_REPLY,
  SC_QUIC_FRAME_ERROR,
} sc_quic_frame_kind;

typedef struct sc_quic_frame {
  sc_quic_frame_kind kind;
  int64_t id;
  sc_bytes name; /* of commands */
  sc_bytes body;
} sc_quic_frame;

enum {
  sc_quic_most_length_digits = 8, /* of the largest list */
  sc_quic_largest_list = 10000000,
  /* of everything before the body: length, list, type, id, name and the body's length */
  sc_quic_largest_head = 320,
};

/* Reads a list. As lenient as peers: leading zeros in the id and elements after the body are allowed, and an
 * unknown type is a command without a name. SC_ERR_REQUEST_FRAME. */
SC_NODISCARD sc_status sc_quic_frame_parse(sc_quic_frame *out, sc_bytes list);

/* Writes the part of a frame before its body, which is followed by 'e'. `name` has at most
 * SC_QUIC_MAX_COMMAND_BYTES bytes. Returns the length of the head; `*frame_len` is that of the whole frame.
 */
size_t sc_quic_frame_head(uint8_t out[static sc_quic_largest_head], size_t *frame_len,
                          const sc_quic_frame *frame);

typedef struct sc_quic_frame_reader {
  sc_quic_blocks *blocks;
  size_t largest; /* list */
  uint8_t *kept;  /* NULL if nothing is kept */
  size_t capacity;
  size_t begin;
  size_t end;
} sc_quic_frame_reader;

/* Memory comes from `blocks`, which must outlive the reader. */
void sc_quic_frame_reader_init(sc_quic_frame_reader *reader, sc_quic_blocks *blocks, size_t largest_list);
void sc_quic_frame_reader_free(sc_quic_frame_reader *reader);

/* Returns the next frame of the kept bytes and the input, consuming what it needs; its views are valid until
 * the next call. SC_ERR_TRUNCATED if there is no complete frame, and all input was kept.
 * SC_ERR_REQUEST_FRAME, SC_ERR_REQUEST_TOO_LARGE and SC_ERR_NO_MEMORY end the stream. */
SC_NODISCARD sc_status sc_quic_frame_next(sc_quic_frame *out, sc_quic_frame_reader *reader, sc_bytes *input);

/* Appends the unread input to the kept bytes. */
SC_NODISCARD sc_status sc_quic_frame_hold(sc_quic_frame_reader *reader, sc_bytes input);

/* Returns the number of kept bytes. */
static inline size_t sc_quic_frame_kept(const sc_quic_frame_reader *reader) {
  return reader->end - reader->begin;
}

#endif
